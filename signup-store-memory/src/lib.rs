//! A store that keeps everything in memory: for tests, for demonstrations, and for programs whose events need not outlive
//! them.
//!
//! ```
//! use std::sync::Arc;
//! use signup_core::Service;
//! use signup_store_memory::MemoryStore;
//!
//! let service = Service::new(Arc::new(MemoryStore::new()));
//! ```
//!
//! Every read takes a lock that other reads share, every commit takes it alone: so a commit is atomic because nobody can
//! look while it is under way. No lock is held over an `await`.
//!
//! **Invariant:** no rule is known here. What an event's sort key is, or when an event ends, is asked of the record.

mod commit;
mod tables;

use std::ops::Bound;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use async_trait::async_trait;
use jiff::Timestamp;
use signup_core::{
    ChangeSet, CommitError, Digest, Event, EventId, EventInFull, EventPage, EventQuery, Notice, NoticeId,
    Organization, OrganizationId, Question, Receipt, ReceiptKey, Shift, ShiftId, Signup, SignupId, Store,
    StoreError, Token, TokenId,
};

use tables::Tables;

/// A store in memory. It ends with the process.
#[derive(Debug, Default)]
pub struct MemoryStore(RwLock<Tables>);

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    // A commit writes only after every requirement was found to hold, and its writes cannot fail: a lock that a panic left
    // behind still guards whole records.
    fn read(&self) -> RwLockReadGuard<'_, Tables> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Tables> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keys above `after`, or all of them.
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
        Ok(tables.event(organization, id).map(|event| EventInFull {
            event: event.clone(),
            shifts: tables.shifts_of(event),
            questions: tables.questions_of(event),
        }))
    }

    async fn events(
        &self,
        organization: OrganizationId,
        query: &EventQuery,
    ) -> Result<EventPage, StoreError> {
        Ok(self.read().events(organization, query))
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
        Ok(tables.shift(organization, id).and_then(|shift| tables.with_event(shift)))
    }

    async fn questions(
        &self,
        organization: OrganizationId,
        event: EventId,
    ) -> Result<Option<Vec<Question>>, StoreError> {
        let tables = self.read();
        Ok(tables.event(organization, event).map(|event| tables.questions_of(event)))
    }

    async fn signups(
        &self,
        organization: OrganizationId,
        event: EventId,
        after: Option<SignupId>,
        limit: u32,
    ) -> Result<Vec<Signup>, StoreError> {
        let tables = self.read();
        let ids = tables.signups_of_event.get(&event).into_iter().flat_map(|ids| ids.range(above(after)));
        let signups =
            ids.filter_map(|id| tables.signups.get(id)).filter(|found| found.organization == organization);
        Ok(signups.take(limit as usize).cloned().collect())
    }

    async fn signup_by_secret(&self, secret: &Digest) -> Result<Option<Signup>, StoreError> {
        let tables = self.read();
        Ok(tables.signup_secrets.get(secret).and_then(|id| tables.signups.get(id)).cloned())
    }

    async fn receipt(&self, key: &ReceiptKey, now: Timestamp) -> Result<Option<Receipt>, StoreError> {
        Ok(self.read().receipts.get(key).filter(|receipt| receipt.is_live(now)).cloned())
    }

    async fn notices(&self, after: Option<NoticeId>, limit: u32) -> Result<Vec<Notice>, StoreError> {
        Ok(page(&self.read().notices, after, limit))
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

    async fn queued_notices(&self) -> Result<u64, StoreError> {
        Ok(self.read().notices.len() as u64)
    }

    async fn check(&self) -> Result<(), StoreError> {
        Ok(())
    }
}
