//! The outbox: claiming queued notices, and reporting their delivery.
//!
//! A process reads the [due](Outbox::due_notices) notices and [claims](Outbox::begin_delivery) them one after the
//! other. It [extends the lease](Outbox::hold_notice) if a delivery takes long, and reports the result. Any number of
//! processes may share the work: a claimed notice belongs to one process at a time.

use std::sync::Arc;

use jiff::Timestamp;

use super::Shared;
use crate::error::Result;
use crate::id::NoticeId;
use crate::notice::{Delivery, Notice, NoticeCause, ShiftChange};
use crate::rules;
use crate::secret;

/// The number of volunteers for which one batch makes notices of a change. Bounds memory, and the wait of other
/// notices.
const FAN_OUT_BATCH: u32 = 100;

/// The handle of a process that delivers queued notices.
#[derive(Debug, Clone)]
pub struct Outbox {
    shared: Arc<Shared>,
}

impl Outbox {
    pub(super) const fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// Returns the time by the service's clock.
    pub fn now(&self) -> Timestamp {
        self.shared.now()
    }

    /// Returns at most `limit` notices that are due, by due time.
    ///
    /// A due time later than [`Notice::LONGEST_PAUSE`] and [`Notice::CLOCK_SKEW`] from now was set by a clock that was
    /// ahead. That notice is due, too.
    ///
    /// # Errors
    /// Fails only if the store fails.
    pub async fn due_notices(&self, limit: u32) -> Result<Vec<Notice>> {
        let now = self.now();
        Ok(self
            .shared
            .store
            .due_notices(now, now + Notice::LONGEST_PAUSE + Notice::CLOCK_SKEW, limit)
            .await?)
    }

    /// Claims a due notice and returns the mail to send. The lease lasts for [`Notice::HOLD`].
    ///
    /// Returns `None` if there is no mail to send:
    ///
    /// - Another process has claimed the notice.
    /// - The notice is obsolete. It is removed.
    /// - The notice is a change for all volunteers of a shift. A batch of it is fanned out to notices of their own.
    /// - The notice was claimed as often as [`Notice::TRIED_FOR`] allows, and no result was ever reported. It is given
    ///   up.
    ///
    /// # Errors
    /// Fails if the store fails. If a stored record cannot be decoded, the notice stays due. The caller then calls
    /// [`delivery_not_begun`](Self::delivery_not_begun), so that the notice does not block others.
    pub async fn begin_delivery(&self, notice: Notice) -> Result<Option<Delivery>> {
        if let NoticeCause::ShiftChanged { change, told_until } = &notice.cause {
            let (change, told_until) = (change.clone(), *told_until);
            self.tell(notice, &change, told_until).await?;
            return Ok(None);
        }
        if notice.was_tried_enough() {
            let reason = "it was begun again and again, and never came to an end";
            let failed = notice.clone().put_back(reason, true, self.shared.now());
            self.shared.step(rules::replace_notice(&notice, failed)).await?;
            return Ok(None);
        }
        let Some(delivery) = self.delivery(&notice).await? else {
            self.shared.step(rules::finish_notice(&notice)).await?;
            return Ok(None);
        };
        let taken = notice.clone().taken(self.shared.now());
        let is_ours = self.shared.step(rules::replace_notice(&notice, taken.clone())).await?;
        Ok(is_ours.then_some(Delivery { notice: taken, ..delivery }))
    }

    /// Reads the records that a mail needs. Returns `None` if the notice is obsolete.
    async fn delivery(&self, notice: &Notice) -> Result<Option<Delivery>> {
        let owner = notice.organization;
        let Some(signup) = notice.cause.signup() else { return Ok(None) };
        let Some(signup) = self.shared.store.signup(owner, signup).await? else { return Ok(None) };
        let Some(shift) = self.shared.store.shift(owner, notice.shift).await? else { return Ok(None) };
        if !rules::is_of_use(notice, &shift, &signup, self.shared.now()) {
            return Ok(None);
        }
        let Some(event) = self.shared.store.event(owner, notice.event).await? else { return Ok(None) };
        let Some(organization) = self.shared.store.organization(owner).await? else { return Ok(None) };
        Ok(Some(Delivery { notice: notice.clone(), organization, event, shift, signup }))
    }

    /// Fans out one batch of a change to the volunteers of a shift.
    async fn tell(
        &self,
        notice: Notice,
        change: &ShiftChange,
        told_until: Option<crate::id::SignupId>,
    ) -> Result<()> {
        let now = self.shared.now();
        let (owner, shift) = (notice.organization, notice.shift);
        let signups = self.shared.store.confirmed_signups(owner, shift, told_until, FAN_OUT_BATCH).await?;
        let is_last = signups.len() < FAN_OUT_BATCH as usize;
        let ids = signups.iter().map(|_| NoticeId::new(secret::new_uuid(now))).collect();
        self.shared.step(rules::tell(notice, change, &signups, ids, is_last, now)).await?;
        Ok(())
    }

    /// Extends the lease of a claimed notice to [`Notice::HOLD`] from now. Returns `None` if the lease is lost.
    ///
    /// # Errors
    /// Fails only if the store fails.
    pub async fn hold_notice(&self, notice: &Notice) -> Result<Option<Notice>> {
        let hold = |notice: &Notice| Some(notice.clone().held(self.shared.now()));
        Ok(self.settle(notice, hold).await?.flatten())
    }

    /// Reports that the mail of a claimed notice was sent, and removes the notice.
    ///
    /// Returns `false` if the lease was lost: another process may send the mail a second time.
    ///
    /// # Errors
    /// Fails only if the store fails. The mail will be sent again, under the same id, unless a retry of this report
    /// succeeds before the lease expires.
    pub async fn mail_was_sent(&self, notice: &Notice) -> Result<bool> {
        Ok(self.settle(notice, |_| None).await?.is_some())
    }

    /// Reports that the mail of a claimed notice was not sent for `reason`, and returns the updated notice.
    ///
    /// The notice is due again after a pause. If `is_final`, or if it was tried for [`Notice::TRIED_FOR`], it is kept
    /// as failed. Returns `None` if the lease was lost.
    ///
    /// # Errors
    /// Fails only if the store fails. The notice is then due again when its lease expires.
    pub async fn mail_was_not_sent(
        &self,
        notice: &Notice,
        reason: &str,
        is_final: bool,
    ) -> Result<Option<Notice>> {
        let put_back = |notice: &Notice| Some(notice.clone().put_back(reason, is_final, self.shared.now()));
        Ok(self.settle(notice, put_back).await?.flatten())
    }

    /// Reports that [`begin_delivery`](Self::begin_delivery) failed for a due notice. The attempt counts, and the
    /// notice is due again after a pause.
    ///
    /// # Errors
    /// Fails only if the store fails.
    pub async fn delivery_not_begun(&self, notice: &Notice, reason: &str) -> Result<()> {
        let after = notice.clone().taken(self.shared.now()).put_back(reason, false, self.shared.now());
        self.shared.step(rules::replace_notice(notice, after)).await?;
        Ok(())
    }

    /// Commits the next state of a claimed notice, where `None` removes it. Returns the state that was committed, or
    /// `None` if the lease is lost.
    ///
    /// An earlier commit may have succeeded although its answer was lost. Then the stored version is newer than the
    /// given one, but the number of attempts is the same: the lease still belongs to this process, and the commit is
    /// tried from there.
    async fn settle(
        &self,
        notice: &Notice,
        after: impl Fn(&Notice) -> Option<Notice> + Send + Sync,
    ) -> Result<Option<Option<Notice>>> {
        let mut notice = notice.clone();
        loop {
            let next = after(&notice);
            let change = match &next {
                Some(next) => rules::replace_notice(&notice, next.clone()),
                None => rules::finish_notice(&notice),
            };
            if self.shared.step(change).await? {
                return Ok(Some(next));
            }
            let found = self.shared.store.notice(notice.id).await?;
            let is_ours = |found: &Notice| {
                found.attempts == notice.attempts && found.version > notice.version && found.failure.is_none()
            };
            match found.filter(is_ours) {
                Some(found) => notice = found,
                None => return Ok(None),
            }
        }
    }
}
