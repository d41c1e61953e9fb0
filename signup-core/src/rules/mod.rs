//! The rules: pure functions from facts, an input and the time to a decision.
//!
//! The records that were read, the time and the new ids are arguments. The decision is an outcome and a [`ChangeSet`].
//! So every rule can be tested without a store.
//!
//! **Invariant:** no rule reads a clock, a random source or a store. The service calls [`EventIds::generate`] before a
//! rule.

mod activity;
mod attempt;
mod cancel_event;
mod cancel_signup;
mod correct_signup;
mod create_event;
mod delete_event;
mod deliver;
mod duplicate_event;
mod edit;
#[cfg(test)]
mod facts;
mod invitation;
mod mark_attendance;
mod membership;
mod merge;
mod message;
mod move_signup;
mod news;
mod opt_out;
mod organization;
mod patch_event;
mod patch_shift;
mod promote;
mod questions;
mod recipient;
mod reminder;
mod shift_set;
mod sign_in;
mod sign_up;
mod slug;
mod summary;
mod webhook;

pub(crate) use activity::{NewActivity, changes_of, record_activity};
pub(crate) use attempt::{claim_delivery, report_attempt};
pub(crate) use cancel_event::cancel_event;
pub(crate) use cancel_signup::{cancel_signup, erase_mails, erase_signup};
pub(crate) use correct_signup::correct_signup;
pub(crate) use create_event::create_event;
pub(crate) use delete_event::{delete_event, restore_event};
pub(crate) use deliver::{
    claim_failed, claim_news, claim_with, delete_notice, failed, given_up, mark_portion, replace_notice, sent,
};
pub(crate) use duplicate_event::duplicate_event;
pub(crate) use edit::mails_of;
pub(crate) use invitation::{
    AcceptFacts, InviteFacts, MailIds, accept, check_invitation, invite, invite_first_owner, invitee,
    withdraw,
};
pub(crate) use mark_attendance::mark_attendance;
pub(crate) use membership::{change_role, check_permission, remove_member};
pub(crate) use message::{queue_messages, send_message, write_message};
pub(crate) use move_signup::move_signup;
pub(crate) use news::{Concern, concern};
pub(crate) use opt_out::{erase_opt_outs, subscribe};
pub(crate) use organization::{create_token, revoke_token, set_plan, update_organization, use_token};
pub(crate) use patch_event::{close_signups, open_signups, patch_event};
pub(crate) use patch_shift::{ShiftFacts, patch_shift};
pub(crate) use promote::{WaitingList, owes_places, promote_owed};
pub(crate) use questions::{add_question, delete_question, is_unanswered, patch_question};
pub(crate) use recipient::{event_change_id, recipient_id};
pub(crate) use reminder::has_due;
pub(crate) use shift_set::{add_shifts, delete_shift};
pub(crate) use sign_in::{CodeFacts, enter_code, request_code, sign_out, sign_out_everywhere, use_sign_in};
pub(crate) use sign_up::{KnownPlaces, SignUpFacts, check_form, sign_up, takes_all};
pub use sign_up::{Place, ShiftOutcome};
pub(crate) use slug::{slug_base, slug_with_tail};
pub(crate) use summary::{choose_summary, claim_summary, end_summary, rested, summary_id};
pub(crate) use webhook::{
    create_webhook, delete_webhook, patch_webhook, redeliver, rotate_secret, test_webhook,
};

use jiff::Timestamp;

use crate::id::{EventId, QuestionId, ShiftId};
use crate::secret;
use crate::store::{ChangeSet, Refusal};

/// The decision of a rule: the outcome, and the change set that must be durable before the outcome is returned.
#[derive(Debug, Clone)]
pub(crate) struct Decision<T> {
    /// The outcome if the change set is committed.
    pub(crate) outcome: T,
    /// The change set to commit; empty if nothing changes.
    pub(crate) change: ChangeSet,
    /// The activity to record in the same commit.
    pub(crate) activity: Vec<NewActivity>,
    /// Returns whether the rule decides again after a refusal, on records that are read again. By default this is so if a
    /// record has changed.
    pub(crate) decides_again: fn(&Refusal) -> bool,
}

impl<T> Decision<T> {
    /// Creates a decision that is made again if a record has changed.
    pub(crate) fn new(outcome: T, change: ChangeSet, activity: impl Into<Vec<NewActivity>>) -> Self {
        let decides_again = |refusal: &Refusal| matches!(refusal, Refusal::Changed(_));
        Self { outcome, change, activity: activity.into(), decides_again }
    }

    /// Creates a decision without activity, like [`new`](Self::new): it concerns only mails, or only checks requirements.
    pub(crate) fn unrecorded(outcome: T, change: ChangeSet) -> Self {
        Self::new(outcome, change, [])
    }

    /// Creates a decision that changes nothing.
    pub(crate) fn unchanged(outcome: T) -> Self {
        Self::unrecorded(outcome, ChangeSet::default())
    }

    /// Replaces the refusals after which the rule decides again.
    pub(crate) fn again_after(self, decides_again: fn(&Refusal) -> bool) -> Self {
        Self { decides_again, ..self }
    }
}

/// The ids and the random slug tail for one new event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EventIds {
    /// The id of the event.
    pub(crate) event: EventId,
    /// 8 random characters.
    pub(crate) slug_tail: String,
    /// One id for each shift.
    pub(crate) shifts: Vec<ShiftId>,
    /// One id for each question.
    pub(crate) questions: Vec<QuestionId>,
}

impl EventIds {
    /// Generates ids for an event that is created at `now` with these numbers of shifts and questions.
    pub(crate) fn generate(now: Timestamp, shifts: usize, questions: usize) -> Self {
        Self {
            event: EventId::new(secret::new_uuid(now)),
            slug_tail: secret::slug_tail(),
            shifts: (0..shifts).map(|_| ShiftId::new(secret::new_uuid(now))).collect(),
            questions: (0..questions).map(|_| QuestionId::new(secret::new_uuid(now))).collect(),
        }
    }
}
