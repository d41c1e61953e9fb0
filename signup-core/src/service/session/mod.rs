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
mod summaries;
mod token;
mod volunteers;
mod webhooks;
mod writes;

use std::sync::Arc;

use jiff::Timestamp;

pub use pages::{PageQuery, Pages};
pub use token::TokenUse;
pub use writes::{PendingWrite, Reply};

use super::Shared;
use crate::activity::Actor;
use crate::allowance::RateKey;
use crate::error::{Error, Result};
use crate::id::{CallerId, OrganizationId, PersonId, TokenId};
use crate::organization::Organization;
use crate::permission::{Permission, Permissions};
use crate::person::{Person, Role};
use crate::plan::PlanLimits;
use crate::rules;
use crate::sign_in::SignIn;
use crate::store::RecordKey;
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
/// invitation) only with the same idempotency key: see [`PendingWrite::with_key`]. A repeated delete without a key
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
        Self { shared, principal, actor: Arc::new(actor) }
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

    /// Returns the id of the token or the person; [`CallerId::NONE`] for the session of a program.
    fn caller(&self) -> CallerId {
        match *self.actor {
            Actor::Token { id, .. } => id.into(),
            Actor::Person { id, .. } => id.into(),
            _ => CallerId::NONE,
        }
    }
}
