//! Cancellations of events and of sign-ups, and deletions of shifts.

use super::Input;
use super::change::{setters, without_mail};
use super::fields::Fields;
use crate::fault::Faults;
use crate::text::CancellationReason;

/// The cancellation of an event, or of one sign-up.
///
/// ```
/// use signup_core::Cancellation;
///
/// let cancel = Cancellation::new().reason("The hall is flooded.".parse()?);
/// assert!(!cancel.without_mail);
/// # Ok::<(), signup_core::TextError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Cancellation {
    /// Why the event or the sign-up is cancelled. Volunteers read it in the mail, and on the public page or the page of their
    /// sign-up.
    pub reason: Option<CancellationReason>,
    /// Whether the volunteers get no mail; false by default.
    pub without_mail: bool,
}

impl Cancellation {
    /// Makes a cancellation of an untyped input: `reason` and `notify_volunteers`, both optional.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>) -> Result<Self, Faults> {
        let mut fields = Fields::new(input);
        let reason = fields.text("reason").nullable();
        let without_mail = fields.without_mail();
        fields.finish(Some(Self { reason, without_mail }))
    }

    /// Creates a cancellation without a reason.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets the reason.
        reason: CancellationReason;
    }

    without_mail!();
}

/// How a shift is deleted.
///
/// ```
/// use signup_core::DeleteShift;
///
/// let delete = DeleteShift::new().cancel_signups();
/// assert!(delete.cancel_signups && !delete.without_mail);
/// ```
#[doc(alias = "slot")]
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct DeleteShift {
    /// Whether to cancel the active sign-ups of the shift; false by default. A shift with active sign-ups is not deleted
    /// otherwise.
    pub cancel_signups: bool,
    /// Why the shift is deleted. Volunteers of cancelled sign-ups read it in the mail and on the page of their places. Without
    /// effect unless sign-ups are cancelled.
    pub reason: Option<CancellationReason>,
    /// Whether the volunteers of cancelled sign-ups get no mail; false by default.
    pub without_mail: bool,
}

impl DeleteShift {
    /// Makes it of the parameters of a query: `cancel_signups`, `reason` and `notify_volunteers`, all optional.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>) -> Result<Self, Faults> {
        let mut fields = Fields::new(input);
        let cancel_signups = fields.flag("cancel_signups").optional().unwrap_or(false);
        let reason = fields.words("reason");
        let without_mail = fields.without_mail();
        fields.finish(Some(Self { cancel_signups, reason, without_mail }))
    }

    /// Deletes a shift without active sign-ups.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels the active sign-ups of the shift.
    #[must_use]
    pub fn cancel_signups(self) -> Self {
        Self { cancel_signups: true, ..self }
    }

    setters! {
        /// Sets the reason.
        reason: CancellationReason;
    }

    without_mail!();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(text: &str) -> Result<Option<String>, Faults> {
        let delete = DeleteShift::from_input(Input::from_texts([("reason", text)]));
        delete.map(|delete| delete.reason.map(|reason| reason.as_str().to_owned()))
    }

    #[test]
    fn a_reason_in_a_query_has_up_to_1000_characters_and_a_blank_one_is_omitted() {
        assert_eq!(reason(""), Ok(None));
        assert_eq!(reason(" \t\n"), Ok(None));
        assert_eq!(reason(" The hall\nis flooded."), Ok(Some(" The hall\nis flooded.".to_owned())));
        assert_eq!(reason(&"é".repeat(1000)), Ok(Some("é".repeat(1000))));
        for text in ["é".repeat(1001), "a\0b".to_owned()] {
            let faults = reason(&text).unwrap_err();
            assert_eq!(faults.iter().map(|fault| fault.path.to_string()).collect::<Vec<_>>(), ["reason"]);
        }
    }
}
