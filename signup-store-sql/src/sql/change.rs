//! Change sets as rows: the checks and the writes of any number of change sets, kind by kind.

use std::collections::{BTreeMap, HashMap};

use signup_core::store::{Access, Key};
use signup_core::{ChangeSet, StoreError, Write};

use super::require::{self, Check};
use super::rows::Rows;
use super::write::{self, Effect};

/// The checks and the writes of some change sets.
///
/// The writes of each kind run as one statement, in the order of [`Effect`]. So no write may depend on another write here,
/// except a child on its parent: see [`layers`].
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) checks: BTreeMap<Check, Rows>,
    pub(crate) writes: BTreeMap<Effect, Rows>,
    /// By how much the change sets so far increase each total.
    added: HashMap<Key, i64>,
}

impl Changes {
    /// Adds a change set under a number, behind those that were added before.
    pub(crate) fn add(&mut self, number: i64, change: &ChangeSet) -> Result<(), StoreError> {
        self.add_checks(number, change);
        self.add_writes(number, &change.writes)
    }

    /// Adds only the checks of a change set.
    pub(crate) fn add_checks(&mut self, number: i64, change: &ChangeSet) {
        for (place, requirement) in (0..).zip(&change.requires) {
            let ahead = if self.added.is_empty() {
                0
            } else {
                let keys = requirement.keys();
                let totals = keys.iter().filter(|(_, access)| *access == Access::Commute);
                totals.filter_map(|(key, _)| self.added.get(key)).sum()
            };
            let rows = self.checks.entry(Check::from(requirement)).or_default();
            require::push_row(rows, number, place, ahead, requirement);
        }
    }

    /// Adds only writes of a change set.
    pub(crate) fn add_writes(&mut self, number: i64, writes: &[Write]) -> Result<(), StoreError> {
        for write in writes {
            write::push_rows(self.writes.entry(Effect::from(write)).or_default(), number, write)?;
            if let Some(total) = write.adds_to() {
                *self.added.entry(total).or_default() += 1;
            }
        }
        // A write may have no rows, such as the shifts of an event without shifts.
        self.writes.retain(|_, rows| !rows.is_empty());
        Ok(())
    }

    /// Adds the rows of change sets that do not conflict with those that were added before, all under one number.
    pub(crate) fn append(&mut self, number: i64, other: Self) {
        for (check, rows) in other.checks {
            self.checks.entry(check).or_default().append(number, rows);
        }
        for (effect, rows) in other.writes {
            self.writes.entry(effect).or_default().append(number, rows);
        }
    }

    /// How many rows there are of each kind. Change sets of the same shape have the same statements.
    pub(crate) fn shape(&self) -> Vec<(Option<Check>, Option<Effect>, usize)> {
        let checks = self.checks.iter().map(|(kind, rows)| (Some(*kind), None, rows.len()));
        checks.chain(self.writes.iter().map(|(kind, rows)| (None, Some(*kind), rows.len()))).collect()
    }
}

/// The writes of a change set in parts. No write depends on another write of its part, except a child on its parent.
pub(crate) fn layers(writes: &[Write]) -> Vec<&[Write]> {
    let (mut layers, mut begin) = (vec![], 0);
    let mut seen: HashMap<Key, Access> = HashMap::new();
    for (place, write) in writes.iter().enumerate() {
        let keys: Vec<_> = write.keys().iter().map(|(key, access)| (row_of(key), access)).collect();
        let depends = keys.iter().any(|(key, access)| {
            // A key that is only read is that of a parent.
            *access != Access::Read && seen.get(key).is_some_and(|before| before.conflicts_with(*access))
        });
        if depends {
            layers.push(&writes[begin..place]);
            (begin, seen) = (place, HashMap::new());
        }
        for (key, access) in keys {
            let strongest = seen.entry(key).or_insert(access);
            *strongest = access.max(*strongest);
        }
    }
    layers.push(&writes[begin..]);
    layers
}

/// The key of the row that has the value of this key: `filled` is a column of its shift.
fn row_of(key: &Key) -> Key {
    match key {
        Key::Signups(organization, shift) => Key::Shift(*organization, *shift),
        key => key.clone(),
    }
}
