//! Change sets: requirements and writes as plain data, and the refusal of a commit.

use jiff::Timestamp;

use crate::event::Event;
use crate::id::{EventId, NoticeId, OrganizationId, QuestionId, ShiftId, SignupId, TokenId};
use crate::notice::Notice;
use crate::organization::Organization;
use crate::plan::Plan;
use crate::question::Question;
use crate::receipt::{Receipt, ReceiptKey};
use crate::secret::Digest;
use crate::shift::Shift;
use crate::signup::{CancelledBy, Signup};
use crate::text::{EmailAddress, LocationData};
use crate::token::Token;

/// A decision as data: the facts that the decision relied on, and the writes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChangeSet {
    /// The facts that must still hold, checked in this order.
    pub requires: Vec<Requirement>,
    /// The writes, applied in this order.
    pub writes: Vec<Write>,
}

/// A fact that a decision relied on.
///
/// Contended facts (room on a shift, active events below a limit) are requirements of their own. A store checks and
/// changes each under one lock, so simultaneous requests do not force each other to retry.
///
/// A requirement that names an organization sees only its records: a record of another organization counts as missing.
/// A requirement on a missing record does not hold. The exceptions are [`AddressNotOnShift`](Self::AddressNotOnShift),
/// [`QuestionUnanswered`](Self::QuestionUnanswered), [`ShiftsAreEmpty`](Self::ShiftsAreEmpty) and
/// [`ActiveEventsBelow`](Self::ActiveEventsBelow). They count sign-ups and events. A missing shift or event has no sign-ups,
/// and a missing organization has no events.
///
/// A deleted event or shift counts as missing, except for [`ShiftsAreEmpty`](Self::ShiftsAreEmpty). A requirement on a
/// shift or a sign-up does not check whether the event is deleted, and one on a sign-up does not check whether the shift is
/// deleted. [`EventAtVersion`](Self::EventAtVersion) and [`ShiftAtVersion`](Self::ShiftAtVersion) check this.
///
/// The enum is exhaustive on purpose: a store that does not know a new requirement must not compile.
#[derive(Debug, Clone, PartialEq)]
pub enum Requirement {
    /// No organization exists. Refused with [`Refusal::OrganizationExists`].
    NoOrganization,
    /// No organization has this slug. Refused with [`Refusal::SlugTaken`].
    OrganizationSlugFree(String),
    /// No event of any organization has this slug. Refused with [`Refusal::SlugTaken`].
    EventSlugFree(String),
    /// No receipt that is live at `now` has this key. Refused with [`Refusal::Receipt`].
    NoReceipt {
        /// The key.
        key: ReceiptKey,
        /// The time at which a receipt counts as live or expired.
        now: Timestamp,
    },
    /// The shift exists and is at this version. Refused with [`Refusal::ShiftChanged`].
    ShiftAtVersion {
        /// The owner.
        organization: OrganizationId,
        /// The shift.
        shift: ShiftId,
        /// The version that was read.
        version: u32,
    },
    /// The event exists, is not deleted and is at this version. Refused with [`Refusal::EventChanged`].
    EventAtVersion {
        /// The owner.
        organization: OrganizationId,
        /// The event.
        event: EventId,
        /// The version that was read.
        version: u32,
    },
    /// The event is deleted, is not purged yet, and is at this version. Refused with [`Refusal::EventChanged`].
    EventDeleted {
        /// The owner.
        organization: OrganizationId,
        /// The event.
        event: EventId,
        /// The version that was read.
        version: u32,
    },
    /// No sign-up of the event, confirmed or cancelled, has an answer to the question. Refused with
    /// [`Refusal::QuestionAnswered`]. Holds if the event or the question is missing.
    QuestionUnanswered {
        /// The owner.
        organization: OrganizationId,
        /// The event of the question.
        event: EventId,
        /// The question.
        question: QuestionId,
    },
    /// Fewer than `limit` of the organization's events are [active](Event::is_active) at `now`. Refused with
    /// [`Refusal::ActiveEvents`].
    ActiveEventsBelow {
        /// The organization.
        organization: OrganizationId,
        /// The number of active events at which the requirement fails.
        limit: u32,
        /// The time at which an event counts as active or not.
        now: Timestamp,
    },
    /// None of these shifts of the event has a confirmed sign-up. Refused with [`Refusal::ShiftHasSignups`].
    ///
    /// A shift of another event counts as missing, and a missing shift has no sign-ups. A deleted shift counts like any other.
    ShiftsAreEmpty {
        /// The owner.
        organization: OrganizationId,
        /// The event of the shifts.
        event: EventId,
        /// The shifts.
        shifts: Vec<ShiftId>,
    },
    /// The shift exists, is open, and its `filled` is below its capacity. Refused with [`Refusal::ShiftFull`].
    ShiftHasRoom {
        /// The owner.
        organization: OrganizationId,
        /// The shift.
        shift: ShiftId,
    },
    /// No confirmed sign-up for the shift has this address. Refused with [`Refusal::AddressOnShift`]. Holds if the
    /// shift is missing.
    AddressNotOnShift {
        /// The owner.
        organization: OrganizationId,
        /// The shift.
        shift: ShiftId,
        /// The address, compared without case.
        email: EmailAddress,
    },
    /// The sign-up exists and is confirmed. Refused with [`Refusal::SignupNotConfirmed`].
    SignupConfirmed {
        /// The owner.
        organization: OrganizationId,
        /// The shift of the sign-up. A sign-up never changes its shift.
        shift: ShiftId,
        /// The sign-up.
        signup: SignupId,
    },
    /// The sign-up exists, is confirmed and has this secret. Refused with [`Refusal::SignupChanged`].
    SignupHasSecret {
        /// The owner.
        organization: OrganizationId,
        /// The shift of the sign-up. A sign-up never changes its shift.
        shift: ShiftId,
        /// The sign-up.
        signup: SignupId,
        /// The digest that was read.
        secret: Digest,
    },
    /// The notice exists and is at this version. Refused with [`Refusal::NoticeChanged`].
    NoticeAtVersion {
        /// The owner.
        organization: OrganizationId,
        /// The notice.
        notice: NoticeId,
        /// The version that was read.
        version: u32,
    },
}

/// The requirement that did not hold, with the fact that the store found instead.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// An organization exists.
    OrganizationExists,
    /// Another record has the slug.
    SlugTaken,
    /// The key has this live receipt.
    Receipt(Box<Receipt>),
    /// The shift is at another version, or missing.
    ShiftChanged,
    /// The event is at another version, deleted, or missing. For [`Requirement::EventDeleted`]: not deleted, or missing.
    EventChanged,
    /// A sign-up has an answer to the question.
    QuestionAnswered,
    /// At least one of the shifts has a confirmed sign-up.
    ShiftHasSignups,
    /// The limit of active events is reached.
    ActiveEvents {
        /// The number of active events.
        count: u32,
    },
    /// The shift has no room, or is missing.
    ShiftFull,
    /// The address has this confirmed sign-up for the shift.
    AddressOnShift(Box<Signup>),
    /// The sign-up is cancelled, or missing.
    SignupNotConfirmed,
    /// The sign-up has another secret, is cancelled, or missing.
    SignupChanged,
    /// The notice is at another version, or missing.
    NoticeChanged,
}

/// One write of a change set.
///
/// An update of a missing record changes nothing. A deleted event or shift counts as missing for its own update. Writes to
/// the shifts, questions and sign-ups of a deleted event, and to the sign-ups for a deleted shift, have their effect.
///
/// The enum is exhaustive on purpose: a store that does not know a new write must not compile.
#[derive(Debug, Clone, PartialEq)]
pub enum Write {
    /// Inserts an organization.
    InsertOrganization(Organization),
    /// Changes the plan of an organization.
    SetPlan {
        /// The organization.
        organization: OrganizationId,
        /// The new plan.
        plan: Plan,
    },
    /// Inserts a token.
    InsertToken(Token),
    /// Revokes a token. A token that is already revoked keeps its first time of revocation.
    RevokeToken {
        /// The token.
        token: TokenId,
        /// When the token was revoked.
        at: Timestamp,
    },
    /// Inserts an event.
    InsertEvent {
        /// The event.
        event: Box<Event>,
        /// The location data of the event. Only reads that return an [`EventInFull`](crate::EventInFull) return this
        /// data.
        location_data: Option<LocationData>,
    },
    /// Updates every field of an event except id, organization, slug and `created_at`. Location data stays as it is.
    UpdateEvent {
        /// The event.
        event: Box<Event>,
        /// Whether the update can change [`Event::is_active`] at any time: it changes `is_published`, `cancelled_at` or
        /// the days. An update without this mark does not touch the total of active events.
        may_change_activity: bool,
    },
    /// Replaces the location data of an event.
    SetLocationData {
        /// The owner.
        organization: OrganizationId,
        /// The event.
        event: EventId,
        /// The new data, or `None` to remove it.
        location_data: Option<LocationData>,
    },
    /// Deletes an event: every read omits it, its shifts, its questions and its sign-ups, except the methods of
    /// [`Store`](crate::Store) whose documentation includes them. An event that is already deleted keeps its first time of
    /// deletion. The records stay until [`Store::purge_deleted`](crate::Store::purge_deleted). The slug stays in use.
    DeleteEvent {
        /// The owner.
        organization: OrganizationId,
        /// The event.
        event: EventId,
        /// When it was deleted.
        at: Timestamp,
    },
    /// Updates an event like [`UpdateEvent`](Self::UpdateEvent), and undoes its deletion, if it is deleted.
    RestoreEvent(Box<Event>),
    /// Inserts shifts of an event that exists or is inserted earlier in the change set.
    InsertShifts(Vec<Shift>),
    /// Inserts questions of an event that exists or is inserted earlier in the change set.
    InsertQuestions(Vec<Question>),
    /// Updates label, kind, options, required and position of a question.
    UpdateQuestion(Question),
    /// Removes a question. Answers to it stay.
    DeleteQuestion {
        /// The owner.
        organization: OrganizationId,
        /// The event of the question. A question never changes its event.
        event: EventId,
        /// The question.
        question: QuestionId,
    },
    /// Updates title, location, hours, capacity, version and `updated_at` of a shift. Every other field stays
    /// unchanged, `filled` in particular.
    UpdateShift(Box<Shift>),
    /// Deletes a shift: every read omits it, except [`Store::signup_in_full`](crate::Store::signup_in_full). Its sign-ups
    /// stay. A shift that is already deleted keeps its first time of deletion.
    DeleteShift {
        /// The owner.
        organization: OrganizationId,
        /// The shift.
        shift: ShiftId,
        /// When it was deleted.
        at: Timestamp,
    },
    /// Inserts a confirmed sign-up and adds 1 to the shift's `filled`.
    InsertSignup(Box<Signup>),
    /// Cancels a confirmed sign-up and subtracts 1 from the shift's `filled`. A sign-up that is already cancelled stays
    /// unchanged.
    CancelSignup {
        /// The owner.
        organization: OrganizationId,
        /// The shift of the sign-up. A sign-up never changes its shift.
        shift: ShiftId,
        /// The sign-up.
        signup: SignupId,
        /// When it was cancelled.
        at: Timestamp,
        /// What cancelled it.
        by: CancelledBy,
    },
    /// Closes a shift: cancels every confirmed sign-up for it, and sets `filled` to 0. A closed shift stays closed, and has no
    /// room. So a change set that inserts a sign-up requires [`ShiftHasRoom`](Requirement::ShiftHasRoom), unless the shift
    /// is known to be open.
    ///
    /// The cost of this write does not depend on the number of sign-ups, so it does not delay other change sets. A store on a
    /// disk records the closing in the shift, and derives the status of each sign-up.
    CloseShift {
        /// The owner.
        organization: OrganizationId,
        /// The shift.
        shift: ShiftId,
        /// When the sign-ups were cancelled.
        at: Timestamp,
        /// What cancelled the sign-ups.
        by: CancelledBy,
    },
    /// Replaces the secret of a sign-up, and sets its `mailed_at` to `at`.
    RenewSecret {
        /// The owner.
        organization: OrganizationId,
        /// The shift of the sign-up. A sign-up never changes its shift.
        shift: ShiftId,
        /// The sign-up.
        signup: SignupId,
        /// The digest of the new secret.
        secret: Digest,
        /// When the mail was queued.
        at: Timestamp,
    },
    /// Removes a sign-up and its notices. If the sign-up was confirmed, subtracts 1 from the shift's `filled`. If the
    /// sign-up is missing, only removes the notices about it.
    EraseSignup {
        /// The owner.
        organization: OrganizationId,
        /// The event of the sign-up. A sign-up never changes its event.
        event: EventId,
        /// The shift of the sign-up. A sign-up never changes its shift.
        shift: ShiftId,
        /// The sign-up.
        signup: SignupId,
    },
    /// Inserts a receipt, or replaces the receipt with the same key. [`Requirement::NoReceipt`] protects a live
    /// receipt.
    InsertReceipt(Box<Receipt>),
    /// Inserts notices about shifts that exist or are inserted earlier in the change set.
    InsertNotices(Vec<Notice>),
    /// Updates cause, version, attempts, due time and failure of a notice. Every other field stays unchanged.
    UpdateNotice(Box<Notice>),
    /// Removes a notice.
    DeleteNotice {
        /// The owner.
        organization: OrganizationId,
        /// The notice.
        notice: NoticeId,
    },
}
