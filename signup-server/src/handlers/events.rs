//! Handlers of events.

use signup_core::{EventId, EventListInput, EventWithShifts, Reply, Session};
use warp::http::StatusCode;

use super::{Answer, Context, mark_replay};
use crate::reply::json;
use crate::request::Request;
use crate::wire::{Data, Deleted, Event, event_page};

/// `POST /v1/events`: creates an event with its slots.
pub(crate) async fn create_event(context: Context, session: Session, mut request: Request) -> Answer {
    let session = session.with_checked_key(request.idempotency_key());
    let reply = session.create_event(request.body()).await?;
    Ok(event_answer(StatusCode::CREATED, &context, &reply))
}

/// `POST /v1/events/{event_id}/duplicate`: copies an event to another date.
pub(crate) async fn duplicate_event(
    context: Context,
    session: Session,
    id: EventId,
    mut request: Request,
) -> Answer {
    let session = session.with_checked_key(request.idempotency_key());
    let reply = session.duplicate_event(id, request.body()).await?;
    Ok(event_answer(StatusCode::CREATED, &context, &reply))
}

/// `GET /v1/events`: lists one page of events.
pub(crate) async fn list_events(context: Context, session: Session, request: Request) -> Answer {
    let [is_published, per_page, cursor] = request.query_texts(["is_published", "per_page", "cursor"]);
    let list = session.events(EventListInput { is_published, per_page, cursor }).await?;
    Ok(json(StatusCode::OK, &event_page(&list, &context.base_url)))
}

/// `GET /v1/events/{event_id}`: returns an event with its slots.
pub(crate) async fn show_event(context: Context, session: Session, id: EventId) -> Answer {
    let found = session.event(id).await?;
    let data = Event::with_slots(&found, &context.base_url);
    Ok(json(StatusCode::OK, &Data { data }))
}

/// `PATCH /v1/events/{event_id}`: changes an event.
pub(crate) async fn patch_event(
    context: Context,
    session: Session,
    id: EventId,
    mut request: Request,
) -> Answer {
    let session = session.with_checked_key(request.idempotency_key());
    let reply = session.patch_event(id, request.body()).await?;
    Ok(event_answer(StatusCode::OK, &context, &reply))
}

/// `POST /v1/events/{event_id}/publish`: publishes an event.
pub(crate) async fn publish_event(
    context: Context,
    session: Session,
    id: EventId,
    mut request: Request,
) -> Answer {
    let session = session.with_checked_key(request.idempotency_key());
    let reply = session.publish_event(id, request.optional_body()).await?;
    Ok(event_answer(StatusCode::OK, &context, &reply))
}

/// `POST /v1/events/{event_id}/unpublish`: makes an event a draft.
pub(crate) async fn unpublish_event(
    context: Context,
    session: Session,
    id: EventId,
    mut request: Request,
) -> Answer {
    let session = session.with_checked_key(request.idempotency_key());
    let reply = session.unpublish_event(id, request.optional_body()).await?;
    Ok(event_answer(StatusCode::OK, &context, &reply))
}

/// `POST /v1/events/{event_id}/cancel`: cancels an event for good.
pub(crate) async fn cancel_event(
    context: Context,
    session: Session,
    id: EventId,
    mut request: Request,
) -> Answer {
    let session = session.with_checked_key(request.idempotency_key());
    let reply = session.cancel_event(id, request.optional_body()).await?;
    Ok(event_answer(StatusCode::OK, &context, &reply))
}

/// `DELETE /v1/events/{event_id}`: deletes an event.
pub(crate) async fn delete_event(session: Session, id: EventId, mut request: Request) -> Answer {
    let session = session.with_checked_key(request.idempotency_key());
    let reply = session.delete_event(id, request.optional_body()).await?;
    let data = Deleted::new(id.uuid());
    Ok(mark_replay(json(StatusCode::OK, &Data { data }), reply.is_replay))
}

fn event_answer(
    status: StatusCode,
    context: &Context,
    reply: &Reply<EventWithShifts>,
) -> warp::reply::Response {
    let data = Event::with_slots(&reply.outcome, &context.base_url);
    mark_replay(json(status, &Data { data }), reply.is_replay)
}
