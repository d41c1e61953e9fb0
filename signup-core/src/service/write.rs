//! The way of a write: decide, commit, and decide again if a fact has changed. It stands here once.

use jiff::Timestamp;

use super::{Call, Service};
use crate::error::{Error, Result};
use crate::receipt::{EventWithShifts, IdempotencyKey, Operation, Outcome, Receipt, ReceiptKey};
use crate::rules::Decision;
use crate::shift::Shift;
use crate::store::{ChangeSet, CommitError, Refusal, Requirement, Write};

/// How often a decision is made anew because what it relied on has changed. Each time somebody else's change to the same
/// record went through, so only very many at once on one record come near it.
const ATTEMPTS: u32 = 200;

/// What an operation answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply<T> {
    /// The answer.
    pub outcome: T,
    /// Whether it is the stored answer of an earlier request with the same key, and nothing was done now.
    pub is_replay: bool,
}

/// What a receipt can keep.
pub trait Kept: Clone + Send + Into<Outcome> {
    /// The outcome, if it is of this kind.
    fn from_outcome(outcome: Outcome) -> Option<Self>;
}

impl From<EventWithShifts> for Outcome {
    fn from(event: EventWithShifts) -> Self {
        Self::Event(Box::new(event))
    }
}

impl Kept for EventWithShifts {
    fn from_outcome(outcome: Outcome) -> Option<Self> {
        if let Outcome::Event(event) = outcome { Some(*event) } else { None }
    }
}

impl From<Shift> for Outcome {
    fn from(shift: Shift) -> Self {
        Self::Shift(Box::new(shift))
    }
}

impl Kept for Shift {
    fn from_outcome(outcome: Outcome) -> Option<Self> {
        if let Outcome::Shift(shift) = outcome { Some(*shift) } else { None }
    }
}

/// A decision that the store refused to commit.
#[derive(Debug)]
pub(super) struct Refused<T> {
    /// What would have been the outcome.
    pub(super) planned: T,
    /// The fact that has changed.
    pub(super) refusal: Refusal,
}

impl Service {
    /// The stored answer to an operation with this key, if there is one: for a caller whose input cannot even be read.
    ///
    /// # Errors
    /// [`Error::Unauthenticated`] if the token has expired; or the store fails.
    pub async fn replay<T: Kept>(
        &self,
        call: &Call,
        operation: Operation,
        key: &IdempotencyKey,
    ) -> Result<Option<Reply<T>>> {
        self.check_expiry(call)?;
        self.stored_answer(call, operation, key).await
    }

    async fn stored_answer<T: Kept>(
        &self,
        call: &Call,
        operation: Operation,
        key: &IdempotencyKey,
    ) -> Result<Option<Reply<T>>> {
        let receipt = self.store.receipt(&receipt_key(call, operation, key), self.now()).await?;
        Ok(receipt.and_then(|receipt| replay_of(receipt.outcome)))
    }

    /// Decides and commits, together with the receipt if there is a key.
    ///
    /// A stored answer goes before any error that the input or the records would give now. It is looked up only then, and
    /// found by the commit itself otherwise, so that a first request costs no lookup.
    pub(super) async fn write<T: Kept, F>(
        &self,
        call: &Call,
        operation: Operation,
        key: Option<&IdempotencyKey>,
        decide: impl Fn(Timestamp) -> F + Send + Sync,
    ) -> Result<Reply<T>>
    where
        F: Future<Output = Result<Decision<T>>> + Send,
    {
        let decide = &decide;
        let with_receipt = move |now| async move {
            let mut decision = decide(now).await?;
            if let Some(key) = key {
                let key = receipt_key(call, operation, key);
                keep_receipt(&mut decision.change, key, decision.outcome.clone().into(), now);
            }
            Ok(decision)
        };
        match self.commit(with_receipt).await {
            Ok(Ok(outcome)) => Ok(Reply { outcome, is_replay: false }),
            Ok(Err(Refused { refusal: Refusal::Receipt(receipt), .. })) => {
                replay_of(receipt.outcome).ok_or(Error::Contended)
            }
            Ok(Err(Refused { refusal: Refusal::ActiveEvents { count }, .. })) => {
                Err(Error::PlanLimit { current_count: count, max_allowed: call.limits.active_events })
            }
            Ok(Err(_)) => Err(Error::Contended),
            Err(Error::Store(error)) => Err(Error::Store(error)),
            Err(error) => match key {
                Some(key) => self.stored_answer(call, operation, key).await?.ok_or(error),
                None => Err(error),
            },
        }
    }

    /// Commits a decision, and decides anew as long as another decision may not be refused. Returns any other refusal with
    /// what was decided.
    pub(super) async fn commit<T: Send, F>(
        &self,
        decide: impl Fn(Timestamp) -> F + Send + Sync,
    ) -> Result<std::result::Result<T, Refused<T>>>
    where
        F: Future<Output = Result<Decision<T>>> + Send,
    {
        for _ in 0..ATTEMPTS {
            let Decision { outcome, change } = decide(self.now()).await?;
            if change == ChangeSet::default() {
                return Ok(Ok(outcome));
            }
            match self.store.commit(change).await {
                Ok(()) => return Ok(Ok(outcome)),
                Err(CommitError::Refused(
                    Refusal::SlugTaken
                    | Refusal::ShiftChanged
                    | Refusal::QuestionsChanged
                    | Refusal::SignupNotConfirmed,
                )) => {}
                Err(CommitError::Refused(refusal)) => return Ok(Err(Refused { planned: outcome, refusal })),
                Err(CommitError::Failed(error)) => return Err(error.into()),
            }
        }
        Err(Error::Contended)
    }
}

fn receipt_key(call: &Call, operation: Operation, key: &IdempotencyKey) -> ReceiptKey {
    ReceiptKey { organization: call.organization, token: call.token, operation, key: key.clone() }
}

fn keep_receipt(change: &mut ChangeSet, key: ReceiptKey, outcome: Outcome, now: Timestamp) {
    // First of all, so that a stored answer goes before every refusal.
    change.requires.insert(0, Requirement::NoReceipt { key: key.clone(), now });
    let receipt = Receipt { key, outcome, expires_at: now + Receipt::LIFE };
    change.writes.push(Write::InsertReceipt(Box::new(receipt)));
}

fn replay_of<T: Kept>(outcome: Outcome) -> Option<Reply<T>> {
    T::from_outcome(outcome).map(|outcome| Reply { outcome, is_replay: true })
}
