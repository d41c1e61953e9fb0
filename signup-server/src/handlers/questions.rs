//! Handlers of the questions of an event.

use signup_core::{EventId, Operation, QuestionId, QuestionInput, Session, from_json};
use warp::http::StatusCode;

use super::{Answer, Write};
use crate::reply::json;
use crate::request::Request;
use crate::wire::{Data, Deleted, Question};

/// `GET /v1/events/{event_id}/questions`: lists the questions of an event.
pub(crate) async fn list_questions(session: Session, event: EventId) -> Answer {
    let questions = session.questions(event).await?;
    let data: Vec<_> = questions.iter().map(Question::new).collect();
    Ok(json(StatusCode::OK, &Data { data }))
}

/// `POST /v1/events/{event_id}/questions`: adds a question.
pub(crate) async fn add_question(session: Session, event: EventId, mut request: Request) -> Answer {
    let write = Write::authorize(session, Operation::AddQuestion(event), &request)?;
    let new = request.input(|body| from_json::<QuestionInput<'_>>(body)?.check()).await;
    let added = write.call(new, |session, new| async move { session.add_question(event, new).await }).await?;
    Ok(write.answer(StatusCode::CREATED, Question::new(&added)))
}

/// `PATCH /v1/questions/{id}`: changes a question.
pub(crate) async fn patch_question(session: Session, id: QuestionId, mut request: Request) -> Answer {
    let write = Write::authorize(session, Operation::PatchQuestion(id), &request)?;
    let patch = request.input(|body| from_json::<QuestionInput<'_>>(body)?.check_patch()).await;
    let question =
        write.call(patch, |session, patch| async move { session.patch_question(id, patch).await }).await?;
    Ok(write.answer(StatusCode::OK, Question::new(&question)))
}

/// `DELETE /v1/questions/{id}`: deletes a question.
pub(crate) async fn delete_question(session: Session, id: QuestionId, mut request: Request) -> Answer {
    let write = Write::authorize(session, Operation::DeleteQuestion(id), &request)?;
    let body = request.ignored_body().await;
    write.call(body, |session, ()| async move { session.delete_question(id).await }).await?;
    Ok(write.answer(StatusCode::OK, Deleted::new(id.uuid())))
}
