//! Commit and retry: decides, commits, and decides again if a fact has changed.
//!
//! **Invariant:** no other module of the service calls [`Store::commit`](crate::Store::commit).

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

use super::Shared;
use crate::activity::Actor;
use crate::error::{Error, Result};
use crate::fault::{FaultKind, Faults};
use crate::plan::PlanLimits;
use crate::rules::{self, Decision, NewActivity};
use crate::secret;
use crate::store::{ChangeSet, CommitError, Kind, Refusal, Total};
use crate::webhook::Webhook;

/// How long a write is tried again, and how long it may wait for its turn before. An attempt is refused only if another
/// change of the same record was committed after the read. HTTP clients usually wait for 30 seconds.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(10);
/// The shortest and the longest pause between attempts. A commit takes a few milliseconds.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));

impl Shared {
    /// Commits a decision, and in the same change set its activity, which `actor` causes, and a delivery for each webhook that
    /// selects an activity. For that, the change set requires the gate of the organization. An empty change set is not sent to the
    /// store.
    ///
    /// Decides again after a refusal that a new decision takes into account, such as a changed shift. Returns every other
    /// refusal.
    ///
    /// The second attempt follows at once, and each later one after a longer, random pause of the clock.
    ///
    /// In a [preview](super::Session::preview), the store only checks the requirements of the change set.
    ///
    /// # Errors
    /// Returns the errors of `decide` and of the store, and [`Error::Contended`] after [`TIME_LIMIT`].
    pub(super) async fn commit<T: Send, F>(
        &self,
        actor: &Actor,
        decide: impl Fn(Timestamp) -> F + Send + Sync,
    ) -> Result<std::result::Result<T, Refusal>>
    where
        F: Future<Output = Result<Decision<T>>> + Send,
    {
        let mut retries = Retries::default();
        loop {
            let began = Instant::now();
            let now = self.now();
            let Decision { outcome, mut change, mut activity, decides_again } = decide(now).await?;
            if self.is_preview {
                change.writes.clear();
                activity.clear();
            }
            if let Some(organization) = activity.first().map(NewActivity::organization) {
                let listeners = self.listeners(organization, &mut change).await?;
                let new_id = || secret::new_uuid(now);
                rules::record_activity(&mut change, activity, &listeners.webhooks, actor, new_id, now);
            }
            if change.is_empty() {
                return Ok(Ok(outcome));
            }
            match self.store.commit(change).await {
                Ok(()) => return Ok(Ok(outcome)),
                Err(CommitError::Refused(refusal))
                    if self.forget_listeners(&refusal)
                        || is_new_notice(&refusal)
                        || decides_again(&refusal) => {}
                Err(CommitError::Refused(refusal)) => return Ok(Err(refusal)),
                Err(CommitError::Failed(error)) => return Err(error.into()),
            }
            let pause = retries.next_pause(began.elapsed()).ok_or(Error::Contended)?;
            if !pause.is_zero() {
                self.clock.pause(pause).await;
            }
        }
    }

    /// Commits a decision like [`commit`](Self::commit), for an operation that expects only refusals after which
    /// `commit` decides again. Returns every other refusal as [`Error::Refused`].
    pub(super) async fn commit_unrefused<T: Send, F>(
        &self,
        actor: &Actor,
        decide: impl Fn(Timestamp) -> F + Send + Sync,
    ) -> Result<T>
    where
        F: Future<Output = Result<Decision<T>>> + Send,
    {
        self.commit(actor, decide).await?.map_err(|refusal| Error::Refused(refusal.into()))
    }

    /// Commits the next state of a record of the outbox. Returns `false` if what the change set requires no longer holds: the
    /// record, or its sign-up, has changed since it was read, or too many deliveries are in flight.
    pub(super) async fn commit_queued(&self, change: ChangeSet) -> Result<bool> {
        match self.store.commit(change).await {
            Ok(()) => Ok(true),
            Err(CommitError::Refused(
                Refusal::Changed(_) | Refusal::NotBelow { .. } | Refusal::NotAtLeast { .. },
            )) => Ok(false),
            Err(CommitError::Refused(refusal)) if is_new_notice(&refusal) => Ok(false),
            Err(CommitError::Refused(refusal)) => Err(Error::Refused(refusal.into())),
            Err(CommitError::Failed(error)) => Err(error.into()),
        }
    }
}

/// Returns whether another write has inserted the recipient, or the job, since it was looked for.
fn is_new_notice(refusal: &Refusal) -> bool {
    matches!(refusal, Refusal::Taken(record) if record.kind() == Kind::Notice)
}

/// The attempts of one commit so far.
#[derive(Debug, Default)]
struct Retries {
    /// The duration of the attempts and of the pauses between them. A pause counts as long as it was asked for, so a
    /// clock without a timer reaches the limit, too.
    spent: Duration,
    /// The longest pause before the next attempt.
    longest: Duration,
}

impl Retries {
    /// Counts an attempt, and returns the pause before the next one. Returns `None` after [`TIME_LIMIT`].
    fn next_pause(&mut self, attempt: Duration) -> Option<Duration> {
        let (shortest, longest) = PAUSES;
        // At least half, so that the pauses grow. Random, so that two processes do not stay in step.
        let pause = self.longest.mul_f64(0.5 + 0.5 * secret::random_ratio());
        self.longest = (self.longest * 2).clamp(shortest, longest);
        self.spent += attempt + pause;
        (self.spent <= TIME_LIMIT).then_some(pause)
    }
}

/// Returns the error for a refusal that is a fact of the domain. Every other refusal is unexpected.
pub(super) fn refusal_error(refusal: Refusal, limits: PlanLimits) -> Error {
    match refusal {
        Refusal::NotBelow { total: Total::ActiveEvents(_), count } => {
            Error::PlanLimit { current_count: count, max_allowed: limits.active_events }
        }
        Refusal::NotBelow { total: Total::Webhooks(_), count } => too_many_webhooks(count),
        Refusal::NotBelow { total: Total::PlacesOf(..), .. } => Error::AddressFull,
        Refusal::Taken(record) if record.kind() == Kind::Signup => Error::PlaceTaken,
        Refusal::NotBelow { total: Total::Messages(..), .. } => Error::TooManyMessages,
        Refusal::NotBelow { total: Total::Answers(..), .. } => {
            Faults::one("type", FaultKind::Answered).into()
        }
        refusal => Error::Refused(refusal.into()),
    }
}

/// Returns the error of a webhook too many.
fn too_many_webhooks(present: u32) -> Error {
    let max = Webhook::MAX_PER_ORGANIZATION as usize;
    Faults::one("url", FaultKind::TooMany { items: "webhooks", max, present: present as usize }).into()
}
