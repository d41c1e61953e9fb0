//! The JSON of events.

use serde::Serialize;
use signup_core::{Description, EventLocation, EventWithShifts};
use uuid::Uuid;

use super::{Instant, Slot};

/// An event. Responses to create and duplicate contain its slots; lists do not.
#[derive(Debug, Serialize)]
pub(crate) struct Event<'a> {
    id: Uuid,
    title: &'a str,
    description: Option<&'a str>,
    slug: &'a str,
    location: Option<&'a str>,
    is_virtual: bool,
    start_date: Instant,
    end_date: Option<Instant>,
    timezone: &'a str,
    is_published: bool,
    public_url: String,
    created_at: Instant,
    updated_at: Instant,
    #[serde(skip_serializing_if = "Option::is_none")]
    slots: Option<Vec<Slot<'a>>>,
}

impl<'a> Event<'a> {
    fn new(event: &'a signup_core::Event, base_url: &'a str) -> Self {
        Self {
            id: event.id.uuid(),
            title: event.title.as_str(),
            description: event.description.as_ref().map(Description::as_str),
            slug: &event.slug,
            location: event.location.as_ref().map(EventLocation::as_str),
            is_virtual: event.is_virtual,
            start_date: Instant(event.dates.starts_at()),
            end_date: event.dates.last_day_at().map(Instant),
            timezone: event.dates.first.zone().name(),
            is_published: event.is_published,
            public_url: [base_url, "/events/", &event.slug].concat(),
            created_at: Instant(event.created_at),
            updated_at: Instant(event.updated_at),
            slots: None,
        }
    }

    /// Returns the event with its slots.
    pub(crate) fn with_slots(event: &'a EventWithShifts, base_url: &'a str) -> Self {
        Self { slots: Some(super::slots(&event.shifts)), ..Self::new(&event.event, base_url) }
    }
}

/// A page of the list of events.
#[derive(Debug, Serialize)]
pub(crate) struct EventList<'a> {
    data: Vec<Event<'a>>,
    links: Links,
    meta: Meta,
}

#[derive(Debug, Serialize)]
struct Links {
    // Always null: cursors lead only to the previous and the next page.
    first: Option<String>,
    last: Option<String>,
    prev: Option<String>,
    next: Option<String>,
}

#[derive(Debug, Serialize)]
struct Meta {
    path: String,
    per_page: u32,
    next_cursor: Option<String>,
    prev_cursor: Option<String>,
}

impl<'a> EventList<'a> {
    pub(crate) fn new(list: &'a signup_core::EventList, base_url: &'a str) -> Self {
        let path = format!("{base_url}/v1/events");
        let per_page = list.query.limit;
        // Cursors consist of letters, digits, `-` and `_`, so the query needs no escaping.
        let [next_cursor, prev_cursor] =
            [list.next, list.previous].map(|position| position.map(|position| position.to_string()));
        let link = |cursor: &Option<String>| {
            let filter =
                list.query.is_published.map(|flag| format!("&is_published={flag}")).unwrap_or_default();
            cursor.as_ref().map(|cursor| format!("{path}?per_page={per_page}{filter}&cursor={cursor}"))
        };
        let links = Links { first: None, last: None, prev: link(&prev_cursor), next: link(&next_cursor) };
        Self {
            data: list.events.iter().map(|event| Event::new(event, base_url)).collect(),
            links,
            meta: Meta { path, per_page, next_cursor, prev_cursor },
        }
    }
}
