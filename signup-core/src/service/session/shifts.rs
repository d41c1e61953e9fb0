//! Shifts of a session's organization.

use std::sync::{Arc, OnceLock};

use super::{PendingWrite, Session};
use crate::coverage::{Coverage, EventCoverage};
use crate::error::{Error, Result};
use crate::id::{EventId, ShiftId};
use crate::input::{Change, DeleteShift, HoursPatch, NewShift, ShiftPatch};
use crate::occupancy::Occupancy;
use crate::receipt::OperationKind;
use crate::rules::{self, ShiftFacts, WaitingList};
use crate::secret;
use crate::shift::ScheduledShift;
use crate::store::{CoverageKey, CoverageQuery, EventInFull, EventKey, Page, Position};
use crate::token::Scope;

impl Session {
    /// Lists all shifts of an event in running order.
    ///
    /// Requires [`Scope::ShiftsRead`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such event.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, created, .. }| {
    /// let shifts = session.shifts(created.event.id).await?;
    /// assert_eq!(shifts[0].title.as_str(), "Packing");
    /// assert_eq!(shifts[0].occupancy.capacity.volunteers(), 8);
    /// # Ok(()) }) }
    /// ```
    #[doc(alias = "slots")]
    pub async fn shifts(&self, event: EventId) -> Result<Vec<ScheduledShift>> {
        self.require(Scope::ShiftsRead)?;
        self.shared.store.shifts(self.organization_id(), event).await?.ok_or(Error::NotFound)
    }

    /// Changes the fields of a shift that `patch` names.
    ///
    /// Requires [`Scope::ShiftsWrite`].
    ///
    /// Simultaneous patches of one shift are all applied: a patch does not overwrite a field that it does not name. A
    /// capacity below the number of confirmed sign-ups cancels none of them. The places of a higher capacity go to those who wait.
    ///
    /// If the time or the location changes, each volunteer who has a place, or waits for one, gets a mail. There is no mail if the
    /// patch
    /// [suppresses](crate::ShiftPatch::without_mail) it, or if the shift is over by both its old and its new hours.
    ///
    /// With an idempotency key, a retry returns the first outcome, even if the input differs: see
    /// [`with_key`](PendingWrite::with_key).
    ///
    /// # Errors
    /// - [`Error::Invalid`] with every fault of the input.
    /// - [`Error::NotFound`] if the organization has no such shift.
    /// - [`Error::EventCancelled`].
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, created, .. }| {
    /// use signup_core::{Capacity, ShiftPatch, WallTime};
    ///
    /// let patch = ShiftPatch::new().start_time(WallTime::new(9, 30)?).capacity(Capacity::new(12)?);
    /// let shift = session.patch_shift(created.shifts[0].id, patch).await?;
    /// assert_eq!(shift.hours.start().to_string(), "09:30");
    /// assert_eq!(shift.occupancy.capacity.volunteers(), 12);
    /// # Ok(()) }) }
    /// ```
    #[doc(alias = "slot")]
    pub fn patch_shift(&self, id: ShiftId, patch: ShiftPatch) -> PendingWrite<'_, ScheduledShift> {
        let turn = Arc::new(OnceLock::new());
        let sets_external_id = matches!(patch.external_id, Some(Change::Set(_)));
        self.write(OperationKind::PatchShift.on(id), (patch, turn), move |(patch, turn), now| async move {
            let found =
                self.shared.shift_in_turn(self.organization_id(), id, sets_external_id, &turn).await?;
            let (mut shift, mut event) = found.ok_or(Error::NotFound)?;
            let mut siblings = vec![];
            if sets_external_id {
                // One snapshot, so that the version of the event protects what its shifts are.
                let full = self.event_in_full(event.id).await?;
                shift = full.shifts.iter().find(|found| found.id == id).cloned().ok_or(Error::NotFound)?;
                (event, siblings) = (full.event, full.shifts);
            }
            let job = self.shared.event_change(self.organization_id(), event.id).await?;
            let may_free_places = patch.capacity.is_some() || patch.hours != HoursPatch::default();
            let waiting = match may_free_places {
                true => {
                    let capacity = patch.capacity.unwrap_or(shift.occupancy.capacity);
                    let room = Occupancy { capacity, ..shift.occupancy }.remaining();
                    self.shared.waiting_list(&shift, room).await?
                }
                false => WaitingList::default(),
            };
            let delay = self.shared.change_mail_delay;
            let facts = ShiftFacts { siblings, job, waiting };
            rules::patch_shift(&event, shift, facts, patch, delay, now)
        })
    }

    /// Reads a shift.
    ///
    /// Requires [`Scope::ShiftsRead`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such shift.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, created, .. }| {
    /// let shift = session.shift(created.shifts[0].id).await?;
    /// assert_eq!((shift.title.as_str(), shift.event), ("Packing", created.event.id));
    /// # Ok(()) }) }
    /// ```
    #[doc(alias = "slot")]
    pub async fn shift(&self, id: ShiftId) -> Result<ScheduledShift> {
        self.require(Scope::ShiftsRead)?;
        let (shift, _) =
            self.shared.shift_with_event(self.organization_id(), id).await?.ok_or(Error::NotFound)?;
        Ok(shift)
    }

    /// Adds shifts to an event, all or none. Returns the new shifts in running order. Equal hours have the order of the
    /// input, after the shifts that the event has.
    ///
    /// Requires [`Scope::ShiftsWrite`].
    ///
    /// Without an [idempotency key](PendingWrite::with_key), a retry may add the shifts a second time.
    ///
    /// # Errors
    /// - [`Error::Invalid`] with every fault, and with one of `shifts` if the event would have more than
    ///   [`Event::MAX_SHIFTS`](crate::Event::MAX_SHIFTS), also if requests race.
    /// - [`Error::NotFound`] if the organization has no such event.
    /// - [`Error::EventCancelled`].
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, created, .. }| {
    /// use signup_core::{Capacity, Hours, NewShift, time};
    ///
    /// let morning = Hours::between(time(9, 0, 0, 0), time(12, 0, 0, 0))?;
    /// let loading = NewShift::new("Loading".parse()?, Capacity::new(4)?).hours(morning);
    /// let added = session.add_shifts(created.event.id, vec![loading]).await?;
    /// assert_eq!(added[0].interval().start.to_string(), "2027-06-05T13:00:00Z");
    /// assert_eq!(session.shifts(created.event.id).await?.len(), 2);
    /// # Ok(()) }) }
    /// ```
    #[doc(alias = "add_slots")]
    pub fn add_shifts(&self, event: EventId, shifts: Vec<NewShift>) -> PendingWrite<'_, Vec<ScheduledShift>> {
        self.write(OperationKind::AddShifts.on(event), shifts, move |shifts, now| async move {
            let full = self.event_in_full(event).await?;
            let ids = shifts.iter().map(|_| ShiftId::new(secret::new_uuid(now))).collect();
            rules::add_shifts(full, shifts, ids, now)
        })
    }

    /// Deletes a shift. `delete` can cancel the active sign-ups. All sign-ups of the shift stay readable by id and in
    /// the lists of the event and the organization.
    ///
    /// Requires [`Scope::ShiftsWrite`].
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization has no such shift.
    /// - [`Error::EventCancelled`].
    /// - [`Error::ShiftHasSignups`] if the shift has active sign-ups, unless `delete` cancels them.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, session, created, ada, .. }| {
    /// use signup_core::{DeleteShift, Error};
    ///
    /// # service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?.sign_up(ada).await?;
    /// let shift = created.shifts[0].id;
    /// assert_eq!(session.delete_shift(shift, DeleteShift::new()).await, Err(Error::ShiftHasSignups));
    /// session.delete_shift(shift, DeleteShift::new().cancel_signups()).await?;
    /// assert_eq!(session.shift(shift).await, Err(Error::NotFound));
    /// # Ok(()) }) }
    /// ```
    #[doc(alias = "delete_slot")]
    pub fn delete_shift(&self, id: ShiftId, delete: DeleteShift) -> PendingWrite<'_, ()> {
        self.write(OperationKind::DeleteShift.on(id), delete, move |delete, now| async move {
            let found = self.shared.shift_with_event(self.organization_id(), id).await?;
            let (shift, event) = found.ok_or(Error::NotFound)?;
            let job = self.shared.event_change(self.organization_id(), event.id).await?;
            rules::delete_shift(&event, &shift, delete, job, now)
        })
    }

    /// Reads what an event still needs, from one snapshot.
    ///
    /// Requires [`Scope::ShiftsRead`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such event.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, session, created, ada, .. }| {
    /// use signup_core::CoverageState;
    ///
    /// # service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?.sign_up(ada).await?;
    /// let coverage = session.coverage(created.event.id).await?;
    /// assert_eq!((coverage.capacity, coverage.filled, coverage.remaining), (8, 1, 7));
    /// assert_eq!(coverage.shifts[0].state, CoverageState::Open);
    /// assert!(!coverage.is_covered);
    /// # Ok(()) }) }
    /// ```
    pub async fn coverage(&self, event: EventId) -> Result<Coverage> {
        self.require(Scope::ShiftsRead)?;
        let EventInFull { event, shifts, .. } = self.event_in_full(event).await?;
        Ok(Coverage::of(&event, shifts, self.shared.now()))
    }

    /// Lists what the organization's [active](crate::Event::is_active) events still need, a page at a time, soonest start
    /// first. A page is one snapshot.
    ///
    /// A page has at most `limit` events. A `limit` outside 1 to 100 counts as the nearest bound. Requires
    /// [`Scope::ShiftsRead`].
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, created, .. }| {
    /// use signup_core::CoverageQuery;
    ///
    /// session.publish_event(created.event.id).await?;
    /// let page = session.coverages(CoverageQuery::new().covered(false)).await?;
    /// let found = &page.items[0];
    /// assert_eq!((found.event.title.as_str(), found.coverage.remaining), ("Food drive", 8));
    /// assert_eq!(page.next, None);
    /// # Ok(()) }) }
    /// ```
    pub async fn coverages(&self, query: CoverageQuery) -> Result<Page<EventCoverage>> {
        self.require(Scope::ShiftsRead)?;
        let now = self.shared.now();
        let query = CoverageQuery { limit: query.limit.clamp(1, CoverageQuery::MAX_LIMIT), ..query };
        let events = self.shared.store.events_with_shifts(self.organization_id(), &query.events(now)).await?;
        let key = |position: Option<Position<EventKey>>| position.map(|at| CoverageKey(at.key));
        let (first, last) = (key(events.previous), key(events.next));
        let items = events.items.into_iter().map(|found| EventCoverage::of(found, now));
        Ok(Page::new(items.collect(), first, last))
    }
}
