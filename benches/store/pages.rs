//! Comparison of the last page of a long list with the first. Both are a range of one index.

use signup_benches::{Report, in_turn, median, per_call};
use signup_core::{EventQuery, OrganizationId, Position, Side, SignupId, SignupQuery, Store};
use tokio::runtime::Runtime;

use crate::engine::Engine;
use crate::site::{PER_PAGE, Site, last_page, publish};
use crate::{ROUNDS, SMALLEST, line};

/// The number of pages of a round. The figure of a round is the mean.
const PAGES: u32 = 50;
/// The number of sign-ups of each of two events.
const SIGN_UPS: u32 = 100_000;

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
