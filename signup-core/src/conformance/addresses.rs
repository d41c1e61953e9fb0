//! Addresses: an address has at most one confirmed sign-up for a shift.

use std::sync::Arc;

use super::records::*;
use crate::*;

/// An address is taken only on the shifts for which it has a confirmed sign-up.
pub async fn an_address_on_another_shift_or_cancelled_is_free(store: Arc<dyn Store>) {
    let (event, here) = with_shift(&store, 5).await;
    let elsewhere = shift(&event, 2, 5);
    let (volunteer, organization) = (signup(&here, 1), event.organization);
    let writes =
        vec![Write::InsertShifts(vec![elsewhere.clone()]), Write::InsertSignup(Box::new(volunteer.clone()))];
    write(&*store, writes).await;
    let free = |shift: &Shift| {
        let email = volunteer.email.clone();
        vec![Requirement::AddressNotOnShift { organization, shift: shift.id, email }]
    };
    assert_eq!(
        try_write(&*store, free(&elsewhere), vec![]).await,
        Ok(()),
        "the address is free on another shift"
    );
    write(&*store, vec![cancel(&volunteer, at(5))]).await;
    assert_eq!(try_write(&*store, free(&here), vec![]).await, Ok(()), "a cancelled address is free");
}

/// The refusal of an address carries its confirmed sign-up, not an earlier one that was cancelled.
pub async fn the_refusal_of_an_address_carries_its_confirmed_sign_up(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 5).await;
    let (first, organization) = (signup(&shift, 1), event.organization);
    let second = Signup { email: first.email.clone(), ..signup(&shift, 2) };
    let writes = vec![
        Write::InsertSignup(Box::new(first.clone())),
        cancel(&first, at(5)),
        Write::InsertSignup(Box::new(second.clone())),
    ];
    write(&*store, writes).await;
    let free = vec![Requirement::AddressNotOnShift { organization, shift: shift.id, email: first.email }];
    let refused = Err(Refusal::AddressOnShift(Box::new(second)));
    assert_eq!(try_write(&*store, free, vec![]).await, refused, "the refusal carries the confirmed sign-up");
}

/// Addresses are compared without case, and the refusal carries the sign-up. After a cancellation the address may sign
/// up again.
pub async fn an_address_is_compared_without_case(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 5).await;
    let ada = Signup { email: EmailAddress::new("Ada@Example.org").unwrap(), ..signup(&shift, 1) };
    write(&*store, vec![Write::InsertSignup(Box::new(ada.clone()))]).await;
    let (organization, shift_id) = (event.organization, shift.id);
    let email = EmailAddress::new("ADA@example.ORG").unwrap();
    let not_yet = vec![Requirement::AddressNotOnShift { organization, shift: shift_id, email }];
    let refused = Err(Refusal::AddressOnShift(Box::new(ada.clone())));
    assert_eq!(try_write(&*store, not_yet.clone(), vec![]).await, refused);
    write(&*store, vec![cancel(&ada, at(5))]).await;
    let again = Signup { email: ada.email, ..signup(&shift, 2) };
    assert_eq!(try_write(&*store, not_yet, vec![Write::InsertSignup(Box::new(again))]).await, Ok(()));
    assert_eq!(
        store.signups(organization, event.id, None, 9).await.unwrap().len(),
        2,
        "both records are kept"
    );
}
