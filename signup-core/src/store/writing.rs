//! Writing a store.
