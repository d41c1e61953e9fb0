//! Reads of receipts.

use jiff::Timestamp;
use signup_core::{Receipt, ReceiptKey};

use super::reader::{Reader, Result, one};
use crate::sql::row::{self, Cell, RECEIPT};
use crate::sql::{Value, values};

/// Returns the parameters of a condition that selects the receipt with this key, if it is live at `now`.
pub(crate) fn live_receipt(key: &ReceiptKey, now: Timestamp) -> Vec<Value> {
    values![
        key.organization.uuid(),
        key.token.uuid(),
        key.operation.to_string(),
        key.key.as_str(),
        now.as_second(),
    ]
}

pub(crate) async fn receipt(
    reader: &impl Reader,
    key: &ReceiptKey,
    now: Timestamp,
) -> Result<Option<Receipt>> {
    let from = "receipts r WHERE r.organization_id = $1 AND r.token_id = $2 AND r.operation = $3 \
         AND r.idempotency_key = $4 AND r.expires_at > $5";
    let read = |row: &[Cell<'_>]| row::receipt(row, key);
    one(reader, "reading a receipt", RECEIPT, from, live_receipt(key, now), read).await
}
