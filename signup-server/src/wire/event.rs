//! The JSON of events.

use serde::Serialize;
use signup_core::{
    CancellationReason, Description, EventLocation, EventQuery, EventWithShifts, ExternalId, Instructions,
};
use uuid::Uuid;

use super::{Instant, Page, Slot};

/// An event. A response with one event contains its slots; lists do not.
#[derive(Debug, Serialize)]
pub(crate) struct Event<'a> {
    id: Uuid,
    title: &'a str,
    description: Option<&'a str>,
    instructions: Option<&'a str>,
    slug: &'a str,
    location: Option<&'a str>,
    is_virtual: bool,
    start_date: Instant,
    end_date: Option<Instant>,
    local_start_date: String,
    local_end_date: Option<String>,
    timezone: &'a str,
    language: &'static str,
    is_published: bool,
    reminders_enabled: bool,
    external_id: Option<&'a str>,
    signups_open_at: Option<Instant>,
    signups_close_at: Option<Instant>,
    local_signups_open_at: Option<String>,
    local_signups_close_at: Option<String>,
    waitlist_enabled: bool,
    cancelled_at: Option<Instant>,
    cancellation_reason: Option<&'a str>,
    public_url: String,
    created_at: Instant,
    updated_at: Instant,
    #[serde(skip_serializing_if = "Option::is_none")]
    slots: Option<Vec<Slot<'a>>>,
}

impl<'a> Event<'a> {
    /// The field with the slots. A request cannot send it back: it would say that the request creates or changes slots.
    pub(crate) const SLOTS: &'static str = "slots";
    /// The names of the fields that a request may send back: all but [`SLOTS`](Self::SLOTS).
    pub(crate) const FIELDS: &'static [&'static str] = &[
        "id",
        "title",
        "description",
        "instructions",
        "slug",
        "location",
        "is_virtual",
        "start_date",
        "end_date",
        "local_start_date",
        "local_end_date",
        "timezone",
        "language",
        "is_published",
        "reminders_enabled",
        "external_id",
        "signups_open_at",
        "signups_close_at",
        "local_signups_open_at",
        "local_signups_close_at",
        "waitlist_enabled",
        "cancelled_at",
        "cancellation_reason",
        "public_url",
        "created_at",
        "updated_at",
    ];

    pub(super) fn new(event: &'a signup_core::Event, base_url: &'a str) -> Self {
        let zone = event.dates.first.zone();
        Self {
            id: event.id.uuid(),
            title: event.title.as_str(),
            description: event.description.as_ref().map(Description::as_str),
            instructions: event.instructions.as_ref().map(Instructions::as_str),
            slug: &event.slug,
            location: event.location.as_ref().map(EventLocation::as_str),
            is_virtual: event.is_virtual,
            start_date: Instant(event.dates.starts_at()),
            end_date: event.dates.last_day_at().map(Instant),
            local_start_date: event.dates.first.date().to_string(),
            local_end_date: event.dates.last.map(|last| last.to_string()),
            timezone: zone.name(),
            language: event.language.name(),
            is_published: event.is_published,
            reminders_enabled: event.reminders_enabled,
            external_id: event.external_id.as_ref().map(ExternalId::as_str),
            signups_open_at: event.signups_open().map(Instant),
            signups_close_at: event.signups_close().map(Instant),
            local_signups_open_at: event.signups_open_at.map(|at| at.to_string()),
            local_signups_close_at: event.signups_close_at.map(|at| at.to_string()),
            waitlist_enabled: event.waitlist_enabled,
            cancelled_at: event.cancelled_at.map(Instant),
            cancellation_reason: event.cancellation_reason.as_ref().map(CancellationReason::as_str),
            public_url: public_url(event, base_url),
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

/// Returns the URL of the public page of an event.
pub(super) fn public_url(event: &signup_core::Event, base_url: &str) -> String {
    [base_url, "/events/", &event.slug].concat()
}

/// Returns a page of the list of events. `external_id` is that of the query as it was sent.
pub(crate) fn event_page<'a>(
    query: &EventQuery,
    external_id: Option<&str>,
    page: &'a signup_core::Page<signup_core::Event>,
    base_url: &'a str,
) -> Page<Event<'a>> {
    let is_default = query.order == EventQuery::new().order;
    let filters = [
        query.is_published.map(|flag| ("is_published", flag.to_string())),
        query.is_cancelled.map(|flag| ("is_cancelled", flag.to_string())),
        query.from.map(|date| ("from", date.to_string())),
        query.to.map(|date| ("to", date.to_string())),
        external_id.map(|id| ("external_id", id.to_owned())),
        (!is_default).then(|| ("order", query.order.to_string())),
    ];
    let path = format!("{base_url}/v1/events");
    Page::new(page, |event| Event::new(event, base_url), path, query.limit, filters)
}
