//! Handlers of slots, which the library calls shifts.

use std::sync::Arc;

use signup_core::{EventId, Session, ShiftId};
use warp::http::StatusCode;

use super::{Answer, Context, mark_replay};
use crate::reply::{json, json_from_bytes, to_json};
use crate::request::Request;
use crate::wire::{Data, Slot, slots};

/// `GET /v1/events/{event_id}/slots`: lists the slots of an event.
pub(crate) async fn list_slots(context: Context, session: Session, event: EventId) -> Answer {
    let shifts = session.shifts(event).await?;
    let write = || to_json(&Data { data: slots(shifts.iter().map(Arc::as_ref)) });
    Ok(json_from_bytes(StatusCode::OK, context.bodies.slots.get(event, &shifts, write)?))
}

/// `PATCH /v1/slots/{id}`: changes a slot.
pub(crate) async fn patch_slot(session: Session, id: ShiftId, mut request: Request) -> Answer {
    let session = session.with_checked_key(request.idempotency_key());
    let reply = session.patch_shift(id, request.body()).await?;
    let data = Slot::new(&reply.outcome);
    Ok(mark_replay(json(StatusCode::OK, &Data { data }), reply.is_replay))
}
