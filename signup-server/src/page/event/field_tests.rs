//! The form has a field for each kind of question.

use std::collections::HashSet;
use std::mem::discriminant;

use jiff::civil;
use signup_core::{Capacity, NewEvent, NewOrganization, NewQuestion, NewShift, Scopes, Service};
use signup_store_memory::MemoryStore;

use super::*;

/// `QuestionKind` is non-exhaustive. A kind without a field of its own is shown as a line of text, like `Text`.
#[tokio::test]
async fn each_kind_of_question_has_its_own_kind_of_field() {
    let service = Service::new(MemoryStore::new());
    let new = NewOrganization::new("Riverside".parse().unwrap());
    let organization = service.admin().create_organization(new).await.unwrap();
    let session = service.session_for(organization.id, Scopes::all()).await.unwrap();
    let early = NewShift::new("Early".parse().unwrap(), Capacity::new(1).unwrap());
    let drive = NewEvent::new("Food drive".parse().unwrap(), civil::date(2099, 6, 6), "UTC".parse().unwrap());
    let created = session.create_event(drive.shift(early).published()).await.unwrap().outcome;
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
