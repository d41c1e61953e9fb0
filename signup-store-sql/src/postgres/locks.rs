//! The locks of a commit, from the requirements and the writes of its change set.
//!
//! Every commit acquires its locks in one order, before it checks anything: first in the process, then in the database, there the
//! advisory locks and then the rows. So no two commits wait for each other, whichever processes they belong to. The locks of the
//! database last as long as the transaction.
//!
//! - A gate, an absent value and a counted total have no row of their own, or more readers than writers. They have advisory locks.
//!   Of these only gates are shared.
//! - A record that is required or changed, and a shift whose totals are, has the lock of its row. `FOR NO KEY UPDATE` does not
//!   conflict with the foreign keys of children.
//! - A record that is inserted needs no lock: no other commit knows its key. A subtraction from a counted total needs none: a check
//!   beside it counts as the earlier of the two.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use signup_core::{Access, ChangeSet, Key, Kind, Requirement, Total, Write};

use crate::records::unique::lookup;
use crate::records::{key_values, table};
use crate::sql::{Dialect, MAX_VALUES, Statement, Value, same_as_given};

/// The most locks of one statement. No key has more than 4 values.
const MAX_LOCKS: usize = MAX_VALUES / 4;

/// Whether others may hold a lock at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mode {
    Shared,
    Exclusive,
}

/// The locks of a commit, in the order of keys: unique values, totals, gates, records. A parent's kind comes before the kinds of
/// its children.
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
        Requirement::Below { total, .. } | Requirement::AtLeast { total, .. } => {
            (key_of_total(total), Mode::Exclusive)
        }
        // Every addition requires the gate, so this lock excludes additions.
        Requirement::AllZero { parent, .. } => (Key::Gate(parent.clone()), Mode::Exclusive),
    }
}

fn written((key, access): (Key, Access)) -> Option<(Key, Mode)> {
    match (key, access) {
        (Key::Total(total), _) => total.stored_with().map(|key| (Key::Record(key), Mode::Exclusive)),
        (key @ (Key::Record(_) | Key::Gate(_)), Access::Write) => Some((key, Mode::Exclusive)),
        // The unique index refuses a value that another commit has written, and a requirement locks each total that has a bound.
        _ => None,
    }
}

fn key_of_total(total: &Total) -> Key {
    total.stored_with().map_or_else(|| Key::Total(total.clone()), Key::Record)
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
    let advisory = advisory.chunks(MAX_LOCKS).map(lock_names);
    let rows = rows.iter().flat_map(|(kind, keys)| keys.chunks(MAX_LOCKS).map(|keys| lock_rows(*kind, keys)));
    advisory.chain(rows).collect()
}

/// Returns the name of an advisory lock. It is the same in every version, because processes of two versions exclude each other
/// while they share a database.
fn name(key: &Key) -> String {
    let (kind, values) = match key {
        Key::Gate(key) | Key::Record(key) => (format!("gate/{}", table(key.kind()).name()), key_values(key)),
        Key::Unique(unique) => {
            let found = lookup(unique);
            let columns = found.columns.join("+");
            (format!("unique/{}/{columns}", table(found.kind).name()), found.values)
        }
        Key::Total(total) => {
            let (name, ids, text) = match total {
                Total::Organizations => ("organizations", vec![], None),
                Total::ActiveEvents(owner) => ("active_events", vec![owner.uuid()], None),
                Total::Filled(owner, shift) => ("filled", vec![owner.uuid(), shift.uuid()], None),
                Total::Waiting(owner, shift) => ("waiting", vec![owner.uuid(), shift.uuid()], None),
                Total::PlacesOf(owner, shift, email_key) => {
                    ("places_of", vec![owner.uuid(), shift.uuid()], Some(email_key))
                }
                Total::Answers(owner, event, question) => {
                    ("answers", vec![owner.uuid(), event.uuid(), question.uuid()], None)
                }
                Total::Webhooks(owner) => ("webhooks", vec![owner.uuid()], None),
                Total::InFlight(owner, webhook) => ("in_flight", vec![owner.uuid(), webhook.uuid()], None),
                Total::Messages(owner, event) => ("messages", vec![owner.uuid(), event.uuid()], None),
            };
            let text = text.map(|text| text.as_str().into());
            (format!("total/{name}"), ids.into_iter().map(Value::from).chain(text).collect())
        }
    };
    let values = values.iter().map(|value| match value {
        Value::Uuid(Some(id)) => id.to_string(),
        Value::Bytes(bytes) => STANDARD_NO_PAD.encode(bytes),
        Value::Text(Some(text)) => text.clone(),
        // No key has another value. Two keys with the same name would only wait for each other.
        _ => String::new(),
    });
    [kind].into_iter().chain(values).collect::<Vec<_>>().join("/")
}

fn lock_names(names: &[Vec<Value>]) -> Statement {
    let mut sql = Statement::new(Dialect::Postgres);
    sql.push_given(&["name", "is_shared"], names.to_vec());
    sql.push(
        "SELECT CASE WHEN given.is_shared THEN pg_advisory_xact_lock_shared(hashtextextended(given.name, 0)) \
         ELSE pg_advisory_xact_lock(hashtextextended(given.name, 0)) END FROM given",
    );
    sql
}

fn lock_rows(kind: Kind, keys: &[Vec<Value>]) -> Statement {
    let table = table(kind);
    let mut sql = Statement::new(Dialect::Postgres);
    sql.push_given(table.key(), keys.to_vec());
    let order: Vec<_> = table.key().iter().map(|column| format!("t.{column}")).collect();
    sql.push(&format!(
        "SELECT 1 FROM {} t JOIN given ON {} ORDER BY {} FOR NO KEY UPDATE OF t",
        table.name(),
        same_as_given('t', table.key()),
        order.join(", ")
    ));
    sql
}

#[cfg(test)]
mod tests {
    use signup_core::conformance::records::{event, organization_id, receipt_key, uuid};
    use signup_core::{Digest, Entity as _, EventId, QuestionId, ShiftId, Unique, WebhookId};

    use super::*;

    /// A process of an older version uses these names.
    #[test]
    fn the_names_of_the_locks_are_the_same_in_every_version() {
        let (owner, id) = (organization_id(1), uuid(2));
        let (event_record, event) = (event(1, 2), EventId::new(id));
        let digest = Digest::of("secret");
        for (key, expected) in [
            (Key::Gate(event_record.key()), "gate/events/#1/#2"),
            (Key::Total(Total::Organizations), "total/organizations"),
            (Key::Total(Total::ActiveEvents(owner)), "total/active_events/#1"),
            (Key::Total(Total::Filled(owner, ShiftId::new(id))), "total/filled/#1/#2"),
            (
                Key::Total(Total::PlacesOf(owner, ShiftId::new(id), "bob@example.org".to_owned())),
                "total/places_of/#1/#2/bob@example.org",
            ),
            (Key::Total(Total::Answers(owner, event, QuestionId::new(uuid(3)))), "total/answers/#1/#2/#3"),
            (Key::Total(Total::Webhooks(owner)), "total/webhooks/#1"),
            (Key::Total(Total::InFlight(owner, WebhookId::new(id))), "total/in_flight/#1/#2"),
            (Key::Total(Total::Messages(owner, event)), "total/messages/#1/#2"),
            (Key::Unique(Unique::EventSlug("picnic".to_owned())), "unique/events/slug/picnic"),
            (
                Key::Unique(Unique::Place(
                    owner,
                    ShiftId::new(id),
                    "bob@example.org".to_owned(),
                    "bob".to_owned(),
                )),
                "unique/signups/organization_id+shift_id+email_key+person_key/#1/#2/bob@example.org/bob",
            ),
            (
                Key::Unique(Unique::TokenDigest(digest)),
                "unique/tokens/digest/K7gNU3sdo+OL0wNhqoVWhr3g6s1xYv72ol/pe/Unols",
            ),
            (
                Key::Unique(Unique::Receipt(receipt_key(1, "key"))),
                "unique/receipts/organization_id+caller_id+operation+idempotency_key/#1/#1/create-event/key",
            ),
        ] {
            assert_eq!(name(&key).replace("01900000-0000-7000-8000-00000000000", "#"), expected);
        }
    }
}
