//! Receipts: their keys, their expiry and their removal.

use std::sync::Arc;

use super::family::assert_found;
use super::records::*;
use crate::*;

async fn with_receipt(store: &dyn Store, key: &ReceiptKey, number: u32, expires_at: i64) -> Receipt {
    let receipt = Receipt { expires_at: at(expires_at), ..receipt(key.clone(), &event(1, number), &[]) };
    commit(store, insert([receipt.clone()])).await;
    receipt
}

/// A receipt holds its key until it expires. From then on the key is free at the time of the requirement, and a new receipt
/// replaces the expired one. Reads also return an expired receipt.
pub async fn a_receipt_holds_its_key_until_it_expires(store: Arc<dyn Store>) {
    let key = receipt_key(1, "key");
    let unique = Unique::Receipt(key.clone());
    let is_absent = |now| check(&*store, vec![Requirement::Absent { unique: unique.clone(), now: at(now) }]);
    for (number, expires_at) in [(1, 100), (2, 300)] {
        let receipt = with_receipt(&*store, &key, number, expires_at).await;
        let taken = Err(Refusal::Taken(Box::new(receipt.clone().into())));
        assert_eq!(is_absent(expires_at - 1).await, taken);
        assert_eq!(is_absent(expires_at).await, Ok(()));
        assert_eq!(store.find::<Receipt>(unique.clone()).await.unwrap(), Some(receipt.clone()));
        assert_eq!(store.get::<Receipt>(receipt.key()).await.unwrap(), Some(receipt));
    }
    let purged = store.purge(Purge::Expired(at(200)), 9).await.unwrap();
    assert_eq!(purged, 0, "nothing of the expired one is left");
}

/// A receipt with any kind of outcome comes back as it was.
pub async fn every_outcome_comes_back(store: Arc<dyn Store>) {
    let event = event(1, 1);
    let shifts = [1, 2].map(|number| ScheduledShift::of(shift(&event, number, 1), &event)).to_vec();
    let outcomes = [
        Outcome::Event(Box::new(EventWithShifts::new(event.clone(), shifts.clone()))),
        Outcome::Shift(Box::new(shifts[0].clone())),
        Outcome::Shifts(shifts),
        Outcome::Question(Box::new(question(&event, 1, 1))),
        Outcome::Webhook(Box::new(webhook(1, 1))),
        Outcome::Delivery(Box::new(delivery(&webhook(1, 1), 1).claimed(at(1)))),
        Outcome::Token(Box::new(token(1, 1))),
        Outcome::Invitation(Some(Box::new(invitation(1, 1)))),
        Outcome::Invitation(None),
        Outcome::Deleted {},
    ];
    for (number, outcome) in outcomes.into_iter().enumerate() {
        let key = receipt_key(1, &format!("key-{number}"));
        let receipt = Receipt::new(key, outcome, at(100));
        commit(&*store, insert([receipt.clone()])).await;
        assert_found(&*store, &[receipt.into()]).await;
    }
}

/// A key of another caller, or with another organization, operation, record or case is a different key.
pub async fn keys_differ_by_caller_operation_and_case(store: Arc<dyn Store>) {
    let key = receipt_key(1, "key");
    with_receipt(&*store, &key, 1, 100).await;
    let others = [
        ReceiptKey { caller: CallerId::new(uuid(2)), ..key.clone() },
        ReceiptKey { organization: organization_id(2), ..key.clone() },
        ReceiptKey { operation: OperationKind::DuplicateEvent.on(EventId::new(uuid(1))), ..key.clone() },
        ReceiptKey { operation: OperationKind::DuplicateEvent.on(EventId::new(uuid(2))), ..key.clone() },
        ReceiptKey { operation: OperationKind::PatchShift.on(ShiftId::new(uuid(1))), ..key.clone() },
        receipt_key(1, "KEY"),
    ];
    for other in others {
        assert_eq!(check(&*store, vec![absent(Unique::Receipt(other.clone()))]).await, Ok(()), "{other:?}");
        assert_eq!(store.get::<Receipt>(RecordKey::Receipt(other.clone())).await.unwrap(), None, "{other:?}");
    }
}

/// A purge removes only expired receipts, at most `limit` of them, and returns how many. The oldest expiries go first, and equal
/// ones by key.
pub async fn a_purge_removes_the_oldest_expired_receipts(store: Arc<dyn Store>) {
    let expiries = [("c", 20), ("d", 10), ("b", 30), ("f", 20), ("a", 40), ("e", 20)];
    for (number, (key, expires_at)) in (1..).zip(expiries) {
        with_receipt(&*store, &receipt_key(1, key), number, expires_at).await;
    }
    for (now, limit, removed, left) in [
        (9, 9, 0, "abcdef"),
        (10, 9, 1, "abcef"),
        (99, 2, 2, "abf"),
        (30, 9, 2, "a"),
        (39, 9, 0, "a"),
        (40, 9, 1, ""),
    ] {
        let purged = store.purge(Purge::Expired(at(now)), limit).await.unwrap();
        let mut found = String::new();
        for key in ["a", "b", "c", "d", "e", "f"] {
            let is_left = store
                .holder(&Unique::Receipt(receipt_key(1, key)), Deleted::Excluded)
                .await
                .unwrap()
                .is_some();
            found.push_str(if is_left { key } else { "" });
        }
        assert_eq!((purged, found.as_str()), (removed, left), "at {now}, at most {limit}");
    }
}
