//! Handlers of events.

use signup_core::{
    CancellationInput, DuplicateInput, EventId, EventInput, EventListInput, EventPatchInput, Faults,
    NotifyInput, OperationKind, PathStep, Scope, Session, from_json,
};
use warp::http::StatusCode;

use super::{Answer, Context, Write, authorize_read, no_mail, preview, wanted_text};
use crate::reply::json;
use crate::request::{Request, ignore_answer};
use crate::wire::{Data, Deleted, Event, event_page};

/// `POST /v1/events`: creates an event with its slots.
pub(crate) async fn create_event(context: Context, session: Session, mut request: Request) -> Answer {
    let write = Write::authorize(session, OperationKind::CreateEvent, &request)?;
    let event = request.input(|body| {
        let mut input = from_json::<EventInput<'_>>(body)?;
        ignore_answer(&mut input.unknown, Event::FIELDS);
        input.check(write.limits()).map_err(|faults| instead_of_slots(faults, "shifts"))
    });
    let event = event.await;
    let created =
        write.call(event, |session, event| async move { session.create_event(event).await }).await?;
    Ok(write.answer(StatusCode::CREATED, Event::with_slots(&created, &context.base_url)))
}

/// `POST /v1/events/{event_id}/duplicate`: copies an event to another date.
pub(crate) async fn duplicate_event(
    context: Context,
    session: Session,
    id: EventId,
    mut request: Request,
) -> Answer {
    let write = Write::authorize(session, OperationKind::DuplicateEvent.on(id), &request)?;
    let copy = request.input(|body| {
        let mut input = from_json::<DuplicateInput<'_>>(body)?;
        ignore_answer(&mut input.unknown, Event::FIELDS);
        input.check()
    });
    let copy = copy.await;
    let copy =
        write.call(copy, |session, copy| async move { session.duplicate_event(id, copy).await }).await?;
    Ok(write.answer(StatusCode::CREATED, Event::with_slots(&copy, &context.base_url)))
}

/// `GET /v1/events`: lists one page of events.
pub(crate) async fn list_events(context: Context, session: Session, request: Request) -> Answer {
    session.require(Scope::EventsRead)?;
    let names = ["is_published", "is_cancelled", "from", "to", "external_id", "order", "per_page", "cursor"];
    let (query, external_id) = request.query(
        names,
        |[is_published, is_cancelled, from, to, external_id, order, per_page, cursor]| {
            let wanted_id = wanted_text(external_id.as_deref());
            let input =
                EventListInput { is_published, is_cancelled, from, to, external_id, order, per_page, cursor };
            Ok((input.check()?, wanted_id))
        },
    )?;
    let page = session.events(query.clone()).await?;
    let page = event_page(&query, external_id.as_deref(), &page, &context.base_url);
    Ok(json(StatusCode::OK, &page))
}

/// `GET /v1/events/{event_id}`: returns an event with its slots.
pub(crate) async fn show_event(context: Context, session: Session, id: EventId, request: Request) -> Answer {
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
) -> Answer {
    let write = Write::authorize(session, OperationKind::PatchEvent.on(id), &request)?;
    let patch = request.input(|body| {
        let mut input = from_json::<EventPatchInput<'_>>(body)?;
        ignore_answer(&mut input.unknown, Event::FIELDS);
        input.check().map_err(|faults| instead_of_slots(faults, "PATCH /v1/slots/{id}"))
    });
    let patch = patch.await;
    if request.is_preview {
        let session = write.session().preview();
        drop(session.patch_event(id, patch?).await?);
        return Ok(preview(&session));
    }
    let event =
        write.call(patch, |session, patch| async move { session.patch_event(id, patch).await }).await?;
    Ok(write.answer(StatusCode::OK, Event::with_slots(&event, &context.base_url)))
}

/// `POST /v1/events/{event_id}/publish`: publishes an event.
pub(crate) async fn publish_event(
    context: Context,
    session: Session,
    id: EventId,
    mut request: Request,
) -> Answer {
    let write = Write::authorize(session, OperationKind::PublishEvent.on(id), &request)?;
    let body = request.optional_input(publication).await;
    let event = write.call(body, |session, ()| async move { session.publish_event(id).await }).await?;
    Ok(write.answer(StatusCode::OK, Event::with_slots(&event, &context.base_url)))
}

/// `POST /v1/events/{event_id}/unpublish`: makes an event a draft.
pub(crate) async fn unpublish_event(
    context: Context,
    session: Session,
    id: EventId,
    mut request: Request,
) -> Answer {
    let write = Write::authorize(session, OperationKind::UnpublishEvent.on(id), &request)?;
    let body = request.optional_input(publication).await;
    let event = write.call(body, |session, ()| async move { session.unpublish_event(id).await }).await?;
    Ok(write.answer(StatusCode::OK, Event::with_slots(&event, &context.base_url)))
}

/// `POST /v1/events/{event_id}/cancel`: cancels an event for good.
pub(crate) async fn cancel_event(
    context: Context,
    session: Session,
    id: EventId,
    mut request: Request,
) -> Answer {
    let write = Write::authorize(session, OperationKind::CancelEvent.on(id), &request)?;
    let cancel = request.optional_input(|body| {
        let mut input = from_json::<CancellationInput<'_>>(body)?;
        ignore_answer(&mut input.unknown, Event::FIELDS);
        input.check()
    });
    let cancel = cancel.await;
    if request.is_preview {
        let session = write.session().preview();
        drop(session.cancel_event(id, cancel?).await?);
        return Ok(preview(&session));
    }
    let event =
        write.call(cancel, |session, cancel| async move { session.cancel_event(id, cancel).await }).await?;
    Ok(write.answer(StatusCode::OK, Event::with_slots(&event, &context.base_url)))
}

/// `DELETE /v1/events/{event_id}`: deletes an event.
pub(crate) async fn delete_event(session: Session, id: EventId, mut request: Request) -> Answer {
    let write = Write::authorize(session, OperationKind::DeleteEvent.on(id), &request)?;
    let input = request.deletion(["notify_volunteers"], no_mail).await;
    write.call(input, |session, ()| async move { session.delete_event(id).await }).await?;
    Ok(write.answer(StatusCode::OK, Deleted::new(id.uuid())))
}

/// Reads the body of a publication or an unpublication.
fn publication(body: &[u8]) -> Result<(), Faults> {
    let mut input = from_json::<NotifyInput<'_>>(body)?;
    ignore_answer(&mut input.unknown, Event::FIELDS);
    input.check()
}

/// Says in the fault of `slots` what creates or changes slots.
fn instead_of_slots(faults: Faults, instead: &'static str) -> Faults {
    faults.with_meant(|path| match path.steps() {
        [PathStep::Member(name)] if &**name == Event::SLOTS => Some(instead),
        _ => None,
    })
}
