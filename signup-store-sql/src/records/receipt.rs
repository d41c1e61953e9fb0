//! Receipts.

use signup_core::{Receipt, ReceiptKey, StoreError};

use crate::sql::row::Row;
use crate::sql::table::Kind::{Id, Integer, Text};
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<Receipt> = Table {
    name: "receipts",
    alias: 'r',
    key: &["organization_id", "token_id", "operation", "idempotency_key"],
    columns: &[
        Column::new("organization_id", Id, |receipt: &Receipt| receipt.key.organization.uuid().into())
            .unread(),
        // Only for errors, which name the id of the token.
        Column::new("token_id", Id, |receipt| receipt.key.token.uuid().into()),
        Column::new("operation", Text, |receipt: &Receipt| receipt.key.operation.to_string().into()).unread(),
        Column::new("idempotency_key", Text, |receipt: &Receipt| receipt.key.key.as_str().into()).unread(),
        Column::json("outcome", |receipt| serde_json::to_string(&receipt.outcome)),
        Column::new("expires_at", Integer, |receipt| receipt.expires_at.into()),
    ],
};

/// Reads the receipt of `key`.
pub(crate) fn read(row: Row<'_>, key: &ReceiptKey) -> Result<Receipt, StoreError> {
    let mut columns = row.of(&TABLE);
    Ok(Receipt::new(key.clone(), columns.json("outcome")?, columns.instant("expires_at")?))
}
