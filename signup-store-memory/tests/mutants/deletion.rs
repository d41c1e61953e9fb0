//! Faults in deletion, restoration and the purge.

use std::sync::Arc;

use signup_core::conformance::records::organization_id;
use signup_core::store::{Wrapped, Wrapper};
use signup_core::{
    ChangeSet, CommitError, DeletedEvent, Digest, Event, EventId, EventInFull, OrganizationId, Refusal,
    Requirement, Shift, ShiftId, Signup, SignupId, SignupInFull, SignupPage, SignupQuery, Store, StoreError,
    Timestamp, Write, async_trait,
};
use signup_store_memory::MemoryStore;

use crate::{mutant, organizations, signups_of_ada, with_requirements, with_writes};

mutant! {
    /// The list of sign-ups shows those of deleted events.
    listed_sign_ups_of_a_deleted_event breaks deletion::a_deleted_event_hides_all_that_belongs_to_it
        with "the list of sign-ups omits those of a deleted event"
    {
        async fn signup_page(
            &self,
            organization: OrganizationId,
            query: &SignupQuery,
        ) -> Result<SignupPage, StoreError> {
            let mut page = self.0.signup_page(organization, query).await?;
            for signup in signups_of_ada(&self.0, organization).await? {
                if self.0.signup(organization, signup.id).await?.is_none() {
                    page.signups.push(signup);
                }
            }
            Ok(page)
        }
    }
}

mutant! {
    /// A secret finds a sign-up of a deleted event.
    a_secret_of_a_deleted_event breaks deletion::a_deleted_event_hides_all_that_belongs_to_it
        with "the secret finds no sign-up of a deleted event"
    {
        async fn signup_by_secret(&self, secret: &Digest) -> Result<Option<Signup>, StoreError> {
            let signups = signups_of_ada(&self.0, organization_id(1)).await?;
            Ok(signups.into_iter().find(|signup| signup.secret == *secret))
        }
    }
}

mutant! {
    /// A slug finds a deleted event.
    a_page_of_a_deleted_event breaks deletion::a_deleted_event_hides_all_that_belongs_to_it
        with "a deleted event has no page"
    {
        async fn event_by_slug(&self, slug: &str) -> Result<Option<EventInFull>, StoreError> {
            for organization in organizations() {
                let deleted = self.0.deleted_events(organization, None, 99).await?;
                if let Some(found) = deleted.into_iter().find(|found| found.event.slug == slug) {
                    return Ok(Some(EventInFull::new(found.event, vec![], vec![])));
                }
            }
            self.0.event_by_slug(slug).await
        }
    }
}

mutant! {
    /// A deleted shift, and the shift of a deleted event, can be read.
    a_deleted_shift_that_is_read breaks deletion::a_deleted_shift_is_missing with "a deleted shift is missing" {
        async fn shift(&self, organization: OrganizationId, id: ShiftId) -> Result<Option<Shift>, StoreError> {
            for signup in signups_of_ada(&self.0, organization).await? {
                let full = self.0.signup_in_full(organization, signup.id).await?;
                if let Some(full) = full.filter(|full| full.shift.id == id) {
                    return Ok(Some(full.shift));
                }
            }
            self.0.shift(organization, id).await
        }
    }
}

mutant! {
    /// The sign-ups of a deleted event are not readable in full.
    no_mail_about_a_deleted_event breaks deletion::what_mails_and_operators_need_of_a_deleted_event_stays
        with "a sign-up of a deleted event stays readable in full"
    {
        async fn signup_in_full(
            &self,
            organization: OrganizationId,
            id: SignupId,
        ) -> Result<Option<SignupInFull>, StoreError> {
            let full = self.0.signup_in_full(organization, id).await?;
            Ok(full.filter(|full| !full.is_event_deleted))
        }
    }
}

mutant! {
    /// A sign-up in full does not tell that its event is deleted.
    a_deletion_that_mails_do_not_see breaks deletion::what_mails_and_operators_need_of_a_deleted_event_stays
        with "a sign-up of a deleted event stays readable in full"
    {
        async fn signup_in_full(
            &self,
            organization: OrganizationId,
            id: SignupId,
        ) -> Result<Option<SignupInFull>, StoreError> {
            let mut full = self.0.signup_in_full(organization, id).await?;
            full.iter_mut().for_each(|full| full.is_event_deleted = false);
            Ok(full)
        }
    }
}

mutant! {
    /// The list of sign-ups omits those for deleted shifts.
    no_sign_ups_of_a_deleted_shift breaks deletion::the_sign_ups_of_a_deleted_shift_stay
        with "of the organization"
    {
        async fn signup_page(
            &self,
            organization: OrganizationId,
            query: &SignupQuery,
        ) -> Result<SignupPage, StoreError> {
            let mut page = self.0.signup_page(organization, query).await?;
            for signup in page.signups.clone() {
                if self.0.shift(organization, signup.shift).await?.is_none() {
                    page.signups.retain(|found| found.id != signup.id);
                }
            }
            Ok(page)
        }
    }
}

mutant! {
    /// The list of deleted events ignores `after`.
    deleted_events_from_the_first breaks deletion::deleted_events_are_listed_by_id
        with "deleted events after the given id"
    {
        async fn deleted_events(
            &self,
            organization: OrganizationId,
            _: Option<EventId>,
            limit: u32,
        ) -> Result<Vec<DeletedEvent>, StoreError> {
            self.0.deleted_events(organization, None, limit).await
        }
    }
}

mutant! {
    /// The slug of a deleted event is free.
    a_slug_that_a_deletion_frees breaks deletion::a_deleted_event_keeps_its_slug
        with "the slug of a deleted event stays in use"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            let mut slugs = vec![];
            for organization in organizations() {
                let deleted = self.0.deleted_events(organization, None, 99).await?;
                slugs.extend(deleted.into_iter().map(|found| found.event.slug));
            }
            self.0.commit(with_requirements(change, |requirement| match requirement {
                Requirement::EventSlugFree(slug) if slugs.contains(&slug) => None,
                other => Some(other),
            })).await
        }
    }
}

mutant! {
    /// A deleted event has a version.
    a_version_of_a_deleted_event breaks deletion::a_deleted_event_is_at_no_version
        with "a deleted event is at no version"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            let deleted = self.0.deleted_events(organization_id(1), None, 99).await?;
            self.0.commit(with_requirements(change, |requirement| match requirement {
                Requirement::EventAtVersion { event, .. }
                    if deleted.iter().any(|found| found.event.id == event) => None,
                other => Some(other),
            })).await
        }
    }
}

mutant! {
    /// `EventDeleted` holds for every event.
    a_deletion_that_is_not_checked breaks deletion::a_deleted_event_is_at_no_version
        with "the event is not deleted"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            self.0.commit(with_requirements(change, |requirement| match requirement {
                Requirement::EventDeleted { .. } => None,
                other => Some(other),
            })).await
        }
    }
}

mutant! {
    /// An update changes a deleted event.
    an_update_of_a_deleted_event breaks deletion::an_update_of_a_deleted_event_changes_nothing
        with "a deleted event stays unchanged"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            let deleted = self.0.deleted_events(organization_id(1), None, 99).await?;
            let deleted_at = |event: &Event| {
                deleted.iter().find(|found| found.event.id == event.id).map(|found| found.deleted_at)
            };
            self.0.commit(with_writes(change, |write| match write {
                Write::UpdateEvent { event, .. } if deleted_at(&event).is_some() => {
                    let (organization, id, at) = (event.organization, event.id, deleted_at(&event).unwrap());
                    vec![Write::RestoreEvent(event), Write::DeleteEvent { organization, event: id, at }]
                }
                other => vec![other],
            })).await
        }
    }
}

mutant! {
    /// A restoration does not update the event.
    a_restoration_without_an_update breaks deletion::a_restoration_updates_the_event with "a restoration updates" {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            let deleted = self.0.deleted_events(organization_id(1), None, 99).await?;
            self.0.commit(with_writes(change, |write| match write {
                Write::RestoreEvent(event) => {
                    let found = deleted.iter().find(|found| found.event.id == event.id);
                    vec![Write::RestoreEvent(found.map_or(event, |found| Box::new(found.event.clone())))]
                }
                other => vec![other],
            })).await
        }
    }
}

mutant! {
    /// A deleted shift has room.
    room_on_a_deleted_shift breaks deletion::a_deleted_shift_has_no_room with "a deleted shift is missing: ShiftHasRoom" {
        async fn commit(&self, mut change: ChangeSet) -> Result<(), CommitError> {
            for requirement in std::mem::take(&mut change.requires) {
                if let Requirement::ShiftHasRoom { organization, shift } = requirement
                    && self.0.shift(organization, shift).await?.is_none()
                {
                    continue;
                }
                change.requires.push(requirement);
            }
            self.0.commit(change).await
        }
    }
}

mutant! {
    /// Deleted events count as active.
    a_deleted_event_that_is_active breaks event_edits::active_events_follow_each_change
        with "a deleted event is not active"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            let mut answer = self.0.commit(change).await;
            let deleted = self.0.deleted_events(organization_id(1), None, 99).await?;
            if let Err(CommitError::Refused(Refusal::ActiveEvents { count })) = &mut answer {
                *count += u32::try_from(deleted.len()).unwrap();
            }
            answer
        }
    }
}

mutant! {
    /// A purge ignores the time of deletion.
    a_purge_of_what_was_deleted_just_now breaks purge::a_purge_keeps_what_was_deleted_later with "deleted later" {
        async fn purge_deleted(&self, _: Timestamp, limit: u32) -> Result<u64, StoreError> {
            self.0.purge_deleted(Timestamp::MAX, limit).await
        }
    }
}

mutant! {
    /// A purge ignores its limit.
    a_purge_in_one_portion breaks purge::a_purge_removes_deleted_records_in_portions
        with "a purge removes as many records as its limit"
    {
        async fn purge_deleted(&self, until: Timestamp, _: u32) -> Result<u64, StoreError> {
            self.0.purge_deleted(until, u32::MAX).await
        }
    }
}

mutant! {
    /// A purge removes a deleted shift with its sign-ups.
    a_purge_of_a_shift_in_use breaks purge::a_purge_keeps_a_shift_in_use with "a shift in use is kept" {
        async fn purge_deleted(&self, until: Timestamp, limit: u32) -> Result<u64, StoreError> {
            let organization = organization_id(1);
            for signup in signups_of_ada(&self.0, organization).await? {
                if self.0.shift(organization, signup.shift).await?.is_none() {
                    let Signup { event, shift, id: signup, .. } = signup;
                    let erase = Write::EraseSignup { organization, event, shift, signup };
                    self.0.commit(ChangeSet { requires: vec![], writes: vec![erase] }).await.unwrap();
                }
            }
            self.0.purge_deleted(until, limit).await
        }
    }
}

mutant! {
    /// A purge keeps the notices of a deleted event.
    a_purge_without_notices breaks purge::a_purge_removes_an_event_with_all_that_belongs_to_it
        with "its notices are removed"
    {
        async fn purge_deleted(&self, until: Timestamp, limit: u32) -> Result<u64, StoreError> {
            let notices = self.0.notices(false, None, u32::MAX).await?;
            let removed = self.0.purge_deleted(until, limit).await?;
            let writes = vec![Write::InsertNotices(notices)];
            self.0.commit(ChangeSet { requires: vec![], writes }).await.unwrap();
            Ok(removed)
        }
    }
}
