//! Whether a member gets the summary of the organization, and the mails to volunteers that failed.

use super::Session;
use crate::error::{Error, Result};
use crate::id::{EventId, PersonId};
use crate::notice::Notice;
use crate::opt_out::{OptOut, Subscription};
use crate::permission::Permission;
use crate::person::{Person, Role};
use crate::rules;
use crate::store::{NoticeQuery, RecordKey};
use crate::token::Scope;

impl Session {
    /// Returns whether the member gets the [summary](crate::SummaryMail) of the organization by mail each morning.
    ///
    /// Requires [`Permission::ManageSignups`], which no scope allows.
    ///
    /// See [`choose_summary`](Self::choose_summary) for an example.
    pub async fn gets_summary(&self) -> Result<bool> {
        let (notice, opt_out) = self.summary(self.member()?).await?;
        Ok(notice.is_some() && opt_out.is_none())
    }

    /// Lets the member get the [summary](crate::SummaryMail) of the organization by mail each morning, or not. The first owner of an
    /// organization gets it without a choice. Choosing the same again changes nothing.
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
            let (present, opt_out) = self.summary(person).await?;
            Ok(rules::choose_summary(member, present, opt_out, is_on, now))
        };
        shared.commit_unrefused(&self.actor, choose).await
    }

    /// Lists the mails to the volunteers of an event that failed for good, by id. Failed mails are kept for
    /// [`Notice::FAILED_RETENTION`].
    ///
    /// Requires [`Scope::SignupsRead`].
    pub async fn failed_mails(&self, event: EventId) -> Result<Vec<Notice>> {
        self.require(Scope::SignupsRead)?;
        let query = NoticeQuery::FailedOf(self.organization_id());
        let mut found = self.shared.store.notices(query, u32::MAX).await?;
        found.retain(|notice| notice.event == Some(event) && notice.cause.volunteer().is_some());
        Ok(found)
    }

    /// Returns the person of the session.
    fn member(&self) -> Result<PersonId> {
        self.require(Permission::ManageSignups)?;
        self.person_id().ok_or(Error::MissingRole(Role::Organizer))
    }

    /// Reads the notice of a member, and the opt-out by the link of a summary.
    async fn summary(&self, person: PersonId) -> Result<(Option<Notice>, Option<OptOut>)> {
        let (store, owner) = (&self.shared.store, self.organization_id());
        let person: Person = self.shared.get(RecordKey::Person(person)).await?;
        let notice = store.get(RecordKey::Notice(owner, rules::summary_id(owner, person.id))).await?;
        let key = RecordKey::opt_out(owner, &person.email, Subscription::Summaries);
        Ok((notice, store.get(key).await?))
    }
}
