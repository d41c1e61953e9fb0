//! People.

use signup_core::{Person, PersonId, StoreError};

use crate::sql::column::ColumnType::{Id, Integer, Text};
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<Person> = Table {
    name: "people",
    alias: 'h',
    key: &["id"],
    columns: &[
        Column::new("id", Id, |person| person.id.uuid().into()),
        Column::new("email", Text, |person| person.email.as_str().into()),
        // Addresses with the same key are the same address.
        Column::new("email_key", Text, |person: &Person| person.email.key().into()).unread(),
        Column::new("name", Text, |person| person.name.as_str().into()),
        Column::new("created_at", Integer, |person: &Person| person.created_at.into()),
        Column::new("generation", Integer, |person| person.generation.into()),
        Column::new("version", Integer, |person| person.version.into()),
    ],
    ..Table::read_by(read)
};

pub(crate) fn read(row: Row<'_>) -> Result<Person, StoreError> {
    let mut columns = row.of(&TABLE);
    let (id, email) = (columns.id("id", PersonId::new)?, columns.parse("email")?);
    let mut person = Person::new(id, email, columns.parse("name")?, columns.instant("created_at")?);
    person.generation = columns.number("generation")?;
    person.version = columns.number("version")?;
    Ok(person)
}
