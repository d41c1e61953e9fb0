//! Authentication: from the text of a token to a [`Session`].

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use moka::sync::Cache;

use super::session::Principal;
use super::{Service, Session, Shared};
use crate::activity::Actor;
use crate::error::{Error, Result};
use crate::id::OrganizationId;
use crate::organization::Organization;
use crate::permission::Permissions;
use crate::secret::{Digest, TokenText};
use crate::store::{RecordKey, Unique};
use crate::token::{Scopes, Token};

impl Service {
    /// Returns the session of a token.
    ///
    /// The stored state of a token is cached for at most 5 seconds. For up to 5 seconds after another process has
    /// revoked the token or changed the plan, this process may accept the token or use the former plan. Expiry is
    /// checked here and at each use of the session.
    ///
    /// # Errors
    /// Returns [`Error::Unauthenticated`] if the token is malformed, unknown, expired or revoked.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// use signup_core::{Error, NewEvent, NewToken, Scope, date};
    ///
    /// let new = NewToken::new("Calendar script".parse()?, [Scope::EventsRead].into());
    /// let (_, text) = service.admin().create_token(organization.id, new).await?;
    ///
    /// let session = service.authenticate(text.reveal()).await?;
    /// assert_eq!(session.organization_id(), organization.id);
    ///
    /// // The token may read events, but not write them.
    /// let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?);
    /// let refused = session.create_event(drive).await;
    /// assert_eq!(refused, Err(Error::MissingScope(Scope::EventsWrite)));
    /// assert!(service.authenticate("signup_unknown").await.is_err_and(|error| error == Error::Unauthenticated));
    /// # Ok(()) }) }
    /// ```
    pub async fn authenticate(&self, token: &str) -> Result<Session> {
        let digest = token.parse::<TokenText>().map_err(|_| Error::Unauthenticated)?.digest();
        let found = match self.0.tokens.get(&digest) {
            Some(found) => found,
            None => self.0.load_token(digest).await?.ok_or(Error::Unauthenticated)?,
        };
        let (token, organization) = &*found;
        if !token.is_valid(self.now()) {
            return Err(Error::Unauthenticated);
        }
        let principal = Principal {
            organization: organization.id,
            permissions: Permissions::Scopes(token.scopes),
            limits: self.0.plans.limits(organization.plan),
            expires_at: token.expires_at,
            recent_until: Timestamp::MAX,
        };
        let actor = Actor::Token { id: token.id, name: token.name.clone() };
        Ok(Session::new(Arc::clone(&self.0), principal, actor))
    }

    /// Returns a session without a token, for a program that has a login of its own and decides itself what its users
    /// may do.
    ///
    /// The session does not expire. The [activity](crate::Activity) of its writes names the
    /// [operator](crate::Actor::Operator). All sessions of the organization without a token share their idempotency keys: if
    /// two users choose the same key for an operation, the second gets the first one's answer.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization does not exist.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// use signup_core::{EventQuery, Scope};
    ///
    /// // The program has checked that its user may read this organization.
    /// let scopes = [Scope::EventsRead, Scope::ShiftsRead].into();
    /// let session = service.session_for(organization.id, scopes).await?;
    /// assert_eq!(session.token_id(), None);
    /// assert_eq!(session.events(EventQuery::new()).await?.items.len(), 1);
    /// # Ok(()) }) }
    /// ```
    pub async fn session_for(&self, organization: OrganizationId, scopes: Scopes) -> Result<Session> {
        let organization: Organization = self.0.get(RecordKey::Organization(organization)).await?;
        let principal = Principal {
            organization: organization.id,
            permissions: Permissions::Scopes(scopes),
            limits: self.0.plans.limits(organization.plan),
            expires_at: Timestamp::MAX,
            recent_until: Timestamp::MAX,
        };
        Ok(Session::new(Arc::clone(&self.0), principal, Actor::Operator))
    }
}

impl Shared {
    async fn load_token(&self, digest: Digest) -> Result<Option<Arc<(Token, Organization)>>> {
        let generation = self.tokens.generation();
        let Some(token) = self.store.find::<Token>(Unique::TokenDigest(digest)).await? else {
            return Ok(None);
        };
        let organization = self.get(RecordKey::Organization(token.organization)).await?;
        let now = self.now();
        if token.is_valid(now) && token.is_use_to_record(now) {
            self.uses.note(RecordKey::Token(token.organization, token.id), now);
        }
        let found = Arc::new((token, organization));
        self.tokens.insert(digest, &found, generation);
        Ok(Some(found))
    }
}

/// The last uses of tokens and sign-ins that are not recorded yet. A use is noted here, and recorded later, so that no request
/// waits for the write.
///
/// The cache reads a token in use again every 5 seconds, and each read notes a use. Each request of a person reads the sign-in.
#[derive(Debug, Clone, Default)]
pub(super) struct Uses(Arc<Mutex<BTreeMap<RecordKey, Timestamp>>>);

impl Uses {
    /// Notes a use of the record.
    pub(super) fn note(&self, key: RecordKey, used_at: Timestamp) {
        self.lock().insert(key, used_at);
    }

    /// Returns the use of the record that was noted last.
    pub(super) fn of(&self, key: &RecordKey) -> Option<Timestamp> {
        self.lock().get(key).copied()
    }

    /// Returns the uses that were noted.
    pub(super) fn noted(&self) -> BTreeMap<RecordKey, Timestamp> {
        self.lock().clone()
    }

    /// Forgets a use that was recorded. A later use of the same record stays.
    pub(super) fn forget(&self, key: &RecordKey, used_at: Timestamp) {
        let mut noted = self.lock();
        if noted.get(key) == Some(&used_at) {
            noted.remove(key);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<RecordKey, Timestamp>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Cache of tokens with their organizations, by digest. The age of an entry is real time, not the time of the service's
/// clock.
#[derive(Debug, Clone)]
pub(super) struct TokenCache {
    found: Arc<Cache<Digest, Arc<(Token, Organization)>>>,
    /// The number of times that the cache was cleared.
    generation: Arc<AtomicU64>,
}

impl Default for TokenCache {
    fn default() -> Self {
        let found = Cache::builder().max_capacity(Self::CAPACITY).time_to_live(Self::LIFE).build();
        Self { found: Arc::new(found), generation: Arc::default() }
    }
}

impl TokenCache {
    const LIFE: Duration = Duration::from_secs(5);
    const CAPACITY: u64 = 10_000;

    fn get(&self, digest: &Digest) -> Option<Arc<(Token, Organization)>> {
        self.found.get(digest)
    }

    fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }

    /// Caches a token. `generation` is the generation of the cache before the token was read. Does nothing if the cache
    /// was cleared since, because the token may be stale.
    fn insert(&self, digest: Digest, found: &Arc<(Token, Organization)>, generation: u64) {
        if self.generation() != generation {
            return;
        }
        self.found.insert(digest, Arc::clone(found));
        // The cache may have been cleared between the check and the insertion.
        if self.generation() != generation {
            self.found.invalidate(&digest);
        }
    }

    #[cfg(test)]
    fn len(&self) -> u64 {
        self.found.run_pending_tasks();
        self.found.entry_count()
    }

    /// Clears the cache, so that the next request with each token reads the token again.
    pub(super) fn clear(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.found.invalidate_all();
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::id::TokenId;
    use crate::text::Name;

    #[test]
    fn the_cache_of_tokens_is_bounded() {
        let name = Name::new("Riverside").unwrap();
        let organization = Organization::new(
            OrganizationId::NONE,
            name.clone(),
            "riverside".to_owned(),
            Timestamp::UNIX_EPOCH,
        );
        let (id, digest, made_at) = (TokenId::NONE, Digest::of(""), Timestamp::UNIX_EPOCH);
        let token = Token::new(id, organization.id, name, digest, Scopes::all(), made_at);
        let (cache, found) = (TokenCache::default(), Arc::new((token, organization)));
        for number in 0..2 * TokenCache::CAPACITY {
            cache.insert(Digest::of(&number.to_string()), &found, 0);
        }
        assert!((1..=TokenCache::CAPACITY).contains(&cache.len()), "{}", cache.len());
    }
}
