//! Sign-ups: the places of volunteers on shifts, and on the waiting lists of shifts.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::hours::Interval;
use crate::id::{EventId, OrganizationId, QuestionId, ShiftId, SignupId};
use crate::shift::{CancelledBy, Closing, ScheduledShift, Shift};
use crate::text::{
    AnswerText, CancellationReason, EmailAddress, Label, PersonName, Title, name_order, search_form, words,
};
use crate::text_form::names;
use crate::time_and_place::TimeAndPlace;

/// One person's place on one shift, or on its waiting list.
///
/// A person, by address and [name](PersonName::key), has at most one active sign-up for a shift, which is confirmed or waits.
/// Signing up after a cancellation creates a new record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Signup {
    /// The id.
    pub id: SignupId,
    /// The organization that owns the event.
    pub organization: OrganizationId,
    /// The event.
    pub event: EventId,
    /// The shift.
    #[doc(alias = "slot")]
    pub shift: ShiftId,
    /// The volunteer's name.
    pub name: PersonName,
    /// The volunteer's address.
    pub email: EmailAddress,
    /// What the address was told about the sign-up. A mail tells only what differs from this.
    pub told: Told,
    /// The volunteer's answers, in the order of the questions.
    pub answers: Vec<Answer>,
    /// Whether the sign-up is confirmed or waits, or when and by what it was cancelled.
    pub state: SignupState,
    /// Whether the volunteer came; `None` if nobody has marked it. Always `None` for a sign-up that is not confirmed.
    pub attendance: Option<Attendance>,
    /// When an organizer last marked the attendance, corrected the name or the address, or moved the sign-up to another shift;
    /// `None` if that never happened.
    pub changed_at: Option<Timestamp>,
    /// Whether the sign-up waited for a place at first, as far as its address knows: to a corrected address, a place is new.
    pub has_waited: bool,
    /// When the sign-up got a place after it [had waited](Self::has_waited) for one; `None` for any other sign-up.
    pub promoted_at: Option<Timestamp>,
    /// Why the organizer cancelled this one sign-up; `None` if they gave no reason, or something else cancelled it.
    pub reason: Option<CancellationReason>,
    /// Whether the organizer cancelled this one sign-up, and nobody is mailed about it.
    pub is_silent: bool,
    /// The version, from 1. Each change of the sign-up adds 1.
    pub version: u32,
    /// When the volunteer signed up.
    pub created_at: Timestamp,
    /// When the mail about a repeated sign-up was last queued; `None` if the volunteer has not signed up again.
    pub repeated_at: Option<Timestamp>,
}

/// What an address was told about a sign-up, by the last mail that had it. A mail that failed does not count.
///
/// Before the first mail, the time and the place are those that the form showed. Afterwards, only the
/// process that has claimed the recipient writes the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Told {
    /// The status; `None` before the first mail.
    pub status: Option<SignupStatus>,
    /// The shift. The sign-up has another one if the organizer has moved it since.
    #[doc(alias = "slot")]
    pub shift: ShiftId,
    /// The title of the shift.
    pub title: Title,
    /// When and where the shift is.
    pub at: TimeAndPlace,
    /// [`Shift::announced`] at that time.
    pub announced: u32,
    /// The number of mails that had the sign-up as a calendar entry: the `SEQUENCE` of the next one.
    pub sequence: u32,
    /// When the last mail was sent that had the sign-up; `None` before the first one.
    pub sent_at: Option<Timestamp>,
}

impl Told {
    /// Returns what a form shows before any mail: this shift, with its title, at this time and this place. The other fields are
    /// public and can be set afterwards.
    pub const fn new(shift: ShiftId, title: Title, at: TimeAndPlace) -> Self {
        Self { status: None, shift, title, at, announced: 0, sequence: 0, sent_at: None }
    }

    /// Returns what a form shows about a shift before any mail.
    pub fn by_form(shift: &ScheduledShift, event: &Event) -> Self {
        let at = TimeAndPlace::of(shift, event);
        Self { announced: shift.announced, ..Self::new(shift.id, shift.title.clone(), at) }
    }
}

/// The state of a sign-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SignupState {
    /// The sign-up holds a place.
    Confirmed,
    /// The sign-up waits for a place.
    Waitlisted,
    /// The sign-up has given its place back, or waits no longer.
    Cancelled {
        /// When the sign-up was cancelled.
        at: Timestamp,
        /// What cancelled the sign-up.
        by: CancelledBy,
    },
}

impl Signup {
    /// The minimum time between two mails about a repeated sign-up: 1 hour.
    pub const MAIL_AGAIN_AFTER: SignedDuration = SignedDuration::from_hours(1);
    /// The maximum number of active sign-ups, confirmed or waiting, that one address has for a shift.
    pub const MAX_PER_ADDRESS: u32 = 20;

    /// Creates the record of a confirmed sign-up. The tuple has the organization, the event and the shift. The other
    /// fields are public and can be set afterwards.
    pub const fn new(
        id: SignupId,
        (organization, event, shift): (OrganizationId, EventId, ShiftId),
        name: PersonName,
        email: EmailAddress,
        told: Told,
        created_at: Timestamp,
    ) -> Self {
        Self {
            id,
            organization,
            event,
            shift,
            name,
            email,
            told,
            answers: Vec::new(),
            state: SignupState::Confirmed,
            attendance: None,
            changed_at: None,
            has_waited: false,
            promoted_at: None,
            reason: None,
            is_silent: false,
            version: 1,
            created_at,
            repeated_at: None,
        }
    }

    /// Returns the lines in which a [`SearchText`](crate::SearchText) is looked for: the name, the address by its key and, if that
    /// differs, the address as it reads, and then each further word of them. They are in lower case and without accents. Each line
    /// comes after a line break, so that the beginning of a word is found after one.
    pub fn search_key(&self) -> String {
        let (name, key, readable) =
            (search_form(self.name.as_str()), self.email.key(), search_form(&self.email.readable_key()));
        let mut lines = format!("\n{name}\n{key}");
        if readable != key {
            lines += &format!("\n{readable}");
        }
        for word in words(&lines) {
            let line = format!("\n{word}");
            if !lines.contains(&line) {
                lines += &line;
            }
        }
        lines
    }

    /// Returns a key by which lists of people are sorted: by name in the root collation of Unicode, and equal names by id, so that
    /// the oldest sign-up comes first.
    pub fn order_key(&self) -> (Vec<u8>, SignupId) {
        (name_order(self.name.as_str()), self.id)
    }

    /// Returns whether the sign-up holds a place.
    pub const fn is_confirmed(&self) -> bool {
        matches!(self.state, SignupState::Confirmed)
    }

    /// Returns whether the sign-up waits for a place.
    pub const fn is_waitlisted(&self) -> bool {
        matches!(self.state, SignupState::Waitlisted)
    }

    /// Returns whether the sign-up holds a place or waits for one. Only an active sign-up can be cancelled.
    pub const fn is_active(&self) -> bool {
        !matches!(self.state, SignupState::Cancelled { .. })
    }

    /// Returns the state without the time and the cause of a cancellation.
    pub const fn status(&self) -> SignupStatus {
        match self.state {
            SignupState::Confirmed => SignupStatus::Confirmed,
            SignupState::Waitlisted => SignupStatus::Waitlisted,
            SignupState::Cancelled { .. } => SignupStatus::Cancelled,
        }
    }

    /// Returns when the sign-up was cancelled; `None` while it is active.
    pub const fn cancelled_at(&self) -> Option<Timestamp> {
        match self.state {
            SignupState::Confirmed | SignupState::Waitlisted => None,
            SignupState::Cancelled { at, .. } => Some(at),
        }
    }

    /// Returns what cancelled the sign-up; `None` while it is active.
    pub const fn cancelled_by(&self) -> Option<CancelledBy> {
        match self.state {
            SignupState::Confirmed | SignupState::Waitlisted => None,
            SignupState::Cancelled { by, .. } => Some(by),
        }
    }

    /// Returns the organizer's reason for the cancellation of the sign-up: for that of its `event`, for the deletion of its
    /// `shift`, or for that of this one sign-up. `None` if the volunteer cancelled it.
    pub fn cancellation_reason<'r>(
        &'r self,
        event: &'r Event,
        shift: &'r Shift,
    ) -> Option<&'r CancellationReason> {
        match self.cancelled_by()? {
            CancelledBy::EventCancellation => event.cancellation_reason.as_ref(),
            CancelledBy::ShiftDeletion => shift.closing.as_ref()?.reason.as_ref(),
            CancelledBy::Organizer => self.reason.as_ref(),
            CancelledBy::Volunteer => None,
        }
    }

    /// Returns whether the sign-up was cancelled without a mail: with its `shift`, or alone.
    pub fn is_cancelled_silently(&self, shift: &Shift) -> bool {
        match self.cancelled_by() {
            Some(CancelledBy::EventCancellation | CancelledBy::ShiftDeletion) => {
                shift.closing.as_ref().is_some_and(|closing| closing.is_silent)
            }
            Some(CancelledBy::Organizer) => self.is_silent,
            Some(CancelledBy::Volunteer) | None => false,
        }
    }

    /// Returns whether the sign-up waits or waited for a place, and never got one.
    pub const fn has_only_waited(&self) -> bool {
        self.has_waited && self.promoted_at.is_none()
    }

    /// Returns the sign-up as cancelled, without its attendance. A sign-up that is cancelled already stays unchanged.
    #[must_use]
    pub fn cancelled(self, at: Timestamp, by: CancelledBy) -> Self {
        match self.is_active() {
            true => Self { state: SignupState::Cancelled { at, by }, attendance: None, ..self },
            false => self,
        }
    }

    /// Returns a sign-up that waits as one that has got a place.
    #[must_use]
    pub fn promoted(self, at: Timestamp) -> Self {
        Self { state: SignupState::Confirmed, promoted_at: Some(at), version: self.version + 1, ..self }
    }

    /// Returns the sign-up as it is now that its shift is `shift`: cancelled if the shift is [closed](Shift::closing).
    #[must_use]
    pub fn of(self, shift: &Shift) -> Self {
        match shift.closing {
            Some(Closing { at, by, .. }) => self.cancelled(at, by),
            None => self,
        }
    }

    /// Returns when and where the shift of the sign-up is: at present, or as its volunteer was [told](Self::told) if the shift is
    /// deleted. A deleted shift does not move with its event.
    pub fn time_and_place(&self, shift: &ScheduledShift, event: &Event) -> TimeAndPlace {
        let is_gone = shift.deleted_at.is_some() && !self.is_moved();
        if is_gone { self.told.at.clone() } else { TimeAndPlace::of(shift, event) }
    }

    /// Returns whether the organizer has moved the sign-up to another shift since the address was told.
    pub fn is_moved(&self) -> bool {
        self.told.shift != self.shift
    }

    /// Returns what the address was told, if since then the organizer has moved the sign-up to another shift, or an announced
    /// change has moved the shift to the time and the place `at`.
    pub fn moved_from(&self, shift: &Shift, at: &TimeAndPlace) -> Option<&Told> {
        let Told { at: before, announced, .. } = &self.told;
        let is_changed = self.is_moved() || *announced != shift.announced && !before.is_same_as(at);
        is_changed.then_some(&self.told)
    }

    /// Returns when the sign-up last changed: when it was made, got a place after it had waited, had its attendance marked, was
    /// corrected or moved to another shift, or was cancelled.
    pub fn updated_at(&self) -> Timestamp {
        self.cancelled_at().max(self.changed_at).max(self.promoted_at).unwrap_or(self.created_at)
    }

    /// Returns how long the volunteer helped, if they attended: as long as `shift` lasts.
    pub fn time_helped(&self, shift: &ScheduledShift) -> Option<SignedDuration> {
        let Interval { start, end } = shift.interval();
        (self.attendance == Some(Attendance::Attended)).then(|| end.duration_since(start))
    }
}

/// Whether the volunteer of a confirmed sign-up came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Attendance {
    /// The volunteer came.
    Attended,
    /// The volunteer did not come.
    Absent,
}

names! {
    /// Every attendance.
    Attendance {
        Attended => "attended",
        Absent => "absent",
    }
}

/// The answer to a question, with the question's label at the time of sign-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Answer {
    /// The question.
    pub question_id: QuestionId,
    /// The question's label at the time of sign-up.
    pub label: Label,
    /// The text, the chosen option, or `yes` for a ticked checkbox.
    pub value: AnswerText,
}

impl Answer {
    /// Creates the answer to a question.
    pub const fn new(question_id: QuestionId, label: Label, value: AnswerText) -> Self {
        Self { question_id, label, value }
    }
}

/// The status of a sign-up, as a list filters by it: its [state](SignupState) without data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SignupStatus {
    /// The sign-up holds a place.
    Confirmed,
    /// The sign-up waits for a place.
    Waitlisted,
    /// The sign-up has given its place back, or waits no longer.
    Cancelled,
}

names! {
    /// Every status.
    SignupStatus {
        Confirmed => "confirmed",
        Waitlisted => "waitlisted",
        Cancelled => "cancelled",
    }
}
