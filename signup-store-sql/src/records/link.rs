//! Links.

use signup_core::{EventId, Link, OrganizationId, StoreError, Subscription};

use crate::sql::column::ColumnType::{Digest, Id, Integer, Text};
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<Link> = Table {
    name: "links",
    alias: 'k',
    key: &["organization_id", "digest"],
    columns: &[
        Column::new("organization_id", Id, |link| link.organization.uuid().into()),
        Column::new("digest", Digest, |link| link.digest.as_bytes().as_slice().into()),
        // A spelling of the address itself.
        Column::new("email_key", Text, |link: &Link| link.mailbox.key().into()),
        Column::new("event_id", Id, |link: &Link| link.event.uuid().into()),
        Column::new("unsubscribes_from", Text, |link| link.unsubscribes_from.map(Subscription::name).into()),
        Column::new("expires_at", Integer, |link| link.expires_at.into()),
    ],
    ..Table::read_by(read)
};

fn read(row: Row<'_>) -> Result<Link, StoreError> {
    let mut columns = row.of(&TABLE);
    let organization = columns.id("organization_id", OrganizationId::new)?;
    let (digest, mailbox) = (columns.parse("digest")?, columns.parse("email_key")?);
    let path = (organization, columns.id("event_id", EventId::new)?);
    let unsubscribes_from = columns.optional("unsubscribes_from")?;
    let mut link = Link::new(digest, path, mailbox, columns.instant("expires_at")?);
    link.unsubscribes_from = unsubscribes_from;
    Ok(link)
}
