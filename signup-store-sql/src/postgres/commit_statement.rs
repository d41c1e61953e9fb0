//! Change sets as one statement, which checks and writes all of them. A change set in which a write depends on an earlier
//! write is several statements.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use signup_core::StoreError;

use super::lock::{self, Lock};
use crate::sql::change::{Batch, Prepared};
use crate::sql::commit::BROKEN;
use crate::sql::given_rows::GivenRows;
use crate::sql::require::Check;
use crate::sql::write::Writes;
use crate::sql::{Dialect, Statement};

/// Separates the checks.
const UNION_ALL: &str = "\nUNION ALL ";
/// Holds for the rows of change sets that no check found broken.
const NOT_BROKEN: &str = "change <> ALL (ARRAY(SELECT change FROM broken))";

/// Returns the statements that commit change sets in one transaction. The change sets do not conflict with each other.
///
/// The rows of the result are those of [`BROKEN`]. A change set that has no row is committed. There are several statements
/// if a write depends on an earlier write of its change set, because the parts of one statement do not see each other. The
/// group then has one change set. Only the first statement has checks, and the transaction stops at the first statement
/// that returns rows.
///
/// With `lock_timeout` the statement fails if a lock takes longer.
pub(super) fn statements<'p>(
    changes: impl IntoIterator<Item = &'p mut Prepared>,
    lock_timeout: Option<Duration>,
) -> Result<Vec<Statement>, StoreError> {
    let mut locks = BTreeSet::new();
    let changes = changes.into_iter().inspect(|change| locks.extend(Lock::all(&change.set)));
    let Batch { mut checks, layers } = Batch::of(changes)?;
    let statements = layers.into_iter().map(|writes| {
        statement(std::mem::take(&mut checks), writes, &std::mem::take(&mut locks), lock_timeout)
    });
    Ok(statements.collect())
}

fn statement(
    checks: BTreeMap<Check, GivenRows>,
    writes: Writes,
    locks: &BTreeSet<Lock>,
    lock_timeout: Option<Duration>,
) -> Statement {
    let mut sql = Statement::new(Dialect::Postgres);
    let is_checked = !locks.is_empty() || !checks.is_empty();
    let mut separator = "WITH ";
    if is_checked {
        sql.push("WITH broken AS MATERIALIZED (SELECT change, number, fact, is_final FROM (");
        // The parts of a UNION ALL run in their order, so the locks come first.
        let mut separator_of_checks = "";
        if !locks.is_empty() {
            lock::acquire(&mut sql, locks, lock_timeout);
            separator_of_checks = UNION_ALL;
        }
        for (check, rows) in checks {
            sql.push(separator_of_checks);
            check.template(rows.columns(), Dialect::Postgres).append(&mut sql, rows, None);
            separator_of_checks = UNION_ALL;
        }
        sql.push(") checks)");
        separator = ",\n";
    }
    let condition = is_checked.then_some(NOT_BROKEN);
    for (number, (effect, rows)) in writes.into_iter().enumerate() {
        sql.push(&format!("{separator}write{number} AS ("));
        effect.template(rows.columns()).append(&mut sql, rows, condition);
        sql.push(")");
        separator = ",\n";
    }
    sql.push("\n");
    if is_checked {
        sql.push(BROKEN);
        sql.push("broken");
    } else {
        sql.push("SELECT '', '', '', '' WHERE FALSE");
    }
    sql
}
