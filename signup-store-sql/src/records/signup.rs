//! Sign-ups.

use signup_core::{
    Attendance, CancellationReason, CancelledBy, EventId, OrganizationId, ShiftId, Signup, SignupId,
    SignupState, SignupStatus, StoreError,
};

use crate::sql::Dialect;
use crate::sql::column::ColumnType::{Flag, Id, Integer, Text};
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<Signup> = Table {
    name: "signups",
    alias: 'u',
    key: &["organization_id", "id"],
    view: Some("current_signups"),
    is_live: Dialect::is_of_live_event,
    columns: &[
        Column::new("id", Id, |signup| signup.id.uuid().into()),
        Column::new("organization_id", Id, |signup| signup.organization.uuid().into()),
        Column::new("event_id", Id, |signup: &Signup| signup.event.uuid().into()),
        Column::new("shift_id", Id, |signup: &Signup| signup.shift.uuid().into()),
        Column::new("name", Text, |signup| signup.name.as_str().into()),
        Column::new("search_key", Text, |signup: &Signup| signup.search_key().into()).unread(),
        Column::new("email", Text, |signup| signup.email.as_str().into()),
        // Addresses with the same key are the same address.
        Column::new("email_key", Text, |signup: &Signup| signup.email.key().into()).unread(),
        // Names with the same key are the same person of an address.
        Column::new("person_key", Text, |signup: &Signup| signup.name.key().into()).unread(),
        // Volunteers are sorted by it.
        Column::new("name_order", Text, |signup: &Signup| signup.name.sort_key().into()).unread(),
        Column::json("told", |signup| serde_json::to_string(&signup.told)),
        Column::new("created_at", Integer, |signup: &Signup| signup.created_at.into()),
        Column::new("repeated_at", Integer, |signup| signup.repeated_at.into()),
        Column::new("attendance", Text, |signup: &Signup| signup.attendance.map(Attendance::name).into()),
        Column::new("changed_at", Integer, |signup| signup.changed_at.into()),
        Column::new("has_waited", Flag, |signup: &Signup| signup.has_waited.into()),
        Column::new("promoted_at", Integer, |signup| signup.promoted_at.into()),
        Column::new("cancelled_at", Integer, |signup: &Signup| signup.cancelled_at().into()),
        Column::json("answers", |signup| serde_json::to_string(&signup.answers)),
        Column::new("status", Text, |signup: &Signup| signup.status().name().into()),
        Column::new("version", Integer, |signup| signup.version.into()),
        Column::new("cancelled_by", Text, |signup: &Signup| {
            signup.cancelled_by().map(CancelledBy::name).into()
        }),
        Column::new("cancellation_reason", Text, |signup: &Signup| {
            signup.reason.as_ref().map(CancellationReason::as_str).into()
        }),
        Column::new("is_silent", Flag, |signup: &Signup| signup.is_silent.into()),
    ],
    ..Table::read_by(read)
};

/// Reads a sign-up as the view `current_signups` has it.
pub(crate) fn read(row: Row<'_>) -> Result<Signup, StoreError> {
    let mut columns = row.of(&TABLE);
    let (id, place) = (
        columns.id("id", SignupId::new)?,
        (
            columns.id("organization_id", OrganizationId::new)?,
            columns.id("event_id", EventId::new)?,
            columns.id("shift_id", ShiftId::new)?,
        ),
    );
    let (name, email) = (columns.parse("name")?, columns.parse("email")?);
    let told = columns.json("told")?;
    let mut signup = Signup::new(id, place, name, email, told, columns.instant("created_at")?);
    signup.repeated_at = columns.optional_instant("repeated_at")?;
    signup.attendance = columns.optional("attendance")?;
    signup.changed_at = columns.optional_instant("changed_at")?;
    signup.has_waited = columns.flag("has_waited")?;
    signup.promoted_at = columns.optional_instant("promoted_at")?;
    let cancelled_at = columns.optional_instant("cancelled_at")?;
    signup.answers = columns.json("answers")?;
    let status: SignupStatus = columns.parse("status")?;
    signup.version = columns.number("version")?;
    let cancelled_by = columns.optional("cancelled_by")?;
    signup.state = match columns.both(cancelled_at, cancelled_by)? {
        None if status == SignupStatus::Waitlisted => SignupState::Waitlisted,
        None => SignupState::Confirmed,
        Some((at, by)) => SignupState::Cancelled { at, by },
    };
    signup.reason = columns.optional("cancellation_reason")?;
    signup.is_silent = columns.flag("is_silent")?;
    Ok(signup)
}
