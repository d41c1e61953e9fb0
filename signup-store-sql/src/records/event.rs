//! Events, and their location data.
//!
//! The instants of an event are derived from its dates and zone when it is read. Of the stored ones only `starts_at` is read,
//! to sort a page of events.

use jiff::Timestamp;
use signup_core::{
    BadgeLabel, CancellationReason, Description, Event, EventDates, EventId, EventLocation, Latitude,
    LocationData, Longitude, OrganizationId, StoreError, Theme,
};

use crate::sql::Value;
use crate::sql::row::Row;
use crate::sql::table::Kind::{Date, Degrees, Flag, Id, Integer, Json, Text};
use crate::sql::table::{Column, NamedValue, Table};

pub(crate) const TABLE: Table<Event> = Table {
    name: "events",
    alias: 'e',
    key: &["organization_id", "id"],
    columns: &[
        Column::new("id", Id, |event| event.id.uuid().into()),
        Column::new("organization_id", Id, |event| event.organization.uuid().into()),
        Column::new("title", Text, |event| event.title.as_str().into()),
        Column::new("slug", Text, |event: &Event| event.slug.as_str().into()).fixed(),
        Column::new("start_date", Date, |event| Value::Date(Some(event.dates.first.date().to_string()))),
        Column::new("timezone", Text, |event| event.dates.first.zone().name().into()),
        Column::new("end_date", Date, |event| Value::Date(event.dates.last.map(|date| date.to_string()))),
        Column::new("created_at", Integer, |event: &Event| event.created_at.into()).fixed(),
        Column::new("updated_at", Integer, |event| event.updated_at.into()),
        Column::new("description", Text, |event| event.description.as_ref().map(Description::as_str).into()),
        Column::new("location", Text, |event| event.location.as_ref().map(EventLocation::as_str).into()),
        Column::new("is_virtual", Flag, |event| event.is_virtual.into()),
        Column::new("latitude", Degrees, |event| event.latitude.map(Latitude::degrees).into()),
        Column::new("longitude", Degrees, |event| event.longitude.map(Longitude::degrees).into()),
        Column::new("is_published", Flag, |event| event.is_published.into()),
        Column::new("theme", Text, |event| event.theme.map(Theme::name).into()),
        Column::new("badge_label", Text, |event| event.badge_label.as_ref().map(BadgeLabel::as_str).into()),
        Column::new("cancelled_at", Integer, |event| event.cancelled_at.into()),
        Column::new("cancellation_reason", Text, |event| {
            event.cancellation_reason.as_ref().map(CancellationReason::as_str).into()
        }),
        Column::new("version", Integer, |event| event.version.into()),
        Column::new(STARTS_AT, Integer, |event: &Event| event.dates.starts_at().into()).unread(),
        Column::new("ends_at", Integer, |event: &Event| event.dates.ends_at().into()).unread(),
        Column::apart(DELETED_AT, Integer).unread(),
        Column::apart(LOCATION_DATA, Json).unread(),
    ],
};

/// The start by which events are sorted.
pub(crate) const STARTS_AT: &str = "starts_at";
pub(crate) const DELETED_AT: &str = "deleted_at";
pub(crate) const LOCATION_DATA: &str = "location_data";

pub(crate) fn read(row: Row<'_>) -> Result<Event, StoreError> {
    let mut columns = row.of(&TABLE);
    let (id, organization) =
        (columns.id("id", EventId::new)?, columns.id("organization_id", OrganizationId::new)?);
    let (title, slug) = (columns.parse("title")?, columns.text("slug")?.to_owned());
    let dates =
        EventDates { first: columns.day("start_date", "timezone")?, last: columns.optional("end_date")? };
    let mut event = Event::new(id, organization, title, slug, dates, columns.instant("created_at")?);
    event.updated_at = columns.instant("updated_at")?;
    event.description = columns.optional("description")?;
    event.location = columns.optional("location")?;
    event.is_virtual = columns.flag("is_virtual")?;
    event.latitude = columns.optional("latitude")?;
    event.longitude = columns.optional("longitude")?;
    event.is_published = columns.flag("is_published")?;
    event.theme = columns.optional("theme")?;
    event.badge_label = columns.optional("badge_label")?;
    event.cancelled_at = columns.optional_instant("cancelled_at")?;
    event.cancellation_reason = columns.optional("cancellation_reason")?;
    event.version = columns.number("version")?;
    Ok(event)
}

/// Reads the start by which the event is sorted. It differs from the derived one while a process with newer zone data shares
/// the database.
pub(crate) fn read_stored_start(row: Row<'_>) -> Result<Timestamp, StoreError> {
    row.of(&TABLE).instant(STARTS_AT)
}

/// Reads when the event was deleted; `None` if it is not deleted.
pub(crate) fn read_deleted_at(row: Row<'_>) -> Result<Option<Timestamp>, StoreError> {
    row.of(&TABLE).optional_instant(DELETED_AT)
}

/// Reads the location data of the event.
pub(crate) fn read_location_data(row: Row<'_>) -> Result<Option<LocationData>, StoreError> {
    let mut columns = row.of(&TABLE);
    let json = columns.optional_text(LOCATION_DATA)?;
    columns.checked(json.map(LocationData::stored).transpose())
}

/// Returns the value that stores the location data of an event.
pub(crate) fn location_data(data: Option<&LocationData>) -> NamedValue {
    (LOCATION_DATA, Value::Json(data.map(LocationData::to_json)))
}
