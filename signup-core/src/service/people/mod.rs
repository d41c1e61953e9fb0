//! People: signing in with a mailed code, and the acceptance of invitations.

mod invitations;
mod signed_in;

use std::net::IpAddr;
use std::sync::Arc;

use super::Shared;
use crate::activity::Actor;
use crate::allowance::{Allowance, RateKey};
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::id::NoticeId;
use crate::rules::{self, CodeFacts};
use crate::secret::{self, Secret};
use crate::sign_in::{Code, SignIn, SignInCode};
use crate::store::RecordKey;
use crate::text::EmailAddress;

pub use invitations::OpenInvitation;
pub use signed_in::SignedIn;

/// The handle of people, who sign in with a code that is mailed to them, and accept invitations.
///
/// A browser that asks for a code has a [`Secret`] of its own, which the program keeps in a cookie. The code works only with this
/// secret. A person who signs in gets another secret, and [`signed_in`](Self::signed_in) reads the person with it.
///
/// No answer reveals whether a person has an address. A code is made for each address, and the mail to an unknown one is dropped
/// when it is [claimed](crate::Outbox::claim).
///
/// # Errors
/// Each async method returns [`Error::Store`] if the store fails, besides the errors that it lists. After a write, it is then
/// unknown whether the write was applied. A write returns [`Error::Contended`] if other changes of the same record kept it from
/// committing for 10 seconds.
///
/// # Example
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
/// use signup_core::{Acceptance, NewInvitation, NoticeCause, Role, Secret};
///
/// // The operator invites the first owner, who opens the link.
/// let (email, name) = ("ada@example.org".parse()?, "Ada Lovelace".parse()?);
/// let invited = service.admin().invite_person(organization.id, NewInvitation::new(email, name, Role::Owner)).await?;
/// let (_, link) = invited.ok_or("a member already")?;
/// let people = service.people();
/// assert_eq!(people.invitation(&link).await?.organization.name, organization.name);
/// let (ada, _) = people.accept(&link, None, Acceptance::Member { name: None }).await?.ok_or("a person already")?;
/// ada.session(&organization.slug)?.events(EventQuery::new()).await?;
///
/// // Later, the owner asks for a code in another browser.
/// let (browser, address) = (Secret::generate(), "192.0.2.7".parse()?);
/// # let outbox = service.outbox();
/// # let invitation = outbox.due(1).await?.remove(0);
/// # assert!(outbox.claim(&invitation).await?.is_none());
/// people.request_code(&"ada@example.org".parse()?, &browser, address).await?;
/// # let mail = outbox.due(1).await?.remove(0);
/// # let NoticeCause::SignInCode { code, .. } = mail.cause else { panic!("no code") };
/// let (ada, secret) = people.sign_in(&browser, &code, None).await?;
/// assert_eq!(people.signed_in(&secret).await?.person().name.as_str(), "Ada Lovelace");
/// assert!(ada.is_recent());
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone)]
pub struct People {
    shared: Arc<Shared>,
}

impl People {
    /// The maximum number of posts to the pages for signing in from one IP address in a minute.
    pub const POSTS_PER_MINUTE: u32 = 30;
    /// The maximum number of codes for one email address from one IP address in an hour.
    pub const CODES_PER_HOUR_FROM_ADDRESS: u32 = 5;
    /// The maximum number of codes for one email address in an hour. Each client has a small part of it, so that nobody can cheaply
    /// lock a person out.
    pub const CODES_PER_HOUR: u32 = 60;

    pub(super) const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Counts a post to a page for signing in from the IP address `address` against [`POSTS_PER_MINUTE`](Self::POSTS_PER_MINUTE).
    ///
    /// The caller refuses the post unless [`Allowance::is_allowed`]. These posts and other requests are counted separately. An IPv6
    /// address counts as its /64 network.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, .. }| {
    /// let allowance = service.people().count_post("192.0.2.7".parse()?).await?;
    /// assert_eq!((allowance.is_allowed, allowance.remaining), (true, 29));
    /// # Ok(()) }) }
    /// ```
    pub async fn count_post(&self, address: IpAddr) -> Result<Allowance> {
        self.shared.count(RateKey::sign_in(address), Self::POSTS_PER_MINUTE).await
    }

    /// Mails a code for signing in, if a person has the address `email`, to the person's own spelling of it. The code works for
    /// [10 minutes](crate::SignInCode::LIFETIME) in the browser with this secret, and the code that the browser asked for before no
    /// longer works. Codes of other browsers are not affected.
    ///
    /// The call does the same work, and returns the same, whether or not a person has the address. It makes no code unless
    /// [`Allowance::is_allowed`]: [5 in an hour](Self::CODES_PER_HOUR_FROM_ADDRESS) for an email address from the IP address
    /// `address`, which counts as its /48 network if it is IPv6, and [60 in an hour](Self::CODES_PER_HOUR) for an email address. A
    /// person who is signed in, and confirms that it is them, [is counted apart](SignedIn::request_code).
    ///
    /// See [`People`] for an example.
    pub async fn request_code(
        &self,
        email: &EmailAddress,
        browser: &Secret,
        address: IpAddr,
    ) -> Result<Allowance> {
        let shared = &self.shared;
        let here = RateKey::codes_from(address, email);
        let here = shared.count(here, Self::CODES_PER_HOUR_FROM_ADDRESS).await?;
        if !here.is_allowed {
            return Ok(here);
        }
        let everywhere = shared.count(RateKey::codes(email), Self::CODES_PER_HOUR).await?;
        if !everywhere.is_allowed {
            return Ok(everywhere);
        }
        shared.mail_code(email, browser).await?;
        Ok(here)
    }

    /// Signs a person in with the code that was mailed for the browser with this secret. Returns the signed-in person, and the
    /// secret of the sign-in. The new sign-in replaces `current`, the present one of the browser.
    ///
    /// A wrong code is counted before the call returns. A browser has [5 tries](crate::SignInCode::MAX_TRIES) for a code, and a
    /// code works once.
    ///
    /// # Errors
    /// - [`Error::WrongCode`] if the code is wrong, and another try is left.
    /// - [`Error::CodeGone`] if the browser has no code that works: it has expired, it was used, or no try is left.
    ///
    /// See [`People`] for an example.
    pub async fn sign_in(
        &self,
        browser: &Secret,
        code: &Code,
        current: Option<&SignedIn>,
    ) -> Result<(SignedIn, Secret)> {
        let (shared, secret) = (&self.shared, &Secret::generate());
        let enter = move |now| async move {
            let found: Option<SignInCode> = shared.store.get(RecordKey::SignInCode(browser.digest())).await?;
            let person = match &found {
                Some(SignInCode { email, .. }) => shared.find_person(email).await?,
                None => None,
            };
            let facts = CodeFacts { code: found, person, current: shared.present(current).await? };
            rules::enter_code(facts, browser, code, secret, now)
        };
        let _sign_in: SignIn = shared.commit_unrefused(&Actor::System, enter).await??;
        Ok((self.signed_in(secret).await?, secret.clone()))
    }

    /// Reads the person who is signed in with this secret, with their present memberships. Notes the use, which
    /// [`Admin::record_uses`](crate::Admin::record_uses) records.
    ///
    /// Nothing is cached, so a membership that ends, another role and [signing out everywhere](SignedIn::sign_out_everywhere) take
    /// effect at the next call, in every process.
    ///
    /// # Errors
    /// Returns [`Error::Unauthenticated`] if no person is signed in with this secret. A sign-in ends after
    /// [14 days](SignIn::IDLE_LIFETIME) without use, and after [60 days](SignIn::LIFETIME).
    ///
    /// See [`People`] for an example.
    pub async fn signed_in(&self, secret: &Secret) -> Result<SignedIn> {
        SignedIn::read(&self.shared, secret).await
    }
}

impl Shared {
    /// Makes a code for a browser, and queues its mail.
    async fn mail_code(&self, email: &EmailAddress, browser: &Secret) -> Result<()> {
        let request = move |now| async move {
            let before = self.store.get(RecordKey::SignInCode(browser.digest())).await?;
            let notice = NoticeId::new(secret::new_uuid(now));
            Ok(rules::request_code(before, browser, email.clone(), Code::generate(), notice, now))
        };
        self.commit_unrefused(&Actor::System, request).await
    }
}
