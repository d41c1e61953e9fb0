//! Sign-ups: people's data, across organizations.

use std::collections::BTreeMap;

use super::Admin;
use crate::activity::Actor;
use crate::error::{Error, Result};
use crate::id::{EventId, OrganizationId, ShiftId, SignupId};
use crate::input::Cancellation;
use crate::service::EventSignups;
use crate::shift::{ScheduledShift, Shift};
use crate::signup::Signup;
use crate::store::{Deleted, Kind, RecordKey, SignupQuery};
use crate::text::EmailAddress;

impl Admin {
    /// Returns the organization that owns an event. A deleted event has its owner until it is purged.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such event.
    ///
    /// See [`cancel_signup`](Self::cancel_signup) for an example.
    pub async fn event_owner(&self, event: EventId) -> Result<OrganizationId> {
        self.shared.owner(Kind::Event, event.uuid()).await
    }

    /// Reads a shift, deleted or not.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such shift, or if it was purged.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, session, created, .. }| {
    /// use signup_core::DeleteShift;
    ///
    /// let shift = &created.shifts[0];
    /// session.delete_shift(shift.id, DeleteShift::new()).await?;
    /// let deleted = service.admin().shift(organization.id, shift.id).await?;
    /// assert!(deleted.deleted_at.is_some());
    /// # Ok(()) }) }
    /// ```
    #[doc(alias = "slot")]
    pub async fn shift(&self, organization: OrganizationId, id: ShiftId) -> Result<Shift> {
        let found = self.shared.store.record(&RecordKey::Shift(organization, id), Deleted::Included).await?;
        found.and_then(|record| Shift::try_from(record).ok()).ok_or(Error::NotFound)
    }

    /// Reads the shifts of sign-ups as they are now, like [`Session::shifts_of`](crate::Session::shifts_of).
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// assert!(service.admin().shifts_of(organization.id, []).await?.is_empty());
    /// # Ok(()) }) }
    /// ```
    #[doc(alias = "slots_of")]
    pub async fn shifts_of(
        &self,
        organization: OrganizationId,
        signups: impl IntoIterator<Item = &Signup>,
    ) -> Result<BTreeMap<ShiftId, ScheduledShift>> {
        self.shared.shifts_of(organization, signups).await
    }

    /// Reads all sign-ups of an event by shift, like [`Session::event_signups`](crate::Session::event_signups).
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such event, or if it is deleted.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, session, created, .. }| {
    /// let all = service.admin().event_signups(created.event.id).await?;
    /// assert_eq!(all, session.event_signups(created.event.id).await?);
    /// # Ok(()) }) }
    /// ```
    pub async fn event_signups(&self, event: EventId) -> Result<EventSignups> {
        self.shared.event_signups(self.event_owner(event).await?, event).await
    }

    /// Lists an event's sign-ups by ascending id, cancelled ones included. Returns at most `limit` with an id above
    /// `after`.
    ///
    /// # Errors
    /// Fails only if the store fails. An unknown or deleted event has no sign-ups.
    ///
    /// See [`cancel_signup`](Self::cancel_signup) for an example.
    pub async fn signups(
        &self,
        organization: OrganizationId,
        event: EventId,
        after: Option<SignupId>,
        limit: u32,
    ) -> Result<Vec<Signup>> {
        let query = SignupQuery::new().of_event(event).above(after, limit);
        Ok(self.shared.store.signups(organization, &query).await?.ascending())
    }

    /// Cancels a sign-up, frees its place and queues a mail about the cancellation. Cancelling again changes nothing.
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such sign-up.
    /// - [`Error::ShiftOver`] or [`Error::ShiftDeleted`] if the sign-up is active, and its shift is over or deleted.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, created, .. }| {
    /// use signup_core::{NewSignup, SignupStatus};
    ///
    /// let ada = NewSignup::new("Ada Lovelace".parse()?, "ada@example.org".parse()?);
    /// service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?.sign_up(ada).await?;
    ///
    /// let admin = service.admin();
    /// let owner = admin.event_owner(created.event.id).await?;
    /// let signups = admin.signups(owner, created.event.id, None, 100).await?;
    /// let cancelled = admin.cancel_signup(owner, signups[0].id).await?;
    /// assert_eq!(cancelled.status(), SignupStatus::Cancelled);
    /// # Ok(()) }) }
    /// ```
    pub async fn cancel_signup(&self, organization: OrganizationId, id: SignupId) -> Result<Signup> {
        self.shared.cancel_signup(&Actor::Operator, organization, id, Cancellation::new()).await
    }

    /// Removes every sign-up of an email address in the organization, with its answers, links, opt-outs and notices, and frees the
    /// places, which go to those who wait. Returns how many sign-ups this call removed. Sends the address no mail.
    ///
    /// # Errors
    /// Fails only if the store fails. Some sign-ups may then be left. Another call removes them.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, session, created, .. }| {
    /// use signup_core::NewSignup;
    ///
    /// let ada = NewSignup::new("Ada Lovelace".parse()?, "ada@example.org".parse()?);
    /// service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?.sign_up(ada.clone()).await?;
    /// assert_eq!(service.admin().erase_signups(organization.id, &ada.email).await?, 1);
    /// assert_eq!(session.shifts(created.event.id).await?[0].occupancy.filled, 0);
    /// # Ok(()) }) }
    /// ```
    pub async fn erase_signups(&self, organization: OrganizationId, email: &EmailAddress) -> Result<u64> {
        self.shared.erase_volunteer(organization, email, &Actor::Operator).await
    }
}
