//! Removing expired and deleted records for good.

use jiff::Timestamp;
use signup_core::{Kind, Purge, Record, RecordKey};

use crate::tables::Tables;

impl Tables {
    /// Removes at most `limit` records, and returns how many were removed.
    pub(crate) fn purge(&mut self, purge: Purge, limit: u32) -> u64 {
        let limit = limit as usize;
        let removed = match purge {
            Purge::Expired(now) => {
                let expired = self.expiries.iter().take_while(|(at, _)| *at <= now).take(limit);
                let expired: Vec<_> = expired.map(|(_, key)| key.clone()).collect();
                expired.iter().for_each(|key| self.remove(key));
                expired.len()
            }
            Purge::FailedNotices(until) => {
                let failed = self.lists.failed.iter().map(|(id, owner)| RecordKey::Notice(*owner, *id));
                let failed: Vec<_> = failed.filter(|key| self.has_failed(key, until)).take(limit).collect();
                failed.iter().for_each(|key| self.remove(key));
                failed.len()
            }
            Purge::Deleted(until) => self.purge_deleted(until, limit),
            Purge::Traces => 0,
        };
        removed as u64
    }

    fn has_failed(&self, notice: &RecordKey, until: Timestamp) -> bool {
        match self.records.get(notice) {
            Some(Record::Notice(notice)) => {
                notice.failure.as_ref().is_some_and(|failure| failure.at <= until)
            }
            _ => false,
        }
    }

    /// Removes a deleted event from below. Questions, messages and location data go with the event, and are not counted.
    fn purge_deleted(&mut self, until: Timestamp, limit: usize) -> usize {
        let due = self.lists.deletions.iter().take_while(|(deleted_at, _)| *deleted_at <= until);
        let mut removed = 0;
        for key in due.map(|(_, key)| key.clone()).collect::<Vec<_>>() {
            let is_event = matches!(key, RecordKey::Event(..));
            while removed < limit
                && is_event
                && let Some(leaf) = self.leaf_below(&key)
            {
                self.remove(&leaf);
                removed += 1;
            }
            let is_there = self.records.contains_key(&key);
            if removed < limit && is_there && (is_event || self.children(&key).next().is_none()) {
                self.remove(&key);
                removed += 1;
            }
        }
        removed
    }

    /// Returns a descendant of a record that has no counted children.
    fn leaf_below(&self, key: &RecordKey) -> Option<RecordKey> {
        let is_counted =
            |key: &&RecordKey| !matches!(key.kind(), Kind::Question | Kind::Message | Kind::LocationData);
        let child = self.children.get(key)?.iter().find(is_counted)?;
        Some(self.leaf_below(child).unwrap_or_else(|| child.clone()))
    }
}
