//! Handlers of slots, which the library calls shifts.

use signup_core::{EventId, Session, ShiftId};
use warp::http::StatusCode;

use super::{Answer, mark_replay};
use crate::reply::json;
use crate::request::Request;
use crate::wire::{Coverage, Data, Deleted, Slot, slots};

/// `GET /v1/events/{event_id}/slots`: lists the slots of an event.
pub(crate) async fn list_slots(session: Session, event: EventId) -> Answer {
    let shifts = session.shifts(event).await?;
    Ok(json(StatusCode::OK, &Data { data: slots(&shifts) }))
}

/// `PATCH /v1/slots/{id}`: changes a slot.
pub(crate) async fn patch_slot(session: Session, id: ShiftId, mut request: Request) -> Answer {
    let session = session.with_checked_key(request.idempotency_key());
    let reply = session.patch_shift(id, request.body()).await?;
    let data = Slot::new(&reply.outcome);
    Ok(mark_replay(json(StatusCode::OK, &Data { data }), reply.is_replay))
}

/// `GET /v1/slots/{id}`: returns a slot.
pub(crate) async fn show_slot(session: Session, id: ShiftId) -> Answer {
    let shift = session.shift(id).await?;
    Ok(json(StatusCode::OK, &Data { data: Slot::new(&shift) }))
}

/// `POST /v1/events/{event_id}/slots`: adds slots to an event.
pub(crate) async fn add_slots(session: Session, event: EventId, mut request: Request) -> Answer {
    let session = session.with_checked_key(request.idempotency_key());
    let reply = session.add_shifts(event, request.body()).await?;
    let data = slots(&reply.outcome);
    Ok(mark_replay(json(StatusCode::CREATED, &Data { data }), reply.is_replay))
}

/// `DELETE /v1/slots/{id}`: deletes a slot.
pub(crate) async fn delete_slot(session: Session, id: ShiftId, mut request: Request) -> Answer {
    let session = session.with_checked_key(request.idempotency_key());
    let reply = session.delete_shift(id, request.delete_input()).await?;
    let data = Deleted::new(id.uuid());
    Ok(mark_replay(json(StatusCode::OK, &Data { data }), reply.is_replay))
}

/// `GET /v1/events/{event_id}/coverage`: returns what an event still needs.
pub(crate) async fn show_coverage(session: Session, event: EventId) -> Answer {
    let coverage = session.coverage(event).await?;
    Ok(json(StatusCode::OK, &Data { data: Coverage::new(&coverage) }))
}
