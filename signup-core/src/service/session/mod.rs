//! Sessions: what a token or a person may do, in one organization.

mod activity;
mod event_life;
mod events;
mod members;
mod messages;
mod pages;
mod questions;
mod settings;
mod shifts;
mod signups;
mod token;
mod volunteers;
mod webhooks;
mod writes;

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

pub use pages::Pages;
pub use token::TokenUse;
use writes::{LastWrite, Writes};

use super::Shared;
use super::commit::refusal_error;
use crate::activity::Actor;
use crate::allowance::RateKey;
use crate::caller_key::IdempotencyKey;
use crate::error::{Error, Result};
use crate::id::{CallerId, OrganizationId, PersonId, TokenId};
use crate::organization::Organization;
use crate::permission::{Permission, Permissions};
use crate::person::{Person, Role};
use crate::plan::PlanLimits;
use crate::receipt::{Operation, Outcome, Receipt, ReceiptKey};
use crate::rules::{self, Decision};
use crate::sign_in::SignIn;
use crate::store::{ChangeSet, Record, RecordKey, Refusal, Requirement, Unique};
use crate::token::Scope;

/// The handle of a token or a person: reads and writes in one organization, within the [permissions](Permissions) of the
/// token's scopes or of the person's role.
///
/// [`Service::authenticate`](super::Service::authenticate) returns the session of a token.
/// [`Service::session_for`](super::Service::session_for) returns one for a program with a login of its own. A session
/// is cheap to clone. An existing session does not notice that its token was revoked, that the person's role was changed, or
/// that the plan was changed, so a server authenticates each request.
///
/// After [`Error::Store`], retry a call that creates (an event, a copy, shifts, a question, a webhook, a token, an
/// invitation) only with the same idempotency key: see [`with_key`](Self::with_key). A repeated delete without a key
/// returns [`Error::NotFound`] if the first call was applied. Every other call is safe to retry.
///
/// # Errors
/// Each method that reads or writes records has these errors, besides those that it lists:
///
/// - [`Error::Unauthenticated`] if the token has expired, or the person is signed out.
/// - [`Error::MissingScope`] if the token lacks the scope that the method names. [`Error::MissingRole`] if the person lacks
///   the role that has this [permission](Permission::role), or if the method names a permission that no scope allows.
/// - [`Error::NotRecent`] if the permission that the method names [requires](Permission::requires_recent_sign_in) a recent
///   sign-in, and that of the person is not.
/// - [`Error::Store`] if the store fails. After a write, it is unknown whether the write was applied.
/// - [`Error::Contended`], for writes only, if other changes of the same event kept the write from committing for 10
///   seconds.
#[derive(Debug, Clone)]
pub struct Session {
    shared: Arc<Shared>,
    principal: Principal,
    actor: Arc<Actor>,
    writes: Arc<Writes>,
}

/// The organization and the rights of a session.
#[derive(Debug, Clone, Copy)]
pub(super) struct Principal {
    pub(super) organization: OrganizationId,
    pub(super) permissions: Permissions,
    pub(super) limits: PlanLimits,
    /// [`Timestamp::MAX`] for a session that does not expire.
    pub(super) expires_at: Timestamp,
    /// The last instant at which the sign-in is recent. [`Timestamp::MAX`] for a session of a token or a program.
    pub(super) recent_until: Timestamp,
}

impl Session {
    pub(super) fn new(shared: Arc<Shared>, principal: Principal, actor: Actor) -> Self {
        Self { shared, principal, actor: Arc::new(actor), writes: Arc::default() }
    }

    /// Creates the session of a person with this role in the organization.
    pub(super) fn of_person(
        shared: Arc<Shared>,
        organization: &Organization,
        person: &Person,
        role: Role,
        sign_in: &SignIn,
    ) -> Self {
        let principal = Principal {
            organization: organization.id,
            permissions: Permissions::Role(role),
            limits: shared.plans.limits(organization.plan),
            expires_at: sign_in.expires_at(),
            recent_until: sign_in.recent_until(),
        };
        let actor = Actor::Person { id: person.id, name: person.name.clone() };
        Self::new(shared, principal, actor)
    }

    /// Returns the organization that the session belongs to.
    ///
    /// See [`token_id`](Self::token_id) for an example.
    pub const fn organization_id(&self) -> OrganizationId {
        self.principal.organization
    }

    /// Returns the id of the token; `None` for a session that has none.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// use signup_core::{NewToken, Scope, Scopes};
    ///
    /// let new = NewToken::new("Calendar script".parse()?, Scopes::all()).expires_in_days(30);
    /// let (token, text) = service.admin().create_token(organization.id, new).await?;
    /// let session = service.authenticate(text.reveal()).await?;
    /// assert_eq!(session.organization_id(), organization.id);
    /// assert_eq!(session.token_id(), Some(token.id));
    /// assert_eq!(session.expires_at(), Some(token.expires_at));
    /// assert!(session.permissions().contains(Scope::EventsWrite));
    /// assert_eq!(session.limits().active_events, 5);
    /// # Ok(()) }) }
    /// ```
    pub fn token_id(&self) -> Option<TokenId> {
        match *self.actor {
            Actor::Token { id, .. } => Some(id),
            _ => None,
        }
    }

    /// Returns the id of the person; `None` for a session of a token or a program.
    pub fn person_id(&self) -> Option<PersonId> {
        match *self.actor {
            Actor::Person { id, .. } => Some(id),
            _ => None,
        }
    }

    /// Returns when the token expires, or when the person is signed out; `None` for a session of a program.
    ///
    /// See [`token_id`](Self::token_id) for an example.
    pub fn expires_at(&self) -> Option<Timestamp> {
        Some(self.principal.expires_at).filter(|expires_at| *expires_at != Timestamp::MAX)
    }

    /// Returns what the session may do.
    ///
    /// See [`token_id`](Self::token_id) for an example.
    pub const fn permissions(&self) -> Permissions {
        self.principal.permissions
    }

    /// Returns the limits of the organization's plan.
    ///
    /// See [`token_id`](Self::token_id) for an example.
    pub const fn limits(&self) -> PlanLimits {
        self.principal.limits
    }

    pub(super) fn rate_key(&self) -> RateKey {
        RateKey::Caller(self.principal.organization, self.caller())
    }

    /// Checks that the session has not expired and has the permission, and that the sign-in of a person is recent if the permission
    /// [requires](Permission::requires_recent_sign_in) that. Every method that needs a permission does this first.
    ///
    /// A server calls this method before it reads the body of a request, so that a caller without the permission learns
    /// nothing about the body.
    ///
    /// # Errors
    /// Returns [`Error::Unauthenticated`], [`Error::MissingScope`], [`Error::MissingRole`] or [`Error::NotRecent`].
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// use signup_core::{Error, Scope};
    ///
    /// let session = service.session_for(organization.id, [Scope::EventsRead].into()).await?;
    /// assert_eq!(session.require(Scope::EventsRead), Ok(()));
    /// assert_eq!(session.require(Scope::EventsWrite), Err(Error::MissingScope(Scope::EventsWrite)));
    /// # Ok(()) }) }
    /// ```
    pub fn require(&self, permission: impl Into<Permission>) -> Result<()> {
        if !self.is_valid() {
            return Err(Error::Unauthenticated);
        }
        let permission = permission.into();
        rules::check_permission(self.principal.permissions, permission)?;
        let is_late = permission.requires_recent_sign_in() && self.principal.recent_until < self.shared.now();
        if is_late { Err(Error::NotRecent) } else { Ok(()) }
    }

    /// Returns the outcome of the operation that is stored under the session's key, if there is one. Then
    /// [`is_replay`](Self::is_replay) returns `true`.
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
    /// use signup_core::OperationKind;
    ///
    /// # let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    /// let keyed = session.with_key("food-drive-2027-06-05".parse()?);
    /// let created = keyed.create_event(drive).await?;
    /// let stored = keyed.stored_outcome(OperationKind::CreateEvent).await?;
    /// assert_eq!(stored, Some(created.into()));
    /// # Ok(()) }) }
    /// ```
    pub async fn stored_outcome(&self, operation: impl Into<Operation> + Send) -> Result<Option<Outcome>> {
        let operation = operation.into();
        self.require(operation.kind().permission())?;
        self.replay(operation).await
    }

    async fn replay(&self, operation: Operation) -> Result<Option<Outcome>> {
        let Some(key) = &self.writes.key else { return Ok(None) };
        let receipt = self.receipt_key(operation, key);
        let receipt = self.shared.store.get::<Receipt>(RecordKey::Receipt(receipt)).await?;
        let receipt = receipt.filter(|receipt| receipt.is_live(self.shared.now()));
        self.writes.note_replay(receipt.as_ref());
        Ok(receipt.map(|receipt| receipt.outcome))
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
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, .. }| {
    /// assert_eq!(session.organization().await?.slug, "riverside-food-bank");
    /// # Ok(()) }) }
    /// ```
    #[doc(alias = "team")]
    pub async fn organization(&self) -> Result<Organization> {
        self.require(Scope::OrganizationRead)?;
        self.shared.get(RecordKey::Organization(self.principal.organization)).await
    }

    /// Returns whether the session has not expired.
    pub(super) fn is_valid(&self) -> bool {
        self.shared.now() < self.principal.expires_at
    }

    /// Checks the permission, waits for the turn of the operation, decides and commits. With a key, commits the receipt in the
    /// same change set.
    ///
    /// A stored outcome takes precedence over every error of the decision, so the receipt is looked up after such an
    /// error. Without an error, the commit itself finds the receipt, so a first request needs no separate lookup.
    async fn write<T, F>(
        &self,
        operation: impl Into<Operation> + Send,
        decide: impl Fn(Timestamp) -> F + Send + Sync,
    ) -> Result<T>
    where
        T: Clone + Send + Into<Outcome> + TryFrom<Outcome>,
        F: Future<Output = Result<Decision<T>>> + Send,
    {
        let operation = operation.into();
        self.writes.note_replay(None);
        self.require(operation.kind().permission())?;
        let effects = &Mutex::new(LastWrite::default());
        let with_receipt = |now| {
            let decided = decide(now);
            async move {
                let mut decision = decided.await?;
                let mails_queued = rules::mails_of(&decision.change);
                let changes = rules::changes_of(&decision.activity);
                *effects.lock().unwrap_or_else(PoisonError::into_inner) =
                    LastWrite { mails_queued, changes, ..LastWrite::default() };
                if let Some(key) = &self.writes.key {
                    let (key, outcome) = (self.receipt_key(operation, key), decision.outcome.clone().into());
                    let expires_at = now + Receipt::LIFE;
                    add_receipt(
                        &mut decision.change,
                        Receipt { key, outcome, mails_queued, input: self.writes.input, expires_at },
                        now,
                    );
                }
                Ok(decision)
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
            Ok(Ok(outcome)) => {
                let effects = effects.lock().unwrap_or_else(PoisonError::into_inner);
                self.writes.last().clone_from(&effects);
                return Ok(outcome);
            }
            Ok(Err(refusal)) => {
                if let Refusal::Taken(record) = &refusal
                    && let Record::Receipt(receipt) = &**record
                    && let Ok(outcome) = T::try_from(receipt.outcome.clone())
                {
                    self.writes.note_replay(Some(receipt));
                    return Ok(outcome);
                }
                return Err(refusal_error(refusal, self.principal.limits));
            }
            Err(error @ Error::Store(_)) => return Err(error),
            Err(error) => error,
        };
        let stored = self.replay(operation).await?;
        stored.and_then(|outcome| T::try_from(outcome).ok()).ok_or(error)
    }

    /// Returns the id of the token or the person; [`CallerId::NONE`] for the session of a program.
    fn caller(&self) -> CallerId {
        match *self.actor {
            Actor::Token { id, .. } => id.into(),
            Actor::Person { id, .. } => id.into(),
            _ => CallerId::NONE,
        }
    }

    fn receipt_key(&self, operation: Operation, key: &IdempotencyKey) -> ReceiptKey {
        let (organization, caller) = (self.organization_id(), self.caller());
        ReceiptKey { organization, caller, operation, key: key.clone() }
    }
}

fn add_receipt(change: &mut ChangeSet, receipt: Receipt, now: Timestamp) {
    // The first requirement, so that a stored answer takes precedence over every other refusal.
    change.requires.insert(0, Requirement::Absent { unique: Unique::Receipt(receipt.key.clone()), now });
    change.insert(receipt);
}
