//! The locks of a transaction, from the keys of its change sets.
//!
//! Every transaction acquires its locks in one order before it checks anything. So no two transactions wait for each
//! other, whichever processes they belong to. A lock lasts as long as the transaction.

use std::collections::BTreeSet;
use std::time::Duration;

use signup_core::{
    Access, ChangeSet, Key, Keys, Kind, OrganizationId, RecordKey, Requirement, Total, Unique, Write,
};
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
    /// The name of an advisory lock, for something that may have no row, such as a receipt or a slug, or a row without an id.
    name: Option<String>,
    /// Whether other transactions may hold the lock at the same time, if they share it, too. Only an event, its gate and the
    /// gate of an organization are shared.
    is_shared: bool,
}

impl Lock {
    /// The locks that a change set needs, in their order.
    ///
    /// A requirement locks what it reads, except totals that its gate protects. A write locks what it changes, except the rows
    /// that it inserts: no other transaction knows them. The row of a parent is protected by a foreign key.
    ///
    /// Accesses to one key are combined. So an event that a change set reads and writes has only the exclusive lock.
    pub(super) fn all(change: &ChangeSet) -> BTreeSet<Self> {
        let required = change.requires.iter().flat_map(Requirement::accesses);
        let written = change.writes.iter().flat_map(Write::accesses);
        let changed = written.filter(|(_, access)| matches!(access, Access::Commute | Access::Write));
        let keys: Keys = required.chain(changed).collect();
        keys.iter().filter_map(|(key, access)| Self::of(key, access)).collect()
    }

    /// The lock that protects a key. Every change of the key acquires this lock.
    fn of(key: &Key, access: Access) -> Option<Self> {
        let named = |name| Some(Self { kind: "name", name: Some(name), ..Self::default() });
        let row = |kind, organization: OrganizationId, id: Option<Uuid>| {
            Some(Self { kind, organization: Some(organization.uuid()), id, ..Self::default() })
        };
        // Readers of an event, or of its gate, share the lock.
        let shared = |lock: Option<Self>| lock.map(|lock| Self { is_shared: access == Access::Read, ..lock });
        // Each kind of lock needs its branch in `lock_in_order` of the schema, which fails for an unknown kind.
        match key {
            Key::Unique(Unique::Receipt(key)) => {
                named(format!("{} {} {} {}", key.organization, key.caller, key.operation, key.key))
            }
            Key::Unique(Unique::OrganizationSlug(slug)) => named(format!("organization {slug}")),
            Key::Unique(Unique::EventSlug(slug)) => named(format!("event {slug}")),
            Key::Unique(Unique::EventExternalId(organization, id)) => {
                named(format!("event of {organization} {id}"))
            }
            Key::Unique(Unique::PersonEmail(email)) => named(format!("person {email}")),
            Key::Unique(Unique::InvitedEmail(organization, email)) => {
                named(format!("invitation {organization} {email}"))
            }
            Key::Unique(Unique::SignInCode(browser)) | Key::Record(RecordKey::SignInCode(browser)) => {
                named(format!("code {browser}"))
            }
            Key::Record(RecordKey::SignIn(digest)) => named(format!("sign-in {digest}")),
            // The lock of the shift covers its places and its total.
            Key::Unique(Unique::Place(organization, shift, _)) => {
                row("shift", *organization, Some(shift.uuid()))
            }
            Key::Total(Total::Filled(organization, shift)) if access != Access::Read => {
                row("shift", *organization, Some(shift.uuid()))
            }
            Key::Total(Total::Organizations) => Some(Self { kind: "first organization", ..Self::default() }),
            Key::Total(Total::ActiveEvents(organization)) => {
                row("organization", *organization, Some(organization.uuid()))
            }
            Key::Total(Total::Webhooks(organization)) => {
                row("organization", *organization, Some(organization.uuid()))
            }
            Key::Total(Total::Messages(organization, event)) => {
                row("event", *organization, Some(event.uuid()))
            }
            Key::Total(Total::InFlight(organization, webhook)) => {
                row("webhook", *organization, Some(webhook.uuid()))
            }
            Key::Gate(
                record @ (RecordKey::Event(organization, _) | RecordKey::Organization(organization)),
            ) => shared(row("gate", *organization, record.id())),
            Key::Record(record @ RecordKey::Event(organization, _)) => {
                shared(row("event", *organization, record.id()))
            }
            Key::Gate(record) | Key::Record(record) => {
                let kind = match record.kind() {
                    Kind::Organization => "organization",
                    Kind::Token => "token",
                    Kind::Shift => "shift",
                    Kind::Question => "question",
                    Kind::Signup => "signup",
                    Kind::Notice => "notice",
                    Kind::Webhook => "webhook",
                    // After its webhook, whose removal locks the delivery, too.
                    Kind::Delivery => "webhook delivery",
                    Kind::Person => "person",
                    Kind::Membership => "membership",
                    Kind::Invitation => "invitation",
                    // The lock of the event covers its location data, and a name covers a receipt, a code or a sign-in. A link
                    // and an activity never change.
                    Kind::Event
                    | Kind::LocationData
                    | Kind::Link
                    | Kind::Receipt
                    | Kind::Activity
                    | Kind::Message
                    | Kind::SignInCode
                    | Kind::SignIn => return None,
                };
                row(kind, record.organization(), record.id())
            }
            // A gate protects the total, and a unique index the digest.
            Key::Total(Total::Filled(..) | Total::Answers(..))
            | Key::Unique(Unique::TokenDigest(_) | Unique::Link(_) | Unique::InvitationSecret(_)) => None,
        }
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
        column(|lock| lock.kind.into()),
        Value::Array(locks.iter().map(|lock| lock.is_shared.into()).collect()),
        column(|lock| Value::Uuid(lock.organization)),
        column(|lock| Value::Uuid(lock.id)),
        column(|lock| lock.name.as_deref().into()),
        timeout_ms.into(),
    ];
    sql.add("SELECT change, number, fact, is_final FROM lock_in_order($1, $2, $3, $4, $5, $6)", values);
}
