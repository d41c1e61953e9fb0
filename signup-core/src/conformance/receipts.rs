//! Receipts: their keys, their expiry and their removal.

use std::sync::Arc;

use super::records::*;
use crate::*;

async fn with_receipt(store: &dyn Store, key: &ReceiptKey, number: u32, expires_at: i64) -> Receipt {
    let receipt = Receipt { expires_at: at(expires_at), ..receipt(key.clone(), &event(1, number), &[]) };
    write(store, vec![Write::InsertReceipt(Box::new(receipt.clone()))]).await;
    receipt
}

/// Reads and the requirement find a receipt before its expiry, and not from its expiry on.
pub async fn a_receipt_is_found_while_it_is_live(store: Arc<dyn Store>) {
    let key = receipt_key(1, "key");
    let receipt = with_receipt(&*store, &key, 1, 100).await;
    assert_eq!(store.receipt(&key, at(99)).await.unwrap(), Some(receipt.clone()));
    assert_eq!(store.receipt(&key, at(100)).await.unwrap(), None);
    let requires = |now| vec![Requirement::NoReceipt { key: key.clone(), now: at(now) }];
    assert_eq!(try_write(&*store, requires(99), vec![]).await, Err(Refusal::Receipt(Box::new(receipt))));
    assert_eq!(try_write(&*store, requires(100), vec![]).await, Ok(()));
}

/// A receipt with any kind of outcome comes back as it was.
pub async fn every_outcome_comes_back(store: Arc<dyn Store>) {
    let event = event(1, 1);
    let shifts = vec![shift(&event, 1, 1), shift(&event, 2, 1)];
    let outcomes = [
        Outcome::Event(Box::new(EventWithShifts::new(event.clone(), shifts.clone()))),
        Outcome::Shift(Box::new(shift(&event, 1, 1))),
        Outcome::Shifts(shifts),
        Outcome::Question(Box::new(question(&event, 1, 1))),
        Outcome::Deleted {},
    ];
    for (number, outcome) in outcomes.into_iter().enumerate() {
        let key = receipt_key(1, &format!("key-{number}"));
        let receipt = Receipt::new(key.clone(), outcome, at(100));
        write(&*store, vec![Write::InsertReceipt(Box::new(receipt.clone()))]).await;
        assert_eq!(store.receipt(&key, at(0)).await.unwrap(), Some(receipt));
    }
}

/// A new receipt replaces an expired one with the same key.
pub async fn a_new_receipt_replaces_an_expired_one(store: Arc<dyn Store>) {
    let key = receipt_key(1, "key");
    with_receipt(&*store, &key, 1, 100).await;
    let newer = with_receipt(&*store, &key, 2, 300).await;
    assert_eq!(store.receipt(&key, at(200)).await.unwrap(), Some(newer));
    assert_eq!(store.purge_receipts(at(200), 9).await.unwrap(), 0, "nothing of the expired one is left");
}

/// A key with another token, organization, operation, record or case is a different key.
pub async fn keys_differ_by_token_operation_and_case(store: Arc<dyn Store>) {
    let key = receipt_key(1, "key");
    with_receipt(&*store, &key, 1, 100).await;
    let others = [
        ReceiptKey { token: TokenId::new(uuid(2)), ..key.clone() },
        ReceiptKey { organization: organization_id(2), ..key.clone() },
        ReceiptKey { operation: Operation::DuplicateEvent(EventId::new(uuid(1))), ..key.clone() },
        ReceiptKey { operation: Operation::DuplicateEvent(EventId::new(uuid(2))), ..key.clone() },
        ReceiptKey { operation: Operation::PatchShift(ShiftId::new(uuid(1))), ..key.clone() },
        receipt_key(1, "KEY"),
    ];
    for other in others {
        assert_eq!(store.receipt(&other, at(0)).await.unwrap(), None, "{other:?}");
    }
}

/// A purge removes only expired receipts, at most `limit` of them, and returns how many.
pub async fn a_purge_removes_only_expired_receipts(store: Arc<dyn Store>) {
    for number in 0..5 {
        with_receipt(&*store, &receipt_key(1, &format!("old-{number}")), number, 100).await;
    }
    let live = with_receipt(&*store, &receipt_key(1, "live"), 9, 101).await;
    assert_eq!(store.purge_receipts(at(99), 9).await.unwrap(), 0);
    assert_eq!(store.purge_receipts(at(100), 3).await.unwrap(), 3);
    assert_eq!(store.purge_receipts(at(100), 3).await.unwrap(), 2);
    assert_eq!(store.purge_receipts(at(100), 3).await.unwrap(), 0);
    assert_eq!(store.receipt(&live.key, at(100)).await.unwrap(), Some(live));
}

/// A purge with a limit removes the oldest expiries, and of equal expiries the first keys.
pub async fn a_purge_removes_the_oldest_first(store: Arc<dyn Store>) {
    let expiries = [("c", 20), ("d", 10), ("b", 30), ("f", 20), ("a", 40), ("e", 20)];
    for (number, (key, expires_at)) in (1..).zip(expiries) {
        with_receipt(&*store, &receipt_key(1, key), number, expires_at).await;
    }
    let left = async || {
        let mut left = String::new();
        for key in ["a", "b", "c", "d", "e", "f"] {
            // At an earlier time, expired receipts are visible until they are purged.
            if store.receipt(&receipt_key(1, key), at(0)).await.unwrap().is_some() {
                left.push_str(key);
            }
        }
        left
    };
    assert_eq!(store.purge_receipts(at(99), 1).await.unwrap(), 1);
    assert_eq!(left().await, "abcef", "the oldest expiry goes first");
    assert_eq!(store.purge_receipts(at(99), 2).await.unwrap(), 2);
    assert_eq!(left().await, "abf", "equal expiries go by key");
    assert_eq!(store.purge_receipts(at(99), 2).await.unwrap(), 2);
    assert_eq!(left().await, "a");
}
