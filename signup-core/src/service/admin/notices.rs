//! Queued and failed notices.

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

    /// Queues a failed notice again: it is due at once, and its attempts are reset.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no such notice, and [`Error::NoticeNotFailed`] if it is queued or
    /// claimed: it would be sent twice.
    pub async fn retry_notice(&self, id: NoticeId) -> Result<Notice> {
        let notice = self.shared.store.notice(id).await?.ok_or(Error::NotFound)?;
        if notice.failure.is_none() {
            return Err(Error::NoticeNotFailed);
        }
        let requeued = notice.clone().requeued(self.shared.now());
        // A refusal means that another process has changed or deleted the notice since it was read.
        let is_committed =
            self.shared.commit_notice(rules::replace_notice(&notice, requeued.clone())).await?;
        if is_committed { Ok(requeued) } else { Err(Error::NoticeNotFailed) }
    }

    /// Counts the notices that are queued and those that failed.
    ///
    /// # Errors
    /// Fails only if the store fails.
    pub async fn count_notices(&self) -> Result<NoticeCounts> {
        Ok(self.shared.store.count_notices().await?)
    }
}
