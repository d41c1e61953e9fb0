//! Change sets: requirements and writes as plain data, and the refusal of a commit.
//!
//! The variants are generic: a store learns which records a change set reads and changes, and never what it is for.

use jiff::Timestamp;

use super::record::{Entity, Record, RecordKey, Total, Unique};

/// A decision as data: the facts that the decision relied on, and the writes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChangeSet {
    /// The facts that must still hold, checked in this order.
    pub requires: Vec<Requirement>,
    /// The writes, applied in this order.
    pub writes: Vec<Write>,
}

impl ChangeSet {
    /// Returns whether there is nothing to check and nothing to write.
    pub const fn is_empty(&self) -> bool {
        self.requires.is_empty() && self.writes.is_empty()
    }

    /// Inserts a record.
    pub fn insert(&mut self, record: impl Into<Record>) {
        self.writes.push(Write::insert(record));
    }

    /// Replaces a record that was read, and requires that nothing has changed it since.
    pub fn replace(&mut self, before: impl Into<Record>, after: impl Into<Record>) {
        let before = before.into();
        self.requires.extend(Requirement::unchanged(before.entity()));
        self.writes.push(Write::Put { before: Some(before), after: after.into() });
    }

    /// Removes a record that was read, and requires that nothing has changed it since.
    pub fn remove(&mut self, record: impl Into<Record>) {
        let record = record.into();
        self.requires.extend(Requirement::unchanged(record.entity()));
        self.writes.push(Write::Remove(record));
    }

    /// Requires that a record is as it was read.
    pub fn require_unchanged(&mut self, record: &impl Entity) {
        self.requires.extend(Requirement::unchanged(record));
    }

    /// Requires that the gate of a record is as it was read.
    pub fn require_gate(&mut self, record: &impl Entity) {
        self.requires.extend(Requirement::gate_unchanged(record));
    }
}

/// A fact that a decision relied on.
///
/// A contended fact (room on a shift, active events below a limit) is a total below a bound. A store checks and changes a
/// total under one lock, so simultaneous requests do not force each other to retry.
///
/// Requirements treat a deleted record like any other. The deletion raised its version and its gate.
///
/// The enum is exhaustive on purpose: a store that does not know a new requirement must not compile.
#[derive(Debug, Clone, PartialEq)]
pub enum Requirement {
    /// The record exists and is at this version. Refused with [`Refusal::Changed`].
    Unchanged {
        /// The key of the record.
        key: RecordKey,
        /// The version that was read.
        version: u32,
    },
    /// The record exists and its gate is at this version. Refused with [`Refusal::Changed`].
    GateUnchanged {
        /// The key of the record.
        key: RecordKey,
        /// The gate that was read.
        gate: u32,
    },
    /// No record has this value, or one that is [replaceable](Entity::is_replaceable) at `now`. Refused with
    /// [`Refusal::Taken`].
    Absent {
        /// The value.
        unique: Unique,
        /// The time at which a record counts as expired or not.
        now: Timestamp,
    },
    /// The total is below the bound. Refused with [`Refusal::NotBelow`].
    ///
    /// A bound that is a field of a record needs [`GateUnchanged`](Self::GateUnchanged) of that record.
    Below {
        /// The total.
        total: Total,
        /// The number at which the requirement fails.
        bound: u32,
        /// The time at which a record counts or not.
        now: Timestamp,
    },
    /// The total has reached the bound. Refused with [`Refusal::NotAtLeast`].
    ///
    /// The total is [stored](Total::stored_with): a subtraction from it locks the record that it is stored with. A bound that is a
    /// field of a record needs [`GateUnchanged`](Self::GateUnchanged) of that record.
    AtLeast {
        /// The total.
        total: Total,
        /// The smallest number at which the requirement holds.
        bound: u32,
        /// The time at which a record counts or not.
        now: Timestamp,
    },
    /// Each of several totals of one parent is 0. Refused with [`Refusal::NotBelow`] of one of them.
    ///
    /// Every change set that adds to one of these totals requires the gate of the parent. So the check excludes such change
    /// sets by the gate, and locks no total.
    AllZero {
        /// The record whose gate protects the totals.
        parent: RecordKey,
        /// The totals.
        totals: Vec<Total>,
    },
}

impl Requirement {
    /// Requires that a record is as it was read. Returns `None` for a kind without versions.
    pub fn unchanged(record: &(impl Entity + ?Sized)) -> Option<Self> {
        Some(Self::Unchanged { key: record.key(), version: record.version()? })
    }

    /// Requires that the gate of a record is as it was read. Returns `None` for a kind without gates.
    pub fn gate_unchanged(record: &impl Entity) -> Option<Self> {
        Some(Self::GateUnchanged { key: record.key(), gate: record.gate()? })
    }
}

/// The requirement that did not hold, with the fact that the store found instead.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// The record is at another version, or its gate is, or the record is missing.
    Changed(RecordKey),
    /// This record has the value.
    Taken(Box<Record>),
    /// The total has reached the bound.
    NotBelow {
        /// The total.
        total: Total,
        /// The number of records that count.
        count: u32,
    },
    /// The total has not reached the bound.
    NotAtLeast {
        /// The total.
        total: Total,
        /// The number of records that count.
        count: u32,
    },
}

/// One write of a change set.
///
/// The enum is exhaustive on purpose: a store that does not know a new write must not compile.
#[derive(Debug, Clone, PartialEq)]
pub enum Write {
    /// Inserts a record, or puts it in place of the one that was read.
    ///
    /// `before` equals the stored record. The caller ensures this by a requirement, or because such a record never changes.
    /// If `before` is `None`, no record has this key, or a [replaceable](Entity::is_replaceable) one, which is replaced. The
    /// unique values and the totals change from those of `before` to those of `after`.
    ///
    /// In both records, the values that follow from other records can be out of date: a [stored total](Total::Filled), and the
    /// cancellation of a sign-up by the closing of its shift ([`Signup::of`](crate::Signup::of)). A store may store them, because
    /// every read sets them again. The put of a shift never sets the total of the shift.
    ///
    /// A change set that inserts an active sign-up, or confirms one, requires the gates of its event and of its shift: a closed
    /// shift takes no sign-up. One that moves an active sign-up to another shift requires the gates of both shifts.
    Put {
        /// The record that was read; `None` for a new record.
        before: Option<Record>,
        /// The record from now on. It has the key of `before`.
        after: Record,
    },
    /// Removes a record that was read, with its children. The stored record equals it.
    Remove(Record),
}

impl Write {
    /// Returns the write that inserts a record.
    pub fn insert(record: impl Into<Record>) -> Self {
        Self::Put { before: None, after: record.into() }
    }

    /// Returns the record before the write and the record after it.
    pub fn states(&self) -> (Option<&dyn Entity>, Option<&dyn Entity>) {
        match self {
            Self::Put { before, after } => (before.as_ref().map(Record::entity), Some(after.entity())),
            Self::Remove(record) => (Some(record.entity()), None),
        }
    }
}
