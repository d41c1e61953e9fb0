//! Creating an event with its shifts.

use std::mem;

use jiff::Timestamp;

use super::edit::{active_events_below, changed_or_taken, require_free_external_id, slug_is_free};
use super::shift_set::new_shifts;
use super::{Decision, EventIds, NewActivity, slug_with_tail};
use crate::activity::ActivityType;
use crate::error::Error;
use crate::event::{Event, EventDates};
use crate::fault::Faults;
use crate::hours::{Day, EventDate};
use crate::id::{EventId, OrganizationId};
use crate::input::{
    NewEvent, check_closing, check_external_ids, check_last_day, check_shift_count, check_shift_days,
};
use crate::plan::PlanLimits;
use crate::receipt::EventWithShifts;
use crate::shift::ScheduledShift;
use crate::store::{ChangeSet, EventLocationData};

/// Creates an event and its shifts. `holder` is the event that has the external id.
///
/// Only an event that is published and not over counts against the plan's limit of active events. The store checks the
/// count under its lock, so simultaneous creates never exceed the limit.
///
/// # Errors
/// - [`Error::Invalid`] with a fault of each day that is out of range, of `end_date` if it is before the first day or the event has
///   more days than the plan allows, of `signups_close_at` if it is not after the opening, of `shifts` if there are too many, and
///   of each shift that repeats an external id. If the days have no fault, also of each shift whose day is not one of them.
/// - [`Error::ExternalIdTaken`].
pub(crate) fn create_event(
    organization: OrganizationId,
    limits: PlanLimits,
    mut new: NewEvent,
    holder: Option<EventId>,
    ids: EventIds,
    now: Timestamp,
) -> Result<Decision<EventWithShifts>, Error> {
    let dates = check(&new, limits)?;
    let slug = slug_with_tail(new.title.as_str(), "event", &ids.slug_tail);
    let draft = Event::new(ids.event, organization, new.title.clone(), slug, dates, now);
    let (shifts, location_data) = (mem::take(&mut new.shifts), new.location_data.take());
    let event = new.fill(draft);
    let shifts = new_shifts(&event, shifts, ids.shifts, 0, now);
    let shifts = ScheduledShift::in_running_order(shifts, &event);

    let mut change = ChangeSet::default();
    change.requires.push(slug_is_free(&event, now));
    require_free_external_id(&mut change, &event, holder, now)?;
    if event.is_active(now) {
        change.requires.push(active_events_below(organization, limits, now));
    }
    change.insert(event.clone());
    if let Some(data) = location_data {
        change.insert(EventLocationData { organization, event: event.id, data });
    }
    shifts.iter().for_each(|shift| change.insert(shift.shift.clone()));
    let created = NewActivity::of(ActivityType::EVENT_CREATED, &event);
    Ok(Decision::new(EventWithShifts { event, shifts }, change, [created]).again_after(changed_or_taken))
}

/// Checks what the types of the fields leave open, and returns the days.
fn check(new: &NewEvent, limits: PlanLimits) -> Result<EventDates, Faults> {
    let mut faults = Faults::new();
    let first = faults.check("start_date", EventDate::try_from(new.start_date));
    let last = new.end_date.and_then(|last| {
        let last = EventDate::try_from(last).map_err(Into::into);
        faults.check("end_date", last.and_then(|last| check_last_day(first, last, limits)))
    });
    let dates = first.filter(|_| faults.is_empty());
    let dates = dates.map(|first| EventDates { first: Day::new(first, new.zone.clone()), last });
    if let Some(closes) = new.signups_close_at {
        faults.check("signups_close_at", check_closing(new.signups_open_at, closes));
    }
    faults.check("shifts", check_shift_count(new.shifts.len()));
    if let Some(dates) = &dates {
        check_shift_days(&mut faults, &new.shifts, dates.days());
    }
    check_external_ids(&mut faults, &new.shifts);
    faults.into_result(dates)
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use jiff::civil::date;

    use crate::caller_key::ExternalId;
    use crate::conformance::records;
    use crate::hours::Hours;
    use crate::input::NewShift;
    use crate::occupancy::Capacity;
    use crate::store::{Entity as _, Refusal, Total};

    fn drive() -> NewEvent {
        NewEvent::new("Food drive".parse().unwrap(), date(2027, 6, 5), "America/New_York".parse().unwrap())
    }

    fn create(new: NewEvent, now: Timestamp) -> Result<Decision<EventWithShifts>, Error> {
        create_beside(None, new, now)
    }

    fn create_beside(
        holder: Option<EventId>,
        new: NewEvent,
        now: Timestamp,
    ) -> Result<Decision<EventWithShifts>, Error> {
        let shifts =
            new.shifts.iter().zip(1..).map(|(_, number)| crate::id::ShiftId::new(records::uuid(number)));
        let ids = EventIds {
            event: EventId::new(records::uuid(7)),
            slug_tail: "abcdefgh".to_owned(),
            shifts: shifts.collect(),
            questions: vec![],
        };
        create_event(records::organization_id(1), limits(), new, holder, ids, now)
    }

    fn shift(start: u16) -> NewShift {
        let hours = Hours::try_from((start, start + 60)).unwrap();
        NewShift::new("Packing".parse().unwrap(), Capacity::new(2).unwrap()).hours(hours)
    }

    fn known(start: u16, id: &str) -> NewShift {
        shift(start).external_id(id.parse().unwrap())
    }

    #[test]
    fn an_external_id_has_to_be_free() {
        let new = || drive().external_id("drive-7".parse().unwrap()).published();
        let decision = create(new(), before()).unwrap();
        let requires = ["no event food-drive-abcdefgh", "no event with id drive-7", "active events below 3"];
        assert_eq!(lines(&decision)[..3], requires, "a taken id comes before the limit");
        assert_eq!(decision.outcome.event.external_id, "drive-7".parse().ok());
        let holder = EventId::new(records::uuid(9));
        let refused = create_beside(Some(holder), new(), before()).unwrap_err();
        assert_eq!(refused, Error::ExternalIdTaken { existing_id: holder.uuid() });
        let shifts =
            create(drive().shift(known(540, "b")).shift(known(600, "B")).shift(shift(660)), before());
        let shifts = shifts.unwrap().outcome.shifts;
        let ids: Vec<_> =
            shifts.iter().map(|shift| shift.external_id.as_ref().map(ExternalId::as_str)).collect();
        assert_eq!(ids, [Some("b"), Some("B"), None]);
    }

    #[test]
    fn only_a_published_event_that_is_not_over_counts_against_the_plan() {
        let slug = "no event food-drive-abcdefgh";
        for (new, now, counts) in [
            (drive(), before(), false),
            (drive().published(), before(), true),
            (drive().published(), after_event(), false),
        ] {
            let mut expected = vec![slug, "insert Event 7"];
            if counts {
                expected.insert(1, "active events below 3");
            }
            assert_eq!(lines(&create(new, now).unwrap()), expected);
        }
    }

    #[test]
    fn shifts_keep_the_order_of_the_input_and_are_returned_in_running_order() {
        let data = r#"{"floor": 3}"#.parse().unwrap();
        let decision =
            create(drive().shift(shift(600)).shift(shift(540)).location_data(data), before()).unwrap();
        let found: Vec<_> = decision.outcome.shifts.iter().map(|shift| shift.position).collect();
        assert_eq!(found, [1, 0]);
        let written = ["insert Event 7", "insert LocationData 7", "insert Shift 2", "insert Shift 1"];
        assert_eq!(lines(&decision)[1..], written);
        assert!(decision.outcome.shifts.iter().all(|shift| shift.occupancy.filled == 0));
    }

    #[test]
    fn every_fault_of_the_dates_and_the_number_of_shifts_is_listed() {
        let too_many = vec![shift(540); 501];
        let on = |day| NewShift { hours: shift(540).hours.on_day(day).unwrap(), ..shift(540) };
        for (new, expected) in [
            (NewEvent { start_date: date(1969, 12, 31), ..drive() }, vec!["start_date"]),
            (drive().end_date(date(2027, 6, 4)), vec!["end_date"]),
            (drive().end_date(date(2027, 6, 12)), vec!["end_date"]),
            (drive().end_date(date(9999, 1, 1)), vec!["end_date"]),
            (drive().shift(on(2)), vec!["shifts[0].day"]),
            (
                drive().end_date(date(2027, 6, 7)).shift(on(3)).shift(on(4)).shift(on(9)),
                vec!["shifts[1].day", "shifts[2].day"],
            ),
            (drive().end_date(date(2027, 6, 4)).shift(on(2)), vec!["end_date"]),
            (NewEvent { shifts: too_many.clone(), ..drive() }, vec!["shifts"]),
            (drive().shift(known(540, "a")).shift(known(600, "a")), vec!["shifts[1].external_id"]),
            (
                NewEvent { start_date: date(1969, 1, 1), shifts: too_many, ..drive() }
                    .end_date(date(9999, 1, 1)),
                vec!["start_date", "end_date", "shifts"],
            ),
        ] {
            let Err(Error::Invalid(faults)) = create_beside(Some(EventId::NONE), new, before()) else {
                panic!()
            };
            assert_eq!(fault_paths(&faults), expected);
        }
        for last in [date(2027, 6, 5), date(2027, 6, 11)] {
            assert_eq!(
                create(drive().end_date(last), before())
                    .unwrap()
                    .outcome
                    .event
                    .dates
                    .last
                    .map(EventDate::date),
                Some(last)
            );
        }
    }

    #[test]
    fn a_taken_slug_is_decided_again_and_a_reached_limit_is_not() {
        let decision = create(drive().published(), before()).unwrap();
        let event = records::event(1, 1);
        let limit = Refusal::NotBelow { total: Total::ActiveEvents(event.organization), count: 3 };
        assert!((decision.decides_again)(&Refusal::Taken(Box::new(event.clone().into()))));
        assert!((decision.decides_again)(&Refusal::Changed(event.key())));
        assert!(!(decision.decides_again)(&limit));
        assert!(!(decision.decides_again)(&Refusal::Taken(Box::new(records::organization(1).into()))));
    }
}
