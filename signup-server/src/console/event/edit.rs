//! The form that changes an event.

use askama::Template;
use signup_core::{Error, Event};
use warp::http::StatusCode;
use warp::reply::Response;

use super::super::changing::{FieldValues, as_stored, both_values, changes, loaded, read_fields, reloaded};
use super::super::{ConsoleRefusal, Done, Form, Frame, MemberCall, PageResult, show};
use super::ask::{Ask, is_notified, silences_more};
use super::create::themes;
use super::zones::{Region, regions};
use super::{event_to_change, fields, form_and_event, limit_reached, path_of, surprises};
use crate::page::Head;

#[derive(Debug, Template)]
#[template(path = "console/event_edit.html")]
struct EditEventTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    event: &'a Event,
    path: String,
    form: &'a Form,
    conflicts: &'a [FieldValues],
    /// Why the plan does not allow the event to be published.
    limit: Option<String>,
    read: Vec<(&'a str, &'a str)>,
    regions: Vec<Region>,
    themes: Vec<(String, String)>,
}

/// What is shown above the form.
#[derive(Default)]
struct Obstacle {
    conflicts: Vec<FieldValues>,
    limit: Option<String>,
}

async fn page(
    call: &MemberCall,
    status: StatusCode,
    event: &Event,
    form: &Form,
    obstacle: Obstacle,
) -> Result<Response, ConsoleRefusal> {
    let page = EditEventTemplate {
        head: call.frame.head_of(&format!("Edit {}", event.title), form),
        frame: &call.frame,
        event,
        path: call.frame.path(&path_of(event.id)),
        form,
        conflicts: &obstacle.conflicts,
        limit: obstacle.limit,
        read: read_fields(form),
        regions: regions("This event", Some(event.dates.first.zone().name()), form.value("timezone")),
        themes: themes(),
    };
    Ok(show(status, &page))
}

/// `GET /console/{slug}/events/{event_id}/edit`: shows the form with the present values.
pub(crate) async fn show_edit(call: MemberCall) -> PageResult {
    let event = event_to_change(&call, call.path.event()).await?.event;
    let form = loaded(fields::EVENT, fields::values_of_event(&event));
    page(&call, StatusCode::OK, &event, &form, Obstacle::default()).await
}

/// `POST /console/{slug}/events/{event_id}/edit`: changes an event. Asks first if the change mails volunteers.
pub(crate) async fn edit(mut call: MemberCall) -> PageResult {
    let (form, before) = form_and_event(&mut call).await?;
    let event = &before.event;
    let present = fields::values_of_event(event);
    let form = as_stored(&form, &present);
    if form.is_to_change() {
        return page(&call, StatusCode::OK, event, &form, Obstacle::default()).await;
    }
    let patch = match fields::event_patch(&form) {
        Ok(patch) => patch,
        Err(faults) => return refused(&call, event, form, Error::Invalid(faults)).await,
    };
    if !form.is_confirmed() || !is_notified(&form) {
        let preview = call.session.preview();
        let after = match preview.patch_event(event.id, patch.clone()).reply().await {
            Ok(after) => after,
            Err(error) => return refused(&call, event, form, error).await,
        };
        let heading = format!("Change {}?", event.title);
        let surprises = surprises::of_event(Some(&before), &after.value, call.now());
        let (mails, button) = (after.mails_queued, "Save changes");
        if (!form.is_confirmed() || silences_more(&form, mails))
            && let Some(ask) = Ask::of_form(&call.frame, &form, heading, button, (surprises, mails))
        {
            let ask = ask.changes(changes(&form, fields::TIME_AND_PLACE_OF_EVENT, &present));
            return Ok(ask.back(&path_of(event.id)).show());
        }
    }
    let patch = if is_notified(&form) { patch } else { patch.without_mail() };
    match call.session.patch_event(event.id, patch).await {
        Ok(_) => Ok(call.done(Done::Saved, &path_of(event.id))),
        Err(error) => refused(&call, event, form, error).await,
    }
}

async fn refused(call: &MemberCall, event: &Event, form: Form, error: Error) -> PageResult {
    match error {
        Error::Invalid(faults) => {
            let form = form.refused(&faults);
            page(call, StatusCode::UNPROCESSABLE_ENTITY, event, &form, Obstacle::default()).await
        }
        Error::Conflict(names) => {
            let event = call.session.event(event.id).await?.event;
            let present = fields::values_of_event(&event);
            let conflicts = both_values(&form, &names, &present);
            let form = reloaded(&form, fields::EVENT, present);
            page(call, StatusCode::CONFLICT, &event, &form, Obstacle { conflicts, limit: None }).await
        }
        error @ Error::PlanLimit { .. } => {
            let obstacle = Obstacle { limit: limit_reached(&error), ..Obstacle::default() };
            page(call, StatusCode::UNPROCESSABLE_ENTITY, event, &form, obstacle).await
        }
        error => Err(error.into()),
    }
}
