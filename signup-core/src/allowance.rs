//! How many requests a caller has left in its minute.
//!
//! A window of 60 seconds opens with a caller's first request; in it the caller gets as many requests as its plan allows.
//! [`Windows`] keeps the count for one process.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

use crate::id::TokenId;

/// How long a window is open, in seconds.
pub const WINDOW_S: i64 = 60;

/// Whose requests are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Caller {
    /// A valid token, wherever it is used from.
    Token(TokenId),
    /// An address from which no valid token came; of IPv6 the /64 network, which is what one customer is given.
    Address(IpAddr),
}

impl Caller {
    /// The caller at `address`.
    pub fn at(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V6(v6) => Self::Address(IpAddr::V6((v6.to_bits() & !u128::from(u64::MAX)).into())),
            v4 => Self::Address(v4),
        }
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
    /// Seconds until the window ends: 1 to 60 while it is open.
    pub fn retry_after_s(&self, now: Timestamp) -> i64 {
        (self.resets_at.as_second() - now.as_second()).clamp(1, WINDOW_S)
    }
}

#[derive(Debug, Clone, Copy)]
struct Window {
    opened_s: i64,
    requests: u32,
}

impl Window {
    fn is_open(self, now_s: i64) -> bool {
        (self.opened_s..self.opened_s + WINDOW_S).contains(&now_s)
    }
}

/// The windows of the callers of one process, in bounded memory.
///
/// Tokens and addresses are kept apart, so that a flood of addresses touches no token. When one table is full of open
/// windows, the callers that are new to it share a single one: the count may then be too strict, but never too loose.
#[derive(Debug)]
pub struct Windows {
    tokens: Mutex<Table<TokenId>>,
    addresses: Mutex<Table<IpAddr>>,
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
    /// How many windows of each kind are kept by default: about 5 MB of tokens and 6 MB of addresses when full.
    pub const CAPACITY: usize = 100_000;

    /// Windows for at most `capacity` tokens and as many addresses at once.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { tokens: Mutex::new(Table::new(capacity)), addresses: Mutex::new(Table::new(capacity)) }
    }

    /// Counts a request of `caller` at `now`, of `limit` in a window.
    pub fn take(&self, caller: Caller, limit: u32, now: Timestamp) -> Allowance {
        // The tables hold counters only; one left half-way by a panic would still be a valid counter.
        let window = match caller {
            Caller::Token(id) => self.tokens.lock().unwrap_or_else(PoisonError::into_inner).take(id, now),
            Caller::Address(at) => {
                self.addresses.lock().unwrap_or_else(PoisonError::into_inner).take(at, now)
            }
        };
        Allowance {
            limit,
            remaining: limit.saturating_sub(window.requests),
            is_allowed: window.requests <= limit,
            resets_at: Timestamp::from_second(window.opened_s + WINDOW_S).unwrap_or(Timestamp::MAX),
        }
    }
}

impl<K: Hash + Eq> Table<K> {
    fn new(capacity: usize) -> Self {
        Self { windows: HashMap::new(), shared: None, capacity }
    }

    fn take(&mut self, caller: K, now: Timestamp) -> Window {
        let now_s = now.as_second();
        if self.windows.len() >= self.capacity && !self.windows.contains_key(&caller) {
            self.windows.retain(|_, window| window.is_open(now_s));
        }
        let is_full = self.windows.len() >= self.capacity && !self.windows.contains_key(&caller);
        let fresh = Window { opened_s: now_s, requests: 0 };
        let window = if is_full {
            self.shared.get_or_insert(fresh)
        } else {
            self.windows.entry(caller).or_insert(fresh)
        };
        if !window.is_open(now_s) {
            *window = fresh;
        }
        window.requests = window.requests.saturating_add(1);
        *window
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    fn address(text: &str) -> Caller {
        Caller::at(text.parse().unwrap())
    }

    #[test]
    fn a_window_allows_exactly_its_limit_and_opens_anew_after_a_minute() {
        let windows = Windows::default();
        let caller = address("192.0.2.1");
        for remaining in [2, 1, 0] {
            let allowance = windows.take(caller, 3, at(10));
            assert!(allowance.is_allowed);
            assert_eq!(allowance.remaining, remaining);
            assert_eq!(allowance.resets_at, at(70));
        }
        let over = windows.take(caller, 3, at(69));
        assert!(!over.is_allowed);
        assert_eq!(over.retry_after_s(at(69)), 1);
        assert!(windows.take(caller, 3, at(70)).is_allowed);
    }

    #[test]
    fn one_caller_does_not_use_up_another_ones_window() {
        let windows = Windows::default();
        assert!(windows.take(address("192.0.2.1"), 1, at(0)).is_allowed);
        assert!(windows.take(address("192.0.2.2"), 1, at(0)).is_allowed);
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
            assert!(windows.take(address(&format!("192.0.2.{n}")), 1, at(0)).is_allowed);
        }
        assert!(windows.take(address("192.0.2.8"), 1, at(0)).is_allowed);
        assert!(!windows.take(address("192.0.2.9"), 1, at(0)).is_allowed);
        assert_eq!(windows.addresses.lock().unwrap().windows.len(), 2);
        assert!(windows.take(address("192.0.2.9"), 1, at(60)).is_allowed, "closed windows give way");
    }
}
