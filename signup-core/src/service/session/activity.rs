//! The activity of a session's organization.

use super::Session;
use crate::activity::Activity;
use crate::error::{Error, Result};
use crate::id::EventId;
use crate::store::{ActivityQuery, Deleted, Page, RecordKey};
use crate::token::Scope;

impl Session {
    /// Lists what happened in the organization, newest first. Activity of a deleted event stays listed. An activity is kept
    /// for [365 days](Activity::RETENTION).
    ///
    /// A page has at most `limit` activities. A `limit` outside 1 to 100 counts as the nearest bound. Requires
    /// [`Scope::ActivityRead`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the query names an event, and the organization has neither the event, deleted or not, nor
    /// any activity of it.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, created, .. }| {
    /// use signup_core::{ActivityQuery, ActivityType};
    ///
    /// session.delete_event(created.event.id).await?;
    /// let page = session.activity(ActivityQuery::new().of_event(created.event.id)).await?;
    /// let found: Vec<_> = page.items.iter().map(|activity| &activity.kind).collect();
    /// assert_eq!(found, [&ActivityType::EVENT_DELETED, &ActivityType::EVENT_CREATED]);
    /// assert_eq!(page.items[0].actor.kind(), "operator");
    /// # Ok(()) }) }
    /// ```
    pub async fn activity(&self, query: ActivityQuery) -> Result<Page<Activity>> {
        self.require(Scope::ActivityRead)?;
        let query = ActivityQuery { limit: query.limit.clamp(1, ActivityQuery::MAX_LIMIT), ..query };
        let page = self.shared.store.activity(self.organization_id(), &query).await?;
        if page.items.is_empty()
            && let Some(event) = query.event
            && !self.has_had_event(event).await?
        {
            return Err(Error::NotFound);
        }
        Ok(page)
    }

    /// Returns whether the organization has the event, deleted or not, or has activity of it.
    async fn has_had_event(&self, event: EventId) -> Result<bool> {
        let (store, organization) = (&self.shared.store, self.organization_id());
        if store.record(&RecordKey::Event(organization, event), Deleted::Included).await?.is_some() {
            return Ok(true);
        }
        let any = ActivityQuery::new().of_event(event).limit(1);
        Ok(!store.activity(organization, &any).await?.items.is_empty())
    }
}
