//! Commits of batches: which change sets share a batch, and what becomes of each.

use signup_core::store::{Access, Key, Keys};
use signup_core::{ChangeSet, CommitError, StoreError};

use super::change::Prepared;
use super::require;
use crate::batch::{Conflict, Pending};

/// The query of a statement whose part `broken` finds the requirements that do not hold. The texts of each row are the
/// number of the change set, the number of the requirement, the fact that was found, and whether the refusal is final.
pub(crate) const BROKEN: &str = "SELECT CAST(change AS TEXT), CAST(number AS TEXT), fact, \
     CASE WHEN is_final THEN 'final' ELSE '' END FROM broken";

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

/// The outcome of a change set. `None` if undecided: it fits only if an earlier change set of the batch adds nothing.
pub(crate) type Outcome = Option<Result<(), CommitError>>;

/// Returns the outcome of each change set from the rows of [`BROKEN`]. A change set without a row holds.
///
/// The first change set of a batch is never undecided, because nothing was added ahead of it.
pub(crate) fn outcomes<'p>(
    changes: impl IntoIterator<Item = &'p Prepared>,
    rows: impl IntoIterator<Item = [String; 4]>,
) -> Result<Vec<Outcome>, StoreError> {
    const WHAT: &str = "reading why a change set was refused";
    let sets: Vec<_> = changes.into_iter().map(|change| &change.set).collect();
    let mut broken: Vec<Option<(usize, String, bool)>> = vec![None; sets.len()];
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
    let outcome = |(set, broken): (&&ChangeSet, Option<(usize, String, bool)>)| match broken {
        None => Some(Ok(())),
        Some((.., false)) => None,
        Some((number, fact, true)) => {
            let refusal = require::refusal(&set.requires, number, &fact);
            Some(Err(refusal.map_or_else(Into::into, CommitError::Refused)))
        }
    };
    Ok(sets.iter().zip(broken).map(outcome).collect())
}

/// Answers the requests of a batch that have an answer, and returns the others.
pub(crate) fn answer<Q, A>(
    batch: Vec<Pending<Q, A>>,
    answers: impl IntoIterator<Item = Option<A>>,
) -> Vec<Pending<Q, A>> {
    let mut rest = vec![];
    for (pending, answer) in batch.into_iter().zip(answers) {
        match answer {
            Some(answer) => pending.answer(answer),
            None => rest.push(pending),
        }
    }
    rest
}
