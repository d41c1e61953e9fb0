//! The operations of the model test.

use crate::SignupStatus;

/// One operation. Numbers select records from small ranges.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// Creates an event with shifts, optionally with a key and a limit of active events.
    Create {
        /// The owner.
        organization: u32,
        /// The start, in days after 2027-06-01.
        day: u32,
        /// Whether the event is published.
        is_published: bool,
        /// The capacities of the shifts.
        capacities: Vec<u32>,
        /// Whether the event has a slug that other events can have, too.
        common_slug: bool,
        /// The key, and the life of its receipt in seconds.
        key: Option<(u8, u8)>,
        /// The limit of active events.
        limit: Option<u32>,
    },
    /// Edits a shift at a version.
    Edit {
        /// The organization that edits.
        organization: u32,
        /// The index of the shift.
        shift: u32,
        /// The version that is required.
        version: u32,
        /// The new capacity.
        capacity: u32,
        /// The new hours.
        hours: (u16, u16),
    },
    /// Updates an event.
    EditEvent {
        /// The organization that edits.
        organization: u32,
        /// The index of the event.
        event: u32,
        /// What is changed.
        edit: EventEdit,
        /// The version that is required, if any: the present one, or if true, another.
        check: Option<bool>,
        /// The limit of active events.
        limit: Option<u32>,
    },
    /// Deletes an event.
    DeleteEvent {
        /// The organization that deletes.
        organization: u32,
        /// The index of the event.
        event: u32,
        /// The version that is required, as for `EditEvent`.
        check: Option<bool>,
    },
    /// Restores an event.
    RestoreEvent {
        /// The organization that restores.
        organization: u32,
        /// The index of the event.
        event: u32,
        /// Whether the restored event is published.
        is_published: bool,
        /// Whether a deleted event is required.
        is_checked: bool,
    },
    /// Replaces or removes the location data of an event.
    SetLocationData {
        /// The organization that edits.
        organization: u32,
        /// The index of the event.
        event: u32,
        /// Whether there is new data.
        has_data: bool,
        /// The version that is required, as for `EditEvent`.
        check: Option<bool>,
    },
    /// Adds a shift to an event.
    AddShift {
        /// The index of the event.
        event: u32,
        /// The capacity.
        capacity: u32,
        /// The version that is required, as for `EditEvent`.
        check: Option<bool>,
    },
    /// Closes a shift, or deletes the shift, or both.
    DeleteShift {
        /// The organization that deletes.
        organization: u32,
        /// The index of the shift.
        shift: u32,
        /// Whether a shift without sign-ups is required.
        is_empty: bool,
        /// Whether the shift is closed.
        closes: bool,
        /// Whether the shift is deleted.
        is_deleted: bool,
    },
    /// Signs up for a shift.
    SignUp {
        /// The organization in which the address is looked up.
        organization: u32,
        /// The index of the shift.
        shift: u32,
        /// The number in the e-mail address of the volunteer.
        person: u32,
        /// Whether the address is in upper case.
        is_upper_case: bool,
    },
    /// Cancels a sign-up.
    Cancel {
        /// The organization that cancels.
        organization: u32,
        /// The index of the sign-up.
        signup: u32,
        /// Whether a confirmed sign-up is required.
        is_checked: bool,
    },
    /// Renews the secret of a sign-up, or erases the sign-up.
    Change {
        /// The index of the sign-up.
        signup: u32,
        /// Whether the first secret is required, or the renewed one.
        is_first: bool,
        /// Whether the sign-up is erased.
        is_erased: bool,
    },
    /// Changes the first notice.
    Deliver {
        /// The version that is required.
        version: u32,
        /// 0: removes the notice. 1: claims the notice. 2: fails an attempt. 3: fails the notice.
        action: u8,
    },
    /// Adds a question.
    Ask {
        /// The index of the event.
        event: u32,
        /// The version of the event that is required, as for `EditEvent`.
        check: Option<bool>,
        /// The position, which several questions can have.
        position: u32,
    },
    /// Updates or deletes a question.
    EditQuestion {
        /// The organization that edits.
        organization: u32,
        /// The index of the question.
        question: u32,
        /// What is changed.
        edit: QuestionEdit,
        /// Whether a question without answers is required.
        is_unanswered: bool,
    },
    /// Creates or revokes a token.
    Token {
        /// The owner.
        organization: u32,
        /// The number of the token to revoke.
        number: u32,
        /// Whether to revoke a token.
        is_revoked: bool,
    },
    /// Sets the plan of an organization: free or pro.
    Plan(u32, bool),
    /// Advances the time by some seconds.
    Wait(u8),
    /// Purges receipts, up to a limit.
    Purge(u32),
    /// Purges deleted records, in portions up to a limit.
    PurgeDeleted {
        /// How long ago the records were deleted, in seconds.
        age: u8,
        /// The most records of a portion.
        limit: u32,
    },
    /// Reads a page of events.
    Page(Page),
    /// Reads a page of sign-ups.
    SignupPage(SignupList),
}

/// A change of an event.
#[derive(Debug, Clone)]
pub(super) enum EventEdit {
    /// Changes texts.
    Title,
    /// Sets whether the event takes place online.
    Virtual(bool),
    /// Publishes or unpublishes.
    Publish(bool),
    /// Moves the event.
    Move {
        /// The start, in days after 2027-06-01.
        day: u32,
        /// The number of days from the first to the last.
        days: u32,
        /// The time zone.
        zone: &'static str,
    },
    /// Cancels the event and its sign-ups.
    Cancel,
}

/// A change of a question.
#[derive(Debug, Clone, Copy)]
pub(super) enum QuestionEdit {
    /// Changes the label and the position.
    Move(u32),
    /// Removes the question.
    Delete,
}

/// A page of events.
#[derive(Debug, Clone)]
pub(super) struct Page {
    /// The owner.
    pub(super) organization: u32,
    /// The index of the event beside which the page lies, and whether the page is above that event.
    pub(super) beside: Option<(u32, bool)>,
    /// The filter.
    pub(super) is_published: Option<bool>,
    /// The page size.
    pub(super) limit: u32,
}

/// A page of a list of sign-ups.
#[derive(Debug, Clone)]
pub(super) struct SignupList {
    /// The owner.
    pub(super) organization: u32,
    /// The list.
    pub(super) scope: Scope,
    /// The status of the listed sign-ups.
    pub(super) status: Option<SignupStatus>,
    /// The number in the address of the listed sign-ups.
    pub(super) person: Option<u32>,
    /// The index of the sign-up beside which the page lies, and whether the page is above that sign-up.
    pub(super) beside: Option<(u32, bool)>,
    /// The page size.
    pub(super) limit: u32,
}

/// The sign-ups of an organization, of the event at an index, or of the shift at an index.
#[derive(Debug, Clone, Copy)]
pub(super) enum Scope {
    Organization,
    Event(u32),
    Shift(u32),
}
