//! The suite that every store passes, on the memory store.

use std::sync::Arc;

use signup_core::Store;
use signup_store_memory::MemoryStore;

async fn fresh() -> Option<(Arc<dyn Store>, ())> {
    Some((Arc::new(MemoryStore::new()), ()))
}

signup_core::conformance_tests!(fresh, reference: MemoryStore::new);

#[test]
fn change_sets_without_conflicting_keys_commute() {
    signup_core::conformance::serializability::check_keys(file!(), MemoryStore::new);
}
