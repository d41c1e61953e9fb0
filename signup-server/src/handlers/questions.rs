//! Handlers of the questions of an event.

use signup_core::{EventId, QuestionId, Session};
use warp::http::StatusCode;

use super::{Answer, mark_replay};
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
    let session = session.with_checked_key(request.idempotency_key());
    let reply = session.add_question(event, request.body()).await?;
    let data = Question::new(&reply.outcome);
    Ok(mark_replay(json(StatusCode::CREATED, &Data { data }), reply.is_replay))
}

/// `PATCH /v1/questions/{id}`: changes a question.
pub(crate) async fn patch_question(session: Session, id: QuestionId, mut request: Request) -> Answer {
    let session = session.with_checked_key(request.idempotency_key());
    let reply = session.patch_question(id, request.body()).await?;
    let data = Question::new(&reply.outcome);
    Ok(mark_replay(json(StatusCode::OK, &Data { data }), reply.is_replay))
}

/// `DELETE /v1/questions/{id}`: deletes a question.
pub(crate) async fn delete_question(session: Session, id: QuestionId, mut request: Request) -> Answer {
    let session = session.with_checked_key(request.idempotency_key());
    let reply = session.delete_question(id, request.optional_body()).await?;
    let data = Deleted::new(id.uuid());
    Ok(mark_replay(json(StatusCode::OK, &Data { data }), reply.is_replay))
}
