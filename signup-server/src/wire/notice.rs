//! The JSON of notices: queued and failed mails, and the addresses that mails go to.

use serde::Serialize;
use signup_core::{EmailAddress, EventId, OrganizationId};
use uuid::Uuid;

use super::Instant;

/// A notice, with the address that its mail goes to. The secret of an invitation and the code to sign in are left out.
#[derive(Debug, Serialize)]
pub(crate) struct Notice<'a> {
    id: Uuid,
    /// `None` for a code to sign in, which belongs to no organization.
    organization_id: Option<Uuid>,
    /// `None` for a mail to a person who signs in or is invited.
    event_id: Option<Uuid>,
    recipient: Option<String>,
    cause: &'static str,
    created_at: Instant,
    attempts: u32,
    /// When the mail is tried next. `None` if the mail has failed, because it is not tried again, and while there is nothing to
    /// send.
    due_at: Option<Instant>,
    failed_at: Option<Instant>,
    reason: Option<&'a str>,
}

impl<'a> Notice<'a> {
    pub(crate) fn new(notice: &'a signup_core::Notice, recipient: Option<EmailAddress>) -> Self {
        Self {
            id: notice.id.uuid(),
            organization_id: (notice.organization != OrganizationId::NONE)
                .then(|| notice.organization.uuid()),
            event_id: notice.event.map(EventId::uuid),
            recipient: recipient.map(String::from),
            cause: notice.cause.name(),
            created_at: Instant(notice.created_at),
            attempts: notice.attempts,
            due_at: notice.due_at.map(Instant),
            failed_at: notice.failure.as_ref().map(|failure| Instant(failure.at)),
            reason: notice.reason(),
        }
    }
}
