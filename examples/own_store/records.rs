//! The records in one map, and the commit of a change set.

use std::collections::BTreeMap;
use std::iter;

use signup_core::{
    ChangeSet, Deleted, Entity, Event, EventId, EventInFull, EventLocationData, Kind, Membership,
    Organization, OrganizationId, PersonId, Purge, Question, Record, RecordKey, Refusal, Requirement, Shift,
    Timestamp, Total, Unique, Write,
};

/// The records as they were put.
#[derive(Debug, Default)]
pub(crate) struct Records(pub(crate) BTreeMap<RecordKey, Record>);

impl Records {
    /// Lists the record, its parent, the parent of that, and so on.
    fn line<'a>(&'a self, record: &'a Record) -> impl Iterator<Item = &'a Record> {
        iter::successors(Some(record), |record| self.0.get(&record.entity().parent()?))
    }

    /// Returns whether a purge has removed the event of the record.
    fn is_orphan(&self, record: &Record) -> bool {
        self.line(record).last().is_some_and(|root| root.entity().parent().is_some())
    }

    /// Returns whether the record or its event is deleted. A notice never counts as deleted.
    pub(crate) fn is_deleted(&self, record: &Record) -> bool {
        let is_gone = match record {
            Record::Shift(shift) => shift.deleted_at.is_some(),
            Record::Notice(_) => return false,
            _ => false,
        };
        let is_deleted =
            |parent: &Record| matches!(parent, Record::Event(event) if event.deleted_at.is_some());
        is_gone || self.line(record).any(is_deleted)
    }

    /// Returns the record with what it takes from its parent: a sign-up for a closed shift is cancelled.
    fn current(&self, record: &Record) -> Option<Record> {
        if self.is_orphan(record) {
            return None;
        }
        Some(match (record, self.line(record).nth(1)) {
            (Record::Signup(signup), Some(Record::Shift(shift))) => (**signup).clone().of(shift).into(),
            (record, _) => record.clone(),
        })
    }

    pub(crate) fn read(&self, key: &RecordKey, deleted: Deleted) -> Option<Record> {
        let record = self.0.get(key)?;
        if deleted == Deleted::Excluded && self.is_deleted(record) {
            return None;
        }
        let mut current = self.current(record)?;
        if let Record::Shift(shift) = &mut current {
            let total = Total::Filled(shift.organization, shift.id);
            shift.occupancy.filled = self.count(&total, Timestamp::MIN);
        }
        Some(current)
    }

    pub(crate) fn get<R: TryFrom<Record>>(&self, key: &RecordKey, deleted: Deleted) -> Option<R> {
        R::try_from(self.read(key, deleted)?).ok()
    }

    /// Lists the selected records of a kind by their keys.
    pub(crate) fn list<R: TryFrom<Record>>(
        &self,
        kind: Kind,
        deleted: Deleted,
        selects: impl Fn(&R) -> bool,
    ) -> Vec<R> {
        let keys = self.0.keys().filter(|key| key.kind() == kind);
        keys.filter_map(|key| self.get(key, deleted)).filter(selects).collect()
    }

    fn all(&self) -> impl Iterator<Item = Record> {
        self.0.values().filter_map(|record| self.current(record))
    }

    /// Returns the number of records that count in the total.
    pub(crate) fn count(&self, total: &Total, now: Timestamp) -> u32 {
        let shares = self.all().flat_map(|record| record.entity().shares());
        shares.filter(|share| share.total == *total && share.counts(now)).map(|_| 1).sum()
    }

    pub(crate) fn holder(&self, unique: &Unique) -> Option<Record> {
        self.all().find(|record| record.entity().uniques().contains(unique))
    }

    fn check(&self, requirement: &Requirement) -> Result<(), Refusal> {
        let entity = |key| self.0.get(key).map(Record::entity);
        let equal = |found: Option<u32>, read: u32, key: &RecordKey| {
            if found == Some(read) { Ok(()) } else { Err(Refusal::Changed(key.clone())) }
        };
        let below = |total: &Total, bound, now| match self.count(total, now) {
            count if count < bound => Ok(()),
            count => Err(Refusal::NotBelow { total: total.clone(), count }),
        };
        match requirement {
            Requirement::Unchanged { key, version } => {
                equal(entity(key).and_then(Entity::version), *version, key)
            }
            Requirement::GateUnchanged { key, gate } => equal(entity(key).and_then(Entity::gate), *gate, key),
            Requirement::Absent { unique, now } => match self.holder(unique) {
                Some(record) if !record.entity().is_replaceable(*now) => {
                    Err(Refusal::Taken(Box::new(record)))
                }
                _ => Ok(()),
            },
            Requirement::Below { total, bound, now } => below(total, *bound, *now),
            Requirement::AllZero { parent: _, totals } => {
                totals.iter().try_for_each(|total| below(total, 1, Timestamp::MIN))
            }
        }
    }

    pub(crate) fn commit(&mut self, change: ChangeSet) -> Result<(), Refusal> {
        change.requires.iter().try_for_each(|requirement| self.check(requirement))?;
        for write in change.writes {
            match write {
                Write::Put { before: _, after } => drop(self.0.insert(after.entity().key(), after)),
                Write::Remove(record) => self.remove(&record.entity().key()),
            }
        }
        Ok(())
    }

    fn children(&self, key: &RecordKey) -> Vec<RecordKey> {
        let children = self.0.iter().filter(|(_, child)| child.entity().parent().as_ref() == Some(key));
        children.map(|(key, _)| key.clone()).collect()
    }

    fn remove(&mut self, key: &RecordKey) {
        self.0.remove(key);
        self.children(key).iter().for_each(|child| self.remove(child));
    }

    fn is_due(&self, record: &Record, purge: Purge) -> bool {
        match (purge, record) {
            (Purge::Expired(now), _) => record.entity().expires_at().is_some_and(|end| end <= now),
            (Purge::FailedNotices(until), Record::Notice(notice)) => {
                notice.failure.as_ref().is_some_and(|failure| failure.at <= until)
            }
            (Purge::FailedNotices(_), _) => false,
            (Purge::Deleted(_), _) if self.is_orphan(record) => true,
            (Purge::Deleted(until), Record::Event(event)) => event.deleted_at.is_some_and(|at| at <= until),
            (Purge::Deleted(until), Record::Shift(shift)) => {
                shift.deleted_at.is_some_and(|at| at <= until)
                    && self.children(&record.entity().key()).is_empty()
            }
            (Purge::Deleted(_) | Purge::Traces, _) => false,
        }
    }

    /// Removes events first, because keys sort by kind. Their children are then orphans, which no read returns.
    pub(crate) fn purge(&mut self, purge: Purge, limit: u32) -> u64 {
        for removed in 0..u64::from(limit) {
            let due = self.0.values().filter(|record| self.is_due(record, purge)).map(Record::entity);
            let Some(key) = due.map(|due| (due.expires_at(), due.key())).min().map(|(_, key)| key) else {
                return removed;
            };
            self.0.remove(&key);
        }
        u64::from(limit)
    }

    /// Lists the memberships of a person, each with the organization.
    pub(crate) fn memberships(&self, person: PersonId) -> Vec<(Membership, Organization)> {
        let is_own = |membership: &Membership| membership.person == person;
        let memberships = self.list(Kind::Membership, Deleted::Excluded, is_own);
        let with_organization = |membership: Membership| {
            let organization = RecordKey::Organization(membership.organization);
            Some((membership, self.get(&organization, Deleted::Excluded)?))
        };
        memberships.into_iter().filter_map(with_organization).collect()
    }

    pub(crate) fn event(&self, owner: OrganizationId, id: EventId) -> Option<Event> {
        self.get(&RecordKey::Event(owner, id), Deleted::Excluded)
    }

    /// Returns the event with this key, or the event that the record with this key belongs to.
    pub(crate) fn event_of(&self, key: &RecordKey) -> Option<Event> {
        match self.0.get(key)? {
            Record::Event(event) => self.event(event.organization, event.id),
            record => self.event_of(&record.entity().parent()?),
        }
    }

    pub(crate) fn shifts(&self, event: &Event) -> Vec<Shift> {
        self.list(Kind::Shift, Deleted::Excluded, |shift: &Shift| shift.event == event.id)
    }

    pub(crate) fn in_full(&self, event: Event) -> EventInFull {
        let is_asked = |question: &Question| question.event == event.id;
        let mut questions = self.list(Kind::Question, Deleted::Excluded, is_asked);
        questions.sort_by_key(|question| (question.position, question.id));
        let data = self.get(&RecordKey::LocationData(event.organization, event.id), Deleted::Excluded);
        let shifts = self.shifts(&event);
        let mut full = EventInFull::new(event, shifts, questions);
        full.location_data = data.map(|found: EventLocationData| found.data);
        full
    }
}
