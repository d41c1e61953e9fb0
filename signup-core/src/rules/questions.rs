//! The questions of an event: adding, changing and deleting one.

use super::Decision;
use super::edit::{check_not_cancelled, next_gate};
use crate::error::Error;
use crate::event::Event;
use crate::fault::{FaultKind, Faults};
use crate::id::QuestionId;
use crate::input::{NewQuestion, QuestionPatch, check_new_question, check_options, check_question_patch};
use crate::question::{Question, QuestionKind};
use crate::store::{ChangeSet, Entity as _, Requirement, Total};

/// Adds a question to an event that has the questions `present`. By default the question comes last.
///
/// # Errors
/// - [`Error::EventCancelled`].
/// - [`Error::Invalid`] with the faults of the options and the position, or with a fault of `label` if the event has
///   [`Question::MAX_PER_EVENT`] questions.
pub(crate) fn add_question(
    event: &Event,
    present: &[Question],
    new: NewQuestion,
    id: QuestionId,
) -> Result<Decision<Question>, Error> {
    check_new_question(&new)?;
    check_not_cancelled(event)?;
    let max = Question::MAX_PER_EVENT;
    if present.len() >= max {
        return Err(Faults::one("label", FaultKind::TooManyQuestions { max }).into());
    }
    let last = present.iter().map(|question| question.position).max();
    let behind = last.map_or(0, |last| (last + 1).min(Question::MAX_POSITION));
    let question = Question {
        id,
        organization: event.organization,
        event: event.id,
        label: new.label,
        kind: new.kind,
        options: new.options,
        required: new.required,
        position: new.position.unwrap_or(behind),
        version: 1,
    };
    let mut change = ChangeSet::default();
    change.replace(event.clone(), next_gate(event));
    change.insert(question.clone());
    Ok(Decision::new(question, change))
}

/// Changes the fields that `patch` names. A patch that changes no value writes nothing. If the new kind is not a select, the
/// options are removed.
///
/// # Errors
/// - [`Error::EventCancelled`].
/// - [`Error::Invalid`] with the faults of the options and the position.
pub(crate) fn patch_question(
    event: &Event,
    question: Question,
    patch: QuestionPatch,
) -> Result<Decision<Question>, Error> {
    check_question_patch(&patch)?;
    check_not_cancelled(event)?;
    let kind = patch.kind.unwrap_or(question.kind);
    let kept = || if kind == QuestionKind::Select { question.options.clone() } else { vec![] };
    let options = patch.options.unwrap_or_else(kept);
    let mut faults = Faults::new();
    faults.check("options", check_options(kind, options.len()));
    faults.into_result(Some(()))?;
    let changed = Question {
        label: patch.label.unwrap_or_else(|| question.label.clone()),
        kind,
        options,
        required: patch.required.unwrap_or(question.required),
        position: patch.position.unwrap_or(question.position),
        ..question.clone()
    };
    if changed == question {
        return Ok(Decision::unchanged(question));
    }
    let changed = Question { version: question.version + 1, ..changed };
    let mut change = ChangeSet::default();
    change.replace(event.clone(), next_gate(event));
    if changed.kind != question.kind {
        change.requires.push(is_unanswered(event, &question));
    }
    change.replace(question, changed.clone());
    Ok(Decision::new(changed, change))
}

/// Requires that no sign-up, confirmed or cancelled, has an answer to the question.
pub(crate) fn is_unanswered(event: &Event, question: &Question) -> Requirement {
    let totals = vec![Total::Answers(question.organization, question.event, question.id)];
    Requirement::AllZero { parent: event.key(), totals }
}

/// Deletes a question. Answers to it stay.
///
/// # Errors
/// Returns [`Error::EventCancelled`].
pub(crate) fn delete_question(event: &Event, question: &Question) -> Result<Decision<()>, Error> {
    check_not_cancelled(event)?;
    let mut change = ChangeSet::default();
    change.replace(event.clone(), next_gate(event));
    change.remove(question.clone());
    Ok(Decision::new((), change))
}
