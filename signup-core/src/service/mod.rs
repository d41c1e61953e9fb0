//! The service: everything that can be done, over any store.
//!
//! A method reads top to bottom: authorize, read, decide. What it decides is made durable in one commit, and the loop that
//! commits and tries again stands once, in `write.rs`.
//!
//! Operations of a caller take a [`Call`], which only a valid token gives, and check its expiry each time. Operations of whoever manages the installation
//! take none: they are for programs that embed the library, and for the command line.

mod call;
mod events;
mod notices;
mod organizations;
mod questions;
mod shifts;
mod signups;
mod tokens;
mod write;

use std::net::IpAddr;
use std::sync::Arc;

use jiff::Timestamp;

pub use call::Call;
pub use events::EventList;
pub use signups::{PublicEvent, SignedUp};
pub use write::{Kept, Reply};

use crate::allowance::{Allowance, Caller, Windows};
use crate::clock::{Clock, SystemClock};
use crate::error::Result;
use crate::plan::PlanTable;
use crate::store::Store;
use call::TokenCache;

/// The service over a store. Cheap to clone; clones share everything.
#[derive(Debug, Clone)]
pub struct Service {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    plans: PlanTable,
    tokens: TokenCache,
    windows: Arc<Windows>,
}

impl Service {
    /// How often people at one address may try to sign up in a minute.
    pub const VISITS_PER_MINUTE: u32 = 30;

    /// The service over `store`, with the system's clock and the default plans.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            clock: Arc::new(SystemClock),
            plans: PlanTable::default(),
            tokens: TokenCache::default(),
            windows: Arc::default(),
        }
    }

    /// The same with another clock.
    #[must_use]
    pub fn with_clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// The same with other limits of the plans.
    #[must_use]
    pub fn with_plans(self, plans: PlanTable) -> Self {
        Self { plans, ..self }
    }

    /// The time by the service's clock.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Counts a request against the allowance of its caller: of the token, or without a valid one of the address, which has the
    /// rate of the free plan. A token that has expired since it was authenticated is not valid. A store that several processes
    /// share keeps the windows for all of them; else they are this process's.
    ///
    /// A window that is used up is remembered until it ends, so that who goes on asking costs the store no count.
    ///
    /// # Errors
    /// Only if the store fails: then nothing is known of the caller's window, and nothing should be done for it.
    pub async fn count_request(&self, call: Option<&Call>, address: IpAddr) -> Result<Allowance> {
        let call = call.filter(|call| call.is_valid(self.now()));
        let (caller, limit) = self.caller(call, address);
        self.count(caller, limit).await
    }

    /// Counts a volunteer's try to sign up, apart from every other request: an address has
    /// [`VISITS_PER_MINUTE`](Self::VISITS_PER_MINUTE).
    ///
    /// # Errors
    /// Only if the store fails.
    pub async fn count_visit(&self, address: IpAddr) -> Result<Allowance> {
        self.count(Caller::visitor(address), Self::VISITS_PER_MINUTE).await
    }

    async fn count(&self, caller: Caller, limit: u32) -> Result<Allowance> {
        let now = self.now();
        if let Some(window) = self.windows.get(caller, now)
            && window.requests > limit
        {
            return Ok(Allowance::of(window, limit));
        }
        let window = match self.store.count_request(caller, now).await? {
            Some(window) => {
                if window.requests > limit {
                    self.windows.put(caller, window, now);
                }
                window
            }
            None => self.windows.count(caller, now),
        };
        Ok(Allowance::of(window, limit))
    }

    /// How many requests a minute the caller has, whatever is left of them.
    pub fn requests_per_minute(&self, call: Option<&Call>) -> u32 {
        call.map_or(self.plans.free, |call| call.limits).requests_per_minute
    }

    fn caller(&self, call: Option<&Call>, address: IpAddr) -> (Caller, u32) {
        let caller = match call {
            Some(call) => Caller::Token(call.organization, call.token),
            None => Caller::at(address),
        };
        (caller, self.requests_per_minute(call))
    }

    /// Removes at most `limit` receipts whose 24 hours are over, and as many windows that are no longer open; says of which
    /// kind more, how many. To be called now and then, until it says fewer than `limit`.
    ///
    /// # Errors
    /// Only if the store fails.
    pub async fn purge(&self, limit: u32) -> Result<u64> {
        let now = self.now();
        let receipts = self.store.purge_receipts(now, limit).await?;
        Ok(receipts.max(self.store.purge_windows(now, limit).await?))
    }

    /// Whether the store answers, and takes commits.
    ///
    /// # Errors
    /// If it does not, and why.
    pub async fn check(&self) -> Result<()> {
        Ok(self.store.check().await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{EventId, OrganizationId, ShiftId};
    use crate::input::{DuplicateInput, EventInput, ShiftPatchInput, SignUpInput};

    /// Servers run every write in a task of its own: what a method returns has to be able to move there.
    #[test]
    fn what_a_method_returns_can_be_spawned() {
        fn spawnable<T: Send>(_: impl FnOnce(&'static Service, &'static Call) -> T) {}
        spawnable(|service, call| async {
            drop(service.create_event(call, None, &EventInput::default()).await);
            drop(service.duplicate_event(call, None, EventId::NONE, &DuplicateInput::default()).await);
            drop(service.patch_shift(call, None, ShiftId::NONE, &ShiftPatchInput::default()).await);
            let volunteer = SignUpInput::default();
            drop(service.sign_up(OrganizationId::NONE, EventId::NONE, ShiftId::NONE, &volunteer).await);
        });
    }
}
