//! The life of an event after its creation: reading, changing, publishing, cancelling and deleting it.

use jiff::Timestamp;

use super::{PendingWrite, Session};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::id::EventId;
use crate::input::{Cancellation, Change, EventPatch};
use crate::receipt::{EventWithShifts, Operation, OperationKind};
use crate::rules::{self, Decision};
use crate::store::{EventInFull, RecordKey};
use crate::token::Scope;

impl Session {
    /// Reads an event with its shifts in running order.
    ///
    /// Requires [`Scope::EventsRead`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such event.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, created, .. }| {
    /// let read = session.event(created.event.id).await?;
    /// assert_eq!(read, created);
    /// # Ok(()) }) }
    /// ```
    pub async fn event(&self, id: EventId) -> Result<EventWithShifts> {
        self.require(Scope::EventsRead)?;
        let EventInFull { event, shifts, .. } = self.event_in_full(id).await?;
        Ok(EventWithShifts { event, shifts })
    }

    /// Changes an event. Volunteers get a mail if an instant or the place of their shift changes, unless the patch
    /// suppresses it, or the shift is over by both its old and its new hours.
    ///
    /// The slug never changes. Requires [`Scope::EventsWrite`].
    ///
    /// # Errors
    /// - [`Error::Invalid`] with every fault. Days are compared with the plan and the stored days only if the patch
    ///   changes them.
    /// - [`Error::NotFound`] if the organization has no such event.
    /// - [`Error::EventCancelled`].
    /// - [`Error::EventHasSignups`] if the patch unpublishes an event with active sign-ups.
    /// - [`Error::PlanLimit`] if the event would become active, and the plan's limit is reached.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, created, .. }| {
    /// use signup_core::{EventPatch, date};
    ///
    /// let patch = EventPatch::new().start_date(date(2027, 6, 12)).badge_label("Moved".parse()?);
    /// let moved = session.patch_event(created.event.id, patch).await?;
    /// assert_eq!(moved.shifts[0].interval().start.to_string(), "2027-06-12T04:00:00Z");
    /// assert_eq!(moved.event.slug, created.event.slug);
    /// # Ok(()) }) }
    /// ```
    pub fn patch_event(&self, id: EventId, patch: EventPatch) -> PendingWrite<'_, EventWithShifts> {
        self.write_patch(OperationKind::PatchEvent.on(id), id, patch)
    }

    /// Publishes an event. An event that is published stays as it is.
    ///
    /// Requires [`Scope::EventsWrite`].
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such event.
    /// - [`Error::EventCancelled`].
    /// - [`Error::PlanLimit`] if the plan's limit is reached. An event that is over does not count.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, created, .. }| {
    /// let copy = session.duplicate_event(created.event.id, date(2027, 6, 12)).await?;
    /// let published = session.publish_event(copy.event.id).await?;
    /// assert!(!copy.event.is_published && published.event.is_published);
    /// # Ok(()) }) }
    /// ```
    pub fn publish_event(&self, id: EventId) -> PendingWrite<'_, EventWithShifts> {
        let patch = EventPatch::new().published(true);
        self.write_patch(OperationKind::PublishEvent.on(id), id, patch)
    }

    /// Unpublishes an event. A draft stays as it is.
    ///
    /// Requires [`Scope::EventsWrite`].
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such event.
    /// - [`Error::EventCancelled`].
    /// - [`Error::EventHasSignups`] if the event has active sign-ups.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, created, .. }| {
    /// let draft = session.unpublish_event(created.event.id).await?;
    /// assert!(!draft.event.is_published);
    /// # Ok(()) }) }
    /// ```
    pub fn unpublish_event(&self, id: EventId) -> PendingWrite<'_, EventWithShifts> {
        let patch = EventPatch::new().published(false);
        self.write_patch(OperationKind::UnpublishEvent.on(id), id, patch)
    }

    /// Closes sign-ups for an event at once: at the present minute of its wall clock. Removes an opening that is ahead. No sign-up
    /// succeeds afterwards. Volunteers can still cancel.
    ///
    /// Requires [`Scope::EventsWrite`].
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such event.
    /// - [`Error::EventCancelled`].
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, session, created, ada, .. }| {
    /// use signup_core::Error;
    ///
    /// session.close_signups(created.event.id).await?;
    /// let form = service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?;
    /// assert_eq!(form.sign_up(ada.clone()).await?.into_places(), Err(Error::SignupsClosed));
    /// session.open_signups(created.event.id).await?;
    /// assert!(form.sign_up(ada).await?.into_places().is_ok());
    /// # Ok(()) }) }
    /// ```
    pub fn close_signups(&self, id: EventId) -> PendingWrite<'_, EventWithShifts> {
        self.patch_signups(OperationKind::CloseSignups.on(id), id, rules::close_signups)
    }

    /// Opens sign-ups for an event at once, and keeps them open. Removes a closing, and an opening that is ahead.
    ///
    /// Requires [`Scope::EventsWrite`].
    ///
    /// # Errors
    /// Returns the errors of [`close_signups`](Self::close_signups), which has an example.
    pub fn open_signups(&self, id: EventId) -> PendingWrite<'_, EventWithShifts> {
        self.patch_signups(OperationKind::OpenSignups.on(id), id, rules::open_signups)
    }

    /// Cancels an event for good, and its active sign-ups with it. Their volunteers get a mail with the reason. An event
    /// that is cancelled stays as it is, whatever the input says.
    ///
    /// Requires [`Scope::EventsWrite`].
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such event.
    /// - [`Error::EventOver`] if the event is over and not cancelled.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, session, created, ada, .. }| {
    /// use signup_core::{Cancellation, Error};
    ///
    /// # service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?.sign_up(ada).await?;
    /// let cancel = Cancellation::new().reason("The hall is flooded.".parse()?);
    /// let cancelled = session.cancel_event(created.event.id, cancel).await?;
    /// assert!(cancelled.event.is_cancelled());
    /// assert_eq!(cancelled.shifts[0].occupancy.filled, 0);
    /// assert_eq!(session.unpublish_event(created.event.id).await, Err(Error::EventCancelled));
    /// # Ok(()) }) }
    /// ```
    pub fn cancel_event(&self, id: EventId, cancel: Cancellation) -> PendingWrite<'_, EventWithShifts> {
        self.write(OperationKind::CancelEvent.on(id), cancel, move |cancel, now| async move {
            let full = self.event_in_full(id).await?;
            let job = self.shared.event_change(self.organization_id(), id).await?;
            rules::cancel_event(full, cancel, job, now)
        })
    }

    /// Deletes an event: its shifts, questions and sign-ups are gone from every answer. An operator can restore it
    /// [for 30 days](crate::Event::RETENTION).
    ///
    /// Requires [`Scope::EventsWrite`].
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such event.
    /// - [`Error::EventHasSignups`] if the event has active sign-ups. Cancel the event first, so that people are told.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, session, created, ada, .. }| {
    /// use signup_core::{Cancellation, Error};
    ///
    /// # service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?.sign_up(ada).await?;
    /// assert_eq!(session.delete_event(created.event.id).await, Err(Error::EventHasSignups));
    /// session.cancel_event(created.event.id, Cancellation::new()).await?;
    /// session.delete_event(created.event.id).await?;
    /// assert_eq!(session.event(created.event.id).await, Err(Error::NotFound));
    /// # Ok(()) }) }
    /// ```
    pub fn delete_event(&self, id: EventId) -> PendingWrite<'_, ()> {
        self.write(OperationKind::DeleteEvent.on(id), (), move |(), now| async move {
            rules::delete_event(&self.event_in_full(id).await?, now)
        })
    }

    pub(super) async fn event_in_full(&self, id: EventId) -> Result<EventInFull> {
        let key = RecordKey::Event(self.organization_id(), id);
        self.shared.store.event_in_full(&key).await?.ok_or(Error::NotFound)
    }

    async fn decide_patch(
        &self,
        id: EventId,
        patch: EventPatch,
        now: Timestamp,
    ) -> Result<Decision<EventWithShifts>> {
        let full = self.event_in_full(id).await?;
        self.decide_patch_of(full, patch, now).await
    }

    async fn decide_patch_of(
        &self,
        full: EventInFull,
        patch: EventPatch,
        now: Timestamp,
    ) -> Result<Decision<EventWithShifts>> {
        let external_id = patch.external_id.clone().and_then(Change::into_value);
        let holder = self.shared.external_id_holder(self.organization_id(), external_id.as_ref()).await?;
        let job = self.shared.event_change(self.organization_id(), full.event.id).await?;
        let delay = self.shared.change_mail_delay;
        rules::patch_event(full, patch, holder, self.limits(), job, delay, now)
    }

    fn patch_signups(
        &self,
        operation: Operation,
        id: EventId,
        patch: fn(&Event, Timestamp) -> EventPatch,
    ) -> PendingWrite<'_, EventWithShifts> {
        self.write(operation, (), move |(), now| async move {
            let full = self.event_in_full(id).await?;
            let patch = patch(&full.event, now);
            self.decide_patch_of(full, patch, now).await
        })
    }

    fn write_patch(
        &self,
        operation: Operation,
        id: EventId,
        patch: EventPatch,
    ) -> PendingWrite<'_, EventWithShifts> {
        self.write(operation, patch, move |patch, now| self.decide_patch(id, patch, now))
    }
}
