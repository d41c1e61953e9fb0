//! Sort keys follow the zone data.
//!
//! `starts_at` and `ends_at` of an event are derived from its dates and zone, and stored only to sort and to count by.
//! The database records by which release of the zone data that was done; under another release they are derived anew
//! before anything is read.

use serde_json::json;
use signup_core::hours::zone_data_version;
use signup_core::{Day, EventDate, EventDates, StoreError, TimeError, Zone};
use sqlx::sqlite::SqliteConnection;
use uuid::Uuid;

use crate::error::store_error;

/// How many events are derived at a time: a bound on memory.
const BATCH: u32 = 1000;

/// What the dates of an event are derived from.
type Row = (Uuid, String, Option<String>, String);

/// Derives all sort keys anew, unless that was done by the zone data of this version. It belongs into one transaction, so
/// that no one ever sees the keys of two releases.
pub(crate) async fn follow(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    let failed = |error| store_error("deriving sort keys", error);
    let stored = sqlx::query_scalar::<_, String>("SELECT value FROM meta WHERE name = 'zone_data'");
    let stored = stored.fetch_optional(&mut *connection).await.map_err(failed)?;
    if stored.as_deref() == Some(zone_data_version()) {
        return Ok(());
    }
    let mut after = Uuid::nil();
    loop {
        let events = sqlx::query_as::<_, Row>(
            "SELECT id, start_date, end_date, timezone FROM events WHERE id > $1 ORDER BY id LIMIT $2",
        );
        let events = events.bind(after).bind(BATCH).fetch_all(&mut *connection).await.map_err(failed)?;
        let Some(last) = events.last() else { break };
        after = last.0;
        let keys = events.iter().map(sort_keys).collect::<Result<Vec<_>, _>>()?;
        let update = sqlx::query(
            "UPDATE events SET starts_at = k.value->>1, ends_at = k.value->>2 FROM json_each($1) k \
             WHERE events.id = unhex(k.value->>0) AND (starts_at <> k.value->>1 OR ends_at <> k.value->>2)",
        );
        let keys = serde_json::Value::Array(keys).to_string();
        let updated = update.bind(keys).execute(&mut *connection).await.map_err(failed)?;
        tracing::info!(events = updated.rows_affected(), "sort keys follow the zone data");
    }
    let record = sqlx::query(
        "INSERT INTO meta (name, value) VALUES ('zone_data', $1) \
         ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    );
    record.bind(zone_data_version()).execute(connection).await.map_err(failed)?;
    Ok(())
}

/// Id, start and end, as the update takes them.
fn sort_keys((id, first, last, zone): &Row) -> Result<serde_json::Value, StoreError> {
    let corrupt = |column: &'static str| {
        move |error: TimeError| StoreError::corrupt("events", column, id.hyphenated(), error)
    };
    let date = first.parse().map_err(corrupt("start_date"))?;
    let last: Option<EventDate> = last.as_deref().map(str::parse).transpose().map_err(corrupt("end_date"))?;
    let zone: Zone = zone.parse().map_err(corrupt("timezone"))?;
    let dates = EventDates { first: Day { date, zone }, last };
    Ok(json!([id.simple().to_string(), dates.starts_at().as_second(), dates.ends_at().as_second()]))
}
