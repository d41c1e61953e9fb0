//! Messages to volunteers.

use super::Input;
use super::fields::Fields;
use crate::fault::Faults;
use crate::id::ShiftId;
use crate::text::{MessageSubject, MessageText};

/// A message to send to the volunteers of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewMessage {
    /// The subject of the mails.
    pub subject: MessageSubject,
    /// The text.
    pub text: MessageText,
    /// The only shift whose volunteers get the message. `None`: all shifts of the event.
    #[doc(alias = "slot")]
    pub shift: Option<ShiftId>,
}

impl NewMessage {
    /// Makes a message of an untyped input: `subject`, `text`, and optionally `slot_id`.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>) -> Result<Self, Faults> {
        let mut fields = Fields::new(input);
        let subject = fields.text("subject").required();
        let text = fields.text("text").required();
        let shift = fields.text("slot_id").nullable();
        fields.finish(subject.zip(text).map(|(subject, text)| Self { subject, text, shift }))
    }

    /// Creates the input for a message to the volunteers of all shifts.
    pub const fn new(subject: MessageSubject, text: MessageText) -> Self {
        Self { subject, text, shift: None }
    }

    /// Sends the message to the volunteers of this shift only.
    #[doc(alias = "to_slot")]
    #[must_use]
    pub fn to_shift(self, shift: ShiftId) -> Self {
        Self { shift: Some(shift), ..self }
    }
}
