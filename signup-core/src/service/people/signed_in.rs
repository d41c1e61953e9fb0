//! A person who is signed in: their memberships, the sessions in their organizations, and signing out.

use std::sync::Arc;

use super::super::{Session, Shared};
use crate::activity::Actor;
use crate::allowance::{Allowance, RateKey};
use crate::error::{Error, Result};
use crate::id::OrganizationId;
use crate::organization::Organization;
use crate::person::{Membership, Person};
use crate::rules::{self, Decision};
use crate::secret::Secret;
use crate::sign_in::SignIn;
use crate::store::{Entity as _, RecordKey, SignInInFull};

/// A person who is signed in, with the memberships at the moment of the call that returned it.
///
/// [`People::signed_in`](crate::People::signed_in) reads it for each request, because an existing one does not notice a membership
/// that ends.
#[derive(Debug, Clone)]
pub struct SignedIn {
    shared: Arc<Shared>,
    sign_in: SignIn,
    person: Person,
    memberships: Vec<(Membership, Organization)>,
}

impl SignedIn {
    /// The maximum number of forms that one person posts in a minute.
    pub const POSTS_PER_MINUTE: u32 = 240;
    /// The maximum number of codes that one sign-in asks for in an hour.
    pub const CODES_PER_HOUR: u32 = 5;

    /// Reads the sign-in with this secret, and notes its use.
    pub(super) async fn read(shared: &Arc<Shared>, secret: &Secret) -> Result<Self> {
        let found = shared.store.signed_in(&secret.digest()).await?.ok_or(Error::Unauthenticated)?;
        let SignInInFull { mut sign_in, person, memberships, .. } = found;
        let (key, now) = (sign_in.key(), shared.now());
        // This process may have noted a use that is not recorded yet.
        sign_in.used_at = sign_in.used_at.max(shared.uses.of(&key).unwrap_or(sign_in.used_at));
        let is_void = sign_in.is_ended_by(&person) || sign_in.expires_at() <= now;
        if is_void || memberships.is_empty() {
            return Err(Error::Unauthenticated);
        }
        if sign_in.is_use_to_record(now) {
            shared.uses.note(key, now);
        }
        // This request is a use, too. So its session does not end before the session of a later request.
        let sign_in = SignIn { used_at: now.max(sign_in.used_at), ..sign_in };
        Ok(Self { shared: Arc::clone(shared), sign_in, person, memberships })
    }

    /// Returns the person.
    ///
    /// See [`People`](crate::People) for an example.
    pub const fn person(&self) -> &Person {
        &self.person
    }

    /// Returns the memberships with their organizations, by name: at least one.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, ada: _ada, .. }| {
    /// # use signup_core::{Acceptance, NewInvitation, Role};
    /// # let new = NewInvitation::new("ada@example.org".parse()?, "Ada Lovelace".parse()?, Role::Owner);
    /// # let (_, link) = service.admin().invite_person(organization.id, new).await?.ok_or("a member already")?;
    /// # let (ada, _) = service.people().accept(&link, None, Acceptance::Member { name: None }).await?.ok_or("a person already")?;
    /// let (membership, organization) = &ada.memberships()[0];
    /// assert_eq!((membership.role, organization.slug.as_str()), (Role::Owner, "riverside-food-bank"));
    /// # Ok(()) }) }
    /// ```
    pub fn memberships(&self) -> &[(Membership, Organization)] {
        &self.memberships
    }

    /// Counts a form that the person posts against [`POSTS_PER_MINUTE`](Self::POSTS_PER_MINUTE): the forms of all browsers and
    /// organizations together.
    ///
    /// The caller refuses the form unless [`Allowance::is_allowed`].
    ///
    /// See [`request_code`](Self::request_code) for an example.
    pub async fn count_post(&self) -> Result<Allowance> {
        let key = RateKey::Caller(OrganizationId::NONE, self.person.id.into());
        self.shared.count(key, Self::POSTS_PER_MINUTE).await
    }

    /// Mails a code with which the person confirms that it is them, like [`People::request_code`](crate::People::request_code).
    ///
    /// The call makes no code unless [`Allowance::is_allowed`]: [5 in an hour](Self::CODES_PER_HOUR) for this sign-in. The codes
    /// that others ask for with the address are not counted.
    ///
    /// # Errors
    /// Fails only if the store fails, or other changes kept the call from committing for 10 seconds.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// # use signup_core::{Acceptance, NewInvitation, Role, Secret};
    /// # let new = NewInvitation::new("ada@example.org".parse()?, "Ada Lovelace".parse()?, Role::Owner);
    /// # let (_, link) = service.admin().invite_person(organization.id, new).await?.ok_or("a member already")?;
    /// # let (ada, _) = service.people().accept(&link, None, Acceptance::Member { name: None }).await?.ok_or("a person already")?;
    /// assert!(ada.count_post().await?.is_allowed);
    /// let browser = Secret::generate();
    /// assert!(ada.request_code(&browser).await?.is_allowed);
    /// # Ok(()) }) }
    /// ```
    pub async fn request_code(&self, browser: &Secret) -> Result<Allowance> {
        let key = RateKey::Confirmations(self.sign_in.digest);
        let allowance = self.shared.count(key, Self::CODES_PER_HOUR).await?;
        if allowance.is_allowed {
            self.shared.mail_code(&self.person.email, browser).await?;
        }
        Ok(allowance)
    }

    /// Returns whether the person entered a code, or accepted an invitation as somebody new, within the last
    /// [15 minutes](SignIn::RECENT).
    ///
    /// Without it, a [`Session`] of the person refuses the permissions that
    /// [require a recent sign-in](crate::Permission::requires_recent_sign_in). So a program asks for a code before it manages
    /// tokens, webhooks, members and the data of volunteers.
    ///
    /// See [`People`](crate::People) for an example.
    pub fn is_recent(&self) -> bool {
        self.shared.now() <= self.sign_in.recent_until()
    }

    /// Returns the session of the person in the organization with this slug.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the person is no member of such an organization.
    ///
    /// See [`People`](crate::People) for an example.
    pub fn session(&self, slug: &str) -> Result<Session> {
        let found = self.memberships.iter().find(|(_, organization)| organization.slug == slug);
        let (membership, organization) = found.ok_or(Error::NotFound)?;
        let shared = Arc::clone(&self.shared);
        Ok(Session::of_person(shared, organization, &self.person, membership.role, &self.sign_in))
    }

    /// Ends this sign-in. A sign-in that has ended stays ended.
    ///
    /// # Errors
    /// Fails only if the store fails, or other changes kept the call from committing for 10 seconds.
    ///
    /// See [`sign_out_everywhere`](Self::sign_out_everywhere) for an example.
    pub async fn sign_out(&self) -> Result<()> {
        let sign_out = |_| async {
            let present = self.shared.present(Some(self)).await?;
            Ok(present.map_or_else(|| Decision::unchanged(()), rules::sign_out))
        };
        self.shared.commit_unrefused(&Actor::System, sign_out).await
    }

    /// Ends every sign-in of the person, this one included. A person who is gone stays signed out.
    ///
    /// # Errors
    /// Fails only if the store fails, or other changes kept the call from committing for 10 seconds.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// # use signup_core::{Acceptance, Error, NewInvitation, Role};
    /// # let new = NewInvitation::new("ada@example.org".parse()?, "Ada Lovelace".parse()?, Role::Owner);
    /// # let (_, link) = service.admin().invite_person(organization.id, new).await?.ok_or("a member already")?;
    /// # let people = service.people();
    /// # let (ada, secret) = people.accept(&link, None, Acceptance::Member { name: None }).await?.ok_or("a person already")?;
    /// ada.sign_out_everywhere().await?;
    /// assert_eq!(people.signed_in(&secret).await.err(), Some(Error::Unauthenticated));
    /// # Ok(()) }) }
    /// ```
    pub async fn sign_out_everywhere(&self) -> Result<()> {
        match self.shared.sign_out_everywhere(&Actor::System, self.person.id).await {
            // The last membership has ended meanwhile, and with it every sign-in.
            Err(Error::NotFound) => Ok(()),
            signed_out => signed_out.map(drop),
        }
    }

    /// Returns a handle of the same person whose writes change nothing, like [`Session::preview`].
    ///
    /// See [`leave`](Self::leave) for an example.
    #[must_use]
    pub fn preview(&self) -> Self {
        let shared = Shared { is_preview: true, ..Shared::clone(&self.shared) };
        Self { shared: Arc::new(shared), ..self.clone() }
    }

    /// Ends the person's membership in an organization. The end of the last membership removes the person, and so every sign-in.
    ///
    /// # Errors
    /// - [`Error::NotFound`] if the person is no member.
    /// - [`Error::LastOwner`] if the organization would have no owner left.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// # use signup_core::{Acceptance, Error, NewInvitation, Role};
    /// # let new = NewInvitation::new("ada@example.org".parse()?, "Ada Lovelace".parse()?, Role::Owner);
    /// # let (_, link) = service.admin().invite_person(organization.id, new).await?.ok_or("a member already")?;
    /// # let (ada, _) = service.people().accept(&link, None, Acceptance::Member { name: None }).await?.ok_or("a person already")?;
    /// assert_eq!(ada.preview().leave(organization.id).await, Err(Error::LastOwner));
    /// # Ok(()) }) }
    /// ```
    pub async fn leave(&self, organization: OrganizationId) -> Result<()> {
        let Person { id, ref name, .. } = self.person;
        let actor = Actor::Person { id, name: name.clone() };
        self.shared.remove_member(&actor, organization, Some(id), id).await.map(drop)
    }
}

impl Shared {
    /// Reads the present sign-in of a browser again; `None` if it has ended.
    pub(super) async fn present(&self, current: Option<&SignedIn>) -> Result<Option<SignIn>> {
        let Some(current) = current else { return Ok(None) };
        Ok(self.store.get(RecordKey::SignIn(current.sign_in.digest)).await?)
    }
}
