//! Simultaneous calls of several processes on one store: tries of a code, and owners who remove each other.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use signup_core::*;
use signup_store_memory::MemoryStore;

use crate::people::code;
use crate::scene::{NOW, join, session};

/// Returns two services on one store, and an organization.
async fn two_processes() -> ([Service; 2], OrganizationId) {
    let clock = Arc::new(FixedClock::at(NOW.parse().unwrap()));
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let service = || Service::shared(Arc::clone(&store)).with_clock(Arc::clone(&clock));
    let services = [service(), service()];
    let organization = session(&services[0], Plan::Pro).await.organization_id();
    (services, organization)
}

/// Enters a code 20 times at once, in two processes. Returns the results.
async fn enter_at_once(services: &[Service; 2], browser: &Secret, code: &Code) -> Vec<Option<Error>> {
    let tries: Vec<_> = (0..20)
        .map(|number| {
            let (people, browser, code) = (services[number % 2].people(), browser.clone(), code.clone());
            tokio::spawn(async move { people.sign_in(&browser, &code, None).await.err() })
        })
        .collect();
    let mut results = vec![];
    for entered in tries {
        results.push(entered.await.unwrap());
    }
    results
}

fn count(results: &[Option<Error>], expected: Option<&Error>) -> usize {
    results.iter().filter(|result| result.as_ref() == expected).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_code_has_five_tries_in_all_processes_together() {
    let (services, organization) = two_processes().await;
    join(&services[0], organization, "ada", Role::Organizer).await;
    let browser = Secret::generate();
    let right = code(&services[0], &browser, "ada").await;
    let wrong = "aaaaaaaa".parse().unwrap();
    let results = enter_at_once(&services, &browser, &wrong).await;
    assert_eq!((count(&results, Some(&Error::WrongCode)), count(&results, Some(&Error::CodeGone))), (4, 16));
    let late = services[1].people().sign_in(&browser, &right, None).await;
    assert_eq!(late.err(), Some(Error::CodeGone));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_code_that_is_entered_at_once_signs_in_once() {
    let (services, organization) = two_processes().await;
    join(&services[0], organization, "ada", Role::Organizer).await;
    let browser = Secret::generate();
    let right = code(&services[0], &browser, "ada").await;
    let results = enter_at_once(&services, &browser, &right).await;
    assert_eq!((count(&results, None), count(&results, Some(&Error::CodeGone))), (1, 19));
}

/// A store that lets another call commit before the next commit.
struct Raced {
    inner: Arc<MemoryStore>,
    rival: Mutex<Option<Pin<Box<dyn Future<Output = ()> + Send>>>>,
}

impl fmt::Debug for Raced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Raced")
    }
}

#[async_trait]
impl Wrapper for Raced {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        let rival = self.rival.lock().unwrap().take();
        if let Some(rival) = rival {
            rival.await;
        }
        self.inner.commit(change).await
    }
}

#[tokio::test]
async fn of_two_owners_who_remove_or_lower_each_other_one_stays() {
    for (here, there) in [
        (None, None),
        (Some(Role::Admin), None),
        (None, Some(Role::Admin)),
        (Some(Role::Admin), Some(Role::Organizer)),
    ] {
        let clock = Arc::new(FixedClock::at(NOW.parse().unwrap()));
        let raced = Arc::new(Wrapped(Raced { inner: Arc::default(), rival: Mutex::default() }));
        let service = Service::shared(Arc::clone(&raced) as Arc<dyn Store>).with_clock(Arc::clone(&clock));
        let other = Service::shared(Arc::clone(&raced.0.inner) as Arc<dyn Store>).with_clock(clock);
        let organization = session(&service, Plan::Pro).await.organization_id();
        let (ada, _) = join(&service, organization, "ada", Role::Owner).await;
        let (bo, bo_secret) = join(&service, organization, "bo", Role::Owner).await;
        let (ada_id, bo_id) = (ada.person().id, bo.person().id);
        let rival = async move {
            let bo = other.people().signed_in(&bo_secret).await.unwrap().session("riverside").unwrap();
            match there {
                Some(role) => drop(bo.change_role(ada_id, role).await.unwrap()),
                None => bo.remove_member(ada_id).await.unwrap(),
            }
        };
        *raced.0.rival.lock().unwrap() = Some(Box::pin(rival));
        let session = ada.session("riverside").unwrap();
        let refused = match here {
            Some(role) => session.change_role(bo_id, role).await.map(drop),
            None => session.remove_member(bo_id).await,
        };
        let expected = if there.is_none() { Error::NotFound } else { Error::MissingRole(Role::Owner) };
        assert_eq!(refused.unwrap_err(), expected, "{here:?} {there:?}");
        let members = service.admin().members(organization).await.unwrap();
        let owners = members.iter().filter(|(membership, _)| membership.role == Role::Owner);
        assert_eq!(owners.map(|(_, person)| person.id).collect::<Vec<_>>(), [bo_id]);
    }
}
