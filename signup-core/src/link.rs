//! Links: what a mail to a volunteer carries, so that the volunteer can see and cancel their sign-up.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::hours::Interval;
use crate::id::{EventId, OrganizationId, ShiftId, SignupId};
use crate::secret::{Digest, Secret};
use crate::signup::Signup;

/// The link of one mail to a volunteer. Each mail has a link of its own, and all links of a sign-up work side by side.
///
/// The secret of the link is in the [queued mail](crate::Notice) until the mail is sent. The record has only its digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Link {
    /// The digest of the secret.
    pub digest: Digest,
    /// The organization that owns the event.
    pub organization: OrganizationId,
    /// The event.
    pub event: EventId,
    /// The shift.
    #[doc(alias = "slot")]
    pub shift: ShiftId,
    /// The sign-up that the link shows.
    pub signup: SignupId,
}

impl Link {
    /// How long a link works after the end of the shift: 30 days.
    pub const LIFETIME: SignedDuration = SignedDuration::from_hours(30 * 24);

    /// Creates the link with this secret to a sign-up.
    pub fn new(signup: &Signup, secret: &Secret) -> Self {
        let Signup { id, organization, event, shift, .. } = *signup;
        Self::of_digest(id, (organization, event, shift), secret.digest())
    }

    /// Creates the record of a link with this digest. The tuple has the organization, the event and the shift of the sign-up.
    pub const fn of_digest(
        signup: SignupId,
        (organization, event, shift): (OrganizationId, EventId, ShiftId),
        digest: Digest,
    ) -> Self {
        Self { digest, organization, event, shift, signup }
    }

    /// Returns whether the links of a shift that takes place in `interval` work at `now`: until
    /// [`LIFETIME`](Self::LIFETIME) after its end.
    ///
    /// ```
    /// use signup_core::{Interval, Link, Timestamp};
    ///
    /// let (start, end) = (Timestamp::from_second(0)?, Timestamp::from_second(3600)?);
    /// let interval = Interval { start, end };
    /// assert!(Link::works_at(interval, end));
    /// assert!(!Link::works_at(interval, end + Link::LIFETIME));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn works_at(interval: Interval, now: Timestamp) -> bool {
        now.duration_since(interval.end) < Self::LIFETIME
    }
}
