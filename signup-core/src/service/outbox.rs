//! The outbox: claiming queued notices, and reporting their delivery.
//!
//! A process reads the notices that are [due](Outbox::due_notices), [claims](Outbox::begin_delivery) them one after the other,
//! [extends the lease](Outbox::hold_notice) of one whose delivery takes long, and reports the result. Any number of processes
//! may do so: a claimed notice belongs to one of them at a time.

use std::sync::Arc;

use jiff::Timestamp;

use super::Shared;
use crate::error::Result;
use crate::id::NoticeId;
use crate::notice::{Notice, NoticeCause, ShiftChange};
use crate::rules::{self, Delivery};
use crate::secret;

/// How many volunteers are told of a change at a time: a bound on memory, and on how long others wait.
const TOLD_AT_ONCE: u32 = 100;

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
    /// A due time further away than [`Notice::LONGEST_PAUSE`] and [`Notice::CLOCK_SKEW`] together was set by a clock that was
    /// ahead: that notice is due, too.
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

    /// Takes a notice that is due, and gives the mail that is to be sent. None if there is none: if another process has it,
    /// if it has nothing to say any more, or if it was spread over those whom it concerns, which are then due themselves.
    ///
    /// Until [`Notice::HOLD`] has passed no other process takes it. One that was begun for as long as mails are tried, and
    /// never came to an end, is given up.
    ///
    /// # Errors
    /// If the store fails. If that is because what it holds cannot be read, the notice stays due: the caller
    /// [puts it back](Self::delivery_not_begun), or it is in the way of others.
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

    /// All that there is to say; nothing if it is of no use to anybody.
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

    async fn tell(
        &self,
        notice: Notice,
        change: &ShiftChange,
        told_until: Option<crate::id::SignupId>,
    ) -> Result<()> {
        let now = self.shared.now();
        let (owner, shift) = (notice.organization, notice.shift);
        let signups = self.shared.store.confirmed_signups(owner, shift, told_until, TOLD_AT_ONCE).await?;
        let is_last = signups.len() < TOLD_AT_ONCE as usize;
        let ids = signups.iter().map(|_| NoticeId::new(secret::new_uuid(now))).collect();
        self.shared.step(rules::tell(notice, change, &signups, ids, is_last, now)).await?;
        Ok(())
    }

    /// Keeps a notice that was taken from others for another [`Notice::HOLD`]; none if another process has it already.
    ///
    /// # Errors
    /// Only if the store fails.
    pub async fn hold_notice(&self, notice: &Notice) -> Result<Option<Notice>> {
        let hold = |notice: &Notice| Some(notice.clone().held(self.shared.now()));
        Ok(self.settle(notice, hold).await?.flatten())
    }

    /// The mail of a notice that was taken is sent. Whether the notice was still with this process: if not, another has
    /// taken the mail, too.
    ///
    /// # Errors
    /// Only if the store fails: then the mail will be sent again, under the same id, unless this is said again in time.
    pub async fn mail_was_sent(&self, notice: &Notice) -> Result<bool> {
        Ok(self.settle(notice, |_| None).await?.is_some())
    }

    /// The mail of a notice that was taken was not sent for `reason`. It is tried again after a pause; if `is_final`, or if
    /// it was tried for [`Notice::TRIED_FOR`], it is kept as failed. Gives what has become of it; none if another process
    /// has it already.
    ///
    /// # Errors
    /// Only if the store fails: then it is due again when it is no longer held.
    pub async fn mail_was_not_sent(
        &self,
        notice: &Notice,
        reason: &str,
        is_final: bool,
    ) -> Result<Option<Notice>> {
        let put_back = |notice: &Notice| Some(notice.clone().put_back(reason, is_final, self.shared.now()));
        Ok(self.settle(notice, put_back).await?.flatten())
    }

    /// A notice that is due could not be begun with for `reason`: it counts as tried, and gives way to others.
    ///
    /// # Errors
    /// Only if the store fails.
    pub async fn delivery_not_begun(&self, notice: &Notice, reason: &str) -> Result<()> {
        let after = notice.clone().taken(self.shared.now()).put_back(reason, false, self.shared.now());
        self.shared.step(rules::replace_notice(notice, after)).await?;
        Ok(())
    }

    /// Makes a step with a notice that was taken: another in its place, or none. Gives what it is after that; nothing if it
    /// is not this process's any more.
    ///
    /// A step whose answer was lost may have been made all the same. Then the notice is at a version that nobody knows of,
    /// but still begun as often as it was: it is this process's, and the step is made from there.
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
