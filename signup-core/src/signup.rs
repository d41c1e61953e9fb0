//! Sign-ups: who comes to which shift.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::{EventId, OrganizationId, QuestionId, ShiftId, SignupId};
use crate::secret::Digest;
use crate::text::{AnswerText, EmailAddress, Label, PersonName};

/// One person's place on one shift.
///
/// An address holds at most one confirmed place on a shift; signing up after a cancel makes a new record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signup {
    /// Its id.
    pub id: SignupId,
    /// To whom it belongs.
    pub organization: OrganizationId,
    /// The event.
    pub event: EventId,
    /// The shift.
    #[doc(alias = "slot")]
    pub shift: ShiftId,
    /// The shift's [version](crate::Shift::version) when the volunteer looked at it: of later changes they have to be told.
    pub shift_version: u32,
    /// What the volunteer is called.
    pub name: PersonName,
    /// Where the volunteer is reached.
    #[serde(deserialize_with = "EmailAddress::deserialize_stored")]
    pub email: EmailAddress,
    /// What the volunteer answered, in the order of the questions.
    pub answers: Vec<Answer>,
    /// Whether the place is still held.
    pub status: SignupStatus,
    /// The digest of the secret with which the volunteer sees and cancels it.
    pub secret: Digest,
    /// When it was made.
    pub created_at: Timestamp,
    /// When the mail that confirms it was last queued.
    pub mailed_at: Timestamp,
    /// When it was cancelled, if it was.
    pub cancelled_at: Option<Timestamp>,
}

/// An answer, with the question's label as it was when it was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Which question.
    pub question_id: QuestionId,
    /// What it asked then.
    pub label: Label,
    /// The words, the option, or `yes` for a ticked checkbox.
    pub value: AnswerText,
}

/// Whether a sign-up still holds its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SignupStatus {
    /// It holds a place.
    Confirmed,
    /// It holds none any more.
    Cancelled,
}
