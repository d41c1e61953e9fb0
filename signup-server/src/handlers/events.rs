//! Handlers of events.

use signup_core::{
    Cancellation, DuplicateEvent, EventId, EventPatch, EventQuery, Faults, NewEvent, OperationKind, PathStep,
    Scope, Session,
};
use warp::http::StatusCode;

use super::{ApiResult, AuthorizedWrite, Context, answer, authorize_read, preview};
use crate::reply::json;
use crate::request::{Request, no_mail};
use crate::wire::{Data, Deletion, Event, event_page};

/// `POST /v1/events`: creates an event with its slots.
pub(crate) async fn create_event(context: Context, session: Session, mut request: Request) -> ApiResult {
    let write = AuthorizedWrite::authorize(session, OperationKind::CreateEvent, &request)?;
    let event = request.input(Event::FIELDS, |input| {
        NewEvent::from_input(input, write.limits()).map_err(|faults| instead_of_slots(faults, "shifts"))
    });
    let event = event.await;
    let created = write.call(event, Session::create_event).await?;
    Ok(answer(StatusCode::CREATED, &created, Event::with_slots(&created.value, &context.base_url)))
}

/// `POST /v1/events/{event_id}/duplicate`: copies an event to another date.
pub(crate) async fn duplicate_event(
    context: Context,
    session: Session,
    id: EventId,
    mut request: Request,
) -> ApiResult {
    let write = AuthorizedWrite::authorize(session, OperationKind::DuplicateEvent.on(id), &request)?;
    let copy = request.input(Event::FIELDS, DuplicateEvent::from_input).await;
    let copy = write.call(copy, |session, copy| session.duplicate_event(id, copy)).await?;
    Ok(answer(StatusCode::CREATED, &copy, Event::with_slots(&copy.value, &context.base_url)))
}

/// `GET /v1/events`: lists one page of events.
pub(crate) async fn list_events(context: Context, session: Session, request: Request) -> ApiResult {
    session.require(Scope::EventsRead)?;
    let (query, external_id) = request.query(|input| {
        let external_id = input.text("external_id").map(str::to_owned);
        Ok((EventQuery::from_input(input)?, external_id))
    })?;
    let page = session.events(query.clone()).await?;
    let page = event_page(&query, external_id.as_deref(), &page, &context.base_url);
    Ok(json(StatusCode::OK, &page))
}

/// `GET /v1/events/{event_id}`: returns an event with its slots.
pub(crate) async fn show_event(
    context: Context,
    session: Session,
    id: EventId,
    request: Request,
) -> ApiResult {
    authorize_read(&session, Scope::EventsRead, &request)?;
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
) -> ApiResult {
    let write = AuthorizedWrite::authorize(session, OperationKind::PatchEvent.on(id), &request)?;
    let patch = request.input(Event::FIELDS, |input| {
        EventPatch::from_input(input).map_err(|faults| instead_of_slots(faults, "PATCH /v1/slots/{id}"))
    });
    let patch = patch.await;
    if request.is_preview {
        let session = write.session().preview();
        return Ok(preview(session.patch_event(id, patch?).reply().await?));
    }
    let event = write.call(patch, |session, patch| session.patch_event(id, patch)).await?;
    Ok(answer(StatusCode::OK, &event, Event::with_slots(&event.value, &context.base_url)))
}

/// `POST /v1/events/{event_id}/publish`: publishes an event.
pub(crate) async fn publish_event(
    context: Context,
    session: Session,
    id: EventId,
    mut request: Request,
) -> ApiResult {
    let write = AuthorizedWrite::authorize(session, OperationKind::PublishEvent.on(id), &request)?;
    let body = request.optional_input(Event::FIELDS, no_mail).await;
    let event = write.call(body, |session, ()| session.publish_event(id)).await?;
    Ok(answer(StatusCode::OK, &event, Event::with_slots(&event.value, &context.base_url)))
}

/// `POST /v1/events/{event_id}/unpublish`: makes an event a draft.
pub(crate) async fn unpublish_event(
    context: Context,
    session: Session,
    id: EventId,
    mut request: Request,
) -> ApiResult {
    let write = AuthorizedWrite::authorize(session, OperationKind::UnpublishEvent.on(id), &request)?;
    let body = request.optional_input(Event::FIELDS, no_mail).await;
    let event = write.call(body, |session, ()| session.unpublish_event(id)).await?;
    Ok(answer(StatusCode::OK, &event, Event::with_slots(&event.value, &context.base_url)))
}

/// `POST /v1/events/{event_id}/cancel`: cancels an event for good.
pub(crate) async fn cancel_event(
    context: Context,
    session: Session,
    id: EventId,
    mut request: Request,
) -> ApiResult {
    let write = AuthorizedWrite::authorize(session, OperationKind::CancelEvent.on(id), &request)?;
    let cancel = request.optional_input(Event::FIELDS, Cancellation::from_input).await;
    if request.is_preview {
        let session = write.session().preview();
        return Ok(preview(session.cancel_event(id, cancel?).reply().await?));
    }
    let event = write.call(cancel, |session, cancel| session.cancel_event(id, cancel)).await?;
    Ok(answer(StatusCode::OK, &event, Event::with_slots(&event.value, &context.base_url)))
}

/// `DELETE /v1/events/{event_id}`: deletes an event.
pub(crate) async fn delete_event(session: Session, id: EventId, mut request: Request) -> ApiResult {
    let write = AuthorizedWrite::authorize(session, OperationKind::DeleteEvent.on(id), &request)?;
    let input = request.deletion(no_mail).await;
    let deleted = write.call(input, |session, ()| session.delete_event(id)).await?;
    Ok(answer(StatusCode::OK, &deleted, Deletion::new(id.uuid())))
}

/// Says in the fault of `slots` what creates or changes slots.
fn instead_of_slots(faults: Faults, instead: &'static str) -> Faults {
    faults.with_meant(|path| match path.steps() {
        [PathStep::Member(name)] if &**name == Event::SLOTS => Some(instead),
        _ => None,
    })
}
