//! Invitations.

use signup_core::{Invitation, InvitationId, Invitee, OrganizationId, PersonId, StoreError};

use crate::sql::Value;
use crate::sql::column::ColumnType::{Digest, Id, Integer, Text};
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<Invitation> = Table {
    name: "invitations",
    alias: 'i',
    key: &["organization_id", "id"],
    columns: &[
        Column::new("id", Id, |invitation| invitation.id.uuid().into()),
        Column::new("organization_id", Id, |invitation| invitation.organization.uuid().into()),
        Column::new("email", Text, |invitation| {
            invitation.invitee.as_ref().map(|invitee| invitee.email.as_str()).into()
        }),
        // Addresses with the same key are the same address.
        Column::new("email_key", Text, |invitation: &Invitation| {
            invitation.invitee.as_ref().map(|invitee| invitee.email.key()).into()
        })
        .unread(),
        Column::new("name", Text, |invitation| {
            invitation.invitee.as_ref().map(|invitee| invitee.name.as_str()).into()
        }),
        Column::new("role", Text, |invitation: &Invitation| invitation.role.name().into()),
        Column::new("inviter_id", Id, |invitation| Value::Uuid(invitation.inviter.map(PersonId::uuid))),
        Column::new("digest", Digest, |invitation| invitation.digest.as_bytes().as_slice().into()),
        Column::new("created_at", Integer, |invitation: &Invitation| invitation.created_at.into()),
        Column::new("expires_at", Integer, |invitation| invitation.expires_at.into()),
        Column::new("version", Integer, |invitation| invitation.version.into()),
    ],
    ..Table::read_by(read)
};

pub(crate) fn read(row: Row<'_>) -> Result<Invitation, StoreError> {
    let mut columns = row.of(&TABLE);
    let id = columns.id("id", InvitationId::new)?;
    let organization = columns.id("organization_id", OrganizationId::new)?;
    let email = columns.optional("email")?;
    let name = columns.optional("name")?;
    let invitee = columns.both(email, name)?.map(|(email, name)| Invitee { email, name });
    let role = (columns.parse("role")?, columns.optional_id("inviter_id", PersonId::new)?);
    let (digest, created_at) = (columns.parse("digest")?, columns.instant("created_at")?);
    let mut invitation = Invitation::new(id, organization, invitee, role, digest, created_at);
    invitation.expires_at = columns.instant("expires_at")?;
    invitation.version = columns.number("version")?;
    Ok(invitation)
}
