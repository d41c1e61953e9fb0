//! The days of an event's page: each with a picture of its shifts, and with the people on each shift.

use jiff::Timestamp;
use jiff::civil::Date;
use signup_core::{
    Attendance, CoverageState, Event, EventDate, ShiftCoverage, ShiftDescription, ShiftLocation, Signup,
};

use super::super::signups::waiting_in_words;
use super::count;
use super::timeline::{ShiftBar, Timeline};
use crate::page::times::{self, Times};
use crate::texts::Texts;

/// The shifts that begin on one day, or successive days on which no shift begins.
#[derive(Debug)]
pub(super) struct DayView<'a> {
    /// `None` if the event has only this day.
    pub(super) heading: Option<String>,
    pub(super) timeline: Option<Timeline>,
    pub(super) shifts: Vec<ShiftRow<'a>>,
}

#[derive(Debug)]
pub(super) struct ShiftRow<'a> {
    pub(super) id: String,
    pub(super) title: &'a str,
    pub(super) times: Times,
    pub(super) bar: ShiftBar,
    pub(super) description: Option<&'a str>,
    pub(super) location: Option<&'a str>,
    pub(super) state: String,
    /// How many places are left, in words.
    pub(super) gap: Option<String>,
    /// How many more volunteers the shift needs to run, in words.
    pub(super) missing: Option<String>,
    /// How many people wait for a place, in words.
    pub(super) waiting: Option<String>,
    /// The names of volunteers with a place, each with whether the volunteer is here.
    pub(super) people: Vec<(&'a str, bool)>,
    /// How many further volunteers have a place, in words.
    pub(super) more_people: Option<String>,
    /// What the page says instead of names if no one has a place.
    pub(super) no_people: &'static str,
    /// Whether the shift is over or cancelled.
    pub(super) is_closed: bool,
}

/// Returns the row of a shift. `signups` are confirmed sign-ups of the event, not always all of them.
fn shift_row<'a>(
    found: &'a ShiftCoverage,
    signups: &'a [Signup],
    timeline: &Timeline,
    texts: Texts,
) -> ShiftRow<'a> {
    let ShiftCoverage { shift, state, remaining, missing, .. } = found;
    let no_sign_up = Texts::ENGLISH.shift_without_sign_up();
    let (filled, capacity) = (shift.occupancy.filled, shift.occupancy.capacity.volunteers());
    let of_shift = signups.iter().filter(|signup| signup.shift == shift.id);
    let people: Vec<_> = of_shift
        .map(|signup| (signup.name.as_str(), signup.attendance == Some(Attendance::Attended)))
        .collect();
    let more = u64::from(filled).saturating_sub(people.len() as u64);
    let more_people = match people.len() {
        0 => count(more, "person", "people"),
        _ => format!("and {more} more"),
    };
    ShiftRow {
        id: shift.id.to_string(),
        title: shift.title.as_str(),
        times: Times::of(shift.interval(), shift.first_day.zone(), texts),
        bar: timeline.bar(shift.interval(), shift.occupancy),
        description: shift.description.as_ref().map(ShiftDescription::as_str),
        location: shift.location.as_ref().map(ShiftLocation::as_str),
        state: match state {
            CoverageState::Cancelled => "Cancelled".to_owned(),
            CoverageState::Past if capacity == 0 && filled == 0 => "Over".to_owned(),
            CoverageState::Past if capacity == 0 => format!("Over, {filled} signed up"),
            CoverageState::OverFull if capacity == 0 => format!("{no_sign_up}, {filled} signed up"),
            CoverageState::Past => format!("Over, {filled} of {capacity} filled"),
            CoverageState::OverFull => {
                format!("{filled} of {capacity} filled, {} too many", filled - capacity)
            }
            CoverageState::Full if capacity == 0 => no_sign_up,
            CoverageState::Full => format!("Full, {filled} of {capacity} filled"),
            _ => format!("{filled} of {capacity} filled"),
        },
        gap: (*state == CoverageState::Open).then(|| format!("{remaining} needed")),
        missing: (*missing > 0).then(|| format!("{missing} more needed to run")),
        waiting: waiting_in_words(shift.occupancy.waitlisted),
        people,
        more_people: (more > 0).then_some(more_people),
        no_people: match state {
            CoverageState::Cancelled => "No one has a place any more, because the event is cancelled.",
            _ => "No one has a place on this shift.",
        },
        is_closed: matches!(state, CoverageState::Past | CoverageState::Cancelled),
    }
}

/// Groups shifts in running order by the day on which each begins. Days without a shift, of the event or between those of shifts,
/// are listed, too: successive ones as one.
pub(super) fn days<'a>(
    event: &Event,
    shifts: &'a [ShiftCoverage],
    signups: &'a [Signup],
    now: Timestamp,
) -> Vec<DayView<'a>> {
    let (zone, texts) = (event.dates.first.zone(), Texts::of(event.language));
    let date_of = |found: &ShiftCoverage| times::date(found.shift.interval(), zone);
    let first = event.dates.first.date().date();
    let last = event.dates.last.map_or(first, EventDate::date);
    let view = |first: Date, last: Date, shifts: &'a [ShiftCoverage]| {
        let timeline = Timeline::of(shifts.iter().map(|found| found.shift.interval()), zone, texts, now);
        let row = |timeline| move |found| shift_row(found, signups, timeline, texts);
        let rows = timeline.iter().flat_map(|timeline| shifts.iter().map(row(timeline)));
        DayView { heading: Some(times::days_between(first, last, texts)), shifts: rows.collect(), timeline }
    };
    let mut days = vec![];
    let mut next = first;
    for of_day in shifts.chunk_by(|one, other| date_of(one) == date_of(other)) {
        let date = of_day.first().map_or(next, date_of);
        if next < date {
            days.push(view(next, date.yesterday().unwrap_or(next), &[]));
        }
        days.push(view(date, date, of_day));
        next = date.tomorrow().unwrap_or(date);
    }
    if next <= last {
        days.push(view(next, last, &[]));
    }
    if let [only] = days.as_mut_slice() {
        only.heading = None;
    }
    days
}

#[cfg(test)]
mod tests {
    use signup_core::{Coverage, Day, NewSignup, ScheduledShift, ShiftId};

    use super::*;
    use crate::sample_event::sample_event;

    fn day(date: &str) -> Day {
        Day::new(date.parse().unwrap(), "UTC".parse().unwrap())
    }

    /// The days of the shifts may lie before and after those of the event.
    #[tokio::test]
    async fn days_without_shifts_are_listed_together_between_those_with_shifts() {
        let (_, created) = sample_event().await;
        let (mut event, shift) = (created.event, created.shifts[0].clone());
        let mut shown = |last: &str, dates: &[&str]| {
            event.dates.first = day("2099-06-05");
            event.dates.last = Some(last.parse().unwrap());
            let shifts =
                dates.iter().map(|date| ScheduledShift::new((*shift).clone(), day(date), false)).collect();
            let shifts = Coverage::of(&event, shifts, Timestamp::UNIX_EPOCH).shifts;
            let days = days(&event, &shifts, &[], Timestamp::UNIX_EPOCH);
            let days = days
                .iter()
                .map(|day| format!("{}: {}", day.heading.as_deref().unwrap_or("-"), day.shifts.len()));
            days.collect::<Vec<_>>()
        };
        assert_eq!(shown("2099-06-05", &["2099-06-05", "2099-06-05"]), ["-: 2"]);
        assert_eq!(
            shown("2099-06-10", &["2099-06-05", "2099-06-08"]),
            [
                "Friday 5 June 2099: 1",
                "Saturday 6 to Sunday 7 June 2099: 0",
                "Monday 8 June 2099: 1",
                "Tuesday 9 to Wednesday 10 June 2099: 0",
            ]
        );
        assert_eq!(
            shown("2099-06-06", &["2099-06-06"]),
            ["Friday 5 June 2099: 0", "Saturday 6 June 2099: 1"]
        );
        assert_eq!(
            shown("2099-06-05", &["2099-06-03", "2099-06-05", "2099-06-07"]),
            [
                "Wednesday 3 June 2099: 1",
                "Thursday 4 June 2099: 0",
                "Friday 5 June 2099: 1",
                "Saturday 6 June 2099: 0",
                "Sunday 7 June 2099: 1",
            ]
        );
        assert_eq!(
            shown("2099-06-06", &["2099-06-03"]),
            ["Wednesday 3 June 2099: 1", "Thursday 4 to Saturday 6 June 2099: 0"]
        );
    }

    #[tokio::test]
    async fn a_shift_names_the_people_with_a_place_and_how_many_further_ones_there_are() {
        let (service, created) = sample_event().await;
        let (mut event, mut shift) = (created.event, (*created.shifts[0]).clone());
        let form = service.volunteers().form(&event.slug, [shift.id]).await.unwrap();
        let new = NewSignup::new("Ada".parse().unwrap(), "ada@example.org".parse().unwrap());
        let places = form.sign_up(new).await.unwrap().into_places().unwrap();
        let signup = places[0].signup.clone();
        let mut other = signup.clone();
        other.shift = ShiftId::MAX;
        let mut shown = |filled, signups: &[Signup], is_cancelled: bool| {
            shift.occupancy.filled = filled;
            event.cancelled_at = is_cancelled.then_some(Timestamp::UNIX_EPOCH);
            let scheduled = ScheduledShift::new(shift.clone(), event.dates.first.clone(), false);
            let shifts = Coverage::of(&event, vec![scheduled], Timestamp::UNIX_EPOCH).shifts;
            let row = days(&event, &shifts, signups, Timestamp::UNIX_EPOCH).remove(0).shifts.remove(0);
            let people = row.people.iter().map(|(name, _)| (*name).to_owned()).chain(row.more_people);
            (people.collect::<Vec<_>>().join(", "), row.no_people)
        };
        let (one, both) = (vec![signup.clone()], [other, signup]);
        assert_eq!(shown(1, &both, false).0, "Ada");
        assert_eq!(shown(3, &one, false).0, "Ada, and 2 more");
        assert_eq!(shown(3, &[], false).0, "3 people");
        assert_eq!(shown(0, &[], false).1, "No one has a place on this shift.");
        let cancelled = "No one has a place any more, because the event is cancelled.";
        assert_eq!(shown(0, &[], true), (String::new(), cancelled));
    }
}
