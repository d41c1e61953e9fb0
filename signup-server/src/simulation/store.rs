//! The store of a process: the shared store behind a network that delays calls, loses them, and loses their answers.

use std::sync::Arc;

use signup_core::{
    ChangeSet, CommitError, Deleted, Delivery, EventInFull, ListQuery, Notice, NoticeQuery, OrganizationId,
    Page, Purge, Record, RecordKey, Signup, SignupInFull, SignupQuery, Store, StoreError, Timestamp, Unique,
    Wrapper, async_trait,
};

use super::world::World;

/// The connection of a process to the store.
#[derive(Debug)]
pub(super) struct RemoteStore(pub(super) Arc<World>);

fn unavailable() -> StoreError {
    StoreError::unavailable("calling the store", "the connection was lost")
}

impl RemoteStore {
    async fn read(&self) -> Result<(), StoreError> {
        let _under_way = self.0.enter();
        self.0.delay().await;
        if self.0.random.chance(self.0.faults().reads) { Err(unavailable()) } else { Ok(()) }
    }
}

#[async_trait]
impl Wrapper for RemoteStore {
    fn inner(&self) -> &dyn Store {
        &self.0.store
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        let world = &self.0;
        let _under_way = world.enter();
        world.delay().await;
        let is_lost = world.random.chance(world.faults().commits);
        if is_lost && world.random.chance(500) {
            return Err(unavailable().into());
        }
        let copy = change.clone();
        let committed = world.store.commit(change).await;
        if committed.is_ok() {
            world.committed(&copy);
        }
        world.delay().await;
        if is_lost { Err(unavailable().into()) } else { committed }
    }

    async fn purge(&self, purge: Purge, limit: u32) -> Result<u64, StoreError> {
        self.read().await?;
        let purged = self.0.store.purge(purge, limit).await?;
        if purged > 0 {
            self.0.trace(|| format!("purge of {purged}: {purge:?}"));
            let checked = self.0.ledger().check_purged(&self.0.store, self.0.now());
            self.0.check(checked);
        }
        Ok(purged)
    }

    async fn record(&self, key: &RecordKey, deleted: Deleted) -> Result<Option<Record>, StoreError> {
        self.read().await?;
        self.inner().record(key, deleted).await
    }

    async fn holder(&self, unique: &Unique, deleted: Deleted) -> Result<Option<Record>, StoreError> {
        self.read().await?;
        self.inner().holder(unique, deleted).await
    }

    async fn list(&self, query: &ListQuery) -> Result<Vec<Record>, StoreError> {
        self.read().await?;
        self.inner().list(query).await
    }

    async fn event_in_full(&self, key: &RecordKey) -> Result<Option<EventInFull>, StoreError> {
        self.read().await?;
        self.inner().event_in_full(key).await
    }

    async fn event_by_slug(&self, slug: &str) -> Result<Option<EventInFull>, StoreError> {
        self.read().await?;
        self.inner().event_by_slug(slug).await
    }

    async fn signups(
        &self,
        organization: OrganizationId,
        query: &SignupQuery,
    ) -> Result<Page<Signup>, StoreError> {
        self.read().await?;
        self.inner().signups(organization, query).await
    }

    async fn signups_in_full(
        &self,
        organization: OrganizationId,
        query: &SignupQuery,
    ) -> Result<Vec<SignupInFull>, StoreError> {
        self.read().await?;
        self.inner().signups_in_full(organization, query).await
    }

    async fn notices(&self, query: NoticeQuery, limit: u32) -> Result<Vec<Notice>, StoreError> {
        self.read().await?;
        self.inner().notices(query, limit).await
    }

    async fn due_deliveries(&self, now: Timestamp, limit: u32) -> Result<Vec<Delivery>, StoreError> {
        self.read().await?;
        self.inner().due_deliveries(now, limit).await
    }
}
