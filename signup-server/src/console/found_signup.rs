//! The sign-up in the path of a call, with what the pages that change it show.

use signup_core::{Event, Occupancy, ScheduledShift, ShiftId, Signup, Timestamp};

use super::signups::{shift_in_words, titled};
use super::{ConsoleRefusal, MemberCall};
use crate::texts::Texts;

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

    /// Returns the path of the list that has the sign-up.
    pub(super) fn list(&self) -> String {
        format!("/events/{}/signups", self.event.id)
    }

    /// Returns the shift of the sign-up in words.
    pub(super) fn shift(&self) -> String {
        let shift = self.shifts.iter().find(|shift| shift.id == self.signup.shift);
        shift_in_words(shift, &self.signup, Texts::of(self.event.language))
    }

    /// Returns the other shifts that have room, each with its words.
    pub(super) fn other_shifts(&self, now: Timestamp) -> Vec<(ShiftId, String)> {
        let texts = Texts::of(self.event.language);
        let others =
            self.shifts.iter().filter(|shift| shift.id != self.signup.shift && shift.takes_signups(now));
        others.map(|shift| (shift.id, titled(shift, texts))).collect()
    }

    /// Returns the sentence that says who gets the place on the shift once it is free. `None` if nobody does.
    pub(super) fn successor(&self, now: Timestamp) -> Option<&'static str> {
        let shift = self.shifts.iter().find(|shift| shift.id == self.signup.shift)?;
        let goes_on =
            self.signup.is_confirmed() && is_awaited(shift.occupancy) && shift.is_before_cutoff(now);
        goes_on.then_some("The place goes to the first person on the waiting list.")
    }
}

/// Returns whether a place that comes free goes to a person who waits. An over-full shift stays full.
const fn is_awaited(occupancy: Occupancy) -> bool {
    occupancy.waitlisted > 0 && occupancy.filled <= occupancy.capacity.volunteers()
}
