//! Events.
//!
//! Reads derive the instants of an event from its dates and zone. The one exception is the stored `starts_at`, by which a
//! page is sorted.

use jiff::Timestamp;
use signup_core::{
    BadgeLabel, CancellationReason, Description, Event, EventDates, EventId, EventLocation, ExternalId,
    Instructions, Latitude, LocalDateTime, Longitude, OrganizationId, StoreError, Theme,
};

use crate::sql::Value;
use crate::sql::column::ColumnType::{Date, Degrees, Flag, Id, Integer, Text};
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<Event> = Table {
    name: "events",
    alias: 'e',
    key: &["organization_id", "id"],
    is_live: |event| format!("{event}.deleted_at IS NULL"),
    columns: &[
        Column::new("id", Id, |event| event.id.uuid().into()),
        Column::new("organization_id", Id, |event| event.organization.uuid().into()),
        Column::new("title", Text, |event| event.title.as_str().into()),
        Column::new("slug", Text, |event: &Event| event.slug.as_str().into()),
        Column::new("start_date", Date, |event| Value::Date(Some(event.dates.first.date().to_string()))),
        Column::new("timezone", Text, |event| event.dates.first.zone().name().into()),
        Column::new("end_date", Date, |event| Value::Date(event.dates.last.map(|date| date.to_string()))),
        Column::new("created_at", Integer, |event: &Event| event.created_at.into()),
        Column::new("updated_at", Integer, |event| event.updated_at.into()),
        Column::new("description", Text, |event| event.description.as_ref().map(Description::as_str).into()),
        Column::new("instructions", Text, |event| {
            event.instructions.as_ref().map(Instructions::as_str).into()
        }),
        Column::new("location", Text, |event| event.location.as_ref().map(EventLocation::as_str).into()),
        Column::new("is_virtual", Flag, |event| event.is_virtual.into()),
        Column::new("latitude", Degrees, |event| event.latitude.map(Latitude::degrees).into()),
        Column::new("longitude", Degrees, |event| event.longitude.map(Longitude::degrees).into()),
        Column::new("language", Text, |event| event.language.name().into()),
        Column::new("is_published", Flag, |event| event.is_published.into()),
        Column::new("reminders_enabled", Flag, |event| event.reminders_enabled.into()),
        Column::new("theme", Text, |event| event.theme.map(Theme::name).into()),
        Column::new("badge_label", Text, |event| event.badge_label.as_ref().map(BadgeLabel::as_str).into()),
        Column::new("external_id", Text, |event| event.external_id.as_ref().map(ExternalId::as_str).into()),
        Column::new("signups_open_at", Text, |event| local_time(event.signups_open_at)),
        Column::new("signups_close_at", Text, |event| local_time(event.signups_close_at)),
        Column::new("waitlist_enabled", Flag, |event| event.waitlist_enabled.into()),
        Column::new("cancelled_at", Integer, |event| event.cancelled_at.into()),
        Column::new("cancellation_reason", Text, |event| {
            event.cancellation_reason.as_ref().map(CancellationReason::as_str).into()
        }),
        Column::new("version", Integer, |event| event.version.into()),
        Column::new("gate", Integer, |event| event.gate.into()),
        Column::new("deleted_at", Integer, |event| event.deleted_at.into()),
        Column::new(STARTS_AT, Integer, |event: &Event| event.dates.starts_at().into()).unread(),
        Column::new("ends_at", Integer, |event: &Event| event.dates.ends_at().into()).unread(),
    ],
    ..Table::read_by(read)
};

/// The start by which events are sorted.
pub(crate) const STARTS_AT: &str = "starts_at";

fn local_time(at: Option<LocalDateTime>) -> Value {
    at.map(|at| at.to_string()).into()
}

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
    event.instructions = columns.optional("instructions")?;
    event.location = columns.optional("location")?;
    event.is_virtual = columns.flag("is_virtual")?;
    event.latitude = columns.optional("latitude")?;
    event.longitude = columns.optional("longitude")?;
    event.language = columns.parse("language")?;
    event.is_published = columns.flag("is_published")?;
    event.reminders_enabled = columns.flag("reminders_enabled")?;
    event.theme = columns.optional("theme")?;
    event.badge_label = columns.optional("badge_label")?;
    event.external_id = columns.optional("external_id")?;
    event.signups_open_at = columns.optional("signups_open_at")?;
    event.signups_close_at = columns.optional("signups_close_at")?;
    event.waitlist_enabled = columns.flag("waitlist_enabled")?;
    event.cancelled_at = columns.optional_instant("cancelled_at")?;
    event.cancellation_reason = columns.optional("cancellation_reason")?;
    event.version = columns.number("version")?;
    event.gate = columns.number("gate")?;
    event.deleted_at = columns.optional_instant("deleted_at")?;
    Ok(event)
}

/// Reads the start by which the event is sorted. It differs from the derived one while a process with newer zone data shares
/// the database.
pub(crate) fn read_stored_start(row: Row<'_>) -> Result<Timestamp, StoreError> {
    row.of(&TABLE).instant(STARTS_AT)
}
