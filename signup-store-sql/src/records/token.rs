//! Tokens.

use signup_core::{OrganizationId, Scopes, StoreError, Token, TokenId};

use crate::sql::column::ColumnType::{Digest, Id, Integer, Text};
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<Token> = Table {
    name: "tokens",
    alias: 't',
    key: &["organization_id", "id"],
    columns: &[
        Column::new("id", Id, |token| token.id.uuid().into()),
        Column::new("organization_id", Id, |token| token.organization.uuid().into()),
        Column::new("name", Text, |token| token.name.as_str().into()),
        Column::new("digest", Digest, |token: &Token| token.digest.as_bytes().as_slice().into()),
        Column::new("scopes", Text, |token| token.scopes.to_string().into()),
        Column::new("created_at", Integer, |token: &Token| token.created_at.into()),
        Column::new("expires_at", Integer, |token| token.expires_at.into()),
        Column::new("revoked_at", Integer, |token| token.revoked_at.into()),
        Column::json("created_by", |token| serde_json::to_string(&token.created_by)),
        Column::new("last_used_at", Integer, |token| token.last_used_at.into()),
        Column::new("version", Integer, |token| token.version.into()),
    ],
    ..Table::read_by(read)
};

pub(crate) fn read(row: Row<'_>) -> Result<Token, StoreError> {
    let mut columns = row.of(&TABLE);
    let mut token = Token::new(
        columns.id("id", TokenId::new)?,
        columns.id("organization_id", OrganizationId::new)?,
        columns.parse("name")?,
        columns.parse("digest")?,
        Scopes::known_of(columns.text("scopes")?),
        columns.instant("created_at")?,
    );
    token.expires_at = columns.instant("expires_at")?;
    token.revoked_at = columns.optional_instant("revoked_at")?;
    token.created_by = columns.json("created_by")?;
    token.last_used_at = columns.optional_instant("last_used_at")?;
    token.version = columns.number("version")?;
    Ok(token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::row::one;

    /// The columns of the creator and of the last use.
    const MADE: &str = r#""{\"type\":\"operator\"}", null"#;

    #[test]
    fn a_scope_of_a_newer_version_is_ignored() {
        let (id, digest) = ("01920000000070008000000000000001", "00".repeat(32));
        let json = format!(
            r#"["{id}", "{id}", "import", "{digest}", "events:read,kiosks:read", 1, 2, null, {MADE}, 1]"#
        );
        let token = one(&json, &TABLE.columns(), read).unwrap();
        assert_eq!(token.scopes, [signup_core::Scope::EventsRead].into());
    }

    #[test]
    fn a_corrupt_value_is_named_by_table_column_and_id() {
        let id = "01920000000070008000000000000001";
        let json = format!(r#"["{id}", "{id}", "import", "00", "events:read", 1, 2, null, {MADE}, 1]"#);
        let error = one(&json, &TABLE.columns(), read).unwrap_err().to_string();
        assert!(error.contains("tokens.digest of 01920000-0000-7000-8000-000000000001"), "{error}");
    }
}
