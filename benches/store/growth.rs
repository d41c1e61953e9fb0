//! The cost of operations beside up to a million events of one organization. One caller calls the library.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use signup_benches::{in_turn, quantile};
use signup_core::{
    Event, EventDate, EventDates, EventId, EventKey, EventOrder, EventPatch, EventQuery, IdempotencyKey,
    NewSignup, OrganizationId, Position, ScheduledShift, Service, Session, ShiftPatch, Side, Timestamp,
    Write,
};
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::engine::{self, Database, Engine, new_event};
use crate::report;

/// The numbers of events. The last is compared with the first.
const SIZES: [u32; 3] = [100, 10_000, 1_000_000];
/// The number of events on each day, from 1970 on. So all of them are over.
const EVENTS_PER_DAY: u32 = 60;
/// Rounds are short and alternate, so that other load on the machine affects few rounds, and the rounds of all sizes alike.
const ROUNDS: usize = 21;
const CALLS: u32 = 25;
/// The goal: a cost grows at most with the depth of the trees.
const AT_MOST: f64 = 1.5;

struct Site {
    _database: Database,
    service: Service,
    session: Session,
    size: u32,
    /// Published, with one shift.
    coming: ScheduledShift,
    /// A draft that is published and unpublished in turn.
    draft: EventId,
    numbers: AtomicU32,
}

#[derive(Clone, Copy)]
enum Operation {
    ListAnywhere,
    ReadEvent,
    Create,
    PatchShift,
    PatchEvent,
    Publish,
    SignUp,
}

const OPERATIONS: [(&str, Operation); 7] = [
    ("a page anywhere in the list", Operation::ListAnywhere),
    ("read an event", Operation::ReadEvent),
    ("create an event with ten shifts and a key", Operation::Create),
    ("patch a shift", Operation::PatchShift),
    ("patch an event", Operation::PatchEvent),
    ("publish or unpublish an event", Operation::Publish),
    ("sign up", Operation::SignUp),
];

/// Reports the cost of each operation at each size, in microseconds, and the last one divided by the first.
pub(crate) fn measure(runtime: &Runtime, engine: &Engine) {
    let sites: Vec<_> = SIZES.into_iter().map(|size| runtime.block_on(Site::new(engine, size))).collect();
    for (name, operation) in OPERATIONS {
        let rounds = in_turn(ROUNDS, &sites, |site| runtime.block_on(site.round(operation)));
        let costs: Vec<_> = rounds.iter().map(|costs| quantile(costs, 0.5)).collect();
        for (size, cost) in SIZES.iter().zip(&costs) {
            report(&format!("{name}, {size} events"), *cost, "µs", None);
        }
        report(&format!("{name}, last size to first"), costs[2] / costs[0], "", Some(AT_MOST));
    }
}

impl Site {
    async fn new(engine: &Engine, size: u32) -> Self {
        let database = engine.database(1).await;
        let service = engine::service(&database.stores[0]);
        let organization = engine::organization(&service).await;
        let events = (1..=size).map(|number| Write::insert(event(organization, number)));
        engine::fill(&*database.stores[0], events).await;
        engine.settle(&database);
        let session = engine::session(&service, organization).await;
        let coming = session.create_event(new_event(1).published()).await.unwrap().shifts.remove(0);
        let draft = session.create_event(new_event(10)).await.unwrap().event.id;
        Self { _database: database, service, session, size, coming, draft, numbers: AtomicU32::new(0) }
    }

    /// Returns the mean cost of the calls of a round, in microseconds.
    async fn round(&self, operation: Operation) -> f64 {
        let began = Instant::now();
        for _ in 0..CALLS {
            self.run(operation).await;
        }
        began.elapsed().as_secs_f64() * 1e6 / f64::from(CALLS)
    }

    async fn run(&self, operation: Operation) {
        let Self { service, session, coming, draft, .. } = self;
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        // An odd factor spreads the numbers over all events, so a cache of answers helps no read.
        let random = 1 + number.wrapping_mul(2_654_435_761) % self.size;
        match operation {
            Operation::ListAnywhere => {
                let key = EventKey {
                    order: EventOrder::Latest,
                    starts_at: day(random).starts_at(),
                    id: EventId::MAX,
                };
                let query = EventQuery::new().at(Position { key, side: Side::Below });
                assert!(!session.events(query).await.unwrap().items.is_empty());
            }
            Operation::ReadEvent => drop(session.event(event_id(random)).await.unwrap()),
            Operation::Create => {
                let key: IdempotencyKey = format!("key-{number}").parse().unwrap();
                drop(session.create_event(new_event(10)).with_key(key).await.unwrap());
            }
            Operation::PatchShift => {
                let title = format!("Shift {number}").parse().unwrap();
                drop(session.patch_shift(coming.id, ShiftPatch::new().title(title)).await.unwrap());
            }
            Operation::PatchEvent => {
                let title = format!("Food drive {number}").parse().unwrap();
                drop(session.patch_event(coming.event, EventPatch::new().title(title)).await.unwrap());
            }
            Operation::Publish if number.is_multiple_of(2) => {
                drop(session.publish_event(*draft).await.unwrap());
            }
            Operation::Publish => drop(session.unpublish_event(*draft).await.unwrap()),
            Operation::SignUp => {
                let email = format!("ada{number}@example.org").parse().unwrap();
                let form =
                    service.volunteers().form_of(session.organization_id(), [coming.id]).await.unwrap();
                drop(
                    form.sign_up(NewSignup::new("Ada".parse().unwrap(), email))
                        .await
                        .unwrap()
                        .into_places()
                        .unwrap(),
                );
            }
        }
    }
}

/// Returns the event with this number. Nine of ten events are published.
fn event(organization: OrganizationId, number: u32) -> Event {
    let (title, slug) = ("Food drive".parse().unwrap(), format!("food-drive-{:08x}", number.reverse_bits()));
    let mut event =
        Event::new(event_id(number), organization, title, slug, day(number), Timestamp::UNIX_EPOCH);
    event.is_published = !number.is_multiple_of(10);
    event
}

fn event_id(number: u32) -> EventId {
    EventId::new(Uuid::from_u128(number.into()))
}

fn day(number: u32) -> EventDates {
    let first: EventDate = "1970-01-01".parse().unwrap();
    let first = first.plus_days(i64::from(number / EVENTS_PER_DAY)).unwrap();
    EventDates { first: signup_core::Day::new(first, "UTC".parse().unwrap()), last: None }
}
