//! The form has a field for each kind of question.

use std::collections::HashSet;
use std::mem::discriminant;

use signup_core::NewQuestion;

use super::*;
use crate::sample_event::sample_event;

/// `QuestionKind` is non-exhaustive. A kind without a field of its own is shown as a line of text, like `Text`.
#[tokio::test]
async fn each_kind_of_question_has_its_own_kind_of_field() {
    let (service, created) = sample_event().await;
    for &kind in QuestionKind::ALL {
        let question = NewQuestion::new("Which?".parse().unwrap(), kind);
        let with_option = question.clone().option("One".parse().unwrap());
        let question = if kind == QuestionKind::Select { with_option } else { question };
        service.admin().add_question(created.event.id, question).await.unwrap();
    }
    let found = service.public().event(&created.event.slug).await.unwrap();
    let form = form(&found.shifts[0], &found.questions, "/events/drive", None);
    let fields = form.fields.iter().filter(|field| field.name.starts_with("answer."));
    let kinds: HashSet<_> = fields.map(|field| discriminant(&field.kind)).collect();
    assert_eq!(kinds.len(), QuestionKind::ALL.len());
}
