//! The calendar of the list of events: a month as a grid of weeks.

use jiff::ToSpan as _;
use jiff::civil::Date;
use signup_core::EventDate;

use super::count;
use crate::page::Bar;

/// An event in the calendar.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) first: Date,
    pub(super) last: Date,
    pub(super) title: String,
    /// The path of the event's page.
    pub(super) path: String,
    /// How many places are filled, in words and as a bar. `None` for an event without places.
    pub(super) need: Option<(String, Bar)>,
}

#[derive(Debug)]
pub(super) struct Month {
    /// The name with the year, such as `March 2027`.
    pub(super) name: String,
    /// The weeks from Monday to Sunday. Days of other months are `None`.
    pub(super) weeks: Vec<[Option<Day>; 7]>,
    /// The months before and after, such as `2027-02`.
    pub(super) previous: Option<String>,
    pub(super) next: Option<String>,
    /// Whether the month has more events than these.
    pub(super) has_more: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Day {
    pub(super) number: i8,
    pub(super) date: Date,
    pub(super) is_today: bool,
    pub(super) events: Option<OfDay>,
}

/// The events of a day.
#[derive(Debug, Clone)]
pub(super) struct OfDay {
    /// The page of the only event. `None` for several events.
    pub(super) path: Option<String>,
    /// What screen readers say after the number of the day.
    pub(super) words: String,
    /// The places of all events of the day.
    pub(super) bar: Option<Bar>,
}

/// Returns the month of a day. `entries` are its events.
pub(super) fn month(day: Date, entries: &[Entry], has_more: bool, today: Date) -> Month {
    let first = day.first_of_month();
    let before = usize::try_from(first.weekday().to_monday_zero_offset()).unwrap_or(0);
    let days = first.series(1.day()).take_while(|date| date.month() == first.month());
    let days = days.map(|date| {
        Some(Day { number: date.day(), date, is_today: date == today, events: of_day(date, entries) })
    });
    let mut cells: Vec<_> = std::iter::repeat_n(None, before).chain(days).collect();
    cells.resize(cells.len().next_multiple_of(7), None);
    let (weeks, _) = cells.as_chunks::<7>();
    let named = |day: Result<Date, jiff::Error>| {
        let day = day.ok().filter(|day| EventDate::try_from(*day).is_ok())?;
        Some(day.strftime("%Y-%m").to_string())
    };
    Month {
        name: first.strftime("%B %Y").to_string(),
        weeks: weeks.to_vec(),
        previous: named(first.yesterday()),
        next: named(first.checked_add(1.month())),
        has_more,
    }
}

fn of_day(date: Date, entries: &[Entry]) -> Option<OfDay> {
    let on: Vec<_> = entries.iter().filter(|entry| entry.first <= date && date <= entry.last).collect();
    let first = on.first()?;
    let bars = on.iter().filter_map(|entry| entry.need.as_ref()).map(|(_, bar)| bar);
    let bar = bars.copied().reduce(|one, other| Bar {
        filled: one.filled + other.filled,
        capacity: one.capacity + other.capacity,
    });
    let titles = on.iter().map(|entry| match &entry.need {
        Some((words, _)) => format!("{}, {words}", entry.title),
        None => entry.title.clone(),
    });
    let titles = titles.collect::<Vec<_>>().join("; ");
    let (path, words) = match on.len() {
        1 => (Some(first.path.clone()), titles),
        several => (None, format!("{}: {titles}", count(several as u64, "event", "events"))),
    };
    Some(OfDay { path, words, bar })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> Date {
        text.parse().unwrap()
    }

    fn entry(title: &str, first: &str, last: &str, filled: u64) -> Entry {
        Entry {
            first: date(first),
            last: date(last),
            title: title.to_owned(),
            path: format!("/{title}"),
            need: (filled > 0).then(|| ("2 of 9 still needed".to_owned(), Bar { filled, capacity: 9 })),
        }
    }

    #[test]
    fn a_month_has_the_days_of_its_events_and_leads_to_the_months_beside_it() {
        let entries = [
            entry("A", "2027-01-30", "2027-02-02", 1),
            entry("B", "2027-02-27", "2027-03-01", 1),
            entry("C", "2028-02-10", "2028-02-10", 1),
        ];
        let month = month(date("2027-02-14"), &entries, false, date("2027-01-31"));
        let days = month.weeks.iter().flatten().flatten();
        let numbers: Vec<_> = days.filter(|day| day.events.is_some()).map(|day| day.number).collect();
        assert_eq!((&*month.name, &*numbers), ("February 2027", &[1, 2, 27, 28][..]));
        assert_eq!((month.previous.as_deref(), month.next.as_deref()), (Some("2027-01"), Some("2027-03")));
    }

    #[test]
    fn a_week_begins_on_monday_and_has_seven_days() {
        let month = month(date("2027-08-31"), &[], false, date("2027-08-31"));
        let numbers: Vec<Vec<_>> = month
            .weeks
            .iter()
            .map(|week| week.iter().map(|day| day.as_ref().map_or(0, |day| day.number)).collect())
            .collect();
        assert_eq!(numbers[0], [0, 0, 0, 0, 0, 0, 1], "1 August 2027 is a Sunday");
        assert_eq!((numbers.len(), &*numbers[5]), (6, &[30, 31, 0, 0, 0, 0, 0][..]));
        let today: Vec<_> = month.weeks.iter().flatten().flatten().filter(|day| day.is_today).collect();
        assert_eq!(today.iter().map(|day| day.number).collect::<Vec<_>>(), [31]);
    }

    #[test]
    fn a_day_leads_to_its_only_event_and_has_the_places_of_all() {
        let entries = [
            entry("A", "2027-03-06", "2027-03-07", 7),
            entry("B", "2027-03-07", "2027-03-07", 2),
            entry("C", "2027-03-07", "2027-03-07", 0),
        ];
        let of = |text: &str| of_day(date(text), &entries).map(|day| (day.path, day.words, day.bar));
        let alone = (
            Some("/A".to_owned()),
            "A, 2 of 9 still needed".to_owned(),
            Some(Bar { filled: 7, capacity: 9 }),
        );
        assert_eq!(of("2027-03-06"), Some(alone));
        let words = "3 events: A, 2 of 9 still needed; B, 2 of 9 still needed; C".to_owned();
        assert_eq!(of("2027-03-07"), Some((None, words, Some(Bar { filled: 9, capacity: 18 }))));
        assert_eq!(of("2027-03-08"), None);
    }
}
