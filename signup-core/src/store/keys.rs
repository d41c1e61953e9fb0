//! Keys: what a requirement reads and a write changes. They follow from what the records declare.
//!
//! A store derives from keys which change sets are independent, which ones add to the same total, and in which order
//! rows are locked. So a store never recognizes a use case by the shape of a change set.
//!
//! **Invariant:** the outcomes and the records after two change sets do not depend on their order, if their [`Keys`] do
//! not conflict and no total reaches its bound.

mod accesses;

use std::collections::BTreeMap;
use std::collections::btree_map;

use super::{ChangeSet, RecordKey, Requirement, Total, Unique, Write};

/// A part of the records that a requirement reads or a write changes: a unique value, a total, a gate, or a record.
///
/// A key also stands for a record that is missing: a requirement reads the key of the record that it looks up, and an
/// insert writes the same key. An organization's key concerns only records of that organization.
///
/// Keys are ordered by variant and then by id. A store that acquires its locks in this order for all commits never
/// deadlocks.
///
/// The enum is exhaustive on purpose: a store that maps keys to locks must not compile without a new key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// Which record has the value.
    Unique(Unique),
    /// The number of records that count.
    Total(Total),
    /// The gate of the record.
    Gate(RecordKey),
    /// The record without its gate and without its stored totals.
    Record(RecordKey),
}

/// How a requirement or a write accesses a [`Key`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Reads the key.
    Read,
    /// Accesses the key in a way that commutes with every other `Commute` access of the same key.
    ///
    /// Such an access changes a total by 1, or checks that a total is below its bound. A check and a change of the total
    /// commute only below the bound, so a store that reorders change sets, or checks several at once, counts the additions
    /// to a total: a change of 1 in [`Write::totals`]. Subtractions need no count: a change set that is refused without the
    /// additions fits an order in which it comes first.
    Commute,
    /// Inserts the record with this key. Conflicts like `Write`. A store needs no lock for the record, and need not look for
    /// conflicts: no other change set knows a new id. A receipt, a code and an opt-out are protected by their unique values,
    /// location data by the version of its event, and a membership by that of its person.
    Insert,
    /// Changes the key.
    Write,
}

impl Access {
    /// Returns whether the order of two accesses to the same key matters. Only two reads, or two `Commute` accesses, do
    /// not conflict.
    pub const fn conflicts_with(self, other: Self) -> bool {
        !matches!((self, other), (Self::Read, Self::Read) | (Self::Commute, Self::Commute))
    }

    /// Returns the access that conflicts with everything that `self` or `other` conflicts with.
    const fn combined(self, other: Self) -> Self {
        if self.conflicts_with(other) { Self::Write } else { self }
    }
}

/// The keys of a requirement, a write or a change set: each key once, in the order of keys.
///
/// Several accesses of one key count as one: equal accesses as that access, different accesses as [`Access::Write`].
///
/// ```
/// use signup_core::{Access, Key, OrganizationId, RecordKey, Requirement, ShiftId, Timestamp, Total};
///
/// let (organization, shift) = (OrganizationId::NONE, ShiftId::NONE);
/// let (key, total) = (RecordKey::Shift(organization, shift), Total::Filled(organization, shift));
/// let room = Requirement::Below { total: total.clone(), bound: 8, now: Timestamp::UNIX_EPOCH }.keys();
/// let version = Requirement::Unchanged { key, version: 1 }.keys();
/// assert!(room.iter().eq([(&Key::Total(total), Access::Commute)]));
/// assert!(!room.conflicts_with(&version));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash)]
pub struct Keys(BTreeMap<Key, Access>);

impl Keys {
    /// Returns an empty set of keys.
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Returns whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the access to `key`, or `None` if the key is not accessed.
    pub fn get(&self, key: &Key) -> Option<Access> {
        self.0.get(key).copied()
    }

    /// Lists the keys and their accesses in the order of keys.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, Access)> {
        self.0.iter().map(|(key, access)| (key, *access))
    }

    /// Returns whether any key has [conflicting](Access::conflicts_with) accesses in `self` and `other`.
    pub fn conflicts_with(&self, other: &Self) -> bool {
        let (few, many) = if self.0.len() <= other.0.len() { (self, other) } else { (other, self) };
        few.iter().any(|(key, access)| many.get(key).is_some_and(|found| access.conflicts_with(found)))
    }

    /// Adds an access, and combines it with an earlier access to the same key.
    pub fn insert(&mut self, key: Key, access: Access) {
        self.0.entry(key).and_modify(|found| *found = found.combined(access)).or_insert(access);
    }

    /// Adds all accesses of `other`.
    pub fn merge(&mut self, other: Self) {
        self.extend(other);
    }
}

impl Extend<(Key, Access)> for Keys {
    fn extend<T: IntoIterator<Item = (Key, Access)>>(&mut self, accesses: T) {
        accesses.into_iter().for_each(|(key, access)| self.insert(key, access));
    }
}

impl FromIterator<(Key, Access)> for Keys {
    fn from_iter<T: IntoIterator<Item = (Key, Access)>>(accesses: T) -> Self {
        let mut keys = Self::new();
        keys.extend(accesses);
        keys
    }
}

impl IntoIterator for Keys {
    type Item = (Key, Access);
    type IntoIter = btree_map::IntoIter<Key, Access>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl ChangeSet {
    /// Returns the keys of all requirements and writes.
    pub fn keys(&self) -> Keys {
        self.accesses().collect()
    }

    /// Returns the accesses that make up the [`keys`](Self::keys), without combining them.
    pub fn accesses(&self) -> impl Iterator<Item = (Key, Access)> {
        let requires = self.requires.iter().flat_map(Requirement::accesses);
        requires.chain(self.writes.iter().flat_map(Write::accesses))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{OrganizationId, ShiftId};

    const ACCESSES: [Access; 3] = [Access::Read, Access::Commute, Access::Write];

    #[test]
    fn combined_accesses_conflict_with_what_either_of_them_conflicts_with() {
        for (one, other, third) in
            ACCESSES.iter().flat_map(|a| ACCESSES.iter().flat_map(move |b| ACCESSES.map(|c| (*a, *b, c))))
        {
            let either = one.conflicts_with(third) || other.conflicts_with(third);
            assert_eq!(one.combined(other).conflicts_with(third), either, "{one:?} {other:?} {third:?}");
        }
    }

    #[test]
    fn each_key_is_listed_once_in_the_order_of_keys() {
        let shift = Key::Record(RecordKey::Shift(OrganizationId::NONE, ShiftId::NONE));
        let total = Key::Total(Total::ActiveEvents(OrganizationId::NONE));
        let accesses = [
            (shift.clone(), Access::Read),
            (total.clone(), Access::Commute),
            (shift.clone(), Access::Commute),
            (total.clone(), Access::Commute),
        ];
        let keys: Keys = accesses.into_iter().collect();
        assert!(keys.iter().eq([(&total, Access::Commute), (&shift, Access::Write)]));
    }
}
