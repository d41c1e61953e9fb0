//! The engines, their stores, and the records of a new database.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use signup_core::{
    Capacity, ChangeSet, Hours, NewEvent, NewOrganization, NewShift, OrganizationId, Plan, PlanLimits,
    PlanTable, Scopes, Service, Session, Store, TokioClock, Write, date, time,
};
use signup_store_sql::test_cluster::Cluster;
use signup_store_sql::{PostgresOptions, PostgresStore, SqliteStore};
use tempfile::TempDir;

/// The number of writes of one commit while a database is filled.
const PER_COMMIT: usize = 1000;

pub(crate) enum Engine {
    Sqlite { folder: TempDir, files: AtomicU32 },
    Postgres(Cluster),
}

/// Stores on one database. Each has its own connections, as processes have.
pub(crate) struct Database {
    pub(crate) stores: Vec<Arc<dyn Store>>,
    /// The URL on PostgreSQL.
    pub(crate) url: Option<String>,
}

impl Engine {
    pub(crate) fn sqlite() -> Self {
        Self::Sqlite { folder: tempfile::tempdir().unwrap(), files: AtomicU32::new(0) }
    }

    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Sqlite { .. } => "SQLite",
            Self::Postgres(_) => "PostgreSQL",
        }
    }

    /// Opens this number of stores on an empty database. On SQLite, one store is all that can be open.
    pub(crate) async fn database(&self, stores: usize) -> Database {
        match self {
            Self::Sqlite { folder, files } => {
                let file = folder.path().join(format!("{}.db", files.fetch_add(1, Ordering::Relaxed)));
                Database { stores: vec![Arc::new(SqliteStore::open(&file).await.unwrap())], url: None }
            }
            Self::Postgres(cluster) => {
                let url = cluster.database().await;
                let mut opened: Vec<Arc<dyn Store>> = vec![];
                let address = url.parse().unwrap();
                for _ in 0..stores {
                    let store = PostgresStore::open(&address, PostgresOptions::default()).await.unwrap();
                    opened.push(Arc::new(store));
                }
                Database { stores: opened, url: Some(url) }
            }
        }
    }

    /// Brings a database to rest after many writes: up-to-date statistics, and pages on the disk.
    pub(crate) fn settle(&self, database: &Database) {
        if let (Self::Postgres(cluster), Some(url)) = (self, &database.url) {
            let name = url.rsplit_once('/').unwrap().1;
            drop(cluster.sql(name, "VACUUM ANALYZE"));
            drop(cluster.sql(name, "CHECKPOINT"));
        }
    }
}

/// Inserts records without any check.
pub(crate) async fn fill(store: &dyn Store, writes: impl Iterator<Item = Write>) {
    let mut writes = writes.peekable();
    while writes.peek().is_some() {
        let writes = writes.by_ref().take(PER_COMMIT).collect();
        store.commit(ChangeSet { requires: vec![], writes }).await.unwrap();
    }
}

/// Returns a service with limits that no benchmark reaches.
pub(crate) fn service(store: &Arc<dyn Store>) -> Service {
    let limits = PlanLimits::unlimited().event_days(366);
    Service::shared(Arc::clone(store)).with_plans(PlanTable::uniform(limits)).with_clock(TokioClock)
}

/// Creates an organization.
pub(crate) async fn organization(service: &Service) -> OrganizationId {
    let new = NewOrganization::new("Riverside Food Bank".parse().unwrap()).plan(Plan::Pro);
    service.admin().create_organization(new).await.unwrap().id
}

pub(crate) async fn session(service: &Service, organization: OrganizationId) -> Session {
    service.session_for(organization, Scopes::all()).await.unwrap()
}

/// An event in the future, with this number of shifts.
pub(crate) fn new_event(shifts: u32) -> NewEvent {
    let new =
        NewEvent::new("Food drive".parse().unwrap(), date(2099, 6, 5), "America/New_York".parse().unwrap());
    (0..shifts).fold(new, |new, _| new.shift(new_shift()))
}

/// A shift that is never full.
pub(crate) fn new_shift() -> NewShift {
    let hours = Hours::between(time(9, 0, 0, 0), time(12, 0, 0, 0)).unwrap();
    NewShift::new("Packing".parse().unwrap(), Capacity::new(1_000_000).unwrap()).hours(hours)
}
