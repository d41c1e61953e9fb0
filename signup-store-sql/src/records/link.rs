//! Links.

use signup_core::{EventId, Link, OrganizationId, ShiftId, SignupId, StoreError};

use crate::sql::Dialect;
use crate::sql::column::ColumnType::{Digest, Id};
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<Link> = Table {
    name: "links",
    alias: 'k',
    key: &["organization_id", "digest"],
    is_live: Dialect::is_of_live_event,
    columns: &[
        Column::new("organization_id", Id, |link| link.organization.uuid().into()),
        Column::new("event_id", Id, |link: &Link| link.event.uuid().into()),
        Column::new("shift_id", Id, |link: &Link| link.shift.uuid().into()),
        Column::new("signup_id", Id, |link| link.signup.uuid().into()),
        Column::new("digest", Digest, |link| link.digest.as_bytes().as_slice().into()),
    ],
    ..Table::read_by(read)
};

fn read(row: Row<'_>) -> Result<Link, StoreError> {
    let mut columns = row.of(&TABLE);
    let path = (
        columns.id("organization_id", OrganizationId::new)?,
        columns.id("event_id", EventId::new)?,
        columns.id("shift_id", ShiftId::new)?,
    );
    let signup = columns.id("signup_id", SignupId::new)?;
    Ok(Link::of_digest(signup, path, columns.parse("digest")?))
}
