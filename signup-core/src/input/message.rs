//! Messages to volunteers.

use super::Input;
use super::fields::Fields;
use crate::fault::Faults;
use crate::id::ShiftId;
use crate::message::Audience;
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
    /// Which of these volunteers get the message.
    pub audience: Audience,
}

impl NewMessage {
    /// Makes a message of an untyped input: `subject`, `text`, and optionally `slot_id` and `audience`.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>) -> Result<Self, Faults> {
        let mut fields = Fields::new(input);
        let subject = fields.text("subject").required();
        let text = fields.text("text").required();
        let shift = fields.text("slot_id").nullable();
        let audience = fields.text("audience").optional().unwrap_or_default();
        fields.finish(subject.zip(text).map(|(subject, text)| Self { subject, text, shift, audience }))
    }

    /// Creates the input for a message to the volunteers with a place on any shift.
    pub const fn new(subject: MessageSubject, text: MessageText) -> Self {
        Self { subject, text, shift: None, audience: Audience::All }
    }

    /// Sends the message to the volunteers of this shift only.
    #[doc(alias = "to_slot")]
    #[must_use]
    pub fn to_shift(self, shift: ShiftId) -> Self {
        Self { shift: Some(shift), ..self }
    }

    /// Sends the message to these of the volunteers only.
    #[must_use]
    pub fn to_audience(self, audience: Audience) -> Self {
        Self { audience, ..self }
    }
}
