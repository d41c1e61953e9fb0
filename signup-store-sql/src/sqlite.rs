//! Opening an SQLite database, and the store on it.

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
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
use sqlx::{ConnectOptions as _, Connection as _};

use crate::committer::Committer;
use crate::error::{OpenError, is_busy};
use crate::{read, zone_data};

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
        // An absolute path is a path: SQLite would take `:memory:` and `file:…` for something else.
        let file = std::path::absolute(path).map_err(|source| OpenError::Path { path: name(), source })?;
        let options = writer_options(&file);
        let mut writer =
            connect(&options).await.map_err(|source| OpenError::Open { path: name(), source })?;
        prepare(&mut writer).await.map_err(|failure| match failure {
            Failure::Migrate(MigrateError::VersionMissing(version)) => {
                OpenError::Newer { path: name(), version }
            }
            Failure::Migrate(source) => OpenError::Migrate { path: name(), source },
            Failure::Read(source) => OpenError::Read { path: name(), source },
        })?;
        // From here on the file is there: were it taken away, an empty one in its place would only hide that.
        let options = options.create_if_missing(false);
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .idle_timeout(None)
            .max_lifetime(None)
            .acquire_timeout(READ_TIMEOUT)
            .test_before_acquire(false)
            .connect_lazy_with(options.clone().read_only(true));
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

/// How the one connection that writes is opened.
pub(crate) fn writer_options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .disable_statement_logging()
}

/// Connects; waits while another process does what the busy timeout does not wait for: turning the new file's journal into
/// a write-ahead log.
async fn connect(options: &SqliteConnectOptions) -> sqlx::Result<SqliteConnection> {
    const PAUSE: Duration = Duration::from_millis(20);
    const ATTEMPTS: u32 = 100;
    let mut attempt = 1;
    loop {
        match options.connect().await {
            Err(error) if attempt < ATTEMPTS && is_busy(&error) => {
                attempt += 1;
                tokio::time::sleep(PAUSE).await;
            }
            connected => return connected,
        }
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

/// Carries the tables and the sort keys forward, in one transaction: several processes may open a database at once, and
/// none of them leaves it half-way.
async fn prepare(connection: &mut SqliteConnection) -> Result<(), Failure> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    MIGRATIONS.run_direct(None, &mut *transaction, false).await.map_err(Failure::Migrate)?;
    zone_data::follow(&mut transaction).await.map_err(Failure::Read)?;
    transaction.commit().await?;
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

#[cfg(test)]
mod tests {
    use super::*;

    async fn pragma(connection: &mut SqliteConnection, name: &str) -> String {
        let sql = format!("SELECT CAST({name} AS TEXT) FROM pragma_{name}");
        sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(connection).await.unwrap()
    }

    #[tokio::test]
    async fn what_is_committed_survives_the_loss_of_power() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = connect(&writer_options(&folder.path().join("signup.db"))).await.unwrap();
        assert_eq!(pragma(&mut writer, "journal_mode").await, "wal");
        assert_eq!(pragma(&mut writer, "synchronous").await, "2", "FULL");
        assert_eq!(pragma(&mut writer, "foreign_keys").await, "1");
        let busy_timeout = sqlx::query_scalar::<_, i64>("PRAGMA busy_timeout").fetch_one(&mut writer).await;
        assert_eq!(busy_timeout.unwrap(), 10_000);
    }

    #[tokio::test]
    async fn a_reader_cannot_write() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("signup.db")).await.unwrap();
        let error = sqlx::query("DELETE FROM meta").execute(&store.readers).await.unwrap_err();
        assert!(error.to_string().contains("readonly"), "{error}");
    }
}
