//! Notices: the outbox records from which mails are made.
//!
//! A notice is written in the change set of its cause. So no mail is sent for a change that was not committed, and no
//! crash loses a mail. A notice of a changed shift is fanned out at delivery, in batches: each volunteer gets a notice
//! of their own, so a shift of any size is served. Every other notice is one mail to one person.
//!
//! Any process may claim a due notice. The claim is a lease: it moves [`Notice::due_at`] a little into the future. The
//! process extends the lease while it delivers the mail. If the process dies, the lease expires and the notice is due
//! again.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::hours::Interval;
use crate::id::{EventId, NoticeId, OrganizationId, ShiftId, SignupId};
use crate::organization::Organization;
use crate::secret::Secret;
use crate::shift::Shift;
use crate::signup::Signup;
use crate::text::ShiftLocation;

/// A queued mail, and the state of its delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// The id. It stays the same over all attempts.
    pub id: NoticeId,
    /// The organization that owns the event.
    pub organization: OrganizationId,
    /// The event.
    pub event: EventId,
    /// The shift.
    pub shift: ShiftId,
    /// What happened.
    pub cause: NoticeCause,
    /// When it happened.
    pub created_at: Timestamp,
    /// The version, from 1. Each change adds 1 and requires the version that was read (compare and swap).
    pub version: u32,
    /// How often the notice was claimed for delivery.
    pub attempts: u32,
    /// When the notice may be claimed next: the end of a lease or of a pause.
    pub due_at: Timestamp,
    /// Why delivery was given up; `None` while the notice is queued.
    pub failure: Option<NoticeFailure>,
}

/// When and why the delivery of a notice was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeFailure {
    /// When delivery was given up.
    pub at: Timestamp,
    /// The mail server's answer, or the connection error; at most [`MAX`](Self::MAX) characters. The text may contain
    /// the volunteer's address.
    pub reason: String,
}

impl NoticeFailure {
    /// The maximum length of a reason, in characters.
    pub const MAX: usize = 500;

    /// Creates a failure. Cuts the reason to [`MAX`](Self::MAX) characters and removes U+0000.
    pub fn new(at: Timestamp, reason: &str) -> Self {
        let reason = reason.chars().filter(|character| *character != '\0').take(Self::MAX).collect();
        Self { at, reason }
    }
}

/// A mail to send: the claimed notice, and the records that the mail shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    /// The claimed notice. Its id stays the same over all attempts.
    pub notice: Notice,
    /// The organization of the event.
    pub organization: Organization,
    /// The event.
    pub event: Event,
    /// The present state of the shift.
    pub shift: Shift,
    /// The sign-up whose volunteer gets the mail.
    pub signup: Signup,
}

/// The cause of a mail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NoticeCause {
    /// A volunteer signed up. The mail confirms the sign-up and carries the link to cancel.
    SignedUp {
        /// The sign-up.
        signup: SignupId,
        /// The secret of the link. It is stored nowhere else in plain text, and is removed with the delivered notice.
        secret: Secret,
    },
    /// A sign-up was cancelled.
    Cancelled {
        /// The sign-up.
        signup: SignupId,
    },
    /// The time or the place of a shift changed. The notice is fanned out to all confirmed sign-ups.
    ShiftChanged {
        /// The change.
        #[serde(flatten)]
        change: ShiftChange,
        /// The last sign-up that the fan-out has covered.
        #[serde(default)]
        told_until: Option<SignupId>,
    },
    /// The time or the place of a shift changed: the mail to one volunteer.
    ShiftMoved {
        /// The sign-up.
        signup: SignupId,
        /// The change.
        #[serde(flatten)]
        change: ShiftChange,
    },
}

impl NoticeCause {
    /// Returns the sign-up, or `None` for a notice to all volunteers of a shift.
    pub const fn signup(&self) -> Option<SignupId> {
        match self {
            Self::SignedUp { signup, .. } | Self::Cancelled { signup } | Self::ShiftMoved { signup, .. } => {
                Some(*signup)
            }
            Self::ShiftChanged { .. } => None,
        }
    }
}

/// The time and the place of a shift before and after a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShiftChange {
    /// Before the change.
    pub before: TimeAndPlace,
    /// After the change.
    pub after: TimeAndPlace,
    /// The shift's [version](Shift::version) after the change; 0 in notices of an older release, which did not store
    /// it.
    #[serde(default)]
    pub shift_version: u32,
}

/// When and where a shift is. Volunteers get a mail if this changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeAndPlace {
    /// The instants of the shift.
    pub interval: Interval,
    /// The shift's own location, if it has one.
    pub location: Option<ShiftLocation>,
}

impl TimeAndPlace {
    /// Returns the present time and place of `shift`.
    pub fn of(shift: &Shift) -> Self {
        Self { interval: shift.interval(), location: shift.location.clone() }
    }
}

impl Notice {
    /// The length of a lease. A process that needs longer [extends](Self::held) the lease before it expires.
    pub const HOLD: SignedDuration = SignedDuration::from_secs(30);
    /// The pause after the first failed attempt. Each further pause is twice as long (exponential backoff).
    pub const FIRST_PAUSE: SignedDuration = SignedDuration::from_secs(30);
    /// The longest pause between two attempts.
    pub const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(1);
    /// How far the clocks of processes that share a store may differ.
    pub const CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(1);
    /// How long delivery is tried: an upper bound of the sum of all pauses.
    pub const TRIED_FOR: SignedDuration = SignedDuration::from_hours(24);

    /// Creates a notice about a shift of an event of an organization, due at once.
    pub const fn new(
        id: NoticeId,
        (organization, event, shift): (OrganizationId, EventId, ShiftId),
        cause: NoticeCause,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            organization,
            event,
            shift,
            cause,
            created_at: now,
            version: 1,
            attempts: 0,
            due_at: now,
            failure: None,
        }
    }

    /// Returns the notice with another cause and due time, as its next version.
    #[must_use]
    pub fn with_cause(self, cause: NoticeCause, due_at: Timestamp) -> Self {
        Self { cause, due_at, version: self.version + 1, ..self }
    }

    /// Returns the notice claimed for delivery: one more attempt, and a lease from `now`.
    #[must_use]
    pub fn taken(self, now: Timestamp) -> Self {
        let attempts = self.attempts + 1;
        Self { attempts, ..self.held(now) }
    }

    /// Returns the notice with its lease extended to [`HOLD`](Self::HOLD) after `now`.
    #[must_use]
    pub fn held(self, now: Timestamp) -> Self {
        Self { version: self.version + 1, due_at: now + Self::HOLD, ..self }
    }

    /// Returns the notice after a failed attempt: due again after a pause, or given up for `reason`.
    ///
    /// Delivery is given up if `is_final`, or if the next pause would exceed [`TRIED_FOR`](Self::TRIED_FOR).
    #[must_use]
    pub fn put_back(self, reason: &str, is_final: bool, now: Timestamp) -> Self {
        let version = self.version + 1;
        match pause(self.attempts).filter(|_| !is_final) {
            Some(pause) => Self { version, due_at: now + pause, ..self },
            None => Self { version, failure: Some(NoticeFailure::new(now, reason)), ..self },
        }
    }

    /// Returns whether no attempt is left within [`TRIED_FOR`](Self::TRIED_FOR).
    pub fn was_tried_enough(&self) -> bool {
        pause(self.attempts).is_none()
    }

    /// Returns the notice without its failure and attempts, due at once.
    #[must_use]
    pub fn retried(self, now: Timestamp) -> Self {
        Self { version: self.version + 1, attempts: 0, due_at: now, failure: None, ..self }
    }
}

/// Returns the pause after `attempts` attempts, or `None` if all pauses together would exceed [`Notice::TRIED_FOR`].
fn pause(attempts: u32) -> Option<SignedDuration> {
    let (mut pause, mut waited) = (Notice::FIRST_PAUSE, SignedDuration::ZERO);
    for _ in 1..attempts {
        waited += pause;
        pause = (pause * 2).min(Notice::LONGEST_PAUSE);
    }
    (waited + pause <= Notice::TRIED_FOR).then_some(pause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_from_30_seconds_to_an_hour_and_end_within_a_day() {
        let pauses: Vec<_> = (1..).map_while(pause).map(|pause| pause.as_secs()).collect();
        assert_eq!(pauses[..9], [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]);
        let waited: i64 = pauses.iter().sum();
        assert!((23 * 3600..=24 * 3600).contains(&waited), "{waited}");
        assert!(pauses.is_sorted());
    }

    #[test]
    fn a_notice_queued_by_an_older_version_can_be_read() {
        let old = r#"{"kind": "shift_changed",
            "before": {"interval": {"start": "2027-06-05T13:00:00Z", "end": "2027-06-05T16:00:00Z"}, "location": null},
            "after": {"interval": {"start": "2027-06-05T14:00:00Z", "end": "2027-06-05T16:00:00Z"}, "location": "Hall B"}}"#;
        let cause: NoticeCause = serde_json::from_str(old).unwrap();
        assert!(matches!(cause, NoticeCause::ShiftChanged { told_until: None, .. }));
        let again: NoticeCause = serde_json::from_str(&serde_json::to_string(&cause).unwrap()).unwrap();
        assert_eq!(again, cause);
    }
}
