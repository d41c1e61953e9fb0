//! Writes of a session: under a key, with the digest of an input, or as a preview, and what a caller learns besides the outcome.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use jiff::Timestamp;

use super::super::Shared;
use super::super::commit::refusal_error;
use super::Session;
use crate::caller_key::IdempotencyKey;
use crate::error::{Error, Result};
use crate::receipt::{Operation, Outcome, Receipt, ReceiptKey};
use crate::rules::{self, Decision};
use crate::secret::Digest;
use crate::store::{ChangeSet, Record, RecordKey, Refusal, Requirement, Unique};

/// A write of a [`Session`]. Awaiting it runs it and returns the outcome. [`reply`](Self::reply) runs it, too, and also returns
/// what the write did besides the outcome.
///
/// # Example
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() -> ExampleResult { example(async |Example { session, .. }| {
/// let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
/// let created = session.create_event(drive.clone()).await?;
/// let safe_to_retry = session.create_event(drive).with_key("food-drive-2027-06-05".parse()?).await?;
/// assert_ne!(created.event.id, safe_to_retry.event.id);
/// # Ok(()) }) }
/// ```
#[must_use = "a write runs only when it is awaited"]
pub struct PendingWrite<'s, T: 's> {
    key: WriteKey,
    run: Box<dyn FnOnce(WriteKey) -> Running<'s, Reply<T>> + Send + 's>,
}

type Running<'s, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 's>>;

/// The idempotency key of a write, and the digest of its input.
#[derive(Debug, Clone, Default)]
struct WriteKey {
    key: Option<IdempotencyKey>,
    input: Option<Digest>,
}

/// The outcome of a write, and what the write did besides.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reply<T> {
    /// The outcome.
    pub value: T,
    /// Whether the outcome is one that an earlier call had stored under the key.
    pub is_replay: bool,
    /// Whether the stored outcome is that of another [input](PendingWrite::with_input). `false` if the earlier call gave no digest
    /// of its input.
    pub is_of_other_input: bool,
    /// An upper bound of the mails to volunteers that the write causes.
    ///
    /// Counts only the mails of changes and cancellations of events, and of changes and deletions of shifts. Every other operation
    /// gives 0, also a message to volunteers. An operation that changed nothing gives 0, too.
    ///
    /// Counts the sign-ups concerned that were confirmed when the write was decided. An address gets one mail about all of its
    /// sign-ups for the event, also about several changes. A replay has the number of the first call.
    pub mails_queued: u32,
    /// The names of the fields that got another value, as [`Activity::changes`](crate::Activity::changes) has them. `is_published`
    /// comes last. Empty in a replay.
    pub changes: Vec<&'static str>,
}

impl<'s, T: 's> PendingWrite<'s, T> {
    fn new<F>(run: impl FnOnce(WriteKey) -> F + Send + 's) -> Self
    where
        F: Future<Output = Result<Reply<T>>> + Send + 's,
    {
        Self { key: WriteKey::default(), run: Box::new(|key| Box::pin(run(key))) }
    }

    /// Gives the write an idempotency key. The first write with a key stores its outcome. A retry with the same key writes nothing
    /// and returns that outcome, in a [`Reply`] that [is a replay](Reply::is_replay).
    ///
    /// - **Choice**: use a new key for each logical operation, for example a UUID, and the same key for each retry.
    /// - **Match**: two uses of a key match only if the token or the person, the method and the record id are the same.
    ///   Sessions of an organization for a [program](crate::Service::session_for) share their keys.
    /// - **Other input**: the input is not compared. A key that is used again with other input returns the first
    ///   outcome, even if the new input has faults, and the new input is not applied. A caller that wants to tell such a use from a
    ///   retry gives a [digest](Self::with_input) of the input.
    /// - **Time**: an outcome is kept for [24 hours](Receipt::LIFE). After that, the same key runs the operation again.
    /// - **Errors**: a write that fails stores nothing, so a retry runs the operation. After [`Error::Store`], it is
    ///   unknown whether the write was applied. A retry then returns the stored outcome, or runs the operation.
    ///
    /// A missing permission and an expired session are reported before the stored outcome is looked up.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, .. }| {
    /// let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    /// let create = || -> Result<_, ValueError> {
    ///     Ok(session.create_event(drive.clone()).with_key("food-drive-2027-06-05".parse()?))
    /// };
    /// let first = create()?.reply().await?;
    /// let again = create()?.reply().await?;
    /// assert!(!first.is_replay && again.is_replay);
    /// assert_eq!(first.value, again.value);
    /// # Ok(()) }) }
    /// ```
    pub fn with_key(mut self, key: IdempotencyKey) -> Self {
        self.key.key = Some(key);
        self
    }

    /// Adds a digest of the input to the key. The digest is stored with the outcome, so [`Reply::is_of_other_input`] can tell
    /// another use of the key from a retry.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, .. }| {
    /// use signup_core::Digest;
    ///
    /// let create = async |title: &str| {
    ///     let drive = NewEvent::new(title.parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    ///     let keyed = session.create_event(drive).with_key("form-1".parse()?).with_input(Digest::of(title));
    ///     let created = keyed.reply().await?;
    ///     Ok::<_, Box<dyn std::error::Error>>((created.value.event.title.to_string(), created.is_of_other_input))
    /// };
    /// assert_eq!(create("Food drive").await?, ("Food drive".to_owned(), false));
    /// assert_eq!(create("Food drive").await?, ("Food drive".to_owned(), false));
    /// assert_eq!(create("Fun run").await?, ("Food drive".to_owned(), true));
    /// # Ok(()) }) }
    /// ```
    pub fn with_input(mut self, input: Digest) -> Self {
        self.key.input = Some(input);
        self
    }

    /// Runs the write.
    ///
    /// # Errors
    /// Returns the errors of the method that made the write.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, session, created, ada, .. }| {
    /// use signup_core::Cancellation;
    ///
    /// # service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?.sign_up(ada).await?;
    /// let cancelled = session.cancel_event(created.event.id, Cancellation::new()).reply().await?;
    /// assert_eq!(cancelled.mails_queued, 1);
    /// # Ok(()) }) }
    /// ```
    pub async fn reply(self) -> Result<Reply<T>> {
        (self.run)(self.key).await
    }

    /// Changes the outcome before it is returned. The stored outcome stays.
    pub(super) fn map<U: 's>(self, change: impl FnOnce(T) -> U + Send + 's) -> PendingWrite<'s, U> {
        let Self { key, run } = self;
        PendingWrite { key, ..PendingWrite::new(async move |key| Ok(run(key).await?.map(change))) }
    }
}

impl<'s, T: 's> IntoFuture for PendingWrite<'s, T> {
    type Output = Result<T>;
    type IntoFuture = Running<'s, T>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async { Ok(self.reply().await?.value) })
    }
}

impl<T> fmt::Debug for PendingWrite<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingWrite").field("key", &self.key).finish_non_exhaustive()
    }
}

impl<T> Reply<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> Reply<U> {
        let Self { value, is_replay, is_of_other_input, mails_queued, changes } = self;
        Reply { value: change(value), is_replay, is_of_other_input, mails_queued, changes }
    }

    /// Returns the reply with a stored outcome. `None` if the outcome is of another type, which no write stores.
    fn stored(receipt: Receipt, input: Option<Digest>) -> Option<Self>
    where
        T: TryFrom<Outcome>,
    {
        let is_of_other_input = receipt.input.is_some() && receipt.input != input;
        let (value, mails_queued) = (T::try_from(receipt.outcome).ok()?, receipt.mails_queued);
        Some(Self { value, is_replay: true, is_of_other_input, mails_queued, changes: vec![] })
    }
}

impl Session {
    /// Returns a session whose writes change nothing. Each returns what the same write of this session would return now: the
    /// outcome or the error, the number of [mails](Reply::mails_queued) and the fields that [change](Reply::changes). The ids,
    /// slugs and secrets in an outcome are made up. A program shows its user what a write would do before it writes.
    ///
    /// A preview [with a key](PendingWrite::with_key) returns the outcome that an earlier call has stored under the key, and stores
    /// none.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, session, created, ada, .. }| {
    /// use signup_core::EventPatch;
    ///
    /// # service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?.sign_up(ada).await?;
    /// let move_on = EventPatch::new().start_date(date(2027, 6, 12));
    /// let moved = session.preview().patch_event(created.event.id, move_on).reply().await?;
    /// assert_eq!(moved.value.event.dates.starts_at().to_string(), "2027-06-12T04:00:00Z");
    /// assert_eq!((moved.mails_queued, moved.changes), (1, vec!["start_date"]));
    /// assert_eq!(session.event(created.event.id).await?.event, created.event);
    /// # Ok(()) }) }
    /// ```
    #[must_use]
    pub fn preview(&self) -> Self {
        let shared = Shared { is_preview: true, ..Shared::clone(&self.shared) };
        Self { shared: Arc::new(shared), ..self.clone() }
    }

    /// Returns the outcome of the operation that is stored under the key, if there is one.
    ///
    /// Each write does this itself. A server calls this method when the body of a request with a key has faults: the stored
    /// outcome takes precedence over the faults.
    ///
    /// # Errors
    /// Returns the errors of [`require`](Self::require) for the [permission](crate::OperationKind::permission) of the operation.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, .. }| {
    /// use signup_core::{EventWithShifts, IdempotencyKey, OperationKind};
    ///
    /// # let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    /// let key: IdempotencyKey = "food-drive-2027-06-05".parse()?;
    /// let created = session.create_event(drive).with_key(key.clone()).await?;
    /// let stored = session.stored_reply::<EventWithShifts>(OperationKind::CreateEvent, &key).await?;
    /// assert_eq!(stored.map(|reply| reply.value), Some(created));
    /// # Ok(()) }) }
    /// ```
    pub async fn stored_reply<T: TryFrom<Outcome>>(
        &self,
        operation: impl Into<Operation> + Send,
        key: &IdempotencyKey,
    ) -> Result<Option<Reply<T>>> {
        let operation = operation.into();
        self.require(operation.kind().permission())?;
        self.find_reply(self.receipt_key(operation, key), None).await
    }

    async fn find_reply<T>(&self, key: ReceiptKey, input: Option<Digest>) -> Result<Option<Reply<T>>>
    where
        T: TryFrom<Outcome>,
    {
        let receipt = self.shared.store.get::<Receipt>(RecordKey::Receipt(key)).await?;
        let receipt = receipt.filter(|receipt| receipt.is_live(self.shared.now()));
        Ok(receipt.and_then(|receipt| Reply::stored(receipt, input)))
    }

    fn receipt_key(&self, operation: Operation, key: &IdempotencyKey) -> ReceiptKey {
        let (organization, caller) = (self.organization_id(), self.caller());
        ReceiptKey { organization, caller, operation, key: key.clone() }
    }

    /// Returns a write of the operation, which each attempt decides from the input.
    pub(super) fn write<'s, T, I, F>(
        &'s self,
        operation: impl Into<Operation>,
        input: I,
        decide: impl Fn(I, Timestamp) -> F + Send + Sync + 's,
    ) -> PendingWrite<'s, T>
    where
        T: Clone + Send + Into<Outcome> + TryFrom<Outcome> + 's,
        I: Clone + Send + Sync + 's,
        F: Future<Output = Result<Decision<T>>> + Send + 's,
    {
        let operation = operation.into();
        PendingWrite::new(async move |key| self.run(operation, key, |now| decide(input.clone(), now)).await)
    }

    /// Checks the permission, waits for the turn of the operation, decides and commits. With a key, commits the receipt in the
    /// same change set.
    ///
    /// A stored outcome takes precedence over every error of the decision, so the receipt is looked up after such an
    /// error. Without an error, the commit itself finds the receipt, so a first request needs no separate lookup.
    async fn run<T, F>(
        &self,
        operation: Operation,
        WriteKey { key, input }: WriteKey,
        decide: impl Fn(Timestamp) -> F + Send + Sync,
    ) -> Result<Reply<T>>
    where
        T: Clone + Send + Into<Outcome> + TryFrom<Outcome>,
        F: Future<Output = Result<Decision<T>>> + Send,
    {
        self.require(operation.kind().permission())?;
        let key = key.map(|key| self.receipt_key(operation, &key));
        let with_receipt = |now| {
            let (decided, key) = (decide(now), key.clone());
            async move {
                let Decision { outcome: value, mut change, activity, decides_again } = decided.await?;
                let (mails_queued, changes) = (rules::mails_of(&change), rules::changes_of(&activity));
                if let Some(key) = key {
                    let (outcome, expires_at) = (value.clone().into(), now + Receipt::LIFE);
                    add_receipt(&mut change, Receipt { key, outcome, mails_queued, input, expires_at }, now);
                }
                let outcome =
                    Reply { value, is_replay: false, is_of_other_input: false, mails_queued, changes };
                Ok(Decision { outcome, change, activity, decides_again })
            }
        };
        let committed = async {
            // A preview changes nothing, so it does not wait for a write that takes long.
            let _turn = match self.shared.is_preview {
                true => None,
                false => Some(self.shared.turn(self.organization_id(), operation).await?),
            };
            self.shared.commit(&self.actor, with_receipt).await
        };
        let error = match committed.await {
            Ok(Ok(reply)) => return Ok(reply),
            Ok(Err(refusal)) => {
                if let Refusal::Taken(record) = &refusal
                    && let Record::Receipt(receipt) = &**record
                    && let Some(reply) = Reply::stored(Receipt::clone(receipt), input)
                {
                    return Ok(reply);
                }
                return Err(refusal_error(refusal, self.principal.limits));
            }
            Err(error @ Error::Store(_)) => return Err(error),
            Err(error) => error,
        };
        let stored = match key {
            Some(key) => self.find_reply(key, input).await?,
            None => None,
        };
        stored.ok_or(error)
    }
}

fn add_receipt(change: &mut ChangeSet, receipt: Receipt, now: Timestamp) {
    // The first requirement, so that a stored answer takes precedence over every other refusal.
    change.requires.insert(0, Requirement::Absent { unique: Unique::Receipt(receipt.key.clone()), now });
    change.insert(receipt);
}
