//! What callers do with events.

use std::sync::Arc;

use super::{Call, Reply, Service};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::id::EventId;
use crate::input::{DuplicateInput, EventInput, EventListInput};
use crate::organization::Organization;
use crate::receipt::{EventWithShifts, IdempotencyKey, Operation};
use crate::rules::{self, EventIds};
use crate::store::{EventPage, EventQuery, Position};
use crate::token::Scope;

/// A page of the list of events, and the way to its neighbours.
#[derive(Debug, Clone, PartialEq)]
pub struct EventList {
    /// The events, latest start first.
    pub events: Vec<Arc<Event>>,
    /// What was asked for.
    pub query: EventQuery,
    /// The cursor of the page below; `None` exactly if no event follows.
    pub next_cursor: Option<String>,
    /// The cursor of the page above; `None` exactly if no event precedes.
    pub prev_cursor: Option<String>,
}

impl Service {
    /// Creates an event with its shifts. Scope: [`Scope::EventsWrite`].
    ///
    /// # Errors
    /// [`Error::Invalid`] with every fault of the input; [`Error::PlanLimit`] if the event would be active and the plan
    /// allows no more.
    pub async fn create_event(
        &self,
        call: &Call,
        key: Option<&IdempotencyKey>,
        input: &EventInput<'_>,
    ) -> Result<Reply<EventWithShifts>> {
        self.authorize(call, Scope::EventsWrite)?;
        self.write(call, Operation::CreateEvent, key, move |now| async move {
            let new = input.check(call.limits)?;
            let ids = EventIds::generate(now, new.shifts.len(), 0);
            Ok(rules::create_event(call.organization, call.limits.active_events, new, ids, now))
        })
        .await
    }

    /// Copies an event with its shifts and questions to another date, as a draft. Scope: [`Scope::EventsWrite`].
    ///
    /// # Errors
    /// [`Error::Invalid`] with every fault of the input; [`Error::NotFound`].
    pub async fn duplicate_event(
        &self,
        call: &Call,
        key: Option<&IdempotencyKey>,
        id: EventId,
        input: &DuplicateInput<'_>,
    ) -> Result<Reply<EventWithShifts>> {
        self.authorize(call, Scope::EventsWrite)?;
        self.write(call, Operation::DuplicateEvent(id), key, move |now| async move {
            let start_date = input.check()?;
            let source = self.store.event_in_full(call.organization, id).await?.ok_or(Error::NotFound)?;
            let ids = EventIds::generate(now, source.shifts.len(), source.questions.len());
            Ok(rules::duplicate_event(source, start_date, ids, now)?)
        })
        .await
    }

    /// Lists the organization's events, a page at a time, latest start first. Scope: [`Scope::EventsRead`].
    ///
    /// # Errors
    /// [`Error::Invalid`] with every fault of the input.
    pub async fn list_events(&self, call: &Call, input: &EventListInput<'_>) -> Result<EventList> {
        self.authorize(call, Scope::EventsRead)?;
        let query = input.check()?;
        let EventPage { events, above, below } = self.store.events(call.organization, &query).await?;
        let cursor = |position: Option<Position>| position.as_ref().map(Position::to_cursor);
        Ok(EventList { events, query, next_cursor: cursor(below), prev_cursor: cursor(above) })
    }

    /// The organization that the caller speaks for. Scope: [`Scope::OrganizationRead`].
    ///
    /// # Errors
    /// [`Error::NotFound`] if it is gone.
    #[doc(alias = "team")]
    pub async fn organization(&self, call: &Call) -> Result<Organization> {
        self.authorize(call, Scope::OrganizationRead)?;
        self.store.organization(call.organization).await?.ok_or(Error::NotFound)
    }
}
