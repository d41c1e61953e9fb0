//! Handlers of the questions of an event.

use signup_core::{EventId, NewQuestion, OperationKind, QuestionId, QuestionPatch, Scope, Session};
use warp::http::StatusCode;

use super::{ApiResult, AuthorizedWrite, answer, authorize_read};
use crate::reply::json;
use crate::request::{Request, no_mail};
use crate::wire::{Data, Deletion, Question};

/// `GET /v1/events/{event_id}/questions`: lists the questions of an event.
pub(crate) async fn list_questions(session: Session, event: EventId, request: Request) -> ApiResult {
    authorize_read(&session, Scope::EventsRead, &request)?;
    let questions = session.questions(event).await?;
    let data: Vec<_> = questions.iter().map(Question::new).collect();
    Ok(json(StatusCode::OK, &Data { data }))
}

/// `POST /v1/events/{event_id}/questions`: adds a question.
pub(crate) async fn add_question(session: Session, event: EventId, mut request: Request) -> ApiResult {
    let write = AuthorizedWrite::authorize(session, OperationKind::AddQuestion.on(event), &request)?;
    let new = request.input(Question::FIELDS, NewQuestion::from_input).await;
    let added = write.call(new, |session, new| session.add_question(event, new)).await?;
    Ok(answer(StatusCode::CREATED, &added, Question::new(&added.value)))
}

/// `PATCH /v1/questions/{id}`: changes a question.
pub(crate) async fn patch_question(session: Session, id: QuestionId, mut request: Request) -> ApiResult {
    let write = AuthorizedWrite::authorize(session, OperationKind::PatchQuestion.on(id), &request)?;
    let patch = request.input(Question::FIELDS, QuestionPatch::from_input).await;
    let question = write.call(patch, |session, patch| session.patch_question(id, patch)).await?;
    Ok(answer(StatusCode::OK, &question, Question::new(&question.value)))
}

/// `DELETE /v1/questions/{id}`: deletes a question.
pub(crate) async fn delete_question(session: Session, id: QuestionId, mut request: Request) -> ApiResult {
    let write = AuthorizedWrite::authorize(session, OperationKind::DeleteQuestion.on(id), &request)?;
    let input = request.deletion(no_mail).await;
    let deleted = write.call(input, |session, ()| session.delete_question(id)).await?;
    Ok(answer(StatusCode::OK, &deleted, Deletion::new(id.uuid())))
}
