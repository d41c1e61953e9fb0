//! Handlers of slots, which the library calls shifts.

use signup_core::{EventId, Session, ShiftId};
use warp::http::StatusCode;

use super::{Answer, mark_replay};
use crate::reply::json;
use crate::request::Request;
use crate::wire::{Data, Slot, slots};

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
