//! Change sets as scripts for SQLite: several statements in one text, which runs in one call.
//!
//! A call hands the script to the thread of the connection and waits for the result. That costs about as much as a small
//! change set. So consecutive change sets with the same statements go into one script. If they are independent, too, each
//! statement of the script serves all of them.
//!
//! The first row that a script returns is a requirement that does not hold. The caller stops the script there.

use std::collections::HashMap;

use signup_core::store::{Access, Key, Keys};
use signup_core::{ChangeSet, CommitError, StoreError};
use sqlx::sqlite::SqliteConnection;

use super::error::store_error;
use super::query::first_row;
use crate::sql::change::{Changes, layers, shared_keys};
use crate::sql::observe::count_round_trips;
use crate::sql::require::Check;
use crate::sql::row::texts;
use crate::sql::write::Effect;
use crate::sql::{Dialect, Sql, require};

/// The most change sets in one script.
const MOST_CHANGES: usize = 8;
/// The most rows in a script of several change sets. This bounds the memory of a prepared script.
const MOST_ROWS: usize = 256;

/// A change set that waits for its commit.
#[derive(Debug)]
pub(super) struct Change {
    set: ChangeSet,
    /// The rows of each [layer](layers). The caller prepares them, and the first attempt uses them up.
    parts: Option<Vec<Changes>>,
    /// The kinds and numbers of the rows: equal for equal statements.
    shape: Vec<Shape>,
    /// The keys by which change sets can conflict.
    keys: Keys,
}

/// The number of rows of each check and of each write.
type Shape = (Vec<(Check, usize)>, Vec<(Effect, usize)>);

fn shape(changes: &Changes) -> Shape {
    let checks = changes.checks.iter().map(|(check, rows)| (*check, rows.len()));
    let writes = changes.writes.iter().map(|(effect, rows)| (*effect, rows.len()));
    (checks.collect(), writes.collect())
}

impl Change {
    pub(super) fn new(set: ChangeSet) -> Result<Self, StoreError> {
        let parts = parts(&set)?;
        let shape = parts.iter().map(shape).collect();
        Ok(Self { keys: shared_keys(&set), set, parts: Some(parts), shape })
    }

    fn take_parts(&mut self) -> Result<Vec<Changes>, StoreError> {
        self.parts.take().map_or_else(|| parts(&self.set), Ok)
    }

    fn rows(&self) -> usize {
        let rows = |(checks, writes): &Shape| {
            let checks: usize = checks.iter().map(|(_, rows)| rows).sum();
            checks + writes.iter().map(|(_, rows)| rows).sum::<usize>()
        };
        self.shape.iter().map(rows).sum()
    }
}

fn parts(set: &ChangeSet) -> Result<Vec<Changes>, StoreError> {
    let mut parts = vec![];
    for (place, writes) in layers(&set.writes).into_iter().enumerate() {
        let mut part = Changes::default();
        if place == 0 {
            part.add_checks(0, set);
        }
        part.add_writes(0, writes)?;
        parts.push(part);
    }
    Ok(parts)
}

/// Returns how many change sets, from the first, go into one script: at least one. They have the same statements. Their
/// number is a power of two, so that few texts are prepared.
///
/// A change set that was in a script before goes alone. A change set before it was refused, so the next may be, and each
/// refusal would repeat the rest of the script.
pub(super) fn next_script<'c>(changes: impl IntoIterator<Item = &'c Change>) -> usize {
    let mut changes = changes.into_iter().take_while(|change| change.parts.is_some());
    let Some(first) = changes.next() else { return 1 };
    let most = (MOST_ROWS / first.rows().max(1)).clamp(1, MOST_CHANGES);
    let same = 1 + changes.take(most - 1).take_while(|change| change.shape == first.shape).count();
    1 << same.ilog2()
}

/// Checks and writes change sets. Returns the outcomes up to and including the first refusal; what follows was not looked at.
pub(super) async fn apply(
    connection: &mut SqliteConnection,
    mut changes: Vec<&mut Change>,
) -> Result<Vec<Result<(), CommitError>>, StoreError> {
    let go_together = changes.len() > 1
        && changes[0].shape.len() == 1
        && are_independent(changes.iter().map(|change| &**change));
    if go_together {
        let script = together(&mut changes)?;
        if run(connection, script).await?.is_none() {
            return Ok(changes.iter().map(|_| Ok(())).collect());
        }
    }
    // One of them is refused, and nothing was written.
    let script = in_turn(&mut changes)?;
    let Some([number, requirement, fact]) = run(connection, script).await? else {
        return Ok(changes.iter().map(|_| Ok(())).collect());
    };
    let refused = number.parse::<usize>().ok().filter(|number| *number < changes.len());
    let (Some(refused), Ok(requirement)) = (refused, requirement.parse()) else {
        return Err(StoreError::failed(WHAT, "no such requirement"));
    };
    let refusal = require::refusal(&changes[refused].set.requires, requirement, &fact)?;
    let applied = (0..refused).map(|_| Ok(()));
    Ok(applied.chain([Err(CommitError::Refused(refusal))]).collect())
}

/// Whether no change set changes what another reads or changes. Then all checks can run before the first write.
fn are_independent<'c>(changes: impl IntoIterator<Item = &'c Change>) -> bool {
    let mut owners: HashMap<&Key, (usize, Access)> = HashMap::new();
    changes.into_iter().enumerate().all(|(owner, change)| {
        change.keys.iter().all(|(key, access)| {
            let (first, accessed) = *owners.entry(key).or_insert((owner, access));
            first == owner || (accessed, access) == (Access::Read, Access::Read)
        })
    })
}

/// The script that checks all change sets and then writes all of them. Each statement serves all of them.
fn together(changes: &mut [&mut Change]) -> Result<Sql, StoreError> {
    let mut all = Changes::default();
    for (number, change) in (0..).zip(changes) {
        for part in change.take_parts()? {
            all.append(number, &change.set, part);
        }
    }
    let mut script = Sql::new(Dialect::Sqlite);
    push(&mut script, all);
    Ok(script)
}

/// The script that checks and writes one change set after the other.
fn in_turn(changes: &mut [&mut Change]) -> Result<Sql, StoreError> {
    let mut script = Sql::new(Dialect::Sqlite);
    for (number, change) in (0..).zip(changes) {
        for part in change.take_parts()? {
            let mut numbered = Changes::default();
            numbered.append(number, &change.set, part);
            push(&mut script, numbered);
        }
    }
    Ok(script)
}

/// Appends the checks and the writes. A requirement that does not hold is a row: the number of its change set, its own
/// number and the fact that was found.
fn push(script: &mut Sql, changes: Changes) {
    let mut separator = "WITH broken (change, number, fact, is_final) AS (";
    let is_checked = !changes.checks.is_empty();
    for (check, rows) in changes.checks {
        script.push(separator);
        check.statement(Dialect::Sqlite).append(script, rows, None);
        separator = "\nUNION ALL ";
    }
    if is_checked {
        script.push(
            ")\nSELECT CAST(change AS TEXT), CAST(number AS TEXT), fact FROM broken \
             ORDER BY broken.number LIMIT 1;\n",
        );
    }
    for (effect, mut rows) in changes.writes {
        let mut statements = effect.statements(Dialect::Sqlite, rows.columns()).into_iter().peekable();
        while let Some(statement) = statements.next() {
            let its_rows = if statements.peek().is_some() { rows.clone() } else { std::mem::take(&mut rows) };
            statement.append(script, its_rows, None);
            script.push(";\n");
        }
    }
}

/// Runs a script up to its first row, and returns that row.
async fn run(connection: &mut SqliteConnection, script: Sql) -> Result<Option<[String; 3]>, StoreError> {
    count_round_trips("commit", 1);
    let row = first_row(connection, script).await.map_err(failed)?;
    row.map(|row| texts(&row)).transpose().map_err(failed)
}

const WHAT: &str = "applying change sets";

fn failed(error: sqlx::Error) -> StoreError {
    store_error(WHAT, error)
}

#[cfg(test)]
mod tests {
    use signup_core::conformance::records::{at, event, organization, receipt, receipt_key, shift};
    use signup_core::{Event, Requirement, Write};

    use super::*;

    /// A create of an event with two shifts, as the service decides it.
    fn create(event: Event, number: u32, key: &str) -> ChangeSet {
        let shifts = vec![shift(&event, number * 10, 5), shift(&event, number * 10 + 1, 5)];
        let receipt = receipt(receipt_key(1, key), &event, &shifts);
        let requires = vec![
            Requirement::NoReceipt { key: receipt.key.clone(), now: at(0) },
            Requirement::EventSlugFree(event.slug.clone()),
        ];
        let writes = vec![
            Write::InsertEvent { event: Box::new(event), location_data: None },
            Write::InsertShifts(shifts),
            Write::InsertReceipt(Box::new(receipt)),
        ];
        ChangeSet { requires, writes }
    }

    fn draft(number: u32, key: &str) -> ChangeSet {
        let mut event = event(1, number);
        event.is_published = false;
        create(event, number, key)
    }

    #[test]
    fn independent_creates_need_as_many_statements_as_one_create() {
        let mut all: Vec<_> =
            (1..=8).map(|number| Change::new(draft(number, &format!("key-{number}"))).unwrap()).collect();
        assert_eq!(next_script(&all), 8);
        assert!(are_independent(&all));
        let script = together(&mut all.iter_mut().collect::<Vec<_>>()).unwrap();
        assert_eq!(script.text.matches(";\n").count(), 4, "{}", script.text);
        assert_eq!(script.text.matches("INSERT INTO").count(), 3, "{}", script.text);
    }

    /// A write that no one thought of before must not switch the batch off.
    #[test]
    fn creates_with_another_write_still_need_as_many_statements_as_one() {
        let all: Vec<_> = (1..=8)
            .map(|number| {
                let mut change = draft(number, &format!("key-{number}"));
                change.writes.push(Write::InsertOrganization(organization(100 + number)));
                Change::new(change).unwrap()
            })
            .collect();
        // Each inserts an organization, and so changes whether there is one.
        assert!(!are_independent(&all));
        assert_eq!(next_script(&all), 8);
    }

    #[test]
    fn creates_are_independent_unless_they_share_a_slug_a_key_or_a_limit() {
        let published = |number, key| create(event(1, number), number, key);
        let are_independent = |sets: Vec<ChangeSet>| {
            are_independent(&sets.into_iter().map(|set| Change::new(set).unwrap()).collect::<Vec<_>>())
        };
        let first = || draft(1, "a");
        assert!(
            are_independent(vec![first(), draft(2, "b"), published(3, "c")]),
            "a draft is no active event"
        );
        assert!(!are_independent(vec![first(), draft(1, "b")]), "a slug");
        assert!(!are_independent(vec![first(), draft(2, "a")]), "a key");
        assert!(!are_independent(vec![published(1, "a"), published(2, "b")]), "a limit");
    }
}
