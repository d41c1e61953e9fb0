//! Faults in the updates of events and questions, and in reads of several records.

use std::sync::Arc;

use signup_core::conformance::records::{answer, organization_id};
use signup_core::store::{Wrapped, Wrapper};
use signup_core::{
    ChangeSet, CommitError, Event, EventId, EventQuery, OrganizationId, Question, QuestionId, Refusal,
    Requirement, Shift, ShiftId, SignupId, SignupInFull, SignupStatus, Store, StoreError, Write, async_trait,
};
use signup_store_memory::MemoryStore;

use crate::{mutant, organizations, signups_of_ada, with_requirements, with_writes};

mutant! {
    /// An update removes the location data.
    an_update_without_location_data breaks event_edits::an_update_keeps_slug_creation_time_and_location_data
        with "an update changes every field that can change"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            self.0.commit(with_writes(change, |write| match &write {
                Write::UpdateEvent { event: updated, .. } => {
                    let (organization, event) = (updated.organization, updated.id);
                    vec![Write::SetLocationData { organization, event, location_data: None }, write]
                }
                _ => vec![write],
            })).await
        }
    }
}

mutant! {
    /// An update does not publish or unpublish.
    an_update_that_publishes_nothing breaks event_edits::an_update_moves_the_event_in_the_lists
        with "a draft is not published"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            self.0.commit(with_writes(change, |mut write| {
                if let Write::UpdateEvent { event, .. } = &mut write {
                    event.is_published = true;
                }
                vec![write]
            })).await
        }
    }
}

mutant! {
    /// Shifts are listed by their hours, and not by their instants.
    shifts_by_hours breaks event_edits::an_update_moves_the_instants_of_the_shifts
        with "the shifts move with the event, into their new order"
    {
        async fn shifts(
            &self,
            organization: OrganizationId,
            event: EventId,
        ) -> Result<Option<Vec<Shift>>, StoreError> {
            let mut shifts = self.0.shifts(organization, event).await?;
            shifts.iter_mut().for_each(|shifts| shifts.sort_by_key(|shift| shift.hours.start()));
            Ok(shifts)
        }
    }
}

mutant! {
    /// A shift does not follow when its event moves online.
    a_shift_that_stays_in_person breaks event_edits::an_update_moves_the_instants_of_the_shifts
        with "one shift"
    {
        async fn shift(&self, organization: OrganizationId, id: ShiftId) -> Result<Option<Shift>, StoreError> {
            let mut shift = self.0.shift(organization, id).await?;
            shift.iter_mut().for_each(|shift| shift.is_virtual = false);
            Ok(shift)
        }
    }
}

mutant! {
    /// Cancelled events count as active.
    a_cancelled_event_that_is_active breaks event_edits::active_events_follow_each_change
        with "a cancelled event is not active"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            let mut answer = self.0.commit(change).await;
            let query = EventQuery::new().published();
            let published = self.0.events(organization_id(1), &query).await?.events;
            if let Err(CommitError::Refused(Refusal::ActiveEvents { count })) = &mut answer {
                let cancelled = published.iter().filter(|event| event.is_cancelled());
                *count += u32::try_from(cancelled.count()).unwrap();
            }
            answer
        }
    }
}

mutant! {
    /// Location data is not removed.
    location_data_that_stays breaks event_edits::location_data_is_replaced_and_removed
        with "location data is replaced"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            self.0.commit(with_writes(change, |write| match write {
                Write::SetLocationData { location_data: None, .. } => vec![],
                other => vec![other],
            })).await
        }
    }
}

mutant! {
    /// Every version of an event holds.
    a_version_that_is_not_checked breaks event_edits::a_stale_version_of_an_event_is_refused
        with "the version is stale"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            self.0.commit(with_requirements(change, |requirement| match requirement {
                Requirement::EventAtVersion { .. } => None,
                other => Some(other),
            })).await
        }
    }
}

mutant! {
    /// A write reaches the event of another organization.
    a_deletion_of_a_foreign_event breaks fence::no_write_reaches_another_organizations_records
        with "no write reaches another organization's event"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            self.0.commit(with_writes(change, |write| match write {
                Write::DeleteEvent { event, at, .. } => organizations()
                    .map(|organization| Write::DeleteEvent { organization, event, at })
                    .to_vec(),
                other => vec![other],
            })).await
        }
    }
}

mutant! {
    /// A question of another organization is found.
    a_foreign_question breaks fence::no_read_sees_another_organizations_records
        with "no question of another organization"
    {
        async fn question(&self, _: OrganizationId, id: QuestionId) -> Result<Option<Question>, StoreError> {
            for organization in organizations() {
                let found = self.0.question(organization, id).await?;
                if found.is_some() {
                    return Ok(found);
                }
            }
            Ok(None)
        }
    }
}

mutant! {
    /// An update of a question keeps its position.
    a_question_that_stays_in_place breaks questions::an_update_of_a_question_changes_its_five_fields
        with "a question is updated"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            self.0.commit(with_writes(change, |mut write| {
                if let Write::UpdateQuestion(question) = &mut write {
                    question.position = 1;
                }
                vec![write]
            })).await
        }
    }
}

mutant! {
    /// An update inserts a question that does not exist.
    a_question_that_an_update_inserts breaks questions::a_deleted_question_is_gone_and_its_answers_stay
        with "an update inserts no question"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            self.0.commit(with_writes(change, |write| match write {
                Write::UpdateQuestion(question) => vec![Write::InsertQuestions(vec![question])],
                other => vec![other],
            })).await
        }
    }
}

/// Which answers of the sign-ups in a store count.
async fn answered(store: &MemoryStore, counts: fn(&signup_core::Signup, usize) -> bool) -> Vec<QuestionId> {
    let signups = signups_of_ada(store, organization_id(1)).await.unwrap();
    let answers = signups.iter().flat_map(|signup| {
        let numbered = signup.answers.iter().enumerate();
        numbered.filter(|(number, _)| counts(signup, *number)).map(|(_, answer)| answer.question_id)
    });
    answers.collect()
}

/// Replaces `QuestionUnanswered` by a check that finds only the answers to `answered`.
fn with_answered(change: ChangeSet, answered: &[QuestionId]) -> Result<ChangeSet, CommitError> {
    let is_answered = |requirement: &Requirement| match requirement {
        Requirement::QuestionUnanswered { question, .. } => answered.contains(question),
        _ => false,
    };
    if change.requires.iter().any(is_answered) {
        return Err(CommitError::Refused(Refusal::QuestionAnswered));
    }
    Ok(with_requirements(change, |requirement| match requirement {
        Requirement::QuestionUnanswered { .. } => None,
        other => Some(other),
    }))
}

mutant! {
    /// The answers of cancelled sign-ups do not count.
    answers_of_confirmed_sign_ups_only breaks questions::an_answer_of_any_sign_up_counts
        with "the answer of a cancelled sign-up counts"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            let answered = answered(&self.0, |signup, _| signup.status == SignupStatus::Confirmed).await;
            self.0.commit(with_answered(change, &answered)?).await
        }
    }
}

mutant! {
    /// Only the first answer of a sign-up counts.
    first_answers_only breaks questions::an_answer_of_any_sign_up_counts with "each answer of a sign-up counts" {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            let answered = answered(&self.0, |_, number| number == 0).await;
            self.0.commit(with_answered(change, &answered)?).await
        }
    }
}

mutant! {
    /// An answer to any question counts.
    answers_to_every_question breaks questions::an_answer_of_any_sign_up_counts
        with "an answer to another question does not count"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            let mut found = answered(&self.0, |_, _| true).await;
            if !found.is_empty() {
                found = [1, 2, 9].map(|number| answer(number, "S").question_id).to_vec();
            }
            self.0.commit(with_answered(change, &found)?).await
        }
    }
}

mutant! {
    /// A shift with its event is composed of two reads.
    a_shift_and_an_event_of_two_snapshots breaks snapshots::a_shift_with_its_event_is_one_snapshot
        with "the shift and its event are of one snapshot"
    {
        async fn shift_with_event(
            &self,
            organization: OrganizationId,
            id: ShiftId,
        ) -> Result<Option<(Shift, Event)>, StoreError> {
            let Some((shift, mut event)) = self.0.shift_with_event(organization, id).await? else {
                return Ok(None);
            };
            // Waits for a commit, so that the reads differ.
            for _ in 0..1_000_000 {
                if let Some(found) = self.0.event(organization, event.id).await?.filter(|found| *found != event) {
                    event = found;
                    break;
                }
                tokio::task::yield_now().await;
            }
            Ok(Some((shift, event)))
        }
    }
}

mutant! {
    /// A sign-up in full is composed of two reads.
    a_sign_up_and_a_shift_of_two_snapshots breaks snapshots::a_sign_up_in_full_is_one_snapshot
        with "the sign-up, its shift and its event are of one snapshot"
    {
        async fn signup_in_full(
            &self,
            organization: OrganizationId,
            id: SignupId,
        ) -> Result<Option<SignupInFull>, StoreError> {
            let Some(mut full) = self.0.signup_in_full(organization, id).await? else { return Ok(None) };
            // Waits for a commit, so that the reads differ.
            for _ in 0..1_000_000 {
                let found = self.0.shift(organization, full.shift.id).await?;
                if let Some(found) = found.filter(|found| *found != full.shift) {
                    full.shift = found;
                    break;
                }
                tokio::task::yield_now().await;
            }
            Ok(Some(full))
        }
    }
}
