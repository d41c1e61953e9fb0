//! Notices: queued causes of mails.
//!
//! A notice is written in the change set of its cause: a mail is never sent for what was not committed, and never lost
//! with a crash. Who receives it is decided at delivery, so one notice serves a shift of any size.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::hours::Interval;
use crate::id::{EventId, NoticeId, OrganizationId, ShiftId, SignupId};
use crate::secret::Secret;
use crate::text::ShiftLocation;

/// A queued mail cause.
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
        /// What it was.
        before: TimeAndPlace,
        /// What it is.
        after: TimeAndPlace,
    },
}

/// When and where a shift is: what volunteers are told of when it changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeAndPlace {
    /// When.
    pub interval: Interval,
    /// Where, if the shift has a place of its own.
    pub location: Option<ShiftLocation>,
}
