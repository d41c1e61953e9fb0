//! Questions: their edits, and whether they have answers.

use std::sync::Arc;

use super::records::*;
use crate::*;

/// Inserts an event with a shift and two questions. Returns the shift and the questions.
async fn with_questions(store: &Arc<dyn Store>) -> (Event, Shift, [Question; 2]) {
    let (event, shift) = with_shift(store, 9).await;
    let questions = [question(&event, 1, 1), question(&event, 2, 2)];
    write(&**store, vec![Write::InsertQuestions(questions.to_vec())]).await;
    (event, shift, questions)
}

/// An update changes label, kind, options, required and position of one question. The questions are listed by their new
/// positions.
pub async fn an_update_of_a_question_changes_its_five_fields(store: Arc<dyn Store>) {
    let (event, _, [first, second]) = with_questions(&store).await;
    let edited = Question {
        label: Label::new("Name of your dog").unwrap(),
        kind: QuestionKind::Text,
        options: vec![],
        required: false,
        position: 3,
        ..first
    };
    write(&*store, vec![Write::UpdateQuestion(edited.clone())]).await;
    let owner = event.organization;
    assert_eq!(
        store.question(owner, edited.id).await.unwrap(),
        Some(edited.clone()),
        "a question is updated"
    );
    let expected = vec![second, edited];
    assert_eq!(store.questions(owner, event.id).await.unwrap(), Some(expected.clone()), "by new position");
    let full = store.event_in_full(owner, event.id).await.unwrap().unwrap();
    assert_eq!(full.questions, expected, "in full");
    assert_eq!(store.event_by_slug(&event.slug).await.unwrap().unwrap().questions, expected, "by slug");
}

/// A deleted question is gone, and its answers stay. Another question stays.
pub async fn a_deleted_question_is_gone_and_its_answers_stay(store: Arc<dyn Store>) {
    let (event, shift, [gone, left]) = with_questions(&store).await;
    let volunteer = Signup { answers: vec![answer(1, "S"), answer(2, "M")], ..signup(&shift, 1) };
    let organization = event.organization;
    let writes = vec![
        Write::InsertSignup(Box::new(volunteer.clone())),
        Write::DeleteQuestion { organization, event: event.id, question: gone.id },
    ];
    write(&*store, writes).await;
    assert_eq!(store.question(organization, gone.id).await.unwrap(), None, "the question is gone");
    assert_eq!(store.questions(organization, event.id).await.unwrap(), Some(vec![left.clone()]));
    assert_eq!(store.event_in_full(organization, event.id).await.unwrap().unwrap().questions, vec![left]);
    assert_eq!(store.signup(organization, volunteer.id).await.unwrap(), Some(volunteer), "its answers stay");
    write(&*store, vec![Write::UpdateQuestion(gone.clone())]).await;
    assert_eq!(store.question(organization, gone.id).await.unwrap(), None, "an update inserts no question");
}

/// A question has an answer if any sign-up of the event answers it, confirmed or cancelled, also for a deleted shift. An
/// answer to another question does not count, and an erased sign-up has none.
pub async fn an_answer_of_any_sign_up_counts(store: Arc<dyn Store>) {
    let (event, shift, _) = with_questions(&store).await;
    let organization = event.organization;
    let unanswered = async |number| {
        let question = QuestionId::new(uuid(number));
        let requires = vec![Requirement::QuestionUnanswered { organization, event: event.id, question }];
        try_write(&*store, requires, vec![]).await
    };
    let with_answer =
        |number, question| Signup { answers: vec![answer(question, "S")], ..signup(&shift, number) };
    let (one, other) = (with_answer(1, 1), with_answer(2, 1));
    assert_eq!(unanswered(1).await, Ok(()), "no sign-up has an answer");
    write(&*store, vec![Write::InsertSignup(Box::new(with_answer(3, 2)))]).await;
    assert_eq!(unanswered(1).await, Ok(()), "an answer to another question does not count");
    let refused = Err(Refusal::QuestionAnswered);
    write(&*store, vec![Write::InsertSignup(Box::new(one.clone()))]).await;
    assert_eq!(unanswered(1).await, refused, "a confirmed sign-up has an answer");
    write(&*store, vec![cancel(&one, at(5))]).await;
    assert_eq!(unanswered(1).await, refused, "the answer of a cancelled sign-up counts");
    write(&*store, vec![Write::DeleteShift { organization, shift: shift.id, at: at(6) }]).await;
    assert_eq!(unanswered(1).await, refused, "the answer of a sign-up for a deleted shift counts");
    write(&*store, vec![erase(&one)]).await;
    assert_eq!(unanswered(1).await, Ok(()), "an erased sign-up has no answer");
    // The second of two answers counts, too.
    let both = Signup { answers: vec![answer(2, "S"), answer(1, "M")], ..other };
    write(&*store, vec![Write::InsertSignup(Box::new(both))]).await;
    assert_eq!(unanswered(1).await, refused, "each answer of a sign-up counts");
    assert_eq!(unanswered(9).await, Ok(()), "a question that does not exist has no answers");
}

/// Of an edit that requires a question without answers and a simultaneous sign-up with an answer, one succeeds, because both
/// require the version of the event that the edit changes.
pub async fn an_edit_never_comes_after_an_answer(store: Arc<dyn Store>) {
    let (event, shift, [question, _]) = with_questions(&store).await;
    let (organization, mut version) = (event.organization, 1);
    for round in 1..9 {
        let question = Question { id: QuestionId::new(uuid(100 * round)), ..question.clone() };
        write(&*store, vec![Write::InsertQuestions(vec![question.clone()])]).await;
        let at_version = Requirement::EventAtVersion { organization, event: event.id, version };
        let next = Event { version: version + 1, ..event.clone() };
        let unanswered =
            Requirement::QuestionUnanswered { organization, event: event.id, question: question.id };
        let edit = ChangeSet {
            requires: vec![at_version.clone(), unanswered],
            writes: vec![
                Write::UpdateQuestion(Question { kind: QuestionKind::Text, ..question }),
                Write::UpdateEvent { event: Box::new(next), may_change_activity: false },
            ],
        };
        let answers = vec![answer(100 * round, "S")];
        let mut sign_up = sign_up(&shift, &Signup { answers, ..signup(&shift, round) });
        sign_up.requires.push(at_version);
        let changes = if round % 2 == 0 { vec![edit, sign_up] } else { vec![sign_up, edit] };
        let results = super::contention::all_at_once(&store, changes).await;
        let successes = results.iter().filter(|result| result.is_ok()).count();
        assert_eq!(successes, 1, "either the edit or the answer is first: {results:?}");
        version = store.event(organization, event.id).await.unwrap().unwrap().version;
    }
}
