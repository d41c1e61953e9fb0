//! Rate limits: fixed windows of 60 seconds, one for each key.
//!
//! A window opens with the first request of its key. [`Windows`] counts for one process. A store that several processes
//! share counts for all of them, as a [`RequestCounter`](crate::RequestCounter).

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use crate::id::{CallerId, OrganizationId};

/// The length of a window, in seconds.
pub const WINDOW_S: i64 = 60;

/// The key of a rate-limit window: requests with one key are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RateKey {
    /// Requests of this token or person in an organization, from any address.
    Caller(OrganizationId, CallerId),
    /// Requests without a valid token from this address. An IPv6 address stands for its /64 network, the usual
    /// allocation to one customer.
    Address(IpAddr),
    /// Attempts to sign up from this address. An IPv6 address stands for its /64 network.
    Visitor(IpAddr),
}

impl RateKey {
    /// Returns the key of requests without a valid token from `address`.
    pub fn address(address: IpAddr) -> Self {
        Self::Address(network(address))
    }

    /// Returns the key of attempts to sign up from `address`.
    pub fn visitor(address: IpAddr) -> Self {
        Self::Visitor(network(address))
    }
}

fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() & !u128::from(u64::MAX)).into()),
        v4 => v4,
    }
}

/// The state of a rate limit after a request was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// The number of requests that the window allows.
    pub limit: u32,
    /// The number of requests left in the window.
    pub remaining: u32,
    /// Whether the counted request is within the limit.
    pub is_allowed: bool,
    /// When the window ends.
    pub resets_at: Timestamp,
}

impl Allowance {
    /// Computes the allowance of a window that has counted the request.
    pub fn of(window: Window, limit: u32) -> Self {
        Self {
            limit,
            remaining: limit.saturating_sub(window.requests),
            is_allowed: window.requests <= limit,
            resets_at: window.ends_at(),
        }
    }

    /// Returns the seconds until the window ends, from 1 to 60.
    pub fn retry_after_s(&self, now: Timestamp) -> i64 {
        (self.resets_at.as_second() - now.as_second()).clamp(1, WINDOW_S)
    }
}

/// A rate-limit window, with the requests counted in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// When the window opened, as a whole second.
    pub opened_at: Timestamp,
    /// The number of requests counted, the latest one included.
    pub requests: u32,
}

impl Window {
    /// Returns a window that opens at `now`, before its first request.
    fn opening(now: Timestamp) -> Self {
        let opened_at = Timestamp::from_second(now.as_second()).unwrap_or(now);
        Self { opened_at, requests: 0 }
    }

    /// Returns whether the window is open at `now`. A window that opens less than 60 seconds in the future is open,
    /// too: the clock of another process may be ahead.
    pub fn is_open(self, now: Timestamp) -> bool {
        (now.as_second() - self.opened_at.as_second()).abs() < WINDOW_S
    }

    /// Returns when the window ends.
    pub fn ends_at(self) -> Timestamp {
        Timestamp::from_second(self.opened_at.as_second() + WINDOW_S).unwrap_or(Timestamp::MAX)
    }
}

/// The windows of one process, in bounded memory.
///
/// Tokens, addresses and visitors have separate tables, so a flood of addresses does not affect tokens. When a table is
/// full of open windows, new keys share one window. Their limit may then be too strict, but never too loose.
#[derive(Debug)]
pub struct Windows {
    tokens: Mutex<Table<(OrganizationId, CallerId)>>,
    addresses: Mutex<Table<IpAddr>>,
    visitors: Mutex<Table<IpAddr>>,
}

#[derive(Debug)]
struct Table<K> {
    windows: HashMap<K, Window>,
    /// The window of keys that found the table full.
    shared: Option<Window>,
    capacity: usize,
}

impl Default for Windows {
    fn default() -> Self {
        Self::with_capacity(Self::CAPACITY)
    }
}

impl Windows {
    /// The default capacity of each table. A full table of tokens takes about 5 MB. A full table of addresses or
    /// visitors takes about 6 MB.
    pub const CAPACITY: usize = 100_000;

    /// Creates windows for at most `capacity` keys of each kind at once.
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            tokens: Mutex::new(Table::new(capacity)),
            addresses: Mutex::new(Table::new(capacity)),
            visitors: Mutex::new(Table::new(capacity)),
        }
    }

    /// Counts a request under `key` at `now`, and returns its window with the request included.
    pub fn count(&self, key: RateKey, now: Timestamp) -> Window {
        match key {
            RateKey::Caller(organization, id) => unpoisoned(&self.tokens).count((organization, id), now),
            RateKey::Address(at) => unpoisoned(&self.addresses).count(at, now),
            RateKey::Visitor(at) => unpoisoned(&self.visitors).count(at, now),
        }
    }

    /// Returns the key's own window, if it is open at `now`. Never returns the shared window of a full table.
    pub fn get(&self, key: RateKey, now: Timestamp) -> Option<Window> {
        let window = match key {
            RateKey::Caller(organization, id) => {
                unpoisoned(&self.tokens).windows.get(&(organization, id)).copied()
            }
            RateKey::Address(at) => unpoisoned(&self.addresses).windows.get(&at).copied(),
            RateKey::Visitor(at) => unpoisoned(&self.visitors).windows.get(&at).copied(),
        };
        window.filter(|window| window.is_open(now))
    }

    /// Stores a window that was counted elsewhere. Does nothing if the table is full.
    pub fn put(&self, key: RateKey, window: Window, now: Timestamp) {
        match key {
            RateKey::Caller(organization, id) => {
                unpoisoned(&self.tokens).put((organization, id), window, now);
            }
            RateKey::Address(at) => unpoisoned(&self.addresses).put(at, window, now),
            RateKey::Visitor(at) => unpoisoned(&self.visitors).put(at, window, now),
        }
    }
}

/// Locks a table, also after a panic: a table holds only counters, so a panic cannot leave it inconsistent.
fn unpoisoned<T>(table: &Mutex<T>) -> MutexGuard<'_, T> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<K: Hash + Eq> Table<K> {
    fn new(capacity: usize) -> Self {
        Self { windows: HashMap::new(), shared: None, capacity }
    }

    /// Returns whether the table has `key` or room for it. A full table first evicts the windows that have ended.
    fn make_room(&mut self, key: &K, now: Timestamp) -> bool {
        if self.windows.len() >= self.capacity && !self.windows.contains_key(key) {
            self.windows.retain(|_, window| window.is_open(now));
        }
        self.windows.len() < self.capacity || self.windows.contains_key(key)
    }

    fn count(&mut self, key: K, now: Timestamp) -> Window {
        let fresh = Window::opening(now);
        let window = if self.make_room(&key, now) {
            self.windows.entry(key).or_insert(fresh)
        } else {
            self.shared.get_or_insert(fresh)
        };
        if !window.is_open(now) {
            *window = fresh;
        }
        window.requests = window.requests.saturating_add(1);
        *window
    }

    fn put(&mut self, key: K, window: Window, now: Timestamp) {
        if self.make_room(&key, now) {
            self.windows.insert(key, window);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn address(text: &str) -> RateKey {
        RateKey::address(text.parse().unwrap())
    }

    fn count(windows: &Windows, key: RateKey, limit: u32, now: Timestamp) -> Allowance {
        Allowance::of(windows.count(key, now), limit)
    }

    #[test]
    fn a_window_allows_exactly_its_limit_and_a_new_one_opens_after_a_minute() {
        let windows = Windows::default();
        let key = address("192.0.2.1");
        for remaining in [2, 1, 0] {
            let allowance = count(&windows, key, 3, at(10));
            assert!(allowance.is_allowed);
            assert_eq!(allowance.remaining, remaining);
            assert_eq!(allowance.resets_at, at(70));
        }
        let over = count(&windows, key, 3, at(69));
        assert!(!over.is_allowed);
        assert_eq!(over.retry_after_s(at(69)), 1);
        assert!(count(&windows, key, 3, at(70)).is_allowed);
    }

    #[test]
    fn each_address_has_its_own_window() {
        let windows = Windows::default();
        assert!(count(&windows, address("192.0.2.1"), 1, at(0)).is_allowed);
        assert!(count(&windows, address("192.0.2.2"), 1, at(0)).is_allowed);
    }

    #[test]
    fn addresses_of_one_ipv6_network_have_one_key() {
        assert_eq!(address("2001:db8::1"), address("2001:db8::ffff:1"));
        assert_ne!(address("2001:db8::1"), address("2001:db8:0:1::1"));
        assert_eq!(address("::ffff:192.0.2.1"), address("192.0.2.1"));
    }

    #[test]
    fn a_full_table_stays_within_its_capacity_and_limits_every_new_key() {
        let windows = Windows::with_capacity(2);
        for n in 0..2 {
            assert!(count(&windows, address(&format!("192.0.2.{n}")), 1, at(0)).is_allowed);
        }
        assert!(count(&windows, address("192.0.2.8"), 1, at(0)).is_allowed);
        assert!(!count(&windows, address("192.0.2.9"), 1, at(0)).is_allowed);
        assert_eq!(windows.addresses.lock().unwrap().windows.len(), 2);
        assert!(
            count(&windows, address("192.0.2.9"), 1, at(60)).is_allowed,
            "windows that have ended are evicted"
        );
    }
}
