//! The questions of an event: adding, changing and deleting one.

use super::Decision;
use super::edit::{check_not_cancelled, event_at_version, next_version};
use crate::error::Error;
use crate::event::Event;
use crate::fault::{FaultKind, Faults};
use crate::id::QuestionId;
use crate::input::{NewQuestion, QuestionPatch, check_options};
use crate::question::{Question, QuestionKind};
use crate::store::{ChangeSet, Requirement, Write};

/// Adds a question to an event that has the questions `present`. By default the question comes last.
///
/// # Errors
/// - [`Error::EventCancelled`].
/// - [`Error::Invalid`] with a fault of `label` if the event has [`Question::MAX_PER_EVENT`] questions.
pub(crate) fn add_question(
    event: &Event,
    present: &[Question],
    new: NewQuestion,
    id: QuestionId,
) -> Result<Decision<Question>, Error> {
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
    };
    let requires = vec![event_at_version(event)];
    let writes = vec![Write::InsertQuestions(vec![question.clone()]), next_version(event)];
    Ok(Decision { outcome: question, change: ChangeSet { requires, writes } })
}

/// Changes the fields that `patch` names. A patch that changes no value writes nothing. If the new kind is not a select, the
/// options are removed.
///
/// # Errors
/// - [`Error::EventCancelled`].
/// - [`Error::Invalid`] with a fault of `options` if they do not fit the kind.
pub(crate) fn patch_question(
    event: &Event,
    question: Question,
    patch: QuestionPatch,
) -> Result<Decision<Question>, Error> {
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
        return Ok(Decision { outcome: question, change: ChangeSet::default() });
    }
    let mut requires = vec![event_at_version(event)];
    if changed.kind != question.kind {
        let (organization, event) = (question.organization, question.event);
        requires.push(Requirement::QuestionUnanswered { organization, event, question: question.id });
    }
    let writes = vec![Write::UpdateQuestion(changed.clone()), next_version(event)];
    Ok(Decision { outcome: changed, change: ChangeSet { requires, writes } })
}

/// Deletes a question. Answers to it stay.
///
/// # Errors
/// Returns [`Error::EventCancelled`].
pub(crate) fn delete_question(event: &Event, question: &Question) -> Result<Decision<()>, Error> {
    check_not_cancelled(event)?;
    let (organization, id) = (question.organization, question.id);
    let delete = Write::DeleteQuestion { organization, event: event.id, question: id };
    let change =
        ChangeSet { requires: vec![event_at_version(event)], writes: vec![delete, next_version(event)] };
    Ok(Decision { outcome: (), change })
}
