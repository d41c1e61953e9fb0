//! The sign-up in the path of a call, with what the pages that change it show.

use signup_core::{Event, ScheduledShift, ShiftId, Signup, Timestamp};

use super::signups::{briefly, filters, shift_in_words};
use super::{ConsoleRefusal, Form, MemberCall};
use crate::texts::Texts;

/// The hidden field with the filters of the list from which a person came, as a query string.
const LIST: &str = "list";

/// A sign-up with its event, and the shifts of the event that are not deleted.
pub(super) struct FoundSignup {
    pub(super) signup: Signup,
    pub(super) event: Event,
    shifts: Vec<ScheduledShift>,
}

impl FoundSignup {
    pub(super) async fn of(call: &MemberCall) -> Result<Self, ConsoleRefusal> {
        let signup = call.session.signup(call.path.signup()).await?;
        let found = call.session.event(signup.event).await?;
        Ok(Self { signup, event: found.event, shifts: found.shifts })
    }

    /// Returns the path of the list that has the sign-up, with the filters that the form has kept.
    pub(super) fn list(&self, form: &Form) -> String {
        let path = format!("/events/{}/signups", self.event.id);
        match filters(&Form::parse(form.value(LIST).as_bytes())) {
            none if none.is_empty() => path,
            filters => format!("{path}?{filters}"),
        }
    }

    /// Returns the shift of the sign-up in words.
    pub(super) fn shift(&self) -> String {
        let shift = self.shifts.iter().find(|shift| shift.id == self.signup.shift);
        shift_in_words(shift, &self.signup, Texts::of(self.event.language))
    }

    /// Returns the hidden fields with what a page says about the sign-up.
    pub(super) fn read(&self) -> [(&'static str, String); 2] {
        [
            ("was.status", self.signup.status().name().to_owned()),
            ("was.slot_id", self.signup.shift.to_string()),
        ]
    }

    /// Returns whether the page of the form said something else about the sign-up than is so now. A form that does not say what its
    /// page said is judged by what is so now.
    pub(super) fn has_changed_since(&self, form: &Form) -> bool {
        self.read().iter().any(|(name, now)| form.is_ticked(name) && form.value(name) != now)
    }

    /// Returns whether the shift of the sign-up is over. That of a deleted shift is not known.
    pub(super) fn is_over(&self, now: Timestamp) -> bool {
        self.shifts.iter().any(|shift| shift.id == self.signup.shift && shift.is_over(now))
    }

    /// Returns the other shifts that have room, each with its words.
    pub(super) fn other_shifts(&self, now: Timestamp) -> Vec<(ShiftId, String)> {
        let texts = Texts::of(self.event.language);
        let others =
            self.shifts.iter().filter(|shift| shift.id != self.signup.shift && shift.takes_signups(now));
        others.map(|shift| (shift.id, briefly(shift, texts))).collect()
    }

    /// Returns the sentences that say who gets the place on the shift once it is free, and is told so. `None` if nobody does.
    pub(super) fn successor(&self, call: &MemberCall) -> Option<&'static str> {
        let shift = self.shifts.iter().find(|shift| shift.id == self.signup.shift)?;
        let goes_on = self.signup.is_confirmed() && shift.has_successor(&self.event, call.now());
        goes_on.then_some(match call.frame.sends_mail {
            true => "The place goes to the first person on the waiting list. We’ll email them about it.",
            false => "The place goes to the first person on the waiting list. We can’t email them, so tell them yourself.",
        })
    }
}

/// Adds the filters of the list from which a person came to the form of a page. They are the query string of the page.
pub(super) fn with_list(form: Form, call: &MemberCall) -> Form {
    form.with(LIST, filters(&call.query()))
}
