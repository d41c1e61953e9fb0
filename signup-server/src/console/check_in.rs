//! Check-in: who of an event's volunteers has come, for a phone at a door.
//!
//! Each row has a form of its own, and a mark is one commit on its sign-up. So people who check in at two doors never undo each
//! other's marks.

use askama::Template;
use signup_core::{
    Attendance, Error, Event, EventSignups, Permission, SearchText, Shift, ShiftSignups, Signup, SignupId,
    Timestamp,
};
use warp::http::StatusCode;

use super::signups::public_page;
use super::{ConsoleRefusal, Frame, MemberCall, PageResult, show};
use crate::page::Head;
use crate::page::times::{Times, opening, zone_in_words};
use crate::texts::Texts;

/// The name of the search in the query string.
const SEARCH: &str = "q";

#[derive(Debug, Template)]
#[template(path = "console/check_in.html")]
struct CheckInTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    path: String,
    event: &'a Event,
    /// The zone of the times, such as `New York time`.
    zone: String,
    search: &'a str,
    has_signups: bool,
    /// The path of the public page, where a volunteer without a place can sign up.
    public_page: Option<String>,
    /// The shifts on which people have places, those that are on now or next first. A search leaves out those without a match,
    /// and begins with those whose volunteers can be marked.
    shifts: Vec<ShiftView<'a>>,
}

#[derive(Debug)]
struct ShiftView<'a> {
    title: &'a str,
    /// The time, and the day unless it is today.
    when: String,
    /// How many of the volunteers are here, also of those who do not match the search.
    here: String,
    is_over: bool,
    can_be_marked: bool,
    /// When the volunteers can be marked first, such as `Sunday 29 November at 21:00`.
    can_be_marked_from: String,
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
    let all_shifts = all.shifts.iter().map(|of_shift| &of_shift.shift);
    let public_page = public_page(&call.frame, &all.event, all_shifts, call.now());
    for of_shift in &mut all.shifts {
        of_shift.signups.retain(Signup::is_confirmed);
    }
    all.shifts.retain(|of_shift| !of_shift.signups.is_empty());
    let EventSignups { event, shifts, .. } = &all;
    let (query, now) = (call.query(), call.now());
    let search = query.value(SEARCH);
    // A search that is blank or too long is no search.
    let name_begin = search.parse::<SearchText>().ok();
    let views = in_order(shifts, now, name_begin.is_some())
        .into_iter()
        .map(|of_shift| view(of_shift, name_begin.as_ref(), event, now));
    let mut views: Vec<_> = views.collect();
    views.retain(|view| !view.rows.is_empty());
    let page = CheckInTemplate {
        head: call.frame.head(&format!("Check-in for {}", event.title)),
        frame: &call.frame,
        path: call.frame.here(),
        event,
        zone: zone_in_words(event.dates.first.zone(), Texts::ENGLISH),
        search,
        has_signups: !shifts.is_empty(),
        public_page,
        shifts: views,
    };
    Ok(show(StatusCode::OK, &page))
}

/// Returns what is on or comes next, in running order, and then what is over, the last one first. A search has the shifts whose
/// volunteers can be marked before the others.
fn in_order(shifts: &[ShiftSignups], now: Timestamp, is_search: bool) -> Vec<&ShiftSignups> {
    let (over, present): (Vec<_>, Vec<_>) = shifts.iter().partition(|of_shift| of_shift.shift.is_over(now));
    let mut ordered: Vec<_> = present.into_iter().chain(over.into_iter().rev()).collect();
    if is_search {
        ordered.sort_by_key(|of_shift| !of_shift.shift.takes_attendance(now));
    }
    ordered
}

fn view<'a>(
    ShiftSignups { shift, signups, .. }: &'a ShiftSignups,
    name_begin: Option<&SearchText>,
    event: &Event,
    now: Timestamp,
) -> ShiftView<'a> {
    let is_over = shift.is_over(now);
    let can_be_marked = shift.takes_attendance(now);
    let here = signups.iter().filter(|signup| signup.attendance == Some(Attendance::Attended)).count();
    let zone = shift.first_day.zone();
    let times = Times::of(shift.interval(), zone, Texts::of(event.language));
    let is_today = times.start.date == zone.date_at(now);
    let begin = shift.interval().start;
    let first_mark = begin.checked_sub(Shift::ATTENDANCE_BEFORE).unwrap_or(begin);
    ShiftView {
        title: shift.title.as_str(),
        when: if is_today { times.clocks() } else { times.short() },
        here: format!("{here} of {} {}", signups.len(), if is_over { "came" } else { "here" }),
        is_over,
        can_be_marked,
        can_be_marked_from: opening(first_mark, event),
        rows: signups
            .iter()
            .filter(|signup| name_begin.is_none_or(|begin| begin.begins_words_of(signup.name.as_str())))
            .map(|signup| row(signup, can_be_marked, is_over))
            .collect(),
    }
}

fn row(signup: &Signup, can_be_marked: bool, is_over: bool) -> Row<'_> {
    let (state, buttons): (_, &[_]) = match (signup.attendance, is_over) {
        (None, false) => (None, &[("attended", "Here"), ("absent", "Didn’t come")]),
        (None, true) => (None, &[("attended", "Came"), ("absent", "Didn’t come")]),
        (Some(Attendance::Attended), false) => (Some("Here"), &[("unknown", "Undo")]),
        (Some(Attendance::Attended), true) => (Some("Came"), &[("unknown", "Undo")]),
        (Some(Attendance::Absent), false) => {
            (Some("Didn’t come"), &[("attended", "Here"), ("unknown", "Undo")])
        }
        (Some(Attendance::Absent), true) => {
            (Some("Didn’t come"), &[("attended", "Came"), ("unknown", "Undo")])
        }
    };
    Row { signup, state, buttons: if can_be_marked { buttons } else { &[] } }
}

/// `POST …/events/{event_id}/check-in`: marks whether a volunteer has come, and leads back to the row.
pub(crate) async fn mark(mut call: MemberCall) -> PageResult {
    call.session.require(Permission::ManageSignups)?;
    // No form is read for an event that does not exist.
    let event = call.session.event(call.path.event()).await?.event.id;
    let search = call.query().value(SEARCH).to_owned();
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
    let query = match &*search {
        "" => String::new(),
        search => {
            form_urlencoded::Serializer::for_suffix("?".to_owned(), 1).append_pair(SEARCH, search).finish()
        }
    };
    Ok(call.see_other(&format!("/events/{event}/check-in{query}#signup-{id}")))
}

#[cfg(test)]
mod tests {
    use signup_core::{Day, Hours, ScheduledShift};

    use super::*;
    use crate::sample_event::sample_event;

    #[tokio::test]
    async fn what_is_on_or_next_comes_first_and_a_search_begins_with_what_can_be_marked() {
        let (service, created) = sample_event().await;
        let all = service.admin().event_signups(created.event.id).await.unwrap();
        let dates = ["2026-03-05", "2026-03-06", "2026-03-08", "2026-03-09"];
        let shifts = dates.map(|date| {
            let mut of_shift = all.shifts[0].clone();
            let day = Day::new(date.parse().unwrap(), "UTC".parse().unwrap());
            of_shift.shift = ScheduledShift::new((*of_shift.shift).clone(), day, false);
            of_shift
        });
        let now = shifts[2].shift.interval().start;
        let dates = |is_search| {
            let found = in_order(&shifts, now, is_search).into_iter();
            found.map(|of_shift| of_shift.shift.first_day.date().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(dates(false), ["2026-03-08", "2026-03-09", "2026-03-06", "2026-03-05"]);
        assert_eq!(dates(true), ["2026-03-08", "2026-03-06", "2026-03-05", "2026-03-09"]);
    }

    #[tokio::test]
    async fn a_shift_that_begins_today_by_the_clocks_of_the_event_has_no_day() {
        let (service, created) = sample_event().await;
        let mut of_shift = service.admin().event_signups(created.event.id).await.unwrap().shifts.remove(0);
        let mut when = |hours: Hours, now: &str| {
            let day = Day::new("2026-03-06".parse().unwrap(), "America/New_York".parse().unwrap());
            let mut shift = (*of_shift.shift).clone();
            shift.hours = hours;
            of_shift.shift = ScheduledShift::new(shift, day, false);
            view(&of_shift, None, &created.event, now.parse().unwrap()).when
        };
        let evening = Hours::parse(Some("19:30"), Some("23:00")).unwrap();
        let night = Hours::overnight("22:00".parse().unwrap(), "06:00".parse().unwrap()).unwrap();
        assert_eq!(
            when(evening, "2026-03-07T01:00:00Z"),
            "19:30–23:00",
            "only in UTC, the date is another one"
        );
        assert_eq!(
            when(evening, "2026-03-06T01:00:00Z"),
            "Fri 6 Mar, 19:30–23:00",
            "only in UTC, it is the date"
        );
        assert_eq!(when(night, "2026-03-07T08:00:00Z"), "Fri 6 Mar, 22:00–06:00 (Sat)", "it began yesterday");
    }
}
