//! What a form would do that it does not say: an event or a shift in the past, and times that the clocks skip.

use jiff::Timestamp;
use signup_core::{EventDate, EventWithShifts, ScheduledShift};

use super::count;
use crate::page::times::{self, Times};
use crate::texts::Texts;

/// The number of shifts about which a page says something. It only counts the others.
const MAX_SHIFTS: usize = 10;

/// Returns the sentences about an event and its shifts after a change, or after their creation if `before` is `None`. What is not
/// changed is no surprise.
pub(super) fn of_event(
    before: Option<&EventWithShifts>,
    after: &EventWithShifts,
    now: Timestamp,
) -> Vec<String> {
    let EventWithShifts { event, shifts, .. } = after;
    let texts = Texts::of(event.language);
    let shifts_before = before.map_or(&[][..], |before| &before.shifts);
    let is_over = |found: &EventWithShifts| found.event.is_over_with(&found.shifts, now);
    if !is_over(after) || before.is_some_and(is_over) {
        return of_shifts(shifts_before, shifts, now, texts);
    }
    let last = event.dates.last.unwrap_or(event.dates.first.date());
    let sentence = format!(
        "{} is in the past. No one will be able to sign up.",
        times::day(EventDate::date(last), texts)
    );
    // The shifts of an event that is over are over, too.
    [sentence].into_iter().chain(of_shifts(shifts_before, shifts, Timestamp::MIN, texts)).collect()
}

/// Returns the sentences about the shifts in `after` that are new or have other times than in `before`.
pub(super) fn of_shifts(
    before: &[ScheduledShift],
    after: &[ScheduledShift],
    now: Timestamp,
    texts: Texts,
) -> Vec<String> {
    let of_change = |after: &ScheduledShift| {
        let before = before.iter().find(|before| before.id == after.id);
        let is_same =
            |before: &ScheduledShift| before.hours == after.hours && before.interval() == after.interval();
        let was_over = before.is_some_and(|before| before.is_over(now));
        let is_over = after.is_over(now) && !was_over;
        if before.is_some_and(is_same) { None } else { of_shift(after, is_over, texts) }
    };
    let mut sentences: Vec<_> = after.iter().filter_map(of_change).collect();
    let others = sentences.len().saturating_sub(MAX_SHIFTS);
    if others > 0 {
        sentences.truncate(MAX_SHIFTS);
        let others = count(others as u64, "other shift is", "other shifts are");
        sentences.push(format!("{others} also in the past or at a time that the clocks skip."));
    }
    sentences
}

/// Returns the sentence about a new time of a shift. `is_over` says whether the time is in the past, and that is news.
fn of_shift(shift: &ScheduledShift, is_over: bool, texts: Texts) -> Option<String> {
    let (title, date, hours) = (&shift.title, shift.date().date(), shift.hours);
    let in_words = |texts| Times::of(shift.interval(), shift.first_day.zone(), texts);
    // Has times as they are written in hours.
    let times = in_words(Texts::ENGLISH);
    let next = date.tomorrow().unwrap_or(date);
    let starts_as_written = times.start.date == date && times.start.clock == hours.start().to_string();
    // Midnight is the end of the day, in whichever way it was written.
    let end = hours.end().filter(|end| !hours.ends_next_day() || end.minutes() > 0);
    let ends_as_written = match end {
        None => times.end_day().is_none() && times.end.clock == "24:00",
        Some(end) if hours.ends_next_day() => times.end.date == next && times.end.clock == end.to_string(),
        Some(end) => times.end.date == date && times.end.clock == end.to_string(),
    };
    let is_as_written =
        times.start.date == date && times.is_whole_day || starts_as_written && ends_as_written;
    let shown = in_words(texts);
    let past = if is_over { " That is in the past, so no one will be able to sign up for it." } else { "" };
    if !is_as_written {
        let is_in_the_morning = starts_as_written && hours.ends_next_day();
        let day = times::day(if is_in_the_morning { next } else { date }, texts);
        let written = hours.on_day(1).unwrap_or(hours);
        return Some(format!(
            "The clocks change on {day}, so “{title}” can’t be at {written}. It will be on {shown}.{past}"
        ));
    }
    is_over.then(|| format!("“{title}” will be on {shown}.{past}"))
}

#[cfg(test)]
mod tests {
    use jiff::civil;
    use signup_core::{Day, Hours};

    use super::*;
    use crate::sample_event::sample_event;

    /// Returns the sample event with one shift at these hours, on a day in New York.
    async fn event_on(date: civil::Date, hours: (Option<&str>, Option<&str>)) -> EventWithShifts {
        let (_, mut found) = sample_event().await;
        let day = Day::new(date.try_into().unwrap(), "America/New_York".parse().unwrap());
        (found.event.dates.first, found.event.dates.last) = (day.clone(), None);
        found.shifts[0].first_day = day;
        found.shifts[0].shift.hours = Hours::parse(hours.0, hours.1).unwrap();
        found
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[tokio::test]
    async fn a_time_that_the_clocks_skip_is_told_with_what_it_becomes() {
        let now = at("2027-01-01T00:00:00Z");
        // Clocks go forward from 02:00 to 03:00.
        let forward = civil::date(2027, 3, 14);
        for (hours, becomes) in [
            (
                (Some("02:30"), Some("05:00")),
                "02:30–05:00. It will be on Sunday 14 March 2027, 03:30–05:00 EDT (New York time).",
            ),
            (
                (Some("01:00"), Some("02:30")),
                "01:00–02:30. It will be on Sunday 14 March 2027, 01:00 EST–03:30 EDT (New York time).",
            ),
            (
                (Some("02:30"), Some("03:15")),
                "02:30–03:15. It will be on Sunday 14 March 2027, 03:30–04:15 EDT (New York time).",
            ),
        ] {
            let found = of_event(None, &event_on(forward, hours).await, now);
            assert_eq!(
                found,
                [format!("The clocks change on Sunday 14 March 2027, so “Early” can’t be at {becomes}")]
            );
        }
        let mut night = event_on(civil::date(2027, 3, 13), (None, None)).await;
        night.shifts[0].shift.hours =
            Hours::overnight("22:00".parse().unwrap(), "02:30".parse().unwrap()).unwrap();
        let found = of_event(None, &night, now);
        let becomes = "13 to 14 March 2027, Saturday 22:00 EST to Sunday 03:30 EDT (New York time).";
        let expected = format!(
            "The clocks change on Sunday 14 March 2027, so “Early” can’t be at 22:00–02:30 (next day). It will be on {becomes}"
        );
        assert_eq!(found, [expected]);
        for end in ["06:00", "00:00"] {
            night.shifts[0].shift.hours =
                Hours::overnight("22:00".parse().unwrap(), end.parse().unwrap()).unwrap();
            assert_eq!(of_event(None, &night, now), [""; 0], "{end}");
        }
        // On another day, at other times of that day, and where a time comes twice, the shift is as it was written.
        for (date, hours) in [
            (civil::date(2027, 3, 15), (Some("02:30"), Some("05:00"))),
            (forward, (Some("01:00"), Some("05:00"))),
            (forward, (None, None)),
            (forward, (Some("09:00"), None)),
            (civil::date(2027, 11, 7), (Some("01:30"), Some("05:00"))),
        ] {
            assert_eq!(of_event(None, &event_on(date, hours).await, now), [""; 0], "{date} {hours:?}");
        }
    }

    #[tokio::test]
    async fn what_a_change_moves_into_the_past_is_told() {
        let hours = (Some("09:00"), Some("12:00"));
        let after = event_on(civil::date(2027, 6, 5), hours).await;
        let over = "Saturday 5 June 2027 is in the past. No one will be able to sign up.";
        let shift_over = "“Early” will be on Saturday 5 June 2027, 09:00–12:00 EDT (New York time). That is in the past, so no one \
                          will be able to sign up for it.";
        let mut before = after.clone();
        before.event.dates.first =
            Day::new(civil::date(2027, 7, 5).try_into().unwrap(), "UTC".parse().unwrap());
        before.shifts[0].first_day = before.event.dates.first.clone();
        for (now, sentences) in [
            (at("2027-06-05T15:59:59Z"), vec![]),
            (at("2027-06-05T16:00:00Z"), vec![shift_over]),
            (at("2027-06-06T04:00:00Z"), vec![over]),
        ] {
            for before in [None, Some(&before)] {
                assert_eq!(of_event(before, &after, now), sentences, "{now}");
            }
            let unchanged = of_event(Some(&after), &after, now);
            assert_eq!(unchanged, [""; 0], "it was so before: {now}");
        }
        let now = at("2027-08-01T00:00:00Z");
        assert_eq!(of_event(Some(&before), &after, now), [""; 0], "both days are in the past");
    }

    #[tokio::test]
    async fn of_many_shifts_ten_are_told() {
        const OTHERS: &str = "2 other shifts are also in the past or at a time that the clocks skip.";
        let found = event_on(civil::date(2027, 6, 5), (Some("09:00"), Some("12:00"))).await;
        let shifts = vec![found.shifts[0].clone(); 12];
        let sentences = of_shifts(&[], &shifts, at("2027-06-05T16:00:00Z"), Texts::ENGLISH);
        assert_eq!((sentences.len(), &*sentences[10]), (11, OTHERS));
    }
}
