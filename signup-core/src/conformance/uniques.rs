//! Unique values: which record has each of them, and when a value is free again.

use std::sync::Arc;

use super::family::{Family, with_family};
use super::records::*;
use crate::*;

/// Asserts that the record has the value: reads and the refusal of the requirement carry it.
async fn assert_taken(store: &dyn Store, unique: &Unique, record: &Record) {
    let refused = check(store, vec![absent(unique.clone())]).await;
    assert_eq!(refused, Err(Refusal::Taken(Box::new(record.clone()))), "{unique:?}");
    assert_eq!(store.holder(unique, Deleted::Excluded).await.unwrap().as_ref(), Some(record), "{unique:?}");
}

/// Asserts that no record has the value.
async fn assert_free(store: &dyn Store, unique: &Unique) {
    assert_eq!(check(store, vec![absent(unique.clone())]).await, Ok(()), "{unique:?}");
    assert_eq!(store.holder(unique, Deleted::Excluded).await.unwrap(), None, "{unique:?}");
}

/// A unique value is taken by the record that has it: by its stored form, of any organization. A put with another value and a
/// removal free it, also the removal of its parent. Values of different kinds are independent.
pub async fn a_unique_value_is_free_or_taken(store: Arc<dyn Store>) {
    let family = with_family(&*store).await;
    let records = family.records();
    let other = Family::new(2, 2);
    for unique in other.records().iter().flat_map(|record| record.entity().uniques()) {
        assert_free(&*store, &unique).await;
    }
    for record in &records {
        for unique in record.entity().uniques() {
            assert_taken(&*store, &unique, record).await;
        }
    }
    let Family { organization, token, full, signups, links, .. } = &family;
    let place = |shift: &Shift, signup: &Signup| {
        Unique::place(shift.organization, shift.id, &signup.email, &signup.name)
    };
    for free in [
        Unique::OrganizationSlug(full.event.slug.clone()),
        Unique::EventSlug(organization.slug.clone()),
        Unique::Link(token.digest),
        Unique::TokenDigest(links[0].digest),
        place(&full.shifts[1], &signups[0]),
        place(&full.shifts[0], &signups[2]),
        place(&full.shifts[0], &signups[1]),
    ] {
        assert_free(&*store, &free).await;
    }
    for after in family.edited() {
        let before = records.iter().find(|record| record.entity().key() == after.entity().key()).unwrap();
        write(&*store, vec![put(before.clone(), after.clone())]).await;
        let kept = after.entity().uniques();
        for unique in before.entity().uniques().iter().filter(|unique| !kept.contains(unique)) {
            assert_free(&*store, unique).await;
        }
        for unique in after.entity().uniques() {
            assert_taken(&*store, &unique, &after).await;
        }
        if matches!(after, Record::Signup(_) | Record::Token(_)) {
            write(&*store, vec![Write::Remove(after.clone())]).await;
            for unique in after.entity().uniques() {
                assert_free(&*store, &unique).await;
            }
        }
    }
}

/// A sign-up that waits holds the place of its person, and a cancelled one frees it. A change of the cancelled sign-up, and its
/// removal, leave the place to the sign-up that took it.
pub async fn a_cancelled_sign_up_frees_its_place(store: Arc<dyn Store>) {
    let (_, shift) = with_shift(&store, 5).await;
    let first = waiting(signup(&shift, 1));
    let email = EmailAddress::new("ADA1@Example.org").unwrap();
    let second =
        Signup { email: email.clone(), name: PersonName::new("ＡDA").unwrap(), ..signup(&shift, 2) };
    let other = Signup { email, name: PersonName::new("Ada B.").unwrap(), ..signup(&shift, 3) };
    let place = Unique::place(shift.organization, shift.id, &first.email, &first.name);
    commit(&*store, sign_up(&shift, &first)).await;
    let refused = try_commit(&*store, sign_up(&shift, &second)).await;
    assert_eq!(refused, Err(Refusal::Taken(Box::new(first.clone().into()))), "compared without case");
    commit(&*store, sign_up(&shift, &other)).await;
    let gone = cancelled(first.clone(), at(5));
    write(&*store, vec![put(first, gone.clone())]).await;
    assert_free(&*store, &place).await;
    commit(&*store, sign_up(&shift, &second)).await;
    let second = second.into();
    assert_taken(&*store, &place, &second).await;
    let renewed = Signup { repeated_at: Some(at(6)), version: 3, ..gone.clone() };
    for write in [put(gone, renewed.clone()), Write::Remove(renewed.into())] {
        super::records::write(&*store, vec![write]).await;
        assert_taken(&*store, &place, &second).await;
    }
}

/// An event that is deleted frees its external id, which another event can get. A restored event takes it again if it is free. The
/// ids of another organization, of another spelling and of shifts are independent.
pub async fn a_deleted_event_frees_its_external_id(store: Arc<dyn Store>) {
    commit(&*store, insert([1, 2].map(organization))).await;
    let id: ExternalId = "Drive-7".parse().unwrap();
    let with_id = |owner, number| Event { external_id: Some(id.clone()), ..event(owner, number) };
    let taken = |owner| Unique::EventExternalId(organization_id(owner), id.clone());
    let (first, second) = (with_id(1, 1), with_id(1, 2));
    let shift = Shift { external_id: Some(id.clone()), ..shift(&first, 1, 5) };
    commit(&*store, insert::<Record>([first.clone().into(), event(1, 2).into(), shift.into()])).await;
    assert_taken(&*store, &taken(1), &first.clone().into()).await;
    assert_free(&*store, &taken(2)).await;
    assert_free(&*store, &Unique::EventExternalId(first.organization, "drive-7".parse().unwrap())).await;
    let gone = deleted(&first, at(5));
    write(&*store, vec![put(first, gone.clone())]).await;
    assert_free(&*store, &taken(1)).await;
    let found = store.record(&gone.key(), Deleted::Included).await.unwrap();
    assert_eq!(found, Some(gone.clone().into()), "it keeps the id");
    let second = Event { version: 2, ..second };
    write(&*store, vec![put(event(1, 2), second.clone())]).await;
    assert_taken(&*store, &taken(1), &second.clone().into()).await;
    let restored = Event { deleted_at: None, ..next(&gone) };
    let without = Event { external_id: None, ..next(&second) };
    write(&*store, vec![put(second, without)]).await;
    write(&*store, vec![put(gone, restored.clone())]).await;
    assert_taken(&*store, &taken(1), &restored.into()).await;
}
