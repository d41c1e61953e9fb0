//! Coverage of an organization: which events it lists, and the filter of covered ones at every instant.

use std::collections::BTreeSet;

use proptest::prelude::*;
use signup_core::*;

use crate::generators::{days, hours};
use crate::scene::Scene;

fn shift(capacity: u32) -> NewShift {
    NewShift::new("Packing".parse().unwrap(), Capacity::new(capacity).unwrap())
}

fn event(day: i8, last: Option<i8>) -> NewEvent {
    let new = NewEvent::new("Food drive".parse().unwrap(), date(2027, 6, day), "UTC".parse().unwrap());
    let new = new.shift(shift(2)).published();
    last.map_or(new.clone(), |last| new.end_date(date(2027, 6, last)))
}

async fn all(session: &Session, query: CoverageQuery) -> Vec<EventCoverage> {
    let (mut found, mut pages) = (vec![], session.pages(query));
    while let Some(page) = pages.next().await.unwrap() {
        found.extend(page.items);
    }
    found
}

fn ids(found: &[EventCoverage]) -> Vec<EventId> {
    found.iter().map(|found| found.event.id).collect()
}

#[tokio::test]
async fn coverage_is_listed_for_the_active_events_soonest_first() {
    let scene = Scene::start().await;
    let session = &scene.session;
    let mut events = vec![];
    // It is noon of the 5th.
    for (day, last) in [(9, None), (4, None), (1, Some(5)), (5, None), (1, Some(4)), (7, Some(9))] {
        events.push(session.create_event(event(day, last)).await.unwrap().event.id);
    }
    let cancelled = session.create_event(event(6, None)).await.unwrap().event.id;
    session.cancel_event(cancelled, Cancellation::new()).await.unwrap();
    let draft = session.create_event(event(6, None)).await.unwrap().event.id;
    session.unpublish_event(draft).await.unwrap();
    let deleted = session.create_event(event(6, None)).await.unwrap().event.id;
    session.delete_event(deleted).await.unwrap();

    let expected = [2, 3, 5, 0].map(|index: usize| events[index]);
    for limit in [1, 2, 100] {
        let found = all(session, CoverageQuery::new().limit(limit)).await;
        assert_eq!(ids(&found), expected, "{limit}");
        for EventCoverage { event, coverage, .. } in found {
            assert_eq!(session.event(event.id).await.unwrap().event, event);
            assert_eq!(session.coverage(event.id).await.unwrap(), coverage, "the same as that of the event");
        }
    }
    let day = |text: &str| text.parse().unwrap();
    let in_period = |from, to| CoverageQuery::new().from_date(day(from)).to_date(day(to));
    assert_eq!(ids(&all(session, in_period("2027-06-05", "2027-06-06")).await), expected[..2]);
    assert_eq!(ids(&all(session, in_period("2027-06-08", "2027-06-08")).await), expected[2..3]);
    assert_eq!(ids(&all(session, in_period("2027-06-01", "2027-06-04")).await), expected[..1]);
    let stranger = crate::scene::session(&scene.service, Plan::Pro).await;
    assert_eq!(all(&stranger, CoverageQuery::new()).await, [], "another organization");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.min(200), ..ProptestConfig::default() })]

    /// The two filters divide the events as their coverage says, before and after each end of a shift, on days with a clock
    /// change, and after edits that move the shifts.
    #[test]
    fn an_event_is_listed_as_covered_exactly_while_its_coverage_says_so(
        day in days(),
        moved in days(),
        shifts in prop::collection::vec((hours(), 1..3_u32), 0..4),
        taken in 0..4_usize,
        edit in hours(),
    ) {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
            let scene = Scene::start_at("1970-01-01T00:00:00Z").await;
            let Scene { session, clock, .. } = &scene;
            let mut new = NewEvent::new("A".parse().unwrap(), day.date().date(), day.zone().clone()).published();
            for (hours, capacity) in &shifts {
                new = new.shift(shift(*capacity).hours(*hours));
            }
            let created = session.create_event(new).await.unwrap();
            if let Some(shift) = created.shifts.get(taken) {
                drop(scene.sign_up(shift, "ada").await);
            }
            if let Some(shift) = created.shifts.first() {
                drop(session.patch_shift(shift.id, ShiftPatch::new().hours(edit)).await);
            }
            let patch = EventPatch::new().start_date(moved.date().date()).zone(moved.zone().clone());
            let found = session.patch_event(created.event.id, patch).await.unwrap();
            let ends = found.shifts.iter().map(|shift| shift.interval().end);
            let instants = ends.flat_map(|end| [end - SignedDuration::from_secs(1), end]);
            let instants: BTreeSet<_> = instants.filter(|instant| *instant >= clock.now()).collect();
            for now in instants {
                clock.set(now);
                let listed = all(session, CoverageQuery::new()).await;
                let [covered, open] = [true, false].map(|flag| CoverageQuery::new().covered(flag));
                let (covered, open) = (all(session, covered).await, all(session, open).await);
                let is_covered = |found: &&EventCoverage| found.coverage.is_covered;
                prop_assert_eq!(&covered, &listed.iter().filter(is_covered).cloned().collect::<Vec<_>>());
                prop_assert_eq!(covered.len() + open.len(), listed.len());
            }
            Ok::<(), TestCaseError>(())
        })?;
    }
}
