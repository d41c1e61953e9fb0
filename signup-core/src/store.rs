//! The contract of a store: reads, and one commit.
//!
//! A write is data, not code. The [service](crate::Service) reads, a pure rule decides, and the decision is a
//! [`ChangeSet`]: the facts that the decision relied on, and the writes. A store checks the facts again under its own
//! lock, and applies all of the change set or none of it. The store never learns the rule behind a fact.
//!
//! Because a change set is plain data, a store may queue change sets and commit them in batches. A store must not
//! answer before the change is durable.
//!
//! [`writing`] is the guide for authors of a store.
//!
//! **Invariants:** a store reads no clock and generates no id and no random number. Every read of events, shifts,
//! questions and sign-ups names the organization, and returns only its records. The exceptions are:
//!
//! - [`Store::event_owner`] returns only the owner.
//! - [`Store::event_by_slug`] and [`Store::signup_by_secret`]: the slug or the secret grants access.
//! - Notices are read for all organizations at once.

mod change;
mod error;
mod forward;
mod keys;
mod query;
pub mod writing;

use std::fmt;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};

pub use change::{ChangeSet, Refusal, Requirement, Write};
pub use error::{CommitError, StoreError, StoreErrorKind};
pub use forward::{Wrapped, Wrapper};
pub use keys::{Access, Key, Keys};
pub use query::{
    EventPage, EventQuery, Position, Side, SignupPage, SignupPosition, SignupQuery, SignupScope,
};

use crate::allowance::{RateKey, Window};
use crate::event::Event;
use crate::id::{EventId, NoticeId, OrganizationId, QuestionId, ShiftId, SignupId, TokenId};
use crate::notice::Notice;
use crate::organization::Organization;
use crate::question::Question;
use crate::receipt::{Receipt, ReceiptKey};
use crate::secret::Digest;
use crate::shift::Shift;
use crate::signup::{CancelledBy, Signup};
use crate::text::{EmailAddress, LocationData};
use crate::token::Token;

/// Keeps the records of the service: reads them, and commits changes to them.
///
/// A read that starts after a commit was acknowledged sees that commit. A deleted event counts as missing, and so do its
/// shifts, questions and sign-ups. A deleted shift counts as missing, and its sign-ups do not. Methods that read deleted
/// records say so. The suite under the feature `conformance` has a test for each promise of this trait. [Writing a
/// store](writing) explains how the parts fit together. The documentation of a store says which runtime its methods need.
///
/// # Errors
/// Every method fails only if the backend fails. A missing record is `None`, an empty list or a [`Refusal`].
#[async_trait]
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// Reads an organization.
    async fn organization(&self, id: OrganizationId) -> Result<Option<Organization>, StoreError>;

    /// Reads the organization with this slug.
    async fn organization_by_slug(&self, slug: &str) -> Result<Option<Organization>, StoreError>;

    /// Lists at most `limit` organizations with an id above `after`, by ascending id.
    async fn organizations(
        &self,
        after: Option<OrganizationId>,
        limit: u32,
    ) -> Result<Vec<Organization>, StoreError>;

    /// Reads the token with this digest and its organization. Expired and revoked tokens are returned, too.
    async fn token_by_digest(&self, digest: &Digest) -> Result<Option<(Token, Organization)>, StoreError>;

    /// Reads a token. Expired and revoked tokens are returned, too.
    async fn token(&self, id: TokenId) -> Result<Option<Token>, StoreError>;

    /// Lists all tokens of the organization by ascending id, expired and revoked ones included.
    async fn tokens(&self, organization: OrganizationId) -> Result<Vec<Token>, StoreError>;

    /// Reads the id of the organization that owns the event. Deleted events are included. Meant for operators.
    async fn event_owner(&self, id: EventId) -> Result<Option<OrganizationId>, StoreError>;

    /// Reads an event.
    async fn event(&self, organization: OrganizationId, id: EventId) -> Result<Option<Event>, StoreError>;

    /// Reads an event with its location data, its shifts in running order and its questions by position, in one
    /// snapshot: no commit is seen in part.
    async fn event_in_full(
        &self,
        organization: OrganizationId,
        id: EventId,
    ) -> Result<Option<EventInFull>, StoreError>;

    /// Lists the organization's events, latest start first, equal starts by descending id.
    ///
    /// Returns at most `query.limit` events: those nearest to `query.position` on its side, always in list order. The
    /// cost does not depend on how far down the list the page is. A walk from position to position returns every event
    /// that exists throughout exactly once, even if events are inserted meanwhile. The exception is an event that moves
    /// in the list, or leaves the filter, during the walk.
    ///
    /// A store may keep the start of an event for sorting. Then the order, the selection of the page and its positions
    /// all use the stored start, even where newer zone data would derive another start.
    async fn events(&self, organization: OrganizationId, query: &EventQuery)
    -> Result<EventPage, StoreError>;

    /// Lists at most `limit` deleted events of the organization with an id above `after`, by ascending id.
    async fn deleted_events(
        &self,
        organization: OrganizationId,
        after: Option<EventId>,
        limit: u32,
    ) -> Result<Vec<DeletedEvent>, StoreError>;

    /// Reads a deleted event.
    async fn deleted_event(
        &self,
        organization: OrganizationId,
        id: EventId,
    ) -> Result<Option<DeletedEvent>, StoreError>;

    /// Reads the event with this slug, of any organization, like [`event_in_full`](Self::event_in_full).
    async fn event_by_slug(&self, slug: &str) -> Result<Option<EventInFull>, StoreError>;

    /// Lists the event's shifts in [running order](Shift::order_key). Returns `None` if there is no such event.
    #[doc(alias = "slots")]
    async fn shifts(
        &self,
        organization: OrganizationId,
        event: EventId,
    ) -> Result<Option<Vec<Shift>>, StoreError>;

    /// Reads a shift.
    #[doc(alias = "slot")]
    async fn shift(&self, organization: OrganizationId, id: ShiftId) -> Result<Option<Shift>, StoreError>;

    /// Reads a shift with its event, in one snapshot.
    #[doc(alias = "slot_with_event")]
    async fn shift_with_event(
        &self,
        organization: OrganizationId,
        id: ShiftId,
    ) -> Result<Option<(Shift, Event)>, StoreError>;

    /// Lists the event's questions by position, equal positions by id. Returns `None` if there is no such event.
    async fn questions(
        &self,
        organization: OrganizationId,
        event: EventId,
    ) -> Result<Option<Vec<Question>>, StoreError>;

    /// Reads a question.
    async fn question(
        &self,
        organization: OrganizationId,
        id: QuestionId,
    ) -> Result<Option<Question>, StoreError>;

    /// Lists the organization's sign-ups that `query` selects, by descending id. The service makes ids that sort like the
    /// times of creation, so the newest sign-up is the first.
    ///
    /// Returns at most `query.limit` sign-ups: those nearest to `query.position` on its side, always in list order. The
    /// cost does not depend on how far down the list the page is. The list of a deleted shift has its sign-ups, too.
    async fn signup_page(
        &self,
        organization: OrganizationId,
        query: &SignupQuery,
    ) -> Result<SignupPage, StoreError>;

    /// Lists the event's sign-ups by ascending id, cancelled ones included. Returns at most `limit` with an id above
    /// `after`.
    async fn signups(
        &self,
        organization: OrganizationId,
        event: EventId,
        after: Option<SignupId>,
        limit: u32,
    ) -> Result<Vec<Signup>, StoreError>;

    /// Lists the sign-ups in `scope` that `by` cancelled, by ascending id. Returns at most `limit` with an id above
    /// `after`. Sign-ups of deleted events and shifts are included.
    async fn signups_cancelled_by(
        &self,
        organization: OrganizationId,
        scope: SignupScope,
        by: CancelledBy,
        after: Option<SignupId>,
        limit: u32,
    ) -> Result<Vec<Signup>, StoreError>;

    /// Reads a sign-up with everything that a mail about it shows, in one snapshot. Sign-ups of deleted events and shifts
    /// are included.
    async fn signup_in_full(
        &self,
        organization: OrganizationId,
        id: SignupId,
    ) -> Result<Option<SignupInFull>, StoreError>;

    /// Reads a sign-up, confirmed or cancelled.
    async fn signup(&self, organization: OrganizationId, id: SignupId) -> Result<Option<Signup>, StoreError>;

    /// Lists the shift's confirmed sign-ups by ascending id. Returns at most `limit` with an id above `after`. Those of
    /// deleted events and shifts are included.
    async fn confirmed_signups(
        &self,
        organization: OrganizationId,
        shift: ShiftId,
        after: Option<SignupId>,
        limit: u32,
    ) -> Result<Vec<Signup>, StoreError>;

    /// Lists at most `limit` sign-ups of the address for all shifts of the organization, by ascending id. Cancelled ones
    /// and those of deleted events are included. Addresses are compared without case.
    async fn signups_of_address(
        &self,
        organization: OrganizationId,
        email: &EmailAddress,
        limit: u32,
    ) -> Result<Vec<Signup>, StoreError>;

    /// Reads the sign-up with this secret, confirmed or cancelled, of any organization.
    async fn signup_by_secret(&self, secret: &Digest) -> Result<Option<Signup>, StoreError>;

    /// Reads the receipt with this key, if it is live at `now`.
    async fn receipt(&self, key: &ReceiptKey, now: Timestamp) -> Result<Option<Receipt>, StoreError>;

    /// Lists at most `limit` notices with an id above `after`, by ascending id. Lists failed notices if `have_failed`,
    /// else queued ones.
    async fn notices(
        &self,
        have_failed: bool,
        after: Option<NoticeId>,
        limit: u32,
    ) -> Result<Vec<Notice>, StoreError>;

    /// Reads a notice, of any organization.
    async fn notice(&self, id: NoticeId) -> Result<Option<Notice>, StoreError>;

    /// Lists at most `limit` queued notices that are due at or before `now`, or after `latest`. Sorts them by due time,
    /// equal ones by id.
    ///
    /// `latest` is at or after `now`. A due time after `latest` was set by a clock that was ahead. A notice that cannot
    /// be decoded is skipped and does not count towards `limit`, so it delays no other notice. The store logs such a
    /// notice once.
    async fn due_notices(
        &self,
        now: Timestamp,
        latest: Timestamp,
        limit: u32,
    ) -> Result<Vec<Notice>, StoreError>;

    /// Counts the queued notices and the failed notices.
    async fn count_notices(&self) -> Result<NoticeCounts, StoreError>;

    /// Applies the whole change set or none of it. The change is durable when this method returns.
    ///
    /// Requirements are checked in their order; the first that does not hold refuses the change set. No other commit
    /// happens between the checks and the writes. An update of a missing record changes nothing. Inserting a record
    /// whose parent is missing is a bug of the caller, and a store may fail. A receipt has no parent: its token may be
    /// [`TokenId::NONE`].
    ///
    /// # Errors
    /// Returns [`CommitError::Refused`] if a requirement does not hold; nothing was written. Returns
    /// [`CommitError::Failed`] if the backend failed. It is then *unknown* whether the change set was applied. If the
    /// change set has a receipt, a later read of the receipt shows this.
    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError>;

    /// Removes at most `limit` receipts that have expired at `now`, oldest expiry first, equal ones in the order of
    /// [`ReceiptKey`]. Returns how many were removed.
    ///
    /// The caller repeats the call while the result is `limit`. A small limit keeps the wait of other writers short.
    async fn purge_receipts(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError>;

    /// Removes at most `limit` records that were deleted at or before `until`: of each deleted event, the event and its
    /// shifts, questions, sign-ups and notices; and each deleted shift that no sign-up or notice refers to. Returns how
    /// many records were removed.
    ///
    /// A record is removed before the record that it refers to. The caller repeats the call while the result is `limit`.
    async fn purge_deleted(&self, until: Timestamp, limit: u32) -> Result<u64, StoreError>;

    /// Returns the counter of requests that all processes on this store share.
    ///
    /// `None` means that the store belongs to one process, which counts its own requests. A wrapper around a store must
    /// return the counter of that store; otherwise each process would grant the whole rate limit.
    fn request_counter(&self) -> Option<&dyn RequestCounter>;

    /// Checks that the store answers and accepts commits.
    ///
    /// # Errors
    /// Returns the reason if the store does not answer or accepts no commits.
    async fn check(&self) -> Result<(), StoreError>;
}

/// Counts requests for all processes that share a store, so that a rate limit applies to all of them together.
///
/// # Errors
/// Every method fails only if the backend fails.
#[async_trait]
pub trait RequestCounter: fmt::Debug + Send + Sync + 'static {
    /// Counts a request under `key` at `now`, and returns its window with the request included.
    ///
    /// The window is the [open](Window::is_open) one of the key, or a new one that starts with this request.
    /// Simultaneous requests get different counts. Windows may be lost when the store crashes.
    async fn count_request(&self, key: RateKey, now: Timestamp) -> Result<Window, StoreError>;

    /// Removes at most `limit` windows that have ended at `now`, and returns how many were removed.
    ///
    /// The caller repeats the call, as for [`Store::purge_receipts`].
    async fn purge_windows(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError>;
}

/// An event with everything that a duplicate copies.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EventInFull {
    /// The event.
    pub event: Event,
    /// Data about the place. A duplicate copies this data, and no handle of the service returns it. The data can be 16
    /// KiB long, so lists and reads of a single event leave it out.
    pub location_data: Option<LocationData>,
    /// The shifts in running order.
    pub shifts: Vec<Shift>,
    /// The questions by position, equal positions by id.
    pub questions: Vec<Question>,
}

impl EventInFull {
    /// Creates the event with its shifts in running order and its questions by position, without location data.
    pub const fn new(event: Event, shifts: Vec<Shift>, questions: Vec<Question>) -> Self {
        Self { event, location_data: None, shifts, questions }
    }
}

/// A sign-up with the records that it refers to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SignupInFull {
    /// The organization of the event.
    pub organization: Organization,
    /// The event.
    pub event: Event,
    /// Whether the event is deleted.
    pub is_event_deleted: bool,
    /// The shift, deleted or not.
    pub shift: Shift,
    /// When the shift was deleted; `None` if it is not deleted.
    pub shift_deleted_at: Option<Timestamp>,
    /// The sign-up.
    pub signup: Signup,
}

impl SignupInFull {
    /// Creates a sign-up of an event and a shift that are not deleted.
    pub const fn new(organization: Organization, event: Event, shift: Shift, signup: Signup) -> Self {
        Self { organization, event, is_event_deleted: false, shift, shift_deleted_at: None, signup }
    }
}

/// A deleted event that is not purged yet.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DeletedEvent {
    /// The event.
    pub event: Event,
    /// When the event was deleted.
    pub deleted_at: Timestamp,
}

impl DeletedEvent {
    /// How long a deleted record is kept: 30 days.
    pub const RETENTION: SignedDuration = SignedDuration::from_hours(30 * 24);

    /// Creates a deleted event.
    pub const fn new(event: Event, deleted_at: Timestamp) -> Self {
        Self { event, deleted_at }
    }
}

/// The numbers of notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoticeCounts {
    /// Notices that are yet to be delivered.
    pub queued: u64,
    /// Failed notices.
    pub failed: u64,
}
