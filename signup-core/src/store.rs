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
//! **Invariant:** a store reads no clock and generates no id and no random number.

mod change;
mod error;
mod forward;
mod in_full;
mod keys;
mod query;
mod record;
pub mod writing;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;

pub use change::{ChangeSet, Refusal, Requirement, Write};
pub use error::{CommitError, StoreError, StoreErrorKind};
pub use in_full::{EventInFull, SignInInFull, SignupInFull};
pub use keys::{Access, Key, Keys};
pub use query::{
    ActivityQuery, CoverageKey, CoverageQuery, DeliveryQuery, EventKey, EventOrder, EventQuery, ListQuery,
    Listed, OpenShift, Page, Position, Side, SignupQuery, VolunteerKey, VolunteerQuery,
};
pub use record::{Entity, EventLocationData, Kind, Record, RecordKey, Share, Total, Unique};

use crate::activity::Activity;
use crate::allowance::{RateKey, Window};
use crate::event::Event;
use crate::id::{EventId, NoticeId, OrganizationId, ShiftId, SignupId, WebhookId};
use crate::notice::Notice;
use crate::receipt::EventWithShifts;
use crate::secret::Digest;
use crate::shift::{ScheduledShift, Shift};
use crate::signup::Signup;
use crate::volunteer::Volunteer;
use crate::webhook::Delivery;
#[cfg(doc)]
use crate::webhook::Webhook;

forward::stores! {
    /// Keeps the records of the service: reads them, and commits changes to them.
    ///
    /// A read that starts after a commit was acknowledged sees that commit. A deleted event counts as missing, and so do
    /// the shifts, questions, location data and sign-ups of a deleted event. A deleted shift counts as missing, and its
    /// sign-ups do not. Methods that read deleted records say so. The suite under the feature `conformance` has a test for each
    /// promise of this trait.
    ///
    /// Every read of events, shifts, questions, sign-ups, activity, webhooks, deliveries, members and invitations names the
    /// organization, and returns only its records. The exceptions are:
    ///
    /// - [`ListQuery::Id`] is for operators, and its reader returns only the owner.
    /// - [`holder`](Self::holder) and [`event_by_slug`](Self::event_by_slug): the slug or the digest grants access.
    /// - Notices and due deliveries are read for all organizations at once.
    /// - [`ListQuery::Memberships`] and [`signed_in`](Self::signed_in) name a person, who may belong to several.
    ///
    /// [Writing a store](writing) explains how the parts fit together. The documentation of a store says which runtime its
    /// methods need.
    ///
    /// # Errors
    /// Every method fails only if the backend fails. A missing record is `None`, an empty list or a [`Refusal`].
    pub trait Store {
        /// Returns the counter of requests that all processes on this store share.
        ///
        /// `None` means that the store belongs to one process, which counts its own requests. A wrapper around a store must
        /// return the counter of that store; otherwise each process would grant the whole rate limit.
        fn request_counter(&self) -> Option<&dyn RequestCounter>;

        /// Reads the record with this key. An expired record is returned, too.
        async fn record(&self, key: &RecordKey, deleted: Deleted) -> Result<Option<Record>, StoreError>;

        /// Reads the record that has this value, of any organization. An expired record is returned, too.
        async fn holder(&self, unique: &Unique, deleted: Deleted) -> Result<Option<Record>, StoreError>;

        /// Lists the records that `query` selects, in the order that it names. A record of another kind stands only behind the
        /// membership that it belongs to.
        async fn list(&self, query: &ListQuery) -> Result<Vec<Record>, StoreError>;

        /// Lists the organization's events that `query` [selects](EventQuery::selects), in the order that it names.
        ///
        /// Returns at most `query.limit` events: those nearest to `query.position` on its side, always in list order. The
        /// cost does not depend on how far down the list the page is. A walk from position to position returns every event
        /// that exists throughout exactly once, even if events are inserted meanwhile. The exception is an event that moves
        /// in the list, or leaves the filter, during the walk.
        ///
        /// A store may keep the start of an event for sorting. Then the order, the selection of the page and its positions
        /// all use the stored start, even where newer zone data would derive another start.
        async fn events(
            &self,
            organization: OrganizationId,
            query: &EventQuery,
        ) -> Result<Page<Event>, StoreError>;

        /// Lists events like [`events`](Self::events), each with its shifts in running order, in one snapshot. Deleted shifts are
        /// left out.
        #[doc(alias = "events_with_slots")]
        async fn events_with_shifts(
            &self,
            organization: OrganizationId,
            query: &EventQuery,
        ) -> Result<Page<EventWithShifts>, StoreError>;

        /// Reads the event with this key, or the event that the record with this key belongs to. That record may be a notice or a
        /// deleted shift: the [guide](writing#records) lists the kinds that belong to an event.
        ///
        /// The event comes with its location data, its shifts in running order and its questions by position, in one snapshot: no
        /// commit is seen in part. Returns `None` if the record is missing, if its event is missing or deleted, or if its kind
        /// belongs to no event.
        async fn event_in_full(&self, key: &RecordKey) -> Result<Option<EventInFull>, StoreError>;

        /// Reads the event with this slug, of any organization, like [`event_in_full`](Self::event_in_full).
        async fn event_by_slug(&self, slug: &str) -> Result<Option<EventInFull>, StoreError>;

        /// Lists the event's shifts in [running order](ScheduledShift::order_key). Returns `None` if there is no such event.
        #[doc(alias = "slots")]
        async fn shifts(
            &self,
            organization: OrganizationId,
            event: EventId,
        ) -> Result<Option<Vec<ScheduledShift>>, StoreError>;

        /// Reads a shift with its event, in one snapshot.
        #[doc(alias = "slot_with_event")]
        async fn shift_with_event(
            &self,
            organization: OrganizationId,
            id: ShiftId,
        ) -> Result<Option<(Shift, Event)>, StoreError>;

        /// Lists the organization's sign-ups that `query` selects, by descending id. The service makes ids that sort like the
        /// times of creation, so the newest sign-up is the first.
        ///
        /// Returns at most `query.limit` sign-ups: those nearest to `query.position` on its side, always in list order. The
        /// cost does not depend on how far down the list the page is. The list of a deleted shift has its sign-ups, too.
        async fn signups(
            &self,
            organization: OrganizationId,
            query: &SignupQuery,
        ) -> Result<Page<Signup>, StoreError>;

        /// Lists the page of [`signups`](Self::signups) that `query` selects, each with everything that a mail about it shows, in
        /// one snapshot.
        async fn signups_in_full(
            &self,
            organization: OrganizationId,
            query: &SignupQuery,
        ) -> Result<Vec<SignupInFull>, StoreError>;

        /// Lists the volunteers of the organization that have a sign-up that `query` [selects](VolunteerQuery::selects), by their
        /// ascending
        /// [key](Volunteer::key). Each is the volunteer [of all sign-ups](Volunteer::of_signups) of the address.
        ///
        /// Returns at most `query.limit` volunteers: those nearest to `query.position` on its side, always in list order. The
        /// cost does not depend on how far down the list the page is.
        async fn volunteers(
            &self,
            organization: OrganizationId,
            query: &VolunteerQuery,
        ) -> Result<Page<Volunteer>, StoreError>;

        /// Lists the organization's activity that `query` selects, by descending id, like [`signups`](Self::signups). Activity of a
        /// deleted event is included.
        async fn activity(
            &self,
            organization: OrganizationId,
            query: &ActivityQuery,
        ) -> Result<Page<Activity>, StoreError>;

        /// Lists the deliveries to a webhook that `query` selects, by descending id, like [`signups`](Self::signups).
        async fn deliveries(
            &self,
            organization: OrganizationId,
            webhook: WebhookId,
            query: &DeliveryQuery,
        ) -> Result<Page<Delivery>, StoreError>;

        /// Lists at most `limit` deliveries of all organizations that are [due](Delivery::is_due) at `now`. Deliveries to a
        /// disabled webhook are left out, except [tests](Delivery::is_test).
        ///
        /// Returns for each webhook at most as many deliveries as may be claimed at `now`: [`Webhook::MAX_IN_FLIGHT`] less those
        /// [in flight](Total::InFlight). These are the ones that are due first, equal ones by id. Of those with a due time after
        /// the [latest](Delivery::latest_due_at), only the first one is listed.
        ///
        /// Deliveries of webhooks that are [failing](Webhook::failing_since) come after all others, so that endpoints that never
        /// answer do not stand before one that does. Among the deliveries of an organization, those come first that have fewer
        /// deliveries of their webhook before them. So the waiting deliveries of one webhook never stand before those of another.
        /// Among the deliveries of all organizations, those come first that have fewer deliveries of their organization before
        /// them. So the same holds for organizations. Deliveries in flight count as before all others. Equal ones are sorted by due
        /// time and id.
        ///
        /// A delivery that cannot be decoded is left out, but keeps its place. The store logs such a delivery once.
        async fn due_deliveries(&self, now: Timestamp, limit: u32) -> Result<Vec<Delivery>, StoreError>;

        /// Reads the sign-in with this digest, with the person and the person's memberships, in one snapshot. Also returns a
        /// sign-in that has expired, or whose generation is not that of the person.
        async fn signed_in(&self, digest: &Digest) -> Result<Option<SignInInFull>, StoreError>;

        /// Lists at most `limit` notices that `query` selects, of all organizations, in the order that the query names.
        ///
        /// The list of due notices skips a notice that cannot be decoded. A skipped notice does not count towards `limit`, so it
        /// delays no other notice. The store logs such a notice once.
        async fn notices(&self, query: NoticeQuery, limit: u32) -> Result<Vec<Notice>, StoreError>;

        /// Measures what waits in the outbox.
        async fn statistics(&self) -> Result<Statistics, StoreError>;

        /// Applies the whole change set or none of it. The change is durable when this method returns.
        ///
        /// Requirements are checked in their order; the first that does not hold refuses the change set. No other commit
        /// happens between the checks and the writes. The caller must ensure that `before` is the stored record and that the
        /// parent exists. Otherwise a store may fail, or may keep fields of the stored record. A receipt has no parent, so its
        /// caller need not exist.
        ///
        /// # Errors
        /// Returns [`CommitError::Refused`] if a requirement does not hold; nothing was written. Returns
        /// [`CommitError::Failed`] if the backend failed. It is then *unknown* whether the change set was applied. If the
        /// change set has a receipt, a later read of the receipt shows this.
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError>;

        /// Removes at most `limit` records for good, and returns how many were removed. The questions, messages and location data
        /// of a removed event go with it, and are not counted.
        ///
        /// The caller repeats the call while the result is `limit`. A small limit keeps the wait of other writers short. A call may
        /// leave an event that it has removed in part. Reads of deleted records then have what is left, and the event itself goes
        /// last. The service restores no event that a purge may have begun to remove: see [`Event::PURGED_AFTER`].
        ///
        /// Each store decides the order in which [`Purge::Deleted`] takes events and shifts, and [`Purge::FailedNotices`] takes
        /// notices.
        async fn purge(&self, purge: Purge, limit: u32) -> Result<u64, StoreError>;

        /// Checks that the store answers and accepts commits.
        ///
        /// # Errors
        /// Returns the reason if the store does not answer or accepts no commits.
        async fn check(&self) -> Result<(), StoreError>;
    }
}

/// Reads of one record. Each fails only if the backend fails.
impl dyn Store + '_ {
    /// Reads a record of a certain kind. Deleted records and children of deleted records count as missing.
    pub async fn get<R: TryFrom<Record>>(&self, key: RecordKey) -> Result<Option<R>, StoreError> {
        let found = self.record(&key, Deleted::Excluded).await?;
        Ok(found.and_then(|record| R::try_from(record).ok()))
    }

    /// Reads a record of a certain kind by a unique value. Deleted records and children of deleted records count as missing.
    pub async fn find<R: TryFrom<Record>>(&self, unique: Unique) -> Result<Option<R>, StoreError> {
        let found = self.holder(&unique, Deleted::Excluded).await?;
        Ok(found.and_then(|record| R::try_from(record).ok()))
    }

    /// Reads a sign-up with everything that a mail about it shows, in one snapshot. A sign-up of a deleted event is included.
    pub async fn signup_in_full(
        &self,
        organization: OrganizationId,
        id: SignupId,
    ) -> Result<Option<SignupInFull>, StoreError> {
        Ok(self.signups_in_full(organization, &SignupQuery::new().only(id).with_deleted()).await?.pop())
    }
}

/// Counts requests for all processes that share a store, so that a rate limit applies to all of them together.
///
/// # Errors
/// Every method fails only if the backend fails.
#[async_trait]
pub trait RequestCounter: fmt::Debug + Send + Sync + 'static {
    /// Counts this number of requests under `key` at `now`, and returns their window with them included.
    ///
    /// The window is the [open](Window::is_open) one of the key, or a new one that starts with these requests.
    /// Simultaneous calls get different counts. Windows may be lost when the store crashes.
    async fn count_requests(&self, key: RateKey, number: u32, now: Timestamp) -> Result<Window, StoreError>;

    /// Removes at most `limit` windows that have ended at `now`, and returns how many were removed.
    ///
    /// The caller repeats the call, as for [`Store::purge`].
    async fn purge_windows(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError>;
}

/// Whether a read returns deleted records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Deleted {
    /// A deleted record counts as missing, and so do the shifts, questions, location data and sign-ups of a deleted event. The
    /// sign-ups for a deleted shift do not.
    Excluded,
    /// A deleted record is returned until it is purged.
    Included,
}

/// Selects notices.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum NoticeQuery {
    /// Notices that are due at or before `now`, or after `latest`, and those that are due [for a reminder](Notice::reminder_due_at)
    /// at or before `now`: first those that [cannot wait](crate::NoticeCause::can_wait). Each part is sorted by due time, equal
    /// ones by id.
    ///
    /// `latest` is at or after `now`. A due time after `latest` was set by a clock that was ahead.
    Due {
        /// The present time.
        now: Timestamp,
        /// The latest due time that a clock without error sets.
        latest: Timestamp,
    },
    /// Queued notices with an id above this one, by ascending id.
    Queued(Option<NoticeId>),
    /// Failed notices with an id above this one, by ascending id.
    Failed(Option<NoticeId>),
    /// The failed notices of an organization, or of one of its events, by ascending id.
    FailedOf(OrganizationId, Option<EventId>),
    /// The notices for a volunteer with this [address](crate::EmailAddress::key), by ascending id: queued, failed and at rest.
    About(OrganizationId, String),
}

/// What a purge removes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purge {
    /// Records that have expired at this time: within a kind, the oldest expiry first, and equal ones by key.
    Expired(Timestamp),
    /// Records that were deleted at or before this time: each deleted event with its shifts, questions, sign-ups and
    /// notices, and each deleted shift that no sign-up or notice refers to.
    Deleted(Timestamp),
    /// Notices that failed at or before this time.
    FailedNotices(Timestamp),
    /// Copies of removed and replaced records, where a store can remove them, such as those in a write-ahead log. Removes no
    /// record.
    Traces,
}

/// What waits in the outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// The numbers of notices.
    pub notices: NoticeCounts,
    /// When the oldest pending delivery to an enabled webhook was created, `None` if none is pending.
    pub oldest_pending_delivery: Option<Timestamp>,
}

/// The numbers of notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NoticeCounts {
    /// Notices that are yet to be delivered.
    pub queued: u64,
    /// Failed notices.
    pub failed: u64,
}
