//! Change sets as rows: the checks and the writes of a batch, kind by kind.

use std::collections::{BTreeMap, HashMap};

use signup_core::store::{Access, Key, Keys};
use signup_core::{ChangeSet, StoreError, Write};

use super::given_rows::GivenRows;
use super::require::{self, Check};
use super::write::{self, Writes};

/// A change set with the rows of its writes. The caller prepares the rows, so that a batch has less to do.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) set: ChangeSet,
    /// The rows of each [layer](layers), under the number 0. The first attempt takes the rows. Later ones build them again.
    layers: Option<Vec<Writes>>,
}

impl Prepared {
    pub(crate) fn new(set: ChangeSet) -> Result<Self, StoreError> {
        Ok(Self { layers: Some(rows(&set)?), set })
    }

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
        self.layers.take().map_or_else(|| rows(&self.set), Ok)
    }
}

fn rows(set: &ChangeSet) -> Result<Vec<Writes>, StoreError> {
    let rows = |layer: &[Write]| {
        let mut rows = Writes::new();
        layer.iter().try_for_each(|write| write::push_rows(&mut rows, write))?;
        Ok(rows)
    };
    layers(&set.writes).into_iter().map(rows).collect()
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
            for total in change.set.writes.iter().filter_map(Write::adds_to) {
                *added.entry(total).or_default() += 1;
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

    fn add_checks(&mut self, number: i64, change: &ChangeSet, added: &HashMap<Key, i64>) {
        for (place, requirement) in (0..).zip(&change.requires) {
            let ahead = if added.is_empty() {
                0
            } else {
                let keys = requirement.keys();
                let totals = keys.iter().filter(|(_, access)| *access == Access::Commute);
                totals.filter_map(|(key, _)| added.get(key)).sum()
            };
            let (check, row) = require::row(requirement, place, ahead);
            self.checks.entry(check).or_default().push(number, row);
        }
    }
}

/// Splits the writes of a change set into layers. No write depends on another write of its layer, except a child on its
/// parent.
pub(crate) fn layers(writes: &[Write]) -> Vec<&[Write]> {
    let (mut layers, mut begin) = (vec![], 0);
    let mut seen: Vec<(Key, Access)> = vec![];
    for (place, write) in writes.iter().enumerate() {
        let accesses: Vec<_> =
            write.accesses().into_iter().map(|(key, access)| (row_of(key), access)).collect();
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
            layers.push(&writes[begin..place]);
            begin = place;
            seen.clear();
        }
        seen.extend(accesses);
    }
    layers.push(&writes[begin..]);
    layers
}

/// The key of the row that has the value of this key: `filled` and `closed_at` are columns of its shift.
fn row_of(key: Key) -> Key {
    match key {
        Key::Signups(organization, shift) => Key::Shift(organization, shift),
        key => key,
    }
}

/// The keys by which change sets can conflict. No other change set knows a record that is inserted.
pub(crate) fn shared_keys(change: &ChangeSet) -> Keys {
    change.accesses().filter(|(_, access)| *access != Access::Insert).collect()
}

#[cfg(test)]
mod tests {
    use signup_core::conformance::records::{
        at, event, notice, organization, organization_id, question, receipt, receipt_key, shift, signup,
    };
    use signup_core::{CancelledBy, Digest, Event, Plan, Shift, Signup};

    use super::*;

    fn insert_event(event: &Event) -> Write {
        Write::InsertEvent { event: Box::new(event.clone()), location_data: None }
    }

    fn insert_signup(signup: &Signup) -> Write {
        Write::InsertSignup(Box::new(signup.clone()))
    }

    fn update(shift: &Shift) -> Write {
        Write::UpdateShift(Box::new(shift.clone()))
    }

    fn cancel(signup: &Signup) -> Write {
        let Signup { organization, shift, id: signup, .. } = *signup;
        Write::CancelSignup { organization, shift, signup, at: at(3), by: CancelledBy::Volunteer }
    }

    fn change_event(event: &Event) -> Write {
        Write::UpdateEvent { event: Box::new(event.clone()), may_change_activity: true }
    }

    fn delete_event(event: &Event) -> Write {
        Write::DeleteEvent { organization: event.organization, event: event.id, at: at(3) }
    }

    fn delete_shift(shift: &Shift) -> Write {
        Write::DeleteShift { organization: shift.organization, shift: shift.id, at: at(3) }
    }

    fn close(shift: &Shift) -> Write {
        let by = CancelledBy::EventCancellation;
        Write::CloseShift { organization: shift.organization, shift: shift.id, at: at(3), by }
    }

    fn erase(signup: &Signup) -> Write {
        let Signup { organization, event, shift, id: signup, .. } = *signup;
        Write::EraseSignup { organization, event, shift, signup }
    }

    fn renew(signup: &Signup) -> Write {
        let Signup { organization, shift, id: signup, .. } = *signup;
        Write::RenewSecret { organization, shift, signup, secret: Digest::of("renewed"), at: at(3) }
    }

    fn insert_receipt(event: &Event, key: &str) -> Write {
        Write::InsertReceipt(Box::new(receipt(receipt_key(1, key), event, &[])))
    }

    /// Asserts how many writes each layer has.
    #[track_caller]
    fn assert_layers(writes: &[Write], expected: &[usize]) {
        let found: Vec<_> = layers(writes).into_iter().map(<[_]>::len).collect();
        assert_eq!(found, expected, "{writes:?}");
    }

    #[test]
    fn writes_that_do_not_depend_on_each_other_are_one_layer() {
        let event = event(1, 1);
        let shifts = vec![shift(&event, 1, 3), shift(&event, 2, 3)];
        let create = [
            Write::InsertOrganization(organization(1)),
            insert_event(&event),
            Write::InsertShifts(shifts.clone()),
            Write::InsertQuestions(vec![question(&event, 1, 0)]),
            insert_receipt(&event, "key"),
            Write::InsertNotices(vec![notice(&shifts[0], 1)]),
        ];
        assert_layers(&create, &[6]);
        assert_layers(&[], &[0]);
        assert_layers(&[1, 2, 3].map(|number| insert_signup(&signup(&shifts[0], number))), &[3]);
        assert_layers(&[update(&shifts[0]), update(&shifts[1])], &[2]);
        assert_layers(&[insert_receipt(&event, "a"), insert_receipt(&event, "b")], &[2]);
        let (insert, another) = (notice(&shifts[0], 1), notice(&shifts[0], 2).id);
        let delete = Write::DeleteNotice { organization: insert.organization, notice: another };
        assert_layers(&[Write::InsertNotices(vec![insert]), delete], &[2]);
        let about = notice(&shifts[0], 1);
        let cancel_event =
            [change_event(&event), close(&shifts[0]), close(&shifts[1]), Write::InsertNotices(vec![about])];
        assert_layers(&cancel_event, &[4]);
        assert_layers(&[change_event(&event), Write::InsertShifts(shifts.clone())], &[2]);
    }

    #[test]
    fn a_write_that_depends_on_an_earlier_one_begins_a_layer() {
        let event = event(1, 1);
        let (shift, another) = (shift(&event, 1, 3), shift(&event, 2, 3));
        let (one, other) = (signup(&shift, 1), signup(&shift, 2));
        let about = notice(&shift, 1);
        let insert_shift = Write::InsertShifts(vec![shift.clone()]);
        let insert_notice = Write::InsertNotices(vec![about.clone()]);
        let update_notice = Write::UpdateNotice(Box::new(about.clone()));
        let delete_notice = Write::DeleteNotice { organization: about.organization, notice: about.id };
        let plan = Write::SetPlan { organization: organization_id(1), plan: Plan::Pro };
        for (writes, expected) in [
            (vec![insert_shift.clone(), insert_signup(&one)], vec![1, 1]),
            (vec![update(&shift), insert_signup(&one)], vec![1, 1]),
            (vec![insert_signup(&one), update(&shift)], vec![1, 1]),
            (vec![update(&shift), update(&another), update(&shift), update(&another)], vec![2, 2]),
            (vec![insert_shift.clone(), update(&shift), update(&another)], vec![1, 2]),
            // The update changes nothing, because the shift is missing. Statements run by kind, inserts first.
            (vec![insert_event(&event), update(&shift), insert_shift], vec![2, 1]),
            (vec![insert_notice.clone(), update_notice.clone(), delete_notice], vec![1, 1, 1]),
            (vec![insert_notice, erase(&one), update_notice], vec![1, 1, 1]),
            (vec![insert_receipt(&event, "a"), insert_receipt(&event, "a")], vec![1, 1]),
            (vec![Write::InsertOrganization(organization(1)), plan], vec![1, 1]),
            (vec![change_event(&event), delete_event(&event)], vec![1, 1]),
            (vec![close(&shift), delete_shift(&shift)], vec![1, 1]),
            (vec![insert_signup(&one), close(&shift)], vec![1, 1]),
        ] {
            assert_layers(&writes, &expected);
        }
        for change in [cancel, erase, renew] {
            assert_layers(&[insert_signup(&one), change(&one)], &[1, 1]);
            assert_layers(&[change(&one), insert_signup(&other)], &[1, 1]);
            for second in [cancel, erase, renew] {
                assert_layers(&[change(&one), second(&one)], &[1, 1]);
                assert_layers(&[change(&one), second(&other)], &[1, 1]);
            }
        }
    }
}
