//! The columns of each record, in the order in which they are decoded.

/// A column of a record: its kind, and its name with the alias of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    Text(&'static str),
    Integer(&'static str),
    Flag(&'static str),
    /// A date, as `YYYY-MM-DD`.
    Date(&'static str),
    /// A UUID.
    Id(&'static str),
    /// The bytes of a SHA-256.
    Digest(&'static str),
    /// A coordinate.
    Degrees(&'static str),
    /// JSON, selected as text.
    Json(&'static str),
}

use Column::{Date, Degrees, Digest, Flag, Id, Integer, Json, Text};

impl Column {
    /// Returns the name without the alias.
    pub(super) fn name(self) -> &'static str {
        let (Text(name) | Integer(name) | Flag(name) | Date(name) | Id(name) | Digest(name) | Degrees(name)
        | Json(name)) = self;
        name.rsplit('.').next().unwrap_or(name)
    }
}

pub(crate) const ORGANIZATION: &[Column] = &[
    Id("o.id"),
    Text("o.name"),
    Text("o.slug"),
    Integer("o.created_at"),
    Text("o.sport"),
    Text("o.public_url"),
    Text("o.plan"),
];
pub(crate) const TOKEN: &[Column] = &[
    Id("t.id"),
    Id("t.organization_id"),
    Text("t.name"),
    Digest("t.digest"),
    Text("t.scopes"),
    Integer("t.created_at"),
    Integer("t.expires_at"),
    Integer("t.revoked_at"),
];
pub(crate) const EVENT: &[Column] = &[
    Id("e.id"),
    Id("e.organization_id"),
    Text("e.title"),
    Text("e.slug"),
    Date("e.start_date"),
    Text("e.timezone"),
    Date("e.end_date"),
    Integer("e.created_at"),
    Integer("e.updated_at"),
    Text("e.description"),
    Text("e.location"),
    Flag("e.is_virtual"),
    Degrees("e.latitude"),
    Degrees("e.longitude"),
    Flag("e.is_published"),
    Text("e.theme"),
    Text("e.badge_label"),
    Integer("e.cancelled_at"),
    Text("e.cancellation_reason"),
    Integer("e.version"),
];
/// When the event `e` was deleted.
pub(crate) const DELETION: &[Column] = &[Id("e.id"), Integer("e.deleted_at")];
/// When the shift `s` was deleted.
pub(crate) const SHIFT_DELETION: &[Column] = &[Id("s.id"), Integer("s.deleted_at")];
/// The location data of the event `e`. Only reads of an event in full select it.
pub(crate) const LOCATION_DATA: &[Column] = &[Id("e.id"), Json("e.location_data")];
/// The shift `s`, and then the columns of its event `e` that a shift holds.
pub(crate) const SHIFT: &[Column] = &[
    Id("s.id"),
    Text("s.title"),
    Integer("s.capacity"),
    Integer("s.created_at"),
    Integer("s.updated_at"),
    Text("s.location"),
    Integer("s.start_minute"),
    Integer("s.end_minute"),
    Integer("s.closed_at"),
    Integer("s.filled"),
    Integer("s.position"),
    Integer("s.version"),
    Id("e.id"),
    Id("e.organization_id"),
    Date("e.start_date"),
    Text("e.timezone"),
    Flag("e.is_virtual"),
];
/// How many of the columns of [`SHIFT`] belong to the shift itself.
const OF_SHIFT: usize = 12;
/// The columns of [`SHIFT`] that belong to the shift, and those that belong to its event.
pub(super) const SHIFT_AND_EVENT: (&[Column], &[Column]) = SHIFT.split_at(OF_SHIFT);
/// The shift `s`, without the columns of its event.
pub(crate) const SHIFT_OF_EVENT: &[Column] = SHIFT_AND_EVENT.0;
pub(crate) const QUESTION: &[Column] = &[
    Id("q.id"),
    Id("q.organization_id"),
    Id("q.event_id"),
    Text("q.label"),
    Text("q.kind"),
    Json("q.options"),
    Flag("q.required"),
    Integer("q.position"),
];
pub(crate) const SIGNUP: &[Column] = &[
    Id("u.id"),
    Id("u.organization_id"),
    Id("u.event_id"),
    Id("u.shift_id"),
    Text("u.name"),
    Text("u.email"),
    Digest("u.secret"),
    Integer("u.created_at"),
    Integer("u.mailed_at"),
    Integer("u.cancelled_at"),
    Integer("u.shift_version"),
    Json("u.answers"),
    Text("u.status"),
    Text("u.cancelled_by"),
];
/// A receipt has no id. Errors name the id of its token instead.
pub(crate) const RECEIPT: &[Column] = &[Id("r.token_id"), Json("r.outcome"), Integer("r.expires_at")];
/// The position of a notice in the queue.
pub(crate) const QUEUE_POSITION: &[Column] = &[Id("n.id"), Integer("n.due_at")];
pub(crate) const NOTICE: &[Column] = &[
    Id("n.id"),
    Id("n.organization_id"),
    Id("n.event_id"),
    Id("n.shift_id"),
    Json("n.cause"),
    Integer("n.created_at"),
    Integer("n.version"),
    Integer("n.attempts"),
    Integer("n.due_at"),
    Integer("n.failed_at"),
    Text("n.reason"),
];
