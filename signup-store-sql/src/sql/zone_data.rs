//! Sort keys follow the zone data.
//!
//! `starts_at` and `ends_at` of an event are derived from its dates and zone, and stored only to sort and to count by.
//! The database records the release of the zone data that they were derived with. A process that serves and has another
//! release derives them again when it opens the database. A management command leaves them alone: it may be of another
//! version than the servers beside it.

use signup_core::zone::zone_data_version;
use signup_core::{Day, EventDate, EventDates, StoreError, TimeError, Zone};
use uuid::Uuid;

use super::rows::{GIVEN, Rows, Statement};
use super::{Dialect, Sql, values};

/// How many events are derived at a time: a bound on memory.
const BATCH: usize = 1000;

/// What opening a database does with sort keys that another release of the zone data made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SortKeys {
    Derive,
    Keep,
}

/// A transaction that is under way.
pub(crate) trait Session {
    fn dialect(&self) -> Dialect;

    /// Runs a statement; each row has `N` texts. `what` is being done.
    async fn rows<const N: usize>(
        &mut self,
        what: &'static str,
        sql: Sql,
    ) -> Result<Vec<[String; N]>, StoreError>;
}

const WHAT: &str = "deriving sort keys";

/// Derives all sort keys again if another release of the zone data made them and `keys` says so. The caller's transaction
/// keeps readers from seeing keys of two releases.
pub(crate) async fn follow(session: &mut impl Session, keys: SortKeys) -> Result<(), StoreError> {
    if keys == SortKeys::Keep {
        return Ok(());
    }
    let dialect = session.dialect();
    let stored = Sql::of(dialect, "SELECT value FROM meta WHERE name = 'zone_data'", vec![]);
    let stored: Vec<[String; 1]> = session.rows(WHAT, stored).await?;
    if stored.first().is_some_and(|[version]| version == zone_data_version()) {
        return Ok(());
    }
    let text = format!(
        "SELECT {}, CAST(start_date AS TEXT), COALESCE(CAST(end_date AS TEXT), ''), timezone FROM events \
         WHERE id > $1 ORDER BY id LIMIT {BATCH}",
        dialect.id_text("id"),
    );
    let mut after = Uuid::nil();
    loop {
        let events = session.rows(WHAT, Sql::of(dialect, &text, values![after])).await?;
        let keys = events.iter().map(sort_keys).collect::<Result<Vec<_>, _>>()?;
        let Some((last, _)) = keys.last() else { break };
        after = *last;
        let updated: Vec<[String; 1]> = session.rows(WHAT, update(dialect, &keys)).await?;
        tracing::info!(events = updated.len(), "sort keys follow the zone data");
    }
    let record = "INSERT INTO meta (name, value) VALUES ('zone_data', $1) \
         ON CONFLICT (name) DO UPDATE SET value = excluded.value RETURNING name";
    let record = Sql::of(dialect, record, values![zone_data_version()]);
    let _recorded: Vec<[String; 1]> = session.rows(WHAT, record).await?;
    Ok(())
}

/// Start and end of events, by id.
type Keys = (Uuid, (i64, i64));

/// Returns a row for each event whose keys change.
fn update(dialect: Dialect, keys: &[Keys]) -> Sql {
    let mut rows = Rows::default();
    for (id, (start, end)) in keys {
        rows.push(0, [("id", (*id).into()), ("starts_at", (*start).into()), ("ends_at", (*end).into())]);
    }
    let text = format!(
        "UPDATE events SET starts_at = given.starts_at, ends_at = given.ends_at FROM {GIVEN} \
         WHERE events.id = given.id \
         AND (events.starts_at <> given.starts_at OR events.ends_at <> given.ends_at) RETURNING timezone"
    );
    let mut sql = Sql::new(dialect);
    Statement::run(text).append(&mut sql, rows, None);
    sql
}

fn sort_keys([id, first, last, zone]: &[String; 4]) -> Result<Keys, StoreError> {
    let corrupt =
        |column: &'static str| move |error: TimeError| StoreError::corrupt("events", column, id, error);
    let date = first.parse().map_err(corrupt("start_date"))?;
    let last = Some(last.as_str()).filter(|last| !last.is_empty());
    let last: Option<EventDate> = last.map(str::parse).transpose().map_err(corrupt("end_date"))?;
    let zone: Zone = zone.parse().map_err(corrupt("timezone"))?;
    let dates = EventDates { first: Day::new(date, zone), last };
    let id = Uuid::try_parse(id).map_err(|error| StoreError::corrupt("events", "id", id, error))?;
    Ok((id, (dates.starts_at().as_second(), dates.ends_at().as_second())))
}
