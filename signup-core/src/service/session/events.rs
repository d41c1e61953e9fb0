//! Events of a session's organization.

use super::{Reply, Session};
use crate::error::Result;
use crate::event::Event;
use crate::hours::EventDate;
use crate::id::EventId;
use crate::input::{CheckedEvent, Input};
use crate::receipt::{EventWithShifts, Operation};
use crate::rules::{self, EventIds};
use crate::store::{EventPage, EventQuery, Position};
use crate::token::Scope;

/// A page of the list of events, and the positions of its neighbours.
///
/// The query of the next page is `list.query.at(next)`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EventList {
    /// The events, latest start first.
    pub events: Vec<Event>,
    /// The query that the page answers.
    pub query: EventQuery,
    /// The position of the page below; `None` if no event follows. The text of a position is the cursor for callers
    /// over HTTP.
    pub next: Option<Position>,
    /// The position of the page above; `None` if no event precedes.
    pub previous: Option<Position>,
}

/// A walk through the pages of the list of events, from [`Session::event_pages`].
#[derive(Debug)]
pub struct EventPages {
    session: Session,
    /// `None` after the last page.
    next: Option<EventQuery>,
}

impl EventPages {
    /// Reads the next page. Returns `None` after the last one.
    ///
    /// # Errors
    /// Returns the errors of [`Session::events`]. After an error, the next call reads the same page again.
    ///
    /// See [`Session::event_pages`] for an example.
    pub async fn next(&mut self) -> Result<Option<EventList>> {
        self.session.require(Scope::EventsRead)?;
        let Some(query) = self.next else { return Ok(None) };
        let page = self.session.read_events(query).await?;
        self.next = page.next.map(|next| query.at(next));
        Ok(Some(page))
    }
}

impl Session {
    /// Creates an event with its shifts. The event is a draft unless the input publishes it.
    ///
    /// `event` is typed, a [`NewEvent`](crate::NewEvent), or untyped, an [`EventInput`](crate::EventInput). Requires
    /// [`Scope::EventsWrite`].
    ///
    /// With an idempotency key, a retry returns the first outcome, even if the input differs: see
    /// [`with_key`](Self::with_key). Without a key, a retry may create a second event.
    ///
    /// # Errors
    /// - [`Error::Invalid`](crate::Error::Invalid) with every fault of the input.
    /// - [`Error::PlanLimit`](crate::Error::PlanLimit) if the event would be [active](Event::is_active) and the plan
    ///   allows no more active events.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{NewOrganization, Scopes, Service};
    /// # use signup_store_memory::MemoryStore;
    /// use signup_core::{Capacity, Hours, NewEvent, NewShift, date, time};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let service = Service::new(MemoryStore::new());
    /// # let food_bank = NewOrganization::new("Riverside Food Bank".parse()?);
    /// # let organization = service.admin().create_organization(food_bank).await?;
    /// # let session = service.session_for(organization.id, Scopes::all()).await?;
    /// let morning = Hours::between(time(9, 0, 0, 0), time(12, 0, 0, 0))?;
    /// let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?)
    ///     .location("1 Main St".parse()?)
    ///     .shift(NewShift::new("Packing".parse()?, Capacity::new(8)?).hours(morning))
    ///     .published();
    /// let created = session.create_event(drive).await?.outcome;
    /// assert!(created.event.slug.starts_with("food-drive-"));
    /// assert_eq!(created.shifts[0].occupancy.filled, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create_event<I: Input<CheckedEvent>>(
        &self,
        event: I,
    ) -> Result<Reply<EventWithShifts>, I::Error> {
        self.require(Scope::EventsWrite)?;
        self.write(Operation::CreateEvent, event, |event: CheckedEvent, now| async move {
            let ids = EventIds::generate(now, event.shift_count(), 0);
            Ok(rules::create_event(self.organization_id(), self.limits(), event, ids, now)?)
        })
        .await
    }

    /// Copies an event with its shifts and questions to `start_date`.
    ///
    /// The last day moves by as many days as the first. Shifts keep their wall times, also across a clock change. The
    /// copy is a draft, and its shifts are empty.
    ///
    /// `start_date` is a [`Date`](crate::Date), an [`EventDate`] or an untyped
    /// [`DuplicateInput`](crate::DuplicateInput). The compiler cannot infer the type of a parsed text, so name the
    /// type: `"2027-06-12".parse::<Date>()?`. Requires [`Scope::EventsWrite`].
    ///
    /// With an idempotency key, a retry returns the first outcome, even if the input differs: see
    /// [`with_key`](Self::with_key). Without a key, a retry may create a second copy.
    ///
    /// # Errors
    /// - [`Error::Invalid`](crate::Error::Invalid) if the first or the last day of the copy would be out of range.
    /// - [`Error::NotFound`](crate::Error::NotFound) if the organization has no such event.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{Capacity, FixedClock, NewEvent, NewOrganization, NewShift, Scopes, Service};
    /// # use signup_store_memory::MemoryStore;
    /// use signup_core::date;
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
    /// let copy = session.duplicate_event(created.event.id, date(2027, 6, 12)).await?.outcome;
    /// assert_eq!(copy.event.title, created.event.title);
    /// assert_eq!(copy.shifts[0].interval().start.to_string(), "2027-06-12T04:00:00Z");
    /// assert!(!copy.event.is_published);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn duplicate_event<I: Input<EventDate>>(
        &self,
        id: EventId,
        start_date: I,
    ) -> Result<Reply<EventWithShifts>, I::Error> {
        self.require(Scope::EventsWrite)?;
        self.write(Operation::DuplicateEvent(id), start_date, move |start_date, now| async move {
            let source = self.event_in_full(id).await?;
            let ids = EventIds::generate(now, source.shifts.len(), source.questions.len());
            Ok(rules::duplicate_event(source, start_date, ids, now)?)
        })
        .await
    }

    /// Lists the organization's events, a page at a time, latest start first.
    ///
    /// `query` is typed, an [`EventQuery`], or untyped, an [`EventListInput`](crate::EventListInput). A page has at
    /// most `limit` events. A `limit` outside 1 to 100 counts as the nearest bound. Requires [`Scope::EventsRead`].
    ///
    /// # Errors
    /// Returns [`Error::Invalid`](crate::Error::Invalid) with every fault of the query.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{Capacity, FixedClock, NewEvent, NewOrganization, NewShift, Scopes, Service, date};
    /// # use signup_store_memory::MemoryStore;
    /// use signup_core::EventQuery;
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
    /// # session.duplicate_event(created.event.id, date(2027, 6, 12)).await?;
    /// let first = session.events(EventQuery::new().limit(1)).await?;
    /// let next = first.next.ok_or("there is one page only")?;
    /// let second = session.events(first.query.at(next)).await?;
    /// assert_eq!(second.events[0].id, created.event.id);
    /// assert_eq!(second.next, None);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn events<I: Input<EventQuery>>(&self, query: I) -> Result<EventList, I::Error> {
        self.require(Scope::EventsRead)?;
        let query = query.read().await?;
        Ok(self.read_events(query).await?)
    }

    /// Returns a walk through the pages of the list of events, from the page of `query` to the last page. Each call of
    /// [`EventPages::next`] requires [`Scope::EventsRead`].
    ///
    /// An event that exists throughout the walk is on exactly one page, even if events are created meanwhile. The
    /// exception is an event that moves in the list, or leaves the filter, during the walk.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{Capacity, FixedClock, NewEvent, NewOrganization, NewShift, Scopes, Service, date};
    /// # use signup_store_memory::MemoryStore;
    /// use signup_core::EventQuery;
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
    /// let mut titles = Vec::new();
    /// let mut pages = session.event_pages(EventQuery::new());
    /// while let Some(page) = pages.next().await? {
    ///     titles.extend(page.events.iter().map(|event| event.title.to_string()));
    /// }
    /// assert_eq!(titles, ["Food drive"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn event_pages(&self, query: EventQuery) -> EventPages {
        EventPages { session: self.clone(), next: Some(query) }
    }

    async fn read_events(&self, query: EventQuery) -> Result<EventList> {
        let query = EventQuery { limit: query.limit.clamp(1, EventQuery::MAX_LIMIT), ..query };
        let page = self.shared.store.events(self.organization_id(), &query).await?;
        let EventPage { events, above, below } = page;
        Ok(EventList { events, query, next: below, previous: above })
    }
}
