//! Batches as scripts for SQLite: several statements in one text, which runs in one call.
//!
//! A call hands the script to the thread of the connection and waits for the result. That costs about as much as a small
//! change set. So a batch is two calls, whatever its change sets check and write: the first begins the transaction and
//! returns the requirements that do not hold, the second writes the other change sets and commits.

use std::collections::BTreeMap;

use signup_core::StoreError;
use sqlx::sqlite::SqliteConnection;

use crate::sql::change::{Batch, Prepared};
use crate::sql::commit::{BROKEN, Verdict, verdicts};
use crate::sql::observe::count_round_trips;
use crate::sql::runner::StatementRunner as _;
use crate::sql::{Dialect, Statement};

const WHAT: &str = "committing a batch";

/// Commits change sets that do not conflict with each other. After an error the transaction may be open.
pub(super) async fn commit(
    connection: &mut SqliteConnection,
    changes: &mut [&mut Prepared],
) -> Result<Vec<Verdict>, StoreError> {
    let mut batch = Batch::of(changes.iter_mut().map(|change| &mut **change))?;
    count_round_trips("commit", 2);
    let begin = Statement::of(Dialect::Sqlite, "BEGIN IMMEDIATE;\n", vec![]);
    let broken = connection.rows(WHAT, checks(&mut batch, begin)).await?;
    let verdicts = verdicts(changes.iter().map(|change| &**change), broken)?;
    let is_held = |change: i64| {
        let verdict = usize::try_from(change).ok().and_then(|change| verdicts.get(change));
        matches!(verdict, Some(Verdict::Committed(())))
    };
    for rows in batch.layers.iter_mut().flat_map(BTreeMap::values_mut) {
        rows.retain(is_held);
    }
    let _none: Vec<[String; 0]> = connection.rows(WHAT, writes(batch)).await?;
    Ok(verdicts)
}

/// Checks the requirements of one change set, outside of a transaction.
pub(super) async fn check(
    connection: &mut SqliteConnection,
    change: &mut Prepared,
) -> Result<Verdict, StoreError> {
    let mut batch = Batch::of([&mut *change])?;
    let broken = connection.rows(WHAT, checks(&mut batch, Statement::new(Dialect::Sqlite))).await?;
    let verdict = verdicts([&*change], broken)?.pop();
    verdict.ok_or_else(|| StoreError::failed(WHAT, "a change set has no verdict"))
}

/// Takes the checks out of a batch, and appends them to `script`.
fn checks(batch: &mut Batch, mut script: Statement) -> Statement {
    let checks = std::mem::take(&mut batch.checks);
    if checks.is_empty() {
        return script;
    }
    // The checks are a subquery. SQLite would copy a common table expression where it is used, and the checks can be thousands
    // of expressions.
    script.push(BROKEN);
    let mut separator = "(";
    for (check, rows) in checks {
        script.push(separator);
        check.template(rows.columns(), Dialect::Sqlite).append(&mut script, rows, None);
        separator = "\nUNION ALL ";
    }
    script.push(")");
    script
}

fn writes(batch: Batch) -> Statement {
    let mut script = Statement::new(Dialect::Sqlite);
    for (effect, rows) in batch.layers.into_iter().flatten().filter(|(_, rows)| rows.values() > 0) {
        effect.template(rows.columns()).append(&mut script, rows, None);
        script.push(";\n");
    }
    script.push("COMMIT");
    script
}
