//! Events of a session's organization.

use super::{PendingWrite, Session};
use crate::error::Result;
use crate::event::Event;
use crate::fault::Faults;
use crate::id::EventId;
use crate::input::{DuplicateEvent, NewEvent};
use crate::receipt::{EventWithShifts, OperationKind};
use crate::rules::{self, EventIds};
use crate::store::{EventQuery, Page};
use crate::token::Scope;

impl Session {
    /// Creates an event with its shifts. The event is a draft unless the input publishes it.
    ///
    /// Requires [`Scope::EventsWrite`].
    ///
    /// With an idempotency key, a retry returns the first outcome, even if the input differs: see
    /// [`with_key`](PendingWrite::with_key). Without a key, a retry may create a second event.
    ///
    /// # Errors
    /// - [`Error::Invalid`](crate::Error::Invalid) with every fault of the input.
    /// - [`Error::PlanLimit`](crate::Error::PlanLimit) if the event would be [active](Event::is_active) and the plan
    ///   allows no more active events.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, .. }| {
    /// use signup_core::{Capacity, Hours, NewEvent, NewShift, date, time};
    ///
    /// let morning = Hours::between(time(9, 0, 0, 0), time(12, 0, 0, 0))?;
    /// let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?)
    ///     .location("1 Main St".parse()?)
    ///     .shift(NewShift::new("Packing".parse()?, Capacity::new(8)?).hours(morning))
    ///     .published();
    /// let created = session.create_event(drive).await?;
    /// assert!(created.event.slug.starts_with("food-drive-"));
    /// assert_eq!(created.shifts[0].occupancy.filled, 0);
    /// # Ok(()) }) }
    /// ```
    pub fn create_event(&self, event: NewEvent) -> PendingWrite<'_, EventWithShifts> {
        self.write(OperationKind::CreateEvent, event, move |event, now| async move {
            let holder =
                self.shared.external_id_holder(self.organization_id(), event.external_id.as_ref()).await?;
            let ids = EventIds::generate(now, event.shifts.len(), 0);
            rules::create_event(self.organization_id(), self.limits(), event, holder, ids, now)
        })
    }

    /// Copies an event with its shifts and questions to `start_date`.
    ///
    /// The last day moves by as many days as the first. Shifts keep their wall times, also across a clock change. The
    /// copy is a draft, and its shifts are empty.
    ///
    /// Requires [`Scope::EventsWrite`].
    ///
    /// With an idempotency key, a retry returns the first outcome, even if the input differs: see
    /// [`with_key`](PendingWrite::with_key). Without a key, a retry may create a second copy.
    ///
    /// # Errors
    /// - [`Error::Invalid`](crate::Error::Invalid) if the first or the last day of the copy would be out of range.
    /// - [`Error::NotFound`](crate::Error::NotFound) if the organization has no such event.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, created, .. }| {
    /// // The same event a week later.
    /// let first_day = created.event.dates.first.date();
    /// let next_week = first_day.plus_days(7).ok_or("the calendar has no such day")?;
    /// let copy = session.duplicate_event(created.event.id, next_week.date()).await?;
    /// assert_eq!(copy.event.title, created.event.title);
    /// assert_eq!(copy.shifts[0].interval().start.to_string(), "2027-06-12T04:00:00Z");
    /// assert!(!copy.event.is_published);
    /// # Ok(()) }) }
    /// ```
    pub fn duplicate_event(
        &self,
        id: EventId,
        copy: impl Into<DuplicateEvent>,
    ) -> PendingWrite<'_, EventWithShifts> {
        self.write(OperationKind::DuplicateEvent.on(id), copy.into(), move |copy, now| async move {
            let source = self.event_in_full(id).await?;
            let ids = EventIds::generate(now, source.shifts.len(), source.questions.len());
            Ok(rules::duplicate_event(source, copy, ids, now)?)
        })
    }

    /// Lists the organization's events, a page at a time, in the order of `query`: latest start first, unless the query says
    /// otherwise.
    ///
    /// A page has at most `limit` events. A `limit` outside 1 to 100 counts as the nearest bound. Requires
    /// [`Scope::EventsRead`].
    ///
    /// # Errors
    /// Returns [`Error::Invalid`](crate::Error::Invalid) with a fault of `cursor` if the position is that of a list in another
    /// order.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, created, .. }| {
    /// use signup_core::EventQuery;
    ///
    /// # session.duplicate_event(created.event.id, date(2027, 6, 12)).await?;
    /// let query = EventQuery::new().limit(1);
    /// let first = session.events(query.clone()).await?;
    /// let next = first.next.ok_or("there is one page only")?;
    /// let second = session.events(query.at(next)).await?;
    /// assert_eq!(second.items[0].id, created.event.id);
    /// assert_eq!(second.next, None);
    /// # Ok(()) }) }
    /// ```
    pub async fn events(&self, query: EventQuery) -> Result<Page<Event>> {
        let query = self.events_query(query)?;
        Ok(self.shared.store.events(self.organization_id(), &query).await?)
    }

    /// Lists the organization's events like [`events`](Self::events), each with its shifts in running order. A page is one
    /// snapshot.
    ///
    /// Requires [`Scope::EventsRead`].
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, created, .. }| {
    /// use signup_core::EventQuery;
    ///
    /// let page = session.events_with_shifts(EventQuery::new()).await?;
    /// assert_eq!(page.items, [created]);
    /// # Ok(()) }) }
    /// ```
    pub async fn events_with_shifts(&self, query: EventQuery) -> Result<Page<EventWithShifts>> {
        let query = self.events_query(query)?;
        Ok(self.shared.store.events_with_shifts(self.organization_id(), &query).await?)
    }

    fn events_query(&self, query: EventQuery) -> Result<EventQuery> {
        self.require(Scope::EventsRead)?;
        let position = query.checked_position().map_err(|fault| Faults::one("cursor", fault))?;
        Ok(EventQuery { position, limit: query.limit.clamp(1, EventQuery::MAX_LIMIT), ..query })
    }
}
