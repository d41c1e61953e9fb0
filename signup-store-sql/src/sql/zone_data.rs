//! The stored sort keys of events and shifts, and the time zone data that determines them.
//!
//! `starts_at` and `ends_at` of an event are derived from its dates and zone, and stored for sorting and counting. `ends_at` of
//! a shift is derived from its hours and the first day of the event, and stored so that events can be selected by their open
//! shifts. The database records the release of the zone data that the keys were derived with. A process that serves derives
//! them again if it has another release. A management command leaves them as they are, because it may be of another version
//! than the servers beside it.

use signup_core::{EventDates, EventId, OrganizationId, ShiftId, StoreError, zone_data_version};
use uuid::Uuid;

use super::column::SelectedColumn;
use super::row::{self, Row};
use super::runner::StatementRunner;
use super::table::RecordTable;
use super::{Dialect, NamedValue, Statement, Value, same_as_given, unnamed, values};
use crate::records::{event, shift};

/// The number of records that one statement reads or updates. This bounds the memory.
const BATCH: usize = 1000;

/// Whether opening a database derives sort keys again that another release of the zone data made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SortKeys {
    Derive,
    Keep,
}

const WHAT: &str = "deriving sort keys";

/// Derives all sort keys again if another release of the zone data made them, unless `keys` is [`SortKeys::Keep`]. The
/// transaction of the caller prevents that a reader sees keys of two releases.
pub(crate) async fn update_sort_keys<R: StatementRunner>(
    runner: &mut R,
    keys: SortKeys,
) -> Result<(), StoreError> {
    if keys == SortKeys::Keep {
        return Ok(());
    }
    let stored = Statement::of(R::DIALECT, "SELECT value FROM meta WHERE name = 'zone_data'", vec![]);
    let stored: Vec<[String; 1]> = runner.rows(WHAT, stored).await?;
    if stored.first().is_some_and(|[version]| version == zone_data_version()) {
        return Ok(());
    }
    for derivation in [of_events(), of_shifts()] {
        update(runner, &derivation).await?;
    }
    let record = "INSERT INTO meta (name, value) VALUES ('zone_data', $1) \
         ON CONFLICT (name) DO UPDATE SET value = excluded.value RETURNING name";
    let record = Statement::of(R::DIALECT, record, values![zone_data_version()]);
    let _recorded: Vec<[String; 1]> = runner.rows(WHAT, record).await?;
    Ok(())
}

/// How the sort keys of a kind of record are derived.
struct Derivation {
    table: &'static dyn RecordTable,
    /// What the keys are derived from.
    columns: Vec<SelectedColumn>,
    from: &'static str,
    /// Returns the key of the record, what was read, and the derived sort keys.
    derive: fn(Row<'_>) -> Result<Vec<NamedValue>, StoreError>,
    /// The condition that a row `t` has other sort keys, and otherwise what was read. On PostgreSQL another server may change the
    /// record meanwhile. That server stores the keys of what it writes.
    is_outdated: &'static str,
    changes: &'static str,
}

fn of_events() -> Derivation {
    let derive = |row: Row<'_>| {
        let mut columns = row.of(&event::TABLE);
        let organization = columns.id("organization_id", OrganizationId::new)?;
        let id = columns.id("id", EventId::new)?;
        let first = columns.day("start_date", "timezone")?;
        let dates = EventDates { first, last: columns.optional("end_date")? };
        Ok(vec![
            ("organization_id", organization.uuid().into()),
            ("id", id.uuid().into()),
            ("start_date", Value::Date(Some(dates.first.date().to_string()))),
            ("end_date", Value::Date(dates.last.map(|last| last.to_string()))),
            ("timezone", columns.text("timezone")?.into()),
            ("starts_at", dates.starts_at().into()),
            ("ends_at", dates.ends_at().into()),
        ])
    };
    Derivation {
        table: &event::TABLE,
        columns: event::TABLE.columns_named(&["id", "organization_id", "start_date", "timezone", "end_date"]),
        from: "events e",
        derive,
        is_outdated: "t.start_date = given.start_date AND t.end_date IS NOT DISTINCT FROM given.end_date \
             AND t.timezone = given.timezone AND (t.starts_at <> given.starts_at OR t.ends_at <> given.ends_at)",
        changes: "starts_at = outdated.starts_at, ends_at = outdated.ends_at",
    }
}

fn of_shifts() -> Derivation {
    let derive = |row: Row<'_>| {
        let mut columns = row.of(&shift::TABLE);
        let id = columns.id("id", ShiftId::new)?;
        let organization = columns.id("organization_id", OrganizationId::new)?;
        let (hours, version) = (shift::hours(&mut columns)?, columns.number::<u32>("version")?);
        let first_day = row.of(&event::TABLE).day("start_date", "timezone")?;
        Ok(vec![
            ("organization_id", organization.uuid().into()),
            ("id", id.uuid().into()),
            ("version", version.into()),
            ("ends_at", first_day.interval(hours).end.into()),
        ])
    };
    let of_shift = ["id", "organization_id", "version", "day", "start_minute", "end_minute", "ends_next_day"];
    let of_event = ["id", "start_date", "timezone"];
    Derivation {
        table: &shift::TABLE,
        columns: [shift::TABLE.columns_named(&of_shift), event::TABLE.columns_named(&of_event)].concat(),
        from: "shifts s JOIN events e ON e.organization_id = s.organization_id AND e.id = s.event_id",
        derive,
        is_outdated: "t.version = given.version AND t.ends_at <> given.ends_at",
        changes: "ends_at = outdated.ends_at",
    }
}

async fn update<R: StatementRunner>(runner: &mut R, derivation: &Derivation) -> Result<(), StoreError> {
    let Derivation { table, columns, from, derive, .. } = derivation;
    let (record, alias) = (R::DIALECT.record(columns), table.alias());
    let text = format!(
        "SELECT {record} FROM {from} WHERE ({alias}.organization_id, {alias}.id) > ($1, $2) \
         ORDER BY {alias}.organization_id, {alias}.id LIMIT {BATCH}"
    );
    let mut after = values![Uuid::nil(), Uuid::nil()];
    loop {
        let found: Vec<[String; 1]> = runner.rows(WHAT, Statement::of(R::DIALECT, &text, after)).await?;
        let derived = found.iter().map(|[json]| row::one(json, columns, derive));
        let derived = derived.collect::<Result<Vec<_>, _>>()?;
        let Some([(_, organization), (_, id), ..]) = derived.last().map(Vec::as_slice) else { return Ok(()) };
        after = vec![organization.clone(), id.clone()];
        let updated: Vec<[String; 1]> =
            runner.rows(WHAT, update_statement(R::DIALECT, derivation, derived)).await?;
        let (table, number) = (table.name(), updated.len());
        tracing::info!(table, number, "sort keys were derived again from the zone data");
    }
}

/// Returns a statement that updates the sort keys of records. Its result has a row for each record that it updates.
///
/// On PostgreSQL it locks the rows in the order of their keys, as commits of other servers do.
fn update_statement(dialect: Dialect, derivation: &Derivation, derived: Vec<Vec<NamedValue>>) -> Statement {
    let Derivation { table, is_outdated, changes, .. } = derivation;
    let (columns, rows) = unnamed(derived);
    let (name, lock) =
        (table.name(), if dialect == Dialect::Postgres { "FOR NO KEY UPDATE OF t" } else { "" });
    let mut sql = Statement::new(dialect);
    sql.push_given(&columns, rows);
    sql.push(&format!(
        ", outdated AS (SELECT given.* FROM given JOIN {name} t ON {} WHERE {is_outdated} \
         ORDER BY t.organization_id, t.id {lock}) UPDATE {name} SET {changes} FROM outdated \
         WHERE {name}.organization_id = outdated.organization_id AND {name}.id = outdated.id RETURNING CAST(1 AS TEXT)",
        same_as_given('t', table.key())
    ));
    sql
}
