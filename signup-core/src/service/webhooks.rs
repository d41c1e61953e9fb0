//! The webhooks that receive the activity of an organization.

use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;

use super::Shared;
use crate::error::Result;
use crate::id::OrganizationId;
use crate::organization::Organization;
use crate::store::{ChangeSet, RecordKey, Refusal, Requirement};
use crate::webhook::Webhook;

/// The webhooks of an organization at a state of its gate.
#[derive(Debug)]
pub(super) struct Listeners {
    gate: Option<Requirement>,
    pub(super) webhooks: Vec<Webhook>,
}

/// Cache of listeners. A stale entry does no harm: the gate refuses the commit, and the entry is read again.
#[derive(Debug, Clone)]
pub(super) struct ListenerCache(Cache<OrganizationId, Arc<Listeners>>);

impl Default for ListenerCache {
    fn default() -> Self {
        Self(Cache::builder().max_capacity(10_000).time_to_live(Duration::from_secs(60)).build())
    }
}

impl Shared {
    /// Returns the webhooks that receive the activity of an organization, and requires in `change` that they are the same at
    /// the commit.
    ///
    /// An organization that `change` creates has none.
    pub(super) async fn listeners(
        &self,
        organization: OrganizationId,
        change: &mut ChangeSet,
    ) -> Result<Arc<Listeners>> {
        let found = match self.listeners.0.get(&organization) {
            Some(found) => found,
            None => self.read_listeners(organization).await?,
        };
        change.requires.extend(found.gate.clone());
        Ok(found)
    }

    async fn read_listeners(&self, organization: OrganizationId) -> Result<Arc<Listeners>> {
        // The gate is read first: webhooks that change meanwhile raise it.
        let owner = self.store.get::<Organization>(RecordKey::Organization(organization)).await?;
        let Some(owner) = owner else { return Ok(Arc::new(Listeners { gate: None, webhooks: vec![] })) };
        let webhooks = self.store.webhooks(organization).await?;
        let found = Arc::new(Listeners { gate: Requirement::gate_unchanged(&owner), webhooks });
        self.listeners.0.insert(organization, Arc::clone(&found));
        Ok(found)
    }

    /// Forgets the webhooks of an organization that has changed. Returns whether this is why the commit was refused. Then the next
    /// attempt reads them again.
    pub(super) fn forget_listeners(&self, refusal: &Refusal) -> bool {
        let Refusal::Changed(RecordKey::Organization(organization)) = refusal else { return false };
        self.listeners.0.invalidate(organization);
        true
    }
}
