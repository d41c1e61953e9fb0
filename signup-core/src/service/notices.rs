//! Mails: what is due, what is taken, what has become of it. For whoever sends them, and for those who manage the
//! installation.
//!
//! A process that sends mails asks for what is [due](Service::due_notices), [begins](Service::begin_delivery) with one after
//! the other, [holds](Service::hold_notice) it while it takes long, and says what came of it. However many do so, each mail
//! is with one of them at a time.

use super::Service;
use crate::error::{Error, Result};
use crate::id::NoticeId;
use crate::notice::{Notice, NoticeCause, ShiftChange};
use crate::rules::{self, Delivery};
use crate::secret;
use crate::store::{ChangeSet, CommitError, NoticeCounts, Refusal};

/// How many volunteers are told of a change at a time: a bound on memory, and on how long others wait.
const TOLD_AT_ONCE: u32 = 100;

impl Service {
    /// At most `limit` notices that are due, the longest due first.
    ///
    /// # Errors
    /// Only if the store fails.
    pub async fn due_notices(&self, limit: u32) -> Result<Vec<Notice>> {
        Ok(self.store.due_notices(self.now(), limit).await?)
    }

    /// Takes a notice that is due, and gives the mail that is to be sent. None if there is none: if another process has it,
    /// if it has nothing to say any more, or if it was spread over those whom it concerns, which are then due themselves.
    ///
    /// Until [`Notice::HOLD`] has passed no other process takes it.
    ///
    /// # Errors
    /// Only if the store fails.
    pub async fn begin_delivery(&self, notice: Notice) -> Result<Option<Delivery>> {
        if let NoticeCause::ShiftChanged { change, told_until } = &notice.cause {
            let (change, told_until) = (change.clone(), *told_until);
            self.tell(notice, &change, told_until).await?;
            return Ok(None);
        }
        let Some(delivery) = self.delivery(&notice).await? else {
            self.step(rules::finish_notice(&notice)).await?;
            return Ok(None);
        };
        let taken = notice.clone().taken(self.now());
        let is_ours = self.step(rules::replace_notice(&notice, taken.clone())).await?;
        Ok(is_ours.then_some(Delivery { notice: taken, ..delivery }))
    }

    /// All that there is to say; nothing if it is of no use to anybody.
    async fn delivery(&self, notice: &Notice) -> Result<Option<Delivery>> {
        let owner = notice.organization;
        let Some(signup) = notice.cause.signup() else { return Ok(None) };
        let Some(signup) = self.store.signup(owner, signup).await? else { return Ok(None) };
        let Some(shift) = self.store.shift(owner, notice.shift).await? else { return Ok(None) };
        if !rules::is_of_use(notice, &shift, &signup, self.now()) {
            return Ok(None);
        }
        let Some(event) = self.store.event(owner, notice.event).await? else { return Ok(None) };
        let Some(organization) = self.store.organization(owner).await? else { return Ok(None) };
        Ok(Some(Delivery { notice: notice.clone(), organization, event, shift, signup }))
    }

    async fn tell(
        &self,
        notice: Notice,
        change: &ShiftChange,
        told_until: Option<crate::id::SignupId>,
    ) -> Result<()> {
        let now = self.now();
        let (owner, shift) = (notice.organization, notice.shift);
        let signups = self.store.confirmed_signups(owner, shift, told_until, TOLD_AT_ONCE).await?;
        let is_last = signups.len() < TOLD_AT_ONCE as usize;
        let ids = signups.iter().map(|_| NoticeId::new(secret::new_uuid(now))).collect();
        self.step(rules::tell(notice, change, &signups, ids, is_last, now)).await?;
        Ok(())
    }

    /// Keeps a notice that was taken from others for another [`Notice::HOLD`]; none if another process has it already.
    ///
    /// # Errors
    /// Only if the store fails.
    pub async fn hold_notice(&self, notice: &Notice) -> Result<Option<Notice>> {
        let held = notice.clone().held(self.now());
        let is_ours = self.step(rules::replace_notice(notice, held.clone())).await?;
        Ok(is_ours.then_some(held))
    }

    /// The mail of a notice that was taken is sent.
    ///
    /// # Errors
    /// Only if the store fails: then the mail will be sent again, under the same id.
    pub async fn mail_was_sent(&self, notice: &Notice) -> Result<()> {
        self.step(rules::finish_notice(notice)).await?;
        Ok(())
    }

    /// The mail of a notice that was taken was not sent for `reason`. It is tried again after a pause; if `is_final`, or if
    /// it was tried for [`Notice::TRIED_FOR`], it is kept as failed. Gives what has become of it.
    ///
    /// # Errors
    /// Only if the store fails: then it is due again when it is no longer held.
    pub async fn mail_was_not_sent(&self, notice: &Notice, reason: &str, is_final: bool) -> Result<Notice> {
        let after = notice.clone().put_back(reason, is_final, self.now());
        self.step(rules::replace_notice(notice, after.clone())).await?;
        Ok(after)
    }

    /// Whether a step was taken: not if another process has taken one since the notice was read.
    async fn step(&self, change: ChangeSet) -> Result<bool> {
        match self.store.commit(change).await {
            Ok(()) => Ok(true),
            Err(CommitError::Refused(Refusal::NoticeChanged)) => Ok(false),
            Err(CommitError::Refused(_)) => Err(Error::Contended),
            Err(CommitError::Failed(error)) => Err(error.into()),
        }
    }

    /// At most `limit` notices whose id is above `after`, by id: those that have failed, or those that are queued.
    ///
    /// # Errors
    /// Only if the store fails.
    pub async fn notices(
        &self,
        have_failed: bool,
        after: Option<NoticeId>,
        limit: u32,
    ) -> Result<Vec<Notice>> {
        Ok(self.store.notices(have_failed, after, limit).await?)
    }

    /// Makes a notice due at once, as if it had never been tried.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is no such notice; [`Error::Contended`] if it is being delivered.
    pub async fn retry_notice(&self, id: NoticeId) -> Result<Notice> {
        let notice = self.store.notice(id).await?.ok_or(Error::NotFound)?;
        let retried = notice.clone().retried(self.now());
        let is_done = self.step(rules::replace_notice(&notice, retried.clone())).await?;
        if is_done { Ok(retried) } else { Err(Error::Contended) }
    }

    /// How many notices there are.
    ///
    /// # Errors
    /// Only if the store fails.
    pub async fn count_notices(&self) -> Result<NoticeCounts> {
        Ok(self.store.count_notices().await?)
    }
}
