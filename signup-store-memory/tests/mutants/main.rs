//! The conformance suite catches faulty stores.
//!
//! Each mutant is the memory store with one fault. The test of a mutant passes if the named promise of the suite fails on
//! the mutant. So these tests fail if a change of the suite weakens the check of a promise.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod counters;
mod reads;
mod requirements;
mod writes;

use std::time::{Duration, Instant};

use signup_core::OrganizationId;
use signup_core::conformance::records::organization_id;

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

/// Lets other tasks run until `holds` returns true, for at most 10 seconds.
async fn wait_until(holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() && started.elapsed() < Duration::from_secs(10) {
        tokio::task::yield_now().await;
    }
}
