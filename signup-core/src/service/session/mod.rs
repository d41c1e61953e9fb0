//! Sessions: what a token may do, in its own organization.

mod event_life;
mod events;
mod questions;
mod shifts;
mod signups;

use std::sync::Arc;

use jiff::Timestamp;

pub use events::{EventList, EventPages};
pub use signups::SignupList;

use super::Shared;
use super::commit::{Refused, refusal_error};
use crate::allowance::RateKey;
use crate::error::{Error, Result};
use crate::fault::Faults;
use crate::id::{OrganizationId, TokenId};
use crate::input::Input;
use crate::organization::Organization;
use crate::plan::PlanLimits;
use crate::question::Question;
use crate::receipt::{EventWithShifts, IdempotencyKey, Operation, Outcome, Receipt, ReceiptKey};
use crate::rules::Decision;
use crate::shift::Shift;
use crate::store::{ChangeSet, Record, RecordKey, Refusal, Requirement, Unique};
use crate::token::{Scope, Scopes};

/// The handle of a token: reads and writes in one organization, within the scopes of the token.
///
/// [`Service::authenticate`](super::Service::authenticate) returns the session of a token.
/// [`Service::session_for`](super::Service::session_for) returns one for a program with a login of its own. A session
/// is cheap to clone. An existing session does not notice that its token was revoked or that the plan was changed, so a
/// server authenticates each request.
///
/// After [`Error::Store`], retry a call that creates (an event, a copy, shifts, a question) only with the same
/// idempotency key: see [`with_key`](Self::with_key). A repeated delete without a key returns [`Error::NotFound`] if
/// the first call was applied. Every other call is safe to retry.
///
/// # Errors
/// Each method that reads or writes records has these errors, besides those that it lists:
///
/// - [`Error::Unauthenticated`] if the token has expired.
/// - [`Error::MissingScope`] if the session lacks the scope that the method names.
/// - [`Error::Store`] if the store fails. After a write, it is unknown whether the write was applied.
/// - [`Error::Contended`], for writes only, if other changes of the same event kept the write from committing for 10
///   seconds.
#[derive(Debug, Clone)]
pub struct Session {
    shared: Arc<Shared>,
    principal: Principal,
    key: Result<Option<IdempotencyKey>, Faults>,
}

/// The identity and the rights of a session.
#[derive(Debug, Clone, Copy)]
pub(super) struct Principal {
    pub(super) organization: OrganizationId,
    /// [`TokenId::NONE`] for a session without a token.
    pub(super) token: TokenId,
    pub(super) scopes: Scopes,
    pub(super) limits: PlanLimits,
    pub(super) expires_at: Timestamp,
}

/// The answer to a write.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Reply<T> {
    /// The record after the write. In a replay, the record after the first write.
    pub outcome: T,
    /// Whether the outcome was stored by an earlier call with the same key. This call then wrote nothing.
    pub is_replay: bool,
}

impl Session {
    pub(super) const fn new(shared: Arc<Shared>, principal: Principal) -> Self {
        Self { shared, principal, key: Ok(None) }
    }

    /// Returns the organization that the session belongs to.
    ///
    /// See [`token_id`](Self::token_id) for an example.
    pub const fn organization_id(&self) -> OrganizationId {
        self.principal.organization
    }

    /// Returns the id of the token; `None` for a session without a token.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{NewOrganization, Service};
    /// # use signup_store_memory::MemoryStore;
    /// use signup_core::{NewToken, Scopes};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let service = Service::new(MemoryStore::new());
    /// # let food_bank = NewOrganization::new("Riverside Food Bank".parse()?);
    /// # let organization = service.admin().create_organization(food_bank).await?;
    /// let new = NewToken::new("Calendar script".parse()?, Scopes::all()).expires_in_days(30);
    /// let (token, text) = service.admin().create_token(organization.id, new).await?;
    /// let session = service.authenticate(text.reveal()).await?;
    /// assert_eq!(session.organization_id(), organization.id);
    /// assert_eq!(session.token_id(), Some(token.id));
    /// assert_eq!(session.expires_at(), Some(token.expires_at));
    /// assert_eq!(session.scopes(), Scopes::all());
    /// assert_eq!(session.limits().active_events, 5);
    /// # Ok(())
    /// # }
    /// ```
    pub fn token_id(&self) -> Option<TokenId> {
        Some(self.principal.token).filter(|token| *token != TokenId::NONE)
    }

    /// Returns when the token expires; `None` for a session without a token.
    ///
    /// See [`token_id`](Self::token_id) for an example.
    pub fn expires_at(&self) -> Option<Timestamp> {
        self.token_id().map(|_| self.principal.expires_at)
    }

    /// Returns the scopes of the session.
    ///
    /// See [`token_id`](Self::token_id) for an example.
    pub const fn scopes(&self) -> Scopes {
        self.principal.scopes
    }

    /// Returns the limits of the organization's plan.
    ///
    /// See [`token_id`](Self::token_id) for an example.
    pub const fn limits(&self) -> PlanLimits {
        self.principal.limits
    }

    pub(super) const fn rate_key(&self) -> RateKey {
        RateKey::Token(self.principal.organization, self.principal.token)
    }

    /// Returns the session with an idempotency key for its writes. The first write with a key stores its outcome. A
    /// retry with the same key writes nothing and returns that outcome, with [`Reply::is_replay`] set.
    ///
    /// - **Choice**: use a new key for each logical operation, for example a UUID, and the same key for each retry.
    /// - **Match**: two uses of a key match only if the token, the method and the record id are the same. Sessions of
    ///   an organization [without a token](super::Service::session_for) share their keys.
    /// - **Other input**: the input is not compared. A key that is used again with other input returns the first
    ///   outcome, even if the new input has faults, and the new input is not applied.
    /// - **Time**: an outcome is kept for [24 hours](Receipt::LIFE). After that, the same key runs the operation again.
    /// - **Errors**: a write that fails stores nothing, so a retry runs the operation. After [`Error::Store`], it is
    ///   unknown whether the write was applied. A retry then returns the stored outcome, or runs the operation.
    ///
    /// A missing scope and an expired token are reported before the stored outcome is looked up. Reads ignore the key.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{NewOrganization, NewEvent, Scopes, Service, date};
    /// # use signup_store_memory::MemoryStore;
    /// # tokio::runtime::Runtime::new()?.block_on(async {
    /// # let service = Service::new(MemoryStore::new());
    /// # let organization = service.admin().create_organization(NewOrganization::new("A".parse()?)).await?;
    /// # let session = service.session_for(organization.id, Scopes::all()).await?;
    /// let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    /// let keyed = session.with_key("food-drive-2027-06-05".parse()?);
    /// let first = keyed.create_event(drive.clone()).await?;
    /// let again = keyed.create_event(drive).await?;
    /// assert!(!first.is_replay && again.is_replay);
    /// assert_eq!(first.outcome, again.outcome);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_key(&self, key: IdempotencyKey) -> Self {
        self.with_checked_key(Ok(Some(key)))
    }

    /// Returns the session with a key that a server has parsed from a request. The key works as in
    /// [`with_key`](Self::with_key).
    ///
    /// `Ok(None)` means no key. With the faults of a malformed key, each write checks its scope and then returns the
    /// faults as [`Error::Invalid`].
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{Capacity, FixedClock, NewEvent, NewOrganization, NewShift, Scopes, Service, date};
    /// # use signup_store_memory::MemoryStore;
    /// use signup_core::{Faults, IdempotencyKey};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let clock = FixedClock::at("2027-05-01T12:00:00Z".parse()?);
    /// # let service = Service::new(MemoryStore::new()).with_clock(clock);
    /// # let food_bank = NewOrganization::new("Riverside Food Bank".parse()?);
    /// # let organization = service.admin().create_organization(food_bank).await?;
    /// # let session = service.session_for(organization.id, Scopes::all()).await?;
    /// # let packing = NewShift::new("Packing".parse()?, Capacity::new(8)?);
    /// # let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    /// # let created = session.create_event(drive.shift(packing).published()).await?.outcome;
    /// // The header of a request, or `None` if the request has none.
    /// let header = Some("food-drive-2027-06-12");
    /// let key = header.map(str::parse::<IdempotencyKey>).transpose();
    /// let key = key.map_err(|error| Faults::one("idempotency_key", error));
    ///
    /// let session = session.with_checked_key(key);
    /// let copy = session.duplicate_event(created.event.id, date(2027, 6, 12)).await?;
    /// assert!(!copy.is_replay);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_checked_key(&self, key: Result<Option<IdempotencyKey>, Faults>) -> Self {
        Self { key, ..self.clone() }
    }

    /// Reads the organization.
    ///
    /// Requires [`Scope::OrganizationRead`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization no longer exists.
    ///
    /// # Example
    ///
    /// ```
    /// # use signup_core::{NewOrganization, Scopes, Service};
    /// # use signup_store_memory::MemoryStore;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let service = Service::new(MemoryStore::new());
    /// # let food_bank = NewOrganization::new("Riverside Food Bank".parse()?);
    /// # let organization = service.admin().create_organization(food_bank).await?;
    /// # let session = service.session_for(organization.id, Scopes::all()).await?;
    /// assert_eq!(session.organization().await?.slug, "riverside-food-bank");
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "team")]
    pub async fn organization(&self) -> Result<Organization> {
        self.require(Scope::OrganizationRead)?;
        self.shared.get(RecordKey::Organization(self.principal.organization)).await
    }

    /// Returns whether the token has not expired.
    pub(super) fn is_valid(&self) -> bool {
        self.shared.now() < self.principal.expires_at
    }

    /// Checks that the token has not expired and has the scope.
    fn require(&self, scope: Scope) -> Result<()> {
        if !self.is_valid() {
            return Err(Error::Unauthenticated);
        }
        if self.principal.scopes.contains(scope) { Ok(()) } else { Err(Error::MissingScope(scope)) }
    }

    /// Reads the input, waits for the turn of the operation, decides and commits. With a key, commits the receipt in the
    /// same change set.
    ///
    /// A stored answer takes precedence over every error of the input or the records, so the receipt is looked up after
    /// such an error. Without an error, the commit itself finds the receipt, so a first request needs no separate
    /// lookup.
    async fn write<V, T, I, F>(
        &self,
        operation: Operation,
        input: I,
        decide: impl Fn(V, Timestamp) -> F + Send + Sync,
    ) -> Result<Reply<T>, I::Error>
    where
        V: Clone + Send + Sync,
        T: Recorded,
        I: Input<V>,
        F: Future<Output = Result<Decision<T>>> + Send,
    {
        let key = self.key.clone().map_err(Error::from)?.map(|key| self.receipt_key(operation, key));
        let read = input.read().await;
        // The token may expire while a slow body is read.
        if !self.is_valid() {
            return Err(Error::Unauthenticated.into());
        }
        let value = match read {
            Ok(value) => value,
            Err(error) => return self.replay(key.as_ref()).await?.ok_or(error),
        };
        let with_receipt = |now| {
            let decided = decide(value.clone(), now);
            let key = key.clone();
            async move {
                let mut decision = decided.await?;
                if let Some(key) = key {
                    add_receipt(&mut decision.change, key, decision.outcome.clone().into(), now);
                }
                Ok(decision)
            }
        };
        let committed = async {
            let _turn = self.shared.turn(self.organization_id(), operation).await?;
            self.shared.commit(with_receipt).await
        };
        let error = match committed.await {
            Ok(Ok(outcome)) => return Ok(Reply { outcome, is_replay: false }),
            Ok(Err(Refused { refusal, .. })) => {
                let stored = match &refusal {
                    Refusal::Taken(record) => match &**record {
                        Record::Receipt(receipt) => replay_of(receipt.outcome.clone()),
                        _ => None,
                    },
                    _ => None,
                };
                return Ok(stored.ok_or_else(|| refusal_error(refusal, self.principal.limits))?);
            }
            Err(error @ Error::Store(_)) => return Err(error.into()),
            Err(error) => error,
        };
        Ok(self.replay(key.as_ref()).await?.ok_or(error)?)
    }

    async fn replay<T: Recorded>(&self, key: Option<&ReceiptKey>) -> Result<Option<Reply<T>>> {
        let Some(key) = key else { return Ok(None) };
        let receipt = self.shared.store.get::<Receipt>(RecordKey::Receipt(key.clone())).await?;
        let receipt = receipt.filter(|receipt| receipt.is_live(self.shared.now()));
        Ok(receipt.and_then(|receipt| replay_of(receipt.outcome)))
    }

    const fn receipt_key(&self, operation: Operation, key: IdempotencyKey) -> ReceiptKey {
        let Principal { organization, token, .. } = self.principal;
        ReceiptKey { organization, token, operation, key }
    }
}

/// An outcome that a receipt can hold.
pub(super) trait Recorded: Clone + Send + Into<Outcome> {
    /// Returns the outcome if it is of this type.
    fn from_outcome(outcome: Outcome) -> Option<Self>;
}

macro_rules! recorded {
    ($($type:ty: |$outcome:ident| $into:expr, $pattern:pat => $from:expr;)*) => {$(
        impl From<$type> for Outcome {
            fn from($outcome: $type) -> Self {
                $into
            }
        }

        impl Recorded for $type {
            fn from_outcome(outcome: Outcome) -> Option<Self> {
                if let $pattern = outcome { Some($from) } else { None }
            }
        }
    )*};
}

recorded! {
    EventWithShifts: |event| Self::Event(Box::new(event)), Outcome::Event(event) => *event;
    Shift: |shift| Self::Shift(Box::new(shift)), Outcome::Shift(shift) => *shift;
    Vec<Shift>: |shifts| Self::Shifts(shifts), Outcome::Shifts(shifts) => shifts;
    Question: |question| Self::Question(Box::new(question)), Outcome::Question(question) => *question;
    (): |_deleted| Self::Deleted {}, Outcome::Deleted {} => ();
}

fn add_receipt(change: &mut ChangeSet, key: ReceiptKey, outcome: Outcome, now: Timestamp) {
    // The first requirement, so that a stored answer takes precedence over every other refusal.
    change.requires.insert(0, Requirement::Absent { unique: Unique::Receipt(key.clone()), now });
    change.insert(Receipt { key, outcome, expires_at: now + Receipt::LIFE });
}

fn replay_of<T: Recorded>(outcome: Outcome) -> Option<Reply<T>> {
    T::from_outcome(outcome).map(|outcome| Reply { outcome, is_replay: true })
}
