//! The roster of an event, for print: a table for each shift, with a box to tick for each volunteer, and blank lines for
//! walk-ins.

use askama::Template;
use signup_core::{Event, EventSignups, ShiftLocation, ShiftSignups, Signup};
use warp::http::StatusCode;

use super::signups::places_taken;
use super::{Frame, MemberCall, PageResult, show};
use crate::page::Head;
use crate::page::times::{self, OfDay, Times};
use crate::signup_table::{answer_cells, labels_gone};
use crate::texts::Texts;

/// The parameter of the query string that adds the addresses.
const ADDRESSES: &str = "addresses";

/// The number of blank lines of a table.
const WALK_INS: u32 = 3;
/// The number of volunteers up to which a table is not broken over two pages.
const SHORT: usize = 10;

#[derive(Debug, Template)]
#[template(path = "console/roster.html")]
struct RosterTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    event: &'a Event,
    has_addresses: bool,
    /// The class of the page, by the number of columns after the name.
    layout: &'static str,
    dates: String,
    zone: String,
    /// The date in the zone of the event.
    today: String,
    labels: Vec<String>,
    /// The shifts, grouped by the day on which they begin.
    days: Vec<OfDay<ShiftView<'a>>>,
}

/// A shift with the volunteers who have a place on it.
#[derive(Debug)]
struct ShiftView<'a> {
    title: &'a str,
    times: Times,
    location: Option<&'a str>,
    taken: String,
    rows: Vec<Row<'a>>,
}

#[derive(Debug)]
struct Row<'a> {
    name: &'a str,
    email: &'a str,
    answers: Vec<String>,
}

/// `GET …/events/{event_id}/roster`: returns the roster. The parameter `addresses=1` adds the addresses.
pub(crate) async fn roster(call: MemberCall) -> PageResult {
    let mut all = call.session.event_signups(call.path.event()).await?;
    // No volunteer has a place on a deleted shift.
    all.shifts.retain(|of_shift| of_shift.shift.deleted_at.is_none());
    for of_shift in &mut all.shifts {
        of_shift.signups.retain(Signup::is_confirmed);
    }
    let EventSignups { event, questions, shifts, .. } = &all;
    let gone = labels_gone(questions, shifts.iter().flat_map(|of_shift| &of_shift.signups));
    let texts = Texts::of(event.language);
    let views = shifts
        .iter()
        .map(|of_shift| view(of_shift, texts, |signup| answer_cells(questions, &gone, signup).collect()));
    let frame = &call.frame;
    let has_addresses = call.query().has(ADDRESSES, "1");
    let labels = questions.iter().map(|question| &question.label).chain(&gone);
    let labels: Vec<_> = labels.map(ToString::to_string).collect();
    let page = RosterTemplate {
        head: frame.head(&format!("Roster of {}", event.title)),
        frame,
        event,
        has_addresses,
        layout: match labels.len() + usize::from(has_addresses) {
            0 | 1 => "few",
            2 => "",
            _ => "landscape",
        },
        dates: times::days(event),
        zone: times::zone_in_words(event.dates.first.zone(), texts),
        today: times::day(event.dates.first.zone().date_at(call.now()), texts),
        labels,
        days: times::by_day(views, |shift: &ShiftView<'_>| &shift.times),
    };
    Ok(show(StatusCode::OK, &page))
}

fn view<'a>(
    ShiftSignups { shift, signups, .. }: &'a ShiftSignups,
    texts: Texts,
    answers: impl Fn(&Signup) -> Vec<String>,
) -> ShiftView<'a> {
    let rows = signups.iter().map(|signup| Row {
        name: signup.name.as_str(),
        email: signup.email.as_str(),
        answers: answers(signup),
    });
    ShiftView {
        title: shift.title.as_str(),
        times: Times::of(shift.interval(), shift.first_day.zone(), texts),
        location: shift.location.as_ref().map(ShiftLocation::as_str),
        taken: places_taken(signups.len() as u64, shift.occupancy.capacity.volunteers().into()),
        rows: rows.collect(),
    }
}
