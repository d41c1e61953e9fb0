//! Tokens of an organization.

use super::super::Shared;
use super::Admin;
use crate::activity::Actor;
use crate::error::Result;
use crate::id::{OrganizationId, TokenId};
use crate::input::NewToken;
use crate::organization::Organization;
use crate::rules::{self, Decision};
use crate::secret::{self, TokenText};
use crate::store::{Deleted, Kind, Record, RecordKey};
use crate::token::Token;

impl Admin {
    /// Creates a token. Returns the record and the text of the token. Only this call returns the text: the store keeps
    /// a digest.
    ///
    /// A retry after an unknown result may create a second token. The text of the first one is lost, so revoke that
    /// token.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`](crate::Error::NotFound) if there is no such organization. Returns
    /// [`Error::Invalid`](crate::Error::Invalid) if the token has no scope, or its life is not 1 to 365 days.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// use signup_core::{NewToken, Scope};
    ///
    /// let scopes = [Scope::EventsRead, Scope::EventsWrite].into();
    /// let new = NewToken::new("Calendar script".parse()?, scopes).expires_in_days(90);
    /// let (token, text) = service.admin().create_token(organization.id, new).await?;
    /// println!("The token {} is shown only now: {}", token.name, text.reveal());
    /// # Ok(()) }) }
    /// ```
    pub async fn create_token(
        &self,
        organization: OrganizationId,
        new: NewToken,
    ) -> Result<(Token, TokenText)> {
        let organization: Organization = self.shared.get(RecordKey::Organization(organization)).await?;
        let text = TokenText::generate();
        let (new, digest) = (&new, text.digest());
        let create = move |now| async move {
            let id = TokenId::new(secret::new_uuid(now));
            rules::create_token(organization.id, new, &Actor::Operator, (id, digest), now)
        };
        let token = self.shared.commit_unrefused(&Actor::Operator, create).await?;
        Ok((token, text))
    }

    /// Lists all tokens of an organization by ascending id, expired and revoked ones included.
    ///
    /// See [`revoke_token`](Self::revoke_token) for an example.
    pub async fn tokens(&self, organization: OrganizationId) -> Result<Vec<Token>> {
        Ok(self.shared.store.tokens(organization).await?)
    }

    /// Revokes a token. [`authenticate`](crate::Service::authenticate) then refuses the token: at once in this process,
    /// and within 5 seconds in others. Existing sessions of the token stay valid until the token expires. A token that
    /// is already revoked stays unchanged.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`](crate::Error::NotFound) if there is no such token.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// use signup_core::{Error, NewToken, Scopes};
    ///
    /// let new = NewToken::new("Calendar script".parse()?, Scopes::all());
    /// let (_, text) = service.admin().create_token(organization.id, new).await?;
    /// for token in service.admin().tokens(organization.id).await? {
    ///     service.admin().revoke_token(token.id).await?;
    /// }
    /// let revoked = service.authenticate(text.reveal()).await;
    /// assert!(revoked.is_err_and(|error| error == Error::Unauthenticated));
    /// # Ok(()) }) }
    /// ```
    pub async fn revoke_token(&self, id: TokenId) -> Result<Token> {
        let owner = self.shared.owner(Kind::Token, id.uuid()).await?;
        self.shared.revoke_token(&Actor::Operator, owner, id).await
    }

    /// Records the last use of each [token](Token::last_used_at) and each [sign-in](crate::SignIn::used_at) that this process has
    /// noted since the last call. A server calls this method once a minute and when it ends, in a task of its own, so that no
    /// request waits for it. A program that never calls it signs people out after [14 days](crate::SignIn::IDLE_LIFETIME).
    ///
    /// A process that is killed loses the uses since the last call. Other processes know of a use only after the call, so they may
    /// sign out a person who had not used the sign-in for almost 14 days.
    ///
    /// Writes each record at most once a minute, however many requests it makes and however many processes it uses. The requests
    /// pay nothing: [`Service::authenticate`](crate::Service::authenticate) and [`People::signed_in`](crate::People::signed_in)
    /// only note the use.
    ///
    /// # Errors
    /// Fails if the store fails. A use that cannot be recorded keeps no other from being recorded, and the next call records it.
    /// The error is the first one.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// use signup_core::{NewToken, Scopes};
    ///
    /// let admin = service.admin();
    /// let new = NewToken::new("Calendar script".parse()?, Scopes::all());
    /// let (token, text) = admin.create_token(organization.id, new).await?;
    /// assert_eq!(token.last_used_at, None);
    ///
    /// service.authenticate(text.reveal()).await?;
    /// admin.record_uses().await?;
    /// let tokens = admin.tokens(organization.id).await?;
    /// assert!(tokens.iter().any(|found| found.id == token.id && found.last_used_at.is_some()));
    /// # Ok(()) }) }
    /// ```
    pub async fn record_uses(&self) -> Result<()> {
        self.shared.record_uses().await
    }
}

impl Shared {
    /// Records the noted uses. Each stays noted until it is recorded, so it counts meanwhile.
    async fn record_uses(&self) -> Result<()> {
        let mut recorded = Ok(());
        for (key, used_at) in self.uses.noted() {
            let record = |_| async {
                Ok(match self.store.record(&key, Deleted::Excluded).await? {
                    Some(Record::Token(token)) => rules::use_token(*token, used_at),
                    Some(Record::SignIn(sign_in)) => rules::use_sign_in(*sign_in, used_at),
                    _ => Decision::unchanged(()),
                })
            };
            match self.commit_unrefused(&Actor::System, record).await {
                Ok(()) => self.uses.forget(&key, used_at),
                Err(error) => recorded = recorded.and(Err(error)),
            }
        }
        recorded
    }

    /// Revokes a token of an organization. The next request with a token of this process reads the token again.
    pub(in crate::service) async fn revoke_token(
        &self,
        actor: &Actor,
        organization: OrganizationId,
        id: TokenId,
    ) -> Result<Token> {
        let revoked = self
            .commit_unrefused(actor, move |now| async move {
                Ok(rules::revoke_token(self.get(RecordKey::Token(organization, id)).await?, now))
            })
            .await;
        self.tokens.clear();
        revoked
    }
}
