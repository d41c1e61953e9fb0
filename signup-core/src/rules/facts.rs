//! Facts for the tests of rules, and change sets as text.

use jiff::{SignedDuration, Timestamp};

use super::{Decision, NewActivity};
use crate::conformance::records;
use crate::event::Event;
use crate::fault::Faults;
use crate::id::NoticeId;
use crate::plan::PlanLimits;
use crate::shift::Shift;
use crate::store::{ChangeSet, EventInFull, Record, RecordKey, Requirement, Total, Unique, Write};
use crate::webhook::Webhook;

/// The delay of mails about changes.
pub(super) const DELAY: SignedDuration = SignedDuration::from_secs(60);

/// The limits of the tests: 3 active events, and 7 days for the longest event.
pub(super) fn limits() -> PlanLimits {
    PlanLimits::unlimited().active_events(3).event_days(7)
}

/// A published event on 2027-06-05 with the shifts 1 and 2, from 09:00 to 12:00 in New York.
pub(super) fn full() -> EventInFull {
    full_with(|_, _| {})
}

/// Returns the event with these changes, and its shifts as they then are.
pub(super) fn full_with(change: impl FnOnce(&mut Event, &mut [Shift])) -> EventInFull {
    let mut event = records::event(1, 1);
    let mut shifts = [1, 2].map(|number| records::shift(&event, number, 5));
    change(&mut event, &mut shifts);
    EventInFull::new(event, shifts.to_vec(), vec![])
}

/// The event with its second shift in the night from its only day to the next, from 22:00 to 06:00.
pub(super) fn with_night() -> EventInFull {
    full_with(|_, shifts| shifts[1].hours = (1, 1320, 360, true).try_into().unwrap())
}

/// A time before the event.
pub(super) fn before() -> Timestamp {
    records::at(9)
}

/// The end of the shifts, at which they are over and the event is not.
pub(super) fn after_shifts() -> Timestamp {
    full().shifts[0].interval().end
}

/// The end of the last day, at which the event is over.
pub(super) fn after_event() -> Timestamp {
    full().event.dates.ends_at()
}

/// Returns the id of the notice `number`.
pub(super) fn notice(number: u32) -> NoticeId {
    NoticeId::new(records::uuid(number))
}

/// Returns the path of each fault.
pub(super) fn fault_paths(faults: &Faults) -> Vec<String> {
    faults.iter().map(|fault| fault.path.to_string()).collect()
}

/// Returns the type and the changes of each activity, one line each.
pub(super) fn named<T>(decision: &Decision<T>) -> Vec<String> {
    let line = |activity: &NewActivity| [&[activity.kind.as_str()], &activity.changes[..]].concat().join(" ");
    decision.activity.iter().map(line).collect()
}

/// Returns the webhook after a decision; `None` if the decision does not change a webhook.
pub(super) fn changed<T>(decision: &Decision<T>) -> Option<Webhook> {
    put(decision)
}

/// Returns the record of a kind that a decision inserts or changes.
pub(super) fn put<R: TryFrom<Record>, T>(decision: &Decision<T>) -> Option<R> {
    decision.change.writes.iter().find_map(|write| match write {
        Write::Put { after, .. } => R::try_from(after.clone()).ok(),
        Write::Remove(_) => None,
    })
}

/// Returns what a decision requires and writes, one line each.
pub(super) fn lines<T>(decision: &Decision<T>) -> Vec<String> {
    change_lines(&decision.change)
}

/// Returns what a change set requires and writes, one line each.
pub(super) fn change_lines(ChangeSet { requires, writes }: &ChangeSet) -> Vec<String> {
    requires.iter().map(requirement).chain(writes.iter().map(write)).collect()
}

fn name(key: &RecordKey) -> String {
    match key.id().map_or(0, |id| id.as_u128() & 0xffff_ffff) {
        // An id that follows from an address or an event.
        1000.. => format!("{:?}", key.kind()),
        number => format!("{:?} {number}", key.kind()),
    }
}

fn requirement(requirement: &Requirement) -> String {
    match requirement {
        Requirement::Unchanged { key, version } => format!("{} at {version}", name(key)),
        Requirement::GateUnchanged { key, gate } => format!("{} at gate {gate}", name(key)),
        Requirement::Absent { unique: Unique::EventSlug(slug), .. } => format!("no event {slug}"),
        Requirement::Absent { unique: Unique::EventExternalId(_, id), .. } => {
            format!("no event with id {id}")
        }
        Requirement::Absent { unique: Unique::Place(_, shift, email, person), .. } => {
            format!(
                "no place of {person} {email} on {}",
                name(&RecordKey::Shift(records::organization_id(1), *shift))
            )
        }
        Requirement::Absent { unique: Unique::Notice(..), .. } => "no Notice".to_owned(),
        Requirement::Absent { unique: Unique::OptOut(.., subscription), .. } => {
            format!("no opt-out from {subscription}")
        }
        Requirement::Absent { unique, .. } => format!("no {unique:?}"),
        Requirement::Below { total, bound, .. } => {
            format!("{} below {bound}", totals(std::slice::from_ref(total)))
        }
        Requirement::AtLeast { total, bound, .. } => {
            format!("{} at least {bound}", totals(std::slice::from_ref(total)))
        }
        Requirement::AllZero { parent, totals: all } => {
            format!("{} of {} zero", totals(all), name(parent))
        }
    }
}

fn totals(totals: &[Total]) -> String {
    let name = |total: &Total| match total {
        Total::Organizations => "organizations".to_owned(),
        Total::ActiveEvents(_) => "active events".to_owned(),
        Total::Filled(owner, shift) => format!("sign-ups of {}", name(&RecordKey::Shift(*owner, *shift))),
        Total::Waiting(owner, shift) => {
            format!("waiting for {}", name(&RecordKey::Shift(*owner, *shift)))
        }
        Total::PlacesOf(owner, shift, email) => {
            format!("places of {email} on {}", name(&RecordKey::Shift(*owner, *shift)))
        }
        Total::Webhooks(_) => "webhooks".to_owned(),
        Total::Messages(..) => "messages".to_owned(),
        Total::InFlight(owner, webhook) => {
            format!("deliveries in flight of {}", name(&RecordKey::Webhook(*owner, *webhook)))
        }
        Total::Answers(owner, _, question) => {
            format!("answers to {}", name(&RecordKey::Question(*owner, *question)))
        }
    };
    totals.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn write(write: &Write) -> String {
    match write {
        Write::Put { before: None, after } => format!("insert {}", name(&after.entity().key())),
        Write::Put { before: Some(before), after } => {
            let (before, after) = (before.entity(), after.entity());
            let raised = |before: Option<u32>, after: Option<u32>, text: &str| match before == after {
                true => String::new(),
                false => format!("{text} {}", after.unwrap_or_default()),
            };
            let version = raised(before.version(), after.version(), " to");
            format!("put {}{version}{}", name(&after.key()), raised(before.gate(), after.gate(), ", gate"))
        }
        Write::Remove(record) => format!("remove {}", name(&record.entity().key())),
    }
}
