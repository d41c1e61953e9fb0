//! The lists of the events of an organization.

use std::cmp::Reverse;

use jiff::Timestamp;
use signup_core::{
    Event, EventId, EventKey, EventOrder, EventQuery, EventWithShifts, Listed, OrganizationId, Page,
    Position, ScheduledShift, Side,
};

use super::{EventPlace, Places, page};
use crate::tables::Tables;

impl Tables {
    pub(crate) fn events(&self, organization: OrganizationId, query: &EventQuery) -> Page<Event> {
        self.event_page(organization, query, Event::clone)
    }

    pub(crate) fn events_with_shifts(
        &self,
        organization: OrganizationId,
        query: &EventQuery,
    ) -> Page<EventWithShifts> {
        self.event_page(organization, query, |event| {
            let shifts = ScheduledShift::in_running_order(self.shifts_of(event), event);
            EventWithShifts::new(event.clone(), shifts)
        })
    }

    fn event_page<T: Listed<Key = EventKey>>(
        &self,
        organization: OrganizationId,
        query: &EventQuery,
        item: impl Fn(&Event) -> T,
    ) -> Page<T> {
        let list = self.lists.events.get(&(organization, query.is_published));
        let event = |(_, Reverse(id)): &EventPlace| self.event(organization, *id);
        let selects = |place: &EventPlace| {
            event(place).is_some_and(|event| {
                let shifts = query.open_shift.map_or_else(Vec::new, |_| self.shifts_of(event));
                query.selects(event, &shifts)
            })
        };
        let place = |key: EventKey| (Reverse(key.starts_at), Reverse(key.id));
        let beside = query.position.map(|Position { key, side }| (place(key), side));
        // The soonest events are at the bottom of the list.
        let is_turned = query.order == EventOrder::Soonest;
        let bottom = (Reverse(Timestamp::MIN), Reverse(EventId::NONE));
        let beside = match beside {
            Some((place, side)) if is_turned => Some((place, other(side))),
            None if is_turned => Some((bottom, Side::Above)),
            beside => beside,
        };
        let Places { mut places, mut goes_on } = page(list, beside, query.limit, selects);
        if is_turned {
            places.reverse();
            goes_on.reverse();
        }
        let key = |(Reverse(starts_at), Reverse(id)): &EventPlace| EventKey {
            order: query.order,
            starts_at: *starts_at,
            id: *id,
        };
        let [above, below] = goes_on;
        let first = places.first().filter(|_| above).map(key);
        let last = places.last().filter(|_| below).map(key);
        Page::new(places.iter().filter_map(event).map(item).collect(), first, last)
    }
}

const fn other(side: Side) -> Side {
    match side {
        Side::Above => Side::Below,
        Side::Below => Side::Above,
    }
}
