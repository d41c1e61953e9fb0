//! Many edits of one event at once, with sign-ups beside them, in one process and in two.
//!
//! Two stores on one PostgreSQL, each with its own service, stand for two processes. Also measures the commits of an
//! organization while many sign-ups of another one wait for a locked shift.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use signup_benches::{in_turn, quantile};
use signup_core::{
    Capacity, DeleteShift, EmailAddress, EventId, EventPatch, NewSignup, Result, ScheduledShift, Service,
    Session, ShiftId, ShiftPatch,
};
use sqlx::{Connection as _, Executor as _, PgConnection};
use tokio::runtime::Runtime;

use crate::engine::{self, Engine, new_event, new_shift};
use crate::report;

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
    callers: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Edit {
    PatchEvent,
    DeleteShift,
    AddShift,
}

const LOADS: [Load; 3] = [
    Load { name: "300 patches, 20 callers", edit: Edit::PatchEvent, edits: 300, callers: 20 },
    Load { name: "delete 300 shifts, 20 callers", edit: Edit::DeleteShift, edits: 300, callers: 20 },
    Load { name: "add 900 shifts, 8 callers", edit: Edit::AddShift, edits: 900, callers: 8 },
];

/// Services that share a database with two organizations.
struct Site {
    /// A service, and a session of the first organization, for each process.
    processes: Vec<(Service, Session)>,
    other: Session,
    url: Option<String>,
    numbers: AtomicU32,
}

/// The result of a round.
#[derive(Default)]
struct Round {
    millis: f64,
    /// The duration of each sign-up, in milliseconds.
    sign_ups: Vec<f64>,
    /// The number of edits and sign-ups that failed.
    failed: u32,
}

pub(crate) fn measure(runtime: &Runtime, engine: &Engine) {
    let processes: &[usize] = if matches!(engine, Engine::Sqlite { .. }) { &[1] } else { &[1, 2] };
    for processes in processes {
        let site = Arc::new(runtime.block_on(Site::new(engine, *processes)));
        for load in &LOADS {
            edits(runtime, &site, load);
        }
        if let Some(url) = &site.url {
            let (millis, failed) = runtime.block_on(beside_a_locked_shift(&site, url));
            report("commit beside 500 sign-ups for a locked shift", millis, "ms", Some(50.0));
            report("failed sign-ups for the locked shift", failed.into(), "", Some(0.0));
        }
    }
}

/// Compares the edits of a load with the same edits by one caller.
fn edits(runtime: &Runtime, site: &Arc<Site>, load: &Load) {
    let rounds = in_turn(ROUNDS, &[load.callers, 1], |callers| runtime.block_on(round(site, load, *callers)));
    let millis = |side: usize| {
        let millis: Vec<_> = rounds[side].iter().map(|round| round.millis).collect();
        quantile(&millis, 0.5)
    };
    let name = format!("{}, {} processes", load.name, site.processes.len());
    report(&name, millis(0), "ms", None);
    report("  as a ratio to one caller", millis(0) / millis(1), "", None);
    let sign_ups: Vec<_> = rounds[0].iter().flat_map(|round| round.sign_ups.iter().copied()).collect();
    report("  p99 of sign-ups", quantile(&sign_ups, 0.99), "ms", Some(500.0));
    let failed: u32 = rounds.iter().flatten().map(|round| round.failed).sum();
    report("  failed writes", failed.into(), "", Some(0.0));
}

impl Site {
    async fn new(engine: &Engine, processes: usize) -> Self {
        let database = engine.database(processes).await;
        let services: Vec<_> = database.stores.iter().map(engine::service).collect();
        let ours = engine::organization(&services[0]).await;
        let theirs = engine::organization(&services[0]).await;
        let other = engine::session(&services[0], theirs).await;
        let mut processes = vec![];
        for service in services {
            let session = engine::session(&service, ours).await;
            processes.push((service, session));
        }
        Self { processes, other, url: database.url, numbers: AtomicU32::new(0) }
    }

    /// Returns the service and the session of the process that serves this caller.
    fn process(&self, caller: usize) -> &(Service, Session) {
        &self.processes[caller % self.processes.len()]
    }

    fn number(&self) -> u32 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    async fn edit(&self, caller: usize, event: EventId, edit: Edit, shift: Option<ShiftId>) -> Result<()> {
        let (_, session) = self.process(caller);
        match edit {
            Edit::PatchEvent => {
                let title = format!("Food drive {}", self.number());
                session.patch_event(event, EventPatch::new().title(title.parse().unwrap())).await.map(drop)
            }
            Edit::DeleteShift => session.delete_shift(shift.unwrap(), DeleteShift::new()).await.map(drop),
            Edit::AddShift => session.add_shifts(event, vec![new_shift()]).await.map(drop),
        }
    }

    async fn sign_up(&self, caller: usize, shift: &ScheduledShift) -> Result<()> {
        let (service, _) = self.process(caller);
        let email = EmailAddress::new(&format!("volunteer{}@example.org", self.number())).unwrap();
        let new = NewSignup::new("Ada".parse().unwrap(), email);
        service
            .volunteers()
            .form_of(shift.organization, [shift.id])
            .await?
            .sign_up(new)
            .await?
            .into_places()
            .map(drop)
    }
}

/// Publishes an event with this number of shifts.
async fn publish(session: &Session, shifts: u32) -> Vec<ScheduledShift> {
    session.create_event(new_event(shifts).published()).await.unwrap().shifts
}

/// Runs the edits of a load with this many callers, on a new event.
async fn round(site: &Arc<Site>, load: &Load, callers: usize) -> Round {
    let edited = if load.edit == Edit::DeleteShift { load.edits } else { 0 };
    let mut shifts = publish(&site.processes[0].1, 1 + edited).await;
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
    let mut round = Round::default();
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

/// Returns the median duration of commits of an organization while sign-ups of the other one wait for a shift that another
/// connection has locked, and the number of sign-ups that failed. SQLite has no such locks.
async fn beside_a_locked_shift(site: &Arc<Site>, url: &str) -> (f64, u32) {
    let shift = Arc::new(publish(&site.processes[0].1, 1).await.remove(0));
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
    // Time is meant: no condition shows that all sign-ups wait, because most of them wait for a connection.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut millis = vec![];
    for _ in 0..COMMITS {
        let patch = ShiftPatch::new().capacity(Capacity::new(1 + site.number()).unwrap());
        let began = Instant::now();
        drop(site.other.patch_shift(theirs.id, patch).await.unwrap());
        millis.push(began.elapsed().as_secs_f64() * 1e3);
    }
    lock.execute("ROLLBACK").await.unwrap();
    let mut failed = 0;
    for waiter in waiters {
        failed += u32::from(waiter.await.unwrap().is_err());
    }
    (quantile(&millis, 0.5), failed)
}
