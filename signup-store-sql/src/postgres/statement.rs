//! Change sets as one statement, which checks and writes all of them.

use std::collections::BTreeSet;
use std::time::Duration;

use signup_core::{ChangeSet, StoreError};

use super::lock::{self, Lock};
use crate::sql::change::{Changes, layers};
use crate::sql::{Dialect, Sql};

/// Separates the checks.
const UNION_ALL: &str = "\nUNION ALL ";
/// Holds for the rows of change sets that no check found broken.
const NOT_BROKEN: &str = "change <> ALL (ARRAY(SELECT change FROM broken))";

/// Returns the statement that commits change sets which do not conflict with each other.
///
/// The rows of the result are the requirements that do not hold, as texts: the number of the change set, the number of the
/// requirement, the fact that was found, and whether the refusal is final. A change set that has no row is committed.
///
/// With `lock_timeout` the statement fails if a lock takes longer.
pub(super) fn together(changes: &[&ChangeSet], lock_timeout: Option<Duration>) -> Result<Sql, StoreError> {
    let mut rows = Changes::default();
    for (number, change) in (0..).zip(changes) {
        rows.add(number, change)?;
    }
    Ok(statement(rows, &Lock::all(changes.iter().copied()), lock_timeout))
}

/// Returns the statements that commit one change set, in one transaction. Their rows are those of [`together`].
///
/// There are several if a write depends on an earlier write of the change set, which the parts of one statement do not
/// see. Then a statement that returns rows must be the last one.
pub(super) fn alone(change: &ChangeSet, lock_timeout: Option<Duration>) -> Result<Vec<Sql>, StoreError> {
    let mut locks = Lock::all([change]);
    let mut statements = vec![];
    for (place, writes) in layers(&change.writes).into_iter().enumerate() {
        let mut rows = Changes::default();
        if place == 0 {
            rows.add_checks(0, change);
        }
        rows.add_writes(0, writes)?;
        statements.push(statement(rows, &std::mem::take(&mut locks), lock_timeout));
    }
    Ok(statements)
}

fn statement(changes: Changes, locks: &BTreeSet<Lock>, lock_timeout: Option<Duration>) -> Sql {
    let mut sql = Sql::new(Dialect::Postgres);
    let is_checked = !locks.is_empty() || !changes.checks.is_empty();
    let mut separator = "WITH ";
    if is_checked {
        sql.push("WITH broken AS MATERIALIZED (SELECT change, number, fact, is_final FROM (");
        // The parts of a UNION ALL run in their order, so the locks come first.
        let mut separator_of_checks = "";
        if !locks.is_empty() {
            lock::acquire(&mut sql, locks, lock_timeout);
            separator_of_checks = UNION_ALL;
        }
        for (check, rows) in changes.checks {
            sql.push(separator_of_checks);
            check.statement(Dialect::Postgres).append(&mut sql, rows, None);
            separator_of_checks = UNION_ALL;
        }
        sql.push(") checks (change, number, fact, is_final))");
        separator = ",\n";
    }
    let condition = is_checked.then_some(NOT_BROKEN);
    let mut number = 0;
    for (effect, mut rows) in changes.writes {
        let mut statements = effect.statements(Dialect::Postgres, rows.columns()).into_iter().peekable();
        while let Some(part) = statements.next() {
            number += 1;
            let name = part.name.map_or_else(|| format!("write{number}"), str::to_owned);
            sql.push(&format!("{separator}{name} AS ("));
            let its_rows = if statements.peek().is_some() { rows.clone() } else { std::mem::take(&mut rows) };
            part.append(&mut sql, its_rows, condition);
            sql.push(")");
            separator = ",\n";
        }
    }
    sql.push(if is_checked {
        "\nSELECT CAST(change AS TEXT), CAST(number AS TEXT), fact, CAST(is_final AS TEXT) FROM broken"
    } else {
        "\nSELECT '', '', '', '' WHERE FALSE"
    });
    sql
}
