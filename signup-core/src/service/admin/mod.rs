//! The operator's handle: organizations, plans, people, tokens, events, questions, sign-ups, webhooks, failed mails.

mod events;
mod notices;
mod organizations;
mod people;
mod questions;
mod signups;
mod tokens;
mod webhooks;

use std::sync::Arc;

use super::Shared;
#[cfg(doc)]
use crate::activity::Activity;
use crate::error::Result;
use crate::event::Event;
#[cfg(doc)]
use crate::invitation::Invitation;
use crate::notice::Notice;
#[cfg(doc)]
use crate::sign_in::{SignIn, SignInCode};
use crate::store::Purge;

/// The operator's handle. The handle needs no token and reaches every organization, so a program must not expose it to
/// callers.
///
/// # Retries
///
/// No method takes an idempotency key. After [`Error::Store`](crate::Error::Store) it is unknown whether a write was applied.
/// [`create_organization`](Self::create_organization), [`create_token`](Self::create_token),
/// [`invite_first_owner`](Self::invite_first_owner) and [`add_question`](Self::add_question) may then create a second record when
/// they are called again, so list the records first. Every other method is safe to call again. If the first call was applied, a
/// repeated [`delete_event`](Self::delete_event) or [`restore_event`](Self::restore_event) returns
/// [`Error::NotFound`](crate::Error::NotFound).
///
/// # Errors
/// Each method returns [`Error::Store`](crate::Error::Store) if the store fails, besides the errors that it lists. A
/// write returns [`Error::Contended`](crate::Error::Contended) if other changes of the same record kept it from
/// committing for 10 seconds.
///
/// # Example
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
/// # fn main() -> ExampleResult { example(async |Example { service, .. }| {
/// use signup_core::{NewOrganization, NewToken, Scopes};
///
/// let admin = service.admin();
/// let organization = admin.create_organization(NewOrganization::new("Riverside Food Bank".parse()?)).await?;
/// let new = NewToken::new("Calendar script".parse()?, Scopes::all());
/// let (token, text) = admin.create_token(organization.id, new).await?;
/// println!("{} of {}: {}", token.name, organization.slug, text.reveal());
/// # Ok(()) }) }
/// ```
#[derive(Debug, Clone)]
pub struct Admin {
    shared: Arc<Shared>,
}

impl Admin {
    pub(super) const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Removes at most `limit` expired records, at most `limit` records that were deleted [30 days and 5
    /// minutes](Event::PURGED_AFTER) ago, at most `limit` notices that failed [90 days](Notice::FAILED_RETENTION) ago, and at most
    /// `limit` ended rate-limit windows. Returns the largest of the four counts. If it is less than `limit`, the call also removes
    /// the [copies](Purge::Traces) that the store has kept of removed and replaced records.
    ///
    /// A receipt expires after 24 hours, an activity after [365 days](Activity::RETENTION), an invitation after
    /// [7 days](Invitation::LIFETIME), a code for signing in after [10 minutes](SignInCode::LIFETIME), and a sign-in after
    /// [14 days](SignIn::IDLE_LIFETIME) without use.
    ///
    /// Call this method about once a minute, and again at once while the result is `limit`. A small limit, for example
    /// 1000, keeps the wait of other writers short.
    ///
    /// # Errors
    /// Fails only if the store fails. A failure of one kind keeps no other kind from being removed. The error is the first one.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, .. }| {
    /// const BATCH: u32 = 1000;
    /// // Once a minute:
    /// while service.admin().purge(BATCH).await? >= BATCH.into() {}
    /// # Ok(()) }) }
    /// ```
    pub async fn purge(&self, limit: u32) -> Result<u64> {
        let (store, now) = (&self.shared.store, self.shared.now());
        let failed = now - Notice::FAILED_RETENTION;
        let windows = async {
            match store.request_counter() {
                Some(counter) => counter.purge_windows(now, limit).await,
                None => Ok(0),
            }
        };
        let counts = [
            store.purge(Purge::Expired(now), limit).await,
            store.purge(Purge::Deleted(now - Event::PURGED_AFTER), limit).await,
            store.purge(Purge::FailedNotices(failed), limit).await,
            windows.await,
        ];
        let mut counts = Vec::from(counts);
        // The last call of a series empties the copies of everything that the series has removed.
        if !counts.iter().flatten().any(|count| *count >= limit.into()) {
            counts.push(store.purge(Purge::Traces, limit).await);
        }
        let counts = counts.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(counts.into_iter().max().unwrap_or(0))
    }
}
