//! Notices: queued and failed ones.

use super::Admin;
use crate::error::{Error, Result};
use crate::id::NoticeId;
use crate::notice::Notice;
use crate::rules;
use crate::store::NoticeCounts;

impl Admin {
    /// Lists at most `limit` notices with an id above `after`, by ascending id: the failed ones or the queued ones.
    ///
    /// # Errors
    /// Fails only if the store fails.
    pub async fn notices(
        &self,
        have_failed: bool,
        after: Option<NoticeId>,
        limit: u32,
    ) -> Result<Vec<Notice>> {
        Ok(self.shared.store.notices(have_failed, after, limit).await?)
    }

    /// Makes a failed notice due at once, and resets its attempts.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such notice, and [`Error::NoticeNotFailed`] if it is queued or
    /// claimed: it would be sent twice.
    pub async fn retry_notice(&self, id: NoticeId) -> Result<Notice> {
        let notice = self.shared.store.notice(id).await?.ok_or(Error::NotFound)?;
        if notice.failure.is_none() {
            return Err(Error::NoticeNotFailed);
        }
        let retried = notice.clone().retried(self.shared.now());
        let is_done = self.shared.step(rules::replace_notice(&notice, retried.clone())).await?;
        if is_done { Ok(retried) } else { Err(Error::NoticeNotFailed) }
    }

    /// Counts the notices that are queued and those that failed.
    ///
    /// # Errors
    /// Fails only if the store fails.
    pub async fn count_notices(&self) -> Result<NoticeCounts> {
        Ok(self.shared.store.count_notices().await?)
    }
}
