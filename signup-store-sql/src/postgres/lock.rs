//! The locks of a transaction, from the keys of its change sets.
//!
//! Every transaction acquires its locks in one order before it checks anything. So no two transactions wait for each
//! other, whichever processes they belong to. A lock belongs to the transaction, and no lock waits for a client.

use std::collections::BTreeSet;
use std::time::Duration;

use signup_core::store::{Access, Key};
use signup_core::{ChangeSet, Requirement, Write};
use uuid::Uuid;

use crate::sql::{Sql, Value};

/// A lock, in the order in which locks are acquired.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lock {
    /// An advisory lock for something that has no row: a receipt that may be missing, or a slug.
    Name(String),
    /// The advisory lock for the first organization.
    FirstOrganization,
    Organization(Uuid),
    Event(Uuid, Uuid),
    Shift(Uuid, Uuid),
    Signup(Uuid, Uuid),
    Notice(Uuid, Uuid),
    Token(Uuid),
}

impl Lock {
    /// The locks that a change set needs, in their order.
    ///
    /// A requirement locks what it reads. A write locks what it changes, except the rows that it inserts: no other
    /// transaction knows them. The rows that a write refers to are protected by foreign keys.
    pub(super) fn all(change: &ChangeSet) -> BTreeSet<Self> {
        let required = change.requires.iter().flat_map(Requirement::accesses);
        let changed = change.writes.iter().flat_map(Write::accesses);
        let changed = changed.filter(|(_, access)| matches!(access, Access::Commute | Access::Write));
        required.chain(changed).filter_map(|(key, _)| Self::of(&key)).collect()
    }

    /// The lock that protects a key. Every change of the key acquires this lock.
    fn of(key: &Key) -> Option<Self> {
        Some(match key {
            // The text that the function `locked_receipts` of the schema builds.
            Key::Receipt(key) => {
                Self::Name(format!("{} {} {} {}", key.organization, key.token, key.operation, key.key))
            }
            Key::OrganizationSlug(slug) => Self::Name(format!("organization {slug}")),
            Key::EventSlug(slug) => Self::Name(format!("event {slug}")),
            Key::Organizations => Self::FirstOrganization,
            Key::Organization(organization) | Key::ActiveEvents(organization) => {
                Self::Organization(organization.uuid())
            }
            Key::Event(organization, event) | Key::Questions(organization, event) => {
                Self::Event(organization.uuid(), event.uuid())
            }
            Key::Shift(organization, shift) | Key::Signups(organization, shift) => {
                Self::Shift(organization.uuid(), shift.uuid())
            }
            Key::Signup(organization, signup) => Self::Signup(organization.uuid(), signup.uuid()),
            Key::Notice(organization, notice) => Self::Notice(organization.uuid(), notice.uuid()),
            Key::Token(token) => Self::Token(token.uuid()),
            // The lock of the shift covers its addresses. A change of a notice locks the notice, and an erased sign-up
            // removes only notices that no other transaction can insert meanwhile.
            Key::Address(..) | Key::Notices(_) => return None,
        })
    }

    /// The kind, as the function `acquire_locks` of the schema knows it, and what identifies the lock.
    fn parts(&self) -> (&'static str, Option<Uuid>, Option<Uuid>, Option<&str>) {
        match self {
            Self::Name(name) => ("name", None, None, Some(name)),
            Self::FirstOrganization => ("first organization", None, None, None),
            Self::Organization(id) => ("organization", None, Some(*id), None),
            Self::Event(organization, id) => ("event", Some(*organization), Some(*id), None),
            Self::Shift(organization, id) => ("shift", Some(*organization), Some(*id), None),
            Self::Signup(organization, id) => ("signup", Some(*organization), Some(*id), None),
            Self::Notice(organization, id) => ("notice", Some(*organization), Some(*id), None),
            Self::Token(id) => ("token", None, Some(*id), None),
        }
    }
}

/// Appends a query that acquires the locks in their order, and returns no rows. With `timeout` the query fails if a lock
/// takes longer.
pub(super) fn acquire(sql: &mut Sql, locks: &BTreeSet<Lock>, timeout: Option<Duration>) {
    let (mut kinds, mut organizations, mut ids, mut names) = (vec![], vec![], vec![], vec![]);
    for lock in locks {
        let (kind, organization, id, name) = lock.parts();
        kinds.push(kind.into());
        organizations.push(Value::Uuid(organization));
        ids.push(Value::Uuid(id));
        names.push(name.into());
    }
    let mut values = [kinds, organizations, ids, names].map(Value::Array).to_vec();
    // 0 is no timeout.
    let timeout_ms =
        timeout.map_or(0, |timeout| i64::try_from(timeout.as_millis()).unwrap_or(i64::MAX).max(1));
    values.push(timeout_ms.into());
    sql.add("SELECT change, number, fact, is_final FROM acquire_locks($1, $2, $3, $4, $5)", values);
}
