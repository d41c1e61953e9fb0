//! Signing in: codes and their limits, and how long a sign-in lasts.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use signup_core::*;
use signup_store_memory::MemoryStore;
use tokio::sync::Semaphore;

use crate::scene::{NOW, Scene, address, join, session};

const CLIENT: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 7));

/// Asks for a code in a browser, and returns the code of the mail.
pub(crate) async fn code(service: &Service, browser: &Secret, name: &str) -> Code {
    let before = service.outbox().due(100).await.unwrap();
    let allowance = service.people().request_code(&address(name), browser, CLIENT).await.unwrap();
    assert!(allowance.is_allowed);
    let notices = service.outbox().due(100).await.unwrap();
    let new = notices.into_iter().find(|notice| !before.iter().any(|before| before.id == notice.id));
    match new.unwrap().cause {
        NoticeCause::SignInCode { code, email, .. } if email == address(name) => code,
        other => panic!("{other:?}"),
    }
}

/// Returns the error of reading the person who is signed in. `None` if the sign-in works.
async fn ended(service: &Service, secret: &Secret) -> Option<Error> {
    service.people().signed_in(secret).await.err()
}

#[tokio::test]
async fn a_code_signs_in_once_and_in_the_browser_that_asked_for_it() {
    let scene = Scene::start().await;
    scene.member("ada", Role::Organizer).await;
    let (people, browser) = (scene.service.people(), Secret::generate());
    let mailed = code(&scene.service, &browser, "ada").await;
    let elsewhere = people.sign_in(&Secret::generate(), &mailed, None).await;
    assert_eq!(elsewhere.err(), Some(Error::CodeGone), "a browser that asked for none");
    let other = Secret::generate();
    code(&scene.service, &other, "ada").await;
    assert_eq!(people.sign_in(&other, &mailed, None).await.err(), Some(Error::WrongCode));
    let typed = mailed.grouped().to_uppercase().parse().unwrap();
    let (ada, secret) = people.sign_in(&browser, &typed, None).await.unwrap();
    assert_eq!(ada.person().email, address("ada"));
    assert_eq!(ended(&scene.service, &secret).await, None);
    assert_eq!(people.sign_in(&browser, &mailed, None).await.err(), Some(Error::CodeGone), "used");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_has_five_tries_and_one_use_also_at_once() {
    let scene = Scene::start().await;
    scene.member("ada", Role::Organizer).await;
    for (wrong, signed_in) in [(4, 1), (5, 0), (20, 0)] {
        let browser = Secret::generate();
        let mailed = code(&scene.service, &browser, "ada").await;
        let enter_at_once = async |code: Code, times| {
            let tries: Vec<_> = (0..times)
                .map(|_| {
                    let (service, browser, code) = (scene.service.clone(), browser.clone(), code.clone());
                    tokio::spawn(async move { service.people().sign_in(&browser, &code, None).await.is_ok() })
                })
                .collect();
            let mut succeeded = 0;
            for entered in tries {
                succeeded += usize::from(entered.await.unwrap());
            }
            succeeded
        };
        assert_eq!(enter_at_once("aaaa aaaa".parse().unwrap(), wrong).await, 0);
        assert_eq!(enter_at_once(mailed, 10).await, signed_in, "after {wrong} wrong codes");
    }
}

#[tokio::test]
async fn a_new_code_ends_only_the_one_of_the_same_browser() {
    let scene = Scene::start().await;
    scene.member("ada", Role::Organizer).await;
    let (people, here, there) = (scene.service.people(), Secret::generate(), Secret::generate());
    let [first, second] =
        [code(&scene.service, &here, "ada").await, code(&scene.service, &there, "ada").await];
    let third = code(&scene.service, &here, "ada").await;
    assert_eq!(people.sign_in(&here, &first, None).await.err(), Some(Error::WrongCode));
    assert!(people.sign_in(&there, &second, None).await.is_ok(), "the code of another browser");
    assert!(people.sign_in(&here, &third, None).await.is_ok());
}

#[tokio::test]
async fn an_unknown_address_gets_the_same_answers() {
    let scene = Scene::start().await;
    let (ada, _) = scene.member("ada", Role::Organizer).await;
    ada.leave(scene.session.organization_id()).await.unwrap();
    for name in ["ada", "nobody"] {
        let browser = Secret::generate();
        // The code is made, and only its mail is dropped.
        let mailed = code(&scene.service, &browser, name).await;
        let refused = scene.service.people().sign_in(&browser, &mailed, None).await;
        assert_eq!(refused.err(), Some(Error::WrongCode), "{name}");
    }
}

#[tokio::test]
async fn codes_are_limited_for_an_address_and_for_an_address_from_one_client() {
    let scene = Scene::start().await;
    scene.member("ada", Role::Organizer).await;
    let people = scene.service.people();
    let client = |number: u8| IpAddr::from([198, 51, 100, number]);
    let ask = async |name: &str, from| {
        people.request_code(&address(name), &Secret::generate(), from).await.unwrap().is_allowed
    };
    for name in ["ada", "nobody"] {
        for from in 0..12 {
            for _ in 0..5 {
                assert!(ask(name, client(from)).await);
            }
            assert!(!ask(name, client(from)).await, "the sixth from a client");
        }
        assert!(!ask(name, client(12)).await, "the sixty-first from any");
    }
    let queued = scene.service.outbox().due(200).await.unwrap();
    let is_code = |notice: &&Notice| matches!(notice.cause, NoticeCause::SignInCode { .. });
    assert_eq!(queued.iter().filter(is_code).count(), 120, "a refused request makes no code");
    scene.clock.advance(3_599);
    assert!(!ask("ada", client(0)).await);
    scene.clock.advance(1);
    assert!(ask("ada", client(0)).await);
    for _ in 0..30 {
        assert!(people.count_post(CLIENT).await.unwrap().is_allowed);
    }
    assert!(!people.count_post(CLIENT).await.unwrap().is_allowed);
}

#[tokio::test]
async fn a_confirmation_is_limited_by_sign_in_and_not_by_the_codes_of_others() {
    let scene = Scene::start().await;
    let (here, _) = scene.member("ada", Role::Admin).await;
    let (people, browser) = (scene.service.people(), Secret::generate());
    for number in 0..70 {
        let from = IpAddr::from([198, 51, 100, number]);
        people.request_code(&address("ada"), &Secret::generate(), from).await.unwrap();
    }
    assert!(!people.request_code(&address("ada"), &browser, CLIENT).await.unwrap().is_allowed);
    for _ in 0..5 {
        assert!(here.request_code(&browser).await.unwrap().is_allowed);
    }
    let refused = here.request_code(&browser).await.unwrap();
    assert_eq!((refused.is_allowed, refused.limit), (false, 5));
    scene.clock.advance(3_600);
    assert!(here.request_code(&browser).await.unwrap().is_allowed);
    let code_of = |notice: Notice| match notice.cause {
        NoticeCause::SignInCode { browser: of, code, .. } if of == browser.digest() => Some(code),
        _ => None,
    };
    let due = scene.service.outbox().due(100).await.unwrap();
    let newest = due.into_iter().rev().find_map(code_of).unwrap();
    assert!(people.sign_in(&browser, &newest, Some(&here)).await.unwrap().0.is_recent());
}

#[tokio::test]
async fn the_forms_of_a_person_are_limited_over_all_browsers() {
    let scene = Scene::start().await;
    let (here, _) = scene.member("ada", Role::Organizer).await;
    let (bo, _) = scene.member("bo", Role::Organizer).await;
    let browser = Secret::generate();
    let mailed = code(&scene.service, &browser, "ada").await;
    let (there, _) = scene.service.people().sign_in(&browser, &mailed, None).await.unwrap();
    for _ in 0..120 {
        for signed_in in [&here, &there] {
            assert!(signed_in.count_post().await.unwrap().is_allowed);
        }
    }
    assert!(!here.count_post().await.unwrap().is_allowed);
    assert!(bo.count_post().await.unwrap().is_allowed, "another person");
    scene.clock.advance(60);
    assert!(here.count_post().await.unwrap().is_allowed);
}

#[tokio::test]
async fn a_code_that_is_entered_again_renews_the_sign_in() {
    let scene = Scene::start().await;
    let (ada, first) = scene.member("ada", Role::Admin).await;
    assert!(ada.is_recent(), "an accepted invitation of somebody new counts");
    scene.clock.advance(900);
    assert!(ada.is_recent());
    scene.clock.advance(1);
    assert!(!ada.is_recent());
    let (people, browser) = (scene.service.people(), Secret::generate());
    let mailed = code(&scene.service, &browser, "ada").await;
    let (again, second) = people.sign_in(&browser, &mailed, Some(&ada)).await.unwrap();
    assert!(again.is_recent() && first != second);
    assert_eq!(ended(&scene.service, &first).await, Some(Error::Unauthenticated));
    assert_eq!(ended(&scene.service, &second).await, None);
}

#[tokio::test]
async fn a_sign_in_ends_after_14_days_without_use_and_after_60_days() {
    const DAY: i64 = 86_400;
    let scene = Scene::start().await;
    let (ada, unused) = scene.member("ada", Role::Organizer).await;
    let (people, browser) = (scene.service.people(), Secret::generate());
    let mailed = code(&scene.service, &browser, "ada").await;
    let (_, used) = people.sign_in(&browser, &mailed, None).await.unwrap();
    scene.clock.advance(14 * DAY - 1);
    assert_eq!(ended(&scene.service, &used).await, None);
    scene.clock.advance(1);
    assert_eq!(ended(&scene.service, &unused).await, Some(Error::Unauthenticated));
    for _ in 0..3 {
        // The use a second ago is not recorded.
        scene.clock.advance(14 * DAY - 2);
        assert_eq!(ended(&scene.service, &used).await, None);
    }
    // The last second of the 60 days.
    scene.clock.advance(4 * DAY + 5);
    let at_last = people.signed_in(&used).await.unwrap();
    let session = at_last.session("riverside").unwrap();
    assert_eq!(session.events(EventQuery::new()).await.unwrap().items, []);
    scene.clock.advance(1);
    assert_eq!(ended(&scene.service, &used).await, Some(Error::Unauthenticated));
    let expired = session.events(EventQuery::new()).await;
    assert_eq!(expired.unwrap_err(), Error::Unauthenticated, "a session ends with its sign-in");
    let old = ada.session("riverside").unwrap().events(EventQuery::new()).await;
    assert_eq!(old.unwrap_err(), Error::Unauthenticated);
}

/// A sign-in that was used in its last second goes on before the use is recorded, and afterwards in another process.
#[tokio::test]
async fn no_request_waits_until_the_use_of_its_sign_in_or_token_is_recorded() {
    let clock = Arc::new(FixedClock::at(NOW.parse().unwrap()));
    let inner = Arc::new(MemoryStore::new());
    let service = Service::shared(Arc::clone(&inner) as Arc<dyn Store>).with_clock(Arc::clone(&clock));
    let organization = session(&service, Plan::Pro).await.organization_id();
    let (_, secret) = join(&service, organization, "ada", Role::Organizer).await;
    let token = NewToken::new("nightly".parse().unwrap(), Scopes::all());
    let (_, token) = service.admin().create_token(organization, token).await.unwrap();

    // The second commit of this process fails.
    let store = Arc::new(Wrapped(Broken(Arc::clone(&inner), AtomicUsize::new(1))));
    let broken = Service::shared(Arc::clone(&store) as Arc<dyn Store>).with_clock(Arc::clone(&clock));
    clock.advance(SignIn::IDLE_LIFETIME.as_secs() - 1);
    assert!(broken.authenticate(token.reveal()).await.is_ok());
    assert_eq!(ended(&broken, &secret).await, None);
    assert_eq!(store.0.1.load(Relaxed), 1, "nothing was committed");
    assert!(broken.admin().record_uses().await.is_err(), "one of two uses is recorded");
    clock.advance(30);
    assert_eq!(ended(&broken, &secret).await, None, "the noted use counts");
    broken.admin().record_uses().await.unwrap_err();
    store.0.1.store(2, Relaxed);
    broken.admin().record_uses().await.unwrap();
    let another = Service::shared(inner).with_clock(clock);
    assert_eq!(ended(&another, &secret).await, None);
}

/// A commit to a token fails, and any other waits for a permit.
#[derive(Debug)]
struct Slow {
    inner: Arc<MemoryStore>,
    permits: Semaphore,
    begun: Semaphore,
}

#[async_trait]
impl Wrapper for Slow {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        if change.writes.iter().any(|write| matches!(write, Write::Put { after: Record::Token(_), .. })) {
            return Err(StoreError::unavailable("committing", "a token cannot be written").into());
        }
        self.begun.add_permits(1);
        let permit = self.permits.acquire().await.unwrap();
        permit.forget();
        self.inner.commit(change).await
    }
}

/// The use of the token comes first.
#[tokio::test]
async fn a_use_counts_while_it_is_recorded_and_is_recorded_although_another_cannot_be() {
    let clock = Arc::new(FixedClock::at(NOW.parse().unwrap()));
    let inner = Arc::new(MemoryStore::new());
    let service = Service::shared(Arc::clone(&inner) as Arc<dyn Store>).with_clock(Arc::clone(&clock));
    let organization = session(&service, Plan::Pro).await.organization_id();
    let (_, secret) = join(&service, organization, "ada", Role::Organizer).await;
    let token = NewToken::new("nightly".parse().unwrap(), Scopes::all());
    let (_, token) = service.admin().create_token(organization, token).await.unwrap();
    let slow = Slow { inner: Arc::clone(&inner), permits: Semaphore::new(0), begun: Semaphore::new(0) };
    let slow = Arc::new(Wrapped(slow));
    let process = Service::shared(Arc::clone(&slow) as Arc<dyn Store>).with_clock(Arc::clone(&clock));
    clock.advance(SignIn::IDLE_LIFETIME.as_secs() - 1);
    assert!(process.authenticate(token.reveal()).await.is_ok());
    assert_eq!(ended(&process, &secret).await, None);
    clock.advance(30);
    let admin = process.admin();
    let while_it_runs = async {
        drop(slow.0.begun.acquire().await.unwrap());
        assert_eq!(ended(&process, &secret).await, None, "the noted use counts");
        slow.0.permits.add_permits(9);
    };
    let (recorded, ()) = tokio::join!(admin.record_uses(), while_it_runs);
    assert!(matches!(recorded, Err(Error::Store(_))), "{recorded:?}");
    let another = Service::shared(inner).with_clock(clock);
    assert_eq!(ended(&another, &secret).await, None, "the use of the sign-in is recorded");
}

#[tokio::test]
async fn signing_out_ends_one_sign_in_and_everywhere_ends_all() {
    let scene = Scene::start().await;
    let (ada, first) = scene.member("ada", Role::Organizer).await;
    let (people, browser) = (scene.service.people(), Secret::generate());
    let sign_in = async || {
        let mailed = code(&scene.service, &browser, "ada").await;
        people.sign_in(&browser, &mailed, None).await.unwrap().1
    };
    let (second, third) = (sign_in().await, sign_in().await);
    for _ in 0..2 {
        ada.sign_out().await.unwrap();
    }
    assert_eq!(ended(&scene.service, &first).await, Some(Error::Unauthenticated));
    assert_eq!(ended(&scene.service, &second).await, None);
    people.signed_in(&second).await.unwrap().sign_out_everywhere().await.unwrap();
    for secret in [&second, &third] {
        assert_eq!(ended(&scene.service, secret).await, Some(Error::Unauthenticated));
    }
    let fourth = sign_in().await;
    assert_eq!(ended(&scene.service, &fourth).await, None, "a later sign-in");
    scene.service.admin().sign_out_person(&address("ADA")).await.unwrap();
    assert_eq!(ended(&scene.service, &fourth).await, Some(Error::Unauthenticated));
}

#[tokio::test]
async fn a_request_in_the_last_second_of_a_sign_in_is_not_cut_off() {
    let scene = Scene::start().await;
    let (_, secret) = scene.member("ada", Role::Organizer).await;
    scene.clock.advance(SignIn::IDLE_LIFETIME.as_secs() - 1);
    let ada = scene.service.people().signed_in(&secret).await.unwrap();
    scene.clock.advance(2);
    let slow = ada.session("riverside").unwrap().events(EventQuery::new()).await;
    assert_eq!(slow.unwrap().items, []);
}

#[tokio::test]
async fn a_person_who_is_gone_is_signed_out_everywhere() {
    let scene = Scene::start().await;
    let (ada, _) = scene.member("ada", Role::Organizer).await;
    ada.leave(scene.session.organization_id()).await.unwrap();
    assert_eq!(ada.sign_out_everywhere().await, Ok(()));
}

#[tokio::test]
async fn expired_codes_invitations_and_sign_ins_are_purged() {
    let clock = Arc::new(FixedClock::at(NOW.parse().unwrap()));
    let store = Arc::new(MemoryStore::new());
    let service = Service::shared(Arc::clone(&store) as Arc<dyn Store>).with_clock(Arc::clone(&clock));
    let organization = session(&service, Plan::Pro).await.organization_id();
    let (ada, secret) = join(&service, organization, "ada", Role::Organizer).await;
    let browser = Secret::generate();
    code(&service, &browser, "ada").await;
    let new = NewInvitation::new(address("bo"), "Bo".parse().unwrap(), Role::Organizer);
    let (invitation, _) = service.admin().invite_person(organization, new).await.unwrap().unwrap();
    let keys = [
        RecordKey::SignInCode(browser.digest()),
        RecordKey::Invitation(organization, invitation.id),
        RecordKey::SignIn(secret.digest()),
    ];
    for (days, left) in [(0, 3), (1, 2), (7, 1), (14, 0)] {
        clock.set(NOW.parse::<Timestamp>().unwrap() + SignedDuration::from_hours(24 * days));
        service.admin().purge(100).await.unwrap();
        let mut found = 0;
        for key in &keys {
            found += usize::from(store.record(key, Deleted::Included).await.unwrap().is_some());
        }
        assert_eq!(found, left, "after {days} days");
    }
    let person = RecordKey::Person(ada.person().id);
    assert!(store.record(&person, Deleted::Included).await.unwrap().is_some());
}

/// A store whose commits fail after this many.
#[derive(Debug)]
pub(crate) struct Broken(pub(crate) Arc<MemoryStore>, pub(crate) AtomicUsize);

#[async_trait]
impl Wrapper for Broken {
    fn inner(&self) -> &dyn Store {
        &self.0
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        let left = self.1.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
        if left.is_err() {
            return Err(StoreError::unavailable("committing", "the disk is full").into());
        }
        self.0.commit(change).await
    }
}
