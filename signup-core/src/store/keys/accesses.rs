//! The accesses of each requirement and of each write. They follow from what the records declare.

use super::{Access, Key, Keys};
use crate::store::{Entity, Requirement, Share, Total, Unique, Write};

impl Requirement {
    /// Returns the keys that decide whether the requirement holds, and what its refusal carries.
    pub fn keys(&self) -> Keys {
        self.accesses().into_iter().collect()
    }

    /// Returns the accesses that make up the [`keys`](Self::keys), without combining them.
    pub fn accesses(&self) -> Vec<(Key, Access)> {
        match self {
            Self::Unchanged { key, version: _ } => vec![(Key::Record(key.clone()), Access::Read)],
            Self::GateUnchanged { key, gate: _ } => vec![(Key::Gate(key.clone()), Access::Read)],
            Self::Absent { unique, now: _ } => vec![(Key::Unique(unique.clone()), Access::Read)],
            Self::Below { total, .. } => vec![(Key::Total(total.clone()), Access::Commute)],
            // A subtraction, too, can change the outcome.
            Self::AtLeast { total, .. } => vec![(Key::Total(total.clone()), Access::Read)],
            // Changes nothing of the parent. Every addition reads the gate, so this access excludes additions.
            Self::AllZero { parent, totals } => {
                let totals = totals.iter().map(|total| (Key::Total(total.clone()), Access::Read));
                [(Key::Gate(parent.clone()), Access::Write)].into_iter().chain(totals).collect()
            }
        }
    }
}

impl Write {
    /// Returns the keys that the write changes, and the key of the parent, which it reads.
    pub fn keys(&self) -> Keys {
        self.accesses().into_iter().collect()
    }

    /// Returns the accesses that make up the [`keys`](Self::keys), without combining them.
    pub fn accesses(&self) -> Vec<(Key, Access)> {
        let (before, after) = self.states();
        let Some(record) = after.or(before) else { return Vec::new() };
        let change = if before.is_none() { Access::Insert } else { Access::Write };
        let mut accesses = vec![(Key::Record(record.key()), change)];
        if before.is_some_and(|before| before.gate() != after.and_then(Entity::gate)) {
            accesses.push((Key::Gate(record.key()), Access::Write));
            accesses
                .extend(record.stored_totals().into_iter().map(|total| (Key::Total(total), Access::Write)));
        }
        accesses.extend(record.parent().map(|parent| (Key::Record(parent), Access::Read)));
        let uniques = difference(uniques(before), uniques(after));
        accesses.extend(uniques.map(|unique| (Key::Unique(unique), Access::Write)));
        accesses.extend(self.totals().into_iter().map(|(total, _)| (Key::Total(total), Access::Commute)));
        accesses
    }

    /// Returns the totals that the write may change, each with the change: 1 or -1.
    ///
    /// A total comes twice if the write replaces one share of it by another. A write has no time, so a share counts even if it
    /// has ended.
    pub fn totals(&self) -> Vec<(Total, i64)> {
        let (before, after) = self.states();
        let (before, after) = (shares(before), shares(after));
        let removed = before.iter().filter(|share| !after.contains(share)).map(|share| (&share.total, -1));
        let added = after.iter().filter(|share| !before.contains(share)).map(|share| (&share.total, 1));
        removed.chain(added).map(|(total, change)| (total.clone(), change)).collect()
    }
}

fn uniques(record: Option<&dyn Entity>) -> Vec<Unique> {
    record.map(Entity::uniques).unwrap_or_default()
}

fn shares(record: Option<&dyn Entity>) -> Vec<Share> {
    record.map(Entity::shares).unwrap_or_default()
}

/// Returns the values that are in exactly one of the two lists.
fn difference<T: PartialEq + Clone>(before: Vec<T>, after: Vec<T>) -> impl Iterator<Item = T> {
    let removed: Vec<_> = before.iter().filter(|value| !after.contains(value)).cloned().collect();
    removed.into_iter().chain(after.into_iter().filter(move |value| !before.contains(value)))
}
