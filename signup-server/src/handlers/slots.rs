//! Handlers of slots, which the library calls shifts.

use signup_core::{
    CoverageQuery, DeleteShift, EventId, ExternalId, NewShift, OperationKind, Scope, Session, ShiftId,
    ShiftPatch,
};
use warp::http::StatusCode;

use super::{ApiResult, AuthorizedWrite, Context, answer, authorize_read, preview};
use crate::reply::json;
use crate::request::Request;
use crate::wire::{Coverage, Data, Deletion, Slot, coverage_page, slots};

/// `GET /v1/events/{event_id}/slots`: lists the slots of an event, or the one with an external id.
pub(crate) async fn list_slots(session: Session, event: EventId, request: Request) -> ApiResult {
    session.require(Scope::ShiftsRead)?;
    let wanted = request.query(|input| input.only_text("external_id"))?;
    let mut shifts = session.shifts(event).await?;
    shifts.retain(|shift| {
        wanted.is_none() || shift.external_id.as_ref().map(ExternalId::as_str) == wanted.as_deref()
    });
    Ok(json(StatusCode::OK, &Data { data: slots(&shifts) }))
}

/// `PATCH /v1/slots/{id}`: changes a slot.
pub(crate) async fn patch_slot(session: Session, id: ShiftId, mut request: Request) -> ApiResult {
    let write = AuthorizedWrite::authorize(session, OperationKind::PatchShift.on(id), &request)?;
    let patch = request.input(Slot::FIELDS, ShiftPatch::from_input).await;
    if request.is_preview {
        let session = write.session().preview();
        return Ok(preview(session.patch_shift(id, patch?).reply().await?));
    }
    let shift = write.call(patch, |session, patch| session.patch_shift(id, patch)).await?;
    Ok(answer(StatusCode::OK, &shift, Slot::new(&shift.value)))
}

/// `GET /v1/slots/{id}`: returns a slot.
pub(crate) async fn show_slot(session: Session, id: ShiftId, request: Request) -> ApiResult {
    authorize_read(&session, Scope::ShiftsRead, &request)?;
    let shift = session.shift(id).await?;
    Ok(json(StatusCode::OK, &Data { data: Slot::new(&shift) }))
}

/// `POST /v1/events/{event_id}/slots`: adds slots to an event.
pub(crate) async fn add_slots(session: Session, event: EventId, mut request: Request) -> ApiResult {
    let write = AuthorizedWrite::authorize(session, OperationKind::AddShifts.on(event), &request)?;
    let new = request.input(&[], |input| NewShift::list_from_input(input, None)).await;
    let added = write.call(new, |session, new| session.add_shifts(event, new)).await?;
    Ok(answer(StatusCode::CREATED, &added, slots(&added.value)))
}

/// `DELETE /v1/slots/{id}`: deletes a slot.
pub(crate) async fn delete_slot(session: Session, id: ShiftId, mut request: Request) -> ApiResult {
    let write = AuthorizedWrite::authorize(session, OperationKind::DeleteShift.on(id), &request)?;
    let delete = request.deletion(DeleteShift::from_input).await;
    if request.is_preview {
        let session = write.session().preview();
        return Ok(preview(session.delete_shift(id, delete?).reply().await?));
    }
    let deleted = write.call(delete, |session, delete| session.delete_shift(id, delete)).await?;
    Ok(answer(StatusCode::OK, &deleted, Deletion::new(id.uuid())))
}

/// `GET /v1/coverage`: lists what the active events still need, one page of events.
pub(crate) async fn list_coverage(context: Context, session: Session, request: Request) -> ApiResult {
    session.require(Scope::ShiftsRead)?;
    let query = request.query(CoverageQuery::from_input)?;
    let page = session.coverages(query).await?;
    Ok(json(StatusCode::OK, &coverage_page(&query, &page, &context.base_url)))
}

/// `GET /v1/events/{event_id}/coverage`: returns what an event still needs.
pub(crate) async fn show_coverage(session: Session, event: EventId, request: Request) -> ApiResult {
    authorize_read(&session, Scope::ShiftsRead, &request)?;
    let coverage = session.coverage(event).await?;
    Ok(json(StatusCode::OK, &Data { data: Coverage::new(&coverage) }))
}
