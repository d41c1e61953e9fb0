//! Faults in the checks of a commit.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use signup_core::conformance;
use signup_core::conformance::records::{event, organization, shift};
use signup_core::store::{Wrapped, Wrapper};
use signup_core::{
    ChangeSet, CommitError, Refusal, Requirement, Shift, SignupStatus, Store, Write, async_trait,
};
use signup_store_memory::MemoryStore;

use crate::{mutant, organizations, wait_until, with_requirements};

mutant! {
    /// `AddressNotOnShift` ignores the organization.
    an_address_of_another_organization breaks fence::no_write_reaches_another_organizations_records
        with "only its own sign-ups count"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            let mut requires = vec![];
            for requirement in change.requires {
                match requirement {
                    Requirement::AddressNotOnShift { shift, email, .. } => {
                        requires.extend(organizations().map(|organization| {
                            Requirement::AddressNotOnShift { organization, shift, email: email.clone() }
                        }));
                    }
                    other => requires.push(other),
                }
            }
            self.0.commit(ChangeSet { requires, ..change }).await
        }
    }
}

mutant! {
    /// `AddressNotOnShift` ignores the shift.
    an_address_on_another_shift breaks addresses::an_address_on_another_shift_or_cancelled_is_free
        with "the address is free on another shift"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            for requirement in &change.requires {
                if let Requirement::AddressNotOnShift { organization, email, .. } = requirement {
                    let found = self.0.signups_of_address(*organization, email, 99).await?;
                    let confirmed = found.into_iter().find(|found| found.status == SignupStatus::Confirmed);
                    if let Some(confirmed) = confirmed {
                        return Err(CommitError::Refused(Refusal::AddressOnShift(Box::new(confirmed))));
                    }
                }
            }
            self.0.commit(change).await
        }
    }
}

mutant! {
    /// `ShiftsAreEmpty` checks only the first shift.
    only_the_first_shift_is_empty breaks requirements::shifts_are_empty_or_one_has_a_sign_up
        with "the last of two shifts"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            self.0.commit(with_requirements(change, |requirement| Some(match requirement {
                Requirement::ShiftsAreEmpty { organization, event, mut shifts } => {
                    shifts.truncate(1);
                    Requirement::ShiftsAreEmpty { organization, event, shifts }
                }
                other => other,
            }))).await
        }
    }
}

mutant! {
    /// `ShiftsAreEmpty` treats deleted shifts as missing.
    a_deleted_shift_without_its_sign_ups breaks requirements::shifts_are_empty_or_one_has_a_sign_up
        with "a deleted shift keeps its sign-ups"
    {
        async fn commit(&self, mut change: ChangeSet) -> Result<(), CommitError> {
            for requirement in &mut change.requires {
                if let Requirement::ShiftsAreEmpty { organization, event, shifts } = requirement {
                    let live = self.0.shifts(*organization, *event).await?;
                    shifts.retain(|id| live.iter().flatten().any(|shift| shift.id == *id));
                }
            }
            self.0.commit(change).await
        }
    }
}

mutant! {
    /// `ShiftsAreEmpty` ignores the event.
    a_shift_of_another_event_counts breaks requirements::shifts_are_empty_or_one_has_a_sign_up
        with "a shift of another event"
    {
        async fn commit(&self, mut change: ChangeSet) -> Result<(), CommitError> {
            for requirement in &mut change.requires {
                if let Requirement::ShiftsAreEmpty { organization, event, shifts } = requirement
                    && let [shift] = shifts[..]
                    && let Some(shift) = self.0.shift(*organization, shift).await?
                {
                    *event = shift.event;
                }
            }
            self.0.commit(change).await
        }
    }
}

mutant! {
    /// The refusal of `AddressNotOnShift` carries the first sign-up of the address, even a cancelled one.
    a_refusal_with_a_cancelled_sign_up breaks addresses::the_refusal_of_an_address_carries_its_confirmed_sign_up
        with "the refusal carries the confirmed sign-up"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            let answer = self.0.commit(change).await;
            if let Err(CommitError::Refused(Refusal::AddressOnShift(found))) = &answer {
                let first = self.0.signups_of_address(found.organization, &found.email, 1).await?.remove(0);
                return Err(CommitError::Refused(Refusal::AddressOnShift(Box::new(first))));
            }
            answer
        }
    }
}

mutant! {
    /// `ShiftHasRoom` refuses a full shift, but not an over-full one.
    room_on_an_over_full_shift breaks requirements::an_over_full_shift_has_no_room
        with "an over-full shift has no room"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            let mut requires = vec![];
            for requirement in change.requires {
                if let Requirement::ShiftHasRoom { organization, shift } = requirement
                    && let Some(found) = self.0.shift(organization, shift).await?
                    && found.occupancy.is_over_full()
                {
                    continue;
                }
                requires.push(requirement);
            }
            self.0.commit(ChangeSet { requires, ..change }).await
        }
    }
}

mutant! {
    /// `EventAtVersion` holds for a missing event.
    a_version_of_a_missing_event breaks requirements::a_requirement_on_a_missing_record_is_refused
        with "EventAtVersion"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            let mut requires = vec![];
            for requirement in change.requires {
                if let Requirement::EventAtVersion { event, .. } = requirement
                    && self.0.event_owner(event).await?.is_none()
                {
                    continue;
                }
                requires.push(requirement);
            }
            self.0.commit(ChangeSet { requires, ..change }).await
        }
    }
}

mutant! {
    /// `ShiftAtVersion` holds for a missing shift.
    a_version_of_a_missing_shift breaks requirements::a_requirement_on_a_missing_record_is_refused
        with "ShiftAtVersion"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            let mut requires = vec![];
            for requirement in change.requires {
                if let Requirement::ShiftAtVersion { organization, shift, .. } = requirement
                    && self.0.shift(organization, shift).await?.is_none()
                {
                    continue;
                }
                requires.push(requirement);
            }
            self.0.commit(ChangeSet { requires, ..change }).await
        }
    }
}

mutant! {
    /// `SignupHasSecret` holds if any sign-up has the secret.
    a_secret_of_another_sign_up breaks requirements::the_secret_of_another_sign_up_is_refused
        with "the secret is of another sign-up"
    {
        async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
            let mut requires = vec![];
            for requirement in change.requires {
                match requirement {
                    Requirement::SignupHasSecret { organization, shift, signup, secret } => {
                        let found = self.0.signup_by_secret(&secret).await?;
                        let signup = found.map_or(signup, |found| found.id);
                        requires.push(Requirement::SignupHasSecret { organization, shift, signup, secret });
                    }
                    other => requires.push(other),
                }
            }
            self.0.commit(ChangeSet { requires, ..change }).await
        }
    }
}

/// Checks some requirements before it takes the lock of the writes. The first commit waits until a second commit has checked
/// its requirements, so that the requirements of both hold.
#[derive(Debug)]
struct EarlyCheck {
    inner: MemoryStore,
    is_early: fn(&Requirement) -> bool,
    checked: AtomicU32,
}

#[async_trait]
impl Wrapper for EarlyCheck {
    fn inner(&self) -> &dyn Store {
        &self.inner
    }

    async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
        let (early, requires): (Vec<_>, _) = change.requires.into_iter().partition(self.is_early);
        if !early.is_empty() {
            self.inner.commit(ChangeSet { requires: early, writes: vec![] }).await?;
            self.checked.fetch_add(1, Ordering::Relaxed);
            wait_until(|| self.checked.load(Ordering::Relaxed) > 1).await;
        }
        self.inner.commit(ChangeSet { requires, writes: change.writes }).await
    }
}

/// Runs a promise on a store that checks some requirements too early.
fn with_early(is_early: fn(&Requirement) -> bool, promise: impl AsyncFnOnce(Arc<dyn Store>)) {
    let early = EarlyCheck { inner: MemoryStore::new(), is_early, checked: AtomicU32::new(0) };
    conformance::test(async || Some((Arc::new(Wrapped(early)) as Arc<dyn Store>, ())), promise);
}

#[test]
#[should_panic(expected = "one sign-up of the address succeeds")]
fn an_address_that_is_checked_before_the_lock_is_caught() {
    with_early(
        |requirement| matches!(requirement, Requirement::AddressNotOnShift { .. }),
        conformance::contention::one_of_many_simultaneous_sign_ups_of_an_address_succeeds,
    );
}

#[test]
#[should_panic(expected = "one use of the slug succeeds")]
fn a_slug_that_is_checked_before_the_lock_is_caught() {
    with_early(
        |requirement| matches!(requirement, Requirement::EventSlugFree(_)),
        conformance::contention::one_of_many_simultaneous_uses_of_a_slug_succeeds,
    );
}

#[test]
#[should_panic(expected = "one edit of the version succeeds")]
fn a_version_of_an_event_that_is_checked_before_the_lock_is_caught() {
    with_early(
        |requirement| matches!(requirement, Requirement::EventAtVersion { .. }),
        conformance::contention::one_of_many_simultaneous_edits_of_an_event_succeeds,
    );
}

#[test]
#[should_panic(expected = "as many publications succeed as the limit allows")]
fn a_limit_of_publications_that_is_checked_before_the_lock_is_caught() {
    with_early(
        |requirement| matches!(requirement, Requirement::ActiveEventsBelow { .. }),
        conformance::contention::simultaneous_publications_never_pass_the_limit,
    );
}

/// Each of two change sets requires the version of the shift that the other one updates. Both succeed.
#[test]
#[should_panic(expected = "no order has these outcomes")]
fn outcomes_that_no_order_has_are_caught() {
    let event = event(1, 1);
    let [one, other] = [1, 2].map(|number| shift(&event, number, 3));
    let before = vec![
        Write::InsertOrganization(organization(1)),
        Write::InsertEvent { event: Box::new(event), location_data: None },
        Write::InsertShifts(vec![one.clone(), other.clone()]),
    ];
    let change = |read: &Shift, written: &Shift| {
        let (organization, shift) = (read.organization, read.id);
        let mut updated = written.clone();
        updated.version = 2;
        ChangeSet {
            requires: vec![Requirement::ShiftAtVersion { organization, shift, version: 1 }],
            writes: vec![Write::UpdateShift(Box::new(updated))],
        }
    };
    let changes = vec![change(&one, &other), change(&other, &one)];
    with_early(
        |requirement| matches!(requirement, Requirement::ShiftAtVersion { .. }),
        async |store| conformance::serializability::assert_serializable(store, before, changes).await,
    );
}
