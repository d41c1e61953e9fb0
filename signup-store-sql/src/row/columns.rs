//! The columns of each record, in the order in which they are read.

/// A column of a record, by the alias of its table; of what kind it is where that is no matter of course.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    /// A text, a whole number, a date or a truth value.
    Plain(&'static str),
    /// A UUID.
    Id(&'static str),
    /// The bytes of a SHA-256.
    Digest(&'static str),
    /// A coordinate.
    Degrees(&'static str),
    /// JSON, which is read as a text.
    Json(&'static str),
}

use Column::{Degrees, Id, Json, Plain};

impl Column {
    /// Its name without the alias.
    pub(super) fn name(self) -> &'static str {
        let (Plain(name) | Id(name) | Self::Digest(name) | Degrees(name) | Json(name)) = self;
        name.rsplit('.').next().unwrap_or(name)
    }
}

pub(crate) const ORGANIZATION: &[Column] = &[
    Id("o.id"),
    Plain("o.name"),
    Plain("o.slug"),
    Plain("o.sport"),
    Plain("o.public_url"),
    Plain("o.plan"),
    Plain("o.created_at"),
];
pub(crate) const TOKEN: &[Column] = &[
    Id("t.id"),
    Id("t.organization_id"),
    Plain("t.name"),
    Column::Digest("t.digest"),
    Plain("t.scopes"),
    Plain("t.created_at"),
    Plain("t.expires_at"),
    Plain("t.revoked_at"),
];
pub(crate) const EVENT: &[Column] = &[
    Id("e.id"),
    Id("e.organization_id"),
    Plain("e.title"),
    Plain("e.slug"),
    Plain("e.description"),
    Plain("e.location"),
    Plain("e.is_virtual"),
    Degrees("e.latitude"),
    Degrees("e.longitude"),
    Json("e.location_data"),
    Plain("e.start_date"),
    Plain("e.end_date"),
    Plain("e.timezone"),
    Plain("e.is_published"),
    Plain("e.theme"),
    Plain("e.badge_label"),
    Plain("e.created_at"),
    Plain("e.updated_at"),
];
/// Of the shift `s` of the event `e`.
pub(crate) const SHIFT: &[Column] = &[
    Id("s.id"),
    Id("s.organization_id"),
    Id("s.event_id"),
    Plain("s.title"),
    Plain("s.location"),
    Plain("s.start_minute"),
    Plain("s.end_minute"),
    Plain("s.capacity"),
    Plain("s.filled"),
    Plain("s.position"),
    Plain("s.version"),
    Plain("s.created_at"),
    Plain("s.updated_at"),
    Plain("e.start_date"),
    Plain("e.timezone"),
    Plain("e.is_virtual"),
];
pub(crate) const QUESTION: &[Column] = &[
    Id("q.id"),
    Id("q.organization_id"),
    Id("q.event_id"),
    Plain("q.label"),
    Plain("q.kind"),
    Json("q.options"),
    Plain("q.required"),
    Plain("q.position"),
];
pub(crate) const SIGNUP: &[Column] = &[
    Id("u.id"),
    Id("u.organization_id"),
    Id("u.event_id"),
    Id("u.shift_id"),
    Plain("u.shift_version"),
    Plain("u.name"),
    Plain("u.email"),
    Json("u.answers"),
    Plain("u.status"),
    Column::Digest("u.secret"),
    Plain("u.created_at"),
    Plain("u.mailed_at"),
    Plain("u.cancelled_at"),
];
/// A receipt has no id of its own; a corrupt one is found by its token.
pub(crate) const RECEIPT: &[Column] = &[Id("r.token_id"), Json("r.outcome"), Plain("r.expires_at")];
pub(crate) const NOTICE: &[Column] = &[
    Id("n.id"),
    Id("n.organization_id"),
    Id("n.event_id"),
    Id("n.shift_id"),
    Json("n.cause"),
    Plain("n.created_at"),
    Plain("n.version"),
    Plain("n.attempts"),
    Plain("n.due_at"),
    Plain("n.failed_at"),
    Plain("n.reason"),
];
