//! Merging a patch with changes that other callers made since its values were read.
//!
//! A patch can hold the values that its caller read: those of a form when it was loaded. Then the merge keeps only the fields
//! that the caller changed. A field that another caller changed to a different value is a conflict.

use crate::error::Error;
use crate::event::Event;
use crate::hours::EventDate;
use crate::input::{Change, EventPatch, HoursPatch, OrganizationPatch, QuestionPatch, ShiftPatch};
use crate::organization::Organization;
use crate::question::Question;
use crate::shift::Shift;
use crate::text::EmailAddress;

/// The names of the fields in conflict.
#[derive(Debug, Default)]
struct Conflicts(Vec<&'static str>);

impl Conflicts {
    /// Returns the change of a field that remains: `None` if the caller left the value as it was read. Without a value that was
    /// read, the change remains.
    fn merge<T: PartialEq>(
        &mut self,
        name: &'static str,
        read: Option<T>,
        new: Option<T>,
        present: impl FnOnce() -> T,
    ) -> Option<T> {
        let Some(read) = read else { return new };
        let new = new?;
        if new == read {
            return None;
        }
        let present = present();
        if present != read && present != new {
            self.0.push(name);
        }
        Some(new)
    }

    fn into_result<T>(self, merged: T) -> Result<T, Error> {
        if self.0.is_empty() { Ok(merged) } else { Err(Error::Conflict(self.0)) }
    }
}

/// Returns the patch of the fields that the caller changed. Location data is not compared.
///
/// A first day that the caller changed does not move a last day that the caller read: the result has the days that the caller
/// saw.
pub(super) fn merge_event(mut patch: EventPatch, event: &Event) -> Result<EventPatch, Error> {
    let Some(read) = patch.read.take() else { return Ok(patch) };
    let mut conflicts = Conflicts::default();
    let last = || Change::from(event.dates.last.map(EventDate::date));
    let has_last = read.end_date.is_some();
    let mut merged = EventPatch {
        title: conflicts.merge("title", read.title, patch.title, || event.title.clone()),
        description: conflicts
            .merge("description", read.description, patch.description, || event.description.clone().into()),
        location: conflicts
            .merge("location", read.location, patch.location, || event.location.clone().into()),
        is_virtual: conflicts.merge("is_virtual", read.is_virtual, patch.is_virtual, || event.is_virtual),
        latitude: conflicts.merge("location_lat", read.latitude, patch.latitude, || event.latitude.into()),
        longitude: conflicts
            .merge("location_lng", read.longitude, patch.longitude, || event.longitude.into()),
        start_date: conflicts
            .merge("start_date", read.start_date, patch.start_date, || event.dates.first.date().date()),
        end_date: conflicts.merge("end_date", read.end_date, patch.end_date, last),
        zone: conflicts.merge("timezone", read.zone, patch.zone, || event.dates.first.zone().clone()),
        is_published: conflicts
            .merge("is_published", read.is_published, patch.is_published, || event.is_published),
        theme: conflicts.merge("theme", read.theme, patch.theme, || event.theme.into()),
        badge_label: conflicts
            .merge("badge_label", read.badge_label, patch.badge_label, || event.badge_label.clone().into()),
        external_id: conflicts
            .merge("external_id", read.external_id, patch.external_id, || event.external_id.clone().into()),
        ..patch
    };
    if has_last && merged.start_date.is_some() {
        merged.end_date = merged.end_date.or_else(|| Some(last()));
    }
    conflicts.into_result(merged)
}

/// Returns the patch of the fields that the caller changed.
pub(super) fn merge_shift(mut patch: ShiftPatch, shift: &Shift) -> Result<ShiftPatch, Error> {
    let Some(read) = patch.read.take() else { return Ok(patch) };
    let mut conflicts = Conflicts::default();
    let merged = ShiftPatch {
        title: conflicts.merge("title", read.title, patch.title, || shift.title.clone()),
        description: conflicts
            .merge("description", read.description, patch.description, || shift.description.clone().into()),
        location: conflicts
            .merge("location", read.location, patch.location, || shift.location.clone().into()),
        hours: HoursPatch {
            day: conflicts.merge("day", read.hours.day, patch.hours.day, || shift.hours.day()),
            start: conflicts.merge("start_time", read.hours.start, patch.hours.start, || shift.hours.start()),
            end: conflicts.merge("end_time", read.hours.end, patch.hours.end, || shift.hours.end().into()),
            ends_next_day: conflicts.merge(
                "ends_next_day",
                read.hours.ends_next_day,
                patch.hours.ends_next_day,
                || shift.hours.ends_next_day(),
            ),
        },
        capacity: conflicts.merge("capacity", read.capacity, patch.capacity, || shift.occupancy.capacity),
        minimum: conflicts.merge("minimum", read.minimum, patch.minimum, || shift.minimum.into()),
        external_id: conflicts
            .merge("external_id", read.external_id, patch.external_id, || shift.external_id.clone().into()),
        ..patch
    };
    conflicts.into_result(merged)
}

/// Returns the patch of the fields that the caller changed.
pub(super) fn merge_question(mut patch: QuestionPatch, question: &Question) -> Result<QuestionPatch, Error> {
    let Some(read) = patch.read.take() else { return Ok(patch) };
    let mut conflicts = Conflicts::default();
    let merged = QuestionPatch {
        label: conflicts.merge("label", read.label, patch.label, || question.label.clone()),
        kind: conflicts.merge("type", read.kind, patch.kind, || question.kind),
        options: conflicts.merge("options", read.options, patch.options, || question.options.clone()),
        required: conflicts.merge("required", read.required, patch.required, || question.required),
        position: conflicts.merge("position", read.position, patch.position, || question.position),
        read: None,
    };
    conflicts.into_result(merged)
}

/// Returns the patch of the fields that the caller changed.
pub(super) fn merge_organization(
    mut patch: OrganizationPatch,
    organization: &Organization,
) -> Result<OrganizationPatch, Error> {
    let Some(read) = patch.read.take() else { return Ok(patch) };
    let mut conflicts = Conflicts::default();
    // Spellings of one address are equal, but not the same text.
    let text = |contact: Option<EmailAddress>| contact.map(|contact| contact.to_string());
    let new_text = |contact: &Option<Change<EmailAddress>>| Some(text(contact.clone()?.into_value()));
    let [read_contact, new_contact] = [&read.contact, &patch.contact].map(new_text);
    let merged = OrganizationPatch {
        name: conflicts.merge("name", read.name, patch.name, || organization.name.clone()),
        contact: conflicts
            .merge("contact", read_contact, new_contact, || text(organization.contact.clone()))
            .and(patch.contact),
        privacy_url: conflicts.merge("privacy_url", read.privacy_url, patch.privacy_url, || {
            organization.privacy_url.clone().into()
        }),
        sport: conflicts.merge("sport", read.sport, patch.sport, || organization.sport.clone().into()),
        public_url: conflicts.merge("public_url", read.public_url, patch.public_url, || {
            organization.public_url.clone().into()
        }),
        read: None,
    };
    conflicts.into_result(merged)
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;
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
    fn shifts_and_questions_are_merged_by_field_too() {
        let full = full();
        let shift = &full.shifts[0];
        let (hall, dock) = ("Hall".parse().unwrap(), "Dock".parse().unwrap());
        let read = ShiftPatch::new().hours(shift.hours).location(hall);
        let patch = ShiftPatch::new().start_time("10:00".parse().unwrap()).location(dock);
        let patch = patch.end_time(shift.hours.end().unwrap());
        assert_eq!(
            merge_shift(patch.clone().read(read.clone()), shift),
            Err(Error::Conflict(vec!["location"]))
        );
        let patch = ShiftPatch { location: read.location.clone(), ..patch };
        let expected = ShiftPatch::new().start_time("10:00".parse().unwrap());
        assert_eq!(merge_shift(patch.read(read.clone()), shift), Ok(expected));
        let read = ShiftPatch { hours: ShiftPatch::new().day(2).ends_next_day(true).hours, ..read };
        let patch = ShiftPatch::new().day(3).ends_next_day(true);
        let moved = merge_shift(patch.read(read), shift);
        assert_eq!(moved, Err(Error::Conflict(vec!["day"])), "the shift is on the first day");

        let question = records::question(&full.event, 1, 3);
        let read = QuestionPatch::new().label(question.label.clone()).position(question.position + 1);
        let patch = QuestionPatch::new().kind(QuestionKind::Checkbox).label("Other".parse().unwrap());
        assert_eq!(merge_question(patch.clone().read(read.clone()), &question), Ok(patch.clone()));
        let patch = patch.position(question.position + 2).read(read);
        assert_eq!(merge_question(patch, &question), Err(Error::Conflict(vec!["position"])));
    }

    #[test]
    fn an_organization_is_merged_by_field_too() {
        let organization = records::organization(1);
        let [old, new] =
            ["help@riverside.example", "Help@riverside.example"].map(|text| text.parse().unwrap());
        let read = OrganizationPatch::new().name("Before".parse().unwrap()).contact(old).clear_sport();
        let patch = OrganizationPatch::new().name("Before".parse().unwrap()).contact(new).clear_sport();
        assert_eq!(
            merge_organization(patch.clone().read(read.clone()), &organization),
            Err(Error::Conflict(vec!["contact"]))
        );
        let organization =
            Organization { contact: read.contact.clone().unwrap().into_value(), ..organization };
        let expected = OrganizationPatch { contact: patch.contact.clone(), ..OrganizationPatch::new() };
        assert_eq!(merge_organization(patch.read(read), &organization), Ok(expected));
    }
}
