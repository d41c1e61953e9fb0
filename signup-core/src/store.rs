//! What a store promises: reads, and one commit.
//!
//! A write is data, not code. The [service](crate::Service) reads, a pure rule decides, and the decision is a
//! [`ChangeSet`]: the facts it relied on, and what to write if they still hold. A store rechecks the facts under its own
//! lock and applies all of the change set or none of it; it never learns the rule behind a fact.
//!
//! Because a change set is plain data, a store may let it wait in a queue and commit many at once. What it must not do is
//! answer before the change is as durable as it ever gets.
//!
//! **Invariants:** no method takes or makes a time, an id or a random number of its own; every read of events, shifts,
//! questions and sign-ups names the organization and sees no other. The exceptions are [`Store::event_owner`], which gives
//! nothing but the owner; [`Store::event_by_slug`] and [`Store::signup_by_secret`], where the slug or the secret is the right
//! to see; and notices, which are read for all organizations at once.

mod change;
mod forward;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use thiserror::Error;

pub use change::{ChangeSet, Refusal, Requirement, Write};

use crate::allowance::{RateKey, Window};
use crate::event::Event;
use crate::id::{EventId, NoticeId, OrganizationId, ShiftId, SignupId, TokenId};
use crate::notice::Notice;
use crate::organization::Organization;
use crate::question::Question;
use crate::receipt::{Receipt, ReceiptKey};
use crate::secret::Digest;
use crate::shift::Shift;
use crate::signup::Signup;
use crate::text::{EmailAddress, LocationData};
use crate::token::Token;

/// Keeps the records.
///
/// Implementations are tested by the suite under the feature `conformance`, which has a test for each promise made here.
///
/// # Errors
/// Every method fails only if the backend does: what is not there is `None`, an empty list or a [`Refusal`]. A read that
/// started after a commit was acknowledged sees that commit.
#[async_trait]
pub trait Store: fmt::Debug + Send + Sync + 'static {
    /// The organization with this id.
    async fn organization(&self, id: OrganizationId) -> Result<Option<Organization>, StoreError>;

    /// The organization with this slug.
    async fn organization_by_slug(&self, slug: &str) -> Result<Option<Organization>, StoreError>;

    /// At most `limit` organizations whose id is above `after`, by id.
    async fn organizations(
        &self,
        after: Option<OrganizationId>,
        limit: u32,
    ) -> Result<Vec<Organization>, StoreError>;

    /// The token with this digest and its organization, whether the token is still valid or not.
    async fn token_by_digest(&self, digest: &Digest) -> Result<Option<(Token, Organization)>, StoreError>;

    /// The token with this id, whether it is still valid or not.
    async fn token(&self, id: TokenId) -> Result<Option<Token>, StoreError>;

    /// All tokens of the organization by id, those no longer valid too.
    async fn tokens(&self, organization: OrganizationId) -> Result<Vec<Token>, StoreError>;

    /// To which organization the event belongs. For those who manage the installation.
    async fn event_owner(&self, id: EventId) -> Result<Option<OrganizationId>, StoreError>;

    /// The event.
    async fn event(&self, organization: OrganizationId, id: EventId) -> Result<Option<Event>, StoreError>;

    /// The event with everything that belongs to its plan: shifts in running order, questions by position. All of one
    /// moment.
    async fn event_in_full(
        &self,
        organization: OrganizationId,
        id: EventId,
    ) -> Result<Option<EventInFull>, StoreError>;

    /// Lists the organization's events, latest start first, equal starts by descending id.
    ///
    /// Returns at most `query.limit` events next to `query.position` in its direction, always in list order. The cost
    /// does not depend on how far down the list the page is. A walk from position to position returns every event that
    /// exists throughout exactly once, whatever is inserted meanwhile.
    ///
    /// A store that keeps the start of an event for sorting uses that stored start for the order, the limit and the
    /// positions alike, even where newer zone data would derive another.
    async fn events(&self, organization: OrganizationId, query: &EventQuery)
    -> Result<EventPage, StoreError>;

    /// The event with this slug, like [`event_in_full`](Self::event_in_full), of whichever organization.
    async fn event_by_slug(&self, slug: &str) -> Result<Option<EventInFull>, StoreError>;

    /// The event's shifts in [running order](Shift::order_key); `None` if there is no such event. They are shared with the
    /// store if it keeps them in memory.
    #[doc(alias = "slots")]
    async fn shifts(
        &self,
        organization: OrganizationId,
        event: EventId,
    ) -> Result<Option<Vec<Arc<Shift>>>, StoreError>;

    /// The shift.
    #[doc(alias = "slot")]
    async fn shift(&self, organization: OrganizationId, id: ShiftId) -> Result<Option<Shift>, StoreError>;

    /// The event's questions by position, equal positions by id; `None` if there is no such event.
    async fn questions(
        &self,
        organization: OrganizationId,
        event: EventId,
    ) -> Result<Option<Vec<Question>>, StoreError>;

    /// At most `limit` sign-ups of the event whose id is above `after`, by id; cancelled ones too.
    async fn signups(
        &self,
        organization: OrganizationId,
        event: EventId,
        after: Option<SignupId>,
        limit: u32,
    ) -> Result<Vec<Signup>, StoreError>;

    /// The sign-up, cancelled or not.
    async fn signup(&self, organization: OrganizationId, id: SignupId) -> Result<Option<Signup>, StoreError>;

    /// At most `limit` confirmed sign-ups for the shift whose id is above `after`, by id.
    async fn confirmed_signups(
        &self,
        organization: OrganizationId,
        shift: ShiftId,
        after: Option<SignupId>,
        limit: u32,
    ) -> Result<Vec<Signup>, StoreError>;

    /// At most `limit` sign-ups of the address, compared without case, for whichever shifts of the organization, by id;
    /// cancelled ones too.
    async fn signups_of_address(
        &self,
        organization: OrganizationId,
        email: &EmailAddress,
        limit: u32,
    ) -> Result<Vec<Signup>, StoreError>;

    /// The sign-up with this secret, cancelled or not, of whichever organization.
    async fn signup_by_secret(&self, secret: &Digest) -> Result<Option<Signup>, StoreError>;

    /// The receipt with this key, if it is live at `now`.
    async fn receipt(&self, key: &ReceiptKey, now: Timestamp) -> Result<Option<Receipt>, StoreError>;

    /// At most `limit` notices whose id is above `after`, by id: those that have failed, or those that are still queued.
    async fn notices(
        &self,
        have_failed: bool,
        after: Option<NoticeId>,
        limit: u32,
    ) -> Result<Vec<Notice>, StoreError>;

    /// The notice with this id, of whichever organization.
    async fn notice(&self, id: NoticeId) -> Result<Option<Notice>, StoreError>;

    /// At most `limit` notices that have not failed and are due at or before `now`, or after `latest`; by due time, equal ones
    /// by id.
    ///
    /// `latest` is at or after `now`. A due time beyond it was set by a clock that was ahead. A notice that cannot be read is
    /// left out and takes no place of `limit`, so it delays no other. The store reports it to its operator, once.
    async fn due_notices(
        &self,
        now: Timestamp,
        latest: Timestamp,
        limit: u32,
    ) -> Result<Vec<Notice>, StoreError>;

    /// How many notices there are.
    async fn count_notices(&self) -> Result<NoticeCounts, StoreError>;

    /// Applies the change set: all of it, durable when this returns, or none of it.
    ///
    /// Requirements are checked in their order, and the first that does not hold refuses the change set. No other commit
    /// comes between the checks and the writes. A change to a record that does not exist changes nothing; to insert what
    /// belongs to a record that does not exist is a mistake of the caller, which a store may fail at.
    ///
    /// # Errors
    /// [`CommitError::Refused`] if a requirement does not hold: nothing was written. [`CommitError::Failed`] if the
    /// backend failed: then it is *unknown* whether the change set was applied, and only a receipt in it tells.
    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError>;

    /// Removes at most `limit` receipts that are no longer live at `now`, the first to expire first and equal ones by key,
    /// and says how many. Call it until it says fewer than `limit`; a small limit keeps other writers from waiting.
    async fn purge_receipts(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError>;

    /// Returns the counter of requests that all processes on this store share.
    ///
    /// `None` means that the store belongs to one process, which counts for itself. A wrapper around a store passes on the
    /// counter of that store: otherwise each process would grant the whole rate limit.
    fn request_counter(&self) -> Option<&dyn RequestCounter>;

    /// Whether the store answers, and takes commits.
    ///
    /// # Errors
    /// If it does not, and why.
    async fn check(&self) -> Result<(), StoreError>;
}

/// Counts requests for all processes that share a store, so that a rate limit holds over all of them together.
///
/// # Errors
/// Every method fails only if the backend does.
#[async_trait]
pub trait RequestCounter: fmt::Debug + Send + Sync + 'static {
    /// Counts a request under `key` at `now`, and returns its window with the request included.
    ///
    /// The window is the one that is [open](Window::is_open), or a new one that opens with this request. Simultaneous requests
    /// get counts of their own. Windows may be lost when the store crashes.
    async fn count_request(&self, key: RateKey, now: Timestamp) -> Result<Window, StoreError>;

    /// Removes at most `limit` windows that are no longer open at `now`, and returns how many. Call it like
    /// [`Store::purge_receipts`].
    async fn purge_windows(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError>;
}

/// An event with everything that a duplicate copies.
#[derive(Debug, Clone, PartialEq)]
pub struct EventInFull {
    /// The event.
    pub event: Event,
    /// Data about the place that is copied and never shown. It can be 16 KiB long, so lists and single events are read without
    /// it.
    pub location_data: Option<LocationData>,
    /// Its shifts in running order.
    pub shifts: Vec<Arc<Shift>>,
    /// Its questions by position.
    pub questions: Vec<Question>,
}

/// How many notices there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoticeCounts {
    /// Those that are still to be delivered.
    pub queued: u64,
    /// Those that were given up.
    pub failed: u64,
}

/// Which page of the list of events is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EventQuery {
    /// Only published events, only drafts, or both.
    pub is_published: Option<bool>,
    /// Next to what; `None` starts at the top of the list.
    pub position: Option<Position>,
    /// The most events that are returned; at least 1.
    pub limit: u32,
}

impl Default for EventQuery {
    /// The first 25 events, published ones and drafts.
    fn default() -> Self {
        Self { is_published: None, position: None, limit: 25 }
    }
}

/// A position in the list of events. It names a place in the order, not an event that has to exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// The start of the event there.
    pub starts_at: Timestamp,
    /// The id of the event there.
    pub id: EventId,
    /// Which side of it is meant; the place itself is on neither.
    pub side: Side,
}

/// A side of a [`Position`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Further down the list: earlier starts.
    Below,
    /// Further up the list: later starts.
    Above,
}

/// A page of the list of events.
///
/// The positions are those by which the store sorts. They lead to the neighbouring pages; no caller derives one from an event.
#[derive(Debug, Clone, PartialEq)]
pub struct EventPage {
    /// The events in list order; shared with the store if it keeps them in memory.
    pub events: Vec<Arc<Event>>,
    /// The upper side of the first event, if the list goes on there under the query's filter. An empty page has none.
    pub above: Option<Position>,
    /// The lower side of the last event, if the list goes on there under the query's filter. An empty page has none.
    pub below: Option<Position>,
}

/// Why a change set was not, or perhaps not, applied.
#[derive(Debug, Error)]
pub enum CommitError {
    /// A requirement did not hold; nothing was written.
    #[error("a requirement of the change set does not hold")]
    Refused(Refusal),
    /// The backend failed; it is unknown whether the change set was applied.
    #[error(transparent)]
    Failed(#[from] StoreError),
}

/// The backend failed. Its text is for the operator's log, never for a caller.
#[derive(Debug, Error)]
#[error("the store failed: {what}")]
pub struct StoreError {
    what: String,
    kind: StoreErrorKind,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StoreErrorKind {
    Unavailable,
    Corrupt,
    Failed,
}

impl StoreError {
    /// The backend cannot be reached, or is too busy; later it may work. `what` was being done.
    pub fn unavailable(
        what: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self { what: what.into(), kind: StoreErrorKind::Unavailable, source: Some(source.into()) }
    }

    /// A stored value is none that this version wrote.
    pub fn corrupt(
        table: &str,
        column: &str,
        id: impl fmt::Display,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        let what = format!("{table}.{column} of {id} is unreadable");
        Self { what, kind: StoreErrorKind::Corrupt, source: Some(source.into()) }
    }

    /// Anything else. `what` was being done.
    pub fn failed(
        what: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self { what: what.into(), kind: StoreErrorKind::Failed, source: Some(source.into()) }
    }

    /// Whether trying again later may work.
    pub fn is_unavailable(&self) -> bool {
        self.kind == StoreErrorKind::Unavailable
    }

    /// Whether a stored value could not be read.
    pub fn is_corrupt(&self) -> bool {
        self.kind == StoreErrorKind::Corrupt
    }
}
