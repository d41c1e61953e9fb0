//! A store of your own that passes the conformance suite, and a wrapper that injects faults into any store.
//!
//! [`OwnStore`] is volatile: it keeps all records in memory and loses them when the process ends. A commit clones all
//! records, so its time grows with their number. The page of [`signup_core::store::writing`] states where a store on a
//! database checks each requirement, and when its writes have to be durable.
//!
//! [`Faulty`] makes chosen commits fail, or loses their answers. Copy [`Faulty`] to test how a program handles a database
//! that is down. `main` creates an event while a commit fails or its answer is lost. It retries with the same idempotency
//! key, so the event is created once. The tests run under `cargo test`.

#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use signup_core::store::{Records, Wrapped, Wrapper};
use signup_core::{
    CancelledBy, Capacity, ChangeSet, CommitError, DeletedEvent, Digest, EmailAddress, Event, EventId,
    EventInFull, EventPage, EventQuery, NewEvent, NewOrganization, NewShift, Notice, NoticeCounts, NoticeId,
    Organization, OrganizationId, Question, QuestionId, Receipt, ReceiptKey, RequestCounter, Scopes, Service,
    Session, Shift, ShiftId, Signup, SignupId, SignupInFull, SignupPage, SignupQuery, SignupScope, Store,
    StoreError, Timestamp, Token, TokenId, async_trait, date,
};

type Read<T> = Result<T, StoreError>;

/// Keeps all records in memory, behind one lock.
#[derive(Debug, Default)]
struct OwnStore(Mutex<Records>);

impl OwnStore {
    fn records(&self) -> MutexGuard<'_, Records> {
        // A panic cannot leave a change half done, because `commit` replaces all records at once.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Store for OwnStore {
    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        let mut records = self.records();
        let mut next = records.clone();
        next.commit(change).map_err(CommitError::Refused)?;
        *records = next;
        Ok(())
    }

    async fn purge_receipts(&self, now: Timestamp, limit: u32) -> Read<u64> {
        Ok(self.records().purge_receipts(now, limit))
    }

    async fn purge_deleted(&self, until: Timestamp, limit: u32) -> Read<u64> {
        Ok(self.records().purge_deleted(until, limit))
    }

    async fn check(&self) -> Read<()> {
        Ok(())
    }

    fn request_counter(&self) -> Option<&dyn RequestCounter> {
        // Only one process uses the store, so the service counts the requests itself.
        None
    }

    async fn organization(&self, id: OrganizationId) -> Read<Option<Organization>> {
        Ok(self.records().organization(id))
    }

    async fn organization_by_slug(&self, slug: &str) -> Read<Option<Organization>> {
        Ok(self.records().organization_by_slug(slug))
    }

    async fn organizations(&self, after: Option<OrganizationId>, limit: u32) -> Read<Vec<Organization>> {
        Ok(self.records().organizations(after, limit))
    }

    async fn token_by_digest(&self, digest: &Digest) -> Read<Option<(Token, Organization)>> {
        Ok(self.records().token_by_digest(digest))
    }

    async fn token(&self, id: TokenId) -> Read<Option<Token>> {
        Ok(self.records().token(id))
    }

    async fn tokens(&self, owner: OrganizationId) -> Read<Vec<Token>> {
        Ok(self.records().tokens(owner))
    }

    async fn event_owner(&self, id: EventId) -> Read<Option<OrganizationId>> {
        Ok(self.records().event_owner(id))
    }

    async fn event(&self, owner: OrganizationId, id: EventId) -> Read<Option<Event>> {
        Ok(self.records().event(owner, id))
    }

    async fn event_in_full(&self, owner: OrganizationId, id: EventId) -> Read<Option<EventInFull>> {
        Ok(self.records().event_in_full(owner, id))
    }

    async fn events(&self, owner: OrganizationId, query: &EventQuery) -> Read<EventPage> {
        Ok(self.records().events(owner, query))
    }

    async fn deleted_events(
        &self,
        owner: OrganizationId,
        after: Option<EventId>,
        limit: u32,
    ) -> Read<Vec<DeletedEvent>> {
        Ok(self.records().deleted_events(owner, after, limit))
    }

    async fn deleted_event(&self, owner: OrganizationId, id: EventId) -> Read<Option<DeletedEvent>> {
        Ok(self.records().deleted_event(owner, id))
    }

    async fn event_by_slug(&self, slug: &str) -> Read<Option<EventInFull>> {
        Ok(self.records().event_by_slug(slug))
    }

    async fn shifts(&self, owner: OrganizationId, event: EventId) -> Read<Option<Vec<Shift>>> {
        Ok(self.records().shifts(owner, event))
    }

    async fn shift(&self, owner: OrganizationId, id: ShiftId) -> Read<Option<Shift>> {
        Ok(self.records().shift(owner, id))
    }

    async fn shift_with_event(&self, owner: OrganizationId, id: ShiftId) -> Read<Option<(Shift, Event)>> {
        Ok(self.records().shift_with_event(owner, id))
    }

    async fn questions(&self, owner: OrganizationId, event: EventId) -> Read<Option<Vec<Question>>> {
        Ok(self.records().questions(owner, event))
    }

    async fn question(&self, owner: OrganizationId, id: QuestionId) -> Read<Option<Question>> {
        Ok(self.records().question(owner, id))
    }

    async fn signup_page(&self, owner: OrganizationId, query: &SignupQuery) -> Read<SignupPage> {
        Ok(self.records().signup_page(owner, query))
    }

    async fn signups(
        &self,
        owner: OrganizationId,
        event: EventId,
        after: Option<SignupId>,
        limit: u32,
    ) -> Read<Vec<Signup>> {
        Ok(self.records().signups(owner, event, after, limit))
    }

    async fn signup(&self, owner: OrganizationId, id: SignupId) -> Read<Option<Signup>> {
        Ok(self.records().signup(owner, id))
    }

    async fn signup_in_full(&self, owner: OrganizationId, id: SignupId) -> Read<Option<SignupInFull>> {
        Ok(self.records().signup_in_full(owner, id))
    }

    async fn confirmed_signups(
        &self,
        owner: OrganizationId,
        shift: ShiftId,
        after: Option<SignupId>,
        limit: u32,
    ) -> Read<Vec<Signup>> {
        Ok(self.records().confirmed_signups(owner, shift, after, limit))
    }

    async fn signups_cancelled_by(
        &self,
        owner: OrganizationId,
        scope: SignupScope,
        by: CancelledBy,
        after: Option<SignupId>,
        limit: u32,
    ) -> Read<Vec<Signup>> {
        Ok(self.records().signups_cancelled_by(owner, scope, by, after, limit))
    }

    async fn signups_of_address(
        &self,
        owner: OrganizationId,
        email: &EmailAddress,
        limit: u32,
    ) -> Read<Vec<Signup>> {
        Ok(self.records().signups_of_address(owner, email, limit))
    }

    async fn signup_by_secret(&self, secret: &Digest) -> Read<Option<Signup>> {
        Ok(self.records().signup_by_secret(secret))
    }

    async fn receipt(&self, key: &ReceiptKey, now: Timestamp) -> Read<Option<Receipt>> {
        Ok(self.records().receipt(key, now))
    }

    async fn notices(&self, have_failed: bool, after: Option<NoticeId>, limit: u32) -> Read<Vec<Notice>> {
        Ok(self.records().notices(have_failed, after, limit))
    }

    async fn notice(&self, id: NoticeId) -> Read<Option<Notice>> {
        Ok(self.records().notice(id))
    }

    async fn due_notices(&self, now: Timestamp, latest: Timestamp, limit: u32) -> Read<Vec<Notice>> {
        Ok(self.records().due_notices(now, latest, limit))
    }

    async fn count_notices(&self) -> Read<NoticeCounts> {
        Ok(self.records().count_notices())
    }
}

/// The fault of a commit.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// The commit fails, and nothing is written.
    NotWritten,
    /// The commit is written, but its caller gets an error.
    AnswerLost,
}

/// Injects faults into the commits of any store. `faults` maps the number of a commit, from 0, to its fault.
#[derive(Debug)]
struct Faulty<S> {
    inner: S,
    faults: BTreeMap<usize, Fault>,
    commits: AtomicUsize,
}

impl<S: Store> Faulty<S> {
    fn store(inner: S, faults: impl IntoIterator<Item = (usize, Fault)>) -> Wrapped<Self> {
        let faults = faults.into_iter().collect();
        Wrapped(Self { inner, faults, commits: AtomicUsize::new(0) })
    }
}

#[async_trait]
impl<S: Store> Wrapper for Faulty<S> {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        let failed = |fault| CommitError::Failed(StoreError::unavailable("committing", format!("{fault:?}")));
        match self.faults.get(&self.commits.fetch_add(1, Ordering::Relaxed)) {
            None => self.inner.commit(change).await,
            Some(fault @ Fault::NotWritten) => Err(failed(fault)),
            Some(fault @ Fault::AnswerLost) => {
                self.inner.commit(change).await?;
                Err(failed(fault))
            }
        }
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
                Ok(reply) => println!("{fault:?}, attempt {attempt}: replayed: {}", reply.is_replay),
                Err(error) => println!("{fault:?}, attempt {attempt}: {error}"),
            }
        }
        println!("{fault:?}: {} event", session.events(EventQuery::default()).await?.events.len());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    async fn fresh() -> Option<(Arc<dyn Store>, ())> {
        Some((Arc::new(OwnStore::default()), ()))
    }

    signup_core::conformance_tests!(fresh);

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
            let retried = session.create_event(drive().unwrap()).await.unwrap().outcome;
            let again = session.create_event(drive().unwrap()).await.unwrap().outcome;
            assert_eq!(again, retried);
            let events = session.events(EventQuery::default()).await.unwrap().events;
            assert_eq!(events.len(), 1, "{fault:?}");
            assert_eq!(events[0].id, retried.event.id);
        }
    }
}
