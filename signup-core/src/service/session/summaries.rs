//! Whether a member gets the summary of the organization, and the mails to volunteers that failed.

use super::Session;
use crate::error::{Error, Result};
use crate::id::{EventId, PersonId};
use crate::notice::Notice;
use crate::permission::Permission;
use crate::person::Role;
use crate::rules;
use crate::store::NoticeQuery;
use crate::token::Scope;

impl Session {
    /// Returns whether the member gets the [summary](crate::SummaryMail) of the organization by mail each day.
    ///
    /// Requires [`Permission::ManageSignups`], which no scope allows.
    ///
    /// See [`choose_summary`](Self::choose_summary) for an example.
    pub async fn gets_summary(&self) -> Result<bool> {
        let person = self.member()?;
        Ok(self.shared.summary_notice(self.organization_id(), person).await?.is_some())
    }

    /// Lets the member get the [summary](crate::SummaryMail) of the organization by mail each day, or not. The first owner of
    /// an organization gets it without a choice. Choosing the same again changes nothing.
    ///
    /// Requires [`Permission::ManageSignups`], which no scope allows.
    ///
    /// # Errors
    /// Fails only if the caller is no member, or the store fails.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, .. }| {
    /// use signup_core::{Acceptance, NewInvitation, Role};
    /// # let owner = NewInvitation::new("ada@example.org".parse()?, "Ada Lovelace".parse()?, Role::Owner);
    /// # let (_, link) = service.admin().invite_person(organization.id, owner).await?.ok_or("a member already")?;
    /// # let (ada, _) = service.people().accept(&link, None, Acceptance::Member { name: None }).await?.ok_or("a person already")?;
    /// let session = ada.session(&organization.slug)?;
    /// assert!(session.gets_summary().await?, "the first owner");
    /// session.choose_summary(false).await?;
    /// assert!(!session.gets_summary().await?);
    /// # Ok(()) }) }
    /// ```
    pub async fn choose_summary(&self, is_on: bool) -> Result<()> {
        let (shared, person) = (&self.shared, self.member()?);
        let member = (self.organization_id(), person);
        let choose = |now| async move {
            let present = shared.summary_notice(member.0, person).await?;
            Ok(rules::choose_summary(member, present, is_on, now))
        };
        shared.commit_unrefused(&self.actor, choose).await
    }

    /// Lists at most `limit` mails to the volunteers of an event that failed for good, by id. Failed mails are kept for
    /// [`Notice::FAILED_RETENTION`].
    ///
    /// Requires [`Scope::SignupsRead`].
    pub async fn failed_mails(&self, event: EventId, limit: u32) -> Result<Vec<Notice>> {
        self.require(Scope::SignupsRead)?;
        let query = NoticeQuery::FailedOf(self.organization_id(), Some(event));
        Ok(self.shared.store.notices(query, limit).await?)
    }

    /// Returns the person of the session.
    fn member(&self) -> Result<PersonId> {
        self.require(Permission::ManageSignups)?;
        self.person_id().ok_or(Error::MissingRole(Role::Organizer))
    }
}
