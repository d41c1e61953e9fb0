//! The preview of a decision: what it would change, and whom it would mail.

use super::{Decision, NewActivity, mails_of};
use crate::activity::ActivityType;
use crate::store::ChangeSet;

/// What a write would do if it was called now. See
/// [`Session::preview_event_patch`](crate::Session::preview_event_patch).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Preview {
    /// The maximum number of mails that the write queues: one for each active sign-up whose volunteer it tells.
    pub mails: u32,
    /// The names of the fields that get another value, as [`Activity::changes`](crate::Activity::changes) has them, and
    /// `is_published` last. Empty for a cancellation and for a deletion.
    pub changes: Vec<&'static str>,
}

impl<T> Decision<T> {
    /// Returns the decision to check everything that this decision requires, and to write nothing.
    pub(crate) fn preview(self) -> Decision<Preview> {
        let changes = self.activity.iter().flat_map(changes_of).collect();
        Decision {
            outcome: Preview { mails: mails_of(&self.change), changes },
            change: ChangeSet { requires: self.change.requires, writes: vec![] },
            activity: vec![],
            decides_again: self.decides_again,
        }
    }
}

fn changes_of(activity: &NewActivity) -> Vec<&'static str> {
    if [ActivityType::EVENT_PUBLISHED, ActivityType::EVENT_UNPUBLISHED].contains(&activity.kind) {
        return vec!["is_published"];
    }
    activity.changes.clone()
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::super::{cancel_event, delete_shift, patch_event, patch_shift};
    use super::*;
    use crate::input::{Cancellation, DeleteShift, EventPatch, ShiftPatch};
    use crate::store::EventInFull;

    fn filled() -> EventInFull {
        full_with(|event, shifts| {
            event.is_published = false;
            shifts[0].occupancy.filled = 2;
            shifts[1].occupancy.filled = 3;
        })
    }

    /// Panics unless the preview of a decision keeps the requirements of the decision, and writes and records nothing.
    fn preview<T>(decision: Decision<T>) -> Preview {
        let requires = decision.change.requires.clone();
        let preview = decision.preview();
        assert_eq!(preview.change, ChangeSet { requires, writes: vec![] });
        assert_eq!(preview.activity, []);
        preview.outcome
    }

    fn of_event(patch: EventPatch) -> Preview {
        let notices = vec![notice(8), notice(9)];
        preview(patch_event(filled(), patch, limits(), notices, DELAY, before()).unwrap())
    }

    #[test]
    fn a_preview_names_the_fields_that_change_and_counts_the_active_sign_ups_that_are_told() {
        let new = EventPatch::new;
        let moved = || new().start_date(jiff::civil::date(2027, 6, 12)).title("Other".parse().unwrap());
        for (patch, mails, changes) in [
            (new(), 0, &[][..]),
            (new().title("Other".parse().unwrap()), 0, &["title"]),
            (new().published(true), 0, &["is_published"]),
            (moved().published(true), 5, &["title", "start_date", "is_published"]),
            (moved().without_mail(), 0, &["title", "start_date"]),
        ] {
            assert_eq!(of_event(patch), Preview { mails, changes: changes.to_vec() });
        }
        let EventInFull { event, shifts, .. } = filled();
        let place = ShiftPatch::new().location("Hall B".parse().unwrap());
        let patched = patch_shift(&event, shifts[0].clone(), place, notice(8), DELAY, before());
        assert_eq!(preview(patched.unwrap()), Preview { mails: 2, changes: vec!["location"] });
        let delete = DeleteShift::new().cancel_signups();
        let deleted = delete_shift(&event, &shifts[1], delete, notice(8), before());
        assert_eq!(preview(deleted.unwrap()), Preview { mails: 3, changes: vec![] });
        let cancelled = cancel_event(filled(), Cancellation::new(), notice(8), before());
        assert_eq!(preview(cancelled.unwrap()), Preview { mails: 5, changes: vec![] });
    }
}
