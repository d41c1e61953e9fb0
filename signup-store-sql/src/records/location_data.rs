//! The location data of events.

use signup_core::{EventId, EventLocationData, LocationData, OrganizationId, StoreError};

use crate::sql::Dialect;
use crate::sql::Value;
use crate::sql::column::ColumnType::{Id, Json};
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<EventLocationData> = Table {
    name: "location_data",
    alias: 'l',
    key: &["organization_id", "event_id"],
    is_live: Dialect::is_of_live_event,
    columns: &[
        Column::new("event_id", Id, |of_event| of_event.event.uuid().into()),
        Column::new("organization_id", Id, |of_event| of_event.organization.uuid().into()),
        Column::new("data", Json, |of_event| Value::Json(Some(of_event.data.to_json()))),
    ],
    ..Table::read_by(read)
};

pub(crate) fn read(row: Row<'_>) -> Result<EventLocationData, StoreError> {
    let mut columns = row.of(&TABLE);
    let (event, organization) =
        (columns.id("event_id", EventId::new)?, columns.id("organization_id", OrganizationId::new)?);
    let data = columns.text("data")?;
    Ok(EventLocationData { organization, event, data: columns.checked(data.parse::<LocationData>())? })
}
