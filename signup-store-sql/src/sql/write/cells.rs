//! The values that a write stores: the row of each record, and parts of rows.

use jiff::Timestamp;
use serde::Serialize;
use signup_core::{
    BadgeLabel, CancellationReason, CancelledBy, Description, Event, EventLocation, Latitude, LocationData,
    Longitude, Name, Notice, Organization, Question, Receipt, Shift, ShiftLocation, Signup, SignupId,
    StoreError, Theme, Token, WebAddress,
};
use uuid::Uuid;

use super::Result;
use crate::sql::Value;

/// A value of a row, and the name of its column.
pub(super) type Cell = (&'static str, Value);

pub(super) fn ids(organization: Uuid, id: Uuid) -> [Cell; 2] {
    [("organization_id", organization.into()), ("id", id.into())]
}

pub(super) fn cancellation(at: Timestamp, by: CancelledBy) -> [Cell; 2] {
    [("cancelled_at", at.as_second().into()), ("cancelled_by", by.name().into())]
}

pub(super) fn deletion(organization: Uuid, id: Uuid, at: Timestamp) -> [Cell; 3] {
    let [organization, id] = ids(organization, id);
    [organization, id, ("deleted_at", at.as_second().into())]
}

pub(super) fn organization(new: &Organization) -> [Cell; 7] {
    [
        ("id", new.id.uuid().into()),
        ("name", new.name.as_str().into()),
        ("slug", new.slug.as_str().into()),
        ("sport", new.sport.as_ref().map(Name::as_str).into()),
        ("public_url", new.public_url.as_ref().map(WebAddress::as_str).into()),
        ("plan", new.plan.name().into()),
        ("created_at", new.created_at.as_second().into()),
    ]
}

pub(super) fn token(new: &Token) -> [Cell; 8] {
    [
        ("organization_id", new.organization.uuid().into()),
        ("id", new.id.uuid().into()),
        ("name", new.name.as_str().into()),
        ("digest", new.digest.as_bytes().as_slice().into()),
        ("scopes", new.scopes.to_string().into()),
        ("created_at", new.created_at.as_second().into()),
        ("expires_at", new.expires_at.as_second().into()),
        ("revoked_at", new.revoked_at.map(Timestamp::as_second).into()),
    ]
}

pub(super) fn event(new: &Event, location_data: Option<&LocationData>) -> [Cell; 23] {
    [
        ("organization_id", new.organization.uuid().into()),
        ("id", new.id.uuid().into()),
        ("title", new.title.as_str().into()),
        ("slug", new.slug.as_str().into()),
        ("description", new.description.as_ref().map(Description::as_str).into()),
        ("location", new.location.as_ref().map(EventLocation::as_str).into()),
        ("is_virtual", new.is_virtual.into()),
        ("latitude", new.latitude.map(Latitude::degrees).into()),
        ("longitude", new.longitude.map(Longitude::degrees).into()),
        location(location_data),
        ("start_date", Value::Date(Some(new.dates.first.date().to_string()))),
        ("end_date", Value::Date(new.dates.last.map(|date| date.to_string()))),
        ("timezone", new.dates.first.zone().name().into()),
        ("is_published", new.is_published.into()),
        ("theme", new.theme.map(Theme::name).into()),
        ("badge_label", new.badge_label.as_ref().map(BadgeLabel::as_str).into()),
        ("created_at", new.created_at.as_second().into()),
        ("updated_at", new.updated_at.as_second().into()),
        ("starts_at", new.dates.starts_at().as_second().into()),
        ("ends_at", new.dates.ends_at().as_second().into()),
        ("cancelled_at", new.cancelled_at.map(Timestamp::as_second).into()),
        ("cancellation_reason", new.cancellation_reason.as_ref().map(CancellationReason::as_str).into()),
        ("version", new.version.into()),
    ]
}

/// The row of an event without the columns that an update leaves as they are.
pub(super) fn changed_event(new: &Event) -> impl Iterator<Item = Cell> {
    let fixed = ["slug", "location_data", "created_at"];
    event(new, None).into_iter().filter(move |(column, _)| !fixed.contains(column))
}

pub(super) fn location(data: Option<&LocationData>) -> Cell {
    ("location_data", Value::Json(data.map(LocationData::to_json)))
}

pub(super) fn shift(new: &Shift) -> [Cell; 13] {
    let (start, end): (u16, u16) = new.hours.into();
    [
        ("organization_id", new.organization.uuid().into()),
        ("id", new.id.uuid().into()),
        ("event_id", new.event.uuid().into()),
        ("title", new.title.as_str().into()),
        ("location", new.location.as_ref().map(ShiftLocation::as_str).into()),
        ("start_minute", start.into()),
        ("end_minute", end.into()),
        ("capacity", new.occupancy.capacity.volunteers().into()),
        ("filled", new.occupancy.filled.into()),
        ("position", new.position.into()),
        ("version", new.version.into()),
        ("created_at", new.created_at.as_second().into()),
        ("updated_at", new.updated_at.as_second().into()),
    ]
}

pub(super) fn question(new: &Question) -> Result<[Cell; 8]> {
    Ok([
        ("organization_id", new.organization.uuid().into()),
        ("event_id", new.event.uuid().into()),
        ("id", new.id.uuid().into()),
        ("position", new.position.into()),
        ("label", new.label.as_str().into()),
        ("kind", new.kind.name().into()),
        ("options", json(&new.options)?),
        ("required", new.required.into()),
    ])
}

pub(super) fn signup(new: &Signup) -> Result<[Cell; 15]> {
    Ok([
        ("organization_id", new.organization.uuid().into()),
        ("id", new.id.uuid().into()),
        ("event_id", new.event.uuid().into()),
        ("shift_id", new.shift.uuid().into()),
        ("shift_version", new.shift_version.into()),
        ("name", new.name.as_str().into()),
        ("email", new.email.as_str().into()),
        ("email_key", new.email.key().into()),
        ("answers", json(&new.answers)?),
        ("status", new.status.name().into()),
        ("secret", new.secret.as_bytes().as_slice().into()),
        ("created_at", new.created_at.as_second().into()),
        ("mailed_at", new.mailed_at.as_second().into()),
        ("cancelled_at", new.cancelled_at.map(Timestamp::as_second).into()),
        ("cancelled_by", new.cancelled_by.map(CancelledBy::name).into()),
    ])
}

pub(super) fn receipt(new: &Receipt) -> Result<[Cell; 6]> {
    Ok([
        ("organization_id", new.key.organization.uuid().into()),
        ("token_id", new.key.token.uuid().into()),
        ("operation", new.key.operation.to_string().into()),
        ("idempotency_key", new.key.key.as_str().into()),
        ("outcome", json(&new.outcome)?),
        ("expires_at", new.expires_at.as_second().into()),
    ])
}

pub(super) fn notice(new: &Notice) -> Result<[Cell; 12]> {
    let failure = new.failure.as_ref();
    Ok([
        ("id", new.id.uuid().into()),
        ("organization_id", new.organization.uuid().into()),
        ("event_id", new.event.uuid().into()),
        ("shift_id", new.shift.uuid().into()),
        ("signup_id", Value::Uuid(new.cause.signup().map(SignupId::uuid))),
        ("cause", json(&new.cause)?),
        ("created_at", new.created_at.as_second().into()),
        ("version", new.version.into()),
        ("attempts", new.attempts.into()),
        ("due_at", new.due_at.as_second().into()),
        ("failed_at", failure.map(|failure| failure.at.as_second()).into()),
        ("reason", failure.map(|failure| failure.reason.as_str()).into()),
    ])
}

/// A value that is stored as JSON.
fn json(value: &impl Serialize) -> Result<Value> {
    let text = serde_json::to_string(value);
    Ok(Value::Json(Some(text.map_err(|error| StoreError::failed("writing a value as JSON", error))?)))
}
