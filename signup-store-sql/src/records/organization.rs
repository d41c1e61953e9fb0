//! Organizations.

use signup_core::{EmailAddress, Name, Organization, OrganizationId, StoreError, WebAddress};

use crate::sql::column::ColumnType::{Id, Integer, Text};
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<Organization> = Table {
    name: "organizations",
    alias: 'o',
    key: &["id"],
    columns: &[
        Column::new("id", Id, |organization| organization.id.uuid().into()),
        Column::new("name", Text, |organization| organization.name.as_str().into()),
        Column::new("slug", Text, |organization| organization.slug.as_str().into()),
        Column::new("created_at", Integer, |organization: &Organization| organization.created_at.into()),
        Column::new("sport", Text, |organization| organization.sport.as_ref().map(Name::as_str).into()),
        Column::new("public_url", Text, |organization| {
            organization.public_url.as_ref().map(WebAddress::as_str).into()
        }),
        Column::new("contact", Text, |organization| {
            organization.contact.as_ref().map(EmailAddress::as_str).into()
        }),
        Column::new("privacy_url", Text, |organization| {
            organization.privacy_url.as_ref().map(WebAddress::as_str).into()
        }),
        Column::new("plan", Text, |organization| organization.plan.name().into()),
        Column::new("version", Integer, |organization| organization.version.into()),
        Column::new("gate", Integer, |organization| organization.gate.into()),
    ],
    ..Table::read_by(read)
};

pub(crate) fn read(row: Row<'_>) -> Result<Organization, StoreError> {
    let mut columns = row.of(&TABLE);
    let mut organization = Organization::new(
        columns.id("id", OrganizationId::new)?,
        columns.parse("name")?,
        columns.text("slug")?.to_owned(),
        columns.instant("created_at")?,
    );
    organization.sport = columns.optional("sport")?;
    organization.public_url = columns.optional("public_url")?;
    organization.contact = columns.optional("contact")?;
    organization.privacy_url = columns.optional("privacy_url")?;
    organization.plan = columns.parse("plan")?;
    organization.version = columns.number("version")?;
    organization.gate = columns.number("gate")?;
    Ok(organization)
}
