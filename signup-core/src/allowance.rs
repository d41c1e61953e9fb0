//! Rate limits: fixed windows, one for each key. The key decides how long its windows are.
//!
//! A window opens with the first request of its key. [`Windows`] counts for one process. A store that several processes
//! share counts for all of them, as a [`RequestCounter`](crate::RequestCounter).

use std::hash::RandomState;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hashlink::LruCache;
use jiff::Timestamp;

use crate::id::{CallerId, OrganizationId};
use crate::secret::Digest;
use crate::text::EmailAddress;

/// The key of a rate-limit window: requests with one key are counted together.
///
/// An IPv6 address stands for its /64 network, and where codes are asked for, for its /48 network. A customer may have 256 networks
/// with 64 bits, or more, and the codes that 12 clients ask for use up those of an email address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RateKey {
    /// Requests of this token or person in an organization, from any address. Under [`OrganizationId::NONE`], the forms of a person
    /// in all organizations.
    Caller(OrganizationId, CallerId),
    /// Requests without a valid token from this address.
    Address(IpAddr),
    /// Attempts to sign up from this address.
    Visitor(IpAddr),
    /// Posts to the pages for signing in from this address.
    SignIn(IpAddr),
    /// Codes that this address asked for, to be mailed to the email address with this digest.
    CodesFrom(IpAddr, Digest),
    /// Codes that any address asked for, to be mailed to the email address with this digest.
    Codes(Digest),
    /// Codes that the sign-in with this digest asked for, to confirm who it is.
    Confirmations(Digest),
}

impl RateKey {
    /// Returns the key of requests without a valid token from `address`.
    pub fn address(address: IpAddr) -> Self {
        Self::Address(network(address, 64))
    }

    /// Returns the key of attempts to sign up from `address`.
    pub fn visitor(address: IpAddr) -> Self {
        Self::Visitor(network(address, 64))
    }

    /// Returns the key of posts to the pages for signing in from `address`.
    pub fn sign_in(address: IpAddr) -> Self {
        Self::SignIn(network(address, 64))
    }

    /// Returns the key of codes for `email` that `address` asked for.
    pub fn codes_from(address: IpAddr, email: &EmailAddress) -> Self {
        Self::CodesFrom(network(address, 48), Digest::of(email.key()))
    }

    /// Returns the key of all codes for `email`.
    pub fn codes(email: &EmailAddress) -> Self {
        Self::Codes(Digest::of(email.key()))
    }

    /// Returns the length of the key's windows, in seconds: an hour for codes, and else a minute.
    pub const fn window_s(self) -> i64 {
        match self {
            Self::CodesFrom(..) | Self::Codes(_) | Self::Confirmations(_) => 3600,
            Self::Caller(..) | Self::Address(_) | Self::Visitor(_) | Self::SignIn(_) => 60,
        }
    }

    /// Returns the index of the table that has the key's window.
    const fn table(self) -> usize {
        match self {
            Self::Caller(..) => 0,
            Self::Address(_) => 1,
            Self::Visitor(_) => 2,
            Self::SignIn(_) => 3,
            Self::CodesFrom(..) => 4,
            Self::Codes(_) => 5,
            Self::Confirmations(_) => 6,
        }
    }
}

/// Returns an IPv4 address itself, and the first address of the network of an IPv6 address with this many bits, at least 1.
fn network(address: IpAddr, bits: u32) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() & (u128::MAX << (128 - bits))).into()),
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
    /// Computes the allowance of the window of `key` that has counted the request.
    pub fn of(key: RateKey, window: Window, limit: u32) -> Self {
        Self {
            limit,
            remaining: limit.saturating_sub(window.requests),
            is_allowed: window.requests <= limit,
            resets_at: window.ends_at(key),
        }
    }

    /// Returns the seconds until the window ends, at least 1.
    pub fn retry_after_s(&self, now: Timestamp) -> i64 {
        (self.resets_at.as_second() - now.as_second()).max(1)
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

    /// Returns whether the window of `key` is open at `now`. A window that opens in the future, by less than its length, is
    /// open, too: the clock of another process may be ahead.
    pub fn is_open(self, key: RateKey, now: Timestamp) -> bool {
        (now.as_second() - self.opened_at.as_second()).abs() < key.window_s()
    }

    /// Returns when the window of `key` ends.
    pub fn ends_at(self, key: RateKey) -> Timestamp {
        Timestamp::from_second(self.opened_at.as_second() + key.window_s()).unwrap_or(Timestamp::MAX)
    }
}

/// The windows of one process, in bounded memory.
///
/// Each kind of key has a table of its own, so a flood of addresses does not affect tokens. A new key in a full table evicts the
/// window that was used least recently. So a flood of keys never makes the limit of another key too strict. It makes a limit too
/// loose only for a key that is silent while [`CAPACITY`](Self::CAPACITY) other keys are used. Each call takes constant time.
#[derive(Debug)]
pub struct Windows {
    tables: [Mutex<Table>; 7],
}

/// The hasher has a random seed, because clients choose the keys.
type Table = LruCache<RateKey, Window, RandomState>;

impl Default for Windows {
    fn default() -> Self {
        Self::with_capacity(Self::CAPACITY)
    }
}

impl Windows {
    /// The default capacity of each table. A full table takes about 15 MB.
    pub const CAPACITY: usize = 100_000;

    /// Creates windows for at most `capacity` keys of each kind at once.
    pub fn with_capacity(capacity: usize) -> Self {
        let table = |_| Mutex::new(Table::with_hasher(capacity, RandomState::new()));
        Self { tables: std::array::from_fn(table) }
    }

    /// Counts this number of requests under `key` at `now`, and returns their window with them included.
    pub fn count(&self, key: RateKey, number: u32, now: Timestamp) -> Window {
        let mut table = self.table(key);
        let open = table.get(&key).copied().filter(|window| window.is_open(key, now));
        let mut window = open.unwrap_or_else(|| Window::opening(now));
        window.requests = window.requests.saturating_add(number);
        table.insert(key, window);
        window
    }

    /// Returns the window of `key`, if it is open at `now`.
    pub fn get(&self, key: RateKey, now: Timestamp) -> Option<Window> {
        let window = self.table(key).get(&key).copied();
        window.filter(|window| window.is_open(key, now))
    }

    /// Stores a window that was counted elsewhere.
    pub fn put(&self, key: RateKey, window: Window) {
        self.table(key).insert(key, window);
    }

    /// Locks the table of the key, also after a panic: a table holds only counters, so a panic cannot leave it inconsistent.
    fn table(&self, key: RateKey) -> MutexGuard<'_, Table> {
        self.tables[key.table()].lock().unwrap_or_else(PoisonError::into_inner)
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
        Allowance::of(key, windows.count(key, 1, now), limit)
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
    fn several_requests_are_counted_at_once() {
        let windows = Windows::default();
        let key = address("192.0.2.1");
        assert_eq!(windows.count(key, 2, at(0)).requests, 2);
        assert_eq!(windows.count(key, 119, at(1)).requests, 121);
    }

    #[test]
    fn a_window_of_codes_is_an_hour_long() {
        let windows = Windows::default();
        let key = RateKey::codes(&"ada@example.org".parse().unwrap());
        assert_eq!(count(&windows, key, 1, at(0)).resets_at, at(3600));
        assert!(!count(&windows, key, 1, at(3599)).is_allowed);
        assert!(count(&windows, key, 1, at(3600)).is_allowed);
    }

    #[test]
    fn the_spellings_of_an_email_address_have_one_key() {
        let [one, other] = ["ada@example.org", "Ada@Example.org"].map(|text| text.parse().unwrap());
        assert_eq!(RateKey::codes(&one), RateKey::codes(&other));
        let at = "192.0.2.1".parse().unwrap();
        assert_eq!(RateKey::codes_from(at, &one), RateKey::codes_from(at, &other));
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
    fn codes_have_one_key_for_an_ipv6_network_of_48_bits() {
        let email = "ada@example.org".parse().unwrap();
        let codes = |from: &str| RateKey::codes_from(from.parse().unwrap(), &email);
        assert_eq!(codes("2001:db8:1::1"), codes("2001:db8:1:ffff:1::1"));
        assert_ne!(codes("2001:db8:1::1"), codes("2001:db8:2::1"));
        assert_eq!(codes("::ffff:192.0.2.1"), codes("192.0.2.1"));
        assert_ne!(codes("192.0.2.1"), codes("192.0.2.2"));
    }

    #[test]
    fn a_flood_of_keys_locks_nobody_out_and_lifts_no_limit_that_is_used() {
        let windows = Windows::with_capacity(100);
        let email = |name: &str| RateKey::codes(&format!("{name}@example.org").parse().unwrap());
        assert!(!count(&windows, email("spent"), 0, at(0)).is_allowed);
        for number in 0..1_000 {
            let other = count(&windows, email(&number.to_string()), 1, at(1));
            assert!(other.is_allowed, "each new key has a window of its own");
            assert!(!count(&windows, email("spent"), 1, at(1)).is_allowed);
        }
        assert_eq!(windows.table(email("spent")).len(), 100);
        assert!(count(&windows, email("0"), 1, at(1)).is_allowed, "its window was evicted");
    }
}
