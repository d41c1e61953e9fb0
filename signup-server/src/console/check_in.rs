//! Check-in: who of an event's volunteers has come, for a phone at a door.
//!
//! Each row has a form of its own, and a mark is one commit on its sign-up. So people who check in at two doors never undo each other's
//! marks.

use askama::Template;
use signup_core::{
    Attendance, Error, Event, EventSignups, Permission, SearchText, ShiftSignups, Signup, SignupId, Timestamp,
};
use warp::http::StatusCode;

use super::{ConsoleRefusal, Frame, MemberCall, PageResult, show};
use crate::page::Head;
use crate::page::times::Times;
use crate::texts::Texts;

/// The name of the search, in the query string and in each form.
const SEARCH: &str = "q";

#[derive(Debug, Template)]
#[template(path = "console/check_in.html")]
struct CheckInTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    path: String,
    event: &'a Event,
    search: &'a str,
    has_signups: bool,
    /// The shifts on which people have places, those that are on now or next first. A search leaves out those without a match.
    shifts: Vec<ShiftView<'a>>,
}

#[derive(Debug)]
struct ShiftView<'a> {
    title: &'a str,
    times: Times,
    /// How many of the volunteers are here, also of those who do not match the search.
    here: String,
    is_over: bool,
    can_be_marked: bool,
    rows: Vec<Row<'a>>,
}

#[derive(Debug)]
struct Row<'a> {
    signup: &'a Signup,
    /// Whether the volunteer has come, in words.
    state: Option<&'static str>,
    /// The buttons: the `attendance` that each sends, and what it says. The first one is the most frequent one.
    buttons: &'static [(&'static str, &'static str)],
}

/// `GET …/events/{event_id}/check-in`: lists the volunteers of each shift, with a button for each that marks them as here.
pub(crate) async fn check_in(call: MemberCall) -> PageResult {
    call.session.require(Permission::ManageSignups)?;
    let id = call.path.event();
    let mut all = call.session.event_signups(id).await?;
    all.shifts.retain(|of_shift| of_shift.shift.deleted_at.is_none());
    for of_shift in &mut all.shifts {
        of_shift.signups.retain(Signup::is_confirmed);
    }
    all.shifts.retain(|of_shift| !of_shift.signups.is_empty());
    let EventSignups { event, shifts, .. } = &all;
    let (query, now) = (call.query(), call.now());
    let search = query.value(SEARCH);
    let mut views: Vec<_> = shifts.iter().map(|of_shift| view(of_shift, search, event, now)).collect();
    views.retain(|view| !view.rows.is_empty());
    // What is on or comes next, in running order, and then what is over, the last one first.
    views.sort_by_key(|view| view.is_over);
    let over = views.partition_point(|view| !view.is_over);
    views.get_mut(over..).unwrap_or_default().reverse();
    let page = CheckInTemplate {
        head: call.frame.head(&format!("Check-in for {}", event.title)),
        frame: &call.frame,
        path: call.frame.here(),
        event,
        search,
        has_signups: !shifts.is_empty(),
        shifts: views,
    };
    Ok(show(StatusCode::OK, &page))
}

fn view<'a>(
    ShiftSignups { shift, signups, .. }: &'a ShiftSignups,
    search: &str,
    event: &Event,
    now: Timestamp,
) -> ShiftView<'a> {
    let can_be_marked = shift.takes_attendance(now);
    let here = signups.iter().filter(|signup| signup.attendance == Some(Attendance::Attended)).count();
    ShiftView {
        title: shift.title.as_str(),
        times: Times::of(shift.interval(), shift.first_day.zone(), Texts::of(event.language)),
        here: format!("{here} of {} here", signups.len()),
        is_over: shift.is_over(now),
        can_be_marked,
        rows: signups
            .iter()
            .filter(|signup| matches(signup, search))
            .map(|signup| row(signup, can_be_marked))
            .collect(),
    }
}

fn row(signup: &Signup, can_be_marked: bool) -> Row<'_> {
    let (state, buttons): (_, &[_]) = match signup.attendance {
        None => (None, &[("attended", "Here"), ("absent", "Didn’t come")]),
        Some(Attendance::Attended) => (Some("Here"), &[("unknown", "Undo")]),
        Some(Attendance::Absent) => (Some("Didn’t come"), &[("attended", "Here"), ("unknown", "Undo")]),
    };
    Row { signup, state, buttons: if can_be_marked { buttons } else { &[] } }
}

/// Returns whether each word of a search begins one of the names of a person, without regard to case and accents.
fn matches(signup: &Signup, search: &str) -> bool {
    let Ok(search) = search.parse::<SearchText>() else { return search.trim().is_empty() };
    let (key, search) = (signup.search_key(), search.key());
    let name = key.lines().next().unwrap_or_default();
    let is_between = |c: char| c.is_whitespace() || c == '-';
    search.split(is_between).all(|word| name.split(is_between).any(|name| name.starts_with(word)))
}

/// `POST …/events/{event_id}/check-in`: marks whether a volunteer has come, and leads back to the row.
pub(crate) async fn mark(mut call: MemberCall) -> PageResult {
    call.session.require(Permission::ManageSignups)?;
    let event = call.session.event(call.path.event()).await?.event.id;
    let form = call.form().await?;
    let attendance = match form.value("attendance") {
        "unknown" => None,
        marked => Some(marked.parse::<Attendance>().map_err(|_| ConsoleRefusal::UnknownAction)?),
    };
    let id: SignupId = form.value("signup_id").parse().unwrap_or(SignupId::NONE);
    if call.session.signup(id).await?.event != event {
        return Err(Error::NotFound.into());
    }
    let _marked = call.session.mark_attendance(id, attendance).await?;
    let mut query = form_urlencoded::Serializer::for_suffix("?".to_owned(), 1);
    let query = match form.value(SEARCH) {
        "" => String::new(),
        search => query.append_pair(SEARCH, search).finish(),
    };
    Ok(call.see_other(&format!("/events/{event}/check-in{query}#signup-{id}")))
}
