//! Times for display: dates in words, and wall-clock times in the event's zone with their UTC offset. They are written as the
//! language of the event does. The examples here are English.
//!
//! Times are derived from the instants of a shift, not from its stored hours. If a clock change moves a shift, the page
//! shows the time at which the shift takes place.

use std::fmt;

use jiff::civil::{Date, DateTime, Time};
use jiff::{SignedDuration, Timestamp};
use signup_core::{Event, EventDate, Interval, Language, LocalDateTime, Zone};

use crate::texts::{Texts, capitalized};

/// The day, the start and the end of a shift, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Times {
    /// The day of the start, such as `Saturday 6 March 2027`.
    pub(crate) date: String,
    pub(crate) start: Moment,
    pub(crate) end: Moment,
    /// Whether the shift lasts from the first to the last instant of its day.
    pub(crate) is_whole_day: bool,
    /// Whether the shift ends with the last instant of its day.
    ends_with_its_day: bool,
    /// The zone in words, such as `New York time`.
    pub(crate) zone: String,
    texts: Texts,
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
    /// The hour of the day, from 0 to 23.
    hour: i8,
    /// The zone's abbreviation of the offset, such as `EST`, or `UTC+03`.
    pub(crate) offset: String,
}

impl Times {
    pub(crate) fn of(interval: Interval, zone: &Zone, texts: Texts) -> Self {
        let moment = |instant| Moment::of(instant, zone, texts);
        let (start, mut end) = (moment(interval.start), moment(interval.end));
        let is_first_instant = |instant, date: Result<Date, _>| {
            let first = date.and_then(|date| date.to_zoned_datetime(zone.rules().clone()));
            first.is_ok_and(|first| first.timestamp() == instant)
        };
        let ends_with_its_day = is_first_instant(interval.end, start.date.tomorrow());
        if ends_with_its_day {
            // At whatever time the next day begins.
            end.clock = texts.end_of_day();
        }
        Self {
            date: day(start.date, texts),
            ends_with_its_day,
            is_whole_day: ends_with_its_day && is_first_instant(interval.start, Ok(start.date)),
            start,
            end,
            zone: zone_in_words(zone, texts),
            texts,
        }
    }

    /// Returns the start, such as `09:00` or `all day`, or beside shifts of other days `Saturday 6 March, 09:00`.
    pub(crate) fn start_in_words(&self, has_days: bool) -> String {
        let start = if self.is_whole_day { self.texts.all_day() } else { self.start.clock.clone() };
        if has_days {
            self.texts.date_and_start(day_of_year(self.start.date, self.texts), start)
        } else {
            start
        }
    }

    /// Returns what a page shows in place of start and end for a whole day: `All day`.
    pub(crate) fn all_day(&self) -> String {
        capitalized(&self.texts.all_day())
    }

    /// Returns the day of the start at the beginning of a line.
    pub(crate) fn heading(&self) -> String {
        capitalized(&self.date)
    }

    /// Returns the part of the day in which the shift starts.
    pub(crate) fn part_of_day(&self) -> PartOfDay {
        match self.start.hour {
            _ if self.is_whole_day => PartOfDay::Whole,
            0..6 => PartOfDay::Night,
            6..12 => PartOfDay::Morning,
            12..18 => PartOfDay::Afternoon,
            _ => PartOfDay::Evening,
        }
    }

    /// Returns the weekday of the end, such as `Sunday`, if the end is on a later day than the start.
    pub(crate) fn end_day(&self) -> Option<String> {
        let date = self.end.date;
        (date != self.start.date && !self.ends_with_its_day).then(|| weekday(date, self.texts))
    }

    /// Returns start and end without the day and the zone, such as `09:00–12:30`, `All day`, or over midnight `22:00–06:00 (Sun)`.
    /// Start and end have their UTC offsets if these differ.
    pub(crate) fn clocks(&self) -> String {
        let Self { start, end, .. } = self;
        let words = |moment: &Moment| match self.has_change() {
            true => format!("{} {}", moment.clock, moment.offset),
            false => moment.clock.clone(),
        };
        match self.end_day() {
            _ if self.is_whole_day => self.all_day(),
            None => format!("{}–{}", words(start), words(end)),
            Some(_) => format!("{}–{} ({})", words(start), words(end), end.date.strftime("%a")),
        }
    }

    /// Returns the day, the start and the end for a list in the console, such as `Sun 29 Nov, 14:00–16:00`.
    pub(crate) fn short(&self) -> String {
        let clocks = if self.is_whole_day { self.texts.all_day() } else { self.clocks() };
        format!("{}, {clocks}", short_day(self.start.date, self.texts))
    }

    /// Returns the day, the start and the end at the beginning of a line, without offset and zone.
    pub(crate) fn line(&self) -> String {
        capitalized(&self.between(self.start.clock.clone(), self.end.clock.clone()))
    }

    /// Returns the days with the words for start and end, or a whole day.
    fn between(&self, starts: String, ends: String) -> String {
        let Self { date, start, end, texts, .. } = self;
        match self.end_day() {
            _ if self.is_whole_day => texts.times_all_day(date),
            None => texts.times_of_day(date, starts, ends),
            Some(day) => {
                let dates = dates(start.date, end.date, *texts);
                texts.times_overnight(dates, weekday(start.date, *texts), starts, day, ends)
            }
        }
    }

    /// Returns whether the UTC offset changes between start and end.
    pub(crate) fn has_change(&self) -> bool {
        self.start.offset != self.end.offset
    }
}

/// A part of a day, in the order of the day. Each but the first lasts six hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PartOfDay {
    Whole,
    Night,
    Morning,
    Afternoon,
    Evening,
}

impl PartOfDay {
    /// Returns the part as a heading, such as `Morning`.
    pub(crate) fn heading(self, texts: Texts) -> String {
        match self {
            Self::Whole => capitalized(&texts.all_day()),
            Self::Night => texts.part_night(),
            Self::Morning => texts.part_morning(),
            Self::Afternoon => texts.part_afternoon(),
            Self::Evening => texts.part_evening(),
        }
    }
}

/// Formats the times as `Saturday 6 March 2027, 09:00–12:30 EST (New York time)`, `Saturday 6 March 2027, all day (New York
/// time)`, or over midnight as `6 to 7 March 2027, Saturday 22:00 to Sunday 06:00 EST (New York time)`. The start has an offset of
/// its own if the UTC offset changes between start and end.
impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { start, end, is_whole_day, zone, .. } = self;
        let with_offset = |moment: &Moment| format!("{} {}", moment.clock, moment.offset);
        let starts = if self.has_change() { with_offset(start) } else { start.clock.clone() };
        let ends = with_offset(end);
        f.write_str(&self.between(starts, ends))?;
        // `UTC (UTC)` would say nothing new.
        if end.offset == *zone && !is_whole_day { Ok(()) } else { write!(f, " ({zone})") }
    }
}

impl Moment {
    pub(crate) fn of(instant: Timestamp, zone: &Zone, texts: Texts) -> Self {
        let info = zone.rules().to_offset_info(instant);
        let wall = info.offset().to_datetime(instant);
        let offset = match info.abbreviation() {
            number if number.starts_with(['+', '-']) => format!("UTC{number}"),
            name => name.to_owned(),
        };
        Self {
            date: wall.date(),
            iso: instant.display_with_offset(info.offset()).to_string(),
            clock: clock(wall, texts),
            hour: wall.hour(),
            offset,
        }
    }
}

/// Returns what the clocks of a zone show at an instant.
pub(crate) fn wall(instant: Timestamp, zone: &Zone) -> DateTime {
    zone.rules().to_datetime(instant)
}

/// Formats a time of day, such as `09:00`, or `9:00 AM` in American English.
pub(crate) fn clock(wall: DateTime, texts: Texts) -> String {
    wall.strftime(if is_american(texts) { "%-I:%M %p" } else { "%H:%M" }).to_string()
}

fn is_american(texts: Texts) -> bool {
    texts.language() == Language::EnUs
}

/// Formats an instant in a zone, such as `6 March 2027, 09:00 EST`.
pub(crate) fn moment(at: Timestamp, zone: &Zone, texts: Texts) -> String {
    let Moment { date, clock, offset, .. } = Moment::of(at, zone, texts);
    texts.moment(plain_date(date, texts), clock, offset)
}

/// Formats an instant in a zone for a list in the console, such as `6 Mar 2027, 09:00`.
pub(crate) fn short_moment(at: Timestamp, zone: &Zone, texts: Texts) -> String {
    let wall = wall(at, zone);
    let date = wall.strftime(if is_american(texts) { "%b %-d, %Y" } else { "%-d %b %Y" });
    format!("{date}, {}", clock(wall, texts))
}

/// Formats a date for a list in the console, such as `Sat 6 Mar`, or `Sat, Mar 6` in American English.
pub(crate) fn short_day(date: Date, texts: Texts) -> String {
    date.strftime(if is_american(texts) { "%a, %b %-d" } else { "%a %-d %b" }).to_string()
}

/// Formats the opening or the closing of the sign-ups for an event, such as `Monday 1 March at 18:00`. Names the year if it is
/// another one than that of the event's first day.
pub(crate) fn opening(at: Timestamp, event: &Event) -> String {
    let (first, texts) = (&event.dates.first, Texts::of(event.language));
    let wall = wall(at, first.zone());
    let is_in_its_year = wall.year() == first.date().date().year();
    let date = if is_in_its_year { day_of_year(wall.date(), texts) } else { day(wall.date(), texts) };
    texts.opening(date, clock(wall, texts))
}

/// Formats a date and a time of day that were written, such as `Monday 1 March 2027 at 18:00`.
pub(crate) fn local(at: LocalDateTime, texts: Texts) -> String {
    let (date, minutes) = (at.date().date(), i64::from(at.time().minutes()));
    let wall = date.to_datetime(Time::midnight()).saturating_add(SignedDuration::from_mins(minutes));
    texts.opening(day(date, texts), clock(wall, texts))
}

/// Formats two dates without their weekdays, such as `6 to 7 March 2027`.
fn dates(first: Date, last: Date, texts: Texts) -> String {
    let start = match shared(first, last, texts) {
        Shared::Month => day_number(first, texts),
        Shared::Year => texts.plain_date_without_year(day_number(first, texts), month(first, texts)),
        Shared::Nothing => plain_date(first, texts),
    };
    texts.date_range(start, plain_date(last, texts))
}

/// What two dates share, so that a range of them names it only once.
enum Shared {
    Month,
    Year,
    Nothing,
}

fn shared(first: Date, last: Date, texts: Texts) -> Shared {
    match (first.year() == last.year(), first.month() == last.month()) {
        // American English begins a date with its month.
        (true, true) if !is_american(texts) => Shared::Month,
        (true, _) => Shared::Year,
        (false, _) => Shared::Nothing,
    }
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
        let of = times(&shift);
        let date = of.start.date;
        match days.last_mut() {
            Some(last) if last.date == date => last.shifts.push(shift),
            _ => days.push(OfDay { date, heading: Some(of.heading()), shifts: vec![shift] }),
        }
    }
    if let [only] = days.as_mut_slice() {
        only.heading = None;
    }
    days
}

/// Returns the local date on which an interval starts.
pub(crate) fn date(interval: Interval, zone: &Zone) -> Date {
    wall(interval.start, zone).date()
}

/// Returns a zone in words, such as `New York time`, or `UTC`.
pub(crate) fn zone_in_words(zone: &Zone, texts: Texts) -> String {
    /// The areas of the database whose zones have the names of places.
    const AREAS: [&str; 9] =
        ["Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"];
    match zone.name().split_once('/') {
        Some((area, rest)) if AREAS.contains(&area) => {
            let place = rest.rsplit('/').next().unwrap_or(rest);
            texts.zone_of_place(place.replace('_', " "))
        }
        _ => zone.name().to_owned(),
    }
}

/// Formats a date in words, such as `Saturday 6 March 2027`.
pub(crate) fn day(date: Date, texts: Texts) -> String {
    texts.date(weekday(date, texts), day_number(date, texts), month(date, texts), date.year())
}

/// Formats a date in words without its year, such as `Saturday 6 March`.
pub(crate) fn day_of_year(date: Date, texts: Texts) -> String {
    texts.date_without_year(weekday(date, texts), day_number(date, texts), month(date, texts))
}

fn plain_date(date: Date, texts: Texts) -> String {
    texts.plain_date(day_number(date, texts), month(date, texts), date.year())
}

fn weekday(date: Date, texts: Texts) -> String {
    texts.weekday(date.weekday().to_monday_one_offset())
}

fn day_number(date: Date, texts: Texts) -> String {
    texts.day_of_month(date.day())
}

fn month(date: Date, texts: Texts) -> String {
    texts.month(date.month())
}

/// Formats the days of an event, at the beginning of a line: one day, or the first and the last, such as `Friday 18 to Sunday 20
/// December 2026`.
pub(crate) fn days(event: &Event) -> String {
    let (dates, texts) = (&event.dates, Texts::of(event.language));
    let (first, last) = (dates.first.date().date(), dates.last.map(EventDate::date));
    capitalized(&range(first, last, texts))
}

/// Formats successive days as [`days`] does.
pub(crate) fn days_between(first: Date, last: Date, texts: Texts) -> String {
    capitalized(&range(first, Some(last), texts))
}

fn range(first: Date, last: Option<Date>, texts: Texts) -> String {
    let Some(last) = last.filter(|last| *last != first) else { return day(first, texts) };
    let start = match shared(first, last, texts) {
        Shared::Month => texts.date_without_month(weekday(first, texts), day_number(first, texts)),
        Shared::Year => day_of_year(first, texts),
        Shared::Nothing => day(first, texts),
    };
    texts.date_range(start, day(last, texts))
}

#[cfg(test)]
mod tests;
