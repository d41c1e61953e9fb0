//! Counting requests, for stores with a [`RequestCounter`]. A store without one passes.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use super::records::*;
use crate::*;

fn address(number: u8) -> RateKey {
    RateKey::address(IpAddr::V4(Ipv4Addr::new(192, 0, 2, number)))
}

async fn count(counter: &dyn RequestCounter, key: RateKey, seconds: i64) -> (Timestamp, u32) {
    let window = counter.count_requests(key, 1, at(seconds)).await.unwrap();
    (window.opened_at, window.requests)
}

/// A window opens with its first request, counts for 60 seconds, and is followed by a new one.
pub async fn requests_are_counted_in_windows_of_60_seconds(store: Arc<dyn Store>) {
    let Some(counter) = store.request_counter() else { return };
    assert_eq!(count(counter, address(1), 5).await, (at(5), 1));
    assert_eq!(count(counter, address(1), 6).await, (at(5), 2));
    assert_eq!(count(counter, address(1), 64).await, (at(5), 3));
    assert_eq!(count(counter, address(1), 65).await, (at(65), 1), "a new window opens after 60 seconds");
    let several = counter.count_requests(address(1), 40, at(66)).await.unwrap();
    assert_eq!((several.opened_at, several.requests), (at(65), 41), "several at once");
    assert_eq!(count(counter, address(1), 67).await, (at(65), 42));
}

/// The window of a key is as long as the key says.
pub async fn codes_are_counted_in_windows_of_an_hour(store: Arc<dyn Store>) {
    let Some(counter) = store.request_counter() else { return };
    let codes = RateKey::codes(&"ada@example.org".parse().unwrap());
    assert_eq!(count(counter, codes, 5).await, (at(5), 1));
    assert_eq!(count(counter, codes, 3604).await, (at(5), 2));
    assert_eq!(counter.purge_windows(at(3604), 9).await.unwrap(), 0, "the window is open");
    assert_eq!(count(counter, codes, 3605).await, (at(3605), 1), "a new window opens after an hour");
    assert_eq!(counter.purge_windows(at(7205), 9).await.unwrap(), 1, "the window has ended");
}

/// Requests with different keys are counted in different windows, whatever their kind.
pub async fn each_key_has_a_window_of_its_own(store: Arc<dyn Store>) {
    let Some(counter) = store.request_counter() else { return };
    commit(&*store, insert([1, 2].map(organization))).await;
    let tokens = [(1, 1), (1, 2), (2, 1)]
        .map(|(owner, number)| RateKey::Caller(organization_id(owner), CallerId::new(uuid(number))));
    let from = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    let [ada, bob] = ["ada@example.org", "bob@example.org"].map(|email| email.parse().unwrap());
    let addresses = [address(1), address(2), RateKey::visitor(from), RateKey::sign_in(from)];
    let codes = [&ada, &bob].map(|email| [RateKey::codes(email), RateKey::codes_from(from, email)]);
    let codes = codes.into_iter().flatten().chain([RateKey::Confirmations(Digest::of(ada.key()))]);
    for key in addresses.into_iter().chain(tokens).chain(codes) {
        assert_eq!(count(counter, key, 0).await.1, 1, "the first request of {key:?}");
    }
}

/// Simultaneous requests of one key get different counts.
pub async fn simultaneous_requests_get_different_counts(store: Arc<dyn Store>) {
    if store.request_counter().is_none() {
        return;
    }
    let tasks: Vec<_> = (0..32)
        .map(|_| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { count(store.request_counter().unwrap(), address(1), 0).await.1 })
        })
        .collect();
    let mut counts = vec![];
    for task in tasks {
        counts.push(task.await.unwrap());
    }
    counts.sort_unstable();
    assert_eq!(counts, (1..33).collect::<Vec<_>>(), "each request has a count of its own");
}

/// A purge removes only windows that have ended, at most `limit` of them, and returns how many.
pub async fn a_purge_removes_only_ended_windows(store: Arc<dyn Store>) {
    let Some(counter) = store.request_counter() else { return };
    for number in 1..6 {
        assert_eq!(count(counter, address(number), 0).await.1, 1);
    }
    assert_eq!(count(counter, address(9), 30).await.1, 1);
    assert_eq!(counter.purge_windows(at(59), 9).await.unwrap(), 0, "all windows are open");
    assert_eq!(
        counter.purge_windows(at(60), 3).await.unwrap(),
        3,
        "the purge removes windows up to the limit"
    );
    assert_eq!(counter.purge_windows(at(60), 3).await.unwrap(), 2);
    assert_eq!(counter.purge_windows(at(60), 3).await.unwrap(), 0);
    assert_eq!(count(counter, address(9), 60).await, (at(30), 2), "an open window stays");
}
