//! The settings of a session's organization: its fields and its tokens. Only people have these permissions.

use super::{PendingWrite, Session};
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::id::TokenId;
use crate::input::{NewToken, OrganizationPatch};
use crate::organization::Organization;
use crate::permission::Permission;
use crate::receipt::OperationKind;
use crate::rules;
use crate::secret::{self, TokenText};
use crate::token::Token;

impl Session {
    /// Changes the fields of the organization that `patch` names. The slug stays. Updates of different fields at the same time are
    /// all applied.
    ///
    /// Requires [`Permission::UpdateOrganization`].
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the organization no longer exists.
    /// - [`Error::Conflict`] if another caller has changed a field since its value in the patch was
    ///   [read](OrganizationPatch::read).
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// use signup_core::{Acceptance, NewInvitation, OrganizationPatch, Role};
    /// # let owner = NewInvitation::new("ada@example.org".parse()?, "Ada Lovelace".parse()?, Role::Owner);
    /// # let (_, link) = service.admin().invite_person(organization.id, owner).await?.ok_or("a member already")?;
    /// # let (ada, _) = service.people().accept(&link, None, Acceptance::Member { name: None }).await?.ok_or("a person already")?;
    /// let session = ada.session(&organization.slug)?;
    /// let patch = OrganizationPatch::new().contact("help@riverside.example.org".parse()?);
    /// let changed = session.update_organization(patch).await?;
    /// assert_eq!(changed.name, organization.name);
    /// # Ok(()) }) }
    /// ```
    pub async fn update_organization(&self, patch: OrganizationPatch) -> Result<Organization> {
        self.require(Permission::UpdateOrganization)?;
        self.shared.update_organization(&self.actor, self.organization_id(), &patch).await
    }

    /// Lists all tokens of the organization by ascending id, expired and revoked ones included.
    ///
    /// Requires [`Permission::ReadTokens`].
    ///
    /// See [`create_token`](Self::create_token) for an example.
    pub async fn tokens(&self) -> Result<Vec<Token>> {
        self.require(Permission::ReadTokens)?;
        Ok(self.shared.store.tokens(self.organization_id()).await?)
    }

    /// Creates a token. Returns the record and the text of the token. Only this call returns the text: the store keeps a digest.
    /// The token belongs to the organization, so it stays valid when the person who made it leaves.
    ///
    /// A repeated call with the same idempotency key returns the token that the first call created, and no text. If the text
    /// is lost, revoke that token. Requires [`Permission::ManageTokens`].
    ///
    /// # Errors
    /// Returns [`Error::Invalid`] if the token has no scope, or its life is not 1 to 365 days.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// use signup_core::{Acceptance, Error, NewInvitation, NewToken, Role, Scope};
    /// # let owner = NewInvitation::new("ada@example.org".parse()?, "Ada Lovelace".parse()?, Role::Owner);
    /// # let (_, link) = service.admin().invite_person(organization.id, owner).await?.ok_or("a member already")?;
    /// # let (ada, _) = service.people().accept(&link, None, Acceptance::Member { name: None }).await?.ok_or("a person already")?;
    /// let session = ada.session(&organization.slug)?;
    /// let new = NewToken::new("Calendar script".parse()?, [Scope::EventsRead].into()).expires_in_days(90);
    /// let (token, text) = session.create_token(new).await?;
    /// let text = text.ok_or("an earlier call has created the token")?;
    /// println!("The token {} is shown only now: {}", token.name, text.reveal());
    /// assert_eq!(session.tokens().await?, [token.clone()]);
    /// session.revoke_token(token.id).await?;
    /// let revoked = service.authenticate(text.reveal()).await;
    /// assert!(revoked.is_err_and(|error| error == Error::Unauthenticated));
    /// # Ok(()) }) }
    /// ```
    pub fn create_token(&self, new: NewToken) -> PendingWrite<'_, (Token, Option<TokenText>)> {
        let text = TokenText::generate();
        let digest = text.digest();
        self.write(OperationKind::CreateToken, new, move |new, now| async move {
            let organization = self.own_organization().await?.id;
            let id = TokenId::new(secret::new_uuid(now));
            rules::create_token(organization, &new, &self.actor, (id, digest), now)
        })
        .map(move |token: Token| {
            let is_new = token.digest == digest;
            (token, is_new.then_some(text))
        })
    }

    /// Revokes a token. It is then refused: at once in this process, and within 5 seconds in others. A token that is already
    /// revoked stays unchanged.
    ///
    /// Requires [`Permission::ManageTokens`].
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such token.
    ///
    /// See [`create_token`](Self::create_token) for an example.
    pub async fn revoke_token(&self, id: TokenId) -> Result<Token> {
        self.require(Permission::ManageTokens)?;
        self.shared.revoke_token(&self.actor, self.organization_id(), id).await
    }
}
