//! The JSON of notices: queued and failed mails.

use simd_json_derive::Serialize;

use super::{Id, Instant, Text};

/// A notice. The secret of a confirmation is left out.
#[derive(Debug, Serialize)]
pub(crate) struct Notice<'a> {
    id: Id,
    organization_id: Id,
    event_id: Id,
    slot_id: Id,
    signup_id: Option<Id>,
    cause: &'static str,
    created_at: Instant,
    attempts: u32,
    due_at: Instant,
    failed_at: Option<Instant>,
    reason: Option<Text<'a>>,
}

impl<'a> Notice<'a> {
    pub(crate) fn new(notice: &'a signup_core::Notice) -> Self {
        Self {
            id: Id(notice.id.uuid()),
            organization_id: Id(notice.organization.uuid()),
            event_id: Id(notice.event.uuid()),
            slot_id: Id(notice.shift.uuid()),
            signup_id: notice.cause.signup().map(|id| Id(id.uuid())),
            cause: notice.cause.name(),
            created_at: Instant(notice.created_at),
            attempts: notice.attempts,
            due_at: Instant(notice.due_at),
            failed_at: notice.failure.as_ref().map(|failure| Instant(failure.at)),
            reason: notice.failure.as_ref().map(|failure| Text(&failure.reason)),
        }
    }
}
