//! Publishing, unpublishing, cancelling, deleting and copying an event.

use askama::Template;
use signup_core::{Cancellation, DuplicateEvent, Error, Event, EventId, EventWithShifts, Faults};
use warp::http::StatusCode;
use warp::reply::Response;

use super::super::{As, ConsoleRefusal, Done, DoneBefore, Form, Frame, MemberCall, PageResult, show};
use super::ask::{Ask, is_notified, silences_more};
use super::{active_events, count, event_to_change, form_and_event, limit_reached, path_of, surprises};
use crate::page::{Head, times};
use crate::texts::Texts;

#[derive(Debug, Template)]
#[template(path = "console/publish.html")]
struct PublishTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    heading: String,
    /// Whether the event is published already, so that there is nothing to do.
    is_published: bool,
    is_over: bool,
    path: String,
    limit: Option<String>,
    active_events: Option<String>,
}

async fn page_of_publish(
    call: &MemberCall,
    status: StatusCode,
    EventWithShifts { event, shifts, .. }: &EventWithShifts,
    is_published: bool,
    limit: Option<String>,
) -> Result<Response, ConsoleRefusal> {
    let title = &event.title;
    let heading =
        if is_published { format!("{title} is already published") } else { format!("Publish {title}?") };
    let page = PublishTemplate {
        head: call.frame.head(&heading),
        heading,
        is_published,
        frame: &call.frame,
        path: call.frame.path(&path_of(event.id)),
        is_over: event.is_over_with(shifts, call.now()),
        limit,
        active_events: active_events(&call.session).await?,
    };
    Ok(show(status, &page))
}

/// `GET /console/{slug}/events/{event_id}/publish`: shows a button that publishes an event, or why the event cannot be published.
pub(crate) async fn show_publish(call: MemberCall) -> PageResult {
    let id = call.path.event();
    match call.session.preview().publish_event(id).reply().await {
        Ok(found) => {
            page_of_publish(&call, StatusCode::OK, &found.value, found.changes.is_empty(), None).await
        }
        Err(error) => not_published(&call, id, error).await,
    }
}

/// `POST /console/{slug}/events/{event_id}/publish`: publishes an event.
pub(crate) async fn publish(call: MemberCall) -> PageResult {
    let id = call.path.event();
    match call.session.publish_event(id).await {
        Ok(_) => Ok(call.done(Done::Published, &path_of(id))),
        Err(error) => not_published(&call, id, error).await,
    }
}

async fn not_published(call: &MemberCall, id: EventId, error: Error) -> PageResult {
    let Some(limit) = limit_reached(&error) else { return Err(error.into()) };
    let found = call.session.event(id).await?;
    page_of_publish(call, StatusCode::UNPROCESSABLE_ENTITY, &found, false, Some(limit)).await
}

/// `GET /console/{slug}/events/{event_id}/unpublish`: asks whether to unpublish an event. If people are signed
/// up, the page leads to the cancellation of the event instead. Of a draft, the page says that it is one.
pub(crate) async fn show_unpublish(call: MemberCall) -> PageResult {
    let event = call.session.event(call.path.event()).await?.event;
    let form = Form::default();
    let ask = |heading, button| Ask::new(&call.frame, &form, heading, button).back(&path_of(event.id));
    let question = ask(format!("Unpublish {}?", event.title), "Unpublish");
    Ok(match call.session.preview().unpublish_event(event.id).reply().await {
        Ok(draft) if draft.changes.is_empty() => {
            ask(format!("{} is a draft", event.title), "").text("Volunteers can’t see it or sign up.").show()
        }
        Ok(_) => question
            .text("The event becomes a draft: volunteers can’t see it or sign up. You can publish it again.")
            .show(),
        Err(Error::EventHasSignups) => question
            .text(
                "People are signed up for this event, so you can’t unpublish it. You can cancel it instead.",
            )
            .cancel_instead(&path_of(event.id))
            .show(),
        Err(error) => return Err(error.into()),
    })
}

/// `POST /console/{slug}/events/{event_id}/unpublish`: makes an event a draft.
pub(crate) async fn unpublish(call: MemberCall) -> PageResult {
    let id = call.path.event();
    call.session.unpublish_event(id).await?;
    Ok(call.see_other(&path_of(id)))
}

/// `GET /console/{slug}/events/{event_id}/close`: asks whether to close sign-ups.
pub(crate) async fn show_close_signups(call: MemberCall) -> PageResult {
    ask_about_signups(
        &call,
        "Close sign-ups",
        "No one can sign up then. Volunteers can still cancel. You can open sign-ups again.",
    )
    .await
}

/// `GET /console/{slug}/events/{event_id}/open`: asks whether to open sign-ups.
pub(crate) async fn show_open_signups(call: MemberCall) -> PageResult {
    ask_about_signups(&call, "Open sign-ups", "Volunteers can sign up from now on, until you close sign-ups.")
        .await
}

/// Asks whether to close or open sign-ups. `text` says what follows.
async fn ask_about_signups(call: &MemberCall, button: &'static str, text: &'static str) -> PageResult {
    let event = event_to_change(call, call.path.event()).await?.event;
    let heading = format!("{button} for {}?", event.title);
    Ok(Ask::new(&call.frame, &Form::default(), heading, button).text(text).back(&path_of(event.id)).show())
}

/// `POST /console/{slug}/events/{event_id}/close`: closes sign-ups at once.
pub(crate) async fn close_signups(call: MemberCall) -> PageResult {
    let id = call.path.event();
    call.session.close_signups(id).await?;
    Ok(call.done(Done::SignupsClosed, &path_of(id)))
}

/// `POST /console/{slug}/events/{event_id}/open`: opens sign-ups at once.
pub(crate) async fn open_signups(call: MemberCall) -> PageResult {
    let id = call.path.event();
    call.session.open_signups(id).await?;
    Ok(call.done(Done::SignupsOpened, &path_of(id)))
}

#[derive(Debug, Template)]
#[template(path = "console/reason.html")]
pub(super) struct ReasonTemplate<'a> {
    pub(super) head: Head,
    pub(super) frame: &'a Frame,
    pub(super) heading: String,
    pub(super) text: String,
    pub(super) form: &'a Form,
    /// The text beside the field, which says where the reason is shown.
    pub(super) hint: &'static str,
    pub(super) button: &'static str,
    pub(super) back: String,
}

/// Returns the number of sign-ups that the cancellation of an event cancels. Cancelling a cancelled event again changes nothing, so
/// there is nothing to ask.
async fn cancelled_signups(call: &MemberCall, event: &Event) -> Result<u32, Error> {
    if event.is_cancelled() {
        return Err(Error::EventCancelled);
    }
    let cancelled = call.session.preview().cancel_event(event.id, Cancellation::new()).reply().await?;
    Ok(cancelled.mails_queued)
}

fn page_of_cancel(call: &MemberCall, status: StatusCode, event: &Event, form: &Form) -> Response {
    let heading = format!("Cancel {}", event.title);
    let page = ReasonTemplate {
        head: call.frame.head_of(&heading, form),
        frame: &call.frame,
        text: "This cancels all sign-ups, and no one can sign up any more. The public page will say that the event is cancelled, \
               with your reason. You can’t undo this."
            .to_owned(),
        heading,
        form,
        hint: "Optional. Volunteers will see it.",
        button: "Cancel event",
        back: call.frame.path(&path_of(event.id)),
    };
    show(status, &page)
}

/// `GET /console/{slug}/events/{event_id}/cancel`: asks for a reason.
pub(crate) async fn ask_cancel(call: MemberCall) -> PageResult {
    let event = call.session.event(call.path.event()).await?.event;
    let _signups = cancelled_signups(&call, &event).await?;
    Ok(page_of_cancel(&call, StatusCode::OK, &event, &Form::default()))
}

/// `POST /console/{slug}/events/{event_id}/cancel`: cancels an event. Asks first if volunteers are signed up.
pub(crate) async fn cancel(mut call: MemberCall) -> PageResult {
    let (form, EventWithShifts { event, .. }) = form_and_event(&mut call).await?;
    let cancellation = match cancellation(&form) {
        Ok(cancellation) => cancellation,
        Err(faults) => {
            let form = form.refused(&faults);
            return Ok(page_of_cancel(&call, StatusCode::UNPROCESSABLE_ENTITY, &event, &form));
        }
    };
    // A cancellation that is sent twice is carried out once, and is no mistake.
    if !form.is_confirmed() || !is_notified(&form) && !event.is_cancelled() {
        let signups = cancelled_signups(&call, &event).await?;
        if !form.is_confirmed() && signups > 0 || silences_more(&form, signups) {
            return Ok(Ask::new(&call.frame, &form, format!("Cancel {}?", event.title), "Cancel event")
                .text(format!("This cancels {}.", count(signups.into(), "sign-up", "sign-ups")))
                .text("You can’t undo this.")
                .mails(signups.into())
                .finally()
                .back(&path_of(event.id))
                .show());
        }
    }
    let cancellation = if is_notified(&form) { cancellation } else { cancellation.without_mail() };
    call.session.cancel_event(event.id, cancellation).await?;
    Ok(call.see_other(&path_of(event.id)))
}

fn cancellation(form: &Form) -> Result<Cancellation, Faults> {
    form.checked(&[("reason", As::Text)], Cancellation::from_input)
}

/// What the deletion of an event without sign-ups removes.
const DELETION: &str = "This deletes the event with its shifts, questions and sign-ups. Its public page will be gone. You can’t undo this.";

fn page_of_delete<'a>(call: &'a MemberCall, form: &'a Form, event: &Event, text: &str) -> Ask<'a> {
    Ask::new(&call.frame, form, format!("Delete {}?", event.title), "Delete")
        .text(text)
        .finally()
        .back(&path_of(event.id))
}

/// `GET /console/{slug}/events/{event_id}/delete`: asks whether to delete an event.
pub(crate) async fn ask_delete(call: MemberCall) -> PageResult {
    let event = call.session.event(call.path.event()).await?.event;
    let form = Form::default();
    Ok(match call.session.preview().delete_event(event.id).await {
        Ok(()) => page_of_delete(&call, &form, &event, DELETION).show(),
        Err(Error::EventHasSignups) => {
            let text =
                "People are signed up for this event, so you can’t delete it yet. Cancel the event first.";
            page_of_delete(&call, &form, &event, text).cancel_instead(&path_of(event.id)).show()
        }
        Err(error) => return Err(error.into()),
    })
}

/// `POST /console/{slug}/events/{event_id}/delete`: deletes an event. Asks first.
pub(crate) async fn delete(mut call: MemberCall) -> PageResult {
    let (form, EventWithShifts { event, .. }) = form_and_event(&mut call).await?;
    if !form.is_confirmed() {
        call.session.preview().delete_event(event.id).await?;
        return Ok(page_of_delete(&call, &form, &event, DELETION).show());
    }
    call.session.delete_event(event.id).await?;
    Ok(call.see_other("/"))
}

#[derive(Debug, Template)]
#[template(path = "console/event_copy.html")]
struct CopyTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    event: &'a Event,
    path: String,
    form: &'a Form,
}

fn page_of_copy(call: &MemberCall, status: StatusCode, event: &Event, form: &Form) -> Response {
    let page = CopyTemplate {
        head: call.frame.head_of(&format!("Copy {}", event.title), form),
        frame: &call.frame,
        event,
        path: call.frame.path(&path_of(event.id)),
        form,
    };
    show(status, &page)
}

/// `GET /console/{slug}/events/{event_id}/duplicate`: asks for the date of a copy.
pub(crate) async fn show_duplicate(call: MemberCall) -> PageResult {
    let event = call.session.event(call.path.event()).await?.event;
    let form = call.new_form()?.with("title", event.title.as_str());
    Ok(page_of_copy(&call, StatusCode::OK, &event, &form))
}

/// `POST /console/{slug}/events/{event_id}/duplicate`: copies an event and shows the copy. Asks first if the copy would be in the
/// past, or the clocks skip a time of a shift.
pub(crate) async fn duplicate(mut call: MemberCall) -> PageResult {
    let (form, EventWithShifts { event, .. }) = form_and_event(&mut call).await?;
    if form.is_to_change() {
        return Ok(page_of_copy(&call, StatusCode::OK, &event, &form));
    }
    let fields = [("start_date", As::Text), ("title", As::Text)];
    let copy = match form.checked(&fields, DuplicateEvent::from_input) {
        Ok(copy) => copy,
        Err(faults) => return not_copied(&call, &event, form, faults.into()),
    };
    if !form.is_confirmed() {
        let preview = call.session.preview();
        let planned = match form.write(preview.duplicate_event(event.id, copy.clone())).await {
            Ok(planned) => planned,
            Err(error) => return not_copied(&call, &event, form, error),
        };
        let (heading, surprises) =
            ("Copy this event?", surprises::of_event(None, &planned.value, call.now()));
        if let Some(ask) = Ask::of_new(&call.frame, &form, heading, "Copy event", &planned, surprises) {
            return Ok(ask.back(&path_of(event.id)).show());
        }
    }
    match form.write(call.session.duplicate_event(event.id, copy)).await {
        Ok(reply) => {
            let copied = &reply.value.event;
            let first = times::day(copied.dates.first.date().date(), Texts::of(copied.language));
            let sentence = format!("It made the copy “{}” on {first}.", copied.title);
            let edit = ("edit that copy", call.frame.path(&format!("{}/edit", path_of(copied.id))));
            let gone = ("It has been deleted since.", ("see all events", call.frame.path("/")));
            let copy = call.session.event(copied.id);
            Ok(match DoneBefore::of(&reply, copy, (sentence, edit), gone).await? {
                Some(before) => page_of_copy(&call, StatusCode::CONFLICT, &event, &form.done_before(before)),
                None => call.see_other(&path_of(copied.id)),
            })
        }
        Err(error) => not_copied(&call, &event, form, error),
    }
}

fn not_copied(call: &MemberCall, event: &Event, form: Form, error: Error) -> PageResult {
    match error {
        Error::Invalid(faults) => {
            Ok(page_of_copy(call, StatusCode::UNPROCESSABLE_ENTITY, event, &form.refused(&faults)))
        }
        error => Err(error.into()),
    }
}
