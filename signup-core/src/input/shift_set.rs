//! Shifts that are added to an event, and the deletion of a shift.

use std::borrow::Cow;

use super::check::{Fields, check_added_shifts, check_shifts};
use super::list::flag_text;
use super::{Given, NewShift, ShiftInput};
use crate::fault::{Faults, UnknownName, ValueType};
use crate::text::{CancellationReason, is_blank};

/// The shifts to add to an event, not checked yet.
#[doc(alias = "slots")]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShiftsInput<'a> {
    /// The shifts: 1 to [`Event::MAX_NEW_SHIFTS`](crate::Event::MAX_NEW_SHIFTS).
    pub shifts: Given<Vec<Given<ShiftInput<'a>>>>,
    /// Taken in every write, without an effect here: no mail is sent.
    pub notify_volunteers: Given<bool>,
    /// The members that the input does not take, in the order of the JSON text. Each is a fault.
    pub unknown: Vec<UnknownName<'a>>,
}

impl ShiftsInput<'_> {
    /// Checks every field of every shift.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self) -> Result<Vec<NewShift>, Faults> {
        self.check_days(None)
    }

    /// Checks every field of every shift for an event of as many days. A shift that [`each_minutes`](ShiftInput::each_minutes)
    /// makes of a night can be on the day after that of its row.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check_for(&self, days: u32) -> Result<Vec<NewShift>, Faults> {
        self.check_days(Some(days))
    }

    fn check_days(&self, days: Option<u32>) -> Result<Vec<NewShift>, Faults> {
        let mut faults = Faults::new();
        let mut fields = Fields::new(&mut faults);
        let shifts = fields.required("shifts", &self.shifts, ValueType::ObjectList, |shifts| {
            check_added_shifts(shifts.len()).map(|()| shifts)
        });
        let shifts = check_shifts(&mut fields, shifts, days);
        fields.optional_flag("notify_volunteers", &self.notify_volunteers);
        faults.add_unknown(&self.unknown);
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
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeleteShift {
    /// Whether to cancel the active sign-ups of the shift; false by default. A shift with active sign-ups is not deleted
    /// otherwise.
    pub cancel_signups: bool,
    /// Why the shift is deleted. Volunteers of cancelled sign-ups read it in the mail and on the page of the sign-up. Without
    /// effect unless sign-ups are cancelled.
    pub reason: Option<CancellationReason>,
    /// Whether the volunteers of cancelled sign-ups get a mail; true by default.
    pub notify_volunteers: bool,
}

impl Default for DeleteShift {
    fn default() -> Self {
        Self { cancel_signups: false, reason: None, notify_volunteers: true }
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

    /// Sets the reason.
    #[must_use]
    pub fn reason(self, reason: CancellationReason) -> Self {
        Self { reason: Some(reason), ..self }
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
    /// Why the shift is deleted: at most 1,000 characters. A blank text counts as omitted, too.
    pub reason: Option<Cow<'a, str>>,
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
        let reason = self.reason.as_deref().filter(|text| !is_blank(text));
        let reason = reason.and_then(|text| faults.check("reason", CancellationReason::new(text)));
        let notify_volunteers = flag_text(&mut faults, "notify_volunteers", self.notify_volunteers.as_ref());
        faults.into_result(Some(DeleteShift {
            cancel_signups: cancel_signups.unwrap_or(default.cancel_signups),
            reason,
            notify_volunteers: notify_volunteers.unwrap_or(default.notify_volunteers),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FaultKind;
    use crate::hours::TimeError;
    use crate::value_error::ValueError;

    fn reason(text: &str) -> Result<Option<String>, Faults> {
        let input = DeleteShiftInput { reason: Some(text.into()), ..DeleteShiftInput::default() };
        input.check().map(|delete| delete.reason.map(|reason| reason.as_str().to_owned()))
    }

    fn row(title: &str, end: &str, each_minutes: f64) -> ShiftInput<'static> {
        ShiftInput {
            title: title.to_owned().into(),
            start_time: "09:00".into(),
            end_time: end.to_owned().into(),
            capacity: 2.0.into(),
            each_minutes: each_minutes.into(),
            ..ShiftInput::default()
        }
    }

    #[test]
    fn a_row_with_a_length_makes_a_shift_for_each_part_of_its_hours() {
        let rows = vec![row("Till", "11:00", 60.0), row("Door", "", 900.0)];
        let shifts = ShiftsInput { shifts: rows.into(), ..ShiftsInput::default() }.check().unwrap();
        let shown: Vec<_> = shifts.iter().map(|shift| format!("{} {}", shift.title, shift.hours)).collect();
        assert_eq!(shown, ["Till 09:00–10:00", "Till 10:00–11:00", "Door 09:00–24:00"]);
    }

    #[test]
    fn the_parts_of_a_night_are_on_the_days_of_the_event() {
        let night = ShiftInput {
            start_time: "22:00".into(),
            ends_next_day: true.into(),
            ..row("Watch", "01:00", 60.0)
        };
        let input = ShiftsInput { shifts: vec![night].into(), ..ShiftsInput::default() };
        let shown =
            input.check_for(2).unwrap().iter().map(|shift| shift.hours.to_string()).collect::<Vec<_>>();
        assert_eq!(shown, ["22:00–23:00", "23:00–24:00", "day 2, 00:00–01:00"]);
        let path = crate::fault::FaultPath::new().field("shifts").index(0).field("each_minutes");
        assert_eq!(input.check_for(1), Err(Faults::one(path, FaultKind::NoSuchDay { days: 1 })));
    }

    #[test]
    fn a_length_that_leaves_a_remainder_is_a_fault_and_so_are_too_many_shifts() {
        let whole = ValueError::WholeNumber { min: 1, max: Some(1440) };
        let rows = vec![
            row("A", "11:00", 50.0),
            row("B", "11:00", 0.5),
            row("", "11:00", 1441.0),
            row("D", "08:00", 7.0),
        ];
        let faults = ShiftsInput { shifts: rows.into(), ..ShiftsInput::default() }.check().unwrap_err();
        let found: Vec<_> = faults.iter().map(|fault| (fault.path.to_string(), fault.kind.clone())).collect();
        let expected = [
            ("shifts[0].each_minutes", FaultKind::Remainder { minutes: 120 }),
            ("shifts[1].each_minutes", whole.into()),
            ("shifts[2].title", FaultKind::Required),
            ("shifts[2].each_minutes", whole.into()),
            ("shifts[3].end_time", TimeError::Order.into()),
        ];
        assert_eq!(found, expected.map(|(path, kind)| (path.to_owned(), kind)));
        let input = ShiftsInput { shifts: vec![row("A", "", 1.0)].into(), ..ShiftsInput::default() };
        assert_eq!(
            input.check().unwrap_err(),
            Faults::one(
                "shifts",
                FaultKind::TooMany { items: "shifts in one request", max: 500, present: 0 }
            )
        );
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
