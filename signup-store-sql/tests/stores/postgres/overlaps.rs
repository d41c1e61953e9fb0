//! PostgreSQL: processes whose batches overlap.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use signup_core::conformance::records::{self, at, uuid};
use signup_core::{
    CancelledBy, Capacity, ChangeSet, CommitError, Event, OrganizationId, QuestionId, Requirement, Shift,
    Store, Write,
};
use signup_store_sql::test_cluster::Cluster;
use signup_store_sql::{PostgresOptions, PostgresStore};

use super::stores_on;
use crate::records::{with, writes};

/// The shifts. The first one is soon closed, and refuses sign-ups from then on.
const SHIFTS: u32 = 7;
const TASKS: u32 = 32;

/// What the change sets of this test have in common, so that they wait for each other.
struct World {
    events: Vec<Event>,
    shifts: Vec<Shift>,
    next: AtomicU32,
}

impl World {
    async fn fill(store: &PostgresStore) -> Self {
        let events: Vec<_> = (1..=2).map(|number| records::event(number, number)).collect();
        let shift = |number: u32| {
            let event = &events[number as usize % 2];
            with(records::shift(event, 10 + number, 5), |shift| {
                shift.occupancy.capacity = Capacity::new(1_000_000).unwrap();
            })
        };
        let shifts: Vec<_> = (0..SHIFTS).map(shift).collect();
        let organizations = (1..=2).map(|number| Write::InsertOrganization(records::organization(number)));
        let all = organizations
            .chain(
                events
                    .iter()
                    .map(|event| Write::InsertEvent { event: Box::new(event.clone()), location_data: None }),
            )
            .chain([Write::InsertShifts(shifts.clone())]);
        store.commit(writes(all)).await.unwrap();
        Self { events, shifts, next: AtomicU32::new(100) }
    }

    /// A change set on several shifts, an event, one organization, a slug and an idempotency key that others use, too. `random`
    /// decides which, and in which order.
    fn change(&self, random: u32) -> ChangeSet {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let (mut requires, mut writes) = (vec![], vec![]);
        for step in 0..1 + random % 3 {
            let shift = &self.shifts[((random >> (4 * step)) % SHIFTS) as usize];
            let (organization, id) = (shift.organization, shift.id);
            let signup = records::signup(shift, 10 * number + step);
            match random >> (8 + step) & 3 {
                0 => requires.push(Requirement::ShiftAtVersion { organization, shift: id, version: 1 }),
                1 => writes.push(Write::UpdateShift(Box::new(shift.clone()))),
                _ => {
                    requires.push(Requirement::ShiftHasRoom { organization, shift: id });
                    writes.push(Write::InsertSignup(Box::new(signup)));
                }
            }
        }
        if random & 1 << 12 == 0 {
            let event = &self.events[(random >> 13 & 1) as usize];
            let organization = event.organization;
            let slug = format!("slug-{}", number / 4);
            let owner = 1 + (random >> 13 & 1);
            let new = with(records::event(owner, number), |event| event.slug.clone_from(&slug));
            let key = records::receipt_key(owner, &format!("key-{}", random >> 14 & 7));
            let receipt = records::receipt(key.clone(), &new, &[]);
            requires.push(Requirement::EventSlugFree(slug));
            requires.push(Requirement::ActiveEventsBelow { organization, limit: u32::MAX, now: at(0) });
            requires.push(Requirement::NoReceipt { key, now: receipt.expires_at });
            writes.push(Write::InsertEvent { event: Box::new(new), location_data: None });
            writes.push(Write::InsertReceipt(Box::new(receipt)));
        }
        let event = &self.events[(random >> 19 & 1) as usize];
        let organization = event.organization;
        match random >> 20 & 15 {
            0 => {
                writes.push(Write::UpdateEvent { event: Box::new(event.clone()), may_change_activity: true });
            }
            1 => writes.push(Write::CloseShift {
                organization: self.shifts[0].organization,
                shift: self.shifts[0].id,
                at: at(5),
                by: CancelledBy::ShiftDeletion,
            }),
            2 => {
                let question = QuestionId::new(uuid(1));
                requires.push(Requirement::QuestionUnanswered { organization, event: event.id, question });
            }
            3 => {
                let shifts = self.shifts.iter().map(|shift| shift.id).collect();
                requires.push(Requirement::ShiftsAreEmpty { organization, event: event.id, shifts });
            }
            4..8 => requires.extend(self.events.iter().map(|event| Requirement::EventAtVersion {
                organization: event.organization,
                event: event.id,
                version: event.version,
            })),
            _ => {}
        }
        if random & 1 << 18 == 0 {
            requires.reverse();
        }
        ChangeSet { requires, writes }
    }
}

/// Transactions acquire their locks in one order, whatever the order of the requirements, and in whichever process. `OVERLAP_S`
/// sets for how long, in seconds; a minute unless set.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_whose_batches_overlap_never_deadlock() {
    let Some(cluster) = Cluster::shared() else { return };
    let seconds = std::env::var("OVERLAP_S").map_or(60, |seconds| seconds.parse().unwrap());
    let url = cluster.database().await;
    let stores: Vec<_> =
        stores_on(&url, 2, &PostgresOptions::default()).await.into_iter().map(Arc::new).collect();
    let world = Arc::new(World::fill(&stores[0]).await);
    let end = Instant::now() + Duration::from_secs(seconds);
    let tasks = (0..TASKS).map(|task| {
        let (store, world) = (Arc::clone(&stores[task as usize % 2]), Arc::clone(&world));
        tokio::spawn(async move {
            let (mut random, mut committed, mut refused) = (task + 1, 0_u32, 0_u32);
            while Instant::now() < end {
                // A linear congruential generator: the same change sets in every run.
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                match store.commit(world.change(random >> 8)).await {
                    Ok(()) => committed += 1,
                    Err(CommitError::Refused(_)) => refused += 1,
                    Err(error) => panic!("{error:?}"),
                }
            }
            (committed, refused)
        })
    });
    let (mut committed, mut refused) = (0, 0);
    for task in join_all(tasks.collect::<Vec<_>>()).await {
        let (more_committed, more_refused) = task.unwrap();
        committed += more_committed;
        refused += more_refused;
    }
    eprintln!("{committed} change sets were committed and {refused} refused in {seconds} s");
    assert!(committed > 0 && refused > 0, "the change sets overlap");
    for shift in &world.shifts {
        let stored = stores[0].shift(shift.organization, shift.id).await.unwrap().unwrap();
        let mut after = None;
        let mut signed_up = 0;
        loop {
            let page =
                stores[0].confirmed_signups(shift.organization, shift.id, after, 10_000).await.unwrap();
            signed_up += page.len();
            match page.last() {
                Some(last) => after = Some(last.id),
                None => break,
            }
        }
        assert_eq!(stored.occupancy.filled as usize, signed_up, "each place is counted once");
    }
    let owner = OrganizationId::new(uuid(1));
    assert!(stores[1].organization(owner).await.unwrap().is_some());
    for store in stores {
        store.close().await;
    }
    let miscounted = "SELECT count(*) FROM shifts s WHERE filled <> (SELECT count(*) FROM signups u \
         WHERE u.organization_id = s.organization_id AND u.shift_id = s.id AND u.status = 'confirmed')";
    assert_eq!(cluster.sql(url.rsplit('/').next().unwrap(), miscounted), "0");
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(cluster.sql(url.rsplit('/').next().unwrap(), deadlocks), "0");
}
