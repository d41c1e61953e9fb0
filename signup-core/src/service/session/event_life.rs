//! The life of an event after its creation: reading, changing, publishing, cancelling and deleting it.

use jiff::Timestamp;

use super::{Reply, Session};
use crate::error::{Error, Result};
use crate::id::{EventId, NoticeId};
use crate::input::{CancelEvent, CheckedEventPatch, EventPatch, Input};
use crate::receipt::{EventWithShifts, Operation};
use crate::rules::{self, Decision};
use crate::secret;
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
    /// # use signup_core::{Capacity, FixedClock, NewEvent, NewOrganization, NewShift, Scopes, Service, date};
    /// # use signup_store_memory::MemoryStore;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let clock = FixedClock::at("2027-05-01T12:00:00Z".parse()?);
    /// # let service = Service::new(MemoryStore::new()).with_clock(clock);
    /// # let food_bank = NewOrganization::new("Riverside Food Bank".parse()?);
    /// # let organization = service.admin().create_organization(food_bank).await?;
    /// # let session = service.session_for(organization.id, Scopes::all()).await?;
    /// # let packing = NewShift::new("Packing".parse()?, Capacity::new(8)?);
    /// # let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    /// # let created = session.create_event(drive.shift(packing).published()).await?.outcome;
    /// let read = session.event(created.event.id).await?;
    /// assert_eq!(read, created);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn event(&self, id: EventId) -> Result<EventWithShifts> {
        self.require(Scope::EventsRead)?;
        let EventInFull { event, shifts, .. } = self.event_in_full(id).await?;
        Ok(EventWithShifts { event, shifts })
    }

    /// Changes an event. Volunteers get a mail if an instant or the place of their shift changes, unless the patch
    /// suppresses it, or the shift is over by both its old and its new hours.
    ///
    /// `patch` is typed, an [`EventPatch`], or untyped, an [`EventPatchInput`](crate::EventPatchInput). The slug never
    /// changes. Requires [`Scope::EventsWrite`].
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
    /// # use signup_core::{Capacity, FixedClock, NewEvent, NewOrganization, NewShift, Scopes, Service};
    /// # use signup_store_memory::MemoryStore;
    /// use signup_core::{EventPatch, date};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let clock = FixedClock::at("2027-05-01T12:00:00Z".parse()?);
    /// # let service = Service::new(MemoryStore::new()).with_clock(clock);
    /// # let food_bank = NewOrganization::new("Riverside Food Bank".parse()?);
    /// # let organization = service.admin().create_organization(food_bank).await?;
    /// # let session = service.session_for(organization.id, Scopes::all()).await?;
    /// # let packing = NewShift::new("Packing".parse()?, Capacity::new(8)?);
    /// # let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    /// # let created = session.create_event(drive.shift(packing).published()).await?.outcome;
    /// let patch = EventPatch::new().start_date(date(2027, 6, 12)).badge_label("Moved".parse()?);
    /// let moved = session.patch_event(created.event.id, patch).await?.outcome;
    /// assert_eq!(moved.shifts[0].interval().start.to_string(), "2027-06-12T04:00:00Z");
    /// assert_eq!(moved.event.slug, created.event.slug);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn patch_event<I: Input<CheckedEventPatch>>(
        &self,
        id: EventId,
        patch: I,
    ) -> Result<Reply<EventWithShifts>, I::Error> {
        self.require(Scope::EventsWrite)?;
        self.write(Operation::PatchEvent(id), patch, move |patch, now| self.decide_patch(id, patch, now))
            .await
    }

    /// Publishes an event. An event that is published stays as it is.
    ///
    /// `input` is `()`, or the unread body of a request: see [`Input`]. Requires [`Scope::EventsWrite`].
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such event.
    /// - [`Error::EventCancelled`].
    /// - [`Error::PlanLimit`] if the plan's limit is reached. An event that is over does not count.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{Capacity, FixedClock, NewEvent, NewOrganization, NewShift, Scopes, Service, date};
    /// # use signup_store_memory::MemoryStore;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let clock = FixedClock::at("2027-05-01T12:00:00Z".parse()?);
    /// # let service = Service::new(MemoryStore::new()).with_clock(clock);
    /// # let food_bank = NewOrganization::new("Riverside Food Bank".parse()?);
    /// # let organization = service.admin().create_organization(food_bank).await?;
    /// # let session = service.session_for(organization.id, Scopes::all()).await?;
    /// # let packing = NewShift::new("Packing".parse()?, Capacity::new(8)?);
    /// # let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    /// # let created = session.create_event(drive.shift(packing).published()).await?.outcome;
    /// let copy = session.duplicate_event(created.event.id, date(2027, 6, 12)).await?.outcome;
    /// let published = session.publish_event(copy.event.id, ()).await?.outcome;
    /// assert!(!copy.event.is_published && published.event.is_published);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn publish_event<I: Input<()>>(
        &self,
        id: EventId,
        input: I,
    ) -> Result<Reply<EventWithShifts>, I::Error> {
        self.require(Scope::EventsWrite)?;
        self.write_published(Operation::PublishEvent(id), id, input, true).await
    }

    /// Unpublishes an event. A draft stays as it is.
    ///
    /// `input` is `()`, or the unread body of a request: see [`Input`]. Requires [`Scope::EventsWrite`].
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such event.
    /// - [`Error::EventCancelled`].
    /// - [`Error::EventHasSignups`] if the event has active sign-ups.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{Capacity, FixedClock, NewEvent, NewOrganization, NewShift, Scopes, Service, date};
    /// # use signup_store_memory::MemoryStore;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let clock = FixedClock::at("2027-05-01T12:00:00Z".parse()?);
    /// # let service = Service::new(MemoryStore::new()).with_clock(clock);
    /// # let food_bank = NewOrganization::new("Riverside Food Bank".parse()?);
    /// # let organization = service.admin().create_organization(food_bank).await?;
    /// # let session = service.session_for(organization.id, Scopes::all()).await?;
    /// # let packing = NewShift::new("Packing".parse()?, Capacity::new(8)?);
    /// # let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    /// # let created = session.create_event(drive.shift(packing).published()).await?.outcome;
    /// let draft = session.unpublish_event(created.event.id, ()).await?.outcome;
    /// assert!(!draft.event.is_published);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn unpublish_event<I: Input<()>>(
        &self,
        id: EventId,
        input: I,
    ) -> Result<Reply<EventWithShifts>, I::Error> {
        self.require(Scope::EventsWrite)?;
        self.write_published(Operation::UnpublishEvent(id), id, input, false).await
    }

    /// Cancels an event for good, and its active sign-ups with it. Their volunteers get a mail with the reason. An event
    /// that is cancelled stays as it is, whatever the input says.
    ///
    /// `cancel` is typed, a [`CancelEvent`], or untyped, a [`CancelEventInput`](crate::CancelEventInput). Requires
    /// [`Scope::EventsWrite`].
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such event.
    /// - [`Error::EventOver`] if the event is over and not cancelled.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{Capacity, FixedClock, NewEvent, NewOrganization, NewShift, NewSignup};
    /// # use signup_core::{Scopes, Service, date};
    /// # use signup_store_memory::MemoryStore;
    /// use signup_core::{CancelEvent, Error};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let clock = FixedClock::at("2027-05-01T12:00:00Z".parse()?);
    /// # let service = Service::new(MemoryStore::new()).with_clock(clock);
    /// # let food_bank = NewOrganization::new("Riverside Food Bank".parse()?);
    /// # let organization = service.admin().create_organization(food_bank).await?;
    /// # let session = service.session_for(organization.id, Scopes::all()).await?;
    /// # let packing = NewShift::new("Packing".parse()?, Capacity::new(8)?);
    /// # let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    /// # let created = session.create_event(drive.shift(packing).published()).await?.outcome;
    /// # let ada = NewSignup::new("Ada Lovelace".parse()?, "ada@example.org".parse()?);
    /// # service.public().sign_up(organization.id, created.shifts[0].id, ada).await?;
    /// let cancel = CancelEvent::new().reason("The hall is flooded.".parse()?);
    /// let cancelled = session.cancel_event(created.event.id, cancel).await?.outcome;
    /// assert!(cancelled.event.is_cancelled());
    /// assert_eq!(cancelled.shifts[0].occupancy.filled, 0);
    /// assert_eq!(session.unpublish_event(created.event.id, ()).await, Err(Error::EventCancelled));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn cancel_event<I: Input<CancelEvent>>(
        &self,
        id: EventId,
        cancel: I,
    ) -> Result<Reply<EventWithShifts>, I::Error> {
        self.require(Scope::EventsWrite)?;
        self.write(Operation::CancelEvent(id), cancel, move |cancel: CancelEvent, now| async move {
            let full = self.event_in_full(id).await?;
            rules::cancel_event(full, cancel, NoticeId::new(secret::new_uuid(now)), now)
        })
        .await
    }

    /// Deletes an event: its shifts, questions and sign-ups are gone from every answer. An operator can restore it
    /// [for 30 days](crate::Event::RETENTION).
    ///
    /// `input` is `()`, or the unread body of a request: see [`Input`]. Requires [`Scope::EventsWrite`].
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such event.
    /// - [`Error::EventHasSignups`] if the event has active sign-ups. Cancel the event first, so that people are told.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{Capacity, FixedClock, NewEvent, NewOrganization, NewShift, NewSignup};
    /// # use signup_core::{Scopes, Service, date};
    /// # use signup_store_memory::MemoryStore;
    /// use signup_core::{CancelEvent, Error};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let clock = FixedClock::at("2027-05-01T12:00:00Z".parse()?);
    /// # let service = Service::new(MemoryStore::new()).with_clock(clock);
    /// # let food_bank = NewOrganization::new("Riverside Food Bank".parse()?);
    /// # let organization = service.admin().create_organization(food_bank).await?;
    /// # let session = service.session_for(organization.id, Scopes::all()).await?;
    /// # let packing = NewShift::new("Packing".parse()?, Capacity::new(8)?);
    /// # let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    /// # let created = session.create_event(drive.shift(packing).published()).await?.outcome;
    /// # let ada = NewSignup::new("Ada Lovelace".parse()?, "ada@example.org".parse()?);
    /// # service.public().sign_up(organization.id, created.shifts[0].id, ada).await?;
    /// assert_eq!(session.delete_event(created.event.id, ()).await, Err(Error::EventHasSignups));
    /// session.cancel_event(created.event.id, CancelEvent::new()).await?;
    /// session.delete_event(created.event.id, ()).await?;
    /// assert_eq!(session.event(created.event.id).await, Err(Error::NotFound));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn delete_event<I: Input<()>>(&self, id: EventId, input: I) -> Result<Reply<()>, I::Error> {
        self.require(Scope::EventsWrite)?;
        self.write(Operation::DeleteEvent(id), input, move |(), now| async move {
            rules::delete_event(&self.event_in_full(id).await?, now)
        })
        .await
    }

    pub(super) async fn event_in_full(&self, id: EventId) -> Result<EventInFull> {
        let key = RecordKey::Event(self.organization_id(), id);
        self.shared.store.event_in_full(&key).await?.ok_or(Error::NotFound)
    }

    async fn write_published<I: Input<()>>(
        &self,
        operation: Operation,
        id: EventId,
        input: I,
        is_published: bool,
    ) -> Result<Reply<EventWithShifts>, I::Error> {
        let patch = CheckedEventPatch::from(EventPatch::new().published(is_published));
        let patch = &patch;
        self.write(operation, input, move |(), now| self.decide_patch(id, patch.clone(), now)).await
    }

    async fn decide_patch(
        &self,
        id: EventId,
        patch: CheckedEventPatch,
        now: Timestamp,
    ) -> Result<Decision<EventWithShifts>> {
        // Faults of the input come before the record.
        let (patch, dates) = patch.without_faults()?;
        let full = self.event_in_full(id).await?;
        let notices = full.shifts.iter().map(|_| NoticeId::new(secret::new_uuid(now))).collect();
        rules::patch_event(full, patch, dates, self.limits(), notices, now)
    }
}
