//! A service on a filled database, and the records that the operations use.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use jiff::Timestamp;
use signup_benches::event;
use signup_core::{
    Activity, ActivityId, ActivityType, Actor, ChangeSet, EventId, EventInput, EventKey, EventOrder,
    EventQuery, EventWithShifts, OrganizationId, PersonName, PlanLimits, PlanTable, Position, ScheduledShift,
    Scopes, Service, Session, ShiftId, Side, Signup, SignupId, Store, TimeAndPlace, Write, new_uuid,
};
use uuid::Uuid;

use crate::engine::{Engine, settle_postgres};
use crate::population::Population;

/// The number of records of a page.
pub(crate) const PER_PAGE: u32 = 25;
/// The number of events that are unpublished and published in turn.
const ALTERNATING: usize = 100;
/// The number of sign-ups or activities of one commit while a site is filled.
const PER_COMMIT: usize = 1000;

pub(crate) struct Site {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) service: Service,
    /// A session of the organization in the middle of the ids.
    pub(crate) session: Session,
    /// A published event in the future, with ten shifts.
    pub(crate) event: EventId,
    pub(crate) shift: ShiftId,
    /// Published events like the other, without sign-ups.
    alternating: Vec<EventId>,
    alternations: AtomicUsize,
    /// The cursor of the last page.
    pub(crate) last_page: String,
    /// The URL of the database on PostgreSQL.
    url: Option<String>,
    numbers: AtomicU64,
}

impl Site {
    pub(crate) async fn new(engine: &Engine, population: Population) -> Self {
        let (store, url) = engine.store(population).await;
        let limits = PlanLimits::unlimited().event_days(366);
        let plans = PlanTable::uniform(limits);
        let service = Service::new(Arc::clone(&store)).with_plans(plans);
        let organization = u128::from(population.organizations.div_ceil(2));
        let organization = OrganizationId::new(Uuid::from_u128(organization));
        let session = service.session_for(organization, Scopes::all()).await.unwrap();
        let created = publish(&session).await;
        let mut alternating = vec![];
        for _ in 0..ALTERNATING {
            alternating.push(publish(&session).await.event.id);
        }
        let last_page = last_page(&*store, session.organization_id(), None).await.to_string();
        let (event, shift) = (created.event.id, created.shifts[0].id);
        Self {
            store,
            service,
            session,
            event,
            shift,
            alternating,
            alternations: AtomicUsize::new(0),
            last_page,
            url,
            numbers: AtomicU64::new(0),
        }
    }

    /// Returns a number that no other call returns.
    pub(crate) fn number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::Relaxed)
    }

    /// Unpublishes the next of many events, and publishes the event at the next call. A single event would leave more dead
    /// rows than a database meets in practice.
    pub(crate) async fn alternate(&self) {
        let number = self.alternations.fetch_add(1, Ordering::Relaxed);
        let event = self.alternating[number / 2 % ALTERNATING];
        drop(if number.is_multiple_of(2) {
            self.session.unpublish_event(event).await.unwrap()
        } else {
            self.session.publish_event(event).await.unwrap()
        });
    }

    /// Adds sign-ups, in turn for each of these shifts.
    pub(crate) async fn sign_up(&self, shifts: &[ScheduledShift], count: u32) {
        self.fill(shifts, count, |shift| Write::insert(self.signup(shift))).await;
    }

    /// Adds activities, in turn for each of these shifts.
    pub(crate) async fn record_activity(&self, shifts: &[ScheduledShift], count: u32) {
        self.fill(shifts, count, |shift| Write::insert(self.activity(shift))).await;
    }

    /// Commits `count` writes, in turn for each of these shifts.
    async fn fill(&self, shifts: &[ScheduledShift], count: u32, write: impl Fn(&ScheduledShift) -> Write) {
        let shifts: Vec<_> = shifts.iter().cycle().take(count as usize).collect();
        for shifts in shifts.chunks(PER_COMMIT) {
            let writes = shifts.iter().map(|shift| write(shift)).collect();
            self.store.commit(ChangeSet { requires: vec![], writes }).await.unwrap();
        }
    }

    /// Returns the activity of a change of the shift's title.
    fn activity(&self, shift: &ScheduledShift) -> Activity {
        let now = self.service.now();
        let (id, kind) = (ActivityId::new(new_uuid(now)), ActivityType::SHIFT_UPDATED);
        let subject = (&**shift).into();
        Activity::new(id, shift.organization, kind, now, Actor::Operator, subject, vec!["title".into()])
    }

    fn signup(&self, shift: &ScheduledShift) -> Signup {
        let now = self.service.now();
        let name = PersonName::new("Ada").unwrap();
        let email = format!("volunteer{}@example.org", self.number()).parse().unwrap();
        let path = (shift.organization, shift.event, shift.id);
        let id = SignupId::new(new_uuid(now));
        let told = TimeAndPlace {
            interval: shift.interval(),
            zone: shift.day.zone().clone(),
            location: None,
            event_location: None,
        };
        Signup::new(id, path, name, email, told, now)
    }

    /// Brings the database to rest after many writes.
    pub(crate) async fn settle(&self) {
        if let Some(url) = &self.url {
            settle_postgres(url).await;
        }
    }
}

/// Publishes an event in the future, with ten shifts.
pub(crate) async fn publish(session: &Session) -> EventWithShifts {
    let input = EventInput { is_published: true.into(), ..event::draft(1_000_000) };
    session.create_event(event::checked(&input)).await.unwrap()
}

/// Returns the position of the event before the last page. If the list has no more than one page, returns the position of
/// the first event.
pub(crate) async fn last_page(
    store: &dyn Store,
    organization: OrganizationId,
    is_published: Option<bool>,
) -> Position<EventKey> {
    let key = |starts_at, id| EventKey { order: EventOrder::Latest, starts_at, id };
    let bottom = Position { key: key(Timestamp::MIN, EventId::NONE), side: Side::Above };
    let mut query = EventQuery::new().at(bottom).limit(PER_PAGE + 1);
    query.is_published = is_published;
    let end = store.events(organization, &query).await.unwrap();
    let before = &end.items[0];
    Position { key: key(before.dates.starts_at(), before.id), side: Side::Below }
}
