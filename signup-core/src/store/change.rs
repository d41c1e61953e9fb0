//! What a store is asked to do, as data: what has to hold, what to write, and what was found instead.

use jiff::Timestamp;

use crate::event::Event;
use crate::id::{EventId, NoticeId, OrganizationId, ShiftId, SignupId, TokenId};
use crate::notice::Notice;
use crate::organization::Organization;
use crate::plan::Plan;
use crate::question::Question;
use crate::receipt::{Receipt, ReceiptKey};
use crate::secret::Digest;
use crate::shift::Shift;
use crate::signup::Signup;
use crate::text::{EmailAddress, LocationData};
use crate::token::Token;

/// A decision: what it relied on, and what follows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChangeSet {
    /// The facts that must still hold, checked in this order.
    pub requires: Vec<Requirement>,
    /// What to write, in this order.
    pub writes: Vec<Write>,
}

/// A fact that a decision relied on.
///
/// What many contend for (a place, an active event) is a requirement of its own, checked and taken under one lock, so
/// that a thousand people at once never make each other try again.
#[derive(Debug, Clone, PartialEq)]
pub enum Requirement {
    /// There is no organization at all. Else [`Refusal::OrganizationExists`].
    NoOrganization,
    /// No organization has this slug. Else [`Refusal::SlugTaken`].
    OrganizationSlugFree(String),
    /// No event of any organization has this slug. Else [`Refusal::SlugTaken`].
    EventSlugFree(String),
    /// No receipt that is live at `now` has this key. Else [`Refusal::Receipt`].
    NoReceipt {
        /// The key.
        key: ReceiptKey,
        /// The time by which a receipt is live.
        now: Timestamp,
    },
    /// The shift is at this version. Else [`Refusal::ShiftChanged`].
    ShiftAtVersion {
        /// The owner.
        organization: OrganizationId,
        /// The shift.
        shift: ShiftId,
        /// The version that was read.
        version: u32,
    },
    /// The event has exactly this many questions. Else [`Refusal::QuestionsChanged`].
    QuestionCount {
        /// The owner.
        organization: OrganizationId,
        /// The event.
        event: EventId,
        /// The number that was read.
        count: u32,
    },
    /// Fewer than `limit` of the organization's events are [active](Event::is_active) at `now`. Else
    /// [`Refusal::ActiveEvents`].
    ActiveEventsBelow {
        /// The organization.
        organization: OrganizationId,
        /// How many are too many.
        limit: u32,
        /// The time by which an event is active.
        now: Timestamp,
    },
    /// The shift is there and `filled` is below its capacity. Else [`Refusal::ShiftFull`].
    ShiftHasRoom {
        /// The owner.
        organization: OrganizationId,
        /// The shift.
        shift: ShiftId,
    },
    /// No confirmed sign-up for the shift has this address. Else [`Refusal::AddressOnShift`].
    AddressNotOnShift {
        /// The owner.
        organization: OrganizationId,
        /// The shift.
        shift: ShiftId,
        /// The address, compared without case.
        email: EmailAddress,
    },
    /// The sign-up is confirmed. Else [`Refusal::SignupNotConfirmed`].
    SignupConfirmed {
        /// The owner.
        organization: OrganizationId,
        /// The sign-up.
        signup: SignupId,
    },
    /// The sign-up is confirmed and has this secret. Else [`Refusal::SignupChanged`].
    SignupHasSecret {
        /// The owner.
        organization: OrganizationId,
        /// The sign-up.
        signup: SignupId,
        /// The digest that was read.
        secret: Digest,
    },
    /// The notice is at this version. Else [`Refusal::NoticeChanged`].
    NoticeAtVersion {
        /// The owner.
        organization: OrganizationId,
        /// The notice.
        notice: NoticeId,
        /// The version that was read.
        version: u32,
    },
}

/// A requirement did not hold: the fact that was found in its place.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// There is an organization.
    OrganizationExists,
    /// The slug is another's.
    SlugTaken,
    /// The key has a live receipt: this one.
    Receipt(Box<Receipt>),
    /// The shift is at another version, or gone.
    ShiftChanged,
    /// The event has another number of questions.
    QuestionsChanged,
    /// The limit is reached.
    ActiveEvents {
        /// How many events are active.
        count: u32,
    },
    /// The shift has no room, or is gone.
    ShiftFull,
    /// The address is on the shift by this sign-up.
    AddressOnShift(Box<Signup>),
    /// The sign-up is cancelled, or gone.
    SignupNotConfirmed,
    /// The sign-up has another secret, is cancelled, or gone.
    SignupChanged,
    /// The notice is at another version, or gone.
    NoticeChanged,
}

/// One write of a change set.
#[derive(Debug, Clone, PartialEq)]
pub enum Write {
    /// A new organization.
    InsertOrganization(Organization),
    /// Another plan for an organization.
    SetPlan {
        /// The organization.
        organization: OrganizationId,
        /// Its plan from now on.
        plan: Plan,
    },
    /// A new token.
    InsertToken(Token),
    /// Revokes a token; one that is already revoked keeps its time.
    RevokeToken {
        /// The token.
        token: TokenId,
        /// Since when it is refused.
        at: Timestamp,
    },
    /// A new event.
    InsertEvent {
        /// The event.
        event: Box<Event>,
        /// What [`EventInFull::location_data`](crate::EventInFull::location_data) gives back.
        location_data: Option<LocationData>,
    },
    /// New shifts of an event that is there or comes earlier in the change set.
    InsertShifts(Vec<Shift>),
    /// New questions of an event that is there or comes earlier in the change set.
    InsertQuestions(Vec<Question>),
    /// Title, location, hours, capacity, version and `updated_at` of a shift that is there. Nothing else of it is
    /// written; `filled` least of all.
    UpdateShift(Box<Shift>),
    /// A new confirmed sign-up: adds 1 to the shift's `filled`.
    InsertSignup(Box<Signup>),
    /// Cancels a sign-up that is confirmed: takes 1 from the shift's `filled`.
    CancelSignup {
        /// The owner.
        organization: OrganizationId,
        /// The sign-up.
        signup: SignupId,
        /// When it was cancelled.
        at: Timestamp,
    },
    /// Another secret for a sign-up that is there, which is mailed.
    RenewSecret {
        /// The owner.
        organization: OrganizationId,
        /// The sign-up.
        signup: SignupId,
        /// The digest of the new secret.
        secret: Digest,
        /// When the mail was queued.
        at: Timestamp,
    },
    /// Removes a sign-up and its notices: a confirmed one takes 1 from the shift's `filled`.
    EraseSignup {
        /// The owner.
        organization: OrganizationId,
        /// The sign-up.
        signup: SignupId,
    },
    /// A receipt; one with the same key gives way to it. That it is no longer live is for [`Requirement::NoReceipt`] to see.
    InsertReceipt(Box<Receipt>),
    /// New notices about shifts that are there or come earlier in the change set.
    InsertNotices(Vec<Notice>),
    /// Cause, version, attempts, due time and failure of a notice that is there. Nothing else of it is written.
    UpdateNotice(Box<Notice>),
    /// Removes a notice.
    DeleteNotice {
        /// The owner.
        organization: OrganizationId,
        /// The notice.
        notice: NoticeId,
    },
}
