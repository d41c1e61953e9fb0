//! Change sets as rows: the checks and the writes of a batch, kind by kind.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use signup_core::{Access, ChangeSet, Key, Keys, RecordKey, Requirement, StoreError, Total, Write};

use super::given_rows::GivenRows;
use super::require::{self, Check};
use super::write::{self, Writes};

/// A change set with the rows of its writes. The caller prepares the rows, so that a batch has less to do.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) set: ChangeSet,
    /// The totals that the writes may add 1 to.
    adds_to: Vec<Total>,
    /// The rows of each [layer](layers), under the number 0. The first attempt takes the rows. Later ones build them again.
    layers: Option<Vec<Writes>>,
}

/// Prepares a change set, and returns its keys. Leaves out the keys of records that the change set inserts: no other change set
/// knows them.
pub(crate) fn prepare(set: ChangeSet) -> Result<(Keys, Prepared), StoreError> {
    let accesses: Vec<_> = set.writes.iter().map(Write::accesses).collect();
    let (mut rows_of_layers, mut adds_to) = (vec![], vec![]);
    for layer in layers(&accesses) {
        let mut rows = Writes::new();
        for write in &set.writes[layer] {
            let totals = write.totals();
            write::push_rows(&mut rows, write, &totals)?;
            adds_to.extend(totals.into_iter().filter(|(_, change)| *change > 0).map(|(total, _)| total));
        }
        rows_of_layers.push(rows);
    }
    let required = set.requires.iter().flat_map(Requirement::accesses);
    let accesses = required.chain(accesses.into_iter().flatten());
    let keys = accesses.filter(|(_, access)| *access != Access::Insert).collect();
    Ok((keys, Prepared { set, adds_to, layers: Some(rows_of_layers) }))
}

impl Prepared {
    /// Returns whether one statement can make all writes, each of which is independent of the writes before.
    #[cfg(feature = "postgres")]
    pub(crate) fn is_one_layer(&self) -> bool {
        self.layers.as_ref().is_none_or(|layers| layers.len() == 1)
    }

    /// Returns the number of values in the rows of the writes.
    #[cfg(feature = "sqlite")]
    pub(crate) fn values(&self) -> usize {
        self.layers.iter().flatten().flat_map(Writes::values).map(GivenRows::values).sum()
    }

    fn take_layers(&mut self) -> Result<Vec<Writes>, StoreError> {
        if self.layers.is_none() {
            self.layers = prepare(self.set.clone())?.1.layers;
        }
        Ok(self.layers.take().unwrap_or_default())
    }
}

/// The checks and the writes of change sets that do not conflict with each other.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) checks: BTreeMap<Check, GivenRows>,
    /// The writes of the first [layer](layers) of each change set, then those of the second, and so on.
    pub(crate) layers: Vec<Writes>,
}

impl Batch {
    /// Collects the rows of change sets. Numbers the change sets from 0.
    pub(crate) fn of<'p>(changes: impl IntoIterator<Item = &'p mut Prepared>) -> Result<Self, StoreError> {
        let mut batch = Self::default();
        // By how much the change sets so far increase each total.
        let mut added = HashMap::new();
        for (number, change) in (0..).zip(changes) {
            batch.add_checks(number, &change.set, &added);
            for total in &change.adds_to {
                *added.entry(total.clone()).or_default() += 1;
            }
            for (place, layer) in change.take_layers()?.into_iter().enumerate() {
                if place == batch.layers.len() {
                    batch.layers.push(Writes::new());
                }
                for (effect, rows) in layer {
                    batch.layers[place].entry(effect).or_default().append(number, rows);
                }
            }
        }
        Ok(batch)
    }

    fn add_checks(&mut self, number: i64, change: &ChangeSet, added: &HashMap<Total, i64>) {
        let ahead = |total: &Total| added.get(total).copied().unwrap_or_default();
        for (index, requirement) in (0..).zip(&change.requires) {
            for (check, row) in require::rows(requirement, index, ahead) {
                self.checks.entry(check).or_default().push(number, row);
            }
        }
    }
}

/// Splits the writes of a change set into layers. `accesses` are those of each write. No write depends on another write of its
/// layer, except a child on its parent.
fn layers(accesses: &[Vec<(Key, Access)>]) -> Vec<Range<usize>> {
    let (mut layers, mut begin) = (vec![], 0);
    let mut seen: Vec<(Key, Access)> = vec![];
    for (place, accesses) in accesses.iter().enumerate() {
        let accesses: Vec<_> = accesses.iter().map(|(key, access)| (row_of(key.clone()), *access)).collect();
        // A write only reads a key to refer to a parent.
        let changes = accesses.iter().filter(|(_, access)| *access != Access::Read);
        let depends = changes.into_iter().any(|(key, access)| {
            // An addition to a total does not change what an earlier write reads of the row.
            let conflicts = |before: Access| match (before, access) {
                (Access::Read, Access::Commute) => false,
                (before, access) => before.conflicts_with(*access),
            };
            seen.iter().any(|(earlier, before)| earlier == key && conflicts(*before))
        });
        if depends {
            layers.push(begin..place);
            begin = place;
            seen.clear();
        }
        seen.extend(accesses);
    }
    layers.push(begin..accesses.len());
    layers
}

/// Returns the key of the row that stores a value. A gate is a column of its record, and `filled` a column of its shift.
fn row_of(key: Key) -> Key {
    match key {
        Key::Total(Total::Filled(organization, shift)) => Key::Record(RecordKey::Shift(organization, shift)),
        Key::Gate(record) => Key::Record(record),
        key => key,
    }
}

#[cfg(test)]
mod tests {
    use signup_core::conformance::records::{
        at, cancelled, closed, event, next, next_shift, notice, organization, put, question, receipt,
        receipt_key, shift, signup,
    };
    use signup_core::{CancelledBy, Record};

    use super::*;

    /// Asserts how many writes each layer has.
    #[track_caller]
    fn assert_layers(writes: &[Write], expected: &[usize]) {
        let accesses: Vec<_> = writes.iter().map(Write::accesses).collect();
        let found: Vec<_> = layers(&accesses).into_iter().map(|layer| layer.len()).collect();
        assert_eq!(found, expected, "{writes:?}");
    }

    fn insert(record: impl Into<Record>) -> Write {
        Write::insert(record)
    }

    #[test]
    fn writes_that_do_not_depend_on_each_other_are_one_layer() {
        let event = event(1, 1);
        let (shift, another) = (shift(&event, 1, 3), shift(&event, 2, 3));
        let receipt = |key| insert(receipt(receipt_key(1, key), &event, &[]));
        let close = |open: signup_core::Shift| {
            put(open.clone(), closed(&open, at(3), CancelledBy::EventCancellation))
        };
        let create = [
            insert(organization(1)),
            insert(event.clone()),
            insert(shift.clone()),
            insert(another.clone()),
            insert(question(&event, 1, 0)),
            receipt("key"),
            insert(notice(&shift, 1)),
        ];
        assert_layers(&create, &[7]);
        assert_layers(&[], &[0]);
        assert_layers(&[1, 2, 3].map(|number| insert(signup(&shift, number))), &[3]);
        assert_layers(&[receipt("a"), receipt("b")], &[2]);
        assert_layers(&[insert(notice(&shift, 1)), Write::Remove(notice(&shift, 2).into())], &[2]);
        let close = [&shift, &another].map(|open| close(open.clone()));
        assert_layers(
            &[&[put(event.clone(), next(&event))], &close[..], &[insert(notice(&shift, 1))]].concat(),
            &[4],
        );
        assert_layers(&[put(event.clone(), next(&event)), insert(shift)], &[2]);
    }

    #[test]
    fn a_write_that_depends_on_an_earlier_one_begins_a_layer() {
        let event = event(1, 1);
        let (shift, another) = (shift(&event, 1, 3), shift(&event, 2, 3));
        let (one, other) = (signup(&shift, 1), signup(&shift, 2));
        let update = |shift: &signup_core::Shift| put(shift.clone(), next_shift(shift));
        let cancel = put(one.clone(), cancelled(one.clone(), at(3)));
        for (writes, expected) in [
            (vec![insert(shift.clone()), insert(one.clone())], vec![1, 1]),
            (vec![update(&shift), insert(one.clone())], vec![1, 1]),
            (vec![insert(one.clone()), update(&shift)], vec![1, 1]),
            (vec![update(&shift), update(&another), update(&shift), update(&another)], vec![2, 2]),
            (vec![insert(shift.clone()), update(&shift), update(&another)], vec![1, 2]),
            (vec![insert(one.clone()), cancel.clone()], vec![1, 1]),
            (vec![insert(one.clone()), Write::Remove(one.clone().into())], vec![1, 1]),
            (vec![cancel, Write::Remove(other.into())], vec![2]),
            (vec![put(event.clone(), next(&event)), put(next(&event), next(&next(&event)))], vec![1, 1]),
        ] {
            assert_layers(&writes, &expected);
        }
    }
}
