//! The store on a SQL database. The reads are the same for each engine; a [`Backend`] has the rest.

use std::fmt;
use std::hash::Hash;

use async_trait::async_trait;
use jiff::Timestamp;
use signup_core::{
    CancelledBy, ChangeSet, CommitError, DeletedEvent, Digest, EmailAddress, Event, EventId, EventInFull,
    EventPage, EventQuery, Notice, NoticeCounts, NoticeId, Organization, OrganizationId, Question,
    QuestionId, Receipt, ReceiptKey, RequestCounter, Shift, ShiftId, Signup, SignupId, SignupInFull,
    SignupPage, SignupQuery, SignupScope, Store, StoreError, Token, TokenId,
};
use uuid::Uuid;

use crate::records::{event, notice, organization, question, receipt, shift, signup, token};
use crate::sql::cache::{CachedReads, CachedValues, MAX_SLUG_BYTES, Weight};
use crate::sql::read::{
    self, Reader, Result, Selected, all, by_position, in_running_order, live_receipt, of_parent, one, sorted,
};
use crate::sql::row::Row;
use crate::sql::{Statement, values};

/// What an engine does in its own way.
pub(crate) trait Backend: fmt::Debug + Send + Sync + Sized + 'static {
    type Reader: Reader;

    /// Returns the connections for reads.
    fn reader(&self) -> &Self::Reader;

    /// Returns the cache of reads, and the version of the database for [`CachedValues::get`]. Returns `None` if there is no
    /// cache.
    fn cache(&self) -> impl Future<Output = Result<Option<(&CachedReads, u64)>>> + Send;

    /// Commits like [`Store::commit`].
    fn commit(&self, change: ChangeSet) -> impl Future<Output = Result<(), CommitError>> + Send;

    /// Purges like [`Store::purge_receipts`].
    fn purge_receipts(&self, now: Timestamp, limit: u32) -> impl Future<Output = Result<u64>> + Send;

    /// Purges like [`Store::purge_deleted`].
    fn purge_deleted(&self, until: Timestamp, limit: u32) -> impl Future<Output = Result<u64>> + Send;

    /// Returns the store as a counter of requests, if processes that share the database share the counts.
    fn request_counter(store: &SqlStore<Self>) -> Option<&dyn RequestCounter>;

    /// Checks like [`Store::check`].
    fn check(&self) -> impl Future<Output = Result<()>> + Send;
}

/// A store on a SQL database. The type parameter selects the engine.
///
/// Programs name a store by its alias, `SqliteStore` or `PostgresStore`, which documents the guarantees of the engine.
#[derive(Debug, Clone)]
pub struct SqlStore<B>(pub(crate) B);

/// Returns the value of `key` from the cache. Calls `read` if the value is not cached, or if there is no cache.
async fn cached<K, V, F>(
    backend: &impl Backend,
    kind: impl FnOnce(&CachedReads) -> &CachedValues<K, V>,
    key: K,
    read: impl FnOnce() -> F,
) -> Result<V>
where
    K: Hash + Eq + Clone + Send + Sync + 'static,
    V: Weight + Clone + Send + Sync + 'static,
    F: Future<Output = Result<V>>,
{
    match backend.cache().await? {
        Some((cache, version)) => kind(cache).get(version, key, read).await,
        None => read().await,
    }
}

/// A shift and its event, neither of them deleted. The parameters are the organization and the shift.
const LIVE_SHIFT: &str = "shifts s JOIN events e ON e.organization_id = s.organization_id AND e.id = s.event_id \
     WHERE s.organization_id = $1 AND s.id = $2 AND s.deleted_at IS NULL AND e.deleted_at IS NULL";

#[async_trait]
impl<B: Backend> Store for SqlStore<B> {
    async fn organization(&self, id: OrganizationId) -> Result<Option<Organization>> {
        let from = "organizations o WHERE o.id = $1";
        let read = || {
            let values = values![id.uuid()];
            one(
                self.0.reader(),
                "reading an organization",
                organization::TABLE.columns(),
                from,
                values,
                organization::read,
            )
        };
        cached(&self.0, |cache| &cache.organizations, id, read).await
    }

    async fn organization_by_slug(&self, slug: &str) -> Result<Option<Organization>> {
        let from = "organizations o WHERE o.slug = $1";
        one(
            self.0.reader(),
            "reading an organization",
            organization::TABLE.columns(),
            from,
            values![slug],
            organization::read,
        )
        .await
    }

    async fn organizations(&self, after: Option<OrganizationId>, limit: u32) -> Result<Vec<Organization>> {
        let from = format!("(SELECT * FROM organizations WHERE id > $1 ORDER BY id LIMIT {limit}) o");
        let values = values![after.unwrap_or(OrganizationId::NONE).uuid()];
        let found = all(
            self.0.reader(),
            "listing organizations",
            organization::TABLE.columns(),
            &from,
            values,
            organization::read,
        )
        .await?;
        Ok(sorted(found, |organization| organization.id))
    }

    async fn token_by_digest(&self, digest: &Digest) -> Result<Option<(Token, Organization)>> {
        let columns = [token::TABLE.columns(), organization::TABLE.columns()].concat();
        let from = "tokens t JOIN organizations o ON o.id = t.organization_id WHERE t.digest = $1";
        let values = values![digest.as_bytes().as_slice()];
        let read = |row: Row<'_>| Ok((token::read(row)?, organization::read(row)?));
        one(self.0.reader(), "reading a token", columns, from, values, read).await
    }

    async fn token(&self, id: TokenId) -> Result<Option<Token>> {
        let (from, values) = ("tokens t WHERE t.id = $1", values![id.uuid()]);
        one(self.0.reader(), "reading a token", token::TABLE.columns(), from, values, token::read).await
    }

    async fn tokens(&self, organization: OrganizationId) -> Result<Vec<Token>> {
        let (from, values) = ("tokens t WHERE t.organization_id = $1", values![organization.uuid()]);
        let found =
            all(self.0.reader(), "listing tokens", token::TABLE.columns(), from, values, token::read).await?;
        Ok(sorted(found, |token| token.id))
    }

    async fn event_owner(&self, id: EventId) -> Result<Option<OrganizationId>> {
        const WHAT: &str = "reading an event's owner";
        let reader = self.0.reader();
        let owner = reader.dialect().id_text("organization_id");
        let text = format!("SELECT {owner} FROM events WHERE id = $1");
        let found = reader.row(WHAT, Statement::of(reader.dialect(), &text, values![id.uuid()])).await?;
        let owner = found.map(|[owner]| Uuid::try_parse(&owner)).transpose();
        Ok(owner.map_err(|error| StoreError::failed(WHAT, error))?.map(OrganizationId::new))
    }

    async fn event(&self, organization: OrganizationId, id: EventId) -> Result<Option<Event>> {
        let from = "events e WHERE e.organization_id = $1 AND e.id = $2 AND e.deleted_at IS NULL";
        let values = values![organization.uuid(), id.uuid()];
        one(self.0.reader(), "reading an event", event::TABLE.columns(), from, values, event::read).await
    }

    async fn event_in_full(&self, organization: OrganizationId, id: EventId) -> Result<Option<EventInFull>> {
        let values = values![organization.uuid(), id.uuid()];
        read::event_in_full(self.0.reader(), "e.organization_id = $1 AND e.id = $2", values).await
    }

    async fn events(&self, organization: OrganizationId, query: &EventQuery) -> Result<EventPage> {
        let read = || read::events(self.0.reader(), organization, query);
        cached(&self.0, |cache| &cache.pages, (organization, *query), read).await
    }

    async fn deleted_events(
        &self,
        organization: OrganizationId,
        after: Option<EventId>,
        limit: u32,
    ) -> Result<Vec<DeletedEvent>> {
        read::deleted_events(self.0.reader(), organization, after, limit).await
    }

    async fn deleted_event(&self, organization: OrganizationId, id: EventId) -> Result<Option<DeletedEvent>> {
        read::deleted_event(self.0.reader(), organization, id).await
    }

    async fn event_by_slug(&self, slug: &str) -> Result<Option<EventInFull>> {
        let read = || read::event_in_full(self.0.reader(), "e.slug = $1", values![slug]);
        if slug.len() > MAX_SLUG_BYTES {
            return read().await;
        }
        cached(&self.0, |cache| &cache.events_by_slug, slug.to_owned(), read).await
    }

    async fn shifts(&self, organization: OrganizationId, event: EventId) -> Result<Option<Vec<Shift>>> {
        let from = "events e LEFT JOIN shifts s ON s.organization_id = e.organization_id AND s.event_id = e.id \
             AND s.deleted_at IS NULL WHERE e.organization_id = $1 AND e.id = $2 AND e.deleted_at IS NULL";
        let read = || async {
            let values = values![organization.uuid(), event.uuid()];
            let (what, columns) = ("listing shifts", shift::columns_with_event());
            let found =
                of_parent(self.0.reader(), what, &shift::TABLE, columns, from, values, shift::read).await?;
            Ok(found.map(in_running_order))
        };
        cached(&self.0, |cache| &cache.shifts, (organization, event), read).await
    }

    async fn shift(&self, organization: OrganizationId, id: ShiftId) -> Result<Option<Shift>> {
        let values = values![organization.uuid(), id.uuid()];
        let columns = shift::columns_with_event();
        one(self.0.reader(), "reading a shift", columns, LIVE_SHIFT, values, shift::read).await
    }

    async fn shift_with_event(
        &self,
        organization: OrganizationId,
        id: ShiftId,
    ) -> Result<Option<(Shift, Event)>> {
        let columns = [shift::TABLE.columns(), event::TABLE.columns()].concat();
        let read = |row: Row<'_>| {
            let event = event::read(row)?;
            Ok((shift::read_of(&event, row)?, event))
        };
        let values = values![organization.uuid(), id.uuid()];
        one(self.0.reader(), "reading a shift and its event", columns, LIVE_SHIFT, values, read).await
    }

    async fn questions(&self, organization: OrganizationId, event: EventId) -> Result<Option<Vec<Question>>> {
        let from = "events e LEFT JOIN questions q ON q.organization_id = e.organization_id AND q.event_id = e.id \
             WHERE e.organization_id = $1 AND e.id = $2 AND e.deleted_at IS NULL";
        let values = values![organization.uuid(), event.uuid()];
        let (what, columns) = ("listing questions", question::TABLE.columns());
        let found =
            of_parent(self.0.reader(), what, &question::TABLE, columns, from, values, question::read).await?;
        Ok(found.map(by_position))
    }

    async fn question(&self, organization: OrganizationId, id: QuestionId) -> Result<Option<Question>> {
        let from = "questions q JOIN events e ON e.organization_id = q.organization_id AND e.id = q.event_id \
             WHERE q.organization_id = $1 AND q.id = $2 AND e.deleted_at IS NULL";
        let values = values![organization.uuid(), id.uuid()];
        one(self.0.reader(), "reading a question", question::TABLE.columns(), from, values, question::read)
            .await
    }

    async fn signup_page(&self, organization: OrganizationId, query: &SignupQuery) -> Result<SignupPage> {
        read::signup_page(self.0.reader(), organization, query).await
    }

    async fn signups(
        &self,
        organization: OrganizationId,
        event: EventId,
        after: Option<SignupId>,
        limit: u32,
    ) -> Result<Vec<Signup>> {
        let is_live = self.0.reader().dialect().is_of_live_event();
        let from = format!(
            "(SELECT * FROM current_signups u WHERE u.organization_id = $1 AND u.event_id = $2 AND u.id > $3 \
             AND {is_live} ORDER BY u.id LIMIT {limit}) u"
        );
        let after = after.unwrap_or(SignupId::NONE).uuid();
        let values = values![organization.uuid(), event.uuid(), after];
        let found =
            all(self.0.reader(), "listing sign-ups", signup::TABLE.columns(), &from, values, signup::read)
                .await?;
        Ok(sorted(found, |signup| signup.id))
    }

    async fn signups_cancelled_by(
        &self,
        organization: OrganizationId,
        scope: SignupScope,
        by: CancelledBy,
        after: Option<SignupId>,
        limit: u32,
    ) -> Result<Vec<Signup>> {
        read::fan_out(self.0.reader(), organization, scope, Selected::CancelledBy(by), after, limit).await
    }

    async fn signup_in_full(
        &self,
        organization: OrganizationId,
        id: SignupId,
    ) -> Result<Option<SignupInFull>> {
        read::signup_in_full(self.0.reader(), organization, id).await
    }

    async fn signup(&self, organization: OrganizationId, id: SignupId) -> Result<Option<Signup>> {
        let is_live = self.0.reader().dialect().is_of_live_event();
        let from = format!("current_signups u WHERE u.organization_id = $1 AND u.id = $2 AND {is_live}");
        let values = values![organization.uuid(), id.uuid()];
        one(self.0.reader(), "reading a sign-up", signup::TABLE.columns(), &from, values, signup::read).await
    }

    async fn confirmed_signups(
        &self,
        organization: OrganizationId,
        shift: ShiftId,
        after: Option<SignupId>,
        limit: u32,
    ) -> Result<Vec<Signup>> {
        let scope = SignupScope::Shift(shift);
        read::fan_out(self.0.reader(), organization, scope, Selected::Confirmed, after, limit).await
    }

    async fn signups_of_address(
        &self,
        organization: OrganizationId,
        email: &EmailAddress,
        limit: u32,
    ) -> Result<Vec<Signup>> {
        let from = format!(
            "(SELECT * FROM current_signups WHERE organization_id = $1 AND email_key = $2 \
             ORDER BY id LIMIT {limit}) u"
        );
        let values = values![organization.uuid(), email.key()];
        let found = all(
            self.0.reader(),
            "listing sign-ups of an address",
            signup::TABLE.columns(),
            &from,
            values,
            signup::read,
        )
        .await?;
        Ok(sorted(found, |signup| signup.id))
    }

    async fn signup_by_secret(&self, secret: &Digest) -> Result<Option<Signup>> {
        let is_live = self.0.reader().dialect().is_of_live_event();
        let from = format!("current_signups u WHERE u.secret = $1 AND {is_live}");
        let values = values![secret.as_bytes().as_slice()];
        one(self.0.reader(), "reading a sign-up", signup::TABLE.columns(), &from, values, signup::read).await
    }

    async fn receipt(&self, key: &ReceiptKey, now: Timestamp) -> Result<Option<Receipt>> {
        let from = "receipts r WHERE r.organization_id = $1 AND r.token_id = $2 AND r.operation = $3 \
             AND r.idempotency_key = $4 AND r.expires_at > $5";
        let (values, read) = (live_receipt(key, now), |row: Row<'_>| receipt::read(row, key));
        one(self.0.reader(), "reading a receipt", receipt::TABLE.columns(), from, values, read).await
    }

    async fn notices(&self, have_failed: bool, after: Option<NoticeId>, limit: u32) -> Result<Vec<Notice>> {
        let failed = if have_failed { "IS NOT NULL" } else { "IS NULL" };
        let from = format!(
            "(SELECT * FROM notices WHERE id > $1 AND failed_at {failed} \
             ORDER BY id LIMIT {limit}) n"
        );
        let values = values![after.unwrap_or(NoticeId::NONE).uuid()];
        let found =
            all(self.0.reader(), "listing notices", notice::TABLE.columns(), &from, values, notice::read)
                .await?;
        Ok(sorted(found, |notice| notice.id))
    }

    async fn notice(&self, id: NoticeId) -> Result<Option<Notice>> {
        read::notice(self.0.reader(), id).await
    }

    async fn due_notices(&self, now: Timestamp, latest: Timestamp, limit: u32) -> Result<Vec<Notice>> {
        read::due_notices(self.0.reader(), now, latest, limit).await
    }

    async fn count_notices(&self) -> Result<NoticeCounts> {
        const WHAT: &str = "counting notices";
        let text = "SELECT CAST((SELECT COUNT(*) FROM notices WHERE failed_at IS NULL) AS TEXT), \
             CAST((SELECT COUNT(*) FROM notices WHERE failed_at IS NOT NULL) AS TEXT)";
        let reader = self.0.reader();
        let counted = reader.row(WHAT, Statement::of(reader.dialect(), text, vec![])).await?;
        let [queued, failed] =
            counted.ok_or_else(|| StoreError::failed(WHAT, "the statement gave no row"))?;
        let number = |text: String| text.parse().map_err(|error| StoreError::failed(WHAT, error));
        Ok(NoticeCounts { queued: number(queued)?, failed: number(failed)? })
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        self.0.commit(change).await
    }

    async fn purge_receipts(&self, now: Timestamp, limit: u32) -> Result<u64> {
        self.0.purge_receipts(now, limit).await
    }

    async fn purge_deleted(&self, until: Timestamp, limit: u32) -> Result<u64> {
        self.0.purge_deleted(until, limit).await
    }

    fn request_counter(&self) -> Option<&dyn RequestCounter> {
        B::request_counter(self)
    }

    async fn check(&self) -> Result<()> {
        self.0.check().await
    }
}
