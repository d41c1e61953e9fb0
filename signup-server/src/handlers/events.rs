//! Handlers of events: create, duplicate and list.

use std::borrow::Cow;

use signup_core::{EventId, EventListInput, Session};
use warp::http::StatusCode;

use super::{Answer, Context, mark_replay};
use crate::reply::json;
use crate::request::Request;
use crate::wire::{Data, Event, EventList};

/// `POST /v1/events`: creates an event with its slots.
pub(crate) async fn create_event(context: Context, session: Session, mut request: Request) -> Answer {
    let session = session.with_checked_key(request.idempotency_key());
    let reply = session.create_event(request.body()).await?;
    let data = Event::with_slots(&reply.outcome, &context.base_url);
    Ok(mark_replay(json(StatusCode::CREATED, &Data { data }), reply.is_replay))
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
    let data = Event::with_slots(&reply.outcome, &context.base_url);
    Ok(mark_replay(json(StatusCode::CREATED, &Data { data }), reply.is_replay))
}

/// `GET /v1/events`: lists one page of events.
pub(crate) async fn list_events(context: Context, session: Session, request: Request) -> Answer {
    let list = session.events(&list_input(&request.query)).await?;
    Ok(json(StatusCode::OK, &EventList::new(&list, &context.base_url)))
}

/// Parses the query string of the list. Uses the last value of a repeated parameter, and ignores unknown parameters.
fn list_input(query: &str) -> EventListInput<'_> {
    let mut input = EventListInput::default();
    // Never fails: any query decodes to pairs of text.
    let pairs: Vec<(Cow<'_, str>, Cow<'_, str>)> = serde_urlencoded::from_str(query).unwrap_or_default();
    for (name, value) in pairs {
        match &*name {
            "is_published" => input.is_published = Some(value),
            "per_page" => input.per_page = Some(value),
            "cursor" => input.cursor = Some(value),
            _ => {}
        }
    }
    input
}
