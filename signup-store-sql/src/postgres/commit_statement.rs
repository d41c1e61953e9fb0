//! Change sets as one statement, which checks and writes all of them.

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
            check.template(Dialect::Postgres).append(&mut sql, rows, None);
            separator_of_checks = UNION_ALL;
        }
        sql.push(") checks (change, number, fact, is_final))");
        separator = ",\n";
    }
    let condition = is_checked.then_some(NOT_BROKEN);
    let mut number = 0;
    for (effect, mut rows) in writes {
        let mut templates = effect.templates(Dialect::Postgres, rows.columns()).into_iter().peekable();
        while let Some(template) = templates.next() {
            number += 1;
            let name = template.name.map_or_else(|| format!("write{number}"), str::to_owned);
            sql.push(&format!("{separator}{name} AS ("));
            let its_rows = if templates.peek().is_some() { rows.clone() } else { std::mem::take(&mut rows) };
            template.append(&mut sql, its_rows, condition);
            sql.push(")");
            separator = ",\n";
        }
    }
    sql.push("\n");
    sql.push(if is_checked { BROKEN } else { "SELECT '', '', '', '' WHERE FALSE" });
    sql
}
