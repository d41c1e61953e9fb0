//! Handlers of slots, which the library calls shifts.

use signup_core::{
    DeleteShift, DeleteShiftInput, Error, EventId, Faults, Operation, Session, ShiftId, ShiftPatchInput,
    ShiftsInput, from_json,
};
use warp::http::StatusCode;

use super::{Answer, Write};
use crate::reply::{ApiError, json};
use crate::request::Request;
use crate::wire::{Coverage, Data, Deleted, Slot, slots};

/// `GET /v1/events/{event_id}/slots`: lists the slots of an event.
pub(crate) async fn list_slots(session: Session, event: EventId) -> Answer {
    let shifts = session.shifts(event).await?;
    Ok(json(StatusCode::OK, &Data { data: slots(&shifts) }))
}

/// `PATCH /v1/slots/{id}`: changes a slot.
pub(crate) async fn patch_slot(session: Session, id: ShiftId, mut request: Request) -> Answer {
    let write = Write::authorize(session, Operation::PatchShift(id), &request)?;
    let patch = request.input(|body| from_json::<ShiftPatchInput<'_>>(body)?.check()).await;
    let shift =
        write.call(patch, |session, patch| async move { session.patch_shift(id, patch).await }).await?;
    Ok(write.answer(StatusCode::OK, Slot::new(&shift)))
}

/// `GET /v1/slots/{id}`: returns a slot.
pub(crate) async fn show_slot(session: Session, id: ShiftId) -> Answer {
    let shift = session.shift(id).await?;
    Ok(json(StatusCode::OK, &Data { data: Slot::new(&shift) }))
}

/// `POST /v1/events/{event_id}/slots`: adds slots to an event.
pub(crate) async fn add_slots(session: Session, event: EventId, mut request: Request) -> Answer {
    let write = Write::authorize(session, Operation::AddShifts(event), &request)?;
    let new = request.input(|body| from_json::<ShiftsInput<'_>>(body)?.check()).await;
    let added = write.call(new, |session, new| async move { session.add_shifts(event, new).await }).await?;
    Ok(write.answer(StatusCode::CREATED, slots(&added)))
}

/// `DELETE /v1/slots/{id}`: deletes a slot.
pub(crate) async fn delete_slot(session: Session, id: ShiftId, mut request: Request) -> Answer {
    let write = Write::authorize(session, Operation::DeleteShift(id), &request)?;
    let delete = slot_deletion(&mut request).await;
    write.call(delete, |session, delete| async move { session.delete_shift(id, delete).await }).await?;
    Ok(write.answer(StatusCode::OK, Deleted::new(id.uuid())))
}

/// `GET /v1/events/{event_id}/coverage`: returns what an event still needs.
pub(crate) async fn show_coverage(session: Session, event: EventId) -> Answer {
    let coverage = session.coverage(event).await?;
    Ok(json(StatusCode::OK, &Data { data: Coverage::new(&coverage) }))
}

/// Reads how a slot is deleted: a query string, and a body whose members are ignored. The faults of both are listed.
async fn slot_deletion(request: &mut Request) -> Result<DeleteShift, ApiError> {
    let mut faults = match request.ignored_body().await {
        Ok(()) => Faults::new(),
        Err(ApiError::Service(Error::Invalid(faults))) => faults,
        Err(error) => return Err(error),
    };
    let [cancel_signups, notify_volunteers] = request.query_texts(["cancel_signups", "notify_volunteers"]);
    let checked = DeleteShiftInput { cancel_signups, notify_volunteers }.check();
    let delete = checked.map_err(|more| faults.extend(more)).ok();
    Ok(faults.into_result(delete)?)
}
