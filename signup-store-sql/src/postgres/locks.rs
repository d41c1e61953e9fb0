//! The locks of a commit, from the requirements and the writes of its change set.
//!
//! Every commit acquires its locks in one order, before it checks anything: first in the process, then in the database, there the
//! advisory locks and then the rows. So no two commits wait for each other, whichever processes they belong to. The locks of the
//! database last as long as the transaction.
//!
//! - A gate, an absent value and a counted total have no row of their own, or more readers than writers. They have advisory locks.
//!   Of these only gates are shared.
//! - A record that is required or changed, and a shift whose total is, has the lock of its row. `FOR NO KEY UPDATE` does not conflict
//!   with the foreign keys of children.
//! - A record that is inserted needs no lock: no other commit knows its key. A subtraction from a counted total needs none: a check
//!   beside it counts as the earlier of the two.

use std::collections::BTreeMap;

use signup_core::{Access, ChangeSet, Key, Kind, RecordKey, Requirement, Total, Write};

use crate::records::unique::lookup;
use crate::records::{key_values, table};
use crate::sql::{Dialect, Statement, Value};

/// Whether others may hold a lock at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mode {
    Shared,
    Exclusive,
}

/// The locks of a commit, in the order of keys: unique values, totals, gates, records. A parent's kind comes before the kinds of its
/// children.
pub(super) type Locks = BTreeMap<Key, Mode>;

/// Returns the locks that a change set needs.
pub(super) fn of(change: &ChangeSet) -> Locks {
    let required = change.requires.iter().map(required);
    let written = change.writes.iter().flat_map(Write::accesses).filter_map(written);
    let mut locks = Locks::new();
    for (key, mode) in required.chain(written) {
        locks.entry(key).and_modify(|held| *held = mode.max(*held)).or_insert(mode);
    }
    locks
}

fn required(requirement: &Requirement) -> (Key, Mode) {
    match requirement {
        Requirement::Unchanged { key, .. } => (Key::Record(key.clone()), Mode::Exclusive),
        Requirement::GateUnchanged { key, .. } => (Key::Gate(key.clone()), Mode::Shared),
        Requirement::Absent { unique, .. } => (Key::Unique(unique.clone()), Mode::Exclusive),
        Requirement::Below { total, .. } => (key_of_total(total), Mode::Exclusive),
        // Every addition requires the gate, so this lock excludes additions.
        Requirement::AllZero { parent, .. } => (Key::Gate(parent.clone()), Mode::Exclusive),
    }
}

fn written((key, access): (Key, Access)) -> Option<(Key, Mode)> {
    match (key, access) {
        (Key::Total(total @ Total::Filled(..)), _) => Some((key_of_total(&total), Mode::Exclusive)),
        (key @ (Key::Record(_) | Key::Gate(_)), Access::Write) => Some((key, Mode::Exclusive)),
        // The unique index refuses a value that another commit has written, and a requirement locks each total that has a bound.
        _ => None,
    }
}

fn key_of_total(total: &Total) -> Key {
    match total {
        Total::Filled(organization, shift) => Key::Record(RecordKey::Shift(*organization, *shift)),
        total => Key::Total(total.clone()),
    }
}

/// Returns the statements that acquire locks in the database.
pub(super) fn statements(locks: &Locks) -> Vec<Statement> {
    let mut advisory: Vec<Vec<Value>> = vec![];
    let mut rows: BTreeMap<Kind, Vec<Vec<Value>>> = BTreeMap::new();
    for (key, mode) in locks {
        match key {
            Key::Record(key) => rows.entry(key.kind()).or_default().push(key_values(key)),
            key => advisory.push(vec![name(key).into(), (*mode == Mode::Shared).into()]),
        }
    }
    let rows = rows.into_iter().map(|(kind, keys)| lock_rows(kind, keys));
    (!advisory.is_empty()).then(|| lock_names(advisory)).into_iter().chain(rows).collect()
}

/// Returns the name of an advisory lock. It is the same in every process of a version.
fn name(key: &Key) -> String {
    match key {
        // A digest is not printed in full.
        Key::Unique(unique) => format!("{:?}", lookup(unique)),
        key => format!("{key:?}"),
    }
}

fn lock_names(names: Vec<Vec<Value>>) -> Statement {
    let mut sql = Statement::of(
        Dialect::Postgres,
        "SELECT CASE WHEN given.column2 THEN pg_advisory_xact_lock_shared(hashtextextended(given.column1, 0)) \
         ELSE pg_advisory_xact_lock(hashtextextended(given.column1, 0)) END FROM (",
        vec![],
    );
    sql.push_values(names);
    sql.push(") AS given");
    sql
}

fn lock_rows(kind: Kind, keys: Vec<Vec<Value>>) -> Statement {
    let table = table(kind);
    let mut sql =
        Statement::of(Dialect::Postgres, &format!("SELECT 1 FROM {} t JOIN (", table.name()), vec![]);
    sql.push_values(keys);
    let columns = table.key().iter().zip(1..);
    let same: Vec<_> = columns.map(|(column, place)| format!("t.{column} = given.column{place}")).collect();
    let order: Vec<_> = table.key().iter().map(|column| format!("t.{column}")).collect();
    sql.push(&format!(
        ") AS given ON {} ORDER BY {} FOR NO KEY UPDATE OF t",
        same.join(" AND "),
        order.join(", ")
    ));
    sql
}
