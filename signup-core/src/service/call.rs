//! Callers with a token, and what they may do.
//!
//! **Invariant:** every operation of a caller starts with [`Service::authorize`], so a program that keeps a [`Call`] cannot use
//! it after its token has expired.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use moka::sync::Cache;

use super::Service;
use crate::error::{Error, Result};
use crate::id::{OrganizationId, TokenId};
use crate::organization::Organization;
use crate::plan::PlanLimits;
use crate::secret::{Digest, TokenText};
use crate::token::{Scope, Scopes, Token};

/// A caller whose token was valid when the caller was authenticated. A program may keep it for as long as the token lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Whom the caller speaks for.
    pub organization: OrganizationId,
    /// With which token.
    pub token: TokenId,
    /// What it may do.
    pub scopes: Scopes,
    /// How much of it.
    pub limits: PlanLimits,
    /// When the token expires.
    pub expires_at: Timestamp,
}

impl Call {
    /// Whether the token has not expired at `now`.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }
}

impl Service {
    /// Recognizes the bearer of a token.
    ///
    /// What the store says of a token is kept for at most 5 seconds: so long a token that another process revoked, or a plan
    /// that it changed, may still hold here. What expires meanwhile is refused at once.
    ///
    /// # Errors
    /// [`Error::Unauthenticated`] if the token is malformed, unknown, expired or revoked.
    pub async fn authenticate(&self, token: &str) -> Result<Call> {
        let digest = TokenText::parse(token).ok_or(Error::Unauthenticated)?.digest();
        let found = match self.tokens.get(&digest) {
            Some(found) => found,
            None => self.load_token(digest).await?.ok_or(Error::Unauthenticated)?,
        };
        let (token, organization) = &*found;
        if !token.is_valid(self.now()) {
            return Err(Error::Unauthenticated);
        }
        Ok(Call {
            organization: organization.id,
            token: token.id,
            scopes: token.scopes,
            limits: self.plans.limits(organization.plan),
            expires_at: token.expires_at,
        })
    }

    /// Checks that the caller may do what asks for `scope`, and that its token has not expired since it was authenticated.
    ///
    /// # Errors
    /// [`Error::Unauthenticated`] if the token has expired; [`Error::MissingScope`].
    pub fn authorize(&self, call: &Call, scope: Scope) -> Result<()> {
        self.check_expiry(call)?;
        if call.scopes.contains(scope) { Ok(()) } else { Err(Error::MissingScope(scope)) }
    }

    /// Checks that the caller's token has not expired.
    pub(super) fn check_expiry(&self, call: &Call) -> Result<()> {
        if call.is_valid(self.now()) { Ok(()) } else { Err(Error::Unauthenticated) }
    }

    async fn load_token(&self, digest: Digest) -> Result<Option<Arc<(Token, Organization)>>> {
        let generation = self.tokens.generation();
        let Some(found) = self.store.token_by_digest(&digest).await?.map(Arc::new) else { return Ok(None) };
        self.tokens.keep(digest, &found, generation);
        Ok(Some(found))
    }
}

/// What the store said of tokens in the last seconds.
#[derive(Debug, Clone)]
pub(super) struct TokenCache {
    found: Arc<Cache<Digest, Arc<(Token, Organization)>>>,
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

    /// Keeps what was read since `generation`, unless something was forgotten in between: then it may be outdated.
    fn keep(&self, digest: Digest, found: &Arc<(Token, Organization)>, generation: u64) {
        if self.generation() != generation {
            return;
        }
        self.found.insert(digest, Arc::clone(found));
        // Something may have been forgotten between the check and the insertion.
        if self.generation() != generation {
            self.found.invalidate(&digest);
        }
    }

    #[cfg(test)]
    fn len(&self) -> u64 {
        self.found.run_pending_tasks();
        self.found.entry_count()
    }

    /// Forgets everything: the next request of each token reads it anew.
    pub(super) fn forget(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.found.invalidate_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::text::Name;

    #[test]
    fn the_cache_of_tokens_is_bounded() {
        let name = Name::new("Riverside").unwrap();
        let organization = Organization {
            id: OrganizationId::NONE,
            name: name.clone(),
            slug: "riverside".to_owned(),
            sport: None,
            public_url: None,
            plan: Plan::Free,
            created_at: Timestamp::UNIX_EPOCH,
        };
        let token = Token {
            id: TokenId::NONE,
            organization: organization.id,
            name,
            digest: Digest::of(""),
            scopes: Scopes::all(),
            created_at: Timestamp::UNIX_EPOCH,
            expires_at: Timestamp::MAX,
            revoked_at: None,
        };
        let (cache, found) = (TokenCache::default(), Arc::new((token, organization)));
        for number in 0..2 * TokenCache::CAPACITY {
            cache.keep(Digest::of(&number.to_string()), &found, 0);
        }
        assert!((1..=TokenCache::CAPACITY).contains(&cache.len()), "{}", cache.len());
    }
}
