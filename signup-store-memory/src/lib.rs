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
//! **Invariant:** this crate contains no rule. The record types of `signup-core` compute an event's sort key and end.

mod commit;
mod purge;
mod signups;
mod tables;

use std::ops::Bound;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use async_trait::async_trait;
use jiff::Timestamp;
use signup_core::{
    CancelledBy, ChangeSet, CommitError, DeletedEvent, Digest, EmailAddress, Event, EventId, EventInFull,
    EventPage, EventQuery, Notice, NoticeCounts, NoticeId, Organization, OrganizationId, Question,
    QuestionId, Receipt, ReceiptKey, RequestCounter, Shift, ShiftId, Signup, SignupId, SignupInFull,
    SignupPage, SignupQuery, SignupScope, Store, StoreError, Token, TokenId,
};

use tables::{SignupList, Tables};

/// A store in memory. The records are lost when the store is dropped.
///
/// A clone is a store of its own with a copy of the records. To share a store, put the store in an `Arc`.
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

impl Clone for MemoryStore {
    fn clone(&self) -> Self {
        Self(RwLock::new(self.read().clone()))
    }
}

/// Two stores are equal if their records are.
impl PartialEq for MemoryStore {
    fn eq(&self, other: &Self) -> bool {
        // Never holds both locks, so that two comparisons cannot wait for each other.
        let own = self.read().clone();
        own == *other.read()
    }
}

/// Returns the range of keys above `after`, or of all keys.
fn above<K>(after: Option<K>) -> (Bound<K>, Bound<K>) {
    (after.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded)
}

fn page<K: Ord, V: Clone>(table: &std::collections::BTreeMap<K, V>, after: Option<K>, limit: u32) -> Vec<V> {
    table.range(above(after)).take(limit as usize).map(|(_, value)| value.clone()).collect()
}

#[async_trait]
impl Store for MemoryStore {
    async fn organization(&self, id: OrganizationId) -> Result<Option<Organization>, StoreError> {
        Ok(self.read().organizations.get(&id).cloned())
    }

    async fn organization_by_slug(&self, slug: &str) -> Result<Option<Organization>, StoreError> {
        let tables = self.read();
        let id = tables.organization_slugs.get(slug);
        Ok(id.and_then(|id| tables.organizations.get(id)).cloned())
    }

    async fn organizations(
        &self,
        after: Option<OrganizationId>,
        limit: u32,
    ) -> Result<Vec<Organization>, StoreError> {
        Ok(page(&self.read().organizations, after, limit))
    }

    async fn token_by_digest(&self, digest: &Digest) -> Result<Option<(Token, Organization)>, StoreError> {
        let tables = self.read();
        let token = tables.token_digests.get(digest).and_then(|id| tables.tokens.get(id));
        let found = token
            .and_then(|token| Some((token.clone(), tables.organizations.get(&token.organization)?.clone())));
        Ok(found)
    }

    async fn token(&self, id: TokenId) -> Result<Option<Token>, StoreError> {
        Ok(self.read().tokens.get(&id).cloned())
    }

    async fn tokens(&self, organization: OrganizationId) -> Result<Vec<Token>, StoreError> {
        let tables = self.read();
        Ok(tables.tokens.values().filter(|token| token.organization == organization).cloned().collect())
    }

    async fn event_owner(&self, id: EventId) -> Result<Option<OrganizationId>, StoreError> {
        Ok(self.read().events.get(&id).map(|event| event.organization))
    }

    async fn event(&self, organization: OrganizationId, id: EventId) -> Result<Option<Event>, StoreError> {
        Ok(self.read().event(organization, id).cloned())
    }

    async fn event_in_full(
        &self,
        organization: OrganizationId,
        id: EventId,
    ) -> Result<Option<EventInFull>, StoreError> {
        let tables = self.read();
        Ok(tables.event(organization, id).map(|event| tables.in_full(event)))
    }

    async fn event_by_slug(&self, slug: &str) -> Result<Option<EventInFull>, StoreError> {
        let tables = self.read();
        Ok(tables.event_by_slug(slug).map(|event| tables.in_full(event)))
    }

    async fn events(
        &self,
        organization: OrganizationId,
        query: &EventQuery,
    ) -> Result<EventPage, StoreError> {
        Ok(self.read().events(organization, query))
    }

    async fn deleted_events(
        &self,
        organization: OrganizationId,
        after: Option<EventId>,
        limit: u32,
    ) -> Result<Vec<DeletedEvent>, StoreError> {
        let tables = self.read();
        let ids = tables.deleted_events.range(above(after)).map(|(id, _)| *id);
        let deleted = ids.filter_map(|id| tables.deleted_event(organization, id));
        Ok(deleted.take(limit as usize).collect())
    }

    async fn deleted_event(
        &self,
        organization: OrganizationId,
        id: EventId,
    ) -> Result<Option<DeletedEvent>, StoreError> {
        Ok(self.read().deleted_event(organization, id))
    }

    async fn shifts(
        &self,
        organization: OrganizationId,
        event: EventId,
    ) -> Result<Option<Vec<Shift>>, StoreError> {
        let tables = self.read();
        Ok(tables.event(organization, event).map(|event| tables.shifts_of(event)))
    }

    async fn shift(&self, organization: OrganizationId, id: ShiftId) -> Result<Option<Shift>, StoreError> {
        let tables = self.read();
        Ok(tables.shift(organization, id).cloned())
    }

    async fn shift_with_event(
        &self,
        organization: OrganizationId,
        id: ShiftId,
    ) -> Result<Option<(Shift, Event)>, StoreError> {
        let tables = self.read();
        let found = tables.shift(organization, id);
        Ok(found.and_then(|shift| Some((shift.clone(), tables.event(organization, shift.event)?.clone()))))
    }

    async fn questions(
        &self,
        organization: OrganizationId,
        event: EventId,
    ) -> Result<Option<Vec<Question>>, StoreError> {
        let tables = self.read();
        Ok(tables.event(organization, event).map(|event| tables.questions_of(event)))
    }

    async fn question(
        &self,
        organization: OrganizationId,
        id: QuestionId,
    ) -> Result<Option<Question>, StoreError> {
        Ok(self.read().question(organization, id).cloned())
    }

    async fn signup_page(
        &self,
        organization: OrganizationId,
        query: &SignupQuery,
    ) -> Result<SignupPage, StoreError> {
        Ok(self.read().signup_page(organization, query))
    }

    async fn signups(
        &self,
        organization: OrganizationId,
        event: EventId,
        after: Option<SignupId>,
        limit: u32,
    ) -> Result<Vec<Signup>, StoreError> {
        let tables = self.read();
        let Some(event) = tables.event(organization, event) else { return Ok(Vec::new()) };
        let signups = tables.listed(&SignupList::Event(event.id), after);
        Ok(signups.take(limit as usize).cloned().collect())
    }

    async fn signups_cancelled_by(
        &self,
        organization: OrganizationId,
        scope: SignupScope,
        by: CancelledBy,
        after: Option<SignupId>,
        limit: u32,
    ) -> Result<Vec<Signup>, StoreError> {
        let tables = self.read();
        let signups = tables.signups_cancelled_by(organization, scope, by, after);
        Ok(signups.take(limit as usize).cloned().collect())
    }

    async fn signup_in_full(
        &self,
        organization: OrganizationId,
        id: SignupId,
    ) -> Result<Option<SignupInFull>, StoreError> {
        Ok(self.read().signup_in_full(organization, id))
    }

    async fn signup(&self, organization: OrganizationId, id: SignupId) -> Result<Option<Signup>, StoreError> {
        Ok(self.read().signup(organization, id).cloned())
    }

    async fn confirmed_signups(
        &self,
        organization: OrganizationId,
        shift: ShiftId,
        after: Option<SignupId>,
        limit: u32,
    ) -> Result<Vec<Signup>, StoreError> {
        let tables = self.read();
        let ids = tables.confirmed_of_shift.get(&shift).into_iter().flat_map(|ids| ids.range(above(after)));
        let signups = ids.filter_map(|id| tables.stored_signup(organization, *id));
        Ok(signups.take(limit as usize).cloned().collect())
    }

    async fn signups_of_address(
        &self,
        organization: OrganizationId,
        email: &EmailAddress,
        limit: u32,
    ) -> Result<Vec<Signup>, StoreError> {
        let tables = self.read();
        let signups = tables.listed(&SignupList::Address(organization, email.key()), None);
        Ok(signups.take(limit as usize).cloned().collect())
    }

    async fn signup_by_secret(&self, secret: &Digest) -> Result<Option<Signup>, StoreError> {
        let tables = self.read();
        let found = tables.signup_secrets.get(secret).and_then(|id| tables.signups.get(id));
        Ok(found.filter(|signup| !tables.is_hidden(signup)).cloned())
    }

    async fn receipt(&self, key: &ReceiptKey, now: Timestamp) -> Result<Option<Receipt>, StoreError> {
        Ok(self.read().receipts.get(key).filter(|receipt| receipt.is_live(now)).cloned())
    }

    async fn notices(
        &self,
        have_failed: bool,
        after: Option<NoticeId>,
        limit: u32,
    ) -> Result<Vec<Notice>, StoreError> {
        let tables = self.read();
        let notices = tables.notices.range(above(after)).map(|(_, notice)| notice);
        let notices = notices.filter(|notice| notice.failure.is_some() == have_failed);
        Ok(notices.take(limit as usize).cloned().collect())
    }

    async fn notice(&self, id: NoticeId) -> Result<Option<Notice>, StoreError> {
        Ok(self.read().notices.get(&id).cloned())
    }

    async fn due_notices(
        &self,
        now: Timestamp,
        latest: Timestamp,
        limit: u32,
    ) -> Result<Vec<Notice>, StoreError> {
        let tables = self.read();
        let beyond = (Bound::Excluded((latest, NoticeId::MAX)), Bound::Unbounded);
        let due = tables.due.range(..=(now, NoticeId::MAX)).chain(tables.due.range(beyond));
        Ok(due.take(limit as usize).filter_map(|(_, id)| tables.notices.get(id)).cloned().collect())
    }

    async fn count_notices(&self) -> Result<NoticeCounts, StoreError> {
        let tables = self.read();
        let (queued, all) = (tables.due.len() as u64, tables.notices.len() as u64);
        Ok(NoticeCounts { queued, failed: all - queued })
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        let mut tables = self.write();
        for requirement in &change.requires {
            tables.check(requirement).map_err(CommitError::Refused)?;
        }
        for write in change.writes {
            tables.apply(write);
        }
        Ok(())
    }

    async fn purge_receipts(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        Ok(self.write().purge_receipts(now, limit))
    }

    async fn purge_deleted(&self, until: Timestamp, limit: u32) -> Result<u64, StoreError> {
        Ok(self.write().purge_deleted(until, limit))
    }

    fn request_counter(&self) -> Option<&dyn RequestCounter> {
        None
    }

    async fn check(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// The programs of the README, which the documentation tests compile and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
