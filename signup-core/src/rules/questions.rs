//! The questions of an event: adding, changing and deleting one.

use super::edit::{check_not_cancelled, next_gate};
use super::{Decision, NewActivity};
use crate::activity::ActivityType;
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
        let kind = FaultKind::TooMany { items: "questions", max, present: present.len() };
        return Err(Faults::one("label", kind).into());
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
    let created = NewActivity::of(ActivityType::QUESTION_CREATED, &question);
    Ok(Decision::new(question, change, [created]))
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
    let patch = patch.merged(&question).map_err(Error::Conflict)?;
    let keeps_options = patch.options.is_none();
    let mut changed = patch.apply(question.clone());
    if keeps_options && changed.kind != QuestionKind::Select {
        changed.options.clear();
    }
    check_options(changed.kind, changed.options.len()).map_err(|fault| Faults::one("options", fault))?;
    if changed == question {
        return Ok(Decision::unchanged(question));
    }
    let changed = Question { version: question.version + 1, ..changed };
    let mut change = ChangeSet::default();
    change.replace(event.clone(), next_gate(event));
    if changed.kind != question.kind {
        change.requires.push(is_unanswered(event, &question));
    }
    let activity = NewActivity::of(ActivityType::QUESTION_UPDATED, &changed)
        .with_changes(QuestionPatch::present(&question).differences(&QuestionPatch::present(&changed)));
    change.replace(question, changed.clone());
    Ok(Decision::new(changed, change, [activity]))
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
    let deleted = NewActivity::of(ActivityType::QUESTION_DELETED, question);
    Ok(Decision::new((), change, [deleted]))
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;
    use crate::text::Label;

    fn label(text: &str) -> Label {
        text.parse().unwrap()
    }

    fn select() -> NewQuestion {
        NewQuestion::new(label("Size"), QuestionKind::Select).option(label("S"))
    }

    fn add(positions: &[u32], new: NewQuestion) -> Result<Decision<Question>, Error> {
        let event = full().event;
        let present: Vec<_> = positions
            .iter()
            .zip(1..)
            .map(|(position, number)| records::question(&event, number, *position))
            .collect();
        add_question(&event, &present, new, QuestionId::new(records::uuid(70)))
    }

    fn paths<T: std::fmt::Debug>(decision: Result<Decision<T>, Error>) -> Vec<String> {
        let Err(Error::Invalid(faults)) = decision else { panic!("{decision:?}") };
        fault_paths(&faults)
    }

    #[test]
    fn a_question_comes_last_unless_it_names_its_position() {
        let max = Question::MAX_POSITION;
        for (positions, given, expected) in
            [(&[][..], None, 0), (&[4, 2], None, 5), (&[4, 2], Some(3), 3), (&[max], None, max)]
        {
            let decision = add(positions, NewQuestion { position: given, ..select() }).unwrap();
            assert_eq!(decision.outcome.position, expected);
            assert_eq!(lines(&decision), ["Event 1 at 1", "put Event 1 to 2, gate 2", "insert Question 70"]);
        }
    }

    #[test]
    fn the_number_of_questions_and_their_options_are_bounded() {
        assert!(add(&[0; 49], select()).is_ok());
        let full = Faults::one("label", FaultKind::TooMany { items: "questions", max: 50, present: 50 });
        assert_eq!(add(&[0; 50], select()).unwrap_err(), full.into());
        let twice = select().option(label("S"));
        assert_eq!(paths(add(&[], twice)), ["options[1]"]);
        let options = |kind, count: usize| NewQuestion {
            options: (0..count).map(|number| label(&number.to_string())).collect(),
            ..NewQuestion::new(label("?"), kind)
        };
        for (kind, count, is_taken) in [
            (QuestionKind::Select, 0, false),
            (QuestionKind::Select, 1, true),
            (QuestionKind::Select, 100, true),
            (QuestionKind::Select, 101, false),
            (QuestionKind::Text, 0, true),
            (QuestionKind::Text, 1, false),
            (QuestionKind::Checkbox, 1, false),
        ] {
            let refused = Faults::one("options", FaultKind::OptionCount { kind, max: 100 }).into();
            let expected = if is_taken { None } else { Some(refused) };
            assert_eq!(add(&[], options(kind, count)).err(), expected, "{count} options of a {kind}");
        }
        let far = NewQuestion { position: Some(Question::MAX_POSITION + 1), ..select() };
        assert_eq!(paths(add(&[], far)), ["position"]);
    }

    #[test]
    fn a_patch_requires_and_writes_exactly_what_it_changes() {
        let event = full().event;
        let question = records::question(&event, 7, 3);
        let gate = "put Event 1 to 2, gate 2";
        let patched = ["Event 1 at 1", "Question 7 at 1", gate, "put Question 7 to 2"];
        let kind =
            ["Event 1 at 1", "answers to Question 7 of Event 1 zero", "Question 7 at 1", gate, patched[3]];
        for (what, patch, expected) in [
            ("nothing", QuestionPatch::new().required(true), &[][..]),
            ("a label", QuestionPatch::new().label(label("Shirt")), &patched),
            ("a position", QuestionPatch::new().position(0), &patched),
            ("that no answer is required", QuestionPatch::new().required(false), &patched),
            ("a kind", QuestionPatch::new().kind(QuestionKind::Text), &kind),
        ] {
            let decision = patch_question(&event, question.clone(), patch).unwrap();
            assert_eq!(lines(&decision), expected, "{what}");
        }
        let text = patch_question(&event, question, QuestionPatch::new().kind(QuestionKind::Text)).unwrap();
        assert_eq!(text.outcome.options, [], "a text has no options");
    }

    #[test]
    fn options_are_checked_against_the_resulting_kind() {
        let event = full().event;
        let select = records::question(&event, 7, 3);
        let text = Question { kind: QuestionKind::Text, options: vec![], ..select.clone() };
        let options = || QuestionPatch::new().options(vec![label("L")]);
        assert_eq!(paths(patch_question(&event, text.clone(), options())), ["options"]);
        assert!(patch_question(&event, text.clone(), options().kind(QuestionKind::Select)).is_ok());
        assert_eq!(
            paths(patch_question(&event, text, QuestionPatch::new().kind(QuestionKind::Select))),
            ["options"]
        );
        assert_eq!(
            paths(patch_question(&event, select.clone(), QuestionPatch::new().options(vec![]))),
            ["options"]
        );
        let same = QuestionPatch::new().options(vec![label("L"), label("L")]);
        assert_eq!(paths(patch_question(&event, select, same)), ["options[1]"]);
    }

    #[test]
    fn a_deletion_raises_the_gate_and_a_cancelled_event_takes_no_change() {
        let event = full().event;
        let question = records::question(&event, 7, 3);
        let expected = ["Event 1 at 1", "Question 7 at 1", "put Event 1 to 2, gate 2", "remove Question 7"];
        assert_eq!(lines(&delete_question(&event, &question).unwrap()), expected);
        let cancelled = Event { cancelled_at: Some(before()), ..event };
        let id = QuestionId::new(records::uuid(70));
        assert_eq!(add_question(&cancelled, &[], select(), id).unwrap_err(), Error::EventCancelled);
        let patch = QuestionPatch::new().position(0);
        assert_eq!(patch_question(&cancelled, question.clone(), patch).unwrap_err(), Error::EventCancelled);
        assert_eq!(delete_question(&cancelled, &question).unwrap_err(), Error::EventCancelled);
    }
}
