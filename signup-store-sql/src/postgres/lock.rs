//! The locks of a transaction, from the keys of its change sets.
//!
//! Every transaction acquires its locks in one order before it checks anything. So no two transactions wait for each
//! other, whichever processes they belong to. A lock lasts as long as the transaction.

use std::collections::BTreeSet;
use std::time::Duration;

use signup_core::store::{Access, Key, Keys};
use signup_core::{ChangeSet, OrganizationId, Requirement, Write};
use uuid::Uuid;

use crate::sql::{Statement, Value};

/// A lock, as the function `lock_in_order` of the schema knows it. Locks are acquired in the order of this type: first by
/// their kind. The function relies on that, because it acquires all locks of shifts at once.
///
/// Of two locks of one event the exclusive one comes first, so no transaction waits to make a shared lock exclusive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Lock {
    kind: &'static str,
    organization: Option<Uuid>,
    id: Option<Uuid>,
    /// The name of an advisory lock, for something that has no row: a receipt that may be missing, or a slug.
    name: Option<String>,
    /// Whether other transactions may hold the lock at the same time, if they share it, too. Only an event is shared.
    is_shared: bool,
}

impl Lock {
    /// The locks that a change set needs, in their order.
    ///
    /// A requirement locks what it reads, except the sign-ups of shifts that have to be empty. A write locks what it changes,
    /// except the rows that it inserts: no other transaction knows them. A write also locks the event that it reads. The
    /// other rows that a write refers to are protected by foreign keys.
    ///
    /// Accesses to one key are combined. So an event that a change set reads and writes has only the exclusive lock.
    pub(super) fn all(change: &ChangeSet) -> BTreeSet<Self> {
        let required = change.requires.iter().flat_map(Requirement::accesses);
        let (mut changed, mut read, mut inserted) = (vec![], vec![], BTreeSet::new());
        for (key, access) in change.writes.iter().flat_map(Write::accesses) {
            match access {
                Access::Commute | Access::Write => changed.push((key, access)),
                Access::Read if matches!(key, Key::Event(..)) => read.push((key, access)),
                Access::Read => {}
                Access::Insert => drop(inserted.insert(key)),
            }
        }
        let read = read.into_iter().filter(|(key, _)| !inserted.contains(key));
        let keys: Keys = required.chain(changed).chain(read).collect();
        keys.iter().filter_map(|(key, access)| Self::of(key, access)).collect()
    }

    /// The lock that protects a key. Every change of the key acquires this lock.
    fn of(key: &Key, access: Access) -> Option<Self> {
        let named = |name| Self { kind: "name", name: Some(name), ..Self::default() };
        let row = |kind, organization: Option<&OrganizationId>, id| {
            let organization = organization.map(|organization| organization.uuid());
            Self { kind, organization, id: Some(id), ..Self::default() }
        };
        Some(match key {
            Key::Receipt(key) => {
                named(format!("{} {} {} {}", key.organization, key.token, key.operation, key.key))
            }
            Key::OrganizationSlug(slug) => named(format!("organization {slug}")),
            Key::EventSlug(slug) => named(format!("event {slug}")),
            Key::Organizations => Self { kind: "first organization", ..Self::default() },
            Key::Organization(organization) | Key::ActiveEvents(organization) => {
                row("organization", None, organization.uuid())
            }
            // Sign-ups for different shifts of an event share its lock.
            Key::Event(organization, event) => {
                Self { is_shared: access == Access::Read, ..row("event", Some(organization), event.uuid()) }
            }
            Key::Questions(organization, event) => row("event", Some(organization), event.uuid()),
            // Only `ShiftsAreEmpty` has this access. Its exclusive lock of the event excludes new sign-ups. A cancellation is
            // not excluded. The check reads the shifts as they are before it or after it.
            Key::Signups(..) if access == Access::Read => return None,
            Key::Shift(organization, shift) | Key::Signups(organization, shift) => {
                row("shift", Some(organization), shift.uuid())
            }
            Key::Signup(organization, signup) => row("signup", Some(organization), signup.uuid()),
            Key::Notice(organization, notice) => row("notice", Some(organization), notice.uuid()),
            Key::Token(token) => row("token", None, token.uuid()),
            // The lock of the shift covers its addresses. A change of a notice locks the notice, and an erased sign-up
            // removes only notices that no other transaction can insert meanwhile.
            Key::Address(..) | Key::Notices(_) => return None,
        })
    }
}

/// Appends a query that acquires the locks in their order, and returns no rows. With `timeout` the query fails if a lock
/// takes longer.
pub(super) fn acquire(sql: &mut Statement, locks: &BTreeSet<Lock>, timeout: Option<Duration>) {
    let column = |value: fn(&Lock) -> Value| Value::Array(locks.iter().map(value).collect());
    // 0 is no timeout.
    let timeout_ms =
        timeout.map_or(0, |timeout| i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX).max(1));
    let values = vec![
        column(|lock| if lock.is_shared { "shared event" } else { lock.kind }.into()),
        column(|lock| Value::Uuid(lock.organization)),
        column(|lock| Value::Uuid(lock.id)),
        column(|lock| lock.name.as_deref().into()),
        timeout_ms.into(),
    ];
    sql.add("SELECT change, number, fact, is_final FROM lock_in_order($1, $2, $3, $4, $5)", values);
}
