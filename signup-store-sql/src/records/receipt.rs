//! Receipts.

use signup_core::{OrganizationId, Receipt, ReceiptKey, StoreError, TokenId};

use crate::sql::row::Row;
use crate::sql::table::Kind::{Id, Integer, Text};
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<Receipt> = Table {
    name: "receipts",
    alias: 'r',
    key: &["organization_id", "token_id", "operation", "idempotency_key"],
    source: "receipts r",
    is_visible: |_, _| String::new(),
    selects: |table| table.columns(),
    read,
    columns: &[
        Column::new("organization_id", Id, |receipt| receipt.key.organization.uuid().into()),
        Column::new("token_id", Id, |receipt| receipt.key.token.uuid().into()),
        Column::new("operation", Text, |receipt| receipt.key.operation.to_string().into()),
        Column::new("idempotency_key", Text, |receipt| receipt.key.key.as_str().into()),
        Column::json("outcome", |receipt| serde_json::to_string(&receipt.outcome)),
        Column::new("expires_at", Integer, |receipt| receipt.expires_at.into()),
    ],
};

pub(crate) fn read(row: Row<'_>) -> Result<Receipt, StoreError> {
    let mut columns = row.of(&TABLE);
    let key = ReceiptKey {
        organization: columns.id("organization_id", OrganizationId::new)?,
        token: columns.id("token_id", TokenId::new)?,
        operation: columns.parse("operation")?,
        key: columns.parse("idempotency_key")?,
    };
    Ok(Receipt::new(key, columns.json("outcome")?, columns.instant("expires_at")?))
}
