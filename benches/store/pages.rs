//! Pages of lists: the last page against the first, and pages of coverage against a page of events.

use jiff::Timestamp;
use signup_benches::{Report, in_turn, median, per_call};
use signup_core::{
    ActivityId, ActivityQuery, EventId, EventKey, EventOrder, EventQuery, OpenShift, OrganizationId,
    Position, Side, SignupId, SignupQuery, Store,
};
use tokio::runtime::Runtime;

use crate::engine::Engine;
use crate::population::Population;
use crate::site::{PER_PAGE, Site, last_page, publish};
use crate::{ROUNDS, SMALLEST, line};

/// The number of pages of a round. The figure of a round is the mean.
const PAGES: u32 = 50;
/// The number of sign-ups of each of two events.
const SIGN_UPS: u32 = 100_000;
/// The number of activities of each of two events.
const ACTIVITIES: u32 = 500_000;

pub(crate) fn of_events(runtime: &Runtime, report: &mut Report, engine: &str, site: &Site) {
    let organization = site.session.organization_id();
    for (filter, is_published) in [("all", None), ("published", Some(true)), ("drafts", Some(false))] {
        let last = runtime.block_on(last_page(&*site.store, organization, is_published));
        let pages = [Some(last), None].map(|position| {
            let mut query = EventQuery::new().limit(PER_PAGE);
            (query.is_published, query.position) = (is_published, position);
            query
        });
        let page = runtime.block_on(site.store.events(organization, &pages[0])).unwrap();
        assert!(page.items.len() == PER_PAGE as usize && page.next.is_none() && page.previous.is_some());
        let read = async |page: &EventQuery| drop(site.store.events(organization, page).await.unwrap());
        compare(runtime, report, format!("last page of 1,000,000, {filter}, {engine}"), &pages, &read);
    }
}

/// Compares pages of coverage with a page of events. The organization has 16,380 events that are over, and 3,620 that are not.
/// Each has one shift.
pub(crate) fn of_coverage(runtime: &Runtime, report: &mut Report, engine: &Engine) {
    let population = Population { organizations: 1, events: 20_000, purge: None };
    let site = runtime.block_on(Site::new(engine, population));
    let organization = site.session.organization_id();
    let now: Timestamp = "1970-10-01T00:00:00Z".parse().unwrap();
    let active = EventQuery::new().published().cancelled(false).ends_after(now).soonest().limit(PER_PAGE);
    let open_shift = |exists| active.open_shift(OpenShift { after: now, exists });
    // The events behind are those that the site publishes, with ten shifts each.
    let end = "1970-11-25T00:00:00Z".parse().unwrap();
    let key = EventKey { order: EventOrder::Soonest, starts_at: end, id: EventId::NONE };
    let last = active.at(Position { key, side: Side::Above });
    for (page, query) in [
        ("first page of coverage", active),
        ("page 120 of coverage", last),
        ("first page of events to cover", open_shift(true)),
    ] {
        let found = runtime.block_on(site.store.events_with_shifts(organization, &query)).unwrap();
        assert!(
            found.items.len() == PER_PAGE as usize && found.items.iter().all(|found| found.shifts.len() == 1)
        );
        let rounds = in_turn(ROUNDS, &[true, false], |is_coverage| {
            let read = async || {
                if *is_coverage {
                    drop(site.store.events_with_shifts(organization, &query).await.unwrap());
                } else {
                    drop(site.store.events(organization, &EventQuery::new().limit(PER_PAGE)).await.unwrap());
                }
            };
            runtime.block_on(per_call(PAGES, read)).as_secs_f64() * 1e6
        });
        let costs: [Vec<_>; 2] = rounds.try_into().unwrap_or_default();
        let work = format!("{page}, {}", engine.name());
        report.add(line(work, "page of events", costs.map(|rounds| median(rounds, |cost| *cost)), 2.5));
    }
}

/// Measures the list of an event's sign-ups, and the list of the organization's. Two events get sign-ups in turn.
pub(crate) fn of_signups(runtime: &Runtime, report: &mut Report, engine: &Engine) {
    let site = runtime.block_on(Site::new(engine, SMALLEST));
    let organization = site.session.organization_id();
    let event = runtime.block_on(async {
        let [one, other] = [publish(&site.session).await, publish(&site.session).await];
        site.sign_up(&[one.shifts, other.shifts].concat(), 2 * SIGN_UPS).await;
        site.settle().await;
        one.event.id
    });
    for (list, query) in [
        ("100,000 sign-ups of an event", SignupQuery::new().of_event(event)),
        ("200,000 sign-ups", SignupQuery::new()),
    ] {
        let query = query.limit(PER_PAGE);
        let last = runtime.block_on(last_page_of_signups(&*site.store, organization, &query));
        let pages = [query.clone().at(last), query];
        let page = runtime.block_on(site.store.signups(organization, &pages[0])).unwrap();
        assert!(page.items.len() == PER_PAGE as usize && page.next.is_none() && page.previous.is_some());
        let read = async |page: &SignupQuery| drop(site.store.signups(organization, page).await.unwrap());
        compare(runtime, report, format!("last page of {list}, {}", engine.name()), &pages, &read);
    }
}

/// Measures the list of an event's activity, and the list of the organization's. The shifts of two events get activity in
/// turn.
pub(crate) fn of_activity(runtime: &Runtime, report: &mut Report, engine: &Engine) {
    let site = runtime.block_on(Site::new(engine, SMALLEST));
    let organization = site.session.organization_id();
    let event = runtime.block_on(async {
        let [one, other] = [publish(&site.session).await, publish(&site.session).await];
        site.record_activity(&[one.shifts, other.shifts].concat(), 2 * ACTIVITIES).await;
        site.settle().await;
        one.event.id
    });
    for (list, query) in [
        ("500,000 activities of an event", ActivityQuery::new().of_event(event)),
        ("1,000,000 activities", ActivityQuery::new()),
    ] {
        let query = query.limit(PER_PAGE);
        let last = runtime.block_on(last_page_of_activity(&*site.store, organization, &query));
        let pages = [query.clone().at(last), query];
        let page = runtime.block_on(site.store.activity(organization, &pages[0])).unwrap();
        assert!(page.items.len() == PER_PAGE as usize && page.next.is_none() && page.previous.is_some());
        let read = async |page: &ActivityQuery| drop(site.store.activity(organization, page).await.unwrap());
        compare(runtime, report, format!("last page of {list}, {}", engine.name()), &pages, &read);
    }
}

/// Returns the position of the activity before the last page.
async fn last_page_of_activity(
    store: &dyn Store,
    organization: OrganizationId,
    query: &ActivityQuery,
) -> Position<ActivityId> {
    let bottom = Position { key: ActivityId::NONE, side: Side::Above };
    let query = query.clone().at(bottom).limit(PER_PAGE + 1);
    let end = store.activity(organization, &query).await.unwrap();
    Position { key: end.items[0].id, side: Side::Below }
}

/// Returns the position of the sign-up before the last page.
async fn last_page_of_signups(
    store: &dyn Store,
    organization: OrganizationId,
    query: &SignupQuery,
) -> Position<SignupId> {
    let bottom = Position { key: SignupId::NONE, side: Side::Above };
    let query = query.clone().at(bottom).limit(PER_PAGE + 1);
    let end = store.signups(organization, &query).await.unwrap();
    Position { key: end.items[0].id, side: Side::Below }
}

/// Adds a line for the last and the first page of a list.
fn compare<Q>(runtime: &Runtime, report: &mut Report, work: String, pages: &[Q; 2], read: &impl AsyncFn(&Q)) {
    let rounds = in_turn(ROUNDS, pages, |page| {
        runtime.block_on(per_call(PAGES, async || read(page).await)).as_secs_f64() * 1e6
    });
    let costs: [Vec<_>; 2] = rounds.try_into().unwrap_or_default();
    report.add(line(work, "first page", costs.map(|rounds| median(rounds, |cost| *cost)), 1.2));
}
