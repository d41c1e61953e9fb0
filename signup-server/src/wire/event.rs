//! Events on the wire.

use std::io::{self, Write};

use signup_core::{EventList, EventWithShifts};
use simd_json_derive::Serialize;

use super::{Id, Instant, Slot, Text};

/// An event: with its slots, as create and duplicate answer it, or without.
#[derive(Debug, Serialize)]
pub(crate) struct Event<'a> {
    id: Id,
    title: Text<'a>,
    description: Option<Text<'a>>,
    slug: Text<'a>,
    location: Option<Text<'a>>,
    is_virtual: bool,
    start_date: Instant,
    end_date: Option<Instant>,
    timezone: Text<'a>,
    is_published: bool,
    public_url: PublicUrl<'a>,
    created_at: Instant,
    updated_at: Instant,
    #[simd_json(skip_serializing_if = "Option::is_none")]
    slots: Option<Vec<Slot<'a>>>,
}

impl<'a> Event<'a> {
    fn new(event: &'a signup_core::Event, base_url: &'a str) -> Self {
        Self {
            id: Id(event.id.uuid()),
            title: Text(event.title.as_str()),
            description: event.description.as_ref().map(|text| Text(text.as_str())),
            slug: Text(&event.slug),
            location: event.location.as_ref().map(|text| Text(text.as_str())),
            is_virtual: event.is_virtual,
            start_date: Instant(event.dates.starts_at()),
            end_date: event.dates.last_day_at().map(Instant),
            timezone: Text(event.dates.first.zone().name()),
            is_published: event.is_published,
            public_url: PublicUrl { base_url, slug: &event.slug },
            created_at: Instant(event.created_at),
            updated_at: Instant(event.updated_at),
            slots: None,
        }
    }

    pub(crate) fn with_slots(event: &'a EventWithShifts, base_url: &'a str) -> Self {
        Self { slots: Some(super::slots(&event.shifts)), ..Self::new(&event.event, base_url) }
    }
}

/// The address of an event's page. Neither part has a character that JSON escapes.
#[derive(Debug)]
struct PublicUrl<'a> {
    base_url: &'a str,
    slug: &'a str,
}

impl Serialize for PublicUrl<'_> {
    fn json_write<W: Write>(&self, writer: &mut W) -> io::Result<()> {
        for part in ["\"", self.base_url, "/events/", self.slug, "\""] {
            writer.write_all(part.as_bytes())?;
        }
        Ok(())
    }
}

/// A page of events.
#[derive(Debug, Serialize)]
pub(crate) struct EventPage<'a> {
    data: Vec<Event<'a>>,
    links: Links,
    meta: Meta<'a>,
}

#[derive(Debug, Serialize)]
struct Links {
    // A keyset walk has no cheap way to name its ends.
    first: Option<String>,
    last: Option<String>,
    prev: Option<String>,
    next: Option<String>,
}

#[derive(Debug, Serialize)]
struct Meta<'a> {
    path: String,
    per_page: u32,
    next_cursor: Option<&'a str>,
    prev_cursor: Option<&'a str>,
}

impl<'a> EventPage<'a> {
    pub(crate) fn new(list: &'a EventList, base_url: &'a str) -> Self {
        let path = format!("{base_url}/v1/events");
        let per_page = list.query.limit;
        // Cursors are of letters, digits, `-` and `_`: nothing in the query has to be escaped.
        let link = |cursor: &Option<String>| {
            let filter =
                list.query.is_published.map(|flag| format!("&is_published={flag}")).unwrap_or_default();
            cursor.as_ref().map(|cursor| format!("{path}?per_page={per_page}{filter}&cursor={cursor}"))
        };
        let links =
            Links { first: None, last: None, prev: link(&list.prev_cursor), next: link(&list.next_cursor) };
        Self {
            data: list.events.iter().map(|event| Event::new(event, base_url)).collect(),
            links,
            meta: Meta {
                path,
                per_page,
                next_cursor: list.next_cursor.as_deref(),
                prev_cursor: list.prev_cursor.as_deref(),
            },
        }
    }
}
