//! News: what one address has to hear about its places at one event.

use jiff::Timestamp;

use crate::event::Event;
use crate::organization::Organization;
use crate::shift::ScheduledShift;
use crate::signup::{Signup, Told};
use crate::text::EmailAddress;
use crate::time_and_place::TimeAndPlace;

/// The mail to one address about its places at one event.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct News {
    /// The organization of the event.
    pub organization: Organization,
    /// The event.
    pub event: Event,
    /// The address.
    pub email: EmailAddress,
    /// What is news, and what the address has besides, in running order; at least one. All are of the same address.
    pub places: Vec<PlaceNews>,
    /// Whether the volunteer asked for the mail, by signing up again. If nothing changed, and nobody asked, the mail corrects an
    /// earlier one, which may have told of a change that was undone.
    pub is_asked: bool,
}

/// A sign-up in the mail to its address.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PlaceNews {
    /// The shift.
    pub shift: ScheduledShift,
    /// The sign-up. [`Signup::told`] is what the address was told before this mail.
    pub signup: Signup,
    /// When and where the shift is.
    pub at: TimeAndPlace,
    /// What is new.
    pub change: PlaceChange,
    /// The `SEQUENCE` of the calendar entry: the number of earlier mails that had it, and of those that may have.
    pub sequence: u32,
    /// The place in the line of a sign-up that waits, from 1.
    pub place_in_line: Option<u32>,
}

/// What is new about a place.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlaceChange {
    /// The place was taken.
    New,
    /// The volunteer joined the waiting list.
    Waiting,
    /// The volunteer waited, and has a place now.
    Promoted,
    /// The time or the place of the shift changed, or the organizer has moved the sign-up to [another shift](Signup::is_moved).
    Moved {
        /// What the address was told before.
        before: TimeAndPlace,
    },
    /// The sign-up was cancelled. [`Signup::cancelled_by`] says by what, and [`Signup::cancellation_reason`] why.
    Cancelled,
    /// Nothing, but the shift is soon: the address has the place, and is reminded of it.
    Reminder,
    /// Nothing: the address has the place, as it was told.
    Unchanged,
}

impl News {
    /// Creates the mail to an address, for tests of a program's mail texts.
    pub const fn new(
        organization: Organization,
        event: Event,
        email: EmailAddress,
        places: Vec<PlaceNews>,
    ) -> Self {
        Self { organization, event, email, places, is_asked: false }
    }

    /// Returns whether the mail only reminds: nothing else is new about any place. A volunteer can turn such mails off.
    pub fn is_only_reminder(&self) -> bool {
        let is_reminder = |place: &PlaceNews| place.change == PlaceChange::Reminder;
        let is_unchanged = |place: &PlaceNews| place.change == PlaceChange::Unchanged;
        let is_no_news = self.places.iter().all(|place| is_reminder(place) || is_unchanged(place));
        is_no_news && self.places.iter().any(is_reminder)
    }
}

impl PlaceNews {
    /// Creates the part of a mail about one sign-up.
    pub const fn new(
        shift: ScheduledShift,
        signup: Signup,
        at: TimeAndPlace,
        change: PlaceChange,
        sequence: u32,
    ) -> Self {
        Self { shift, signup, at, change, sequence, place_in_line: None }
    }

    /// Returns what the address was told once the mail was sent at `sent_at`. The clock of this process may be behind that of the
    /// process that sent the last mail: a reminder that was sent stays so.
    pub(crate) fn told(&self, sent_at: Timestamp) -> Told {
        let (status, sequence) = (Some(self.signup.status()), self.sequence + 1);
        let sent_at = self.signup.told.sent_at.max(Some(sent_at));
        let (at, title, announced) = (self.at.clone(), self.shift.title.clone(), self.shift.announced);
        Told { status, shift: self.shift.id, title, at, announced, sequence, sent_at }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::records::{self, at};

    #[test]
    fn a_clock_that_is_behind_does_not_make_an_earlier_mail_older() {
        let event = records::event(1, 1);
        let shift = ScheduledShift::of(records::shift(&event, 1, 5), &event);
        for (last, sent_at, expected) in [(None, 5, 5), (Some(4), 5, 5), (Some(6), 5, 6)] {
            let mut signup = records::signup(&shift, 3);
            signup.told.sent_at = last.map(at);
            let place = TimeAndPlace::of(&shift, &event);
            let place = PlaceNews::new(shift.clone(), signup, place, PlaceChange::Unchanged, 0);
            assert_eq!(place.told(at(sent_at)).sent_at, Some(at(expected)));
        }
    }
}
