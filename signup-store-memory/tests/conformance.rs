//! The suite that every store passes, on the memory store.

use std::sync::Arc;

use signup_core::Store;
use signup_store_memory::MemoryStore;

signup_core::conformance_tests!(async || Some((Arc::new(MemoryStore::new()) as Arc<dyn Store>, ())));
