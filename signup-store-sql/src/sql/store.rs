//! The store on a SQL database. The reads are the same for each engine; a [`Backend`] has the rest.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use signup_core::{
    Activity, ActivityQuery, ChangeSet, CommitError, Deleted, Delivery, DeliveryQuery, Digest, Event,
    EventId, EventInFull, EventQuery, EventWithShifts, Kind, ListQuery, Notice, NoticeQuery, OrganizationId,
    Page, Purge, Record, RecordKey, RequestCounter, Requirement, ScheduledShift, Shift, ShiftId,
    SignInInFull, Signup, SignupInFull, SignupQuery, Statistics, Store, Timestamp, Unique, Volunteer,
    VolunteerQuery, WebhookId, sort_by_running_order,
};

use crate::records::unique::{Lookup, PLACE, lookup};
use crate::records::{event, key_values, shift, table};
use crate::sql::read::{self, Reader, StoreResult, of_parent, one};
use crate::sql::require;
use crate::sql::row::Row;
use crate::sql::values;

/// What an engine does in its own way.
pub(crate) trait Backend: fmt::Debug + Send + Sync + Sized + 'static {
    type Reader: Reader;

    /// Returns the connections for reads.
    fn reader(&self) -> &Self::Reader;

    /// Returns the cached answer of a read. Runs `read` if there is none.
    fn cached<V: Clone + fmt::Debug + Send + Sync + 'static>(
        &self,
        wanted: CachedRead,
        read: impl Future<Output = StoreResult<V>> + Send,
    ) -> impl Future<Output = StoreResult<V>> + Send;

    /// Commits a change set with writes like [`Store::commit`].
    fn commit(&self, change: ChangeSet) -> impl Future<Output = Result<(), CommitError>> + Send;

    /// Purges like [`Store::purge`].
    fn purge(&self, purge: Purge, limit: u32) -> impl Future<Output = StoreResult<u64>> + Send;

    /// Returns the store as a counter of requests, if processes that share the database share the counts.
    fn request_counter(store: &SqlStore<Self>) -> Option<&dyn RequestCounter>;

    /// Checks whether the database answers, and whether it says that it takes writes.
    fn check(&self) -> impl Future<Output = StoreResult<()>> + Send;

    /// Writes 64 KiB and removes them again. Returns `false` if the database was too busy for the write: there was no free
    /// connection, or no lock.
    ///
    /// # Errors
    /// Fails if the write fails: on a full disk also if the pages of the database have room left.
    fn try_write(&self) -> impl Future<Output = StoreResult<bool>> + Send;
}

/// A read whose answer may be cached.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum CachedRead {
    Organization(OrganizationId),
    Events(OrganizationId, EventQuery),
    Shifts(OrganizationId, EventId),
    EventBySlug(String),
}

/// A store on a SQL database. The type parameter selects the engine.
///
/// Programs name a store by its alias, `SqliteStore` or `PostgresStore`, which documents the guarantees of the engine.
#[derive(Debug, Clone)]
pub struct SqlStore<B> {
    pub(crate) backend: B,
    /// Whether the last commit failed because the database was unavailable.
    pub(crate) has_failed: Arc<AtomicBool>,
}

/// How long a check waits for its write. A store that is too busy for it is ready.
const TRY_TIMEOUT: Duration = Duration::from_secs(2);

impl<B> SqlStore<B> {
    pub(crate) fn new(backend: B) -> Self {
        Self { backend, has_failed: Arc::default() }
    }
}

/// Checks requirements, as a read without locks. Each statement has a snapshot of its own.
async fn check_requirements(reader: &impl Reader, requires: &[Requirement]) -> Result<(), CommitError> {
    let mut broken = vec![];
    for query in require::queries(reader.dialect(), requires) {
        broken.extend(reader.texts("checking requirements", query).await?);
    }
    match require::refusal(requires, broken)? {
        Some(refusal) => Err(CommitError::Refused(refusal)),
        None => Ok(()),
    }
}

#[async_trait]
impl<B: Backend> Store for SqlStore<B> {
    async fn record(&self, key: &RecordKey, deleted: Deleted) -> StoreResult<Option<Record>> {
        let table = table(key.kind());
        let is_visible = [table.is_visible(deleted)];
        let reader = self.backend.reader();
        let read = read::record(reader, key.kind(), table.key(), key_values(key), &is_visible);
        match *key {
            RecordKey::Organization(id) => self.backend.cached(CachedRead::Organization(id), read).await,
            _ => read.await,
        }
    }

    async fn holder(&self, unique: &Unique, deleted: Deleted) -> StoreResult<Option<Record>> {
        let reader = self.backend.reader();
        let Lookup { kind, columns, values } = lookup(unique);
        let is_visible = table(kind).is_visible(deleted);
        let is_active = if columns == PLACE { "u.status <> 'cancelled'" } else { "" };
        read::record(reader, kind, columns, values, &[is_visible, is_active.to_owned()]).await
    }

    async fn list(&self, query: &ListQuery) -> StoreResult<Vec<Record>> {
        read::list(self.backend.reader(), query).await
    }

    async fn events(&self, organization: OrganizationId, query: &EventQuery) -> StoreResult<Page<Event>> {
        let read = read::events(self.backend.reader(), organization, query);
        self.backend.cached(CachedRead::Events(organization, query.clone()), read).await
    }

    async fn events_with_shifts(
        &self,
        organization: OrganizationId,
        query: &EventQuery,
    ) -> StoreResult<Page<EventWithShifts>> {
        read::events_with_shifts(self.backend.reader(), organization, query).await
    }

    async fn event_in_full(&self, key: &RecordKey) -> StoreResult<Option<EventInFull>> {
        let (kind, table) = (key.kind(), table(key.kind()));
        let id = match kind {
            Kind::Event => "$2".to_owned(),
            Kind::LocationData
            | Kind::Shift
            | Kind::Question
            | Kind::Message
            | Kind::Signup
            | Kind::Notice => {
                let [owner, id, ..] = table.key() else { return Ok(None) };
                format!("(SELECT event_id FROM {} WHERE {owner} = $1 AND {id} = $2)", table.name())
            }
            Kind::Organization
            | Kind::Token
            | Kind::Link
            | Kind::OptOut
            | Kind::Receipt
            | Kind::Activity
            | Kind::Webhook
            | Kind::Delivery
            | Kind::Person
            | Kind::Membership
            | Kind::Invitation
            | Kind::SignInCode
            | Kind::SignIn => return Ok(None),
        };
        let condition = format!("e.organization_id = $1 AND e.id = {id}");
        read::event_in_full(self.backend.reader(), &condition, key_values(key)).await
    }

    async fn event_by_slug(&self, slug: &str) -> StoreResult<Option<EventInFull>> {
        let read = read::event_in_full(self.backend.reader(), "e.slug = $1", values![slug]);
        self.backend.cached(CachedRead::EventBySlug(slug.to_owned()), read).await
    }

    async fn shifts(
        &self,
        organization: OrganizationId,
        event: EventId,
    ) -> StoreResult<Option<Vec<ScheduledShift>>> {
        let from = "events e LEFT JOIN shifts s ON s.organization_id = e.organization_id AND s.event_id = e.id \
             AND s.deleted_at IS NULL WHERE e.organization_id = $1 AND e.id = $2 AND e.deleted_at IS NULL";
        let read = async {
            let values = values![organization.uuid(), event.uuid()];
            let read = |row: Row<'_>| shift::read_scheduled((organization, event), row);
            let (reader, what, columns) =
                (self.backend.reader(), "listing shifts", shift::scheduled_columns());
            let mut found = of_parent(reader, what, &shift::TABLE, columns, from, values, read).await?;
            found.iter_mut().for_each(|shifts| sort_by_running_order(shifts));
            Ok(found)
        };
        self.backend.cached(CachedRead::Shifts(organization, event), read).await
    }

    async fn shift_with_event(
        &self,
        organization: OrganizationId,
        id: ShiftId,
    ) -> StoreResult<Option<(Shift, Event)>> {
        let from = "shifts s JOIN events e ON e.organization_id = s.organization_id AND e.id = s.event_id \
             WHERE s.organization_id = $1 AND s.id = $2 AND s.deleted_at IS NULL AND e.deleted_at IS NULL";
        let columns = [shift::TABLE.columns(), event::TABLE.columns()].concat();
        let read = |row: Row<'_>| {
            let event = event::read(row)?;
            Ok((shift::read_of((event.organization, event.id), row)?, event))
        };
        let values = values![organization.uuid(), id.uuid()];
        one(self.backend.reader(), "reading a shift and its event", columns, from, values, read).await
    }

    async fn activity(
        &self,
        organization: OrganizationId,
        query: &ActivityQuery,
    ) -> StoreResult<Page<Activity>> {
        read::activity_page(self.backend.reader(), organization, query).await
    }

    async fn deliveries(
        &self,
        organization: OrganizationId,
        webhook: WebhookId,
        query: &DeliveryQuery,
    ) -> StoreResult<Page<Delivery>> {
        read::delivery_page(self.backend.reader(), organization, webhook, query).await
    }

    async fn due_deliveries(&self, now: Timestamp, limit: u32) -> StoreResult<Vec<Delivery>> {
        read::due_deliveries(self.backend.reader(), now, limit).await
    }

    async fn signups(&self, organization: OrganizationId, query: &SignupQuery) -> StoreResult<Page<Signup>> {
        read::signup_page(self.backend.reader(), organization, query).await
    }

    async fn signups_in_full(
        &self,
        organization: OrganizationId,
        query: &SignupQuery,
    ) -> StoreResult<Vec<SignupInFull>> {
        read::signups_in_full(self.backend.reader(), organization, query).await
    }

    async fn volunteers(
        &self,
        organization: OrganizationId,
        query: &VolunteerQuery,
    ) -> StoreResult<Page<Volunteer>> {
        read::volunteer_page(self.backend.reader(), organization, query).await
    }

    async fn signed_in(&self, digest: &Digest) -> StoreResult<Option<SignInInFull>> {
        read::signed_in(self.backend.reader(), digest).await
    }

    async fn notices(&self, query: NoticeQuery, limit: u32) -> StoreResult<Vec<Notice>> {
        read::notices(self.backend.reader(), query, limit).await
    }

    async fn statistics(&self) -> StoreResult<Statistics> {
        let reader = self.backend.reader();
        let notices = read::count_notices(reader).await?;
        Ok(Statistics { notices, oldest_pending_delivery: read::oldest_pending_delivery(reader).await? })
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        if change.writes.is_empty() {
            return check_requirements(self.backend.reader(), &change.requires).await;
        }
        let committed = self.backend.commit(change).await;
        match &committed {
            Ok(()) => self.has_failed.store(false, Ordering::Release),
            Err(CommitError::Failed(error)) if error.is_unavailable() => {
                self.has_failed.store(true, Ordering::Release);
            }
            _ => {}
        }
        committed
    }

    async fn purge(&self, purge: Purge, limit: u32) -> StoreResult<u64> {
        self.backend.purge(purge, limit).await
    }

    fn request_counter(&self) -> Option<&dyn RequestCounter> {
        B::request_counter(self)
    }

    /// After a failed commit, the check also writes something: only a write shows that a disk is full, and that it no longer is. If
    /// the database answers, but is too busy for the write, the store is ready, and the next check writes again.
    async fn check(&self) -> StoreResult<()> {
        self.backend.check().await?;
        if self.has_failed.load(Ordering::Acquire)
            && let Ok(written) = tokio::time::timeout(TRY_TIMEOUT, self.backend.try_write()).await
            && written?
        {
            self.has_failed.store(false, Ordering::Release);
        }
        Ok(())
    }
}
