//! The shifts of a page, by the day on which they begin. Many shifts of a day are also grouped by the part of the day, and a page
//! of many can show only those with places.

use std::collections::BTreeMap;

use jiff::civil::Date;

use super::shifts::ShiftView;
use crate::page::times::{self, OfDay};
use crate::texts::Texts;

/// The number of shifts up to which a page needs no parts of days, no links to them and no choice of what it shows.
pub(super) const FEW_SHIFTS: usize = 12;

/// Which shifts the page shows, and whether it can show fewer or all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filter {
    /// All, because they are few or each has places.
    None,
    /// All, but it can show only those with places.
    Off,
    /// Only those with places.
    On,
}

impl Filter {
    /// Returns the filter of a page with `shifts` shifts, of which `open` have places.
    pub(super) const fn of(open: usize, shifts: usize, wants_open: bool) -> Self {
        if open == 0 || open == shifts {
            Self::None
        } else if wants_open {
            Self::On
        } else if shifts > FEW_SHIFTS {
            Self::Off
        } else {
            Self::None
        }
    }
}

/// The shifts of one day of the page.
#[derive(Debug)]
pub(super) struct DayOfShifts<'a> {
    pub(super) date: Date,
    /// `None` if no shift of the page is on another day.
    pub(super) heading: Option<String>,
    pub(super) parts: Vec<PartOfShifts<'a>>,
}

impl DayOfShifts<'_> {
    /// Returns the levels of the headings of a part and of its shifts, below the heading of all shifts.
    pub(super) fn levels(&self, part: &PartOfShifts<'_>) -> (u8, u8) {
        let of_part = 3 + u8::from(self.heading.is_some());
        (of_part, of_part + u8::from(part.heading.is_some()))
    }
}

/// The shifts of one part of a day.
#[derive(Debug)]
pub(super) struct PartOfShifts<'a> {
    /// `None` if the shifts of the page are few, or no shift of the day is in another part.
    pub(super) heading: Option<String>,
    pub(super) shifts: Vec<ShiftView<'a>>,
}

/// Groups shifts in running order.
pub(super) fn in_parts(shifts: Vec<ShiftView<'_>>, texts: Texts) -> Vec<DayOfShifts<'_>> {
    let are_many = shifts.len() > FEW_SHIFTS;
    let mut days = vec![];
    for OfDay { date, heading, shifts } in times::by_day(shifts, |shift: &ShiftView<'_>| &shift.times) {
        let mut by_part: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for shift in shifts {
            let part = are_many.then(|| shift.times.part_of_day());
            by_part.entry(part).or_default().push(shift);
        }
        let are_several = by_part.len() > 1;
        let parts = by_part.into_iter().map(|(part, shifts)| {
            let heading = part.filter(|_| are_several).map(|part| part.heading(texts));
            PartOfShifts { heading, shifts }
        });
        days.push(DayOfShifts { date, heading, parts: parts.collect() });
    }
    days
}

#[cfg(test)]
mod tests {
    use signup_core::{Day, Hours};

    use super::super::shifts::view;
    use super::*;
    use crate::sample_event::sample_event;

    /// Returns the headings of the parts of a day with the given shifts, each with the number of its shifts.
    async fn headings(hours: &[(&str, &str)]) -> Vec<(Option<String>, usize)> {
        let (_, found) = sample_event().await;
        let mut shifts = vec![found.shifts[0].clone(); hours.len()];
        for (shift, (start, end)) in shifts.iter_mut().zip(hours) {
            shift.first_day = Day::new("2099-06-06".parse().unwrap(), "UTC".parse().unwrap());
            let is_whole_day = *end == "24:00";
            let hours = || Hours::parse(Some(start), Some(end)).unwrap();
            shift.shift.hours = if is_whole_day { Hours::ALL_DAY } else { hours() };
        }
        let now = found.event.created_at;
        let views = shifts.iter().map(|shift| view(&found.event, shift, None, now)).collect();
        let days = in_parts(views, Texts::ENGLISH);
        let [day] = &days[..] else { panic!("the shifts have one day") };
        day.parts.iter().map(|part| (part.heading.clone(), part.shifts.len())).collect()
    }

    #[tokio::test]
    async fn a_part_has_the_shifts_that_start_in_its_six_hours_or_last_the_whole_day() {
        let hours = [
            ("00:00", "05:00"),
            ("00:00", "24:00"),
            ("05:59", "07:00"),
            ("06:00", "07:00"),
            ("11:59", "13:00"),
            ("12:00", "13:00"),
            ("17:59", "20:00"),
            ("18:00", "20:00"),
            ("23:58", "23:59"),
        ];
        let many = [hours, hours].concat();
        let parts = ["All day", "Night", "Morning", "Afternoon", "Evening"].map(|part| Some(part.to_owned()));
        assert_eq!(headings(&many).await, parts.into_iter().zip([2, 4, 4, 4, 4]).collect::<Vec<_>>());
    }

    #[tokio::test]
    async fn few_shifts_or_a_single_part_have_no_headings_of_parts() {
        let hours = [("09:00", "10:00"), ("14:00", "15:00")].repeat(FEW_SHIFTS / 2);
        assert_eq!(headings(&hours).await, [(None, FEW_SHIFTS)]);
        assert_eq!(headings(&[("09:00", "10:00"); 20]).await, [(None, 20)]);
    }
}
