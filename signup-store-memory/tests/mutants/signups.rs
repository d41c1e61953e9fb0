//! Faults in the lists and the cancellations of sign-ups.

use std::sync::Arc;

use signup_core::conformance::records::{at, organization_id, uuid};
use signup_core::store::{Wrapped, Wrapper};
use signup_core::{
    CancelledBy, ChangeSet, CommitError, OrganizationId, Shift, ShiftId, Side, Signup, SignupId, SignupPage,
    SignupPosition, SignupQuery, SignupScope, SignupStatus, Store, StoreError, Write, async_trait,
};
use signup_store_memory::MemoryStore;

use crate::{mutant, organizations, signups_of_ada, with_writes};

/// Defines a mutant with another list of sign-ups.
macro_rules! list_mutant {
    ($(#[$doc:meta])* $name:ident breaks $module:ident::$promise:ident with $message:literal:
        |$store:ident, $organization:ident, $query:ident| $page:expr) => {
        mutant! {
            $(#[$doc])*
            $name breaks $module::$promise with $message {
                async fn signup_page(
                    &self,
                    $organization: OrganizationId,
                    $query: &SignupQuery,
                ) -> Result<SignupPage, StoreError> {
                    let $store = &self.0;
                    $page
                }
            }
        }
    };
}

list_mutant! {
    /// The oldest sign-up is the first.
    sign_ups_oldest_first breaks signup_lists::a_list_of_sign_ups_is_filtered_and_newest_first
        with "exactly the selected sign-ups, newest first": |store, organization, query| {
            let mut page = store.signup_page(organization, query).await?;
            page.signups.reverse();
            Ok(page)
        }
}

list_mutant! {
    /// The filter by status is ignored.
    sign_ups_of_any_status breaks signup_lists::a_list_of_sign_ups_is_filtered_and_newest_first
        with "exactly the selected sign-ups, newest first": |store, organization, query| {
            let mut query = query.clone();
            query.status = None;
            store.signup_page(organization, &query).await
        }
}

list_mutant! {
    /// The filter by address sees upper and lower case.
    addresses_by_case breaks signup_lists::a_list_of_sign_ups_is_filtered_and_newest_first
        with "exactly the selected sign-ups, newest first": |store, organization, query| {
            let mut page = store.signup_page(organization, query).await?;
            if let Some(email) = &query.email {
                page.signups.retain(|signup| signup.email.as_str() == email.as_str());
            }
            Ok(page)
        }
}

list_mutant! {
    /// The list of a shift has the sign-ups of the whole organization.
    sign_ups_of_every_shift breaks signup_lists::a_list_of_sign_ups_is_filtered_and_newest_first
        with "exactly the selected sign-ups, newest first": |store, organization, query| {
            let mut query = query.clone();
            query.scope = query.scope.filter(|scope| matches!(scope, SignupScope::Event(_)));
            store.signup_page(organization, &query).await
        }
}

list_mutant! {
    /// The limit counts sign-ups that the filter leaves out.
    a_limit_before_the_filter
        breaks signup_lists::a_page_of_sign_ups_has_positions_exactly_where_the_list_continues
        with "SignupQuery": |store, organization, query| {
            let mut all = query.clone();
            all.status = None;
            let mut page = store.signup_page(organization, &all).await?;
            page.signups.retain(|signup| query.status.is_none_or(|status| signup.status == status));
            Ok(page)
        }
}

list_mutant! {
    /// The last page has a position below.
    a_list_without_an_end
        breaks signup_lists::a_page_of_sign_ups_has_positions_exactly_where_the_list_continues
        with "SignupQuery": |store, organization, query| {
            let mut page = store.signup_page(organization, query).await?;
            page.below = page.signups.last().map(|last| SignupPosition { id: last.id, side: Side::Below });
            Ok(page)
        }
}

list_mutant! {
    /// The next page starts with the last sign-up of the page before.
    a_sign_up_on_two_pages breaks signup_lists::a_walk_shows_each_sign_up_once_while_others_sign_up
        with "a walk returns no sign-up twice": |store, organization, query| {
            let mut page = store.signup_page(organization, query).await?;
            if let Some(SignupPosition { id, side: Side::Below }) = query.position {
                page.signups.insert(0, store.signup(organization, id).await?.unwrap());
            }
            Ok(page)
        }
}

list_mutant! {
    /// The page above a position is the first of the list.
    a_walk_back_to_the_first_page breaks signup_lists::a_walk_back_shows_the_same_pages_of_sign_ups
        with "the walk back shows the same page": |store, organization, query| {
            let mut query = query.clone();
            query.position = query.position.filter(|position| position.side == Side::Below);
            store.signup_page(organization, &query).await
        }
}

list_mutant! {
    /// The list has the sign-ups of every organization.
    sign_ups_of_every_organization breaks fence::no_read_sees_another_organizations_records
        with "no sign-ups of another organization": |store, _organization, query| {
            let mut all = SignupPage::new(vec![]);
            for organization in organizations() {
                all.signups.extend(store.signup_page(organization, query).await?.signups);
            }
            Ok(all)
        }
}

mutant! {
    /// The sign-ups that were cancelled for any cause are listed.
    sign_ups_cancelled_for_any_cause breaks signup_lists::the_sign_ups_cancelled_for_a_cause_are_listed_by_id
        with "cancelled with the event"
    {
        async fn signups_cancelled_by(
            &self,
            organization: OrganizationId,
            scope: SignupScope,
            by: CancelledBy,
            after: Option<SignupId>,
            limit: u32,
        ) -> Result<Vec<Signup>, StoreError> {
            let mut query = SignupQuery::new().status(SignupStatus::Cancelled).limit(99);
            query.scope = Some(scope);
            let mut signups = self.0.signup_page(organization, &query).await?.signups;
            signups.reverse();
            signups.retain(|signup| after.is_none_or(|after| signup.id > after));
            signups.truncate(limit as usize);
            // The cause is what was asked for, so that only the number of sign-ups is wrong.
            signups.iter_mut().for_each(|signup| signup.cancelled_by = Some(by));
            Ok(signups)
        }
    }
}

mutant! {
    /// The fan-out of a cancelled event starts again with each batch.
    cancelled_sign_ups_from_the_first breaks signup_lists::the_sign_ups_cancelled_for_a_cause_are_listed_by_id
        with "those after the given id"
    {
        async fn signups_cancelled_by(
            &self,
            organization: OrganizationId,
            scope: SignupScope,
            by: CancelledBy,
            _: Option<SignupId>,
            limit: u32,
        ) -> Result<Vec<Signup>, StoreError> {
            self.0.signups_cancelled_by(organization, scope, by, None, limit).await
        }
    }
}

mutant! {
    /// `CloseShift` forgets to free the places.
    places_of_cancelled_sign_ups breaks cancellations::all_confirmed_sign_ups_of_a_shift_are_cancelled
        with "the places are free"
    {
        async fn shift(&self, organization: OrganizationId, id: ShiftId) -> Result<Option<Shift>, StoreError> {
            let query = SignupQuery::new().of_shift(id).limit(99);
            let signups = self.0.signup_page(organization, &query).await?.signups;
            let by_organizer = signups.iter().filter(|signup| signup.cancelled_by == Some(CancelledBy::ShiftDeletion));
            let forgotten = u32::try_from(by_organizer.count()).unwrap();
            let mut shift = self.0.shift(organization, id).await?;
            shift.iter_mut().for_each(|shift| shift.occupancy.filled += forgotten);
            Ok(shift)
        }
    }
}

mutant! {
    /// `CloseShift` cancels the sign-ups, and leaves the shift open.
    a_closed_shift_with_room breaks cancellations::a_closed_shift_has_no_room_and_its_sign_ups_stay_cancelled
        with "a closed shift has no room"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            self.0.commit(with_writes(change, |write| match write {
                Write::CloseShift { organization, shift, at, by } => {
                    let signup = SignupId::new(uuid(1));
                    vec![Write::CancelSignup { organization, shift, signup, at, by }]
                }
                other => vec![other],
            })).await
        }
    }
}

mutant! {
    /// `CloseShift` cancels the sign-ups for all shifts of the event.
    a_cancellation_of_the_whole_event breaks cancellations::all_confirmed_sign_ups_of_a_shift_are_cancelled
        with "only confirmed sign-ups of the shift are cancelled"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            let signups = signups_of_ada(&self.0, organization_id(1)).await?;
            self.0.commit(with_writes(change, |write| match write {
                Write::CloseShift { organization, at, by, .. } => signups
                    .iter()
                    .map(|signup| Write::CloseShift { organization, shift: signup.shift, at, by })
                    .collect(),
                other => vec![other],
            })).await
        }
    }
}

mutant! {
    /// `CloseShift` changes sign-ups that are already cancelled.
    a_second_cancellation breaks cancellations::all_confirmed_sign_ups_of_a_shift_are_cancelled
        with "only confirmed sign-ups of the shift are cancelled, and only once"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            let signups = signups_of_ada(&self.0, organization_id(1)).await?;
            self.0.commit(with_writes(change, |write| match write {
                Write::CloseShift { shift, .. } => {
                    let mut writes = vec![];
                    for signup in signups.iter().filter(|signup| signup.shift == shift) {
                        let Signup { organization, event, shift, id, .. } = *signup;
                        writes.push(Write::EraseSignup { organization, event, shift, signup: id });
                        let mut confirmed = signup.clone();
                        (confirmed.status, confirmed.cancelled_at) = (SignupStatus::Confirmed, None);
                        confirmed.cancelled_by = None;
                        writes.push(Write::InsertSignup(Box::new(confirmed)));
                    }
                    writes.push(write);
                    writes
                }
                other => vec![other],
            })).await
        }
    }
}

mutant! {
    /// Every cancelled sign-up was cancelled by its volunteer.
    a_cause_that_is_lost breaks cancellations::a_cancellation_keeps_its_cause with "operator" {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            self.0.commit(with_writes(change, |mut write| {
                if let Write::CancelSignup { by, at: time, .. } = &mut write {
                    *by = CancelledBy::Volunteer;
                    *time = at(5);
                }
                vec![write]
            })).await
        }
    }
}
