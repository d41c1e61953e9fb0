//! Faults in the writes of a commit.

use std::sync::Arc;

use signup_core::store::{Wrapped, Wrapper};
use signup_core::{ChangeSet, CommitError, Store, Write, async_trait};
use signup_store_memory::MemoryStore;

use crate::mutant;

mutant! {
    /// `UpdateNotice` does not change the cause.
    a_notice_that_keeps_its_cause breaks notices::an_update_of_a_notice_changes_five_fields_and_no_other
        with "the update changes exactly five fields"
    {
        async fn commit(&self, mut change: ChangeSet) -> Result<(), CommitError> {
            for write in &mut change.writes {
                if let Write::UpdateNotice(notice) = write
                    && let Some(found) = self.0.notice(notice.id).await?
                {
                    notice.cause = found.cause;
                }
            }
            self.0.commit(change).await
        }
    }
}

mutant! {
    /// `UpdateNotice` replaces the whole notice.
    a_notice_that_is_replaced breaks notices::an_update_of_a_notice_changes_five_fields_and_no_other
        with "the update changes exactly five fields"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            let mut writes = vec![];
            for write in change.writes {
                match write {
                    Write::UpdateNotice(notice) if self.0.notice(notice.id).await?.is_some() => {
                        let (organization, id) = (notice.organization, notice.id);
                        writes.push(Write::DeleteNotice { organization, notice: id });
                        writes.push(Write::InsertNotices(vec![*notice]));
                    }
                    other => writes.push(other),
                }
            }
            self.0.commit(ChangeSet { writes, ..change }).await
        }
    }
}

mutant! {
    /// `UpdateShift` inserts a shift that does not exist.
    a_shift_that_an_update_inserts breaks requirements::a_change_of_a_missing_record_changes_nothing
        with "an update inserts no shift"
    {
        async fn commit(&self, mut change: ChangeSet) -> Result<(), CommitError> {
            for write in &mut change.writes {
                if let Write::UpdateShift(shift) = write
                    && self.0.shift(shift.organization, shift.id).await?.is_none()
                {
                    *write = Write::InsertShifts(vec![(**shift).clone()]);
                }
            }
            self.0.commit(change).await
        }
    }
}

mutant! {
    /// `RevokeToken` revokes all tokens of the organization.
    a_revocation_of_all_tokens breaks requirements::a_revoked_token_keeps_its_first_time
        with "another token is not revoked"
    {
        async fn commit(&self, mut change: ChangeSet) -> Result<(), CommitError> {
            for write in change.writes.clone() {
                if let Write::RevokeToken { token, at } = write
                    && let Some(found) = self.0.token(token).await?
                {
                    let others = self.0.tokens(found.organization).await?.into_iter();
                    change.writes.extend(others.map(|other| Write::RevokeToken { token: other.id, at }));
                }
            }
            self.0.commit(change).await
        }
    }
}
