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

/// A change set with what its caller can prepare, so that the worker that gathers a batch has less to do.
pub(super) struct Prepared {
    pub(super) set: ChangeSet,
    locks: BTreeSet<Lock>,
    /// The rows of each [layer](layers) of the writes. The first attempt uses them up.
    layers: Vec<Changes>,
}

impl Prepared {
    pub(super) fn new(set: ChangeSet) -> Result<Self, StoreError> {
        Ok(Self { locks: Lock::all(&set), layers: rows(&set)?, set })
    }

    /// Whether the change set fits into one statement with others.
    pub(super) const fn is_one_statement(&self) -> bool {
        self.layers.len() <= 1
    }

    fn take_layers(&mut self) -> Result<Vec<Changes>, StoreError> {
        if self.layers.is_empty() { rows(&self.set) } else { Ok(std::mem::take(&mut self.layers)) }
    }
}

fn rows(set: &ChangeSet) -> Result<Vec<Changes>, StoreError> {
    let rows = |writes| {
        let mut rows = Changes::default();
        rows.add_writes(0, writes)?;
        Ok(rows)
    };
    layers(&set.writes).into_iter().map(rows).collect()
}

/// Returns the statement that commits change sets which do not conflict with each other.
///
/// The rows of the result are the requirements that do not hold, as texts: the number of the change set, the number of the
/// requirement, the fact that was found, and whether the refusal is final. A change set that has no row is committed.
///
/// With `lock_timeout` the statement fails if a lock takes longer.
pub(super) fn together<'p>(
    changes: impl IntoIterator<Item = &'p mut Prepared>,
    lock_timeout: Option<Duration>,
) -> Result<Sql, StoreError> {
    let (mut all, mut locks) = (Changes::default(), BTreeSet::new());
    for (number, change) in (0..).zip(changes) {
        all.add_checks(number, &change.set);
        for layer in change.take_layers()? {
            all.append(number, &change.set, layer);
        }
        locks.extend(change.locks.iter().cloned());
    }
    Ok(statement(all, &locks, lock_timeout))
}

/// Returns the statements that commit one change set, in one transaction. Their rows are those of [`together`].
///
/// There are several if a write depends on an earlier write of the change set, which the parts of one statement do not
/// see. Then a statement that returns rows must be the last one.
pub(super) fn alone(change: &mut Prepared, lock_timeout: Option<Duration>) -> Result<Vec<Sql>, StoreError> {
    let mut statements = vec![];
    for (place, mut layer) in change.take_layers()?.into_iter().enumerate() {
        let locks = if place == 0 { &change.locks } else { &BTreeSet::new() };
        if place == 0 {
            layer.add_checks(0, &change.set);
        }
        statements.push(statement(layer, locks, lock_timeout));
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
