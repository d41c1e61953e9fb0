//! The stored sort keys of events and shifts, and the time zone data that determines them.
//!
//! `starts_at` and `ends_at` of an event are derived from its dates and zone, and stored for sorting and counting. `ends_at` of
//! a shift is derived from its hours and the first day of the event, and stored so that events can be selected by their open
//! shifts. The database records the release of the zone data that the keys were derived with. A process that serves derives
//! them again if it has another release. A management command leaves them as they are, because it may be of another version
//! than the servers beside it.

use std::fmt::Display;
use std::str::FromStr;

use signup_core::{Day, EventDate, EventDates, Hours, StoreError, TimeError, Zone, zone_data_version};
use uuid::Uuid;

use super::runner::StatementRunner;
use super::{Dialect, Statement, Value, values};

/// The number of events that one statement reads or updates. This bounds the memory.
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
    update_events(runner).await?;
    update_shifts(runner).await?;
    let record = "INSERT INTO meta (name, value) VALUES ('zone_data', $1) \
         ON CONFLICT (name) DO UPDATE SET value = excluded.value RETURNING name";
    let record = Statement::of(R::DIALECT, record, values![zone_data_version()]);
    let _recorded: Vec<[String; 1]> = runner.rows(WHAT, record).await?;
    Ok(())
}

async fn update_events<R: StatementRunner>(runner: &mut R) -> Result<(), StoreError> {
    let text = format!(
        "SELECT {}, CAST(start_date AS TEXT), COALESCE(CAST(end_date AS TEXT), ''), timezone FROM events \
         WHERE id > $1 ORDER BY id LIMIT {BATCH}",
        R::DIALECT.id_text("id"),
    );
    let mut after = Uuid::nil();
    loop {
        let events = runner.rows(WHAT, Statement::of(R::DIALECT, &text, values![after])).await?;
        let keys = events.iter().map(sort_keys).collect::<Result<Vec<_>, _>>()?;
        let Some(last) = keys.last() else { return Ok(()) };
        after = last.id;
        let updated: Vec<[String; 1]> = runner.rows(WHAT, update(R::DIALECT, &keys)).await?;
        tracing::info!(events = updated.len(), "sort keys were derived again from the zone data");
    }
}

async fn update_shifts<R: StatementRunner>(runner: &mut R) -> Result<(), StoreError> {
    let text = format!(
        "SELECT {}, {}, CAST(s.version AS TEXT), CAST(s.day AS TEXT), CAST(s.start_minute AS TEXT), \
         CAST(s.end_minute AS TEXT), CASE WHEN s.ends_next_day THEN 'true' ELSE 'false' END, \
         {}, CAST(e.start_date AS TEXT), e.timezone \
         FROM shifts s JOIN events e ON e.organization_id = s.organization_id AND e.id = s.event_id \
         WHERE (s.organization_id, s.id) > ($1, $2) ORDER BY s.organization_id, s.id LIMIT {BATCH}",
        R::DIALECT.id_text("s.organization_id"),
        R::DIALECT.id_text("s.id"),
        R::DIALECT.id_text("e.id"),
    );
    let mut after = (Uuid::nil(), Uuid::nil());
    loop {
        let shifts = runner.rows(WHAT, Statement::of(R::DIALECT, &text, values![after.0, after.1])).await?;
        let ends = shifts.iter().map(shift_end).collect::<Result<Vec<_>, _>>()?;
        let Some(last) = ends.last() else { return Ok(()) };
        after = (last.organization, last.id);
        let updated: Vec<[String; 1]> = runner.rows(WHAT, update_ends(R::DIALECT, &ends)).await?;
        tracing::info!(shifts = updated.len(), "ends of shifts were derived again from the zone data");
    }
}

/// The end of a shift, and the version of the shift that it was derived for.
struct ShiftEnd {
    organization: Uuid,
    id: Uuid,
    version: i64,
    /// In Unix seconds.
    ends_at: i64,
}

/// Returns a statement that updates the ends of shifts. Its result has a row for each shift whose end changes.
///
/// On PostgreSQL another server may move a shift meanwhile. That raises the version of the shift and stores the new end, so the
/// statement skips the shift.
fn update_ends(dialect: Dialect, ends: &[ShiftEnd]) -> Statement {
    let rows = ends
        .iter()
        .map(|end| vec![end.organization.into(), end.id.into(), end.version.into(), end.ends_at.into()]);
    let mut sql = Statement::of(dialect, "UPDATE shifts SET ends_at = given.column4 FROM (", vec![]);
    sql.push_values(rows);
    sql.push(
        ") AS given WHERE shifts.organization_id = given.column1 AND shifts.id = given.column2 \
         AND shifts.version = given.column3 AND shifts.ends_at <> given.column4 RETURNING shifts.title",
    );
    sql
}

fn shift_end(
    [owner, id, version, number, start, end, ends_next_day, event, date, zone]: &[String; 10],
) -> Result<ShiftEnd, StoreError> {
    fn parse<T: FromStr<Err: Display>>(
        (table, id): (&'static str, &str),
        column: &'static str,
        text: &str,
    ) -> Result<T, StoreError> {
        text.parse().map_err(|error: T::Err| StoreError::corrupt(table, column, id, error.to_string()))
    }
    let (shift, event) = (("shifts", id.as_str()), ("events", event.as_str()));
    let hours = (
        parse(shift, "day", number)?,
        parse(shift, "start_minute", start)?,
        parse(shift, "end_minute", end)?,
        parse(shift, "ends_next_day", ends_next_day)?,
    );
    let hours =
        Hours::try_from(hours).map_err(|error| StoreError::corrupt("shifts", "end_minute", id, error))?;
    let day = Day::new(parse(event, "start_date", date)?, parse(event, "timezone", zone)?);
    Ok(ShiftEnd {
        organization: parse(shift, "organization_id", owner)?,
        id: parse(shift, "id", id)?,
        version: parse(shift, "version", version)?,
        ends_at: day.interval(hours).end.as_second(),
    })
}

/// The sort keys of an event, and the values that they were derived from.
struct Keys<'e> {
    id: Uuid,
    first: &'e str,
    last: Option<&'e str>,
    zone: &'e str,
    /// In Unix seconds, like `ends_at`.
    starts_at: i64,
    ends_at: i64,
}

/// Returns a statement that updates the keys of events. Its result has a row for each event whose keys change.
///
/// On PostgreSQL another server may change the dates of an event meanwhile. That server stores the keys of the new dates, so
/// the statement skips the event.
fn update(dialect: Dialect, keys: &[Keys<'_>]) -> Statement {
    let rows = keys.iter().map(|keys| {
        let (first, last) = (Some(keys.first.to_owned()), keys.last.map(str::to_owned));
        vec![
            keys.id.into(),
            Value::Date(first),
            Value::Date(last),
            keys.zone.into(),
            keys.starts_at.into(),
            keys.ends_at.into(),
        ]
    });
    let text = "UPDATE events SET starts_at = given.column5, ends_at = given.column6 FROM (";
    let mut sql = Statement::of(dialect, text, vec![]);
    sql.push_values(rows);
    sql.push(
        ") AS given WHERE events.id = given.column1 AND events.start_date = given.column2 \
         AND events.end_date IS NOT DISTINCT FROM given.column3 AND events.timezone = given.column4 \
         AND (events.starts_at <> given.column5 OR events.ends_at <> given.column6) RETURNING events.timezone",
    );
    sql
}

fn sort_keys([id, first, last, zone]: &[String; 4]) -> Result<Keys<'_>, StoreError> {
    let corrupt =
        |column: &'static str| move |error: TimeError| StoreError::corrupt("events", column, id, error);
    let date = first.parse().map_err(corrupt("start_date"))?;
    let last = Some(last.as_str()).filter(|last| !last.is_empty());
    let last_date: Option<EventDate> = last.map(str::parse).transpose().map_err(corrupt("end_date"))?;
    let parsed: Zone = zone.parse().map_err(corrupt("timezone"))?;
    let dates = EventDates { first: Day::new(date, parsed), last: last_date };
    let id = Uuid::try_parse(id).map_err(|error| StoreError::corrupt("events", "id", id, error))?;
    let (starts_at, ends_at) = (dates.starts_at().as_second(), dates.ends_at().as_second());
    Ok(Keys { id, first, last, zone, starts_at, ends_at })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The date and the zone of a shift are columns of its event.
    #[test]
    fn an_unreadable_column_is_located_in_the_record_that_has_it() {
        let [owner, shift, event] = [1, 2, 3].map(|number| Uuid::from_u128(number).to_string());
        let read = [&owner, &shift, "1", "2", "540", "720", "false", &event, "2027-06-05", "UTC"];
        let read = read.map(str::to_owned);
        assert!(shift_end(&read).is_ok());
        for (place, text, expected) in [
            (2, "x", format!("shifts.version of {shift}")),
            (3, "-1", format!("shifts.day of {shift}")),
            (4, "x", format!("shifts.start_minute of {shift}")),
            (5, "540", format!("shifts.end_minute of {shift}")),
            (8, "2027-02-30", format!("events.start_date of {event}")),
            (9, "Nowhere", format!("events.timezone of {event}")),
        ] {
            let mut read = read.clone();
            read[place] = text.to_owned();
            let error = shift_end(&read).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(&expected), "{expected}: {error}");
        }
    }
}
