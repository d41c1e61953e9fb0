//! Removes expired and deleted records for good.

use jiff::Timestamp;
use signup_core::{EventId, ShiftId};

use crate::tables::{SignupList, Tables};

impl Tables {
    pub(crate) fn purge_receipts(&mut self, now: Timestamp, limit: u32) -> u64 {
        let mut purged = 0;
        while purged < u64::from(limit)
            && let Some((end, key)) = self.receipt_ends.first()
            && *end <= now
        {
            self.receipts.remove(key);
            self.receipt_ends.pop_first();
            purged += 1;
        }
        purged
    }

    pub(crate) fn purge_deleted(&mut self, until: Timestamp, limit: u32) -> u64 {
        let mut purge = Purge { tables: self, left: limit };
        let old = purge.tables.deleted_events.iter().filter(|(_, at)| **at <= until);
        let events: Vec<_> = old.map(|(id, _)| *id).collect();
        events.into_iter().for_each(|event| purge.event(event));
        let old = purge.tables.deleted_shifts.iter().filter(|(_, at)| **at <= until);
        let shifts: Vec<_> = old.map(|(id, _)| *id).collect();
        shifts.into_iter().for_each(|shift| purge.shift(shift));
        u64::from(limit - purge.left)
    }
}

/// A purge of deleted records, which may remove `left` more records.
struct Purge<'t> {
    tables: &'t mut Tables,
    left: u32,
}

impl Purge<'_> {
    /// Removes what refers to an event, and then the event.
    fn event(&mut self, event: EventId) {
        let shifts = self.tables.shifts_of_event.get(&event).cloned().unwrap_or_default();
        let notices = shifts.iter().flat_map(|shift| self.tables.notice_ids_of(*shift));
        let notices: Vec<_> = notices.take(self.left as usize).collect();
        self.remove(notices, Tables::delete_notice);
        let signups = self.tables.signup_lists.get(&SignupList::Event(event)).into_iter().flatten();
        let signups: Vec<_> = signups.copied().take(self.left as usize).collect();
        self.remove(signups, Tables::erase_signup);
        let questions: Vec<_> = self.tables.question_ids_of(event).take(self.left as usize).collect();
        self.remove(questions, Tables::delete_question);
        shifts.into_iter().for_each(|shift| self.shift(shift));
        let has_questions = self.tables.question_ids_of(event).next().is_some();
        if !has_questions && !self.tables.shifts_of_event.contains_key(&event) {
            self.remove([event], Tables::remove_event);
        }
    }

    /// Removes a shift to which nothing refers.
    fn shift(&mut self, shift: ShiftId) {
        let has_signups = self.tables.signup_lists.contains_key(&SignupList::Shift(shift));
        let has_notices = self.tables.notice_ids_of(shift).next().is_some();
        if !has_signups && !has_notices {
            self.remove([shift], Tables::remove_shift);
        }
    }

    /// Removes records while more may be removed.
    fn remove<Id>(&mut self, ids: impl IntoIterator<Item = Id>, remove: impl Fn(&mut Tables, Id)) {
        for id in ids.into_iter().take(self.left as usize) {
            remove(self.tables, id);
            self.left -= 1;
        }
    }
}
