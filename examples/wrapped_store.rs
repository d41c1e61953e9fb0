//! A wrapper around any store that logs each call and injects faults into commits, for tests of a program that uses a store.
//!
//! `main` creates an event while a commit fails or its answer is lost. It retries with the same idempotency key, so the event is
//! created once. The tests run under `cargo test`.

#![expect(clippy::print_stdout, reason = "an example prints its results")]

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};

use signup_core::{
    Capacity, ChangeSet, CommitError, EventQuery, NewEvent, NewOrganization, NewShift, Scopes, Service,
    Session, Store, StoreError, Wrapped, Wrapper, async_trait, date,
};
use signup_store_memory::MemoryStore;

/// The fault of a commit.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// The commit fails, and nothing is written.
    NotWritten,
    /// The commit is written, but its caller gets an error.
    AnswerLost,
}

/// Logs each call of any store, and injects faults into its commits.
#[derive(Debug)]
struct Faulty<S> {
    inner: S,
    /// The number of a commit, from 0, and its fault.
    faults: BTreeMap<usize, Fault>,
    commits: AtomicUsize,
}

#[async_trait]
impl<S: Store> Wrapper for Faulty<S> {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    fn calling(&self, method: &'static str) {
        println!("  store: {method}");
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
    let faults = BTreeMap::from([(1, fault)]);
    let store = Faulty { inner: MemoryStore::new(), faults, commits: AtomicUsize::new(0) };
    let service = Service::new(Wrapped(store));
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
        let session = session(fault).await?;
        for attempt in 1..=3 {
            let create = session.create_event(drive()?).with_key("food-drive-2027-06-05".parse()?);
            match create.reply().await {
                Ok(reply) => println!("{fault:?}, attempt {attempt}: replayed: {}", reply.is_replay),
                Err(error) => println!("{fault:?}, attempt {attempt}: {error}"),
            }
        }
        println!("{fault:?}: {} event", session.events(EventQuery::default()).await?.items.len());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `main`, because `cargo test` builds this file only as a test.
    #[test]
    fn main_succeeds() {
        main().unwrap();
    }

    #[tokio::test]
    async fn a_retry_with_the_same_key_creates_nothing_twice() {
        for fault in [Fault::NotWritten, Fault::AnswerLost] {
            let session = session(fault).await.unwrap();
            let create = || session.create_event(drive().unwrap()).with_key("key".parse().unwrap());
            let error = create().await.unwrap_err();
            assert!(error.is_retryable(), "{error:?}");
            let retried = create().await.unwrap();
            let again = create().await.unwrap();
            assert_eq!(again, retried);
            let events = session.events(EventQuery::default()).await.unwrap().items;
            assert_eq!(events.len(), 1, "{fault:?}");
            assert_eq!(events[0].id, retried.event.id);
        }
    }
}
