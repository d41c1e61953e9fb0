//! Cancelling an event.

use jiff::{SignedDuration, Timestamp};

use super::recipient::want_all;
use super::{Decision, NewActivity};
use crate::activity::ActivityType;
use crate::error::Error;
use crate::event::Event;
use crate::input::Cancellation;
use crate::notice::Notice;
use crate::occupancy::Occupancy;
use crate::receipt::EventWithShifts;
use crate::shift::CancelledBy;
use crate::shift::{Closing, Shift};
use crate::store::{ChangeSet, EventInFull};
use crate::text::CancellationReason;

/// Cancels an event for good, cancels its active sign-ups, and mails their volunteers, unless the request suppresses the mails.
/// `job` is the one that mails the changes of the event, as it was read. A cancelled event stays unchanged.
///
/// # Errors
/// Returns [`Error::EventOver`] if the event and all its shifts are over.
pub(crate) fn cancel_event(
    full: EventInFull,
    cancel: Cancellation,
    job: Option<Notice>,
    now: Timestamp,
) -> Result<Decision<EventWithShifts>, Error> {
    let EventInFull { event, mut shifts, .. } = full;
    if event.is_cancelled() {
        return Ok(Decision::unchanged(EventWithShifts { event, shifts }));
    }
    if event.is_over_with(&shifts, now) {
        return Err(Error::EventOver);
    }
    let cancelled = Event {
        cancelled_at: Some(now),
        cancellation_reason: cancel.reason,
        version: event.version + 1,
        gate: event.gate + 1,
        updated_at: now,
        ..event.clone()
    };
    let mut change = ChangeSet::default();
    change.replace(event, cancelled.clone());
    let mut closed_shifts = vec![];
    for shift in &mut shifts {
        // The hours decide which sign-ups are active.
        if shift.is_over(now) {
            change.require_unchanged(&shift.shift);
            continue;
        }
        let by = (CancelledBy::EventCancellation, None);
        let closed = closed(shift.shift.clone(), now, by, cancel.without_mail);
        closed_shifts.push(shift.id);
        change.replace(std::mem::replace(&mut shift.shift, closed.clone()), closed);
    }
    if !cancel.without_mail {
        let path = (cancelled.organization, cancelled.id);
        want_all(&mut change, path, &closed_shifts, job, Some(SignedDuration::ZERO), now);
    }
    let activity = NewActivity::of(ActivityType::EVENT_CANCELLED, &cancelled);
    Ok(Decision::new(EventWithShifts { event: cancelled, shifts }, change, [activity]))
}

/// Closes a shift: cancels its sign-ups and frees their places. Nobody is mailed about a silent closing.
pub(super) fn closed(
    shift: Shift,
    at: Timestamp,
    (by, reason): (CancelledBy, Option<CancellationReason>),
    is_silent: bool,
) -> Shift {
    let occupancy = Occupancy::empty(shift.occupancy.capacity);
    Shift {
        occupancy,
        closing: Some(Closing { at, by, reason, is_silent }),
        version: shift.version + 1,
        gate: shift.gate + 1,
        ..shift
    }
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;
    use crate::store::Write;

    #[test]
    fn a_cancellation_raises_the_version_and_the_gate_of_the_event_and_of_its_shifts() {
        let event = records::event(1, 1);
        let mut shifts = vec![records::shift(&event, 1, 5)];
        shifts[0].occupancy.filled = 3;
        let full = EventInFull::new(event.clone(), shifts, vec![]);
        let (reason, now) = ("Flood".parse().unwrap(), records::at(9));
        let cancel = Cancellation { reason: Some(reason), ..Cancellation::new() };
        let Decision { outcome, change, .. } = cancel_event(full, cancel.clone(), None, now).unwrap();
        let Event { version, gate, cancelled_at, updated_at, cancellation_reason, .. } = outcome.event;
        assert_eq!((version, gate), (event.version + 1, event.gate + 1));
        assert_eq!((cancelled_at, updated_at, cancellation_reason), (Some(now), now, cancel.reason));
        assert_eq!((outcome.shifts[0].version, outcome.shifts[0].gate), (2, 2));
        assert_eq!(outcome.shifts[0].occupancy, records::shift(&event, 1, 5).occupancy, "places are free");
        let [_, _, Write::Put { before: None, .. }] = &change.writes[..] else { panic!("{change:?}") };
    }

    fn cancel(full: EventInFull, cancel: Cancellation, now: Timestamp) -> Result<Vec<String>, Error> {
        cancel_event(full, cancel, None, now).map(|decision| lines(&decision))
    }

    #[test]
    fn a_cancellation_closes_shifts_that_are_not_over_and_tells_volunteers_unless_mail_is_suppressed() {
        let event = ["Event 1 at 1"];
        let (put, shifts) =
            ("put Event 1 to 2, gate 2", ["put Shift 1 to 2, gate 2", "put Shift 2 to 2, gate 2"]);
        let read = [&event[..], &["Shift 1 at 1", "Shift 2 at 1", put], &shifts].concat();
        let told =
            [&event[..], &["Shift 1 at 1", "Shift 2 at 1", "no Notice", put], &shifts, &["insert Notice"]]
                .concat();
        let draft = full_with(|event, _| event.is_published = false);
        assert_eq!(cancel(full(), Cancellation::new(), before()).unwrap(), told);
        assert_eq!(cancel(draft, Cancellation::new(), before()).unwrap(), told, "a draft");
        assert_eq!(cancel(full(), Cancellation::new().without_mail(), before()).unwrap(), read);
        let past = cancel(full(), Cancellation::new(), after_shifts()).unwrap();
        assert_eq!(
            past,
            [&event[..], &["Shift 1 at 1", "Shift 2 at 1", put]].concat(),
            "no volunteer is told"
        );
        let long = full_with(|_, shifts| shifts[1].hours = (0, 1440).try_into().unwrap());
        let mixed = cancel(long, Cancellation::new(), after_shifts()).unwrap();
        let of = |number: &str| mixed.iter().any(|line| line.starts_with(&format!("put Shift {number}")));
        assert_eq!((of("1"), of("2"), mixed.last().unwrap().as_str()), (false, true, "insert Notice"));
    }

    #[test]
    fn a_cancelled_event_stays_as_it_is_and_one_that_is_over_cannot_be_cancelled() {
        let cancelled = full_with(|event, _| event.cancelled_at = Some(records::at(1)));
        assert_eq!(cancel(cancelled.clone(), Cancellation::new(), before()).unwrap(), [""; 0]);
        assert_eq!(cancel(cancelled, Cancellation::new(), after_event()).unwrap(), [""; 0]);
        assert_eq!(cancel(full(), Cancellation::new(), after_event()).unwrap_err(), Error::EventOver);
    }

    #[test]
    fn an_event_is_cancelled_until_its_last_night_is_over() {
        let night = with_night().shifts[1].interval();
        assert!(with_night().event.is_over(after_event()) && after_event() < night.end);
        let expected = [
            "Event 1 at 1",
            "Shift 1 at 1",
            "Shift 2 at 1",
            "no Notice",
            "put Event 1 to 2, gate 2",
            "put Shift 2 to 2, gate 2",
            "insert Notice",
        ];
        assert_eq!(cancel(with_night(), Cancellation::new(), after_event()).unwrap(), expected);
        assert_eq!(cancel(with_night(), Cancellation::new(), night.end).unwrap_err(), Error::EventOver);
    }
}
