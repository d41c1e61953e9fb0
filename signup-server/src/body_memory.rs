//! The memory for the bodies of requests: one bound for the process, which the client addresses share.
//!
//! Bodies may take half of the memory. The other half is only for the first 8 KiB of each client address, so long bodies do not
//! keep out short ones, such as forms. Beyond 8 KiB, an address may hold half of what the others leave to long bodies. So one
//! address gets at most a quarter of the whole, however many connections it has.
//!
//! **Invariant:** the final sizes of the buffers of all bodies together are within the bound, whatever lengths the clients
//! declare. While a buffer grows, the smaller buffer that it replaces is not counted.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use signup_core::RateKey;

/// What a client may hold as long as any memory is free, in bytes. Nearly all bodies are shorter.
const SHORT_BYTES: usize = 8 * 1024;
/// The part of what the others leave for long bodies that a client may hold: one part in this many.
const PARTS: usize = 2;

/// The memory for bodies. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct BodyMemory(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    free: usize,
    /// The part of the free bytes that long bodies leave.
    reserve: usize,
    /// The bytes that each client holds. A client that holds none has no entry.
    held: HashMap<RateKey, usize>,
}

/// The memory for one body, which is given back when the value is dropped.
#[derive(Debug)]
pub(crate) struct BodyRoom {
    memory: BodyMemory,
    client: RateKey,
    bytes: usize,
}

impl BodyMemory {
    /// Creates the memory with a bound in bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self(Arc::new(Mutex::new(State { free: bytes, reserve: bytes / 2, held: HashMap::new() })))
    }

    /// Returns the room for a body from `client`, which is empty at first. An IPv6 address stands for its /64 network.
    pub(crate) fn room(&self, client: IpAddr) -> BodyRoom {
        BodyRoom { memory: self.clone(), client: RateKey::address(client), bytes: 0 }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic cannot leave the state inconsistent, so a poisoned lock is usable.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BodyRoom {
    /// Takes more bytes. Returns whether the client may hold them; otherwise the room stays as it is.
    #[must_use]
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        let mut state = self.memory.state();
        let held = state.held.get(&self.client).copied().unwrap_or_default();
        let for_long_bodies = (state.free.saturating_sub(state.reserve) + held) / PARTS;
        if bytes > state.free || held + bytes > for_long_bodies.max(SHORT_BYTES) {
            return false;
        }
        state.free -= bytes;
        *state.held.entry(self.client).or_default() += bytes;
        self.bytes += bytes;
        true
    }
}

impl Drop for BodyRoom {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut state = self.memory.state();
        state.free += self.bytes;
        if let Entry::Occupied(mut held) = state.held.entry(self.client) {
            *held.get_mut() -= self.bytes;
            if *held.get() == 0 {
                held.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: usize = 1024;

    fn room(memory: &BodyMemory, client: &str) -> BodyRoom {
        memory.room(client.parse().unwrap())
    }

    #[test]
    fn a_client_holds_at_most_half_of_what_the_others_leave_of_half() {
        let memory = BodyMemory::new(1024 * KIB);
        let (mut first, mut second) = (room(&memory, "192.0.2.1"), room(&memory, "192.0.2.1"));
        assert!(first.grow(156 * KIB) && second.grow(100 * KIB));
        assert!(!first.grow(1) && !second.grow(1), "all bodies of a client count");
        let mut other = room(&memory, "192.0.2.2");
        assert!(!other.grow(128 * KIB + 1) && other.grow(128 * KIB));
        drop(first);
        assert!(!other.grow(79 * KIB) && other.grow(78 * KIB), "what is given back is free");
        assert!(second.grow(53 * KIB));
    }

    #[test]
    fn one_address_has_room_for_64_bodies_of_100_kb_and_more_than_one_of_1_mib_at_the_least_bound() {
        let default = BodyMemory::new(64 * 1024 * KIB);
        let mut rooms: Vec<_> = (0..64).map(|_| room(&default, "192.0.2.1")).collect();
        assert!(rooms.iter_mut().all(|room| room.grow(100_000)));

        let least = BodyMemory::new(16 * 1024 * KIB);
        let addresses = ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"];
        let mut rooms = addresses.map(|address| room(&least, address));
        assert!(rooms.iter_mut().all(|room| room.grow(1024 * KIB)));
    }

    #[test]
    fn an_ipv6_address_stands_for_its_network() {
        let memory = BodyMemory::new(32 * KIB);
        let mut first = room(&memory, "2001:db8::1");
        assert!(first.grow(8 * KIB));
        assert!(!room(&memory, "2001:db8::2").grow(1) && room(&memory, "2001:db8:0:1::1").grow(KIB));
    }

    #[test]
    fn long_bodies_of_many_addresses_leave_half_to_short_ones() {
        const BOUND: usize = 64 * 1024 * KIB;
        let memory = BodyMemory::new(BOUND);
        let mut rooms = Vec::new();
        for address in 0..2000_u32 {
            let mut room = memory.room(std::net::Ipv4Addr::from_bits(0x0a00_0000 + address).into());
            while room.grow(KIB) {}
            rooms.push(room);
        }
        let held: usize = rooms.iter().map(|room| room.bytes).sum();
        assert!(held > BOUND / 2 && held < BOUND, "{held}");
        assert!(rooms.iter().all(|room| room.bytes >= SHORT_BYTES));
        assert!(room(&memory, "192.0.2.1").grow(SHORT_BYTES), "the form of another client");
        drop(rooms);
        let state = memory.state();
        assert_eq!((state.free, state.held.len()), (BOUND, 0));
    }
}
