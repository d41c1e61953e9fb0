//! Sign-ins: the people who are signed in.

use signup_core::{PersonId, SignIn, StoreError};

use crate::sql::column::ColumnType::{Digest, Id, Integer};
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<SignIn> = Table {
    name: "sign_ins",
    alias: 'g',
    key: &["digest"],
    columns: &[
        Column::new("digest", Digest, |sign_in| sign_in.digest.as_bytes().as_slice().into()),
        Column::new("person_id", Id, |sign_in: &SignIn| sign_in.person.uuid().into()),
        Column::new("created_at", Integer, |sign_in: &SignIn| sign_in.created_at.into()),
        Column::new("used_at", Integer, |sign_in| sign_in.used_at.into()),
        // Follows from the times.
        Column::new("expires_at", Integer, |sign_in: &SignIn| sign_in.expires_at().into()).unread(),
        Column::new("generation", Integer, |sign_in| sign_in.generation.into()),
        Column::new("version", Integer, |sign_in| sign_in.version.into()),
    ],
    ..Table::read_by(read)
};

pub(crate) fn read(row: Row<'_>) -> Result<SignIn, StoreError> {
    let mut columns = row.of(&TABLE);
    let (digest, person) = (columns.parse("digest")?, columns.id("person_id", PersonId::new)?);
    let mut sign_in = SignIn::of_digest(digest, person, columns.instant("created_at")?);
    sign_in.used_at = columns.instant("used_at")?;
    sign_in.generation = columns.number("generation")?;
    sign_in.version = columns.number("version")?;
    Ok(sign_in)
}
