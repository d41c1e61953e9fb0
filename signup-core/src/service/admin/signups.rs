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
    /// To which organization an event belongs.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub async fn event_owner(&self, event: EventId) -> Result<OrganizationId> {
        self.shared.store.event_owner(event).await?.ok_or(Error::NotFound)
    }

    /// At most `limit` sign-ups of an event whose id is above `after`, by id; cancelled ones too.
    ///
    /// # Errors
    /// Only if the store fails.
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
    /// [`Error::NotFound`] if the organization has no such sign-up.
    pub async fn cancel_signup(&self, organization: OrganizationId, id: SignupId) -> Result<Signup> {
        self.shared
            .commit_unrefused(move |now| async move {
                let signup = self.shared.store.signup(organization, id).await?.ok_or(Error::NotFound)?;
                Ok(rules::cancel_signup(signup, NoticeId::new(secret::new_uuid(now)), now))
            })
            .await
    }

    /// Removes every sign-up of an address, with all that is kept of the person, and gives the places back. Says how many
    /// there were. Nobody is told.
    ///
    /// # Errors
    /// Only if the store fails: then some may be left, and doing it again removes them.
    pub async fn erase_signups(&self, organization: OrganizationId, email: &EmailAddress) -> Result<u64> {
        const AT_ONCE: u32 = 100;
        let mut erased = 0;
        loop {
            let signups = self.shared.store.signups_of_address(organization, email, AT_ONCE).await?;
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
