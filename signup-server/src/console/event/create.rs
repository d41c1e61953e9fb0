//! The form that creates an event, with rows of shifts.

use askama::Template;
use signup_core::{Error, Theme};
use warp::http::StatusCode;
use warp::reply::Response;

use super::super::{Answer, Form, Frame, MemberCall, Refusal, show, words};
use super::fields::{self, MAX_ROWS, NEW_ROWS, Row};
use super::zones::{Region, regions, zone_of_newest_event};
use super::{active_events, limit_reached, path_of};
use crate::page::Head;

/// The value of the button that adds rows and creates nothing.
pub(super) const MORE_ROWS: &str = "more_rows";

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
    can_have_more: bool,
}

/// Returns the themes to choose from, each with its words.
pub(super) fn themes() -> Vec<(String, String)> {
    let names = std::iter::once("").chain(Theme::ALL.iter().map(|theme| theme.name()));
    names.map(|name| (name.to_owned(), words::theme(name))).collect()
}

/// Returns the number of rows that a form has after more were asked for.
pub(super) fn more(form: &Form) -> usize {
    (form.rows("shifts").last().map_or(NEW_ROWS, |row| row + 1) + NEW_ROWS).min(MAX_ROWS)
}

async fn page(
    call: &MemberCall,
    status: StatusCode,
    form: &Form,
    rows: usize,
    limit: Option<String>,
) -> Result<Response, Refusal> {
    let first = zone_of_newest_event(&call.session).await?;
    let rows = fields::rows(form, rows);
    let page = NewEventTemplate {
        head: call.frame.head_of("New event", form),
        frame: &call.frame,
        form,
        limit,
        active_events: active_events(&call.session).await?,
        regions: regions("Last used", first.as_deref()),
        themes: themes(),
        can_have_more: rows.len() < MAX_ROWS,
        rows,
    };
    Ok(show(status, &page))
}

/// `GET /console/{slug}/events/new`: shows the form of a new event.
pub(crate) async fn show_create(call: MemberCall) -> Answer {
    let zone = zone_of_newest_event(&call.session).await?;
    let form = Form::new(call.now()).with("timezone", zone.unwrap_or_default());
    page(&call, StatusCode::OK, &form, NEW_ROWS, None).await
}

/// `POST /console/{slug}/events/new`: creates an event and shows it, or adds rows to the form.
pub(crate) async fn create(mut call: MemberCall) -> Answer {
    let form = call.form().await?;
    if form.action() == MORE_ROWS {
        let rows = more(&form);
        return page(&call, StatusCode::OK, &form, rows, None).await;
    }
    let form = fields::without_empty_rows(&form);
    let event = match fields::new_event(&form, call.session.limits()) {
        Ok(event) => event,
        Err(faults) => {
            let form = form.refused(&faults);
            return page(&call, StatusCode::UNPROCESSABLE_ENTITY, &form, NEW_ROWS, None).await;
        }
    };
    match form.keyed(&call.session).create_event(event).await {
        Ok(created) => Ok(call.see_other(&path_of(created.event.id))),
        Err(Error::Invalid(faults)) => {
            let form = form.refused(&faults);
            page(&call, StatusCode::UNPROCESSABLE_ENTITY, &form, NEW_ROWS, None).await
        }
        Err(error @ Error::PlanLimit { .. }) => {
            page(&call, StatusCode::UNPROCESSABLE_ENTITY, &form, NEW_ROWS, limit_reached(&error)).await
        }
        Err(error) => Err(error.into()),
    }
}
