//! The calendar of the list of events: a grid of weeks for each month that has events.

use jiff::ToSpan as _;
use jiff::civil::Date;

use super::count;
use crate::page::Bar;

/// The number of months that the calendar shows.
const MAX_MONTHS: usize = 3;

/// An event in the calendar.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) first: Date,
    pub(super) last: Date,
    pub(super) title: String,
    /// The path of the event's page.
    pub(super) path: String,
    /// The id of the event's line in the list.
    pub(super) line: String,
    /// What the event needs, in words and as a bar. `None` for a draft, and for an event without open shifts.
    pub(super) need: Option<(String, Bar)>,
}

#[derive(Debug)]
pub(super) struct Month {
    /// The name with the year, such as `March 2027`.
    pub(super) name: String,
    /// The weeks from Monday to Sunday. Days of other months are `None`.
    pub(super) weeks: Vec<[Option<Day>; 7]>,
}

#[derive(Debug, Clone)]
pub(super) struct Day {
    pub(super) number: i8,
    pub(super) is_today: bool,
    pub(super) events: Option<OfDay>,
}

/// The events of a day.
#[derive(Debug, Clone)]
pub(super) struct OfDay {
    /// The page of the only event, or the line of the first of several.
    pub(super) link: String,
    /// What screen readers say after the number of the day.
    pub(super) words: String,
    /// The places of all events of the day.
    pub(super) bar: Option<Bar>,
}

/// Returns the first months, from the present one on, on whose days one of the events takes place.
pub(super) fn months(entries: &[Entry], today: Date) -> Vec<Month> {
    let mut months = vec![];
    let mut next = entries.iter().filter_map(|entry| month_from(entry, today.first_of_month())).min();
    while let Some(first) = next
        && months.len() < MAX_MONTHS
    {
        months.push(month(first, entries, today));
        next = first
            .checked_add(1.month())
            .ok()
            .and_then(|after| entries.iter().filter_map(|entry| month_from(entry, after)).min());
    }
    months
}

/// Returns the first day of the first month, not before the one that begins on `from`, in which an event takes place.
fn month_from(entry: &Entry, from: Date) -> Option<Date> {
    (entry.last >= from).then(|| entry.first.first_of_month().max(from))
}

fn month(first: Date, entries: &[Entry], today: Date) -> Month {
    let before = usize::try_from(first.weekday().to_monday_zero_offset()).unwrap_or(0);
    let days = first.series(1.day()).take_while(|date| date.month() == first.month());
    let days = days
        .map(|date| Some(Day { number: date.day(), is_today: date == today, events: of_day(date, entries) }));
    let mut cells: Vec<_> = std::iter::repeat_n(None, before).chain(days).collect();
    cells.resize(cells.len().next_multiple_of(7), None);
    let (weeks, _) = cells.as_chunks::<7>();
    Month { name: first.strftime("%B %Y").to_string(), weeks: weeks.to_vec() }
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
    let (link, words) = match on.len() {
        1 => (first.path.clone(), titles),
        several => {
            (format!("#{}", first.line), format!("{}: {titles}", count(several as u64, "event", "events")))
        }
    };
    Some(OfDay { link, words, bar })
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
            line: format!("line-{title}"),
            need: (filled > 0).then(|| ("2 of 9 still needed".to_owned(), Bar { filled, capacity: 9 })),
        }
    }

    /// Returns the names of the months, each with the days that have events.
    fn shown(entries: &[Entry], today: &str) -> Vec<String> {
        let months = months(entries, date(today));
        let days = |month: &Month| {
            let days = month.weeks.iter().flatten().flatten().filter(|day| day.events.is_some());
            days.map(|day| format!(" {}", day.number)).collect::<String>()
        };
        months.iter().map(|month| format!("{}:{}", month.name, days(month))).collect()
    }

    #[test]
    fn the_first_months_with_events_are_shown_from_the_present_one_on() {
        let entries = [
            entry("A", "2027-01-30", "2027-02-02", 1),
            entry("B", "2027-05-31", "2027-05-31", 1),
            entry("C", "2099-12-31", "2099-12-31", 0),
            entry("D", "2100-01-01", "2100-01-01", 0),
        ];
        let later = ["May 2027: 31", "December 2099: 31"];
        assert_eq!(shown(&entries, "2027-02-01"), ["February 2027: 1 2", later[0], later[1]]);
        assert_eq!(shown(&entries, "2027-01-31"), ["January 2027: 30 31", "February 2027: 1 2", later[0]]);
        assert_eq!(shown(&[], "2027-01-31"), [""; 0]);
    }

    #[test]
    fn a_week_begins_on_monday_and_has_seven_days() {
        let [month] =
            months(&[entry("A", "2027-08-01", "2027-08-01", 0)], date("2027-08-31")).try_into().unwrap();
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
    fn a_day_leads_to_its_event_or_to_the_first_of_several_in_the_list() {
        let entries = [
            entry("A", "2027-03-06", "2027-03-07", 7),
            entry("B", "2027-03-07", "2027-03-07", 2),
            entry("C", "2027-03-07", "2027-03-07", 0),
        ];
        let of = |text: &str| of_day(date(text), &entries).map(|day| (day.link, day.words, day.bar));
        let alone =
            ("/A".to_owned(), "A, 2 of 9 still needed".to_owned(), Some(Bar { filled: 7, capacity: 9 }));
        assert_eq!(of("2027-03-06"), Some(alone));
        let words = "3 events: A, 2 of 9 still needed; B, 2 of 9 still needed; C".to_owned();
        assert_eq!(
            of("2027-03-07"),
            Some(("#line-A".to_owned(), words, Some(Bar { filled: 9, capacity: 18 })))
        );
        assert_eq!(of("2027-03-08"), None);
    }
}
