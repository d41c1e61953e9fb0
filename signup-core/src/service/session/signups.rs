//! The sign-ups of a session's organization. Volunteers sign up through [`Volunteers`](crate::Volunteers).

use std::collections::{BTreeMap, BTreeSet};

use super::Session;
use crate::activity::Actor;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::id::{EventId, OrganizationId, ShiftId, SignupId};
use crate::input::{Cancellation, Correction};
use crate::permission::Permission;
use crate::rules;
use crate::service::commit::refusal_error;
use crate::service::{EventSignups, Shared};
use crate::shift::{CancelledBy, ScheduledShift, Shift};
use crate::signup::{Attendance, Signup};
use crate::store::{Deleted, Page, RecordKey, SignupInFull, SignupQuery};
use crate::token::Scope;

impl Session {
    /// Lists sign-ups of the organization, of an event or for a shift, newest first. A query that names an event and a
    /// shift selects the sign-ups for the shift.
    ///
    /// A page has at most `limit` sign-ups. A `limit` outside 1 to 100 counts as the nearest bound. Requires
    /// [`Scope::SignupsRead`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such event or shift, or if the shift belongs to another event
    /// than the query names.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, session, created, ada, .. }| {
    /// use signup_core::{SignupQuery, SignupStatus};
    ///
    /// # service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?.sign_up(ada).await?;
    /// let query = SignupQuery::new().of_event(created.event.id).status(SignupStatus::Confirmed);
    /// let page = session.signups(query).await?;
    /// assert_eq!(page.next, None);
    /// assert_eq!(page.items[0].name.as_str(), "Ada Lovelace");
    /// # Ok(()) }) }
    /// ```
    pub async fn signups(&self, query: SignupQuery) -> Result<Page<Signup>> {
        self.require(Scope::SignupsRead)?;
        let (store, organization) = (&self.shared.store, self.organization_id());
        if let Some(shift) = query.shift {
            let shift: Shift = self.shared.get(RecordKey::Shift(organization, shift)).await?;
            if query.event.is_some_and(|event| event != shift.event) {
                return Err(Error::NotFound);
            }
        } else if let Some(event) = query.event {
            let _event: Event = self.shared.get(RecordKey::Event(organization, event)).await?;
        }
        let limit = query.limit.clamp(1, SignupQuery::MAX_LIMIT);
        let query = SignupQuery { limit, deleted: Deleted::Excluded, ..query };
        Ok(store.signups(organization, &query).await?)
    }

    /// Reads all sign-ups of an event by shift, active and cancelled, with the questions of the event. Meant for a table or a
    /// roster: the result can have as many sign-ups as the shifts have places, and each cancelled one.
    ///
    /// Requires [`Scope::SignupsRead`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such event.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, session, created, ada, .. }| {
    /// # service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?.sign_up(ada).await?;
    /// for of_shift in session.event_signups(created.event.id).await?.shifts {
    ///     println!("{}", of_shift.shift.title);
    ///     for signup in of_shift.signups.iter().filter(|signup| signup.is_confirmed()) {
    ///         println!("[ ] {}", signup.name);
    ///     }
    ///     assert_eq!(of_shift.signups[0].name.as_str(), "Ada Lovelace");
    /// }
    /// # Ok(()) }) }
    /// ```
    pub async fn event_signups(&self, event: EventId) -> Result<EventSignups> {
        self.require(Scope::SignupsRead)?;
        self.shared.event_signups(self.organization_id(), event).await
    }

    /// Reads a sign-up, active or cancelled.
    ///
    /// Requires [`Scope::SignupsRead`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such sign-up, or the sign-up was erased.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, session, created, ada, .. }| {
    /// use signup_core::SignupQuery;
    ///
    /// # service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?.sign_up(ada).await?;
    /// let signups = session.signups(SignupQuery::new()).await?.items;
    /// let signup = session.signup(signups[0].id).await?;
    /// assert_eq!((signup.email.as_str(), signup.cancelled_by()), ("ada@example.org", None));
    /// # Ok(()) }) }
    /// ```
    pub async fn signup(&self, id: SignupId) -> Result<Signup> {
        self.require(Scope::SignupsRead)?;
        self.shared.get(RecordKey::Signup(self.organization_id(), id)).await
    }

    /// Reads the shifts of sign-ups as they are now. A deleted shift is left out.
    ///
    /// Requires [`Scope::SignupsRead`].
    ///
    /// # Errors
    /// Fails only if the caller lacks the scope, or the store fails.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, session, created, ada, .. }| {
    /// use signup_core::SignupQuery;
    ///
    /// # service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?.sign_up(ada).await?;
    /// let signups = session.signups(SignupQuery::new()).await?.items;
    /// let shifts = session.shifts_of(&signups).await?;
    /// assert_eq!(shifts[&signups[0].shift].title, created.shifts[0].title);
    /// # Ok(()) }) }
    /// ```
    #[doc(alias = "slots_of")]
    pub async fn shifts_of(
        &self,
        signups: impl IntoIterator<Item = &Signup>,
    ) -> Result<BTreeMap<ShiftId, ScheduledShift>> {
        self.require(Scope::SignupsRead)?;
        self.shared.shifts_of(self.organization_id(), signups).await
    }

    /// Cancels a sign-up, frees its place and queues a mail about the cancellation, with the reason. Cancelling again changes
    /// nothing.
    ///
    /// Requires [`Permission::ManageSignups`], which no scope allows.
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such sign-up, or its event was deleted.
    /// - [`Error::ShiftOver`] or [`Error::ShiftDeleted`] if the sign-up is active, and its shift is over or deleted.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, .. }| {
    /// use signup_core::{Cancellation, Error, Role, SignupId};
    ///
    /// // The session of a program has scopes. That of a person has a role.
    /// let refused = session.cancel_signup(SignupId::NONE, Cancellation::new()).await;
    /// assert_eq!(refused, Err(Error::MissingRole(Role::Organizer)));
    /// # Ok(()) }) }
    /// ```
    pub async fn cancel_signup(&self, id: SignupId, cancel: Cancellation) -> Result<Signup> {
        self.require(Permission::ManageSignups)?;
        self.shared.cancel_signup(&self.actor, self.organization_id(), id, cancel).await
    }

    /// Corrects the name and the address of an active sign-up. If the address is another one, a mail to it is queued, as after a
    /// sign-up. The old address is not mailed, and its links no longer show the sign-up. A correction that changes no value writes
    /// nothing.
    ///
    /// Requires [`Permission::ManageSignups`], which no scope allows.
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such sign-up, or its event was deleted.
    /// - [`Error::SignupCancelled`] or [`Error::ShiftDeleted`] if the sign-up is cancelled, or its shift is deleted.
    /// - [`Error::Conflict`] if another caller has changed a field since its value was [read](Correction::read).
    /// - [`Error::PlaceTaken`] if the person has another sign-up for the shift, [`Error::AddressFull`] if the address has
    ///   [`Signup::MAX_PER_ADDRESS`] of them.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, .. }| {
    /// use signup_core::{Correction, Error, Role, SignupId};
    ///
    /// // The session of a program has scopes. That of a person has a role.
    /// let correction = Correction::new().email("ada@example.org".parse()?);
    /// let refused = session.correct_signup(SignupId::NONE, correction).await;
    /// assert_eq!(refused, Err(Error::MissingRole(Role::Organizer)));
    /// # Ok(()) }) }
    /// ```
    pub async fn correct_signup(&self, id: SignupId, correction: Correction) -> Result<Signup> {
        self.require(Permission::ManageSignups)?;
        let (shared, organization) = (&self.shared, self.organization_id());
        let decide = |now| {
            let correction = correction.clone();
            async move {
                let found = shared.signup_of_live_event(organization, id).await?;
                let email = correction.email.as_ref().unwrap_or(&found.signup.email);
                let recipient = shared.recipient(organization, found.event.id, email).await?;
                rules::correct_signup(found, correction, recipient, now)
            }
        };
        let committed = shared.commit(&self.actor, decide).await?;
        committed.map_err(|refusal| refusal_error(refusal, self.limits()))
    }

    /// Moves a confirmed sign-up to another shift of its event, which has room. The place on its former shift goes to those who
    /// wait for it, and a mail with both shifts is queued. A mark whether the volunteer came is removed. A sign-up that is on the
    /// shift already stays unchanged.
    ///
    /// Requires [`Permission::ManageSignups`], which no scope allows.
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such sign-up, its event was deleted, or the event has no such shift.
    /// - [`Error::SignupNotConfirmed`] if the sign-up waits or is cancelled, [`Error::EventCancelled`].
    /// - [`Error::ShiftOver`] if one of the shifts is over, [`Error::ShiftDeleted`] if the former one is deleted.
    /// - [`Error::ShiftFull`] if the shift has no room, or its free places belong to those who wait.
    /// - [`Error::PlaceTaken`] if the person has another sign-up for the shift, [`Error::AddressFull`] if the address has
    ///   [`Signup::MAX_PER_ADDRESS`] of them.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, .. }| {
    /// use signup_core::{Error, Role, ShiftId, SignupId};
    ///
    /// // The session of a program has scopes. That of a person has a role.
    /// let refused = session.move_signup(SignupId::NONE, ShiftId::NONE).await;
    /// assert_eq!(refused, Err(Error::MissingRole(Role::Organizer)));
    /// # Ok(()) }) }
    /// ```
    pub async fn move_signup(&self, id: SignupId, target: ShiftId) -> Result<Signup> {
        self.require(Permission::ManageSignups)?;
        let (shared, organization) = (&self.shared, self.organization_id());
        let decide = |now| async move {
            let found = shared.signup_of_live_event(organization, id).await?;
            let target = shared.shift_with_event(organization, target).await?;
            let (target, event) = target.ok_or(Error::NotFound)?;
            if event.id != found.event.id {
                return Err(Error::NotFound);
            }
            let recipient = shared.recipient(organization, event.id, &found.signup.email).await?;
            let waiting = shared.waiting_behind(&found, now).await?;
            rules::move_signup(found, &target, recipient, &waiting, now)
        };
        let committed = shared.commit(&self.actor, decide).await?;
        committed.map_err(|refusal| refusal_error(refusal, self.limits()))
    }

    /// Marks whether the volunteer of a confirmed sign-up came, in place of an earlier mark. `None` removes the mark. Nobody is
    /// mailed. Marking the same again changes nothing. Marks of different sign-ups do not wait for each other.
    ///
    /// Requires [`Permission::ManageSignups`], which no scope allows.
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such sign-up, or its event was deleted.
    /// - [`Error::SignupNotConfirmed`] if the sign-up waits or is cancelled, [`Error::ShiftDeleted`] if its shift is deleted.
    /// - [`Error::AttendanceClosed`] if the shift does not [take](ScheduledShift::takes_attendance) attendance at the time.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, .. }| {
    /// use signup_core::{Attendance, Error, Role, SignupId};
    ///
    /// // The session of a program has scopes. That of a person has a role.
    /// let refused = session.mark_attendance(SignupId::NONE, Some(Attendance::Attended)).await;
    /// assert_eq!(refused, Err(Error::MissingRole(Role::Organizer)));
    /// # Ok(()) }) }
    /// ```
    pub async fn mark_attendance(&self, id: SignupId, attendance: Option<Attendance>) -> Result<Signup> {
        self.require(Permission::ManageSignups)?;
        let (shared, organization) = (&self.shared, self.organization_id());
        let decide = |now| async move {
            let found = shared.signup_of_live_event(organization, id).await?;
            rules::mark_attendance(found, attendance, now)
        };
        shared.commit_unrefused(&self.actor, decide).await
    }
}

impl Shared {
    /// Reads the shifts of sign-ups as they are now, without deleted ones: the shifts of each event at once.
    pub(in crate::service) async fn shifts_of(
        &self,
        organization: OrganizationId,
        signups: impl IntoIterator<Item = &Signup>,
    ) -> Result<BTreeMap<ShiftId, ScheduledShift>> {
        let wanted: BTreeMap<_, _> = signups.into_iter().map(|signup| (signup.shift, signup.event)).collect();
        let mut found = BTreeMap::new();
        for event in wanted.values().copied().collect::<BTreeSet<_>>() {
            let shifts = self.store.shifts(organization, event).await?.unwrap_or_default();
            found.extend(shifts.into_iter().map(|shift| (shift.id, shift)));
        }
        found.retain(|id, _| wanted.contains_key(id));
        Ok(found)
    }

    /// Reads a sign-up whose event is not deleted.
    async fn signup_of_live_event(&self, organization: OrganizationId, id: SignupId) -> Result<SignupInFull> {
        let found = self.store.signup_in_full(organization, id).await?;
        found.filter(|found| found.event.deleted_at.is_none()).ok_or(Error::NotFound)
    }

    /// Cancels one sign-up for the organization.
    pub(in crate::service) async fn cancel_signup(
        &self,
        actor: &Actor,
        organization: OrganizationId,
        id: SignupId,
        cancel: Cancellation,
    ) -> Result<Signup> {
        self.commit_unrefused(actor, move |now| {
            let Cancellation { reason, without_mail } = cancel.clone();
            async move {
                let found = self.signup_of_live_event(organization, id).await?;
                let Signup { event, email, .. } = &found.signup;
                let recipient = self.recipient(organization, *event, email).await?;
                let waiting = self.waiting_behind(&found, now).await?;
                let by = (CancelledBy::Organizer, reason);
                rules::cancel_signup(found, by, without_mail, recipient, &waiting, now)
            }
        })
        .await
    }
}
