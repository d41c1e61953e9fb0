//! Changing an event: its fields, its days, and whether it is published.

use jiff::Timestamp;

use super::Decision;
use super::edit::{
    active_events_below, changed_or_not_empty, check_not_cancelled, notify_of_change,
    require_no_active_signups,
};
use crate::error::Error;
use crate::event::{Event, EventDates};
use crate::fault::Faults;
use crate::hours::{Day, EventDate, TimeError};
use crate::id::NoticeId;
use crate::input::{Change, EventPatch, check_last_day};
use crate::notice::{ShiftChange, TimeAndPlace};
use crate::plan::PlanLimits;
use crate::receipt::EventWithShifts;
use crate::shift::{ScheduledShift, sort_by_running_order};
use crate::store::{ChangeSet, EventInFull, EventLocationData, Record, Write};
use crate::text::LocationData;

/// Changes the fields that `patch` names.
///
/// A patch that changes no value writes nothing, not even `updated_at`. A new first day moves the last day by as many days,
/// unless the patch names the last day. A new zone keeps dates and wall times. Queues a notice for each shift whose
/// instants or whose place change, unless the patch suppresses it or the shift is over by both its old and its new hours.
///
/// # Errors
/// - [`Error::EventCancelled`].
/// - [`Error::EventHasSignups`] if the patch unpublishes an event with active sign-ups.
/// - [`Error::Invalid`] if the patch changes the days, and one is out of range, or the last day is before the first or
///   beyond the plan's longest event.
pub(crate) fn patch_event(
    full: EventInFull,
    patch: EventPatch,
    limits: PlanLimits,
    notices: Vec<NoticeId>,
    now: Timestamp,
) -> Result<Decision<EventWithShifts>, Error> {
    let EventInFull { event, location_data, shifts, .. } = full;
    check_not_cancelled(&event)?;
    let is_published = patch.is_published.unwrap_or(event.is_published);
    let mut change = ChangeSet::default();
    change.require_unchanged(&event);
    if event.is_published && !is_published && !require_no_active_signups(&mut change, &event, &shifts, now) {
        return Err(Error::EventHasSignups);
    }
    let dates = days(&event.dates, &patch, limits)?;
    let zone = patch.zone.unwrap_or_else(|| event.dates.first.zone().clone());
    let changed = Event {
        title: patch.title.unwrap_or_else(|| event.title.clone()),
        description: patch.description.map_or_else(|| event.description.clone(), Change::into_value),
        location: patch.location.map_or_else(|| event.location.clone(), Change::into_value),
        is_virtual: patch.is_virtual.unwrap_or(event.is_virtual),
        latitude: patch.latitude.map_or(event.latitude, Change::into_value),
        longitude: patch.longitude.map_or(event.longitude, Change::into_value),
        dates: dates.in_zone(zone),
        is_published,
        theme: patch.theme.map_or(event.theme, Change::into_value),
        badge_label: patch.badge_label.map_or_else(|| event.badge_label.clone(), Change::into_value),
        ..event.clone()
    };
    let is_new = |data: &Option<LocationData>| match (data, &location_data) {
        (Some(data), Some(present)) => !data.has_same_value(present),
        (data, present) => data.is_some() || present.is_some(),
    };
    let new_data = patch.location_data.map(Change::into_value).filter(is_new);
    if changed == event && new_data.is_none() {
        return Ok(Decision::unchanged(EventWithShifts { event, shifts }));
    }
    let raises_gate = changed.is_published != event.is_published || changed.dates != event.dates;
    let changed = Event {
        version: event.version + 1,
        gate: event.gate + u32::from(raises_gate),
        updated_at: now,
        ..changed
    };
    if changed.is_active(now) && !event.is_active(now) {
        change.requires.push(active_events_below(event.organization, limits, now));
    }
    change.writes.push(Write::Put { before: Some(event.clone().into()), after: changed.clone().into() });
    if let Some(data) = new_data {
        change.writes.extend(location_data_write(&event, location_data, data));
    }
    let moved = Moved { event: &event, changed: &changed, is_notified: patch.notify_volunteers, now };
    let mut after = vec![];
    for (shift, notice) in shifts.into_iter().zip(notices) {
        after.push(moved.shift(shift, notice, &mut change));
    }
    sort_by_running_order(&mut after);
    let outcome = EventWithShifts { event: changed, shifts: after };
    Ok(Decision::new(outcome, change).again_after(changed_or_not_empty))
}

/// Returns the write that replaces the location data of an event, which its version protects.
fn location_data_write(
    event: &Event,
    before: Option<LocationData>,
    after: Option<LocationData>,
) -> Option<Write> {
    let record =
        |data| Record::from(EventLocationData { organization: event.organization, event: event.id, data });
    match (before.map(record), after.map(record)) {
        (before, Some(after)) => Some(Write::Put { before, after }),
        (Some(before), None) => Some(Write::Remove(before)),
        (None, None) => None,
    }
}

/// Returns the days after a patch. A last day that the patch does not name moves with the first.
fn days(present: &EventDates, patch: &EventPatch, limits: PlanLimits) -> Result<EventDates, Faults> {
    let mut faults = Faults::new();
    let first = patch.start_date.and_then(|first| faults.check("start_date", EventDate::try_from(first)));
    let last = patch
        .end_date
        .map(|last| last.into_value().and_then(|last| faults.check("end_date", EventDate::try_from(last))));
    faults.into_result(Some(()))?;
    let first = first.unwrap_or(present.first.date());
    let dates = match last {
        Some(last) => EventDates { first: Day::new(first, present.first.zone().clone()), last },
        None => present.moved_to(first).ok_or_else(|| Faults::one("start_date", TimeError::LastDay))?,
    };
    if dates != *present
        && let Some(last) = dates.last
    {
        check_last_day(Some(first), last, limits).map_err(|fault| Faults::one("end_date", fault))?;
    }
    Ok(dates)
}

/// A change of an event, as its shifts see it.
struct Moved<'e> {
    event: &'e Event,
    changed: &'e Event,
    is_notified: bool,
    now: Timestamp,
}

impl Moved<'_> {
    /// Returns the shift after the change. Replaces its record if its instants, its place or what its answer shows become others.
    fn shift(&self, shift: ScheduledShift, notice: NoticeId, change: &mut ChangeSet) -> ScheduledShift {
        let before = TimeAndPlace::of(&shift, self.event);
        let mut moved = ScheduledShift::of(shift.shift, self.changed);
        let after = TimeAndPlace::of(&moved, self.changed);
        let is_shown = before.interval != after.interval || shift.is_virtual != moved.is_virtual;
        if !is_shown && before == after {
            return moved;
        }
        let read = moved.shift.clone();
        moved.shift.version += 1;
        if is_shown {
            moved.shift.updated_at = self.now;
        }
        change.replace(read, moved.shift.clone());
        if self.is_notified {
            let told = ShiftChange { before, after, shift_version: moved.version, with_event: true };
            notify_of_change(change, notice, &moved, told, self.now);
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use jiff::civil::date;

    use crate::conformance::records;
    use crate::store::{Refusal, Total};

    fn patch(
        full: EventInFull,
        patch: EventPatch,
        now: Timestamp,
    ) -> Result<Decision<EventWithShifts>, Error> {
        patch_event(full, patch, limits(), vec![notice(8), notice(9)], now)
    }

    fn filled(full: EventInFull) -> EventInFull {
        let mut full = full;
        full.shifts[0].shift.occupancy.filled = 1;
        full
    }

    #[test]
    fn a_patch_requires_and_writes_exactly_what_it_changes() {
        let (event, gate) = ("put Event 1 to 2", "put Event 1 to 2, gate 2");
        let shifts = ["put Shift 1 to 2", "insert Notice 8", "put Shift 2 to 2", "insert Notice 9"];
        let at_1 = ["Event 1 at 1"];
        let moved = ["Event 1 at 1", "Shift 1 at 1", "Shift 2 at 1"];
        let draft = || full_with(|event, _| event.is_published = false);
        let new = EventPatch::new;
        let data = || r#"{"floor": 3}"#.parse::<LocationData>().unwrap();
        let with_data = || EventInFull { location_data: Some(data()), ..full() };
        for (what, full, patched, now, expected) in [
            ("nothing", full(), new().title(full().event.title), before(), vec![]),
            (
                "a title",
                full(),
                new().title("Other".parse().unwrap()),
                before(),
                [&at_1[..], &[event]].concat(),
            ),
            (
                "an unpublish",
                full(),
                new().published(false),
                before(),
                vec![at_1[0], "sign-ups of Shift 1, sign-ups of Shift 2 of Event 1 zero", gate],
            ),
            (
                "a publish",
                draft(),
                new().published(true),
                before(),
                vec![at_1[0], "active events below 3", gate],
            ),
            (
                "a publish of an event that is over",
                draft(),
                new().published(true),
                after_event(),
                vec![at_1[0], gate],
            ),
            (
                "a day",
                full(),
                new().start_date(date(2027, 6, 12)),
                before(),
                [&moved[..], &[gate], &shifts].concat(),
            ),
            (
                "a later day after the shifts",
                full(),
                new().start_date(date(2027, 6, 12)),
                after_shifts(),
                [&moved[..], &[gate], &shifts].concat(),
            ),
            (
                "a day in the past",
                full(),
                new().start_date(date(2020, 6, 6)),
                before(),
                [&moved[..], &[gate], &shifts].concat(),
            ),
            (
                "a zone",
                full(),
                new().zone("UTC".parse().unwrap()),
                before(),
                [&moved[..], &[gate], &shifts].concat(),
            ),
            (
                "a place",
                full(),
                new().location("Pier 3".parse().unwrap()),
                before(),
                [&moved[..], &[event], &shifts].concat(),
            ),
            (
                "a place without mail",
                full(),
                new().location("Pier 3".parse().unwrap()).without_mail(),
                before(),
                [&moved[..], &[event], &[shifts[0], shifts[2]]].concat(),
            ),
            (
                "a place after the shifts",
                full(),
                new().location("Pier 3".parse().unwrap()),
                after_shifts(),
                [&moved[..], &[event], &[shifts[0], shifts[2]]].concat(),
            ),
            (
                "a later day after the shifts",
                full(),
                new().start_date(date(2027, 6, 12)),
                after_shifts(),
                [&moved[..], &[gate], &shifts].concat(),
            ),
            (
                "online",
                full(),
                new().online(true),
                before(),
                [&moved[..], &[event], &[shifts[0], shifts[2]]].concat(),
            ),
            ("the same data", with_data(), new().location_data(data()), before(), vec![]),
            (
                "new data",
                full(),
                new().location_data(data()),
                before(),
                vec![at_1[0], event, "insert LocationData 1"],
            ),
            (
                "no data",
                with_data(),
                new().clear_location_data(),
                before(),
                vec![at_1[0], event, "remove LocationData 1"],
            ),
        ] {
            assert_eq!(lines(&patch(full, patched, now).unwrap()), expected, "{what}");
        }
    }

    /// At 10:30 UTC of the day after, the event is over in New York and in Tokyo, but not in Pago Pago.
    #[test]
    fn every_edit_that_makes_an_event_active_is_checked_against_the_limit() {
        let now = "2027-06-06T10:30:00Z".parse().unwrap();
        let new = EventPatch::new;
        let zone = |name: &str| new().zone(name.parse().unwrap());
        for (patched, is_checked) in [
            (new().start_date(date(2027, 6, 6)), true),
            (new().end_date(date(2027, 6, 6)), true),
            (zone("Pacific/Pago_Pago"), true),
            (zone("Asia/Tokyo"), false),
            (new().title("Other".parse().unwrap()), false),
        ] {
            let found = lines(&patch(full(), patched.clone(), now).unwrap());
            assert_eq!(found.contains(&"active events below 3".to_owned()), is_checked, "{patched:?}");
        }
    }

    #[test]
    fn a_patch_changes_only_the_fields_that_it_names() {
        let set = EventPatch::new()
            .description("Bring gloves.".parse().unwrap())
            .location("Pier 3".parse().unwrap())
            .latitude("40.5".parse().unwrap())
            .longitude("-74".parse().unwrap())
            .theme("ocean-blue".parse().unwrap())
            .badge_label("New".parse().unwrap());
        let expected = Event {
            description: "Bring gloves.".parse().ok(),
            location: "Pier 3".parse().ok(),
            latitude: "40.5".parse().ok(),
            longitude: "-74".parse().ok(),
            theme: "ocean-blue".parse().ok(),
            badge_label: "New".parse().ok(),
            version: 2,
            updated_at: before(),
            ..full().event
        };
        let changed = patch(full(), set, before()).unwrap().outcome.event;
        assert_eq!(changed, expected);
        let clear = EventPatch::new()
            .clear_description()
            .clear_location()
            .clear_latitude()
            .clear_longitude()
            .clear_theme()
            .clear_badge_label();
        let cleared = patch(full_with(|event, _| *event = changed), clear, before()).unwrap();
        assert_eq!(cleared.outcome.event, Event { version: 3, updated_at: before(), ..full().event });
    }

    #[test]
    fn a_notice_tells_the_time_and_place_before_and_after() {
        let patched = EventPatch::new().start_date(date(2027, 6, 12)).location("Pier 3".parse().unwrap());
        let decision = patch(full(), patched, before()).unwrap();
        let EventWithShifts { event, shifts } = &decision.outcome;
        let expected = [0, 1].map(|index| ShiftChange {
            before: TimeAndPlace::of(&full().shifts[index], &full().event),
            after: TimeAndPlace::of(&shifts[index], event),
            shift_version: 2,
            with_event: true,
        });
        assert_eq!(told(&decision), expected.each_ref());
    }

    #[test]
    fn a_first_day_moves_the_last_one_unless_the_patch_names_it() {
        let three_days = || full_with(|event, _| event.dates.last = "2027-06-07".parse().ok());
        let new = EventPatch::new;
        for (patched, first, last) in [
            (new().start_date(date(2027, 6, 12)), "2027-06-12", Some("2027-06-14")),
            (
                new().start_date(date(2027, 6, 12)).end_date(date(2027, 6, 12)),
                "2027-06-12",
                Some("2027-06-12"),
            ),
            (new().start_date(date(2027, 6, 12)).clear_end_date(), "2027-06-12", None),
            (new().end_date(date(2027, 6, 11)), "2027-06-05", Some("2027-06-11")),
        ] {
            let dates = patch(three_days(), patched, before()).unwrap().outcome.event.dates;
            let found = (dates.first.date().to_string(), dates.last.map(|last| last.to_string()));
            assert_eq!(found, (first.to_owned(), last.map(str::to_owned)));
        }
    }

    #[test]
    fn dates_that_do_not_fit_are_faults_only_if_they_change() {
        let long = || full_with(|event, _| event.dates.last = "2027-06-20".parse().ok());
        let new = EventPatch::new;
        for (full, patched, field) in [
            (full(), new().end_date(date(2027, 6, 4)), "end_date"),
            (full(), new().end_date(date(2027, 6, 12)), "end_date"),
            (long(), new().start_date(date(2027, 6, 6)), "end_date"),
            (long(), new().start_date(date(9998, 12, 31)), "start_date"),
            (full(), new().start_date(date(1969, 12, 31)), "start_date"),
            (full(), new().end_date(date(9999, 1, 1)), "end_date"),
        ] {
            let Err(Error::Invalid(faults)) = patch(full, patched, before()) else { panic!("{field}") };
            assert_eq!(fault_paths(&faults), [field]);
        }
        assert!(patch(long(), new().title("Other".parse().unwrap()), before()).is_ok());
    }

    #[test]
    fn a_cancelled_event_takes_no_patch_and_an_event_with_active_sign_ups_stays_published() {
        let cancelled = full_with(|event, _| event.cancelled_at = Some(before()));
        assert_eq!(patch(cancelled, EventPatch::new(), before()).unwrap_err(), Error::EventCancelled);
        let unpublish = || EventPatch::new().published(false);
        assert_eq!(patch(filled(full()), unpublish(), before()).unwrap_err(), Error::EventHasSignups);
        let into_the_past = unpublish().start_date(date(2020, 6, 5));
        let refused = patch(filled(full()), into_the_past, before()).unwrap_err();
        assert_eq!(refused, Error::EventHasSignups, "the hours before the patch decide");
        let over = patch(filled(full()), unpublish(), after_shifts()).unwrap();
        let expected = ["Event 1 at 1", "Shift 1 at 1", "Shift 2 at 1", "put Event 1 to 2, gate 2"];
        assert_eq!(lines(&over), expected, "a sign-up of a past shift is not active");
        assert!(patch(filled(full()), unpublish().start_date(date(2099, 6, 5)), after_shifts()).is_ok());
        let full_shift = Total::Filled(records::organization_id(1), full().shifts[0].id);
        assert!((over.decides_again)(&Refusal::NotBelow { total: full_shift, count: 1 }));
    }

    #[test]
    fn a_patch_that_names_every_field_with_its_value_writes_nothing() {
        let data = || r#"{"floor": 3}"#.parse::<LocationData>().unwrap();
        let of = |full: EventInFull| EventInFull { location_data: Some(data()), ..full };
        let everything = EventPatch::new()
            .title("Other".parse().unwrap())
            .description("Two\nlines".parse().unwrap())
            .location("Pier 3".parse().unwrap())
            .online(true)
            .latitude("40.5".parse().unwrap())
            .longitude("-180".parse().unwrap())
            .location_data(data())
            .start_date(date(2027, 6, 6))
            .end_date(date(2027, 6, 7))
            .zone("Europe/Paris".parse().unwrap())
            .published(false)
            .theme("midnight".parse().unwrap())
            .badge_label("New".parse().unwrap());
        let changed = patch(of(full()), everything.clone(), before()).unwrap();
        let EventWithShifts { event, shifts } = changed.outcome;
        let records = shifts.into_iter().map(|shift| shift.shift).collect();
        let again = patch(of(EventInFull::new(event, records, vec![])), everything, after_event()).unwrap();
        assert_eq!(lines(&again), [""; 0]);
    }

    #[test]
    fn updated_at_of_a_shift_moves_with_its_answer_and_not_with_the_place_of_its_event() {
        let place = EventPatch::new().location("Pier 3".parse().unwrap());
        let day = EventPatch::new().start_date(date(2027, 6, 12));
        let online = EventPatch::new().online(true);
        let zone = EventPatch::new().zone("Europe/Paris".parse().unwrap());
        let same_clocks = EventPatch::new().zone("America/Detroit".parse().unwrap());
        let last_day = EventPatch::new().end_date(date(2027, 6, 6));
        for (patched, updated_at) in [
            (place, records::at(0)),
            (day, before()),
            (online, before()),
            (zone, before()),
            (same_clocks, records::at(0)),
            (last_day, records::at(0)),
        ] {
            let outcome = patch(full(), patched, before()).unwrap().outcome;
            assert_eq!((outcome.event.updated_at, outcome.shifts[0].updated_at), (before(), updated_at));
        }
    }
}
