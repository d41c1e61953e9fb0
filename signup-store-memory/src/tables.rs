//! The records, and the indexes that follow from what each record declares.
//!
//! A record is kept as it was put. What it takes from its parents is added when it is read, by [`Tables::read`]. So a write
//! changes one record, and a closed shift costs the same for any number of sign-ups.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use signup_core::{
    ChangeSet, Deleted, Entity as _, Event, EventId, EventInFull, OrganizationId, Record, RecordKey, Refusal,
    Requirement, Share, Shift, Signup, SignupInFull, Total, Unique, Write,
};

use crate::lists::Lists;

#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub(crate) records: BTreeMap<RecordKey, Record>,
    /// The children of each record.
    pub(crate) children: BTreeMap<RecordKey, BTreeSet<RecordKey>>,
    /// The record that has each unique value.
    holders: BTreeMap<Unique, RecordKey>,
    tallies: BTreeMap<Total, Tally>,
    /// The records that expire, by expiry.
    pub(crate) expiries: BTreeSet<(Timestamp, RecordKey)>,
    pub(crate) lists: Lists,
}

/// The records that count in a total.
#[derive(Debug, Default)]
struct Tally {
    /// The number of records that always count.
    always: u32,
    /// The records that count until a time.
    until: BTreeSet<(Timestamp, RecordKey)>,
}

impl Tables {
    /// Checks the requirements in their order, and applies the writes if all of them hold.
    pub(crate) fn commit(&mut self, change: ChangeSet) -> Result<(), Refusal> {
        change.requires.iter().try_for_each(|requirement| self.check(requirement))?;
        for write in change.writes {
            match write {
                Write::Put { before: _, after } => self.put(after),
                Write::Remove(record) => self.remove(&record.entity().key()),
            }
        }
        Ok(())
    }

    fn check(&self, requirement: &Requirement) -> Result<(), Refusal> {
        match requirement {
            Requirement::Unchanged { key, version } => {
                let found = self.records.get(key).and_then(|record| record.entity().version());
                require(found == Some(*version), || Refusal::Changed(key.clone()))
            }
            Requirement::GateUnchanged { key, gate } => {
                let found = self.records.get(key).and_then(|record| record.entity().gate());
                require(found == Some(*gate), || Refusal::Changed(key.clone()))
            }
            Requirement::Absent { unique, now } => match self.holder(unique) {
                Some(record) if !record.entity().is_replaceable(*now) => {
                    Err(Refusal::Taken(Box::new(record)))
                }
                _ => Ok(()),
            },
            Requirement::Below { total, bound, now } => self.check_below(total, *bound, *now),
            Requirement::AtLeast { total, bound, now } => {
                let count = self.count(total, *now);
                require(count >= *bound, || Refusal::NotAtLeast { total: total.clone(), count })
            }
            Requirement::AllZero { parent: _, totals } => {
                totals.iter().try_for_each(|total| self.check_below(total, 1, Timestamp::MIN))
            }
        }
    }

    fn check_below(&self, total: &Total, bound: u32, now: Timestamp) -> Result<(), Refusal> {
        let count = self.count(total, now);
        require(count < bound, || Refusal::NotBelow { total: total.clone(), count })
    }

    pub(crate) fn count(&self, total: &Total, now: Timestamp) -> u32 {
        if let Total::Filled(organization, shift)
        | Total::Waiting(organization, shift)
        | Total::PlacesOf(organization, shift, _) = total
            && self
                .shift(&RecordKey::Shift(*organization, *shift))
                .is_some_and(|shift| shift.closing.is_some())
        {
            return 0;
        }
        self.tallies.get(total).map_or(0, |tally| tally.at(now, total.latest_until(now)))
    }

    /// Returns the record that has the value.
    pub(crate) fn holder(&self, unique: &Unique) -> Option<Record> {
        let record = self.read(self.holders.get(unique)?, Deleted::Included)?;
        // The closing of a shift takes the places of its sign-ups.
        record.entity().uniques().contains(unique).then_some(record)
    }

    /// Returns a record as it is now.
    pub(crate) fn read(&self, key: &RecordKey, deleted: Deleted) -> Option<Record> {
        let record = self.records.get(key)?;
        if deleted == Deleted::Excluded && self.is_deleted(record) {
            return None;
        }
        Some(match record {
            Record::Shift(shift) => self.current_shift(shift).into(),
            Record::Signup(signup) => self.current_signup(signup).into(),
            record => record.clone(),
        })
    }

    /// Returns whether a record is deleted, or belongs to an event that is deleted.
    pub(crate) fn is_deleted(&self, record: &Record) -> bool {
        let is_of_deleted = |organization, event| {
            self.event(organization, event).is_none_or(|event| event.deleted_at.is_some())
        };
        match record {
            Record::Event(event) => event.deleted_at.is_some(),
            Record::LocationData(data) => is_of_deleted(data.organization, data.event),
            Record::Shift(shift) => {
                shift.deleted_at.is_some() || is_of_deleted(shift.organization, shift.event)
            }
            Record::Question(question) => is_of_deleted(question.organization, question.event),
            Record::Message(message) => is_of_deleted(message.organization, message.event),
            Record::Signup(signup) => is_of_deleted(signup.organization, signup.event),
            Record::Organization(_)
            | Record::Token(_)
            | Record::Link(_)
            | Record::OptOut(_)
            | Record::Receipt(_)
            | Record::Notice(_)
            | Record::Activity(_)
            | Record::Webhook(_)
            | Record::Delivery(_)
            | Record::Person(_)
            | Record::Membership(_)
            | Record::Invitation(_)
            | Record::SignInCode(_)
            | Record::SignIn(_) => false,
        }
    }

    /// Returns the event as it was put, deleted or not.
    pub(crate) fn event(&self, organization: OrganizationId, id: EventId) -> Option<&Event> {
        match self.records.get(&RecordKey::Event(organization, id)) {
            Some(Record::Event(event)) => Some(event),
            _ => None,
        }
    }

    /// Returns the event with this key, or the event that the record with this key belongs to.
    pub(crate) fn event_of(&self, key: &RecordKey) -> Option<&Event> {
        match self.records.get(key)? {
            Record::Event(event) => Some(event),
            record => self.event_of(&record.entity().parent()?),
        }
    }

    /// Returns the shift as it was put, deleted or not.
    fn shift(&self, key: &RecordKey) -> Option<&Shift> {
        match self.records.get(key) {
            Some(Record::Shift(shift)) => Some(shift),
            _ => None,
        }
    }

    /// Returns the shift as it is now: with the numbers of sign-ups that are confirmed and that wait.
    fn current_shift(&self, shift: &Shift) -> Shift {
        let mut current = shift.clone();
        let count = |total| {
            let tally = self.tallies.get(&total).filter(|_| shift.closing.is_none());
            tally.map_or(0, |tally| tally.always)
        };
        current.occupancy.filled = count(Total::Filled(shift.organization, shift.id));
        current.occupancy.waitlisted = count(Total::Waiting(shift.organization, shift.id));
        current
    }

    /// Returns the sign-up as it is now: cancelled if its shift is closed.
    pub(crate) fn current_signup(&self, signup: &Signup) -> Signup {
        match self.shift(&RecordKey::Shift(signup.organization, signup.shift)) {
            Some(shift) => signup.clone().of(shift),
            None => signup.clone(),
        }
    }

    /// Returns the event's shifts that are not deleted, by their ids.
    pub(crate) fn shifts_of(&self, event: &Event) -> Vec<Shift> {
        let key = event.key();
        let shifts = self.children(&key).filter_map(|child| match child {
            Record::Shift(shift) if shift.deleted_at.is_none() => Some(self.current_shift(shift)),
            _ => None,
        });
        shifts.collect()
    }

    /// Returns the event with everything that a duplicate copies.
    pub(crate) fn in_full(&self, event: &Event) -> EventInFull {
        let key = event.key();
        let questions = self.children(&key).filter_map(|child| match child {
            Record::Question(question) => Some((**question).clone()),
            _ => None,
        });
        let mut questions: Vec<_> = questions.collect();
        questions.sort_by_key(|question| (question.position, question.id));
        let mut full = EventInFull::new(event.clone(), self.shifts_of(event), questions);
        if let Some(Record::LocationData(found)) =
            self.records.get(&RecordKey::LocationData(event.organization, event.id))
        {
            full.location_data = Some(found.data.clone());
        }
        full
    }

    /// Returns a sign-up with the records that it refers to, deleted or not.
    pub(crate) fn signup_in_full(&self, signup: Signup) -> Option<SignupInFull> {
        let (organization, read) = (signup.organization, |key| self.read(&key, Deleted::Included));
        let Record::Shift(shift) = read(RecordKey::Shift(organization, signup.shift))? else { return None };
        let Record::Organization(owner) = read(RecordKey::Organization(organization))? else { return None };
        let event = self.event(organization, shift.event)?.clone();
        Some(SignupInFull::new(*owner, event, *shift, signup))
    }

    /// Returns the children of a record, by their keys.
    pub(crate) fn children(&self, parent: &RecordKey) -> impl Iterator<Item = &Record> {
        let keys = self.children.get(parent).into_iter().flatten();
        keys.filter_map(|key| self.records.get(key))
    }

    fn put(&mut self, record: Record) {
        let entity = record.entity();
        let key = entity.key();
        self.take_out(&key);
        if let Some(parent) = entity.parent() {
            self.children.entry(parent).or_default().insert(key.clone());
        }
        for unique in entity.uniques() {
            self.holders.insert(unique, key.clone());
        }
        for Share { total, until } in entity.shares() {
            let tally = self.tallies.entry(total).or_default();
            match until {
                Some(until) => drop(tally.until.insert((until, key.clone()))),
                None => tally.always += 1,
            }
        }
        self.expiries.extend(entity.expires_at().map(|expires_at| (expires_at, key.clone())));
        self.lists.add(&record);
        self.records.insert(key, record);
    }

    /// Removes a record with its children.
    pub(crate) fn remove(&mut self, key: &RecordKey) {
        for child in self.children.remove(key).into_iter().flatten() {
            self.remove(&child);
        }
        self.take_out(key);
    }

    /// Removes a record from all collections, except that its children stay.
    fn take_out(&mut self, key: &RecordKey) {
        let Some(record) = self.records.remove(key) else { return };
        let entity = record.entity();
        if let Some(parent) = entity.parent()
            && let Some(children) = self.children.get_mut(&parent)
        {
            children.remove(key);
        }
        for unique in entity.uniques() {
            // On a closed shift another sign-up may have the place by now.
            if self.holders.get(&unique) == Some(key) {
                self.holders.remove(&unique);
            }
        }
        for Share { total, until } in entity.shares() {
            let Some(tally) = self.tallies.get_mut(&total) else { continue };
            match until {
                Some(until) => drop(tally.until.remove(&(until, key.clone()))),
                None => tally.always -= 1,
            }
            if tally.always == 0 && tally.until.is_empty() {
                self.tallies.remove(&total);
            }
        }
        if let Some(expires_at) = entity.expires_at() {
            self.expiries.remove(&(expires_at, key.clone()));
        }
        self.lists.remove(&record);
    }
}

impl Tally {
    /// Returns how many records count at `now`: always, or until a time after `now` that is not after `latest`.
    fn at(&self, now: Timestamp, latest: Timestamp) -> u32 {
        let ends = self.until.iter().rev().skip_while(|(until, _)| *until > latest);
        let temporary = ends.take_while(|(until, _)| *until > now).count();
        self.always.saturating_add(u32::try_from(temporary).unwrap_or(u32::MAX))
    }
}

fn require(holds: bool, refusal: impl FnOnce() -> Refusal) -> Result<(), Refusal> {
    if holds { Ok(()) } else { Err(refusal()) }
}
