//! What is handed to the thread that SQLite runs on at once.
//!
//! A hand-off costs about as much as a small change set: both sides wait for each other. So change sets that come one after
//! the other and are written by the same statements go together, as one script.

use signup_core::{ChangeSet, CommitError, StoreError};
use sqlx::sqlite::SqliteConnection;
use tokio::sync::oneshot;

use crate::error::store_error;
use crate::row::texts;
use crate::sql::{Dialect, Sql};
use crate::{change, observe, require};

/// The most change sets of one hand-off, and the longest text of several in bytes: a bound on what is prepared, and kept.
const MOST_AT_ONCE: usize = 8;
const MOST_BYTES: usize = 12 * 1024;

/// A change set that waits.
#[derive(Debug)]
pub(super) struct Change {
    set: ChangeSet,
    /// By which it is known among those of one hand-off.
    label: String,
    /// Made by who hands it in: the writer has no time for that. It is used up by the first try.
    script: Option<Sql>,
    pub(super) answer: oneshot::Sender<Result<(), CommitError>>,
}

impl Change {
    /// The change set that was handed in as this one in number.
    pub(super) fn new(
        set: ChangeSet,
        number: u64,
        answer: oneshot::Sender<Result<(), CommitError>>,
    ) -> Result<Self, StoreError> {
        let label = number.to_string();
        let script = Some(change::script(&set, &label)?);
        Ok(Self { set, label, script, answer })
    }

    fn take_script(&mut self) -> Result<Sql, StoreError> {
        self.script.take().map_or_else(|| change::script(&self.set, &self.label), Ok)
    }
}

/// How many, from the first, are written by the same statements: as many as go into one hand-off. They are a power of two,
/// so that few texts have to be prepared. One, if there is none.
///
/// What was handed over before, and not looked at because of a refusal, goes by itself: where one was refused, the next may be,
/// and each refusal would hand the rest over once more.
pub(super) fn alike<'a>(changes: impl Iterator<Item = &'a mut Change>) -> usize {
    let mut texts = changes.map_while(|change| change.script.as_ref().map(Sql::text));
    let Some(first) = texts.next() else { return 1 };
    let most = (MOST_BYTES / first.len().max(1)).clamp(1, MOST_AT_ONCE);
    let alike = 1 + texts.take(most - 1).take_while(|text| *text == first).count();
    1 << alike.ilog2()
}

/// Checks and writes; says what became of each, up to the first that is refused. What comes after that was not looked at.
///
/// The script ends with its first row, which is a requirement that does not hold: what is refused has written nothing.
pub(super) async fn apply<'a>(
    connection: &mut SqliteConnection,
    changes: impl Iterator<Item = &'a mut Change>,
) -> Result<Vec<Result<(), CommitError>>, StoreError> {
    const WHAT: &str = "applying change sets";
    let failed = |error| store_error(WHAT, error);
    let mut script = Sql::new(Dialect::Sqlite);
    let mut handed = vec![];
    for change in changes {
        script.append(change.take_script()?);
        handed.push(&*change);
    }
    let (text, arguments) = script.into_sqlite().map_err(failed)?;
    observe::count_round_trips("commit", 1);
    let broken = sqlx::query_with(text, arguments).fetch_optional(connection).await.map_err(failed)?;
    let Some(broken) = broken else { return Ok(handed.iter().map(|_| Ok(())).collect()) };
    let [label, number, fact] = texts(&broken).map_err(failed)?;
    let refused = handed.iter().position(|change| change.label == label);
    let refused = refused.ok_or_else(|| StoreError::failed(WHAT, "it was none of them that was refused"))?;
    let refusal = require::refusal(&handed[refused].set.requires, &[number, fact])?;
    let applied = (0..refused).map(|_| Ok(()));
    Ok(applied.chain([Err(CommitError::Refused(refusal))]).collect())
}
