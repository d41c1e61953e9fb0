//! Receipts.

use std::borrow::Cow;
use std::io::{self, Read as _, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use signup_core::{CallerId, OrganizationId, Receipt, ReceiptKey, StoreError};

use crate::sql::column::ColumnType::{Id, Integer, Text};
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<Receipt> = Table {
    name: "receipts",
    alias: 'r',
    key: &["organization_id", "caller_id", "operation", "idempotency_key"],
    columns: &[
        Column::new("organization_id", Id, |receipt| receipt.key.organization.uuid().into()),
        Column::new("caller_id", Id, |receipt| receipt.key.caller.uuid().into()),
        Column::new("operation", Text, |receipt| receipt.key.operation.to_string().into()),
        Column::new("idempotency_key", Text, |receipt| receipt.key.key.as_str().into()),
        Column::json("outcome", |receipt| serde_json::to_string(&receipt.outcome).map(pack)),
        Column::new("mails_queued", Integer, |receipt| receipt.mails_queued.into()),
        Column::new("input", Text, |receipt| receipt.input.map(|input| input.to_string()).into()),
        Column::new("expires_at", Integer, |receipt| receipt.expires_at.into()),
    ],
    ..Table::read_by(read)
};

pub(crate) fn read(row: Row<'_>) -> Result<Receipt, StoreError> {
    let mut columns = row.of(&TABLE);
    let key = ReceiptKey {
        organization: columns.id("organization_id", OrganizationId::new)?,
        caller: columns.id("caller_id", CallerId::new)?,
        operation: columns.parse("operation")?,
        key: columns.parse("idempotency_key")?,
    };
    let text = columns.text("outcome")?;
    let text = columns.checked(unpack(text))?;
    let outcome = columns.checked(serde_json::from_str(&text))?;
    let (mails_queued, input) = (columns.number("mails_queued")?, columns.optional("input")?);
    let mut receipt = Receipt::new(key, outcome, columns.instant("expires_at")?);
    (receipt.mails_queued, receipt.input) = (mails_queued, input);
    Ok(receipt)
}

/// The shortest outcome that is compressed, in bytes: about that of an event with 30 shifts. Most outcomes are shorter, and
/// stay as they are.
const LARGE_BYTES: usize = 16 * 1024;
/// The longest outcome that is read, in bytes: several times that of the largest event.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// The beginning and the end of a compressed outcome, which is an object with one text. No outcome begins so.
const PACKED: (&str, &str) = (r#"{"deflate":""#, r#""}"#);

/// Compresses a large outcome. The result is JSON, too.
///
/// The answer to a write of an event has all its shifts, and each key of a request stores one. Without compression an event of
/// 1,000 shifts takes half a megabyte for each key.
fn pack(json: String) -> String {
    if json.len() < LARGE_BYTES {
        return json;
    }
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    // Never fails: a vector takes any bytes.
    match encoder.write_all(json.as_bytes()).and_then(|()| encoder.finish()) {
        Ok(bytes) => [PACKED.0, &STANDARD_NO_PAD.encode(bytes), PACKED.1].concat(),
        Err(_) => json,
    }
}

/// Returns the JSON of an outcome that [`pack`] has returned.
fn unpack(stored: &str) -> Result<Cow<'_, str>, io::Error> {
    let packed = stored.strip_prefix(PACKED.0).and_then(|rest| rest.strip_suffix(PACKED.1));
    let Some(packed) = packed else { return Ok(stored.into()) };
    let bytes = STANDARD_NO_PAD.decode(packed).map_err(|error| io::Error::other(error.to_string()))?;
    let mut json = String::new();
    let _length = DeflateDecoder::new(&*bytes).take(MAX_BYTES).read_to_string(&mut json)?;
    Ok(json.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_reads_back_and_only_a_large_one_is_compressed() {
        let of_length = |length: usize| format!(r#"{{"Event":"{}"}}"#, "é\u{1f9d1}".repeat(length / 6));
        for (json, is_packed) in [
            (r#"{"Deleted":{}}"#.to_owned(), false),
            (of_length(LARGE_BYTES - 100), false),
            (of_length(LARGE_BYTES), true),
            (of_length(3_000_000), true),
        ] {
            let stored = pack(json.clone());
            assert_eq!(stored.len() < json.len(), is_packed);
            assert!(serde_json::from_str::<serde_json::Value>(&stored).unwrap().is_object());
            assert_eq!(unpack(&stored).unwrap(), json);
        }
    }

    #[test]
    fn a_damaged_compressed_outcome_is_an_error() {
        for damaged in [r#"{"deflate":"é"}"#, r#"{"deflate":"AAAA"}"#] {
            assert!(unpack(damaged).is_err(), "{damaged}");
        }
    }
}
