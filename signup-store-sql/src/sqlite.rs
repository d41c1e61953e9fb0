//! Opening an SQLite database, and the store on it.

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use signup_core::hours::zone_data_version;
use signup_core::{
    ChangeSet, CommitError, Digest, Event, EventId, EventInFull, EventPage, EventQuery, Notice, NoticeId,
    Organization, OrganizationId, Question, Receipt, ReceiptKey, Shift, ShiftId, Signup, SignupId, Store,
    StoreError, Token, TokenId,
};
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};
use uuid::Uuid;

use crate::committer::Committer;
use crate::error::{OpenError, store_error};
use crate::{read, row};

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");

/// How long a statement waits for another process's write before it fails.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a read waits for a free connection before it fails.
const READ_TIMEOUT: Duration = Duration::from_secs(10);
/// Connections that read. More are slower on a small machine: each has a thread of its own.
const READERS: u32 = 2;

/// A store in one SQLite file.
///
/// What was committed survives the loss of power: the journal is a write-ahead log, synced at every commit
/// (`journal_mode=WAL`, `synchronous=FULL`). Reads have connections of their own and never wait for the writer.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    readers: SqlitePool,
    committer: Committer,
}

impl SqliteStore {
    /// Opens the database at `path`, which is made if it is not there; its tables are carried forward to this version.
    ///
    /// # Errors
    /// If the file cannot be opened or is no database, and [`OpenError::Newer`] if a newer version has written it.
    pub async fn open(path: &Path) -> Result<Self, OpenError> {
        let name = || path.display().to_string();
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(BUSY_TIMEOUT)
            .disable_statement_logging();
        let mut writer =
            options.connect().await.map_err(|source| OpenError::Open { path: name(), source })?;
        prepare(&mut writer).await.map_err(|failure| match failure {
            Failure::Migrate(MigrateError::VersionMissing(version)) => {
                OpenError::Newer { path: name(), version }
            }
            Failure::Migrate(source) => OpenError::Migrate { path: name(), source },
            Failure::Read(source) => OpenError::Read { path: name(), source },
        })?;
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .idle_timeout(None)
            .max_lifetime(None)
            .acquire_timeout(READ_TIMEOUT)
            .test_before_acquire(false)
            .connect_lazy_with(options.clone().read_only(true).create_if_missing(false));
        Ok(Self { readers, committer: Committer::start(writer, options) })
    }

    /// How many commits this store has made: fewer than change sets, when many came at once.
    pub fn commits(&self) -> u64 {
        self.committer.commits()
    }

    /// Ends the writer, after what is waiting, and closes all connections.
    pub async fn close(&self) {
        self.committer.close().await;
        self.readers.close().await;
    }
}

enum Failure {
    Migrate(MigrateError),
    Read(StoreError),
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self::Migrate(error.into())
    }
}

/// Carries the tables and the sort keys forward, in one transaction: several processes may open a database at once.
async fn prepare(connection: &mut SqliteConnection) -> Result<(), Failure> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    MIGRATIONS.run_direct(None, &mut *transaction, false).await.map_err(Failure::Migrate)?;
    derive_sort_keys(&mut transaction).await.map_err(Failure::Read)?;
    transaction.commit().await?;
    Ok(())
}

/// Derives the sort keys of all events anew if they were derived by other zone data than this version has.
async fn derive_sort_keys(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    const BATCH: i64 = 1000;
    let failed = |error| store_error("deriving sort keys", error);
    let stored = sqlx::query_scalar::<_, String>("SELECT value FROM meta WHERE name = 'zone_data'");
    let stored = stored.fetch_optional(&mut *connection).await.map_err(failed)?;
    if stored.as_deref() == Some(zone_data_version()) {
        return Ok(());
    }
    let mut after = Uuid::nil();
    loop {
        let sql = format!("SELECT {} FROM events e WHERE e.id > $1 ORDER BY e.id LIMIT $2", row::EVENT);
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(after).bind(BATCH).fetch_all(&mut *connection).await;
        let rows = rows.map_err(failed)?;
        let Some(last) = rows.last() else { break };
        after = row::event(last, 0)?.id.uuid();
        for row in &rows {
            let event = row::event(row, 0)?;
            sqlx::query("UPDATE events SET starts_at = $2, ends_at = $3 WHERE id = $1")
                .bind(event.id.uuid())
                .bind(event.dates.starts_at().as_second())
                .bind(event.dates.ends_at().as_second())
                .execute(&mut *connection)
                .await
                .map_err(failed)?;
        }
    }
    let record = sqlx::query(
        "INSERT INTO meta (name, value) VALUES ('zone_data', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    );
    record.bind(zone_data_version()).execute(connection).await.map_err(failed)?;
    Ok(())
}

#[async_trait]
impl Store for SqliteStore {
    async fn organization(&self, id: OrganizationId) -> Result<Option<Organization>, StoreError> {
        read::organization(&self.readers, id).await
    }

    async fn organization_by_slug(&self, slug: &str) -> Result<Option<Organization>, StoreError> {
        read::organization_by_slug(&self.readers, slug).await
    }

    async fn organizations(
        &self,
        after: Option<OrganizationId>,
        limit: u32,
    ) -> Result<Vec<Organization>, StoreError> {
        read::organizations(&self.readers, after, limit).await
    }

    async fn token_by_digest(&self, digest: &Digest) -> Result<Option<(Token, Organization)>, StoreError> {
        read::token_by_digest(&self.readers, digest).await
    }

    async fn token(&self, id: TokenId) -> Result<Option<Token>, StoreError> {
        read::token(&self.readers, id).await
    }

    async fn tokens(&self, organization: OrganizationId) -> Result<Vec<Token>, StoreError> {
        read::tokens(&self.readers, organization).await
    }

    async fn event_owner(&self, id: EventId) -> Result<Option<OrganizationId>, StoreError> {
        read::event_owner(&self.readers, id).await
    }

    async fn event(&self, organization: OrganizationId, id: EventId) -> Result<Option<Event>, StoreError> {
        read::event(&self.readers, organization, id).await
    }

    async fn event_in_full(
        &self,
        organization: OrganizationId,
        id: EventId,
    ) -> Result<Option<EventInFull>, StoreError> {
        read::event_in_full(&self.readers, organization, id).await
    }

    async fn events(
        &self,
        organization: OrganizationId,
        query: &EventQuery,
    ) -> Result<EventPage, StoreError> {
        read::events(&self.readers, organization, query).await
    }

    async fn shifts(
        &self,
        organization: OrganizationId,
        event: EventId,
    ) -> Result<Option<Vec<Shift>>, StoreError> {
        read::shifts(&self.readers, organization, event).await
    }

    async fn shift(&self, organization: OrganizationId, id: ShiftId) -> Result<Option<Shift>, StoreError> {
        read::shift(&self.readers, organization, id).await
    }

    async fn questions(
        &self,
        organization: OrganizationId,
        event: EventId,
    ) -> Result<Option<Vec<Question>>, StoreError> {
        read::questions(&self.readers, organization, event).await
    }

    async fn signups(
        &self,
        organization: OrganizationId,
        event: EventId,
        after: Option<SignupId>,
        limit: u32,
    ) -> Result<Vec<Signup>, StoreError> {
        read::signups(&self.readers, organization, event, after, limit).await
    }

    async fn signup_by_secret(&self, secret: &Digest) -> Result<Option<Signup>, StoreError> {
        read::signup_by_secret(&self.readers, secret).await
    }

    async fn receipt(&self, key: &ReceiptKey, now: Timestamp) -> Result<Option<Receipt>, StoreError> {
        read::receipt(&self.readers, key, now).await
    }

    async fn notices(&self, after: Option<NoticeId>, limit: u32) -> Result<Vec<Notice>, StoreError> {
        read::notices(&self.readers, after, limit).await
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        self.committer.commit(change).await
    }

    async fn purge_receipts(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        self.committer.purge_receipts(now, limit).await
    }
}
