//! Opt-outs.

use signup_core::{OptOut, OrganizationId, StoreError};

use crate::sql::column::ColumnType::{Id, Integer, Text};
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<OptOut> = Table {
    name: "opt_outs",
    alias: 'x',
    key: &["organization_id", "email_key", "subscription"],
    columns: &[
        Column::new("organization_id", Id, |opt_out| opt_out.organization.uuid().into()),
        // A spelling of the address itself.
        Column::new("email_key", Text, |opt_out: &OptOut| opt_out.mailbox.key().into()),
        Column::new("subscription", Text, |opt_out| opt_out.subscription.name().into()),
        Column::new("created_at", Integer, |opt_out: &OptOut| opt_out.created_at.into()),
    ],
    ..Table::read_by(read)
};

fn read(row: Row<'_>) -> Result<OptOut, StoreError> {
    let mut columns = row.of(&TABLE);
    let organization = columns.id("organization_id", OrganizationId::new)?;
    let (mailbox, subscription) = (columns.parse("email_key")?, columns.parse("subscription")?);
    Ok(OptOut::new(organization, mailbox, subscription, columns.instant("created_at")?))
}
