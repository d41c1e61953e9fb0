//! The records that exist.

use std::collections::{BTreeMap, BTreeSet};

use crate::conformance::family::Family;
use crate::conformance::records::*;
use crate::*;

/// The records that exist, deleted and expired ones included.
#[derive(Debug, Clone, Default)]
pub(in crate::conformance) struct World(BTreeMap<RecordKey, Record>);

impl World {
    /// Reads the records with these keys.
    pub(in crate::conformance) async fn read(store: &dyn Store, keys: &BTreeSet<RecordKey>) -> Self {
        let mut records = BTreeMap::new();
        for key in keys {
            let found = store.record(key, Deleted::Included).await.unwrap();
            records.extend(found.map(|record| (key.clone(), record)));
        }
        Self(records)
    }

    pub(super) fn get(&self, key: &RecordKey) -> Option<&Record> {
        self.0.get(key)
    }

    pub(super) fn of_kind(&self, kind: Kind) -> impl Iterator<Item = Record> {
        self.0.values().filter(move |record| record.kind() == kind).cloned()
    }

    pub(in crate::conformance) fn all<'r, R: TryFrom<&'r Record>>(&'r self) -> impl Iterator<Item = R> {
        self.0.values().filter_map(|record| R::try_from(record).ok())
    }

    pub(in crate::conformance) fn apply(&mut self, write: &Write) {
        match write {
            Write::Put { before: _, after } => {
                self.0.insert(after.entity().key(), after.clone());
            }
            Write::Remove(record) => {
                let key = record.entity().key();
                self.0.remove(&key);
                self.0.retain(|_, child| child.entity().parent().as_ref() != Some(&key));
            }
        }
    }

    /// Adds the records that a change set inserts, for change sets that are committed at the same time.
    ///
    /// They have no record without a version: it is unknown whether the change set succeeds, and a requirement of the record's
    /// version tells.
    pub(in crate::conformance) fn add_new(&mut self, change: &ChangeSet) {
        for write in &change.writes {
            if let Write::Put { before: None, after } = write
                && after.entity().version().is_some()
            {
                self.apply(write);
            }
        }
    }
}

/// The keys and the unique values of all records that were ever put, or that a refused change set would have put.
#[derive(Debug, Default)]
pub(in crate::conformance) struct Seen {
    pub(in crate::conformance) keys: BTreeSet<RecordKey>,
    pub(in crate::conformance) uniques: BTreeSet<Unique>,
}

impl Seen {
    pub(in crate::conformance) fn add(&mut self, change: &ChangeSet) {
        for record in change.writes.iter().filter_map(|write| write.states().1) {
            self.keys.insert(record.key());
            self.uniques.extend(record.uniques());
        }
    }

    /// Returns the organizations, in which every record is read.
    pub(in crate::conformance) fn organizations(&self) -> BTreeSet<OrganizationId> {
        self.keys.iter().map(RecordKey::organization).collect()
    }
}

/// Returns the same key in an organization. The key of an organization becomes that of the other.
pub(in crate::conformance) fn in_organization(key: &RecordKey, organization: OrganizationId) -> RecordKey {
    match key {
        RecordKey::Organization(_) => RecordKey::Organization(organization),
        RecordKey::Token(_, id) => RecordKey::Token(organization, *id),
        RecordKey::Event(_, id) => RecordKey::Event(organization, *id),
        RecordKey::LocationData(_, id) => RecordKey::LocationData(organization, *id),
        RecordKey::Shift(_, id) => RecordKey::Shift(organization, *id),
        RecordKey::Question(_, id) => RecordKey::Question(organization, *id),
        RecordKey::Message(_, id) => RecordKey::Message(organization, *id),
        RecordKey::Signup(_, id) => RecordKey::Signup(organization, *id),
        RecordKey::Link(_, digest) => RecordKey::Link(organization, *digest),
        RecordKey::OptOut(_, mailbox, subscription) => {
            RecordKey::OptOut(organization, mailbox.clone(), *subscription)
        }
        RecordKey::Receipt(key) => RecordKey::Receipt(ReceiptKey { organization, ..key.clone() }),
        RecordKey::Notice(_, id) => RecordKey::Notice(organization, *id),
        RecordKey::Activity(_, id) => RecordKey::Activity(organization, *id),
        RecordKey::Webhook(_, id) => RecordKey::Webhook(organization, *id),
        RecordKey::Delivery(_, id) => RecordKey::Delivery(organization, *id),
        RecordKey::Membership(_, id) => RecordKey::Membership(organization, *id),
        RecordKey::Invitation(_, id) => RecordKey::Invitation(organization, *id),
        // These belong to no organization.
        RecordKey::Person(_) | RecordKey::SignInCode(_) | RecordKey::SignIn(_) => key.clone(),
    }
}

/// Returns the writes that fill an empty store with a few records: a [`Family`] of each organization, and one whose event is
/// deleted. The first family also has a shift with two free places, a full shift, a closed shift and a deleted shift. One person
/// belongs to both organizations, and another to the first.
pub(in crate::conformance) fn first_writes() -> Vec<Write> {
    let [here, foreign, gone] = [(1, 1), (2, 2), (1, 3)].map(|(owner, number)| Family::new(owner, number));
    let (event, shifts) = (&here.full.event, &here.full.shifts);
    let is_new = |record: &Record| record.kind() != Kind::Organization;
    let mut records = [here.records(), foreign.records()].concat();
    records.extend(gone.records().into_iter().filter(is_new));
    let draft = Event { is_published: false, ..self::event(1, 4) };
    let expired = Receipt { expires_at: at(-1), ..receipt(receipt_key(1, "key-0"), event, &[]) };
    let mut full = next_shift(&shifts[0]);
    full.occupancy.capacity = Capacity::new(1).unwrap();
    let failure = Some(NoticeFailure::new(at(-7), "550 no such user"));
    let failed = Notice { failure, version: 2, ..here.notices[0].clone() };

    let mut writes: Vec<_> = records.into_iter().map(Write::insert).collect();
    let (both, one) = (person(1), Person { email: super::email(0, false), ..person(2) });
    let joined = [
        membership(1, &both, Role::Owner),
        membership(2, &both, Role::Admin),
        membership(1, &one, Role::Organizer),
    ];
    writes.extend([both, one].map(Write::insert));
    writes.extend(joined.map(Write::insert));
    writes.extend([Write::insert(sign_in(&person(1), 1)), Write::insert(sign_in_code(0))]);
    writes.push(Write::insert(invitation(1, 1)));
    writes.extend([
        Write::insert(shift(event, 1, 2)),
        Write::insert(Shift { deleted_at: Some(at(-8)), ..shift(event, 2, 2) }),
        Write::insert(draft),
        Write::insert(expired),
        put(shifts[0].shift.clone(), full),
        put(shifts[1].shift.clone(), closed(&shifts[1], at(-5), CancelledBy::ShiftDeletion)),
        put(here.notices[0].clone(), failed),
        put(gone.full.event.clone(), deleted(&gone.full.event, at(-9))),
    ]);
    writes
}
