//! Copying an event to another date.

use jiff::Timestamp;

use super::edit::{changed_or_taken, slug_is_free};
use super::{Decision, EventIds, NewActivity, slug_with_tail};
use crate::activity::ActivityType;
use crate::event::Event;
use crate::fault::Faults;
use crate::hours::{EventDate, TimeError};
use crate::input::DuplicateEvent;
use crate::occupancy::Occupancy;
use crate::question::Question;
use crate::receipt::EventWithShifts;
use crate::shift::{ScheduledShift, Shift};
use crate::store::{ChangeSet, EventInFull, EventLocationData};

/// Copies an event with its shifts and questions to another first day.
///
/// The last day, and the opening and the closing of sign-ups, move by as many days as the first. Shifts keep their wall times,
/// capacity and position, and start empty. External ids are not copied. The copy is a draft, so the limit of active events does not
/// apply. The copy has as many days as its source, and the plan's limit of days is not checked.
///
/// # Errors
/// Returns a fault of `start_date` if it, the copy's last day, or its opening or closing of sign-ups is out of range.
pub(crate) fn duplicate_event(
    source: EventInFull,
    copy: DuplicateEvent,
    ids: EventIds,
    now: Timestamp,
) -> Result<Decision<EventWithShifts>, Faults> {
    let DuplicateEvent { start_date, title } = copy;
    let EventInFull { event: source, location_data, shifts, questions } = source;
    let first = EventDate::try_from(start_date).map_err(|error| Faults::one("start_date", error))?;
    let source_first = source.dates.first.date();
    let dates = source.dates.moved_to(first);
    let dates = dates.ok_or_else(|| Faults::one("start_date", TimeError::LastDay))?;
    let source = source.with_signups_moved(first.days_since(source_first));
    let source = source.ok_or_else(|| Faults::one("start_date", TimeError::SignupDay))?;
    let title = title.unwrap_or_else(|| source.title.clone());
    let event = Event {
        id: ids.event,
        slug: slug_with_tail(title.as_str(), "event", &ids.slug_tail),
        title,
        dates,
        external_id: None,
        is_published: false,
        cancelled_at: None,
        cancellation_reason: None,
        version: 1,
        gate: 1,
        created_at: now,
        updated_at: now,
        ..source
    };
    let shifts = ids.shifts.into_iter().zip(shifts).map(|(id, shift)| Shift {
        id,
        event: event.id,
        occupancy: Occupancy::empty(shift.occupancy.capacity),
        external_id: None,
        version: 1,
        gate: 1,
        closing: None,
        announced: 0,
        created_at: now,
        updated_at: now,
        ..shift.shift
    });
    // A clock change on the new date can change the running order.
    let shifts = ScheduledShift::in_running_order(shifts, &event);

    let mut change = ChangeSet::default();
    change.requires.push(slug_is_free(&event, now));
    change.insert(event.clone());
    if let Some(data) = location_data {
        change.insert(EventLocationData { organization: event.organization, event: event.id, data });
    }
    shifts.iter().for_each(|shift| change.insert(shift.shift.clone()));
    for (id, question) in ids.questions.into_iter().zip(questions) {
        change.insert(Question { id, event: event.id, version: 1, ..question });
    }
    let created = NewActivity::of(ActivityType::EVENT_CREATED, &event);
    Ok(Decision::new(EventWithShifts { event, shifts }, change, [created]).again_after(changed_or_taken))
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use jiff::civil::date;

    use crate::conformance::records;
    use crate::id::{EventId, QuestionId, ShiftId};
    use crate::language::Language;
    use crate::occupancy::Minimum;
    use crate::store::{Refusal, Write};

    fn copy(source: EventInFull, to: impl Into<DuplicateEvent>) -> Result<Decision<EventWithShifts>, Faults> {
        let ids = EventIds {
            event: EventId::new(records::uuid(70)),
            slug_tail: "abcdefgh".to_owned(),
            shifts: source
                .shifts
                .iter()
                .zip(71..)
                .map(|(_, number)| ShiftId::new(records::uuid(number)))
                .collect(),
            questions: source.questions.iter().map(|_| QuestionId::new(records::uuid(80))).collect(),
        };
        duplicate_event(source, to.into(), ids, before())
    }

    #[test]
    fn a_copy_is_an_empty_draft_with_the_hours_of_its_source() {
        let mut source = full_with(|event, shifts| {
            event.dates.last = "2027-06-07".parse().ok();
            event.cancelled_at = Some(before());
            event.cancellation_reason = "Flood".parse().ok();
            event.external_id = "drive-7".parse().ok();
            event.reminders_enabled = false;
            event.instructions = "Ring twice.".parse().ok();
            event.waitlist_enabled = true;
            event.language = Language::De;
            event.signups_open_at = "2027-03-01T18:00".parse().ok();
            event.signups_close_at = "2027-06-04T12:00".parse().ok();
            shifts[0].external_id = "packing".parse().ok();
            event.version = 9;
            event.gate = 9;
            shifts[0].occupancy.filled = 3;
            shifts[0].description = "Bring gloves.".parse().ok();
            shifts[0].minimum = Minimum::new(2).ok();
            shifts[0].version = 9;
            shifts[0].gate = 9;
            shifts[0].announced = 9;
            shifts[0].closing = Some(crate::shift::Closing {
                reason: None,
                at: before(),
                by: crate::shift::CancelledBy::EventCancellation,
                is_silent: false,
            });
        });
        source.location_data = r#"{"floor": 3}"#.parse().ok();
        source.questions = vec![Question { version: 9, ..records::question(&source.event, 5, 2) }];
        let decision = copy(source.clone(), date(2027, 11, 7)).unwrap();
        let written = [
            "insert Event 70",
            "insert LocationData 70",
            "insert Shift 71",
            "insert Shift 72",
            "insert Question 80",
        ];
        assert_eq!(lines(&decision)[0], "no event food-drive-abcdefgh");
        assert_eq!(lines(&decision)[1..], written);
        let other = Refusal::Taken(Box::new(source.event.clone().into()));
        assert!((decision.decides_again)(&other), "another event has the random slug");
        let Some(Write::Put { after, .. }) = decision.change.writes.last() else { panic!("{decision:?}") };
        let question = <&Question>::try_from(after).unwrap();
        assert_eq!((question.event, question.version, question.position), (decision.outcome.event.id, 1, 2));
        let EventWithShifts { event, shifts } = decision.outcome;
        assert_eq!((event.is_published, event.cancelled_at, event.cancellation_reason), (false, None, None));
        assert_eq!((event.external_id, &shifts[0].external_id), (None, &None));
        assert_eq!(
            (event.version, event.gate, event.created_at, event.updated_at),
            (1, 1, before(), before())
        );
        let days = (event.dates.first.date().to_string(), event.dates.last.map(|last| last.to_string()));
        assert_eq!(days, ("2027-11-07".to_owned(), Some("2027-11-09".to_owned())));
        assert_eq!((event.instructions, event.reminders_enabled), (source.event.instructions.clone(), false));
        assert!(event.waitlist_enabled);
        assert_eq!(event.language, Language::De);
        let signups = [event.signups_open_at, event.signups_close_at].map(Option::unwrap);
        assert_eq!(signups.map(|at| at.to_string()), ["2027-08-03T18:00", "2027-11-06T12:00"]);
        for (shift, original) in shifts.iter().zip(&source.shifts) {
            assert_eq!((shift.hours, shift.position), (original.hours, original.position));
            assert_eq!((&shift.description, shift.minimum), (&original.description, original.minimum));
            assert_eq!((shift.version, shift.occupancy.filled), (1, 0));
            assert_eq!((&shift.closing, shift.announced), (&None, 0));
            assert_eq!((shift.event, &shift.first_day), (event.id, &event.dates.first));
            assert_eq!((shift.created_at, shift.updated_at, shift.gate), (before(), before(), 1));
            assert_eq!(shift.occupancy.capacity, original.occupancy.capacity);
        }
    }

    #[test]
    fn a_copy_has_the_title_and_slug_of_its_source_unless_it_gets_another_title() {
        let same = copy(full(), date(2027, 11, 7)).unwrap().outcome.event;
        assert_eq!((same.title.as_str(), same.slug.as_str()), ("Food drive", "food-drive-abcdefgh"));
        let renamed = DuplicateEvent::on(date(2027, 11, 7)).title("Winter Drive".parse().unwrap());
        let other = copy(full(), renamed).unwrap().outcome.event;
        assert_eq!((other.title.as_str(), other.slug.as_str()), ("Winter Drive", "winter-drive-abcdefgh"));
    }

    #[test]
    fn a_copy_that_leaves_the_range_of_dates_is_a_fault_of_start_date() {
        let long = || full_with(|event, _| event.dates.last = "2027-06-07".parse().ok());
        for (to, fault) in [
            (date(1970, 1, 1), None),
            (date(1969, 12, 31), Some(TimeError::Date)),
            (date(9998, 12, 29), None),
            (date(9998, 12, 30), Some(TimeError::LastDay)),
        ] {
            let expected = fault.map(|fault| Faults::one("start_date", fault));
            assert_eq!(copy(long(), to).err(), expected, "{to}");
        }
        let opens_early = || full_with(|event, _| event.signups_open_at = "2027-06-04T18:00".parse().ok());
        let fault = Faults::one("start_date", TimeError::SignupDay);
        assert_eq!(copy(opens_early(), date(1970, 1, 1)).err(), Some(fault));
        assert_eq!(copy(opens_early(), date(1970, 1, 2)).err(), None);
    }
}
