//! Memberships.

use signup_core::{Membership, OrganizationId, PersonId, StoreError};

use crate::sql::column::ColumnType::{Id, Integer, Text};
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<Membership> = Table {
    name: "memberships",
    alias: 'm',
    key: &["organization_id", "person_id"],
    columns: &[
        Column::new("organization_id", Id, |membership| membership.organization.uuid().into()),
        Column::new("person_id", Id, |membership| membership.person.uuid().into()),
        Column::new("role", Text, |membership: &Membership| membership.role.name().into()),
        Column::new("created_at", Integer, |membership: &Membership| membership.created_at.into()),
        Column::new("version", Integer, |membership| membership.version.into()),
    ],
    ..Table::read_by(read)
};

pub(crate) fn read(row: Row<'_>) -> Result<Membership, StoreError> {
    let mut columns = row.of(&TABLE);
    let mut membership = Membership::new(
        columns.id("organization_id", OrganizationId::new)?,
        columns.id("person_id", PersonId::new)?,
        columns.parse("role")?,
        columns.instant("created_at")?,
    );
    membership.version = columns.number("version")?;
    Ok(membership)
}
