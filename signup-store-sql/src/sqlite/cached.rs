//! The reads that are asked for most, from the cache where the store has one.

use signup_core::{
    EventId, EventInFull, EventPage, EventQuery, Organization, OrganizationId, Shift, StoreError,
};
use std::hash::Hash;

use super::Readers;
use super::cache::{Cache, Kept, MAX_SLUG_BYTES, Weigh};
use crate::sql::read;

type Result<T> = std::result::Result<T, StoreError>;

/// Reads what is asked for most, unless it is kept.
async fn kept<K, V, F>(
    readers: &Readers,
    kind: impl FnOnce(&Cache) -> &Kept<K, V>,
    key: K,
    read: impl FnOnce() -> F,
) -> Result<V>
where
    K: Hash + Eq + Clone + Send + Sync + 'static,
    V: Weigh + Clone + Send + Sync + 'static,
    F: Future<Output = Result<V>>,
{
    match &readers.cache {
        Some(cache) => {
            cache.count_read();
            kind(cache).get(|| cache.version(), key, read).await
        }
        None => read().await,
    }
}

pub(super) async fn organization(readers: &Readers, id: OrganizationId) -> Result<Option<Organization>> {
    kept(readers, |cache| &cache.organizations, id, || read::organization(readers, id)).await
}

pub(super) async fn shifts(
    readers: &Readers,
    organization: OrganizationId,
    event: EventId,
) -> Result<Option<Vec<Shift>>> {
    let read = || read::shifts(readers, organization, event);
    kept(readers, |cache| &cache.shifts, (organization, event), read).await
}

pub(super) async fn event_by_slug(readers: &Readers, slug: &str) -> Result<Option<EventInFull>> {
    let read = || read::event_by_slug(readers, slug);
    if slug.len() > MAX_SLUG_BYTES {
        return read().await;
    }
    kept(readers, |cache| &cache.events_by_slug, slug.to_owned(), read).await
}

pub(super) async fn events(
    readers: &Readers,
    organization: OrganizationId,
    wanted: &EventQuery,
) -> Result<EventPage> {
    let read = || read::events(readers, organization, wanted);
    kept(readers, |cache| &cache.pages, (organization, *wanted), read).await
}
