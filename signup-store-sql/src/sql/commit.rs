//! Commits of batches: which change sets share a batch, and the verdict on each.

use signup_core::{Access, ChangeSet, CommitError, Key, Keys, StoreError};

use super::change::Prepared;
use super::require;
use crate::batch::{Conflict, Pending};

/// The beginning of the query for the requirements that do not hold. A statement appends the checks, as a subquery or as the
/// name of a common table expression. The texts of each row are the number of the change set, the number of the requirement,
/// the fact that was found, and whether the refusal is final.
pub(crate) const BROKEN: &str = "SELECT CAST(change AS TEXT), CAST(number AS TEXT), fact, \
     CASE WHEN is_final THEN 'final' ELSE '' END FROM ";

/// The accesses of change sets, which decide which of them share a batch.
impl Conflict for Keys {
    type Key = Key;
    type Access = Access;

    fn claims(&self) -> impl Iterator<Item = (&Key, Access)> {
        self.iter()
    }

    fn shares_batch(access: Access) -> bool {
        matches!(access, Access::Read | Access::Commute)
    }

    /// Two transactions that change one total would wait for each other's row lock.
    fn runs_beside(access: Access) -> bool {
        access == Access::Read
    }
}

/// What became of a request in a transaction. `T` is the answer to a request that was committed.
#[derive(Debug)]
pub(crate) enum Verdict<T = ()> {
    Committed(T),
    /// A requirement does not hold, or what the database says about it cannot be read.
    Refused(CommitError),
    /// The change set fits only if an earlier one of the batch adds nothing. The first of a batch is never undecided.
    Undecided,
}

#[cfg(feature = "sqlite")]
impl<T> Verdict<T> {
    pub(crate) fn map<U>(self, answer: impl FnOnce(T) -> U) -> Verdict<U> {
        match self {
            Self::Committed(committed) => Verdict::Committed(answer(committed)),
            Self::Refused(error) => Verdict::Refused(error),
            Self::Undecided => Verdict::Undecided,
        }
    }
}

/// Returns the verdict on each change set from the rows of [`BROKEN`]. A change set without a row holds.
pub(crate) fn verdicts<'p>(
    changes: impl IntoIterator<Item = &'p Prepared>,
    rows: impl IntoIterator<Item = [String; 4]>,
) -> Result<Vec<Verdict>, StoreError> {
    const WHAT: &str = "reading why a change set was refused";
    let sets: Vec<_> = changes.into_iter().map(|change| &change.set).collect();
    let mut broken: Vec<Option<(i64, String, bool)>> = vec![None; sets.len()];
    for [change, number, fact, is_final] in rows {
        let place = change.parse::<usize>().ok().and_then(|change| broken.get_mut(change));
        let (Some(place), Ok(number)) = (place, number.parse()) else {
            return Err(StoreError::failed(WHAT, "no such requirement"));
        };
        // The first requirement that does not hold decides.
        if place.as_ref().is_none_or(|(first, ..)| number < *first) {
            *place = Some((number, fact, is_final == "final"));
        }
    }
    let verdict = |(set, broken): (&&ChangeSet, Option<(i64, String, bool)>)| match broken {
        None => Verdict::Committed(()),
        Some((.., false)) => Verdict::Undecided,
        Some((number, fact, true)) => {
            let refusal = require::refusal(&set.requires, number, &fact);
            Verdict::Refused(refusal.map_or_else(Into::into, CommitError::Refused))
        }
    };
    Ok(sets.iter().zip(broken).map(verdict).collect())
}

/// A request that waits for its commit.
pub(crate) type Waiting<Q, T = ()> = Pending<Q, Result<T, CommitError>>;

/// Answers the requests of a batch by their verdicts, and returns those that are undecided.
pub(crate) fn answer<Q, T>(
    batch: Vec<Waiting<Q, T>>,
    verdicts: impl IntoIterator<Item = Verdict<T>>,
) -> Vec<Waiting<Q, T>> {
    let mut undecided = vec![];
    for (waiting, verdict) in batch.into_iter().zip(verdicts) {
        match verdict {
            Verdict::Committed(answer) => waiting.answer(Ok(answer)),
            Verdict::Refused(error) => waiting.answer(Err(error)),
            Verdict::Undecided => undecided.push(waiting),
        }
    }
    undecided
}
