//! What is handed to the thread that SQLite runs on at once.
//!
//! A hand-off costs about as much as a small change set: both sides wait for each other, and are woken once more for each
//! statement. So change sets that come one after the other and are written by the same statements go in one hand-off. Those
//! that have nothing to do with each other, as most creates of events, are written together, by as many statements as one of
//! them.

use signup_core::{ChangeSet, CommitError, StoreError};
use sqlx::sqlite::{Sqlite, SqliteConnection, SqliteRow};
use tokio::sync::oneshot;

use crate::sql::row::texts;
use crate::sql::{Dialect, Sql};
use crate::sql::{observe, require};
use crate::sqlite::apart::are_apart;
use crate::sqlite::error::store_error;
use crate::sqlite::script::{Parts, together};

/// The most change sets of one hand-off, and the longest text of several in bytes: a bound on what is prepared, and kept.
const MOST_AT_ONCE: usize = 8;
const MOST_BYTES: usize = 12 * 1024;

/// A change set that waits.
#[derive(Debug)]
pub(super) struct Change {
    set: ChangeSet,
    /// By which it is known among those of one hand-off.
    label: String,
    /// Made by who hands it in: the writer has no time for that. They are used up by the first try.
    parts: Option<Parts>,
    pub(super) answer: oneshot::Sender<Result<(), CommitError>>,
}

impl Change {
    /// The change set that was handed in as this one in number.
    pub(super) fn new(
        set: ChangeSet,
        number: u64,
        answer: oneshot::Sender<Result<(), CommitError>>,
    ) -> Result<Self, StoreError> {
        let parts = Some(Parts::of(&set)?);
        Ok(Self { set, label: number.to_string(), parts, answer })
    }

    fn take_parts(&mut self) -> Result<Parts, StoreError> {
        self.parts.take().map_or_else(|| Parts::of(&self.set), Ok)
    }
}

/// How many, from the first, are written by the same statements: as many as go into one hand-off. They are a power of two,
/// so that few texts have to be prepared. One, if there is none.
///
/// What was handed over before, and not looked at because of a refusal, goes by itself: where one was refused, the next may be,
/// and each refusal would hand the rest over once more.
pub(super) fn alike<'a>(changes: impl Iterator<Item = &'a mut Change>) -> usize {
    let mut all = changes.map_while(|change| change.parts.as_ref());
    let Some(first) = all.next() else { return 1 };
    let most = (MOST_BYTES / first.length().max(1)).clamp(1, MOST_AT_ONCE);
    let alike = 1 + all.take(most - 1).take_while(|parts| parts.are_like(first)).count();
    1 << alike.ilog2()
}

/// Checks and writes; says what became of each, up to the first that is refused. What comes after that was not looked at.
///
/// Where one of those that could be written together is refused, nothing of them is written: they go one after the other.
pub(super) async fn apply(
    connection: &mut SqliteConnection,
    mut changes: Vec<&mut Change>,
) -> Result<Vec<Result<(), CommitError>>, StoreError> {
    if can_go_together(&changes) && try_together(connection, &mut changes).await? {
        return Ok(changes.iter().map(|_| Ok(())).collect());
    }
    in_turn(connection, &mut changes).await
}

/// Whether all of them can be checked before the first is written, and written table by table.
fn can_go_together(changes: &[&mut Change]) -> bool {
    changes.len() > 1
        && changes[0].parts.as_ref().is_some_and(Parts::take_rows_of_many)
        && are_apart(changes.iter().map(|change| &change.set))
}

/// Writes all of them, or nothing if one of them is refused: whether that was so.
async fn try_together(
    connection: &mut SqliteConnection,
    changes: &mut [&mut Change],
) -> Result<bool, StoreError> {
    let all = changes.iter_mut().map(|change| change.take_parts()).collect::<Result<_, _>>()?;
    let refused = run(connection, together(all)).await?;
    Ok(refused.is_none())
}

/// Checks and writes one after the other.
///
/// The script ends with its first row, which is a requirement that does not hold: what is refused has written nothing.
async fn in_turn(
    connection: &mut SqliteConnection,
    changes: &mut [&mut Change],
) -> Result<Vec<Result<(), CommitError>>, StoreError> {
    let mut script = Sql::new(Dialect::Sqlite);
    for change in changes.iter_mut() {
        change.take_parts()?.add_to(&mut script, &change.label);
    }
    let Some(broken) = run(connection, script).await? else {
        return Ok(changes.iter().map(|_| Ok(())).collect());
    };
    let [label, number, fact] = texts(&broken).map_err(failed)?;
    let refused = changes.iter().position(|change| change.label == label);
    let refused = refused.ok_or_else(|| StoreError::failed(WHAT, "it was none of them that was refused"))?;
    let refusal = require::refusal(&changes[refused].set.requires, &[number, fact])?;
    let applied = (0..refused).map(|_| Ok(()));
    Ok(applied.chain([Err(CommitError::Refused(refusal))]).collect())
}

/// Runs a script up to its first row, if there is one.
async fn run(connection: &mut SqliteConnection, script: Sql) -> Result<Option<SqliteRow>, StoreError> {
    let (text, arguments) = script.into_query::<Sqlite>().map_err(failed)?;
    observe::count_round_trips("commit", 1);
    sqlx::query_with(text, arguments).fetch_optional(connection).await.map_err(failed)
}

const WHAT: &str = "applying change sets";

fn failed(error: sqlx::Error) -> StoreError {
    store_error(WHAT, error)
}
