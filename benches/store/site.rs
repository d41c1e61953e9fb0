//! A service on a filled database, and the records that the operations use.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use signup_benches::event;
use signup_core::{
    EventId, EventInput, EventQuery, OrganizationId, PlanLimits, PlanTable, Position, Scopes, Service,
    Session, ShiftId, Side, Store,
};
use uuid::Uuid;

use crate::engine::Engine;
use crate::population::Population;

/// The number of events of a page.
pub(crate) const PER_PAGE: u32 = 25;

pub(crate) struct Site {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) service: Service,
    /// A session of the organization in the middle of the ids.
    pub(crate) session: Session,
    /// A published event in the future, with ten shifts.
    pub(crate) event: EventId,
    pub(crate) shift: ShiftId,
    /// The cursor of the last page.
    pub(crate) last_page: String,
    numbers: AtomicU64,
}

impl Site {
    pub(crate) async fn new(engine: &Engine, population: Population) -> Self {
        let store = engine.store(population).await;
        let limits = PlanLimits::unlimited().event_days(366);
        let plans = PlanTable::uniform(limits);
        let service = Service::new(Arc::clone(&store)).with_plans(plans);
        let organization = u128::from(population.organizations.div_ceil(2));
        let organization = OrganizationId::new(Uuid::from_u128(organization));
        let session = service.session_for(organization, Scopes::all()).await.unwrap();
        let input = EventInput { is_published: true.into(), ..event::draft(1_000_000) };
        let created = session.create_event(&input).await.unwrap().outcome;
        let last_page = last_page(&*store, session.organization_id(), None).await.to_string();
        let (event, shift) = (created.event.id, created.shifts[0].id);
        Self { store, service, session, event, shift, last_page, numbers: AtomicU64::new(0) }
    }

    /// Returns a number that no other call returns.
    pub(crate) fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }
}

/// Returns the position of the event before the last page. If the list has no more than one page, returns the position of
/// the first event.
pub(crate) async fn last_page(
    store: &dyn Store,
    organization: OrganizationId,
    is_published: Option<bool>,
) -> Position {
    let bottom = Position { starts_at: Timestamp::MIN, id: EventId::NONE, side: Side::Above };
    let mut query = EventQuery::new().at(bottom).limit(PER_PAGE + 1);
    query.is_published = is_published;
    let end = store.events(organization, &query).await.unwrap();
    let before = &end.events[0];
    Position { starts_at: before.dates.starts_at(), id: before.id, side: Side::Below }
}
