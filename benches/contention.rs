//! Benchmark of many edits of one event: `cargo bench -p signup-benches --bench contention`.
//!
//! Compares edits by many callers with the same edits by one caller. Volunteers sign up for the event at the same time. Two
//! stores on one PostgreSQL, each with its own service, stand for two processes. Also measures the commits of an organization
//! while many sign-ups of another one wait for a locked shift. Both engines sync to the disk at every commit.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use signup_benches::{Goal, Line, Report, Unit, event, in_turn, median};
use signup_core::{
    Capacity, DeleteShift, EmailAddress, EventId, EventPatch, NewEvent, NewOrganization, NewShift, NewSignup,
    Plan, PlanLimits, PlanTable, Result, ScheduledShift, Scopes, Service, Session, ShiftId, ShiftPatch,
    Store, TokioClock, date,
};
use signup_store_sql::test_cluster::Cluster;
use signup_store_sql::{PostgresOptions, PostgresStore, SqliteStore};
use sqlx::{Connection as _, Executor as _, PgConnection};
use tokio::runtime::Runtime;

/// The number of rounds, whose median is the figure. A round takes seconds.
const ROUNDS: usize = 3;
/// The number of volunteers that sign up one after another during a round, for a shift that no edit names.
const VOLUNTEERS: usize = 4;
/// The number of sign-ups that wait for a locked shift.
const WAITERS: usize = 500;
/// The number of commits of another organization whose median is the figure.
const COMMITS: usize = 50;

/// Edits of one event.
struct Load {
    name: &'static str,
    edit: Edit,
    edits: u32,
    /// The shifts of the event that are edited.
    shifts: u32,
    callers: usize,
    /// The goal of the duration, compared with one caller.
    goal: Option<Goal>,
}

#[derive(Clone, Copy)]
enum Edit {
    PatchEvent,
    DeleteShift,
    AddShift,
}

const LOADS: [Load; 3] = [
    Load {
        name: "300 patches, 20 callers",
        edit: Edit::PatchEvent,
        edits: 300,
        shifts: 0,
        callers: 20,
        goal: None,
    },
    Load {
        name: "delete 300 shifts at once",
        edit: Edit::DeleteShift,
        edits: 300,
        shifts: 300,
        callers: 300,
        goal: Some(Goal::AtMost(2.0)),
    },
    Load {
        name: "add 900 shifts, 8 callers",
        edit: Edit::AddShift,
        edits: 900,
        shifts: 0,
        callers: 8,
        goal: Some(Goal::AtMost(1.2)),
    },
];

/// Services that share a database with two organizations.
struct Site {
    name: &'static str,
    /// A service, and a session of the first organization, for each process.
    services: Vec<(Service, Session)>,
    other: Session,
    numbers: AtomicU32,
}

/// The result of a round.
struct Round {
    millis: f64,
    /// The duration of each sign-up, in milliseconds.
    sign_ups: Vec<f64>,
    /// The number of edits and sign-ups that failed.
    failed: u32,
}

fn main() {
    let runtime = Runtime::new().unwrap();
    let mut report = Report::begin("contention");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("signup.db");
    let sqlite = runtime.block_on(SqliteStore::open(&file)).unwrap();
    measure(&runtime, &mut report, &runtime.block_on(Site::new("SQLite", vec![Arc::new(sqlite)])));
    // Commits wait for the disk. By default a test cluster does not sync.
    if let Some(cluster) = Cluster::start(&["-c", "fsync=on", "-c", "full_page_writes=on"]) {
        for (name, stores) in [("PostgreSQL", 1), ("PostgreSQL, 2 stores", 2)] {
            let url = runtime.block_on(cluster.database());
            let site = runtime.block_on(async { Site::new(name, postgres(&url, stores).await).await });
            measure(&runtime, &mut report, &site);
            report.add(runtime.block_on(beside_a_locked_shift(&site, &url)));
        }
    }
    report.end();
}

fn measure(runtime: &Runtime, report: &mut Report, site: &Arc<Site>) {
    for load in &LOADS {
        let rounds =
            in_turn(ROUNDS, &[load.callers, 1], |callers| runtime.block_on(round(site, load, *callers)));
        let failed: u32 = rounds.iter().flatten().map(|round| round.failed).sum();
        if failed > 0 {
            println!("{failed} writes failed: {}, {}", load.name, site.name);
        }
        let mut sign_ups: Vec<_> = rounds[0].iter().flat_map(|round| round.sign_ups.clone()).collect();
        sign_ups.sort_by(f64::total_cmp);
        let p99 = sign_ups.get(sign_ups.len() * 99 / 100).copied().unwrap_or_default();
        let [ours, limit] = [0, 1].map(|side| {
            let millis = rounds[side].iter().map(|round| round.millis).collect();
            median(millis, |millis| *millis)
        });
        let work = format!("{}, {}", load.name, site.name);
        report.add(line(work, "one caller", [ours, limit], load.goal));
        let work = format!("p99 of sign-ups: {}, {}", load.name, site.name);
        report.add(line(work, "the goal", [p99, 250.0], Some(Goal::AtMost(1.0))));
    }
}

fn line(work: String, limit: &str, [ours, theirs]: [f64; 2], goal: Option<Goal>) -> Line {
    let limit = limit.to_owned();
    Line { work, limit, unit: Unit::Milliseconds, ours, theirs: Some(theirs), goal, latencies: None }
}

impl Site {
    async fn new(name: &'static str, stores: Vec<Arc<dyn Store>>) -> Arc<Self> {
        let plans = PlanTable::uniform(PlanLimits::unlimited().event_days(366));
        let services = stores.into_iter().map(Service::shared);
        let services: Vec<_> =
            services.map(|service| service.with_plans(plans).with_clock(TokioClock)).collect();
        let mut organizations = vec![];
        for _ in 0..2 {
            let new = NewOrganization::new("Contention".parse().unwrap()).plan(Plan::Pro);
            organizations.push(services[0].admin().create_organization(new).await.unwrap().id);
        }
        let other = services[0].session_for(organizations[1], Scopes::all()).await.unwrap();
        let mut sessions = vec![];
        for service in services {
            let session = service.session_for(organizations[0], Scopes::all()).await.unwrap();
            sessions.push((service, session));
        }
        Arc::new(Self { name, services: sessions, other, numbers: AtomicU32::new(0) })
    }

    /// Returns the service and the session of the process that serves this caller.
    fn process(&self, caller: usize) -> &(Service, Session) {
        &self.services[caller % self.services.len()]
    }

    fn number(&self) -> u32 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    async fn edit(&self, caller: usize, event: EventId, edit: Edit, shift: Option<ShiftId>) -> Result<()> {
        let (_, session) = self.process(caller);
        match edit {
            Edit::PatchEvent => {
                let title = format!("Food drive {}", self.number());
                let patch = EventPatch::new().title(title.parse().unwrap());
                session.patch_event(event, patch).await.map(drop)
            }
            Edit::DeleteShift => session.delete_shift(shift.unwrap(), DeleteShift::new()).await.map(drop),
            Edit::AddShift => session.add_shifts(event, vec![new_shift()]).await.map(drop),
        }
    }

    async fn sign_up(&self, caller: usize, shift: &ScheduledShift) -> Result<()> {
        let (service, _) = self.process(caller);
        let email = EmailAddress::new(&format!("volunteer{}@example.org", self.number())).unwrap();
        let new = NewSignup::new("Ada".parse().unwrap(), email);
        service.volunteers().form_of(shift.organization, shift.id).await?.sign_up(new).await.map(drop)
    }
}

/// Publishes an event with this number of shifts.
async fn publish(session: &Session, shifts: u32) -> Vec<ScheduledShift> {
    let new = NewEvent::new(event::TITLE.parse().unwrap(), date(2099, 6, 5), event::ZONE.parse().unwrap());
    let new = (0..shifts).fold(new.published(), |new, _| new.shift(new_shift()));
    session.create_event(new).await.unwrap().shifts
}

fn new_shift() -> NewShift {
    NewShift::new(event::shift_title(1).parse().unwrap(), Capacity::new(1_000_000).unwrap())
}

/// Runs the edits of a load with this many callers, on a new event.
async fn round(site: &Arc<Site>, load: &Load, callers: usize) -> Round {
    let mut shifts = publish(&site.services[0].1, 1 + load.shifts).await;
    let popular = Arc::new(shifts.pop().unwrap());
    let is_over = Arc::new(AtomicBool::new(false));
    let volunteers: Vec<_> = (0..VOLUNTEERS)
        .map(|caller| {
            let (site, popular, is_over) = (Arc::clone(site), Arc::clone(&popular), Arc::clone(&is_over));
            tokio::spawn(async move {
                let (mut millis, mut failed) = (vec![], 0);
                while !is_over.load(Ordering::Relaxed) {
                    let began = Instant::now();
                    failed += u32::from(site.sign_up(caller, &popular).await.is_err());
                    millis.push(began.elapsed().as_secs_f64() * 1e3);
                }
                (millis, failed)
            })
        })
        .collect();
    let (edits, edit, next) = (load.edits, load.edit, Arc::new(AtomicU32::new(0)));
    let shifts: Arc<[ShiftId]> = shifts.iter().map(|shift| shift.id).collect();
    let began = Instant::now();
    let callers: Vec<_> = (0..callers)
        .map(|caller| {
            let (site, event, next) = (Arc::clone(site), popular.event, Arc::clone(&next));
            let shifts = Arc::clone(&shifts);
            tokio::spawn(async move {
                let mut failed = 0;
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= edits {
                        return failed;
                    }
                    let shift = shifts.get(number as usize).copied();
                    failed += u32::from(site.edit(caller, event, edit, shift).await.is_err());
                }
            })
        })
        .collect();
    let mut round = Round { millis: 0.0, sign_ups: vec![], failed: 0 };
    for caller in callers {
        round.failed += caller.await.unwrap();
    }
    round.millis = began.elapsed().as_secs_f64() * 1e3;
    is_over.store(true, Ordering::Relaxed);
    for volunteer in volunteers {
        let (millis, failed) = volunteer.await.unwrap();
        round.sign_ups.extend(millis);
        round.failed += failed;
    }
    round
}

/// Measures commits of an organization while sign-ups of the other one wait for a shift that another connection has
/// locked. SQLite has no such locks.
async fn beside_a_locked_shift(site: &Arc<Site>, url: &str) -> Line {
    let shift = Arc::new(publish(&site.services[0].1, 1).await.remove(0));
    let theirs = publish(&site.other, 1).await.remove(0);
    let mut lock = PgConnection::connect(url).await.unwrap();
    lock.execute("BEGIN").await.unwrap();
    let query = sqlx::query("SELECT FROM shifts WHERE id = $1 FOR UPDATE").bind(shift.id.uuid());
    query.execute(&mut lock).await.unwrap();
    let waiters: Vec<_> = (0..WAITERS)
        .map(|caller| {
            let (site, shift) = (Arc::clone(site), Arc::clone(&shift));
            tokio::spawn(async move { site.sign_up(caller, &shift).await })
        })
        .collect();
    // Time is meant: no condition shows that all sign-ups wait, because they wait in batches.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut millis = vec![];
    for _ in 0..COMMITS {
        let patch = ShiftPatch::new().capacity(Capacity::new(1 + site.number()).unwrap());
        let began = Instant::now();
        site.other.patch_shift(theirs.id, patch).await.unwrap();
        millis.push(began.elapsed().as_secs_f64() * 1e3);
    }
    lock.execute("ROLLBACK").await.unwrap();
    let mut failed = 0;
    for waiter in waiters {
        failed += u32::from(waiter.await.unwrap().is_err());
    }
    if failed > 0 {
        println!("{failed} sign-ups failed: a locked shift, {}", site.name);
    }
    let work = format!("commit beside a locked shift, {}", site.name);
    line(work, "the goal", [median(millis, |millis| *millis), 50.0], Some(Goal::AtMost(1.0)))
}

/// Opens as many stores as there are processes on one database.
async fn postgres(url: &str, number: usize) -> Vec<Arc<dyn Store>> {
    let mut stores: Vec<Arc<dyn Store>> = vec![];
    for _ in 0..number {
        let urls = [url.parse().unwrap()];
        stores.push(Arc::new(PostgresStore::open(&urls, PostgresOptions::default()).await.unwrap()));
    }
    stores
}
