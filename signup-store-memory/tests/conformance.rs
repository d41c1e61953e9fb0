//! The suite that every store passes, on the memory store.

use std::sync::Arc;

use signup_core::Store;
use signup_store_memory::MemoryStore;

async fn fresh() -> Option<(Arc<dyn Store>, ())> {
    Some((Arc::new(MemoryStore::new()), ()))
}

signup_core::conformance_tests!(fresh, reference: MemoryStore::new);

#[test]
fn requirements_and_writes_without_a_conflict_commute() {
    signup_core::conformance::keys::check(&MemoryStore::new());
}
