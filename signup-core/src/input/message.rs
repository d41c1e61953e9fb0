//! Messages to volunteers: typed and untyped.

use std::borrow::Cow;

use super::Given;
use super::check::{Fields, TEXT};
use crate::fault::{Faults, UnknownName};
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

/// The fields of a message, not checked yet.
///
/// ```
/// use signup_core::MessageInput;
///
/// let input = MessageInput { subject: "Bring\ngloves".into(), ..MessageInput::default() };
/// let faults = input.check().unwrap_err();
/// let paths: Vec<_> = faults.iter().map(|fault| &fault.path).collect();
/// assert_eq!(paths, ["subject", "text"]);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MessageInput<'a> {
    /// Required: the subject, at most 150 characters on one line.
    pub subject: Given<Cow<'a, str>>,
    /// Required: the text, at most 5,000 characters.
    pub text: Given<Cow<'a, str>>,
    /// The id of the only shift whose volunteers get the message. Empty: all shifts.
    pub slot_id: Given<Cow<'a, str>>,
    /// The members that the input does not take, in the order of the JSON text. Each is a fault.
    pub unknown: Vec<UnknownName<'a>>,
}

impl MessageInput<'_> {
    /// Checks every field.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self) -> Result<NewMessage, Faults> {
        let mut faults = Faults::new();
        let mut fields = Fields::new(&mut faults);
        let subject = fields.required("subject", &self.subject, TEXT, |text| MessageSubject::new(text));
        let text = fields.required("text", &self.text, TEXT, |text| MessageText::new(text));
        let shift = fields.nullable("slot_id", &self.slot_id, TEXT, |text| text.parse::<ShiftId>());
        faults.add_unknown(&self.unknown);
        let new = |(subject, text)| NewMessage { subject, text, shift };
        faults.into_result(subject.zip(text).map(new))
    }
}
