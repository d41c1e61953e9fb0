//! The writes of a change set, as statements.
//!
//! Neighbouring writes of one kind are one statement with a row for each. A statement has a record once, so the writes take effect
//! in their order.
//!
//! **Invariant:** a stored total, which is the column `filled` or `waitlisted` of a shift, is changed only by [`add_to_totals`]. A
//! record that is put leaves it alone, so the additions can come last.

use std::collections::{BTreeMap, HashSet};

use signup_core::{Kind, OrganizationId, Record, RecordKey, ShiftId, StoreError, Total, Write};

use super::{Dialect, MAX_VALUES, NamedValue, Statement, Value, same_as_given};
use crate::records::{key_values, table};

/// What is added to the totals of each shift: to one column for all shifts, and then to the other.
type Added = BTreeMap<(&'static str, OrganizationId, ShiftId), i64>;

/// Writes that are one statement.
struct Run {
    effect: Effect,
    rows: Vec<Vec<Value>>,
    keys: HashSet<RecordKey>,
}

/// What the writes of a run do to records of a kind.
#[derive(PartialEq)]
enum Effect {
    /// Inserts rows with these columns.
    Insert(Kind, Vec<&'static str>),
    /// Changes these columns, which follow those of the key in a row.
    Update(Kind, Vec<&'static str>),
    /// Removes the rows with these keys. Foreign keys remove the children.
    Remove(Kind),
}

/// Returns the statements that make the writes.
pub(crate) fn statements(dialect: Dialect, writes: &[Write]) -> Result<Vec<Statement>, StoreError> {
    let mut runs: Vec<Run> = vec![];
    let mut added = Added::new();
    for write in writes {
        for (total, change) in write.totals() {
            let (column, organization, shift) = match total {
                Total::Filled(organization, shift) => ("filled", organization, shift),
                Total::Waiting(organization, shift) => ("waitlisted", organization, shift),
                _ => continue,
            };
            *added.entry((column, organization, shift)).or_default() += change;
        }
        let Some((effect, key, row)) = effect(write)? else { continue };
        match runs.last_mut() {
            Some(run)
                if run.effect == effect
                    && (run.rows.len() + 1) * row.len() <= MAX_VALUES
                    && !run.keys.contains(&key) =>
            {
                run.rows.push(row);
                run.keys.insert(key);
            }
            _ => runs.push(Run { effect, rows: vec![row], keys: HashSet::from([key]) }),
        }
    }
    let runs = runs.into_iter().flat_map(|run| run.statements(dialect));
    Ok(runs.chain(add_to_totals(dialect, added)).collect())
}

/// Returns what a write does, the key of its record, and its row. `None` if the write changes nothing.
fn effect(write: &Write) -> Result<Option<(Effect, RecordKey, Vec<Value>)>, StoreError> {
    Ok(Some(match write {
        Write::Put { before: None, after } => {
            let (columns, row) = table(after.kind()).values(after)?.into_iter().unzip();
            (Effect::Insert(after.kind(), columns), after.entity().key(), row)
        }
        Write::Put { before: Some(before), after } => {
            let (columns, mut row): (Vec<_>, Vec<_>) = changed(before, after)?.into_iter().unzip();
            if columns.is_empty() {
                return Ok(None);
            }
            let key = after.entity().key();
            row.splice(0..0, key_values(&key));
            (Effect::Update(after.kind(), columns), key, row)
        }
        Write::Remove(record) => {
            let key = record.entity().key();
            let row = key_values(&key);
            (Effect::Remove(record.kind()), key, row)
        }
    }))
}

/// Returns the columns that differ. The databases then check the constraints of these only, and write only their indexes.
fn changed(before: &Record, after: &Record) -> Result<Vec<NamedValue>, StoreError> {
    let table = table(after.kind());
    let columns = table.values(before)?.into_iter().zip(table.values(after)?);
    Ok(columns.filter(|(before, after)| before != after).map(|(_, after)| after).collect())
}

impl Run {
    fn statements(self, dialect: Dialect) -> Vec<Statement> {
        match &self.effect {
            Effect::Insert(kind, columns) => {
                let table = table(*kind);
                let mut sql = Statement::new(dialect);
                sql.push(&format!("INSERT INTO {} ({}) ", table.name(), columns.join(", ")));
                sql.push_values(self.rows);
                // An expired row may still have the key of a new receipt, until a purge removes the row. A row that has not expired
                // cannot: the change set requires that the key is absent, and locks it from the check to this statement.
                if *kind == Kind::Receipt {
                    let others = columns.iter().filter(|column| !table.key().contains(column));
                    let others = others.map(|column| format!("{column} = excluded.{column}"));
                    let (key, others) = (table.key().join(", "), others.collect::<Vec<_>>().join(", "));
                    sql.push(&format!(" ON CONFLICT ({key}) DO UPDATE SET {others}"));
                }
                vec![sql]
            }
            Effect::Update(kind, columns) => {
                let table = table(*kind);
                let changes = columns.iter().map(|column| format!("{column} = given.{column}"));
                let changes = changes.collect::<Vec<_>>().join(", ");
                let given = [table.key(), columns].concat();
                vec![update(dialect, table.name(), table.key(), &changes, &given, self.rows)]
            }
            Effect::Remove(kind) => {
                let table = table(*kind);
                vec![delete(dialect, table.name(), table.key(), self.rows)]
            }
        }
    }
}

/// Adds to the totals of shifts: one statement for each column that changes.
fn add_to_totals(dialect: Dialect, added: Added) -> Vec<Statement> {
    let mut rows: BTreeMap<&'static str, Vec<Vec<Value>>> = BTreeMap::new();
    for ((column, organization, shift), change) in added.into_iter().filter(|(_, change)| *change != 0) {
        let row = vec![organization.uuid().into(), shift.uuid().into(), change.into()];
        rows.entry(column).or_default().push(row);
    }
    let (key, given) = (["organization_id", "id"], ["organization_id", "id", "change"]);
    let add = |(column, rows)| {
        let change = format!("{column} = {column} + given.change");
        update(dialect, "shifts", &key, &change, &given, rows)
    };
    rows.into_iter().map(add).collect()
}

/// Returns the statement that changes the rows with the keys of `given`.
fn update(
    dialect: Dialect,
    table: &str,
    key: &[&str],
    changes: &str,
    given: &[&str],
    rows: Vec<Vec<Value>>,
) -> Statement {
    let mut sql = Statement::new(dialect);
    sql.push_given(given, rows);
    sql.push(&format!("UPDATE {table} SET {changes} FROM given WHERE {}", same_as_given(table, key)));
    sql
}

fn delete(dialect: Dialect, table: &str, key: &[&str], rows: Vec<Vec<Value>>) -> Statement {
    let mut sql = Statement::new(dialect);
    sql.push(&format!("DELETE FROM {table} WHERE ({}) IN (", key.join(", ")));
    sql.push_values(rows);
    sql.push(")");
    sql
}
