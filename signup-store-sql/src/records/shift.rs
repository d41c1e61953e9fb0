//! Shifts.

use signup_core::{
    CancellationReason, Closing, EventId, ExternalId, Hours, Minimum, OrganizationId, ScheduledShift, Shift,
    ShiftDescription, ShiftId, ShiftLocation, StoreError,
};

use super::event;
use crate::sql::Dialect;
use crate::sql::column::ColumnType::{Flag, Id, Integer, Text};
use crate::sql::column::SelectedColumn;
use crate::sql::row::{Decoder, Row};
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<Shift> = Table {
    name: "shifts",
    alias: 's',
    key: &["organization_id", "id"],
    is_live: |shift| format!("{shift}.deleted_at IS NULL AND {}", Dialect::is_of_live_event(shift)),
    selects: |table| [table.columns_named(&OF_EVENT), table.columns()].concat(),
    columns: &[
        Column::new("id", Id, |shift| shift.id.uuid().into()),
        Column::new("organization_id", Id, |shift: &Shift| shift.organization.uuid().into()).unread(),
        Column::new("event_id", Id, |shift: &Shift| shift.event.uuid().into()).unread(),
        Column::new("title", Text, |shift| shift.title.as_str().into()),
        Column::new("capacity", Integer, |shift| shift.occupancy.capacity.volunteers().into()),
        Column::new("minimum", Integer, |shift| {
            shift.minimum.map(|minimum| i64::from(minimum.volunteers())).into()
        }),
        Column::new("created_at", Integer, |shift: &Shift| shift.created_at.into()),
        Column::new("updated_at", Integer, |shift| shift.updated_at.into()),
        Column::new("description", Text, |shift| {
            shift.description.as_ref().map(ShiftDescription::as_str).into()
        }),
        Column::new("location", Text, |shift| shift.location.as_ref().map(ShiftLocation::as_str).into()),
        Column::new("external_id", Text, |shift| shift.external_id.as_ref().map(ExternalId::as_str).into()),
        Column::new("day", Integer, |shift| shift.hours.day().into()),
        Column::new("start_minute", Integer, |shift| shift.hours.start().minutes().into()),
        Column::new("end_minute", Integer, |shift| <(u32, u16, u16, bool)>::from(shift.hours).2.into()),
        Column::new("ends_next_day", Flag, |shift| shift.hours.ends_next_day().into()),
        Column::new("ends_at", Integer, |shift: &Shift| shift.ends_at.into()),
        Column::new("closed_at", Integer, |shift| closing(shift).map(|closing| closing.at).into()),
        Column::new("closed_by", Text, |shift| closing(shift).map(|closing| closing.by.name()).into()),
        Column::new("closing_reason", Text, |shift| {
            closing(shift).and_then(|closing| closing.reason.as_ref()).map(CancellationReason::as_str).into()
        }),
        Column::new("closed_silently", Flag, |shift| {
            closing(shift).is_some_and(|closing| closing.is_silent).into()
        }),
        Column::new("deleted_at", Integer, |shift| shift.deleted_at.into()),
        Column::new("announced", Integer, |shift| shift.announced.into()),
        // Stored totals: the writes of sign-ups add to them. The value of every record is 0, so a put leaves the totals alone.
        Column::new("filled", Integer, |_: &Shift| 0_i64.into()),
        Column::new("waitlisted", Integer, |_: &Shift| 0_i64.into()),
        Column::new("position", Integer, |shift: &Shift| shift.position.into()),
        Column::new("version", Integer, |shift| shift.version.into()),
        Column::new("gate", Integer, |shift| shift.gate.into()),
    ],
    ..Table::read_by(read)
};

const fn closing(shift: &Shift) -> Option<&Closing> {
    shift.closing.as_ref()
}

/// The columns that the reads of an event's shifts leave out, because they are the same in each row.
const OF_EVENT: [&str; 2] = ["organization_id", "event_id"];

fn read(row: Row<'_>) -> Result<Shift, StoreError> {
    let mut columns = row.of(&TABLE);
    let [organization, event] = OF_EVENT;
    let event = (columns.id(organization, OrganizationId::new)?, columns.id(event, EventId::new)?);
    read_of(event, row)
}

/// Returns the columns of [`read_scheduled`].
pub(crate) fn scheduled_columns() -> Vec<SelectedColumn> {
    [TABLE.columns(), event::TABLE.columns_named(&["start_date", "timezone", "is_virtual"])].concat()
}

/// Reads a shift of an event, and the part of the event on which its schedule depends.
pub(crate) fn read_scheduled(
    event: (OrganizationId, EventId),
    row: Row<'_>,
) -> Result<ScheduledShift, StoreError> {
    let shift = read_of(event, row)?;
    let mut columns = row.of(&event::TABLE);
    let (day, is_virtual) = (columns.day("start_date", "timezone")?, columns.flag("is_virtual")?);
    Ok(ScheduledShift::new(shift, day, is_virtual))
}

pub(crate) fn hours(columns: &mut Decoder<'_>) -> Result<Hours, StoreError> {
    let (day, start) = (columns.number::<u32>("day")?, columns.number::<u16>("start_minute")?);
    let (ends_next_day, end) = (columns.flag("ends_next_day")?, columns.number::<u16>("end_minute")?);
    columns.checked(Hours::try_from((day, start, end, ends_next_day)))
}

/// Reads a shift of an event.
pub(crate) fn read_of(
    (organization, event): (OrganizationId, EventId),
    row: Row<'_>,
) -> Result<Shift, StoreError> {
    let mut columns = row.of(&TABLE);
    let (id, title) = (columns.id("id", ShiftId::new)?, columns.parse("title")?);
    let capacity = columns.number("capacity")?;
    let created_at = columns.instant("created_at")?;
    let mut shift = Shift::new(id, organization, event, title, capacity, created_at);
    shift.updated_at = columns.instant("updated_at")?;
    shift.description = columns.optional("description")?;
    shift.location = columns.optional("location")?;
    shift.external_id = columns.optional("external_id")?;
    shift.hours = hours(&mut columns)?;
    shift.ends_at = columns.instant("ends_at")?;
    let at = columns.optional_instant("closed_at")?;
    let by = columns.optional("closed_by")?;
    let closed = columns.both(at, by)?;
    let reason = columns.optional("closing_reason")?;
    let is_silent = columns.flag("closed_silently")?;
    shift.closing = closed.map(|(at, by)| Closing { at, by, reason, is_silent });
    shift.deleted_at = columns.optional_instant("deleted_at")?;
    shift.announced = columns.number("announced")?;
    let (filled, waitlisted) = (columns.number("filled")?, columns.number("waitlisted")?);
    if shift.closing.is_none() {
        (shift.occupancy.filled, shift.occupancy.waitlisted) = (filled, waitlisted);
    }
    let minimum = columns.optional_number("minimum")?;
    shift.minimum = columns.checked(minimum.map(Minimum::try_from).transpose())?;
    shift.position = columns.number("position")?;
    shift.version = columns.number("version")?;
    shift.gate = columns.number("gate")?;
    Ok(shift)
}
