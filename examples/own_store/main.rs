//! A store of your own that passes the conformance suite, and a wrapper that injects faults into any store.
//!
//! `OwnStore` keeps all records in one map, without indexes. It looks at every record to find unique values, totals and
//! children, which each record declares through [`Entity`](signup_core::Entity). So the store knows no use case, and a new kind of record needs a
//! line only for its lists. The store is slow and volatile: use it to learn the contract, and
//! `signup_store_memory` in tests. The page of [`signup_core::writing`] is the guide for authors of a store.
//!
//! `Faulty` makes chosen commits fail, or loses their answers. Copy `Faulty` to test how a program handles a database
//! that is down. `main` creates an event while a commit fails or its answer is lost. It retries with the same idempotency
//! key, so the event is created once. The tests run under `cargo test`.

#![expect(clippy::print_stdout, reason = "an example prints its results")]

mod faulty;
mod records;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::error::Error;
use std::sync::{Mutex, MutexGuard, PoisonError};

use signup_core::{
    Activity, ActivityQuery, Capacity, ChangeSet, CommitError, Deleted, Delivery, DeliveryQuery, Digest,
    Entity as _, Event, EventId, EventInFull, EventKey, EventQuery, EventWithShifts, Invitation, Kind,
    Membership, NewEvent, NewOrganization, NewShift, Notice, NoticeCounts, NoticeQuery, Organization,
    OrganizationId, Page, Person, PersonId, Position, Purge, Record, RecordKey, RequestCounter,
    ScheduledShift, Scopes, Service, Session, Shift, ShiftId, Side, SignIn, SignInInFull, Signup, SignupId,
    SignupInFull, SignupQuery, Store, StoreError, Timestamp, Token, Total, Unique, Webhook, WebhookId,
    async_trait, date, uuid::Uuid,
};

use faulty::{Fault, Faulty};
use records::Records;

type Read<T> = Result<T, StoreError>;

/// Cuts a page out of a sorted list. Returns the keys of its first and its last item if the list goes on there.
fn cut<T, K: Ord>(
    list: &mut Vec<T>,
    key: impl Fn(&T) -> K,
    beside: Option<(K, Side)>,
    limit: u32,
) -> [Option<K>; 2] {
    let limit = limit as usize;
    let (start, end) = match beside {
        None => (0, limit),
        Some((place, Side::Below)) => {
            let start = list.partition_point(|item| key(item) <= place);
            (start, start + limit)
        }
        Some((place, Side::Above)) => {
            let end = list.partition_point(|item| key(item) < place);
            (end.saturating_sub(limit), end)
        }
    };
    let goes_on = [start > 0, end < list.len()];
    list.truncate(end);
    list.drain(..start);
    [list.first().filter(|_| goes_on[0]).map(&key), list.last().filter(|_| goes_on[1]).map(&key)]
}

/// Keeps all records in memory, behind one lock.
#[derive(Debug, Default)]
struct OwnStore(Mutex<Records>);

impl OwnStore {
    fn webhook(&self, owner: OrganizationId, id: WebhookId) -> Option<Webhook> {
        self.records().get(&RecordKey::Webhook(owner, id), Deleted::Excluded)
    }

    fn is_to_enabled_webhook(&self, delivery: &Delivery) -> bool {
        let webhook = self.webhook(delivery.organization, delivery.webhook);
        webhook.is_some_and(|webhook| webhook.is_enabled())
    }

    fn records(&self) -> MutexGuard<'_, Records> {
        // A commit checks every requirement before its first write, and no write panics.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Store for OwnStore {
    async fn record(&self, key: &RecordKey, deleted: Deleted) -> Read<Option<Record>> {
        Ok(self.records().read(key, deleted))
    }

    async fn holder(&self, unique: &Unique, deleted: Deleted) -> Read<Option<Record>> {
        let records = self.records();
        let is_visible = |record: &Record| deleted == Deleted::Included || !records.is_deleted(record);
        Ok(records.holder(unique).filter(is_visible))
    }

    async fn owner(&self, kind: Kind, id: Uuid) -> Read<Option<OrganizationId>> {
        if matches!(kind, Kind::Person | Kind::Membership) {
            return Ok(None);
        }
        let records = self.records();
        let key = records.0.keys().find(|key| key.kind() == kind && key.id() == Some(id));
        Ok(key.map(RecordKey::organization))
    }

    async fn organizations(&self, after: Option<OrganizationId>, limit: u32) -> Read<Vec<Organization>> {
        let is_after = |organization: &Organization| Some(organization.id) > after;
        let mut found = self.records().list(Kind::Organization, Deleted::Excluded, is_after);
        found.truncate(limit as usize);
        Ok(found)
    }

    async fn tokens(&self, owner: OrganizationId) -> Read<Vec<Token>> {
        let is_own = |token: &Token| token.organization == owner;
        Ok(self.records().list(Kind::Token, Deleted::Excluded, is_own))
    }

    async fn events(&self, owner: OrganizationId, query: &EventQuery) -> Read<Page<Event>> {
        let Page { items, previous, next, .. } = self.events_with_shifts(owner, query).await?;
        let [first, last] = [previous, next].map(|position| position.map(|at| at.key));
        Ok(Page::new(items.into_iter().map(|found| found.event).collect(), first, last))
    }

    async fn events_with_shifts(
        &self,
        owner: OrganizationId,
        query: &EventQuery,
    ) -> Read<Page<EventWithShifts>> {
        let records = self.records();
        let is_own = |event: &Event| event.organization == owner;
        let events: Vec<Event> = records.list(Kind::Event, Deleted::Excluded, is_own);
        let selected = events.into_iter().filter_map(|event| {
            // The query takes the ends of the shifts from their records.
            let shifts = records.shifts(&event);
            query.selects(&event, &shifts).then(|| {
                let shifts = ScheduledShift::in_running_order(shifts, &event);
                EventWithShifts::new(event, shifts)
            })
        });
        let mut found: Vec<_> = selected.collect();
        let key = |found: &EventWithShifts| EventKey {
            order: query.order,
            starts_at: found.event.dates.starts_at(),
            id: found.event.id,
        };
        found.sort_by_key(key);
        let beside = query.position.map(|Position { key, side }| (key, side));
        let [first, last] = cut(&mut found, key, beside, query.limit);
        Ok(Page::new(found, first, last))
    }

    async fn deleted_events(
        &self,
        owner: OrganizationId,
        after: Option<EventId>,
        limit: u32,
    ) -> Read<Vec<Event>> {
        let selects = |event: &Event| {
            event.organization == owner && event.deleted_at.is_some() && Some(event.id) > after
        };
        let mut events = self.records().list(Kind::Event, Deleted::Included, selects);
        events.truncate(limit as usize);
        Ok(events)
    }

    async fn event_in_full(&self, key: &RecordKey) -> Read<Option<EventInFull>> {
        let records = self.records();
        Ok(records.event_of(key).map(|event| records.in_full(event)))
    }

    async fn event_by_slug(&self, slug: &str) -> Read<Option<EventInFull>> {
        let records = self.records();
        let holder = records.holder(&Unique::EventSlug(slug.to_owned()));
        let event = holder.and_then(|record| Event::try_from(record).ok());
        Ok(event.filter(|event| event.deleted_at.is_none()).map(|event| records.in_full(event)))
    }

    async fn shifts(&self, owner: OrganizationId, event: EventId) -> Read<Option<Vec<ScheduledShift>>> {
        let records = self.records();
        let event = records.event(owner, event);
        Ok(event.map(|event| ScheduledShift::in_running_order(records.shifts(&event), &event)))
    }

    async fn shift_with_event(&self, owner: OrganizationId, id: ShiftId) -> Read<Option<(Shift, Event)>> {
        let records = self.records();
        let shift: Option<Shift> = records.get(&RecordKey::Shift(owner, id), Deleted::Excluded);
        Ok(shift.and_then(|shift| records.event(owner, shift.event).map(|event| (shift, event))))
    }

    async fn signups(&self, owner: OrganizationId, query: &SignupQuery) -> Read<Page<Signup>> {
        let selects = |signup: &Signup| signup.organization == owner && query.selects(signup);
        let mut signups = self.records().list(Kind::Signup, query.deleted, selects);
        let key = |signup: &Signup| Reverse(signup.id);
        signups.sort_by_key(key);
        let beside = query.position.map(|Position { key, side }| (Reverse(key), side));
        let [first, last] = cut(&mut signups, key, beside, query.limit);
        Ok(Page::new(signups, first.map(|Reverse(id)| id), last.map(|Reverse(id)| id)))
    }

    async fn activity(&self, owner: OrganizationId, query: &ActivityQuery) -> Read<Page<Activity>> {
        let selects = |activity: &Activity| activity.organization == owner && query.selects(activity);
        let mut activity = self.records().list(Kind::Activity, Deleted::Excluded, selects);
        let key = |activity: &Activity| Reverse(activity.id);
        activity.sort_by_key(key);
        let beside = query.position.map(|Position { key, side }| (Reverse(key), side));
        let [first, last] = cut(&mut activity, key, beside, query.limit);
        Ok(Page::new(activity, first.map(|Reverse(id)| id), last.map(|Reverse(id)| id)))
    }

    async fn webhooks(&self, owner: OrganizationId) -> Read<Vec<Webhook>> {
        let is_own = |webhook: &Webhook| webhook.organization == owner;
        let mut webhooks = self.records().list(Kind::Webhook, Deleted::Excluded, is_own);
        webhooks.sort_by_key(|webhook| Reverse(webhook.id));
        Ok(webhooks)
    }

    async fn deliveries(
        &self,
        owner: OrganizationId,
        webhook: WebhookId,
        query: &DeliveryQuery,
    ) -> Read<Page<Delivery>> {
        let selects = |delivery: &Delivery| {
            delivery.organization == owner && delivery.webhook == webhook && query.selects(delivery)
        };
        let mut deliveries = self.records().list(Kind::Delivery, Deleted::Excluded, selects);
        let key = |delivery: &Delivery| Reverse(delivery.id);
        deliveries.sort_by_key(key);
        let beside = query.position.map(|Position { key, side }| (Reverse(key), side));
        let [first, last] = cut(&mut deliveries, key, beside, query.limit);
        Ok(Page::new(deliveries, first.map(|Reverse(id)| id), last.map(|Reverse(id)| id)))
    }

    async fn due_deliveries(&self, now: Timestamp, limit: u32) -> Read<Vec<Delivery>> {
        let is_due = |delivery: &Delivery| delivery.is_due(now);
        let mut due: Vec<Delivery> = self.records().list(Kind::Delivery, Deleted::Excluded, is_due);
        due.retain(|delivery| delivery.is_test() || self.is_to_enabled_webhook(delivery));
        due.sort_by_key(|delivery| (delivery.due_at(), delivery.id));
        let mut of_webhook = BTreeMap::<_, Vec<Delivery>>::new();
        for delivery in due {
            let of_webhook = of_webhook.entry((delivery.organization, delivery.webhook)).or_default();
            // A late one is due because the clock that set its due time was ahead. One at a time is listed.
            let is_late = |delivery: &Delivery| delivery.due_at() > Some(now);
            if !(is_late(&delivery) && of_webhook.last().is_some_and(is_late)) {
                of_webhook.push(delivery);
            }
        }
        let mut due = vec![];
        for ((owner, webhook), deliveries) in of_webhook {
            let in_flight = self.records().count(&Total::InFlight(owner, webhook), now);
            let is_failing = self.webhook(owner, webhook).is_some_and(|found| found.failing_since.is_some());
            let places = (in_flight..Webhook::MAX_IN_FLIGHT).map(|place| (is_failing, place));
            due.extend(places.zip(deliveries));
        }
        let in_turn = |due: &mut Vec<((bool, u32), Delivery)>| {
            due.sort_by_key(|(place, delivery)| (*place, delivery.due_at(), delivery.id));
        };
        // First the order in each organization, and then the one of all.
        in_turn(&mut due);
        let mut turns = BTreeMap::<_, u32>::new();
        let is_in_flight = |delivery: &Delivery| delivery.shares().iter().any(|share| share.counts(now));
        for in_flight in self.records().list(Kind::Delivery, Deleted::Excluded, is_in_flight) {
            *turns.entry(in_flight.organization).or_default() += 1;
        }
        for ((_, place), delivery) in &mut due {
            let turn = turns.entry(delivery.organization).or_default();
            *place = *turn;
            *turn += 1;
        }
        in_turn(&mut due);
        Ok(due.into_iter().map(|(_, delivery)| delivery).take(limit as usize).collect())
    }

    async fn oldest_pending_delivery(&self) -> Read<Option<Timestamp>> {
        let is_pending = |delivery: &Delivery| delivery.due_at().is_some();
        let pending: Vec<Delivery> = self.records().list(Kind::Delivery, Deleted::Excluded, is_pending);
        let waiting = pending.iter().filter(|delivery| self.is_to_enabled_webhook(delivery));
        Ok(waiting.map(|delivery| delivery.created_at).min())
    }

    async fn signup_in_full(&self, owner: OrganizationId, id: SignupId) -> Read<Option<SignupInFull>> {
        let records = self.records();
        let in_full = || {
            let signup: Signup = records.get(&RecordKey::Signup(owner, id), Deleted::Included)?;
            let organization = records.get(&RecordKey::Organization(owner), Deleted::Included)?;
            let event = records.get(&RecordKey::Event(owner, signup.event), Deleted::Included)?;
            let shift = records.get(&RecordKey::Shift(owner, signup.shift), Deleted::Included)?;
            Some(SignupInFull::new(organization, event, shift, signup))
        };
        Ok(in_full())
    }

    async fn members(&self, owner: OrganizationId) -> Read<Vec<(Membership, Person)>> {
        let records = self.records();
        let is_own = |membership: &Membership| membership.organization == owner;
        let memberships = records.list(Kind::Membership, Deleted::Excluded, is_own);
        let with_person = |membership: Membership| {
            let person = records.get(&RecordKey::Person(membership.person), Deleted::Excluded)?;
            Some((membership, person))
        };
        let mut members: Vec<_> = memberships.into_iter().filter_map(with_person).collect();
        Membership::sort_members(&mut members);
        Ok(members)
    }

    async fn invitations(&self, owner: OrganizationId) -> Read<Vec<Invitation>> {
        let is_own = |invitation: &Invitation| invitation.organization == owner;
        let mut invitations = self.records().list(Kind::Invitation, Deleted::Excluded, is_own);
        invitations.sort_by_key(|invitation| Reverse((invitation.created_at, invitation.id)));
        Ok(invitations)
    }

    async fn memberships(&self, person: PersonId) -> Read<Vec<(Membership, Organization)>> {
        let mut memberships = self.records().memberships(person);
        Membership::sort_organizations(&mut memberships);
        Ok(memberships)
    }

    async fn signed_in(&self, digest: &Digest) -> Read<Option<SignInInFull>> {
        let records = self.records();
        let in_full = || {
            let sign_in: SignIn = records.get(&RecordKey::SignIn(*digest), Deleted::Excluded)?;
            let person = records.get(&RecordKey::Person(sign_in.person), Deleted::Excluded)?;
            Some(SignInInFull::new(sign_in, person, records.memberships(sign_in.person)))
        };
        Ok(in_full())
    }

    async fn notices(&self, query: NoticeQuery, limit: u32) -> Read<Vec<Notice>> {
        let selects = |notice: &Notice| match query {
            NoticeQuery::Due { now, latest } => {
                notice.failure.is_none() && (notice.due_at <= now || notice.due_at > latest)
            }
            NoticeQuery::Queued(after) => notice.failure.is_none() && Some(notice.id) > after,
            NoticeQuery::Failed(after) => notice.failure.is_some() && Some(notice.id) > after,
            NoticeQuery::About(owner, signup) => {
                notice.organization == owner && notice.cause.signup() == Some(signup)
            }
        };
        let mut notices = self.records().list(Kind::Notice, Deleted::Included, selects);
        let is_by_time = matches!(query, NoticeQuery::Due { .. });
        notices.sort_by_key(|notice| (is_by_time.then_some(notice.due_at), notice.id));
        notices.truncate(limit as usize);
        Ok(notices)
    }

    async fn count_notices(&self) -> Read<NoticeCounts> {
        let failed = self.notices(NoticeQuery::Failed(None), u32::MAX).await?.len() as u64;
        let queued = self.notices(NoticeQuery::Queued(None), u32::MAX).await?.len() as u64;
        Ok(NoticeCounts { queued, failed })
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        self.records().commit(change).map_err(CommitError::Refused)
    }

    async fn purge(&self, purge: Purge, limit: u32) -> Read<u64> {
        Ok(self.records().purge(purge, limit))
    }

    fn request_counter(&self) -> Option<&dyn RequestCounter> {
        // Only one process uses the store, so the service counts the requests itself.
        None
    }

    async fn check(&self) -> Read<()> {
        Ok(())
    }
}

/// Returns a session over a store whose second commit has the fault.
///
/// The first commit creates the organization, so the fault hits the first write of the session.
async fn session(fault: Fault) -> Result<Session, Box<dyn Error>> {
    let service = Service::new(Faulty::store(OwnStore::default(), [(1, fault)]));
    let organization = NewOrganization::new("Riverside Food Bank".parse()?);
    let organization = service.admin().create_organization(organization).await?;
    Ok(service.session_for(organization.id, Scopes::all()).await?)
}

fn drive() -> Result<NewEvent, Box<dyn Error>> {
    let packing = NewShift::new("Packing".parse()?, Capacity::new(8)?);
    Ok(NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "UTC".parse()?).shift(packing))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    for fault in [Fault::NotWritten, Fault::AnswerLost] {
        let session = session(fault).await?.with_key("food-drive-2027-06-05".parse()?);
        for attempt in 1..=3 {
            match session.create_event(drive()?).await {
                Ok(_) => println!("{fault:?}, attempt {attempt}: replayed: {}", session.is_replay()),
                Err(error) => println!("{fault:?}, attempt {attempt}: {error}"),
            }
        }
        println!("{fault:?}: {} event", session.events(EventQuery::default()).await?.items.len());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use signup_store_memory::MemoryStore;

    use super::*;

    async fn fresh() -> Option<(Arc<dyn Store>, ())> {
        Some((Arc::new(OwnStore::default()), ()))
    }

    signup_core::conformance_tests!(fresh, reference: MemoryStore::new);

    /// Runs `main`, because `cargo test` builds this file only as a test.
    #[test]
    fn main_succeeds() {
        main().unwrap();
    }

    #[tokio::test]
    async fn a_retry_with_the_same_key_creates_nothing_twice() {
        for fault in [Fault::NotWritten, Fault::AnswerLost] {
            let session = session(fault).await.unwrap().with_key("key".parse().unwrap());
            let error = session.create_event(drive().unwrap()).await.unwrap_err();
            assert!(error.is_retryable(), "{error:?}");
            let retried = session.create_event(drive().unwrap()).await.unwrap();
            let again = session.create_event(drive().unwrap()).await.unwrap();
            assert_eq!(again, retried);
            let events = session.events(EventQuery::default()).await.unwrap().items;
            assert_eq!(events.len(), 1, "{fault:?}");
            assert_eq!(events[0].id, retried.event.id);
        }
    }
}
