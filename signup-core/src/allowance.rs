//! How many requests a caller has left in its minute.
//!
//! A window of 60 seconds opens with a caller's first request; in it the caller gets as many requests as its plan allows.
//! [`Windows`] keeps the count for one process; a store that serves several keeps it for all of them.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use crate::id::{OrganizationId, TokenId};

/// How long a window is open, in seconds.
pub const WINDOW_S: i64 = 60;

/// The key of a rate-limit window: requests with one key are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RateKey {
    /// A valid token of an organization, wherever it is used from.
    Token(OrganizationId, TokenId),
    /// An address from which no valid token came; of IPv6 the /64 network, which is what one customer is given.
    Address(IpAddr),
    /// An address, likewise, from which a volunteer tries to sign up.
    Visitor(IpAddr),
}

impl RateKey {
    /// The key of requests from `address`.
    pub fn address(address: IpAddr) -> Self {
        Self::Address(network(address))
    }

    /// The key of attempts to sign up from `address`.
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

/// What is left for a caller after a request was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Requests that the window allows.
    pub limit: u32,
    /// Requests left in it.
    pub remaining: u32,
    /// Whether this request is within the limit.
    pub is_allowed: bool,
    /// When the window ends.
    pub resets_at: Timestamp,
}

impl Allowance {
    /// What `window` leaves of `limit`, after it has counted the request.
    pub fn of(window: Window, limit: u32) -> Self {
        Self {
            limit,
            remaining: limit.saturating_sub(window.requests),
            is_allowed: window.requests <= limit,
            resets_at: window.ends_at(),
        }
    }

    /// Seconds until the window ends: 1 to 60 while it is open.
    pub fn retry_after_s(&self, now: Timestamp) -> i64 {
        (self.resets_at.as_second() - now.as_second()).clamp(1, WINDOW_S)
    }
}

/// A minute of a caller, and the requests that were counted in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// When it was opened, to the second.
    pub opened_at: Timestamp,
    /// How many requests were counted, the last one included.
    pub requests: u32,
}

impl Window {
    /// A window that opens at `now`, before its first request.
    fn opening(now: Timestamp) -> Self {
        let opened_at = Timestamp::from_second(now.as_second()).unwrap_or(now);
        Self { opened_at, requests: 0 }
    }

    /// Whether it still counts at `now`. Processes whose clocks differ by less than a window share it all the same: one
    /// that another's clock opened a moment ahead is open, too.
    pub fn is_open(self, now: Timestamp) -> bool {
        (now.as_second() - self.opened_at.as_second()).abs() < WINDOW_S
    }

    /// When it ends.
    pub fn ends_at(self) -> Timestamp {
        Timestamp::from_second(self.opened_at.as_second() + WINDOW_S).unwrap_or(Timestamp::MAX)
    }
}

/// The windows of the callers of one process, in bounded memory.
///
/// Tokens, addresses and volunteers are kept apart, so that a flood of addresses touches no token. When one table is full of open
/// windows, the callers that are new to it share a single one: the count may then be too strict, but never too loose.
#[derive(Debug)]
pub struct Windows {
    tokens: Mutex<Table<(OrganizationId, TokenId)>>,
    addresses: Mutex<Table<IpAddr>>,
    visitors: Mutex<Table<IpAddr>>,
}

#[derive(Debug)]
struct Table<K> {
    windows: HashMap<K, Window>,
    shared: Option<Window>,
    capacity: usize,
}

impl Default for Windows {
    fn default() -> Self {
        Self::with_capacity(Self::CAPACITY)
    }
}

impl Windows {
    /// How many windows of each kind are kept by default: about 5 MB of tokens and 6 MB of each kind of address when
    /// full.
    pub const CAPACITY: usize = 100_000;

    /// Windows for at most `capacity` callers of each kind at once.
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            tokens: Mutex::new(Table::new(capacity)),
            addresses: Mutex::new(Table::new(capacity)),
            visitors: Mutex::new(Table::new(capacity)),
        }
    }

    /// Counts a request of `caller` at `now`.
    pub fn count(&self, caller: RateKey, now: Timestamp) -> Window {
        match caller {
            RateKey::Token(organization, id) => unpoisoned(&self.tokens).count((organization, id), now),
            RateKey::Address(at) => unpoisoned(&self.addresses).count(at, now),
            RateKey::Visitor(at) => unpoisoned(&self.visitors).count(at, now),
        }
    }

    /// The caller's window, if one of its own is open at `now`.
    pub fn get(&self, caller: RateKey, now: Timestamp) -> Option<Window> {
        let window = match caller {
            RateKey::Token(organization, id) => {
                unpoisoned(&self.tokens).windows.get(&(organization, id)).copied()
            }
            RateKey::Address(at) => unpoisoned(&self.addresses).windows.get(&at).copied(),
            RateKey::Visitor(at) => unpoisoned(&self.visitors).windows.get(&at).copied(),
        };
        window.filter(|window| window.is_open(now))
    }

    /// Takes over what was counted elsewhere, as long as there is room for it.
    pub fn put(&self, caller: RateKey, window: Window, now: Timestamp) {
        match caller {
            RateKey::Token(organization, id) => unpoisoned(&self.tokens).put((organization, id), window, now),
            RateKey::Address(at) => unpoisoned(&self.addresses).put(at, window, now),
            RateKey::Visitor(at) => unpoisoned(&self.visitors).put(at, window, now),
        }
    }
}

/// The tables hold counters only; one left half-way by a panic would still be a valid counter.
fn unpoisoned<T>(table: &Mutex<T>) -> MutexGuard<'_, T> {
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<K: Hash + Eq> Table<K> {
    fn new(capacity: usize) -> Self {
        Self { windows: HashMap::new(), shared: None, capacity }
    }

    /// Whether there is a place for `caller`, perhaps after windows that are no longer open were removed.
    fn has_place(&mut self, caller: &K, now: Timestamp) -> bool {
        if self.windows.len() >= self.capacity && !self.windows.contains_key(caller) {
            self.windows.retain(|_, window| window.is_open(now));
        }
        self.windows.len() < self.capacity || self.windows.contains_key(caller)
    }

    fn count(&mut self, caller: K, now: Timestamp) -> Window {
        let fresh = Window::opening(now);
        let window = if self.has_place(&caller, now) {
            self.windows.entry(caller).or_insert(fresh)
        } else {
            self.shared.get_or_insert(fresh)
        };
        if !window.is_open(now) {
            *window = fresh;
        }
        window.requests = window.requests.saturating_add(1);
        *window
    }

    fn put(&mut self, caller: K, window: Window, now: Timestamp) {
        if self.has_place(&caller, now) {
            self.windows.insert(caller, window);
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

    fn take(windows: &Windows, caller: RateKey, limit: u32, now: Timestamp) -> Allowance {
        Allowance::of(windows.count(caller, now), limit)
    }

    #[test]
    fn a_window_allows_exactly_its_limit_and_opens_anew_after_a_minute() {
        let windows = Windows::default();
        let caller = address("192.0.2.1");
        for remaining in [2, 1, 0] {
            let allowance = take(&windows, caller, 3, at(10));
            assert!(allowance.is_allowed);
            assert_eq!(allowance.remaining, remaining);
            assert_eq!(allowance.resets_at, at(70));
        }
        let over = take(&windows, caller, 3, at(69));
        assert!(!over.is_allowed);
        assert_eq!(over.retry_after_s(at(69)), 1);
        assert!(take(&windows, caller, 3, at(70)).is_allowed);
    }

    #[test]
    fn one_caller_does_not_use_up_another_ones_window() {
        let windows = Windows::default();
        assert!(take(&windows, address("192.0.2.1"), 1, at(0)).is_allowed);
        assert!(take(&windows, address("192.0.2.2"), 1, at(0)).is_allowed);
    }

    #[test]
    fn addresses_of_one_ipv6_network_are_one_caller() {
        assert_eq!(address("2001:db8::1"), address("2001:db8::ffff:1"));
        assert_ne!(address("2001:db8::1"), address("2001:db8:0:1::1"));
        assert_eq!(address("::ffff:192.0.2.1"), address("192.0.2.1"));
    }

    #[test]
    fn a_full_table_stays_within_its_bounds_and_lets_nobody_off() {
        let windows = Windows::with_capacity(2);
        for n in 0..2 {
            assert!(take(&windows, address(&format!("192.0.2.{n}")), 1, at(0)).is_allowed);
        }
        assert!(take(&windows, address("192.0.2.8"), 1, at(0)).is_allowed);
        assert!(!take(&windows, address("192.0.2.9"), 1, at(0)).is_allowed);
        assert_eq!(windows.addresses.lock().unwrap().windows.len(), 2);
        assert!(take(&windows, address("192.0.2.9"), 1, at(60)).is_allowed, "closed windows give way");
    }
}
