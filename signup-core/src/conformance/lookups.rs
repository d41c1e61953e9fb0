//! Lookups: a record is found by its key and its unique values, and a missing one is none.

use std::sync::Arc;

use super::records::*;
use crate::*;

/// Returns a record of each kind, each after its parent.
fn of_each_kind(number: u32) -> Vec<Record> {
    let event = event(number, number);
    let mut shift = shift(&event, number, 5);
    // It has one sign-up.
    shift.occupancy.filled = 1;
    let (signup, webhook, person) = (signup(&shift, number), webhook(number, number), person(number));
    let mut records = vec![
        organization(number).into(),
        token(number, number).into(),
        location_data(&event, "{}".parse().unwrap()).into(),
        question(&event, number, 0).into(),
        link(&signup, number).into(),
        notice(&shift, number).into(),
        receipt(receipt_key(number, "key"), &event, &[]).into(),
        activity(number, number).into(),
        delivery(&webhook, number).into(),
        membership(number, &person, Role::Admin).into(),
        invitation(number, number).into(),
        sign_in_code(number).into(),
        sign_in(&person, number).into(),
        message(&event, number).into(),
        opt_out(number, number).into(),
        event.into(),
        shift.into(),
        signup.into(),
        webhook.into(),
        person.into(),
    ];
    records.sort_by_key(Record::kind);
    records
}

/// Each lookup returns the record of its key among others, and none for an unknown key.
pub async fn each_lookup_returns_the_record_of_its_key(store: Arc<dyn Store>) {
    for number in 1..4 {
        commit(&*store, insert(of_each_kind(number))).await;
    }
    for number in 0..5 {
        let is_there = (1..4).contains(&number);
        for record in of_each_kind(number) {
            let key = record.entity().key();
            let expected = is_there.then(|| record.clone());
            assert_eq!(store.record(&key, Deleted::Excluded).await.unwrap(), expected, "{key:?}");
            for unique in record.entity().uniques() {
                assert_eq!(store.holder(&unique, Deleted::Excluded).await.unwrap(), expected, "{unique:?}");
            }
        }
        let owner = is_there.then(|| organization_id(number));
        for kind in [Kind::Token, Kind::Event, Kind::Shift, Kind::Question, Kind::Signup, Kind::Notice] {
            assert_eq!(store.owner(kind, uuid(number)).await.unwrap(), owner, "{kind:?} {number}");
        }
        let by_slug = store.event_by_slug(&event(number, number).slug).await.unwrap();
        assert_eq!(by_slug.map(|full| full.event), is_there.then(|| event(number, number)));
    }
}

/// A fresh store answers, and accepts commits.
pub async fn a_fresh_store_passes_its_check(store: Arc<dyn Store>) {
    assert!(store.check().await.is_ok(), "a fresh store passes its check");
}

/// A missing record is `None` or an empty list, and not an error.
pub async fn a_missing_record_is_none(store: Arc<dyn Store>) {
    let (owner, event, shift) = (organization_id(1), EventId::new(uuid(1)), ShiftId::new(uuid(1)));
    for record in of_each_kind(1) {
        let key = record.entity().key();
        for deleted in [Deleted::Excluded, Deleted::Included] {
            assert_eq!(store.record(&key, deleted).await.unwrap(), None, "{key:?}");
        }
        for unique in record.entity().uniques() {
            assert_eq!(store.holder(&unique, Deleted::Excluded).await.unwrap(), None, "{unique:?}");
        }
    }
    let external_id = Unique::EventExternalId(owner, "drive-1".parse().unwrap());
    assert_eq!(store.holder(&external_id, Deleted::Excluded).await.unwrap(), None);
    for kind in [Kind::Event, Kind::Link, Kind::Receipt, Kind::OptOut] {
        assert_eq!(store.owner(kind, event.uuid()).await.unwrap(), None);
    }
    assert_eq!(store.organizations(None, 9).await.unwrap(), vec![]);
    assert_eq!(store.tokens(owner).await.unwrap(), vec![]);
    assert_eq!(store.event_in_full(&RecordKey::Event(owner, event)).await.unwrap(), None);
    assert_eq!(store.event_by_slug("food-drive-1").await.unwrap(), None);
    assert_eq!(store.shifts(owner, event).await.unwrap(), None);
    assert_eq!(store.shift_with_event(owner, shift).await.unwrap(), None);
    assert_eq!(store.deleted_events(owner, None, 9).await.unwrap(), vec![]);
    let query = SignupQuery::new();
    for query in [query.clone(), query.clone().of_event(event), query.of_shift(shift)] {
        for query in [query.clone(), query.clone().with_deleted(), query.status(SignupStatus::Cancelled)] {
            assert_eq!(store.signups(owner, &query).await.unwrap(), Page::new(vec![], None, None));
        }
    }
    assert_eq!(store.signup_in_full(owner, SignupId::new(uuid(1))).await.unwrap(), None);
    let due = NoticeQuery::Due { now: at(9), latest: at(9) };
    for query in [due, NoticeQuery::Queued(None), NoticeQuery::Failed(None)] {
        assert_eq!(store.notices(query, 9).await.unwrap(), vec![]);
    }
    assert_eq!(store.webhooks(owner).await.unwrap(), vec![]);
    assert_eq!(store.members(owner).await.unwrap(), []);
    assert_eq!(store.invitations(owner).await.unwrap(), []);
    assert_eq!(store.links(owner, &"ada@example.org".parse().unwrap()).await.unwrap(), []);
    assert_eq!(store.memberships(PersonId::new(uuid(1))).await.unwrap(), []);
    assert_eq!(store.messages(owner, event).await.unwrap(), []);
    assert_eq!(store.signed_in(&Digest::of("x")).await.unwrap(), None);
    let deliveries = store.deliveries(owner, WebhookId::new(uuid(1)), &DeliveryQuery::new()).await.unwrap();
    assert_eq!(deliveries, Page::new(vec![], None, None));
    assert_eq!(store.due_deliveries(at(9), 9).await.unwrap(), vec![]);
    assert_eq!(store.statistics().await.unwrap().oldest_pending_delivery, None);
    assert_eq!(store.statistics().await.unwrap().notices, NoticeCounts::default());
    assert_eq!(store.events(owner, &EventQuery::new()).await.unwrap(), Page::new(vec![], None, None));
    for purge in [Purge::Expired(at(9)), Purge::Deleted(at(9)), Purge::FailedNotices(at(9))] {
        assert_eq!(store.purge(purge, 9).await.unwrap(), 0);
    }
    commit(&*store, insert(vec![organization(1).into(), Record::from(token(1, 7))])).await;
    assert_eq!(store.owner(Kind::Event, uuid(7)).await.unwrap(), None, "the id of a record of another kind");
}
