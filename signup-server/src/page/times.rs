//! Times for display: dates in words, and wall-clock times in the event's zone with their UTC offset.
//!
//! Times are derived from the instants of a shift, not from its stored hours. If a clock change moves a shift, the page
//! shows the time at which the shift takes place.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use signup_core::{Event, Interval, Zone};

/// The clock of an end at the first instant of the next day, at whatever time the next day begins.
const END_OF_DAY: &str = "24:00";

/// The day, the start and the end of a shift, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Times {
    /// The day of the start, such as `Saturday 6 March 2027`.
    pub(crate) date: String,
    pub(crate) start: Moment,
    pub(crate) end: Moment,
    /// Whether the shift lasts from the first to the last instant of its day.
    pub(crate) is_whole_day: bool,
    /// The zone in words, such as `New York time`.
    pub(crate) zone: String,
}

/// An instant in a zone, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Moment {
    /// The machine-readable date, such as `2027-03-06`.
    pub(crate) date: Date,
    /// The machine-readable form with its offset, such as `2027-03-06T09:00:00-05:00`.
    pub(crate) iso: String,
    /// The wall-clock time, such as `09:00`, and `24:00` for the end of the day.
    pub(crate) clock: String,
    /// The zone's abbreviation of the offset, such as `EST`, or `UTC+03`.
    pub(crate) offset: String,
}

impl Times {
    pub(crate) fn of(interval: Interval, zone: &Zone) -> Self {
        let (start, mut end) = (Moment::of(interval.start, zone), Moment::of(interval.end, zone));
        let is_first_instant = |instant, date: Result<Date, _>| {
            let first = date.and_then(|date| date.to_zoned_datetime(zone.rules().clone()));
            first.is_ok_and(|first| first.timestamp() == instant)
        };
        let ends_with_its_day = is_first_instant(interval.end, start.date.tomorrow());
        if ends_with_its_day {
            end.clock = END_OF_DAY.to_owned();
        }
        Self {
            date: day(start.date),
            is_whole_day: ends_with_its_day && is_first_instant(interval.start, Ok(start.date)),
            start,
            end,
            zone: zone_in_words(zone),
        }
    }

    /// Returns the start, such as `09:00` or `all day`, or beside shifts of other days `Saturday 6 March, 09:00`.
    pub(crate) fn start_in_words(&self, has_days: bool) -> String {
        let start = if self.is_whole_day { "all day" } else { &self.start.clock };
        if has_days { format!("{}, {start}", day_of_year(self.start.date)) } else { start.to_owned() }
    }

    /// Returns the weekday of the end, such as `Sunday`, if the end is on a later day than the start.
    pub(crate) fn end_day(&self) -> Option<String> {
        let Moment { date, clock, .. } = &self.end;
        (*date != self.start.date && clock != END_OF_DAY).then(|| date.strftime("%A").to_string())
    }

    /// Returns whether the UTC offset changes between start and end.
    pub(crate) fn has_change(&self) -> bool {
        self.start.offset != self.end.offset
    }
}

/// Formats the times as `Saturday 6 March 2027, 09:00–12:30 EST (New York time)`, `Saturday 6 March 2027, all day (New York
/// time)`, or over midnight as `6 to 7 March 2027, Saturday 22:00 to Sunday 06:00 EST (New York time)`. The start has an offset of
/// its own if the UTC offset changes between start and end.
impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { date, start, end, is_whole_day, zone } = self;
        if *is_whole_day {
            return write!(f, "{date}, all day ({zone})");
        }
        let end_day = self.end_day();
        match &end_day {
            None => write!(f, "{date}, {}", start.clock)?,
            Some(_) => {
                let dates = dates(start.date, end.date);
                write!(f, "{dates}, {} {}", start.date.strftime("%A"), start.clock)?;
            }
        }
        if self.has_change() {
            write!(f, " {}", start.offset)?;
        }
        match end_day {
            None => write!(f, "–{} {}", end.clock, end.offset)?,
            Some(day) => write!(f, " to {day} {} {}", end.clock, end.offset)?,
        }
        // `UTC (UTC)` would say nothing new.
        if end.offset == *zone { Ok(()) } else { write!(f, " ({zone})") }
    }
}

impl Moment {
    fn of(instant: Timestamp, zone: &Zone) -> Self {
        let info = zone.rules().to_offset_info(instant);
        let wall = info.offset().to_datetime(instant);
        let offset = match info.abbreviation() {
            number if number.starts_with(['+', '-']) => format!("UTC{number}"),
            name => name.to_owned(),
        };
        Self {
            date: wall.date(),
            iso: instant.display_with_offset(info.offset()).to_string(),
            clock: wall.strftime("%H:%M").to_string(),
            offset,
        }
    }
}

fn wall(instant: Timestamp, zone: &Zone) -> DateTime {
    zone.rules().to_datetime(instant)
}

/// Formats an instant in a zone, such as `6 March 2027, 09:00 EST`.
pub(crate) fn moment(at: Timestamp, zone: &Zone) -> String {
    let Moment { clock, offset, .. } = Moment::of(at, zone);
    format!("{}, {clock} {offset}", wall(at, zone).strftime("%-d %B %Y"))
}

/// Formats the opening or the closing of the sign-ups for an event, such as `Monday 1 March at 18:00`. Names the year if it is another one
/// than that of the event's first day.
pub(crate) fn opening(at: Timestamp, event: &Event) -> String {
    let first = &event.dates.first;
    let wall = wall(at, first.zone());
    let is_in_its_year = wall.year() == first.date().date().year();
    let date = if is_in_its_year { day_of_year(wall.date()) } else { day(wall.date()) };
    format!("{date} at {}", wall.strftime("%H:%M"))
}

/// Formats two dates without their weekdays, such as `6 to 7 March 2027`.
fn dates(first: Date, last: Date) -> String {
    let start = match (first.year() == last.year(), first.month() == last.month()) {
        (true, true) => "%-d",
        (true, false) => "%-d %B",
        (false, _) => "%-d %B %Y",
    };
    format!("{} to {}", first.strftime(start), last.strftime("%-d %B %Y"))
}

/// The shifts of one day of a page.
#[derive(Debug)]
pub(crate) struct OfDay<T> {
    /// The day on which the shifts begin.
    pub(crate) date: Date,
    /// The heading of the day. `None` if no shift of the page is on another day.
    pub(crate) heading: Option<String>,
    pub(crate) shifts: Vec<T>,
}

/// Groups shifts in running order by the day on which each begins.
pub(crate) fn by_day<T>(shifts: impl IntoIterator<Item = T>, times: impl Fn(&T) -> &Times) -> Vec<OfDay<T>> {
    let mut days: Vec<OfDay<T>> = vec![];
    for shift in shifts {
        let date = times(&shift).start.date;
        match days.last_mut() {
            Some(last) if last.date == date => last.shifts.push(shift),
            _ => days.push(OfDay { date, heading: None, shifts: vec![shift] }),
        }
    }
    if days.len() > 1 {
        days.iter_mut().for_each(|of_day| of_day.heading = Some(day(of_day.date)));
    }
    days
}

/// Returns the local date on which an interval starts.
pub(crate) fn date(interval: Interval, zone: &Zone) -> Date {
    wall(interval.start, zone).date()
}

/// Returns a zone in words, such as `New York time`, or `UTC`.
pub(crate) fn zone_in_words(zone: &Zone) -> String {
    /// The areas of the database whose zones have the names of places.
    const AREAS: [&str; 9] =
        ["Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"];
    match zone.name().split_once('/') {
        Some((area, rest)) if AREAS.contains(&area) => {
            let place = rest.rsplit('/').next().unwrap_or(rest);
            format!("{} time", place.replace('_', " "))
        }
        _ => zone.name().to_owned(),
    }
}

/// Formats a date in words, such as `Saturday 6 March 2027`.
pub(crate) fn day(date: Date) -> String {
    date.strftime("%A %-d %B %Y").to_string()
}

/// Formats a date in words without its year, such as `Saturday 6 March`.
pub(crate) fn day_of_year(date: Date) -> String {
    date.strftime("%A %-d %B").to_string()
}

/// Formats the days of an event: one day, or the first and the last, such as `Friday 18 to Sunday 20 December 2026`.
pub(crate) fn days(first: Date, last: Option<Date>) -> String {
    let Some(last) = last.filter(|last| *last != first) else { return day(first) };
    let start = match (first.year() == last.year(), first.month() == last.month()) {
        (true, true) => first.strftime("%A %-d").to_string(),
        (true, false) => day_of_year(first),
        (false, _) => day(first),
    };
    format!("{start} to {}", day(last))
}

#[cfg(test)]
mod tests {
    use signup_core::{Day, Hours};

    use super::*;

    fn times(zone: &str, date: &str, start: Option<&str>, end: Option<&str>) -> Times {
        let zone: Zone = zone.parse().unwrap();
        let day = Day::new(date.parse().unwrap(), zone.clone());
        Times::of(day.interval(Hours::parse(start, end).unwrap()), &zone)
    }

    fn shown(zone: &str, date: &str, start: Option<&str>, end: Option<&str>) -> String {
        times(zone, date, start, end).to_string()
    }

    #[test]
    fn times_are_shown_in_the_zone_of_the_event() {
        assert_eq!(
            shown("America/New_York", "2027-03-06", Some("09:00"), Some("12:30")),
            "Saturday 6 March 2027, 09:00–12:30 EST (New York time)"
        );
        assert_eq!(
            shown("Asia/Dubai", "2027-03-06", None, None),
            "Saturday 6 March 2027, all day (Dubai time)"
        );
    }

    #[test]
    fn a_clock_change_is_shown_in_times_and_offsets() {
        // Clocks jump from 02:00 to 03:00, so 02:30 does not exist.
        assert_eq!(
            shown("America/New_York", "2027-03-14", Some("02:30"), Some("05:00")),
            "Sunday 14 March 2027, 03:30–05:00 EDT (New York time)"
        );
        assert_eq!(
            shown("America/New_York", "2027-03-14", Some("01:00"), Some("05:00")),
            "Sunday 14 March 2027, 01:00 EST–05:00 EDT (New York time)"
        );
        assert_eq!(
            shown("America/New_York", "2027-11-07", Some("00:30"), None),
            "Sunday 7 November 2027, 00:30 EDT–24:00 EST (New York time)"
        );
    }

    #[test]
    fn a_whole_day_is_all_day_whatever_the_clocks_do() {
        for (zone, date, start, end, is_whole_day) in [
            ("UTC", "2027-03-14", None, None, true),
            ("UTC", "2027-03-14", Some("00:00"), Some("23:59"), false),
            ("UTC", "2027-03-14", Some("00:01"), None, false),
            // A day of 23 hours, one of 25 hours, and one whose clocks began at 01:00.
            ("America/New_York", "2027-03-14", None, None, true),
            ("America/New_York", "2027-11-07", None, None, true),
            ("America/Sao_Paulo", "2018-11-04", None, None, true),
        ] {
            assert_eq!(times(zone, date, start, end).is_whole_day, is_whole_day, "{zone}, {date}");
        }
    }

    #[test]
    fn the_days_of_an_event_share_what_they_have_in_common() {
        for (first, last, words) in [
            ("2026-12-05", None, "Saturday 5 December 2026"),
            ("2026-12-05", Some("2026-12-05"), "Saturday 5 December 2026"),
            ("2026-12-18", Some("2026-12-20"), "Friday 18 to Sunday 20 December 2026"),
            ("2026-11-30", Some("2026-12-01"), "Monday 30 November to Tuesday 1 December 2026"),
            ("2026-12-31", Some("2027-01-01"), "Thursday 31 December 2026 to Friday 1 January 2027"),
        ] {
            assert_eq!(days(first.parse().unwrap(), last.map(|last| last.parse().unwrap())), words);
        }
    }

    #[test]
    fn a_zone_is_a_place_in_words() {
        for (zone, words) in [
            ("America/New_York", "New York time"),
            ("America/Argentina/Buenos_Aires", "Buenos Aires time"),
            ("UTC", "UTC"),
            ("Etc/GMT+5", "Etc/GMT+5"),
        ] {
            assert_eq!(zone_in_words(&zone.parse().unwrap()), words);
        }
    }

    #[test]
    fn an_end_with_its_day_is_at_24_00_at_whatever_time_the_next_day_begins() {
        // The clocks of Havana jump from 00:00 to 01:00. Samoa skipped 30 December 2011.
        for (zone, date, words) in [
            ("America/Havana", "2026-03-07", "Saturday 7 March 2026, 20:00 CST–24:00 CDT (Havana time)"),
            (
                "Pacific/Apia",
                "2011-12-29",
                "Thursday 29 December 2011, 20:00 UTC-10–24:00 UTC+14 (Apia time)",
            ),
        ] {
            assert_eq!(shown(zone, date, Some("20:00"), None), words);
        }
    }

    #[test]
    fn an_end_on_another_day_shows_its_date() {
        // The clocks jump from 23:00 to 00:00.
        let times = times("America/Nuuk", "2027-03-27", Some("20:00"), Some("23:30"));
        assert_eq!(
            times.to_string(),
            "27 to 28 March 2027, Saturday 20:00 UTC-02 to Sunday 00:30 UTC-01 (Nuuk time)"
        );
        assert_eq!((times.end.clock.as_str(), times.end_day().as_deref()), ("00:30", Some("Sunday")));
    }

    #[test]
    fn a_night_says_its_morning() {
        for (zone, date, start, end, words) in [
            ("UTC", "2027-03-06", "22:00", "06:00", "6 to 7 March 2027, Saturday 22:00 to Sunday 06:00 UTC"),
            (
                "America/New_York",
                "2027-03-13",
                "22:00",
                "06:00",
                "13 to 14 March 2027, Saturday 22:00 EST to Sunday 06:00 EDT (New York time)",
            ),
            (
                "UTC",
                "2026-12-31",
                "10:00",
                "10:00",
                "31 December 2026 to 1 January 2027, Thursday 10:00 to Friday 10:00 UTC",
            ),
            ("UTC", "2027-03-31", "20:00", "00:00", "Wednesday 31 March 2027, 20:00–24:00 UTC"),
        ] {
            let zone: Zone = zone.parse().unwrap();
            let night = Hours::overnight(start.parse().unwrap(), end.parse().unwrap()).unwrap();
            let interval = Day::new(date.parse().unwrap(), zone.clone()).interval(night);
            assert_eq!(Times::of(interval, &zone).to_string(), words);
        }
    }

    #[test]
    fn an_opening_names_its_year_only_if_the_event_is_in_another() {
        let (id, organization) = (signup_core::EventId::NONE, signup_core::OrganizationId::NONE);
        let first = Day::new("2027-03-20".parse().unwrap(), "America/New_York".parse().unwrap());
        let dates = signup_core::EventDates { first, last: None };
        let title = "Food drive".parse().unwrap();
        let event =
            Event::new(id, organization, title, "food-drive".to_owned(), dates, Timestamp::UNIX_EPOCH);
        for (at, words) in [
            ("2027-03-01T23:00:00Z", "Monday 1 March at 18:00"),
            ("2026-12-31T23:00:00Z", "Thursday 31 December 2026 at 18:00"),
            // In the gap of the clock change, 02:30 is 03:30.
            ("2027-03-14T07:30:00Z", "Sunday 14 March at 03:30"),
        ] {
            assert_eq!(opening(at.parse().unwrap(), &event), words);
        }
    }
}
