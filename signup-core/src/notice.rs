//! Notices: queued causes of mails.
//!
//! A notice is written in the change set of its cause: a mail is never sent for what was not committed, and never lost
//! with a crash. Who is told of a changed shift is decided at delivery: its notice makes one for each volunteer, a few at a
//! time, so it serves a shift of any size. Every other notice is one mail to one person.
//!
//! A notice that is due may be taken by any process. Whoever takes it moves [`Notice::due_at`] a little into the future,
//! and again and again while the mail is under way: if the process dies, the notice is soon due for others.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::hours::Interval;
use crate::id::{EventId, NoticeId, OrganizationId, ShiftId, SignupId};
use crate::secret::Secret;
use crate::shift::Shift;
use crate::text::ShiftLocation;

/// A queued mail cause, and how far its delivery has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// Its id.
    pub id: NoticeId,
    /// To whom the cause belongs.
    pub organization: OrganizationId,
    /// The event.
    pub event: EventId,
    /// The shift.
    pub shift: ShiftId,
    /// What happened.
    pub cause: NoticeCause,
    /// When it happened.
    pub created_at: Timestamp,
    /// Counts what has become of the notice, from 1: whoever changes it names the version that he has read.
    pub version: u32,
    /// How often delivery was begun.
    pub attempts: u32,
    /// When it may be taken for delivery next.
    pub due_at: Timestamp,
    /// Why it is kept without being delivered.
    pub failure: Option<NoticeFailure>,
}

/// Why a notice was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoticeFailure {
    /// When.
    pub at: Timestamp,
    /// What the mail server said, or what was wrong with reaching it; at most [`MAX`](Self::MAX) characters. It may name
    /// the volunteer's address.
    pub reason: String,
}

impl NoticeFailure {
    /// The most characters of a reason.
    pub const MAX: usize = 500;

    /// A failure for this reason, which is cut if it is too long.
    pub fn new(at: Timestamp, reason: &str) -> Self {
        let reason = reason.chars().filter(|character| *character != '\0').take(Self::MAX).collect();
        Self { at, reason }
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NoticeCause {
    /// Somebody signed up: the mail confirms it and carries the link to cancel.
    SignedUp {
        /// The sign-up.
        signup: SignupId,
        /// The secret of the link. It stands nowhere else, and goes when the mail has gone.
        secret: Secret,
    },
    /// Somebody cancelled.
    Cancelled {
        /// The sign-up.
        signup: SignupId,
    },
    /// A shift's time or place became another: for all whose sign-up is confirmed.
    ShiftChanged {
        /// The change.
        #[serde(flatten)]
        change: ShiftChange,
        /// The last sign-up for which a notice of its own was made already.
        #[serde(default)]
        told_until: Option<SignupId>,
    },
    /// The same, for one of them.
    ShiftMoved {
        /// The sign-up.
        signup: SignupId,
        /// The change.
        #[serde(flatten)]
        change: ShiftChange,
    },
}

impl NoticeCause {
    /// The sign-up, if it is about one.
    pub const fn signup(&self) -> Option<SignupId> {
        match self {
            Self::SignedUp { signup, .. } | Self::Cancelled { signup } | Self::ShiftMoved { signup, .. } => {
                Some(*signup)
            }
            Self::ShiftChanged { .. } => None,
        }
    }
}

/// What a shift was, and what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShiftChange {
    /// What it was.
    pub before: TimeAndPlace,
    /// What it is.
    pub after: TimeAndPlace,
    /// The shift's [version](Shift::version) since then.
    #[serde(default)]
    pub shift_version: u32,
}

/// When and where a shift is: what volunteers are told of when it changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeAndPlace {
    /// When.
    pub interval: Interval,
    /// Where, if the shift has a place of its own.
    pub location: Option<ShiftLocation>,
}

impl TimeAndPlace {
    /// The shift's.
    pub fn of(shift: &Shift) -> Self {
        Self { interval: shift.interval(), location: shift.location.clone() }
    }
}

impl Notice {
    /// For how long a process has a notice to itself. Whoever needs longer [holds](Self::held) it again in time; of whoever
    /// dies it is due for others after that.
    pub const HOLD: SignedDuration = SignedDuration::from_secs(30);
    /// How long to wait after the first attempt that failed; after each further one twice as long.
    pub const FIRST_PAUSE: SignedDuration = SignedDuration::from_secs(30);
    /// The longest pause.
    pub const LONGEST_PAUSE: SignedDuration = SignedDuration::from_hours(1);
    /// How far the clocks of processes that share a store may differ.
    pub const CLOCK_SKEW: SignedDuration = SignedDuration::from_mins(1);
    /// For how long it is tried: the pauses together.
    pub const TRIED_FOR: SignedDuration = SignedDuration::from_hours(24);

    /// A notice about a shift of an event of an organization, due at once.
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

    /// The same with another cause, due at another time.
    #[must_use]
    pub fn with_cause(self, cause: NoticeCause, due_at: Timestamp) -> Self {
        Self { cause, due_at, version: self.version + 1, ..self }
    }

    /// Taken for delivery.
    #[must_use]
    pub fn taken(self, now: Timestamp) -> Self {
        let attempts = self.attempts + 1;
        Self { attempts, ..self.held(now) }
    }

    /// Kept from others for [`HOLD`](Self::HOLD) from `now` on.
    #[must_use]
    pub fn held(self, now: Timestamp) -> Self {
        Self { version: self.version + 1, due_at: now + Self::HOLD, ..self }
    }

    /// Put back: to be tried again after a pause, or given up for `reason` if it was tried long enough, or if trying again
    /// is of no use.
    #[must_use]
    pub fn put_back(self, reason: &str, is_final: bool, now: Timestamp) -> Self {
        let version = self.version + 1;
        match pause(self.attempts).filter(|_| !is_final) {
            Some(pause) => Self { version, due_at: now + pause, ..self },
            None => Self { version, failure: Some(NoticeFailure::new(now, reason)), ..self },
        }
    }

    /// Whether it was begun as often as mails are tried.
    pub fn was_tried_enough(&self) -> bool {
        pause(self.attempts).is_none()
    }

    /// Due at once, as if it had never been tried.
    #[must_use]
    pub fn retried(self, now: Timestamp) -> Self {
        Self { version: self.version + 1, attempts: 0, due_at: now, failure: None, ..self }
    }
}

/// How long to wait after so many attempts; `None` if that would be beyond [`Notice::TRIED_FOR`].
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
    fn pauses_grow_from_half_a_minute_to_an_hour_and_end_within_a_day() {
        let pauses: Vec<_> = (1..).map_while(pause).map(|pause| pause.as_secs()).collect();
        assert_eq!(pauses[..9], [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]);
        let waited: i64 = pauses.iter().sum();
        assert!((23 * 3600..=24 * 3600).contains(&waited), "{waited}");
        assert!(pauses.is_sorted());
    }

    #[test]
    fn a_notice_that_an_older_version_has_queued_can_be_read() {
        let old = r#"{"kind": "shift_changed",
            "before": {"interval": {"start": "2027-06-05T13:00:00Z", "end": "2027-06-05T16:00:00Z"}, "location": null},
            "after": {"interval": {"start": "2027-06-05T14:00:00Z", "end": "2027-06-05T16:00:00Z"}, "location": "Hall B"}}"#;
        let cause: NoticeCause = serde_json::from_str(old).unwrap();
        assert!(matches!(cause, NoticeCause::ShiftChanged { told_until: None, .. }));
        let again: NoticeCause = serde_json::from_str(&serde_json::to_string(&cause).unwrap()).unwrap();
        assert_eq!(again, cause);
    }
}
