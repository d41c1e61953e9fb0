//! Events that are created at once are written together; each create is refused, or fails, by itself.

use futures_util::future::join_all;
use signup_core::{
    ChangeSet, CommitError, Event, EventQuery, EventWithShifts, Receipt, Refusal, Requirement, Shift, Store,
    Write,
};

use crate::records::{Database, Engine, at, event, receipt_key, shift, with};

/// A create as the service makes it, of a draft with three shifts.
struct Create {
    event: Event,
    shifts: Vec<Shift>,
    receipt: Receipt,
}

impl Create {
    fn new(number: u32) -> Self {
        Self::of(
            with(event(number, "2027-06-05"), |event| event.is_published = false),
            &format!("key-{number}"),
            number,
        )
    }

    fn of(event: Event, key: &str, number: u32) -> Self {
        let shifts: Vec<_> = (0..3).map(|place| shift(number * 10 + place, &event, place)).collect();
        let outcome = EventWithShifts::new(event.clone(), shifts.clone());
        let receipt = Receipt::new(receipt_key(key), outcome.into(), at(86_400));
        Self { event, shifts, receipt }
    }

    fn with_slug(self, slug: &str, number: u32) -> Self {
        let key = self.receipt.key.key.as_str().to_owned();
        Self::of(with(self.event, |event| slug.clone_into(&mut event.slug)), &key, number)
    }

    fn change(&self) -> ChangeSet {
        ChangeSet {
            requires: vec![
                Requirement::NoReceipt { key: self.receipt.key.clone(), now: at(0) },
                Requirement::EventSlugFree(self.event.slug.clone()),
            ],
            writes: vec![
                Write::InsertEvent { event: Box::new(self.event.clone()), location_data: None },
                Write::InsertShifts(self.shifts.clone()),
                Write::InsertReceipt(Box::new(self.receipt.clone())),
            ],
        }
    }

    async fn assert_stored(&self, store: &dyn Store) {
        let (organization, event) = (self.event.organization, self.event.id);
        let full = store.event_in_full(organization, event).await.unwrap().unwrap();
        assert_eq!((&full.event, &full.shifts), (&self.event, &self.shifts));
        let receipt = store.receipt(&self.receipt.key, at(0)).await.unwrap();
        assert_eq!(receipt.as_ref(), Some(&self.receipt));
    }

    async fn assert_left_no_trace(&self, store: &dyn Store) {
        let event = store.event(self.event.organization, self.event.id).await.unwrap();
        assert_ne!(event.as_ref(), Some(&self.event));
        let shifts = self.shifts.iter().map(|shift| store.shift(shift.organization, shift.id));
        assert!(join_all(shifts).await.into_iter().all(|shift| shift.unwrap().is_none()));
        let receipt = store.receipt(&self.receipt.key, at(0)).await.unwrap();
        assert_ne!(receipt.as_ref(), Some(&self.receipt));
    }
}

async fn commit_at_once(database: &Database, creates: &[Create]) -> Vec<Result<(), CommitError>> {
    join_all(creates.iter().map(|create| database.store.commit(create.change()))).await
}

/// Whichever is refused or fails, every other is stored whole.
async fn assert_others_stored(database: &Database, creates: &[Create], odd: usize) {
    for (place, create) in creates.iter().enumerate() {
        if place == odd {
            create.assert_left_no_trace(&*database.store).await;
        } else {
            create.assert_stored(&*database.store).await;
        }
    }
}

fn creates() -> Vec<Create> {
    (100..130).map(Create::new).collect()
}

#[tokio::test]
async fn creates_that_come_at_once_are_all_stored() {
    let (database, _) = Database::filled(Engine::Sqlite).await.unwrap();
    let before = database.sqlite_store().commits();
    let creates = creates();
    let answers = commit_at_once(&database, &creates).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert!(database.sqlite_store().commits() - before < 10, "they shared commits");
    for create in &creates {
        create.assert_stored(&*database.store).await;
    }
}

#[tokio::test]
async fn a_create_whose_slug_is_taken_is_refused_beside_others() {
    for odd in [0, 7, 12, 29] {
        let (database, records) = Database::filled(Engine::Sqlite).await.unwrap();
        let mut creates = creates();
        let number = 100 + u32::try_from(odd).unwrap();
        creates[odd] = Create::new(number).with_slug(&records.event.slug, number);
        let answers = commit_at_once(&database, &creates).await;
        for (place, answer) in answers.iter().enumerate() {
            let is_refused = matches!(answer, Err(CommitError::Refused(Refusal::SlugTaken)));
            assert!(if place == odd { is_refused } else { answer.is_ok() }, "{place}: {answer:?}");
        }
        assert_others_stored(&database, &creates, odd).await;
    }
}

#[tokio::test]
async fn a_key_that_was_used_is_answered_with_its_receipt_beside_others() {
    let (database, records) = Database::filled(Engine::Sqlite).await.unwrap();
    let mut creates = creates();
    creates[11] = Create::of(creates[11].event.clone(), "key", 111);
    let answers = commit_at_once(&database, &creates).await;
    for (place, answer) in answers.iter().enumerate() {
        match answer {
            Err(CommitError::Refused(Refusal::Receipt(receipt))) if place == 11 => {
                assert_eq!(**receipt, records.receipt);
            }
            answer => assert!(place != 11 && answer.is_ok(), "{place}: {answer:?}"),
        }
    }
    assert_others_stored(&database, &creates, 11).await;
}

/// An id that another has is refused by the database, and not by a requirement.
#[tokio::test]
async fn a_create_that_fails_takes_no_other_with_it() {
    for is_shift in [false, true] {
        let (database, records) = Database::filled(Engine::Sqlite).await.unwrap();
        let mut creates = creates();
        if is_shift {
            creates[13].shifts[2].id = records.shifts[0].id;
        } else {
            creates[13] = Create::of(
                with(creates[13].event.clone(), |event| event.id = records.event.id),
                "key-113",
                113,
            );
        }
        let answers = commit_at_once(&database, &creates).await;
        for (place, answer) in answers.iter().enumerate() {
            assert_eq!(matches!(answer, Err(CommitError::Failed(_))), place == 13, "{place}: {answer:?}");
            assert_eq!(answer.is_ok(), place != 13, "{place}: {answer:?}");
        }
        creates[13].shifts.truncate(2);
        assert_others_stored(&database, &creates, 13).await;
    }
}

#[tokio::test]
async fn of_two_creates_with_one_slug_the_first_takes_it() {
    let (database, _) = Database::filled(Engine::Sqlite).await.unwrap();
    let mut creates = creates();
    creates[14] = Create::new(114).with_slug("food-drive-110", 114);
    let answers = commit_at_once(&database, &creates).await;
    assert!(matches!(answers[14], Err(CommitError::Refused(Refusal::SlugTaken))), "{:?}", answers[14]);
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), creates.len() - 1);
    assert_others_stored(&database, &creates, 14).await;
}

#[tokio::test]
async fn of_two_creates_with_one_key_the_first_takes_effect() {
    let (database, _) = Database::filled(Engine::Sqlite).await.unwrap();
    let mut creates = creates();
    creates[9] = Create::of(creates[9].event.clone(), "key-108", 109);
    let answers = commit_at_once(&database, &creates).await;
    let Err(CommitError::Refused(Refusal::Receipt(receipt))) = &answers[9] else {
        panic!("{:?}", answers[9])
    };
    assert_eq!(**receipt, creates[8].receipt);
    assert_others_stored(&database, &creates, 9).await;
}

#[tokio::test]
async fn published_events_that_come_at_once_stay_within_the_limit() {
    let (database, records) = Database::filled(Engine::Sqlite).await.unwrap();
    let organization = records.organization.id;
    let limit = Requirement::ActiveEventsBelow { organization, limit: 6, now: at(0) };
    let changes = (100..130).map(|number| {
        let create = Create::of(event(number, "2027-06-05"), &format!("key-{number}"), number);
        let mut change = create.change();
        change.requires.push(limit.clone());
        change
    });
    let answers = join_all(changes.map(|change| database.store.commit(change))).await;
    // One is there already.
    for (place, answer) in answers.iter().enumerate() {
        let is_refused =
            matches!(answer, Err(CommitError::Refused(Refusal::ActiveEvents { count })) if *count == 6);
        assert!(if place < 5 { answer.is_ok() } else { is_refused }, "{place}: {answer:?}");
    }
    let query = EventQuery::new().published().limit(100);
    assert_eq!(database.store.events(organization, &query).await.unwrap().events.len(), 6);
}

#[tokio::test]
async fn expired_receipts_give_way_to_creates_that_come_at_once() {
    let (database, _) = Database::filled(Engine::Sqlite).await.unwrap();
    let first = creates();
    assert!(commit_at_once(&database, &first).await.iter().all(Result::is_ok));
    let expired = first[0].receipt.expires_at;
    let again: Vec<_> = (200..230)
        .map(|number| {
            let draft = with(event(number, "2027-06-05"), |event| event.is_published = false);
            let mut create = Create::of(draft, &format!("key-{}", number - 100), number);
            create.receipt.expires_at = expired + Receipt::LIFE;
            create
        })
        .collect();
    let changes = again.iter().map(|create| {
        let mut change = create.change();
        change.requires[0] = Requirement::NoReceipt { key: create.receipt.key.clone(), now: expired };
        change
    });
    let answers = join_all(changes.map(|change| database.store.commit(change))).await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    for create in &again {
        create.assert_stored(&*database.store).await;
    }
}
