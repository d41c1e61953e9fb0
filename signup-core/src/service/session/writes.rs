//! How a session writes: with a key, with the digest of an input, or as a preview. And what its last write did besides its outcome.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::super::Shared;
use super::Session;
use crate::caller_key::IdempotencyKey;
use crate::receipt::Receipt;
use crate::secret::Digest;

/// What the writes of a session and of its clones share.
#[derive(Debug, Default)]
pub(super) struct Writes {
    pub(super) key: Option<IdempotencyKey>,
    /// The digest of the input of the write with the key.
    pub(super) input: Option<Digest>,
    pub(super) last: Mutex<LastWrite>,
}

/// What the last write of a session did besides its outcome.
#[derive(Debug, Clone, Default)]
pub(super) struct LastWrite {
    /// Whether the write returned a stored outcome.
    pub(super) is_replay: bool,
    /// Whether the stored outcome is that of another input.
    pub(super) is_of_other_input: bool,
    /// The number of mails that the write queued.
    pub(super) mails_queued: u32,
    /// The names of the fields that got another value.
    pub(super) changes: Vec<&'static str>,
}

impl Writes {
    /// Notes that the last write returned the outcome of `receipt`. `None` if it returned an error, or has not returned yet.
    pub(super) fn note_replay(&self, receipt: Option<&Receipt>) {
        let is_other = |receipt: &Receipt| receipt.input.is_some() && receipt.input != self.input;
        *self.last() = LastWrite {
            is_replay: receipt.is_some(),
            is_of_other_input: receipt.is_some_and(is_other),
            mails_queued: receipt.map_or(0, |receipt| receipt.mails_queued),
            changes: vec![],
        };
    }

    pub(super) fn last(&self) -> MutexGuard<'_, LastWrite> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// Returns the session with an idempotency key for its writes. The first write with a key stores its outcome. A
    /// retry with the same key writes nothing and returns that outcome. [`is_replay`](Self::is_replay) then returns `true`.
    ///
    /// - **Choice**: use a new key for each logical operation, for example a UUID, and the same key for each retry.
    /// - **Match**: two uses of a key match only if the token or the person, the method and the record id are the same.
    ///   Sessions of an organization for a [program](crate::Service::session_for) share their keys.
    /// - **Other input**: the input is not compared. A key that is used again with other input returns the first
    ///   outcome, even if the new input has faults, and the new input is not applied. A caller that wants to tell such a use from a
    ///   retry gives a [digest](Self::with_input) of the input.
    /// - **Time**: an outcome is kept for [24 hours](Receipt::LIFE). After that, the same key runs the operation again.
    /// - **Errors**: a write that fails stores nothing, so a retry runs the operation. After [`Error::Store`](crate::Error::Store), it is
    ///   unknown whether the write was applied. A retry then returns the stored outcome, or runs the operation.
    ///
    /// A missing permission and an expired session are reported before the stored outcome is looked up. Reads ignore the key.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, .. }| {
    /// let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    /// let keyed = session.with_key("food-drive-2027-06-05".parse()?);
    /// let first = keyed.create_event(drive.clone()).await?;
    /// assert!(!keyed.is_replay());
    /// let again = keyed.create_event(drive).await?;
    /// assert!(keyed.is_replay());
    /// assert_eq!(first, again);
    /// # Ok(()) }) }
    /// ```
    #[must_use]
    pub fn with_key(&self, key: IdempotencyKey) -> Self {
        let writes = Writes { key: Some(key), input: self.writes.input, ..Writes::default() };
        Self { writes: Arc::new(writes), ..self.clone() }
    }

    /// Returns the session with a digest of the input of its keyed write. The digest is stored with the outcome, so
    /// [`is_of_other_input`](Self::is_of_other_input) can tell another use of the key from a retry.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, .. }| {
    /// use signup_core::Digest;
    ///
    /// let create = async |title: &str| {
    ///     let keyed = session.with_key("form-1".parse()?).with_input(Digest::of(title));
    ///     let drive = NewEvent::new(title.parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    ///     let created = keyed.create_event(drive).await?;
    ///     Ok::<_, Box<dyn std::error::Error>>((created.event.title.to_string(), keyed.is_of_other_input()))
    /// };
    /// assert_eq!(create("Food drive").await?, ("Food drive".to_owned(), false));
    /// assert_eq!(create("Food drive").await?, ("Food drive".to_owned(), false));
    /// assert_eq!(create("Fun run").await?, ("Food drive".to_owned(), true));
    /// # Ok(()) }) }
    /// ```
    #[must_use]
    pub fn with_input(&self, input: Digest) -> Self {
        let writes = Writes { key: self.writes.key.clone(), input: Some(input), ..Writes::default() };
        Self { writes: Arc::new(writes), ..self.clone() }
    }

    /// Returns a session without a key whose writes change nothing. Each returns what the same write of this session would return now:
    /// the outcome or the error, [the number of mails](Self::mails_queued) and the [fields that change](Self::changes). The ids, slugs
    /// and secrets in an outcome are made up. A program shows its user what a write would do before it writes.
    ///
    /// A preview [with a key](Self::with_key) returns the outcome that an earlier call has stored under the key.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, session, created, ada, .. }| {
    /// use signup_core::EventPatch;
    ///
    /// # service.volunteers().form_of(organization.id, created.shifts[0].id).await?.sign_up(ada).await?;
    /// let preview = session.preview();
    /// let moved = preview.patch_event(created.event.id, EventPatch::new().start_date(date(2027, 6, 12))).await?;
    /// assert_eq!(moved.event.dates.starts_at().to_string(), "2027-06-12T04:00:00Z");
    /// assert_eq!((preview.mails_queued(), preview.changes()), (1, vec!["start_date"]));
    /// assert_eq!(session.event(created.event.id).await?.event, created.event);
    /// # Ok(()) }) }
    /// ```
    #[must_use]
    pub fn preview(&self) -> Self {
        let shared = Shared { is_preview: true, ..Shared::clone(&self.shared) };
        Self { shared: Arc::new(shared), writes: Arc::default(), ..self.clone() }
    }

    /// Returns whether the last write of this session, or of a clone of it, returned an outcome that an earlier call had
    /// stored under the key. Use a keyed session of its own for each write whose replay matters.
    ///
    /// See [`with_key`](Self::with_key) for an example.
    pub fn is_replay(&self) -> bool {
        self.writes.last().is_replay
    }

    /// Returns whether the last write returned an outcome that an earlier call with [another input](Self::with_input) had stored under
    /// the key. `false` if that call gave no digest of its input.
    ///
    /// See [`with_input`](Self::with_input) for an example.
    pub fn is_of_other_input(&self) -> bool {
        self.writes.last().is_of_other_input
    }

    /// Returns the number of mails that the last [`Operation`](crate::Operation) queued for volunteers, on this session or on a clone of it.
    ///
    /// Counts only the mails of changes and cancellations of events, and of changes and deletions of shifts. Every other operation
    /// gives 0, also a message to volunteers. An operation that changed nothing or failed gives 0, too.
    ///
    /// Counts one mail for each sign-up that was confirmed when the write was decided. A change that joins mails that already wait
    /// counts them again. A replay returns the number of the first call.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, session, created, ada, .. }| {
    /// use signup_core::Cancellation;
    ///
    /// # service.volunteers().form_of(organization.id, created.shifts[0].id).await?.sign_up(ada).await?;
    /// session.cancel_event(created.event.id, Cancellation::new()).await?;
    /// assert_eq!(session.mails_queued(), 1);
    /// # Ok(()) }) }
    /// ```
    pub fn mails_queued(&self) -> u32 {
        self.writes.last().mails_queued
    }

    /// Returns the names of the fields to which the last [`Operation`](crate::Operation) gave another value, on this session or on a clone of it, as
    /// [`Activity::changes`](crate::Activity::changes) has them. `is_published` comes last. Empty after a replay.
    ///
    /// See [`preview`](Self::preview) for an example.
    pub fn changes(&self) -> Vec<&'static str> {
        self.writes.last().changes.clone()
    }
}
