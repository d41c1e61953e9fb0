//! Shifts that are added to an event, and the deletion of a shift.

use std::borrow::Cow;

use super::check::{Fields, check_added_shifts, check_shifts};
use super::list::flag_text;
use super::{Given, NewShift, ShiftInput};
use crate::fault::{FaultPath, Faults, ValueType};

/// The shifts to add to an event, not checked yet.
#[doc(alias = "slots")]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShiftsInput<'a> {
    /// The shifts: 1 to [`Event::MAX_NEW_SHIFTS`](crate::Event::MAX_NEW_SHIFTS).
    pub shifts: Given<Vec<Given<ShiftInput<'a>>>>,
    /// Taken in every write, without an effect here: no mail is sent.
    pub notify_volunteers: Given<bool>,
    /// The members that the input does not take, in the order of the JSON text. Each is a fault.
    pub unknown: Vec<FaultPath>,
}

impl ShiftsInput<'_> {
    /// Checks every field of every shift.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self) -> Result<Vec<NewShift>, Faults> {
        let mut faults = Faults::new();
        let mut fields = Fields::new(&mut faults);
        let shifts = fields.required("shifts", &self.shifts, ValueType::ObjectList, |shifts| {
            check_added_shifts(shifts.len()).map(|()| shifts)
        });
        let shifts = check_shifts(&mut fields, shifts);
        fields.optional_flag("notify_volunteers", &self.notify_volunteers);
        faults.add_unknown(self.unknown.iter().cloned());
        faults.into_result(Some(shifts))
    }
}

/// How a shift is deleted.
///
/// ```
/// use signup_core::DeleteShift;
///
/// let delete = DeleteShift::new().cancel_signups();
/// assert!(delete.cancel_signups && delete.notify_volunteers);
/// ```
#[doc(alias = "slot")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeleteShift {
    /// Whether to cancel the active sign-ups of the shift; false by default. A shift with active sign-ups is not deleted
    /// otherwise.
    pub cancel_signups: bool,
    /// Whether the volunteers of cancelled sign-ups get a mail; true by default.
    pub notify_volunteers: bool,
}

impl Default for DeleteShift {
    fn default() -> Self {
        Self { cancel_signups: false, notify_volunteers: true }
    }
}

impl DeleteShift {
    /// Deletes a shift without active sign-ups.
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels the active sign-ups of the shift.
    #[must_use]
    pub fn cancel_signups(self) -> Self {
        Self { cancel_signups: true, ..self }
    }

    /// Sends no mail about the cancellation to the volunteers.
    #[must_use]
    pub fn without_mail(self) -> Self {
        Self { notify_volunteers: false, ..self }
    }
}

/// How a shift is deleted, with the texts of a query string. An empty text counts as omitted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeleteShiftInput<'a> {
    /// `true` or `1` to cancel the active sign-ups.
    pub cancel_signups: Option<Cow<'a, str>>,
    /// `false` or `0` to send no mail.
    pub notify_volunteers: Option<Cow<'a, str>>,
}

impl DeleteShiftInput<'_> {
    /// Checks every field.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self) -> Result<DeleteShift, Faults> {
        let mut faults = Faults::new();
        let default = DeleteShift::new();
        let cancel_signups = flag_text(&mut faults, "cancel_signups", self.cancel_signups.as_ref());
        let notify_volunteers = flag_text(&mut faults, "notify_volunteers", self.notify_volunteers.as_ref());
        faults.into_result(Some(DeleteShift {
            cancel_signups: cancel_signups.unwrap_or(default.cancel_signups),
            notify_volunteers: notify_volunteers.unwrap_or(default.notify_volunteers),
        }))
    }
}
