//! The rules: from facts, an input and the time to a decision.
//!
//! A rule is a pure function. What it read comes in as values, and so do the time and the new ids; what it decides goes
//! out as an outcome and a [`ChangeSet`]. So every rule can be tested, and proven, without a store.
//!
//! **Invariant:** nothing here reads a clock, a random source or a store.

mod cancel_signup;
mod create_event;
mod deliver;
mod duplicate_event;
mod patch_shift;
mod sign_up;
mod slug;

pub use cancel_signup::cancel_signup;
pub use create_event::create_event;
pub use deliver::{Delivery, finish_notice, is_of_use, replace_notice, tell};
pub use duplicate_event::duplicate_event;
pub use patch_shift::patch_shift;
pub use sign_up::{Closed, MAIL_AGAIN_AFTER, SignUpFacts, SignUpIds, SigningUp, mail_again, sign_up};
pub use slug::{slug_base, slug_with_tail};

use jiff::Timestamp;

use crate::id::{EventId, QuestionId, ShiftId};
use crate::secret;
use crate::store::ChangeSet;

/// What a rule decides: what to answer, and what has to become durable first.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision<T> {
    /// The answer.
    pub outcome: T,
    /// What makes it true.
    pub change: ChangeSet,
}

/// The ids and the slug's tail for one new event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventIds {
    /// The event's.
    pub event: EventId,
    /// 8 random characters.
    pub slug_tail: String,
    /// One for each shift.
    pub shifts: Vec<ShiftId>,
    /// One for each question.
    pub questions: Vec<QuestionId>,
}

impl EventIds {
    /// New ids for an event that is created at `now` with so many shifts and questions.
    pub(crate) fn generate(now: Timestamp, shifts: usize, questions: usize) -> Self {
        Self {
            event: EventId::new(secret::new_uuid(now)),
            slug_tail: secret::slug_tail(),
            shifts: (0..shifts).map(|_| ShiftId::new(secret::new_uuid(now))).collect(),
            questions: (0..questions).map(|_| QuestionId::new(secret::new_uuid(now))).collect(),
        }
    }
}
