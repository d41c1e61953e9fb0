//! Removing expired and deleted records for good.

use jiff::Timestamp;
use signup_core::{Purge, Record, RecordKey};

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

    /// Removes the record of an event before its children, so that nothing can restore what is left of the event.
    fn purge_deleted(&mut self, until: Timestamp, limit: usize) -> usize {
        let due = self.lists.deletions.iter().take_while(|(deleted_at, _)| *deleted_at <= until);
        let mut removed = 0;
        for key in due.map(|(_, key)| key.clone()).collect::<Vec<_>>() {
            if removed == limit {
                return removed;
            }
            let is_event = matches!(key, RecordKey::Event(..));
            if is_event || self.children(&key).next().is_none() {
                self.take_out(&key);
                removed += 1;
            }
            if is_event {
                self.purged.insert(key);
            }
        }
        while let Some(event) = self.purged.first().cloned() {
            match self.leaf_below(&event) {
                Some(_) if removed == limit => return removed,
                Some(leaf) => {
                    self.remove(&leaf);
                    removed += 1;
                }
                None => {
                    self.children.remove(&event);
                    self.purged.remove(&event);
                }
            }
        }
        removed
    }

    /// Returns a descendant of a record that has no children.
    fn leaf_below(&self, key: &RecordKey) -> Option<RecordKey> {
        let child = self.children.get(key)?.first()?;
        Some(self.leaf_below(child).unwrap_or_else(|| child.clone()))
    }
}
