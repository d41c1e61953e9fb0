//! A store that keeps all records in memory, for tests, demonstrations and programs that need no persistence.
//!
//! ```
//! use signup_core::Service;
//! use signup_store_memory::MemoryStore;
//!
//! let service = Service::new(MemoryStore::new());
//! ```
//!
//! One read-write lock guards all records. Reads share the lock. A commit takes the lock exclusively, so the commit is
//! atomic. The lock is never held across an `await`.
//!
//! The store is also the reference: the conformance suite compares other stores with it.
//!
//! **Invariant:** this crate contains no rule. `signup-core` declares the unique values, the totals and the expiry of each
//! kind. A new kind needs an arm in the matches of `lists.rs`, an arm in `is_deleted` of `tables.rs`, and its own list.

mod lists;
mod purge;
mod tables;

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use async_trait::async_trait;
use signup_core::{
    Activity, ActivityQuery, ChangeSet, CommitError, Deleted, Delivery, DeliveryQuery, Digest, Event,
    EventId, EventInFull, EventQuery, EventWithShifts, ListQuery, Notice, NoticeCounts, NoticeQuery,
    OrganizationId, Page, Purge, Record, RecordKey, RequestCounter, ScheduledShift, Shift, ShiftId,
    SignInInFull, Signup, SignupInFull, SignupQuery, Statistics, Store, StoreError, Unique, Volunteer,
    VolunteerQuery, WebhookId, jiff::Timestamp,
};

use tables::Tables;

/// A store in memory. The records are lost when the store is dropped.
#[derive(Debug, Default)]
pub struct MemoryStore(RwLock<Tables>);

impl MemoryStore {
    /// Creates an empty store.
    ///
    /// The store works on any async runtime. Each method completes at its first poll. A method may block its thread
    /// while another call holds the lock. No call holds the lock longer than one read, commit or purge.
    pub fn new() -> Self {
        Self::default()
    }

    // Ignores that the lock is poisoned: a commit checks every requirement before its first write, and writes do not
    // panic, so the records are consistent.
    fn read(&self) -> RwLockReadGuard<'_, Tables> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Tables> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a live event.
fn live(tables: &Tables, organization: OrganizationId, id: EventId) -> Option<&Event> {
    tables.event(organization, id).filter(|event| event.deleted_at.is_none())
}

#[async_trait]
impl Store for MemoryStore {
    async fn record(&self, key: &RecordKey, deleted: Deleted) -> Result<Option<Record>, StoreError> {
        Ok(self.read().read(key, deleted))
    }

    async fn holder(&self, unique: &Unique, deleted: Deleted) -> Result<Option<Record>, StoreError> {
        let tables = self.read();
        let is_visible = |record: &Record| deleted == Deleted::Included || !tables.is_deleted(record);
        Ok(tables.holder(unique).filter(is_visible))
    }

    async fn list(&self, query: &ListQuery) -> Result<Vec<Record>, StoreError> {
        Ok(self.read().list(query))
    }

    async fn events(
        &self,
        organization: OrganizationId,
        query: &EventQuery,
    ) -> Result<Page<Event>, StoreError> {
        Ok(self.read().events(organization, query))
    }

    async fn events_with_shifts(
        &self,
        organization: OrganizationId,
        query: &EventQuery,
    ) -> Result<Page<EventWithShifts>, StoreError> {
        Ok(self.read().events_with_shifts(organization, query))
    }

    async fn event_in_full(&self, key: &RecordKey) -> Result<Option<EventInFull>, StoreError> {
        let tables = self.read();
        let event = tables.event_of(key).filter(|event| event.deleted_at.is_none());
        Ok(event.map(|event| tables.in_full(event)))
    }

    async fn event_by_slug(&self, slug: &str) -> Result<Option<EventInFull>, StoreError> {
        let tables = self.read();
        match tables.holder(&Unique::EventSlug(slug.to_owned())) {
            Some(Record::Event(event)) if event.deleted_at.is_none() => Ok(Some(tables.in_full(&event))),
            _ => Ok(None),
        }
    }

    async fn shifts(
        &self,
        organization: OrganizationId,
        event: EventId,
    ) -> Result<Option<Vec<ScheduledShift>>, StoreError> {
        let tables = self.read();
        let event = live(&tables, organization, event);
        Ok(event.map(|event| ScheduledShift::in_running_order(tables.shifts_of(event), event)))
    }

    async fn shift_with_event(
        &self,
        organization: OrganizationId,
        id: ShiftId,
    ) -> Result<Option<(Shift, Event)>, StoreError> {
        let tables = self.read();
        let shift = tables.read(&RecordKey::Shift(organization, id), Deleted::Excluded);
        let Some(Record::Shift(shift)) = shift else { return Ok(None) };
        Ok(live(&tables, organization, shift.event).map(|event| (*shift, event.clone())))
    }

    async fn signups(
        &self,
        organization: OrganizationId,
        query: &SignupQuery,
    ) -> Result<Page<Signup>, StoreError> {
        Ok(self.read().signups(organization, query))
    }

    async fn signups_in_full(
        &self,
        organization: OrganizationId,
        query: &SignupQuery,
    ) -> Result<Vec<SignupInFull>, StoreError> {
        let tables = self.read();
        let found = tables.signups(organization, query).items;
        Ok(found.into_iter().filter_map(|signup| tables.signup_in_full(signup)).collect())
    }

    async fn volunteers(
        &self,
        organization: OrganizationId,
        query: &VolunteerQuery,
    ) -> Result<Page<Volunteer>, StoreError> {
        Ok(self.read().volunteers(organization, query))
    }

    async fn activity(
        &self,
        organization: OrganizationId,
        query: &ActivityQuery,
    ) -> Result<Page<Activity>, StoreError> {
        Ok(self.read().activity(organization, query))
    }

    async fn deliveries(
        &self,
        organization: OrganizationId,
        webhook: WebhookId,
        query: &DeliveryQuery,
    ) -> Result<Page<Delivery>, StoreError> {
        Ok(self.read().deliveries(organization, webhook, query))
    }

    async fn due_deliveries(&self, now: Timestamp, limit: u32) -> Result<Vec<Delivery>, StoreError> {
        Ok(self.read().due_deliveries(now, limit))
    }

    async fn signed_in(&self, digest: &Digest) -> Result<Option<SignInInFull>, StoreError> {
        Ok(self.read().signed_in(digest))
    }

    async fn notices(&self, query: NoticeQuery, limit: u32) -> Result<Vec<Notice>, StoreError> {
        Ok(self.read().notices(query, limit))
    }

    async fn statistics(&self) -> Result<Statistics, StoreError> {
        let tables = self.read();
        let (queued, failed) = (tables.lists.queued.len() as u64, tables.lists.failed.len() as u64);
        let oldest_pending_delivery = tables.oldest_pending_delivery();
        Ok(Statistics { notices: NoticeCounts { queued, failed }, oldest_pending_delivery })
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        self.write().commit(change).map_err(CommitError::Refused)
    }

    async fn purge(&self, purge: Purge, limit: u32) -> Result<u64, StoreError> {
        Ok(self.write().purge(purge, limit))
    }

    fn request_counter(&self) -> Option<&dyn RequestCounter> {
        None
    }

    async fn check(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// The example of the README, which the documentation tests compile and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
