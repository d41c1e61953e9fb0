//! Events of an organization, for its operator.

use super::Admin;
use crate::activity::Actor;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::id::{EventId, OrganizationId};
use crate::input::Cancellation;
use crate::organization::Organization;
use crate::receipt::EventWithShifts;
use crate::rules;
use crate::service::commit::refusal_error;
use crate::store::{Deleted, EventInFull, EventQuery, Kind, Page, RecordKey, Unique};

impl Admin {
    /// Lists events of an organization like [`Session::events`](crate::Session::events). The limit is at least 1, and not bounded
    /// by [`EventQuery::MAX_LIMIT`].
    ///
    /// # Errors
    /// Fails only if the store fails. An unknown organization has no events.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, created, .. }| {
    /// use signup_core::EventQuery;
    ///
    /// let page = service.admin().events(organization.id, EventQuery::new()).await?;
    /// assert_eq!(page.items, [created.event]);
    /// # Ok(()) }) }
    /// ```
    pub async fn events(&self, organization: OrganizationId, query: EventQuery) -> Result<Page<Event>> {
        Ok(self.shared.store.events(organization, &query).await?)
    }

    /// Lists at most `limit` deleted events of an organization with an id above `after`, by ascending id.
    ///
    /// # Errors
    /// Fails only if the store fails. An unknown organization has no events.
    ///
    /// See [`restore_event`](Self::restore_event) for an example.
    pub async fn deleted_events(
        &self,
        organization: OrganizationId,
        after: Option<EventId>,
        limit: u32,
    ) -> Result<Vec<Event>> {
        Ok(self.shared.store.deleted_events(organization, after, limit).await?)
    }

    /// Finds an event by its id or its slug. A deleted event is found until it is purged.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such event.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, created, .. }| {
    /// let admin = service.admin();
    /// assert_eq!(admin.find_event(&created.event.slug).await?, created.event);
    /// admin.delete_event(created.event.id).await?;
    /// assert!(admin.find_event(&created.event.id.to_string()).await?.deleted_at.is_some());
    /// # Ok(()) }) }
    /// ```
    pub async fn find_event(&self, id_or_slug: &str) -> Result<Event> {
        let store = &self.shared.store;
        if let Ok(id) = id_or_slug.parse::<EventId>()
            && let Some(organization) = store.owner(Kind::Event, id.uuid()).await?
        {
            return self.read_event(organization, id).await;
        }
        let found = store.holder(&Unique::EventSlug(id_or_slug.to_owned()), Deleted::Included).await?;
        found.and_then(|record| Event::try_from(record).ok()).ok_or(Error::NotFound)
    }

    /// Reads a deleted event.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such event, if it is not deleted, or if it was deleted
    /// [30 days](Event::RETENTION) ago.
    ///
    /// See [`delete_event`](Self::delete_event) for an example.
    pub async fn deleted_event(&self, id: EventId) -> Result<Event> {
        let organization = self.event_owner(id).await?;
        self.read_deleted_event(organization, id).await
    }

    /// Reads an event with its shifts and questions.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such event, or if it is deleted.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, created, .. }| {
    /// let full = service.admin().event(created.event.id).await?;
    /// assert_eq!((full.event.organization, full.shifts.len()), (organization.id, 1));
    /// # Ok(()) }) }
    /// ```
    pub async fn event(&self, id: EventId) -> Result<EventInFull> {
        let organization = self.event_owner(id).await?;
        self.shared.store.event_in_full(&RecordKey::Event(organization, id)).await?.ok_or(Error::NotFound)
    }

    /// Cancels an event like [`Session::cancel_event`](crate::Session::cancel_event).
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such event, and [`Error::EventOver`] if the event is over.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, created, .. }| {
    /// use signup_core::Cancellation;
    ///
    /// let cancel = Cancellation::new().reason("The organization has closed.".parse()?).without_mail();
    /// let cancelled = service.admin().cancel_event(created.event.id, cancel).await?;
    /// assert!(cancelled.event.is_cancelled());
    /// # Ok(()) }) }
    /// ```
    pub async fn cancel_event(&self, id: EventId, cancel: Cancellation) -> Result<EventWithShifts> {
        let cancel = &cancel;
        let organization = self.event_owner(id).await?;
        let _turn = self.shared.turns.of_event(organization, id).await?;
        self.shared
            .commit_unrefused(&Actor::Operator, move |now| async move {
                let job = self.shared.event_change(organization, id).await?;
                rules::cancel_event(self.event(id).await?, cancel.clone(), job, now)
            })
            .await
    }

    /// Deletes an event like [`Session::delete_event`](crate::Session::delete_event).
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such event, and [`Error::EventHasSignups`] if the event has active
    /// sign-ups.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, created, .. }| {
    /// use signup_core::Error;
    ///
    /// let admin = service.admin();
    /// admin.delete_event(created.event.id).await?;
    /// assert_eq!(admin.event(created.event.id).await, Err(Error::NotFound));
    /// assert_eq!(admin.deleted_event(created.event.id).await?.title, created.event.title);
    /// # Ok(()) }) }
    /// ```
    pub async fn delete_event(&self, id: EventId) -> Result<()> {
        let organization = self.event_owner(id).await?;
        let _turn = self.shared.turns.of_event(organization, id).await?;
        let delete = move |now| async move { rules::delete_event(&self.event(id).await?, now) };
        self.shared.commit_unrefused(&Actor::Operator, delete).await
    }

    /// Restores a deleted event as it was, with its shifts, questions and sign-ups. If another event has got its external id
    /// meanwhile, the restored event has none.
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the event is not deleted, or was deleted [30 days](Event::RETENTION) ago.
    /// - [`Error::PlanLimit`] if the event would be active, and the plan's limit is reached.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, session, created, .. }| {
    /// session.delete_event(created.event.id).await?;
    ///
    /// let admin = service.admin();
    /// let deleted = admin.deleted_events(organization.id, None, 100).await?;
    /// let restored = admin.restore_event(deleted[0].id).await?;
    /// assert_eq!(restored.slug, created.event.slug);
    /// assert_eq!(session.shifts(restored.id).await?.len(), 1);
    /// # Ok(()) }) }
    /// ```
    pub async fn restore_event(&self, id: EventId) -> Result<Event> {
        let Event { organization, .. } = self.deleted_event(id).await?;
        let owner: Organization = self.shared.get(RecordKey::Organization(organization)).await?;
        let limits = self.shared.plans.limits(owner.plan);
        let _turn = self.shared.turns.of_event(organization, id).await?;
        let restored = self
            .shared
            .commit(&Actor::Operator, move |now| async move {
                let deleted = self.read_deleted_event(organization, id).await?;
                let holder =
                    self.shared.external_id_holder(organization, deleted.external_id.as_ref()).await?;
                Ok(rules::restore_event(deleted, holder, limits, now))
            })
            .await?;
        restored.map_err(|refusal| refusal_error(refusal, limits))
    }

    async fn read_deleted_event(&self, organization: OrganizationId, id: EventId) -> Result<Event> {
        let found = self.read_event(organization, id).await?;
        if found.is_restorable(self.shared.now()) { Ok(found) } else { Err(Error::NotFound) }
    }

    /// Reads an event, deleted or not.
    async fn read_event(&self, organization: OrganizationId, id: EventId) -> Result<Event> {
        let found = self.shared.store.record(&RecordKey::Event(organization, id), Deleted::Included).await?;
        found.and_then(|record| Event::try_from(record).ok()).ok_or(Error::NotFound)
    }
}
