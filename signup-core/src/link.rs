//! Links: what a mail to a volunteer carries, so that the volunteer can see and cancel their places.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::id::{EventId, OrganizationId};
use crate::opt_out::Subscription;
use crate::secret::Digest;
use crate::text::EmailAddress;

/// The link of one mail to a volunteer. It shows everything that the address of the mail has with the organization.
///
/// Each mail has a link of its own, and all links of an address work side by side. The record has only the digest of the secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Link {
    /// The digest of the secret.
    pub digest: Digest,
    /// The organization.
    pub organization: OrganizationId,
    /// The address of the mail, in any spelling.
    pub mailbox: EmailAddress,
    /// The event that the mail is about. It may be removed before the link expires.
    pub event: EventId,
    /// The mails that the link turns off; `None` if the mail is none that can be turned off.
    pub unsubscribes_from: Option<Subscription>,
    /// When the link no longer works.
    pub expires_at: Timestamp,
}

impl Link {
    /// How long a link works at least after the mail: 365 days.
    pub const LIFETIME: SignedDuration = SignedDuration::from_hours(365 * 24);
    /// How long a link works at least after the end of each shift that the mail names, and how long a calendar that is subscribed
    /// to has a shift after its end: 30 days.
    pub const AFTER_SHIFT: SignedDuration = SignedDuration::from_hours(30 * 24);

    /// Creates the record of a link with this digest, which turns no mails off. The tuple has the organization and the event.
    pub const fn new(
        digest: Digest,
        (organization, event): (OrganizationId, EventId),
        mailbox: EmailAddress,
        expires_at: Timestamp,
    ) -> Self {
        Self { digest, organization, mailbox, event, unsubscribes_from: None, expires_at }
    }

    /// Returns when the link of a mail that is sent at `now` expires. `last_end` is the end of the last shift that the mail names.
    ///
    /// ```
    /// use signup_core::{Link, Timestamp};
    ///
    /// let now: Timestamp = "2027-01-01T00:00:00Z".parse()?;
    /// let expiry = |last_end: &str| Ok::<_, jiff::Error>(Link::expiry(now, last_end.parse()?).to_string());
    /// assert_eq!(expiry("2027-12-02T00:00:00Z")?, "2028-01-01T00:00:00Z");
    /// assert_eq!(expiry("2027-12-02T00:00:01Z")?, "2028-01-01T00:00:01Z");
    /// # Ok::<(), jiff::Error>(())
    /// ```
    pub fn expiry(now: Timestamp, last_end: Timestamp) -> Timestamp {
        let after = |at: Timestamp, duration| at.checked_add(duration).unwrap_or(Timestamp::MAX);
        after(now, Self::LIFETIME).max(after(last_end, Self::AFTER_SHIFT))
    }

    /// Returns whether the link works at `now`.
    pub fn works_at(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }
}
