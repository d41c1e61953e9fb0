//! Comparison of the last page of a long list with the first. Both are a range of one index.

use signup_benches::{Goal, Line, Report, Unit, in_turn, median, per_call};
use signup_core::EventQuery;
use tokio::runtime::Runtime;

use crate::ROUNDS;
use crate::site::{PER_PAGE, Site, last_page};

/// The number of pages of a round. The figure of a round is the mean.
const PAGES: u32 = 50;

pub(crate) fn measure(runtime: &Runtime, report: &mut Report, engine: &str, site: &Site) {
    let organization = site.session.organization_id();
    for (filter, is_published) in [("all", None), ("published", Some(true)), ("drafts", Some(false))] {
        let last = runtime.block_on(last_page(&*site.store, organization, is_published));
        let pages = [Some(last), None].map(|position| {
            let mut query = EventQuery::new().limit(PER_PAGE);
            (query.is_published, query.position) = (is_published, position);
            query
        });
        let page = runtime.block_on(site.store.events(organization, &pages[0])).unwrap();
        assert!(page.events.len() == PER_PAGE as usize && page.below.is_none() && page.above.is_some());
        let rounds = in_turn(ROUNDS, &pages, |page| {
            let read = async || drop(site.store.events(organization, page).await.unwrap());
            runtime.block_on(per_call(PAGES, read)).as_secs_f64() * 1e6
        });
        let [last, first] = rounds.try_into().unwrap_or_default();
        report.add(Line {
            work: format!("last page of 1,000,000, {filter}, {engine}"),
            limit: "first page".to_owned(),
            unit: Unit::Microseconds,
            ours: median(last, |cost| *cost),
            theirs: Some(median(first, |cost| *cost)),
            goal: Some(Goal::AtMost(1.2)),
            latencies: None,
        });
    }
}
