//! Sign-ups: people's data, across organizations.

use super::Admin;
use crate::error::{Error, Result};
use crate::id::{EventId, NoticeId, OrganizationId, SignupId};
use crate::rules::{self, Decision};
use crate::secret;
use crate::signup::Signup;
use crate::store::{ChangeSet, Write};
use crate::text::EmailAddress;

impl Admin {
    /// Returns the organization that owns an event.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such event.
    pub async fn event_owner(&self, event: EventId) -> Result<OrganizationId> {
        self.shared.store.event_owner(event).await?.ok_or(Error::NotFound)
    }

    /// Lists at most `limit` sign-ups of an event with an id above `after`, by ascending id, cancelled ones included.
    ///
    /// # Errors
    /// Fails only if the store fails.
    pub async fn signups(
        &self,
        organization: OrganizationId,
        event: EventId,
        after: Option<SignupId>,
        limit: u32,
    ) -> Result<Vec<Signup>> {
        Ok(self.shared.store.signups(organization, event, after, limit).await?)
    }

    /// Cancels a sign-up, frees its place and queues the mail that confirms it. Cancelling again changes nothing.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if the organization has no such sign-up.
    pub async fn cancel_signup(&self, organization: OrganizationId, id: SignupId) -> Result<Signup> {
        self.shared
            .commit_unrefused(move |now| async move {
                let signup = self.shared.store.signup(organization, id).await?.ok_or(Error::NotFound)?;
                Ok(rules::cancel_signup(signup, NoticeId::new(secret::new_uuid(now)), now))
            })
            .await
    }

    /// Removes every sign-up of an address with its answers and notices, and frees the places. Returns how many
    /// sign-ups were removed. No mail is sent.
    ///
    /// # Errors
    /// Fails only if the store fails. Some sign-ups may be left then, and another call removes them.
    pub async fn erase_signups(&self, organization: OrganizationId, email: &EmailAddress) -> Result<u64> {
        const BATCH: u32 = 100;
        let mut erased = 0;
        loop {
            let signups = self.shared.store.signups_of_address(organization, email, BATCH).await?;
            if signups.is_empty() {
                return Ok(erased);
            }
            for Signup { id: signup, .. } in signups {
                let writes = vec![Write::EraseSignup { organization, signup }];
                let change = ChangeSet { requires: vec![], writes };
                let decide = |_| async { Ok(Decision { outcome: (), change: change.clone() }) };
                self.shared.commit_unrefused(decide).await?;
                erased += 1;
            }
        }
    }
}
