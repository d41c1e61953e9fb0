//! Removing expired and deleted records for good.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::Records;
use crate::id::{EventId, ShiftId};

/// Purges.
impl Records {
    /// Removes at most `limit` expired receipts, and returns how many were removed.
    pub fn purge_receipts(&mut self, now: Timestamp, limit: u32) -> u64 {
        let expired = self.receipts.values().filter(|receipt| !receipt.is_live(now));
        let mut expired: Vec<_> = expired.map(|receipt| (receipt.expires_at, receipt.key.clone())).collect();
        expired.sort_unstable();
        expired.truncate(limit as usize);
        expired.iter().for_each(|(_, key)| drop(self.receipts.remove(key)));
        expired.len() as u64
    }

    /// Removes at most `limit` records of what was deleted at or before `until`, and returns how many were removed.
    pub fn purge_deleted(&mut self, until: Timestamp, limit: u32) -> u64 {
        let mut left = limit as usize;
        let is_old = |deleted_at: Option<Timestamp>| deleted_at.is_some_and(|at| at <= until);
        let old = self.events.iter().filter(|(_, found)| is_old(found.deleted_at));
        let events: BTreeSet<EventId> = old.map(|(id, _)| *id).collect();
        remove(&mut self.notices, &mut left, |notice| events.contains(&notice.event));
        remove(&mut self.signups, &mut left, |signup| events.contains(&signup.event));
        let notices = self.notices.values().map(|notice| notice.shift);
        let in_use: BTreeSet<ShiftId> =
            notices.chain(self.signups.values().map(|signup| signup.shift)).collect();
        for found in self.events.values_mut() {
            let is_old_event = is_old(found.deleted_at);
            found.questions.retain(|_| !take(&mut left, is_old_event));
            found.shifts.retain(|shift| {
                let is_old = is_old_event || is_old(shift.deleted_at);
                !take(&mut left, is_old && !in_use.contains(&shift.shift.id))
            });
        }
        self.events.retain(|_, found| {
            let is_empty = found.shifts.is_empty() && found.questions.is_empty();
            !take(&mut left, is_old(found.deleted_at) && is_empty)
        });
        (limit as usize - left) as u64
    }
}

/// Returns whether to remove a record, and counts it.
fn take(left: &mut usize, is_old: bool) -> bool {
    let is_removed = is_old && *left > 0;
    *left -= usize::from(is_removed);
    is_removed
}

fn remove<K: Ord, V>(
    records: &mut std::collections::BTreeMap<K, V>,
    left: &mut usize,
    is_old: impl Fn(&V) -> bool,
) {
    records.retain(|_, record| !take(left, is_old(record)));
}
