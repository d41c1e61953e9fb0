//! The conformance suite catches faulty stores.
//!
//! Each mutant is the memory store with one fault. The test of a mutant passes if the named promise of the suite fails on
//! the mutant. So these tests fail if a change of the suite weakens the check of a promise.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod counters;
mod deletion;
mod events;
mod reads;
mod requirements;
mod signups;
mod writes;

use std::time::{Duration, Instant};

use signup_core::conformance::records::organization_id;
use signup_core::{ChangeSet, EmailAddress, OrganizationId, Requirement, Signup, Store, StoreError, Write};
use signup_store_memory::MemoryStore;

/// Defines a mutant, and the test that the promise fails on the mutant with a message that contains `$message`. A mutant that
/// panics for another reason does not pass. `self.0` is the memory store.
macro_rules! mutant {
    ($(#[$doc:meta])* $name:ident breaks $module:ident::$promise:ident with $message:literal { $($methods:tt)* }) => {
        $(#[$doc])*
        mod $name {
            use super::*;

            #[derive(Debug, Default)]
            struct Mutant(MemoryStore);

            #[async_trait]
            impl Wrapper for Mutant {
                fn inner(&self) -> &dyn Store {
                    &self.0
                }

                $($methods)*
            }

            #[test]
            #[should_panic(expected = $message)]
            fn is_caught() {
                let fresh = async || Some((Arc::new(Wrapped(Mutant::default())) as Arc<dyn Store>, ()));
                signup_core::conformance::test(fresh, signup_core::conformance::$module::$promise);
            }
        }
    };
}
pub(crate) use mutant;

/// Returns the ids of the organizations of the suite.
fn organizations() -> [OrganizationId; 3] {
    [1, 2, 3].map(organization_id)
}

/// Returns the change set with some requirements left out or replaced.
fn with_requirements(
    mut change: ChangeSet,
    replace: impl FnMut(Requirement) -> Option<Requirement>,
) -> ChangeSet {
    change.requires = change.requires.into_iter().filter_map(replace).collect();
    change
}

/// Returns the change set with some writes replaced.
fn with_writes(mut change: ChangeSet, replace: impl FnMut(Write) -> Vec<Write>) -> ChangeSet {
    change.writes = change.writes.into_iter().flat_map(replace).collect();
    change
}

/// Returns the sign-ups with the addresses of the suite, by ascending id. Those of deleted events are included.
async fn signups_of_ada(
    store: &MemoryStore,
    organization: OrganizationId,
) -> Result<Vec<Signup>, StoreError> {
    let mut signups = vec![];
    for number in 0..30 {
        let email = EmailAddress::new(&format!("ada{number}@example.org")).unwrap();
        signups.extend(store.signups_of_address(organization, &email, u32::MAX).await?);
    }
    signups.sort_by_key(|signup| signup.id);
    Ok(signups)
}

/// Lets other tasks run until `holds` returns true, for at most 10 seconds.
async fn wait_until(holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() && started.elapsed() < Duration::from_secs(10) {
        tokio::task::yield_now().await;
    }
}
