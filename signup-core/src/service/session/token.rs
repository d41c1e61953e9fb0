//! The token of a session: what it may do, and what its organization has used.

use super::Session;
use crate::error::{Error, Result};
use crate::organization::Organization;
use crate::plan::{Plan, PlanLimits};
use crate::rules::Decision;
use crate::store::{ChangeSet, RecordKey, Refusal, Requirement, Total};
use crate::token::{Scope, Token};

/// A token, with the plan of its organization.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenUse {
    /// The token.
    pub token: Token,
    /// The plan of the organization.
    pub plan: Plan,
    /// The limits of the plan.
    pub limits: PlanLimits,
    /// The number of the organization's active events: published, and not over.
    pub active_events: u32,
}

impl Session {
    /// Reads the token of the session, with the plan of its organization. Requires no scope.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] for a session without a token, and if the organization no longer exists.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// use signup_core::{NewToken, Plan, Scopes};
    ///
    /// let (_, text) = service.admin().create_token(organization.id, NewToken::new("import".parse()?, Scopes::all())).await?;
    /// let found = service.authenticate(text.reveal()).await?.token().await?;
    /// assert_eq!((found.token.name.as_str(), found.plan), ("import", Plan::Free));
    /// assert_eq!((found.active_events, found.limits.active_events), (1, 5));
    /// # Ok(()) }) }
    /// ```
    pub async fn token(&self) -> Result<TokenUse> {
        if !self.is_valid() {
            return Err(Error::Unauthenticated);
        }
        let (organization, id) = (self.organization_id(), self.token_id().ok_or(Error::NotFound)?);
        let token = self.shared.get(RecordKey::Token(organization, id)).await?;
        let Organization { plan, .. } = self.shared.get(RecordKey::Organization(organization)).await?;
        let limits = self.shared.plans.limits(plan);
        Ok(TokenUse { token, plan, limits, active_events: self.count_active_events().await? })
    }

    /// Counts the organization's active events. The [limits](Self::limits) of the plan bound this number.
    ///
    /// Requires [`Scope::EventsRead`].
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { session, .. }| {
    /// assert_eq!((session.active_events().await?, session.limits().active_events), (1, 5));
    /// # Ok(()) }) }
    /// ```
    pub async fn active_events(&self) -> Result<u32> {
        self.require(Scope::EventsRead)?;
        self.count_active_events().await
    }

    /// Counts the organization's active events. The store counts them only to check a requirement, so this method requires
    /// that there are none, and writes nothing.
    async fn count_active_events(&self) -> Result<u32> {
        let organization = self.organization_id();
        let check = |now| async move {
            let total = Total::ActiveEvents(organization);
            let requires = vec![Requirement::Below { total, bound: 0, now }];
            Ok(Decision::unrecorded((), ChangeSet { requires, writes: vec![] }).again_after(|_| false))
        };
        match self.shared.commit(&self.actor, check).await? {
            Ok(()) => Ok(0),
            Err(Refusal::NotBelow { count, .. }) => Ok(count),
            Err(refusal) => Err(Error::Refused(refusal.into())),
        }
    }
}
