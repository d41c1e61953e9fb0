//! Merging a patch of an event with changes that other callers made since its values were read.
//!
//! A patch can hold the values that its caller read: those of a form when it was loaded. Then the merge keeps only the fields
//! that the caller changed. A field that another caller changed to a different value is a conflict.

use crate::error::Error;
use crate::event::Event;
use crate::input::EventPatch;

/// Returns the patch of the fields that the caller changed. Location data is not in conflict.
///
/// A first day that the caller changed does not move what the caller read: the last day, and the opening and the closing of
/// sign-ups. So the result has the days that the caller saw.
pub(super) fn merge_event(patch: EventPatch, event: &Event) -> Result<EventPatch, Error> {
    let read = patch.read.clone();
    let mut merged = patch.merged(event).map_err(Error::Conflict)?;
    if let Some(read) = read.filter(|_| merged.start_date.is_some()) {
        let present = EventPatch::present(event);
        merged.end_date = merged.end_date.or(read.end_date.and(present.end_date));
        merged.signups_open_at = merged.signups_open_at.or(read.signups_open_at.and(present.signups_open_at));
        merged.signups_close_at =
            merged.signups_close_at.or(read.signups_close_at.and(present.signups_close_at));
    }
    Ok(merged)
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;
    use crate::input::{Change, OrganizationPatch, QuestionPatch, ShiftPatch};
    use crate::organization::Organization;
    use crate::question::QuestionKind;

    fn new() -> EventPatch {
        EventPatch::new()
    }

    fn title(text: &str) -> EventPatch {
        new().title(text.parse().unwrap())
    }

    /// An event whose title is `present`, from 6 to 8 June 2027.
    fn event(present: &str) -> Event {
        full_with(|event, _| {
            event.title = present.parse().unwrap();
            event.dates.first =
                crate::hours::Day::new("2027-06-06".parse().unwrap(), event.dates.first.zone().clone());
            event.dates.last = Some("2027-06-08".parse().unwrap());
        })
        .event
    }

    #[test]
    fn a_field_is_patched_only_if_the_caller_changed_it() {
        for (read, present, wanted, expected) in [
            ("A", "A", "A", Ok(None)),
            ("A", "A", "B", Ok(Some("B"))),
            ("A", "B", "A", Ok(None)),
            ("A", "B", "B", Ok(Some("B"))),
            ("A", "B", "C", Err(Error::Conflict(vec!["title"]))),
        ] {
            let merged = merge_event(title(wanted).read(title(read)), &event(present));
            let merged = merged.map(|patch| patch.title.map(|title| title.as_str().to_owned()));
            assert_eq!(merged, expected.map(|title| title.map(str::to_owned)), "{read}, {present}, {wanted}");
        }
    }

    #[test]
    fn a_field_that_was_not_read_is_patched_whatever_its_value_is() {
        let patch = title("C").clear_location();
        assert_eq!(merge_event(patch.clone(), &event("B")), Ok(patch.clone()));
        assert_eq!(merge_event(patch.clone().read(new()), &event("B")), Ok(patch));
    }

    #[test]
    fn the_fields_of_two_callers_are_both_kept_and_every_conflict_is_named() {
        let badge = |text: &str| text.parse().unwrap();
        let mut present = event("B");
        present.badge_label = Some(badge("New"));
        let read = title("A").clear_badge_label().online(false);
        let patch = title("A").clear_badge_label().online(true).read(read.clone());
        assert_eq!(merge_event(patch, &present), Ok(new().online(true)));
        let patch = title("C").badge_label(badge("Old")).online(false).read(read);
        assert_eq!(merge_event(patch, &present), Err(Error::Conflict(vec!["title", "badge_label"])));
    }

    #[test]
    fn a_new_first_day_does_not_move_a_last_day_that_the_caller_read() {
        let [fifth, sixth, seventh, eighth] = [5, 6, 7, 8].map(|day| crate::date(2027, 6, day));
        for (what, read_last, last, expected) in [
            ("the last day stays as it is", Some(eighth), Some(eighth), Some(Change::Set(eighth))),
            (
                "another caller has moved the last day",
                Some(seventh),
                Some(seventh),
                Some(Change::Set(eighth)),
            ),
            ("the caller changes both", Some(eighth), Some(seventh), Some(Change::Set(seventh))),
            ("the caller has not read the last day", None, None, None),
        ] {
            let mut read = new().start_date(sixth);
            read.end_date = read_last.map(Change::Set);
            let mut patch = new().start_date(fifth).read(read);
            patch.end_date = last.map(Change::Set);
            assert_eq!(merge_event(patch, &event("A")).unwrap().end_date, expected, "{what}");
        }
    }

    #[test]
    fn a_new_first_day_does_not_move_an_opening_and_a_closing_that_the_caller_read() {
        let mut present = event("A");
        present.signups_open_at = "2027-03-01T18:00".parse().ok();
        let mut read = new().start_date(crate::date(2027, 6, 6)).clear_signups_close_at();
        read.signups_open_at = present.signups_open_at.map(Change::Set);
        let mut patch = new().start_date(crate::date(2027, 6, 5)).clear_signups_close_at().read(read.clone());
        patch.signups_open_at = read.signups_open_at;
        let merged = merge_event(patch, &present).unwrap();
        assert_eq!(
            (merged.signups_open_at, merged.signups_close_at),
            (read.signups_open_at, Some(Change::Clear))
        );
    }

    #[test]
    fn shifts_and_questions_are_merged_by_field_too() {
        let full = full();
        let shift = &full.shifts[0];
        let (hall, dock) = ("Hall".parse().unwrap(), "Dock".parse().unwrap());
        let read = ShiftPatch::new().hours(shift.hours).location(hall);
        let patch = ShiftPatch::new().start_time("10:00".parse().unwrap()).location(dock);
        let patch = patch.end_time(shift.hours.end().unwrap());
        assert_eq!(patch.clone().read(read.clone()).merged(shift), Err(vec!["location"]));
        let patch = ShiftPatch { location: read.location.clone(), ..patch };
        let expected = ShiftPatch::new().start_time("10:00".parse().unwrap());
        assert_eq!(patch.read(read.clone()).merged(shift), Ok(expected));
        let read = ShiftPatch { hours: ShiftPatch::new().day(2).ends_next_day(true).hours, ..read };
        let patch = ShiftPatch::new().day(3).ends_next_day(true);
        let moved = patch.read(read).merged(shift);
        assert_eq!(moved, Err(vec!["day"]), "the shift is on the first day");

        let question = records::question(&full.event, 1, 3);
        let read = QuestionPatch::new().label(question.label.clone()).position(question.position + 1);
        let patch = QuestionPatch::new().kind(QuestionKind::Checkbox).label("Other".parse().unwrap());
        assert_eq!(patch.clone().read(read.clone()).merged(&question), Ok(patch.clone()));
        let patch = patch.position(question.position + 2).read(read);
        assert_eq!(patch.merged(&question), Err(vec!["position"]));
    }

    #[test]
    fn an_organization_is_merged_by_field_too() {
        let organization = records::organization(1);
        let [old, new] =
            ["help@riverside.example", "Help@riverside.example"].map(|text| text.parse().unwrap());
        let read = OrganizationPatch::new().name("Before".parse().unwrap()).contact(old).clear_sport();
        let patch = OrganizationPatch::new().name("Before".parse().unwrap()).contact(new).clear_sport();
        assert_eq!(patch.clone().read(read.clone()).merged(&organization), Err(vec!["contact"]));
        let organization =
            Organization { contact: read.contact.clone().unwrap().into_value(), ..organization };
        let expected = OrganizationPatch { contact: patch.contact.clone(), ..OrganizationPatch::new() };
        assert_eq!(patch.read(read).merged(&organization), Ok(expected));
    }
}
