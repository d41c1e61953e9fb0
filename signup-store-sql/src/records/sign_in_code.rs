//! Codes to sign in.

use signup_core::{SignInCode, StoreError};

use crate::sql::column::ColumnType::{Digest, Integer, Text};
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<SignInCode> = Table {
    name: "sign_in_codes",
    alias: 'c',
    key: &["browser"],
    columns: &[
        Column::new("browser", Digest, |code| code.browser.as_bytes().as_slice().into()),
        Column::new("email", Text, |code| code.email.as_str().into()),
        Column::new("digest", Digest, |code| code.digest.as_bytes().as_slice().into()),
        Column::new("expires_at", Integer, |code: &SignInCode| code.expires_at.into()),
        Column::new("tries", Integer, |code| code.tries.into()),
        Column::new("version", Integer, |code| code.version.into()),
    ],
    ..Table::read_by(read)
};

fn read(row: Row<'_>) -> Result<SignInCode, StoreError> {
    let mut columns = row.of(&TABLE);
    let (browser, email) = (columns.parse("browser")?, columns.parse("email")?);
    let digest = columns.parse("digest")?;
    let mut code = SignInCode::of_digests(browser, email, digest, columns.instant("expires_at")?);
    code.tries = columns.number("tries")?;
    code.version = columns.number("version")?;
    Ok(code)
}
