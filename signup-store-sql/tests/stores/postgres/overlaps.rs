//! PostgreSQL: processes whose commits overlap.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use signup_core::conformance::records::{
    self, absent, are_empty, at, closed, gate_unchanged, has_room, insert, stored, unchanged, uuid,
};
use signup_core::{
    CancelledBy, Capacity, ChangeSet, CommitError, Entity as _, Event, QuestionId, Record, Requirement,
    Shift, SignupQuery, SignupStatus, Store, Total, Unique,
};
use signup_store_sql::test_cluster::Cluster;
use signup_store_sql::{PostgresOptions, PostgresStore};

use super::stores_on;
use crate::records::with;

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
        let organizations = (1..=2).map(|number| Record::from(records::organization(number)));
        let all = organizations.chain(events.iter().cloned().map(Record::from));
        store.commit(insert(all.chain(shifts.iter().cloned().map(Record::from)))).await.unwrap();
        Self { events, shifts, next: AtomicU32::new(100) }
    }

    /// A change set on several shifts, an event, one organization, a slug and an idempotency key that others use, too. `random`
    /// decides which, and in which order.
    fn change(&self, random: u32) -> ChangeSet {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut change = ChangeSet::default();
        for step in 0..1 + random % 3 {
            let shift = &self.shifts[((random >> (4 * step)) % SHIFTS) as usize];
            let signup = records::signup(shift, 10 * number + step);
            match random >> (8 + step) & 3 {
                0 => change.requires.push(unchanged(shift)),
                1 => change.replace(shift.clone(), shift.clone()),
                _ => {
                    change.requires.extend([gate_unchanged(shift), has_room(shift)]);
                    change.insert(signup);
                }
            }
        }
        if random & 1 << 12 == 0 {
            let event = &self.events[(random >> 13 & 1) as usize];
            let slug = format!("slug-{}", number / 4);
            let owner = 1 + (random >> 13 & 1);
            let new = with(records::event(owner, number), |event| event.slug.clone_from(&slug));
            let key = records::receipt_key(owner, &format!("key-{}", random >> 14 & 7));
            let receipt = records::receipt(key.clone(), &new, &[]);
            let total = Total::ActiveEvents(event.organization);
            change.requires.push(absent(Unique::EventSlug(slug)));
            change.requires.push(Requirement::Below { total, bound: u32::MAX, now: at(0) });
            change.requires.push(absent(Unique::Receipt(key)));
            change.insert(new);
            change.insert(receipt);
        }
        let event = &self.events[(random >> 19 & 1) as usize];
        match random >> 20 & 15 {
            0 => change.replace(event.clone(), event.clone()),
            1 => {
                let shift = &self.shifts[0];
                change.replace(shift.clone(), closed(shift, at(5), CancelledBy::ShiftDeletion));
            }
            2 => {
                let totals = vec![Total::Answers(event.organization, event.id, QuestionId::new(uuid(1)))];
                change.requires.push(Requirement::AllZero { parent: event.key(), totals });
            }
            3 => {
                let shifts: Vec<_> = self.shifts.iter().map(|shift| shift.id).collect();
                change.requires.push(are_empty(event, &shifts));
            }
            4..6 => change.requires.extend(self.events.iter().map(unchanged)),
            6..8 => change.requires.extend(self.events.iter().map(gate_unchanged)),
            _ => {}
        }
        if random & 1 << 18 == 0 {
            change.requires.reverse();
        }
        change
    }
}

/// Transactions acquire their locks in one order, whatever the order of the requirements, and in whichever process. `OVERLAP_S`
/// sets for how long, in seconds; 5 unless set.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_whose_commits_overlap_never_deadlock() {
    let Some(cluster) = Cluster::shared() else { return };
    let seconds = std::env::var("OVERLAP_S").map_or(5, |seconds| seconds.parse().unwrap());
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
        let filled = stored(&*stores[0], shift).await.unwrap().occupancy.filled;
        let query = SignupQuery::new().of_shift(shift.id).status(SignupStatus::Confirmed);
        let mut after = None;
        let mut signed_up = 0;
        loop {
            let page =
                stores[0].signups(shift.organization, &query.clone().above(after, 10_000)).await.unwrap();
            signed_up += page.items.len();
            match page.items.first() {
                Some(last) => after = Some(last.id),
                None => break,
            }
        }
        assert_eq!(filled as usize, signed_up, "each place is counted once");
    }
    assert!(stored(&*stores[1], &records::organization(1)).await.is_some());
    for store in stores {
        store.close().await;
    }
    let miscounted = "SELECT count(*) FROM shifts s WHERE filled <> (SELECT count(*) FROM signups u \
         WHERE u.organization_id = s.organization_id AND u.shift_id = s.id AND u.status = 'confirmed')";
    assert_eq!(cluster.sql(url.rsplit('/').next().unwrap(), miscounted), "0");
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(cluster.sql(url.rsplit('/').next().unwrap(), deadlocks), "0");
}
