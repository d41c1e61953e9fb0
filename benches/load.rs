//! Benchmark of concurrent callers of the library: `cargo bench -p signup-benches --bench load`.
//!
//! Compares one store on a SQLite file with one, two and four stores on one PostgreSQL. Each store has its own connections,
//! as processes have. Both engines sync to the disk at every commit. Callers and databases share the machine.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use signup_benches::{Line, ROUNDS, Report, Unit, event, in_turn, median};
use signup_core::{
    EventId, IdempotencyKey, Name, NewOrganization, NewToken, Plan, PlanLimits, PlanTable, Scopes, Service,
    Session, Store,
};
use signup_store_sql::test_cluster::Cluster;
use signup_store_sql::{PostgresOptions, PostgresStore, SqliteStore};
use tokio::runtime::Runtime;

/// The number of concurrent callers.
const CALLERS: usize = 64;
/// The length of a round.
const ROUND: Duration = Duration::from_millis(700);

/// Services that share a database with one organization and one event of ten shifts.
struct Site {
    name: &'static str,
    /// A service and its session for each store.
    services: Vec<(Service, Session)>,
    event: EventId,
    calls: AtomicU64,
}

impl Site {
    async fn new(name: &'static str, stores: Vec<Arc<dyn Store>>) -> Self {
        // The limit is so high that no request is refused.
        let limits =
            PlanLimits::unlimited().requests_per_minute(1_000_000_000).active_events(1000).event_days(366);
        let plans = PlanTable::uniform(limits);
        let services: Vec<_> =
            stores.into_iter().map(|store| Service::new(store).with_plans(plans)).collect();
        let service = &services[0];
        let title = Name::new("Load").unwrap();
        let new = NewOrganization::new(title.clone()).plan(Plan::Pro);
        let organization = service.admin().create_organization(new).await.unwrap();
        let token = service
            .admin()
            .create_token(organization.id, NewToken::new(title, Scopes::all()))
            .await
            .unwrap()
            .1;
        let mut sessions = Vec::new();
        for service in &services {
            sessions.push(service.authenticate(token.reveal()).await.unwrap());
        }
        let event =
            sessions[0].create_event(event::checked(&event::draft(event::CAPACITY))).await.unwrap().event.id;
        Self { name, services: services.into_iter().zip(sessions).collect(), event, calls: AtomicU64::new(0) }
    }

    /// Returns the service and session of the next call, and the unique number of the call.
    fn next(&self) -> (&Service, &Session, u64) {
        let number = self.calls.fetch_add(1, Ordering::Relaxed);
        let (service, session) = &self.services[number as usize % self.services.len()];
        (service, session, number)
    }

    async fn create(&self) {
        let (_, session, number) = self.next();
        let key: IdempotencyKey = format!("key-{number}").parse().unwrap();
        session.with_key(key).create_event(event::checked(&event::draft(event::CAPACITY))).await.unwrap();
    }

    async fn list_shifts(&self) {
        let (_, session, _) = self.next();
        assert_eq!(session.shifts(self.event).await.unwrap().len(), 10);
    }

    async fn count(&self) {
        let (service, _, number) = self.next();
        // A thousand addresses stand for the tokens of a thousand callers.
        let address = std::net::Ipv4Addr::from_bits(0x0a00_0000 + (number % 1000) as u32);
        service.count_request(None, address.into()).await.unwrap();
    }
}

/// Returns the calls per second with all callers.
async fn per_second(site: &Arc<Site>, work: Work) -> f64 {
    let began = Instant::now();
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let site = Arc::clone(site);
            tokio::spawn(async move {
                let mut calls = 0_u32;
                while began.elapsed() < ROUND {
                    work.call(&site).await;
                    calls += 1;
                }
                calls
            })
        })
        .collect();
    let mut calls = 0.0;
    for caller in callers {
        calls += f64::from(caller.await.unwrap());
    }
    calls / began.elapsed().as_secs_f64()
}

/// A kind of call.
#[derive(Clone, Copy)]
enum Work {
    Create,
    ListShifts,
    Count,
}

impl Work {
    async fn call(self, site: &Site) {
        match self {
            Self::Create => site.create().await,
            Self::ListShifts => site.list_shifts().await,
            Self::Count => site.count().await,
        }
    }
}

async fn postgres(url: &str, number: usize) -> Vec<Arc<dyn Store>> {
    let mut stores: Vec<Arc<dyn Store>> = vec![];
    for _ in 0..number {
        let urls = [url.parse().unwrap()];
        stores.push(Arc::new(PostgresStore::open(&urls, PostgresOptions::default()).await.unwrap()));
    }
    stores
}

fn main() {
    let runtime = Runtime::new().unwrap();
    let mut report = Report::begin("load");
    let folder = tempfile::tempdir().unwrap();
    // Commits wait for the disk. By default a test cluster does not sync.
    let cluster = Cluster::start(&["-c", "fsync=on", "-c", "full_page_writes=on"]);
    let sites = runtime.block_on(sites(folder.path(), cluster.as_ref()));
    // On SQLite the service counts requests in memory, so `count a request` excludes SQLite.
    let (all, shared) = (&sites[..], &sites[1..]);
    for (what, work, sites) in [
        ("create", Work::Create, all),
        ("list shifts", Work::ListShifts, all),
        ("count a request", Work::Count, shared),
    ] {
        let rounds = in_turn(ROUNDS, sites, |site| runtime.block_on(per_second(site, work)));
        let rates: Vec<_> = rounds.into_iter().map(|rates| median(rates, |rate| *rate)).collect();
        for (number, (site, rate)) in sites.iter().zip(&rates).enumerate() {
            let limit = (number > 0).then_some(sites[0].name);
            report.add(Line {
                work: format!("{CALLERS} callers {what}, {}", site.name),
                limit: limit.unwrap_or_default().to_owned(),
                unit: Unit::PerSecond,
                ours: *rate,
                theirs: limit.map(|_| rates[0]),
                goal: None,
                latencies: None,
            });
        }
    }
    report.end();
}

async fn sites(folder: &Path, cluster: Option<&Cluster>) -> Vec<Arc<Site>> {
    let sqlite = SqliteStore::open(&folder.join("signup.db")).await.unwrap().uncached();
    let mut sites = vec![Arc::new(Site::new("SQLite", vec![Arc::new(sqlite)]).await)];
    let Some(cluster) = cluster else { return sites };
    for (name, number) in [("PostgreSQL", 1), ("PostgreSQL, 2 stores", 2), ("PostgreSQL, 4 stores", 4)] {
        let stores = postgres(&cluster.database().await, number).await;
        sites.push(Arc::new(Site::new(name, stores).await));
    }
    sites
}
