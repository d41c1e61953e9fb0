//! Benchmark of work in the process, without database and network: `cargo bench -p signup-benches --bench rules`.
//!
//! Criterion measures the times. Where a library does the unavoidable part of the work, the limit is a call of that library.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]

use std::hint::black_box;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use criterion::Criterion;
use serde::Deserialize;
use signup_benches::{Line, Report, Unit, event, folder};
use signup_core::{
    Clock as _, Day, EventId, EventInput, EventKey, EventOrder, EventQuery, Hours, Name, NewOrganization,
    NewSignup, NewToken, Plan, PlanLimits, PlanTable, Position, Scopes, Service, Session, ShiftId,
    ShiftPatch, Side, SystemClock, TokenText, from_json, new_uuid,
};
use signup_store_memory::MemoryStore;
use tokio::runtime::Runtime;

/// The number of events of the organization in memory.
const EVENTS: u32 = 1000;
/// The capacity of each shift: more than the sign-ups of any run.
const PLACES: u32 = 1_000_000;
const LIMITS: PlanLimits = PlanLimits::unlimited().event_days(366);

fn main() {
    let mut rules = Rules::new();
    inputs(&mut rules);
    times(&mut rules);
    secrets(&mut rules);
    memory(&mut rules);
    rules.end();
}

/// Criterion, the report, and the pairs of work and limit.
struct Rules {
    report: Report,
    criterion: Criterion,
    pairs: Vec<(&'static str, Option<&'static str>)>,
}

impl Rules {
    fn new() -> Self {
        let report = Report::begin("rules");
        drop(std::fs::remove_dir_all(Self::folder()));
        let criterion = Criterion::default()
            .output_directory(&Self::folder())
            .without_plots()
            .sample_size(30)
            .warm_up_time(Duration::from_millis(300))
            .measurement_time(Duration::from_millis(700))
            .configure_from_args();
        Self { report, criterion, pairs: vec![] }
    }

    fn folder() -> PathBuf {
        folder().join("criterion")
    }

    fn measure<T>(&mut self, work: &'static str, mut routine: impl FnMut() -> T) {
        self.criterion.bench_function(work, |bencher| bencher.iter(&mut routine));
        self.pairs.push((work, None));
    }

    fn measure_async<T>(&mut self, runtime: &Runtime, work: &'static str, routine: impl AsyncFn() -> T) {
        self.criterion.bench_function(work, |bencher| bencher.to_async(runtime).iter(|| routine()));
        self.pairs.push((work, None));
    }

    /// Measures the limit of the last work.
    fn beside<T>(&mut self, limit: &'static str, routine: impl FnMut() -> T) {
        self.measure(limit, routine);
        self.pairs.pop();
        self.pairs.last_mut().unwrap().1 = Some(limit);
    }

    /// Reports the medians of criterion. The report is saved only if no filter excluded a work.
    fn end(mut self) {
        self.criterion.final_summary();
        let mut is_whole = true;
        for (work, limit) in self.pairs {
            let Some(ours) = microseconds(work) else {
                is_whole = false;
                continue;
            };
            self.report.add(Line {
                work: work.to_owned(),
                limit: limit.unwrap_or_default().to_owned(),
                unit: Unit::Microseconds,
                ours,
                theirs: limit.and_then(microseconds),
                goal: None,
                latencies: None,
            });
        }
        if is_whole {
            self.report.end();
        }
    }
}

/// Returns the median of a call in microseconds, from the file of criterion.
fn microseconds(id: &str) -> Option<f64> {
    #[derive(Deserialize)]
    struct Estimates {
        median: Median,
    }
    #[derive(Deserialize)]
    struct Median {
        point_estimate: f64,
    }
    let json = std::fs::read(Rules::folder().join(id).join("new/estimates.json")).ok()?;
    Some(serde_json::from_slice::<Estimates>(&json).unwrap().median.point_estimate / 1000.0)
}

fn inputs(rules: &mut Rules) {
    let json = event::body(event::SHIFTS, PLACES, true);
    rules.measure("read and check an event with ten shifts", || {
        let input: EventInput<'_> = from_json(black_box(json.as_bytes())).unwrap();
        input.check(LIMITS).unwrap()
    });
    rules.beside("serde_json, into a tree of values", || {
        serde_json::from_slice::<serde_json::Value>(black_box(json.as_bytes())).unwrap()
    });
}

fn times(rules: &mut Rules) {
    let hours = Hours::parse(Some("01:30"), Some("02:30")).unwrap();
    for (work, limit, date) in [
        ("hours to instants, ordinary day", "jiff, two wall times of that day", "2027-06-05"),
        ("hours to instants, clocks go forward", "jiff, two wall times in spring", "2027-03-14"),
        ("hours to instants, clocks go back", "jiff, two wall times in autumn", "2027-11-07"),
    ] {
        let day = Day::new(date.parse().unwrap(), "America/New_York".parse().unwrap());
        rules.measure(work, || black_box(&day).interval(black_box(hours)));
        let zone = day.zone().rules();
        let at = |hour| {
            let wall = black_box(day.date().date()).at(hour, 30, 0, 0);
            zone.to_ambiguous_timestamp(wall).compatible().unwrap()
        };
        rules.beside(limit, || (at(1), at(2)));
    }
}

fn secrets(rules: &mut Rules) {
    let token = TokenText::generate();
    rules.measure("recognize a token by shape and digest", || {
        black_box(token.reveal()).parse::<TokenText>().unwrap().digest()
    });
    let now = SystemClock.now();
    let key = EventKey { order: EventOrder::Latest, starts_at: now, id: EventId::new(new_uuid(now)) };
    let position = Position { key, side: Side::Below };
    rules.measure("write a cursor", || black_box(&position).to_string());
    let cursor = position.to_string();
    rules.measure("read a cursor", || black_box(&cursor).parse::<Position<EventKey>>().unwrap());
    rules.measure("make a UUIDv7", || new_uuid(black_box(now)));
}

/// A service on a memory store, a session of an organization with many events, and one of the events.
struct Site {
    service: Service,
    session: Session,
    event: EventId,
    shift: ShiftId,
    numbers: AtomicU64,
}

impl Site {
    async fn new() -> Self {
        let plans = PlanTable::uniform(LIMITS);
        let service = Service::new(MemoryStore::new()).with_plans(plans);
        let name = Name::new("Many").unwrap();
        let new = NewOrganization::new(name.clone()).plan(Plan::Pro);
        let organization = service.admin().create_organization(new).await.unwrap().id;
        let token =
            service.admin().create_token(organization, NewToken::new(name, Scopes::all())).await.unwrap().1;
        let session = service.authenticate(token.reveal()).await.unwrap();
        let json = event::body(event::SHIFTS, PLACES, true);
        let input: EventInput<'_> = from_json(json.as_bytes()).unwrap();
        for _ in 1..EVENTS {
            drop(session.create_event(event::checked(&input)).await.unwrap());
        }
        let created = session.create_event(event::checked(&input)).await.unwrap();
        let (event, shift) = (created.event.id, created.shifts[0].id);
        Self { service, session, event, shift, numbers: AtomicU64::new(0) }
    }

    fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }
}

fn memory(rules: &mut Rules) {
    let runtime = Runtime::new().unwrap();
    let site = runtime.block_on(Site::new());
    let Site { service, session, event, shift, .. } = &site;
    rules.measure_async(&runtime, "list 25 of 1000 events, memory", async || {
        session.events(EventQuery::new()).await.unwrap()
    });
    rules.measure_async(&runtime, "list ten shifts, memory", async || session.shifts(*event).await.unwrap());
    rules.measure_async(&runtime, "patch a shift, memory", async || {
        let title = format!("Shift {}", site.number()).parse().unwrap();
        session.patch_shift(*shift, ShiftPatch::new().title(title)).await.unwrap()
    });
    rules.measure_async(&runtime, "sign up, memory", async || {
        let email = format!("ada{}@example.org", site.number()).parse().unwrap();
        let form = service.volunteers().form_of(session.organization_id(), *shift).await.unwrap();
        form.sign_up(NewSignup::new("Ada".parse().unwrap(), email)).await.unwrap()
    });
    let json = event::body(event::SHIFTS, PLACES, true);
    let input: EventInput<'_> = from_json(json.as_bytes()).unwrap();
    rules.measure_async(&runtime, "create with ten shifts and a key, memory", async || {
        let key = format!("key-{}", site.number()).parse().unwrap();
        session.with_key(key).create_event(event::checked(&input)).await.unwrap()
    });
    let created = runtime.block_on(session.create_event(event::checked(&input))).unwrap();
    rules.beside("clone of the event and its shifts", || created.clone());
}
