//! The volunteers of an organization over all its events: a list with a search, in pages, the places of each, and all of them as a
//! table for spreadsheets.

use askama::Template;
use signup_core::{
    Error, Event, Input, Page, PersonName, Scope, ShiftStart, Signup, SignupInFull, Timestamp, Volunteer,
    VolunteerQuery,
};
use warp::http::StatusCode;

use super::signups::{csv, shift_in_words, state_in_words};
use super::{Form, Frame, MemberCall, PageResult, show};
use crate::page::Head;
use crate::signup_table::{Separator, hours, volunteer_table};
use crate::texts::Texts;

const SEARCH: &str = "q";
const CURSOR: &str = "cursor";

#[derive(Debug, Template)]
#[template(path = "console/volunteer_list.html")]
struct ListTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    /// The search.
    form: &'a Form,
    rows: Vec<Row<'a>>,
    /// The links to the neighbouring pages.
    previous: Option<String>,
    next: Option<String>,
}

/// A volunteer in the list.
#[derive(Debug)]
struct Row<'a> {
    volunteer: &'a Volunteer,
    names: String,
    hours: String,
    /// The first and the last day, such as `6 Mar 2027`.
    days: Option<(String, String)>,
}

#[derive(Debug, Template)]
#[template(path = "console/volunteer.html")]
struct VolunteerTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    row: Row<'a>,
    places: Vec<Place<'a>>,
}

/// A sign-up of a volunteer.
#[derive(Debug)]
struct Place<'a> {
    event: &'a Event,
    shift: String,
    signup: &'a Signup,
    state: String,
}

/// `GET …/volunteers`: lists one page of the volunteers.
pub(crate) async fn list_volunteers(call: MemberCall) -> PageResult {
    let MemberCall { session, frame, .. } = &call;
    session.require(Scope::SignupsRead)?;
    let form = call.query();
    let typed = [SEARCH, CURSOR].map(|name| (name, form.value(name)));
    let (status, form, page) = match VolunteerQuery::from_input(Input::from_texts(typed)) {
        Ok(query) => (StatusCode::OK, form, session.volunteers(query.by_name()).await?),
        Err(faults) => {
            (StatusCode::UNPROCESSABLE_ENTITY, form.refused(&faults), Page::new(vec![], None, None))
        }
    };
    let [previous, next] = [&page.previous, &page.next].map(|position| {
        let query = [(SEARCH, form.value(SEARCH).to_owned()), (CURSOR, position.as_ref()?.to_string())];
        // Never fails: pairs of texts have a query string.
        let query = serde_urlencoded::to_string(query).ok()?;
        Some(format!("{}?{query}", frame.here()))
    });
    let head = frame.head_of("Volunteers", &form);
    let rows = page.items.iter().map(row).collect();
    Ok(show(status, &ListTemplate { head, frame, form: &form, rows, previous, next }))
}

fn row(volunteer: &Volunteer) -> Row<'_> {
    let in_words = |start: ShiftStart| start.date.date().strftime("%-d %b %Y").to_string();
    Row {
        volunteer,
        names: names(volunteer),
        hours: hours(volunteer.time_helped),
        days: volunteer.starts.map(|(first, last)| (in_words(first), in_words(last))),
    }
}

fn names(volunteer: &Volunteer) -> String {
    volunteer.names.iter().map(PersonName::as_str).collect::<Vec<_>>().join(", ")
}

/// `GET …/volunteers/{id}`: shows every place of the volunteer who has a sign-up.
pub(crate) async fn show_volunteer(call: MemberCall) -> PageResult {
    let MemberCall { session, frame, .. } = &call;
    let found = session.signups_of_volunteer(call.path.signup()).await?;
    let signups = found.iter().map(|found| (found.signup.clone(), found.shift.clone()));
    let volunteer = Volunteer::of_signups(signups).pop().ok_or(Error::NotFound)?;
    let row = row(&volunteer);
    let head = frame.head(&row.names);
    let now = call.now();
    let places = found.iter().map(|found| place(found, now)).collect();
    Ok(show(StatusCode::OK, &VolunteerTemplate { head, frame, row, places }))
}

fn place(SignupInFull { event, shift, signup, .. }: &SignupInFull, now: Timestamp) -> Place<'_> {
    let present = Some(shift).filter(|shift| shift.deleted_at.is_none());
    let texts = Texts::of(event.language);
    Place {
        event,
        shift: shift_in_words(present, signup, texts),
        signup,
        state: state_in_words(signup, Some(shift), event, now),
    }
}

/// `GET …/volunteers.csv`: returns all volunteers as a table. The query parameter `separator` is `comma` or `semicolon`.
pub(crate) async fn download_volunteers(call: MemberCall) -> PageResult {
    let separator = Separator::named(call.query().value("separator")).map_err(Error::from)?;
    let mut pages = call.session.pages(VolunteerQuery::new().by_name().limit(VolunteerQuery::MAX_LIMIT));
    let mut volunteers = vec![];
    while let Some(page) = pages.next().await? {
        volunteers.extend(page.items);
    }
    Ok(csv(volunteer_table(&volunteers, separator), "volunteers.csv"))
}
