//! The form that creates an event, with rows of shifts.

use askama::Template;
use signup_core::{Error, Theme, Zone};
use warp::http::StatusCode;
use warp::reply::Response;

use super::super::{ConsoleRefusal, DoneBefore, Form, Frame, MemberCall, PageResult, show, words};
use super::ask::Ask;
use super::fields::{self, MAX_ROWS, MORE_ROWS, Row};
use super::zones::{Region, regions};
use super::{active_events, limit_reached, path_of, surprises};
use crate::page::Head;

#[derive(Debug, Template)]
#[template(path = "console/event_new.html")]
struct NewEventTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    form: &'a Form,
    /// Why the plan does not allow the event.
    limit: Option<String>,
    active_events: Option<String>,
    regions: Vec<Region>,
    themes: Vec<(String, String)>,
    rows: Vec<Row>,
    /// The days to choose from; none until the form says the days of the event.
    days: Vec<(String, String)>,
    can_have_more: bool,
}

/// Returns the themes to choose from, each with its words.
pub(super) fn themes() -> Vec<(String, String)> {
    let names = std::iter::once("").chain(Theme::ALL.iter().map(|theme| theme.name()));
    names.map(|name| (name.to_owned(), words::theme(name))).collect()
}

async fn page(
    call: &MemberCall,
    status: StatusCode,
    form: &Form,
    limit: Option<String>,
) -> Result<Response, ConsoleRefusal> {
    let rows = fields::rows(form);
    let page = NewEventTemplate {
        head: call.frame.head_of("New event", form),
        frame: &call.frame,
        form,
        limit,
        active_events: active_events(&call.session).await?,
        regions: regions("Latest event", call.frame.zone.as_ref().map(Zone::name), form.value("timezone")),
        themes: themes(),
        can_have_more: rows.len() < MAX_ROWS,
        rows,
        days: fields::typed_days(form, call.session.limits()),
    };
    Ok(show(status, &page))
}

/// `GET /console/{slug}/events/new`: shows the form of a new event.
pub(crate) async fn show_create(call: MemberCall) -> PageResult {
    let zone = call.frame.zone.as_ref().map_or("", Zone::name);
    let settings = fields::settings().filter(|(_, value)| !value.is_empty());
    let form =
        settings.fold(call.new_form()?.with("timezone", zone), |form, (name, value)| form.with(name, value));
    page(&call, StatusCode::OK, &form, None).await
}

/// `POST /console/{slug}/events/new`: creates an event and shows it, or adds rows to the form. Asks first if the event would be in
/// the past, or the clocks skip a time of a shift.
pub(crate) async fn create(mut call: MemberCall) -> PageResult {
    let form = call.form().await?;
    if fields::has_moved_days(&form) {
        let form = form.mistaken("start_date", "You changed the first day. Check the day of each shift");
        return page(&call, StatusCode::UNPROCESSABLE_ENTITY, &form, None).await;
    }
    if form.action() == MORE_ROWS {
        return page(&call, StatusCode::OK, &form, None).await;
    }
    let form = fields::without_empty_rows(&form);
    if form.is_to_change() {
        return page(&call, StatusCode::OK, &form, None).await;
    }
    let event = match fields::new_event(&form, call.session.limits()) {
        Ok(event) => event,
        Err(faults) => return refused(&call, form, faults.into()).await,
    };
    if !form.is_confirmed() {
        let preview = call.session.preview();
        let planned = match form.write(preview.create_event(event.clone())).await {
            Ok(planned) => planned,
            Err(error) => return refused(&call, form, error).await,
        };
        let (heading, surprises) =
            ("Create this event?", surprises::of_event(None, &planned.value, call.now()));
        if let Some(ask) = Ask::of_new(&call.frame, &form, heading, "Create event", &planned, surprises) {
            return Ok(ask.show());
        }
    }
    match form.write(call.session.create_event(event)).await {
        Ok(created) => {
            let event = &created.value.event;
            let edit = call.frame.path(&format!("{}/edit", path_of(event.id)));
            let done = (format!("It created the event “{}”.", event.title), ("edit that event", edit));
            let gone = ("It has been deleted since.", ("see all events", call.frame.path("/")));
            match DoneBefore::of(&created, call.session.event(event.id), done, gone).await? {
                Some(before) => page(&call, StatusCode::CONFLICT, &form.done_before(before), None).await,
                None => Ok(call.see_other(&path_of(event.id))),
            }
        }
        Err(error) => refused(&call, form, error).await,
    }
}

async fn refused(call: &MemberCall, form: Form, error: Error) -> PageResult {
    const STATUS: StatusCode = StatusCode::UNPROCESSABLE_ENTITY;
    match error {
        Error::Invalid(faults) => page(call, STATUS, &form.refused(&faults), None).await,
        error @ Error::PlanLimit { .. } => page(call, STATUS, &form, limit_reached(&error)).await,
        error => Err(error.into()),
    }
}
