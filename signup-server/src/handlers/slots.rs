//! Shifts.

use std::sync::Arc;

use signup_core::{Call, EventId, Operation, Scope, ShiftId, ShiftPatchInput};
use warp::http::StatusCode;

use super::{Answer, Context, keyed, mark_replay};
use crate::reply::{json, json_of, written};
use crate::request::Request;
use crate::wire::{Data, Slot, slots};

/// `GET /v1/events/{event_id}/slots`
pub(crate) async fn list_slots(context: Context, call: Call, event: EventId) -> Answer {
    let shifts = context.service.list_shifts(&call, event).await?;
    let write = || written(&Data { data: slots(shifts.iter().map(Arc::as_ref)) });
    Ok(json_of(StatusCode::OK, context.bodies.slots.get(event, &shifts, write)?))
}

/// `PATCH /v1/slots/{id}`
pub(crate) async fn patch_slot(context: Context, call: Call, mut request: Request, id: ShiftId) -> Answer {
    let operation = Operation::PatchShift(id);
    let reply =
        keyed!(context, call, request, Scope::ShiftsWrite, operation, ShiftPatchInput<'_>, patch_shift(id));
    let data = Slot::new(&reply.outcome);
    Ok(mark_replay(json(StatusCode::OK, &Data { data }), reply.is_replay))
}
