//! Queued and failed notices.

use super::Admin;
use crate::error::{Error, Result};
use crate::id::NoticeId;
use crate::invitation::Invitation;
use crate::notice::{Notice, NoticeCause};
use crate::person::Person;
use crate::rules;
use crate::store::{Kind, NoticeCounts, NoticeQuery, RecordKey};
use crate::text::EmailAddress;

impl Admin {
    /// Lists at most `limit` notices that `query` selects, of all organizations, in the order that the query names.
    ///
    /// See [`retry_notice`](Self::retry_notice) for an example.
    pub async fn notices(&self, query: NoticeQuery, limit: u32) -> Result<Vec<Notice>> {
        Ok(self.shared.store.notices(query, limit).await?)
    }

    /// Returns the email address that the mail of a notice goes to. Returns `None` for a job, for a code that
    /// was asked for with an unknown address, and if the invitation is gone.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, created, ada, .. }| {
    /// # service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?.sign_up(ada).await?;
    /// use signup_core::NoticeQuery;
    ///
    /// let admin = service.admin();
    /// let queued = admin.notices(NoticeQuery::Queued(None), 100).await?;
    /// assert_eq!(admin.recipient(&queued[0]).await?, Some("ada@example.org".parse()?));
    /// # Ok(()) }) }
    /// ```
    pub async fn recipient(&self, notice: &Notice) -> Result<Option<EmailAddress>> {
        match &notice.cause {
            NoticeCause::SignInCode { email, .. } => {
                Ok(self.shared.find_person(email).await?.map(|person| person.email))
            }
            NoticeCause::Invited { invitation, .. } => {
                let key = RecordKey::Invitation(notice.organization, *invitation);
                let found = self.shared.store.get::<Invitation>(key).await?;
                Ok(found.and_then(|invitation| invitation.invitee).map(|invitee| invitee.email))
            }
            NoticeCause::Summary(summary) => {
                let person = self.shared.store.get::<Person>(RecordKey::Person(summary.person)).await?;
                Ok(person.map(|person| person.email))
            }
            cause => Ok(cause.volunteer().cloned()),
        }
    }

    /// Queues a failed notice again: it is due at once, and its attempts are reset.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such notice. Returns [`Error::NoticeNotFailed`] if the notice is
    /// queued or claimed, because its mail would be sent twice. A retry after an unknown result returns this error if
    /// the first call was applied.
    ///
    /// # Example
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/example.rs"));
    /// # fn main() -> ExampleResult { example(async |Example { service, organization, created, ada, .. }| {
    /// # service.volunteers().form_of(organization.id, [created.shifts[0].id]).await?.sign_up(ada).await?;
    /// # let due = service.outbox().due(1).await?.pop().ok_or("no notice is due")?;
    /// # let claimed = service.outbox().claim(&due).await?.ok_or("the notice is obsolete")?;
    /// # service.outbox().report_failed(&claimed, MailFailure::Permanent, "550 no such user").await?;
    /// use signup_core::NoticeQuery;
    ///
    /// let admin = service.admin();
    /// assert_eq!(admin.count_notices().await?.failed, 1);
    /// for failed in admin.notices(NoticeQuery::Failed(None), 100).await? {
    ///     admin.retry_notice(failed.id).await?;
    /// }
    /// assert_eq!(admin.count_notices().await?.queued, 1);
    /// # Ok(()) }) }
    /// ```
    pub async fn retry_notice(&self, id: NoticeId) -> Result<Notice> {
        let owner = self.shared.owner(Kind::Notice, id.uuid()).await?;
        let notice: Notice = self.shared.get(RecordKey::Notice(owner, id)).await?;
        if notice.failure.is_none() {
            return Err(Error::NoticeNotFailed);
        }
        let requeued = notice.clone().requeued(self.shared.now());
        // A refusal means that another process has changed or deleted the notice since it was read.
        let is_committed =
            self.shared.commit_queued(rules::replace_notice(&notice, requeued.clone())).await?;
        if is_committed { Ok(requeued) } else { Err(Error::NoticeNotFailed) }
    }

    /// Counts the queued notices and the failed notices.
    ///
    /// See [`retry_notice`](Self::retry_notice) for an example.
    pub async fn count_notices(&self) -> Result<NoticeCounts> {
        Ok(self.shared.store.statistics().await?.notices)
    }
}
