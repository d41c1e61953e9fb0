//! People, memberships, invitations, codes and sign-ins.

use std::sync::Arc;

use super::family::assert_found;
use super::records::*;
use crate::*;

/// Inserts the organizations 1 and 2, and the person 1 as a member of both. Returns the person.
async fn with_member(store: &dyn Store) -> Person {
    let person = person(1);
    commit(store, insert([1, 2].map(organization))).await;
    commit(store, insert([person.clone()])).await;
    commit(store, insert([membership(1, &person, Role::Owner), membership(2, &person, Role::Admin)])).await;
    person
}

/// Every field of a person, a membership, an invitation, a code and a sign-in comes back as it was written.
pub async fn people_and_what_belongs_to_them_come_back_as_they_were(store: Arc<dyn Store>) {
    let person = Person { generation: 7, version: 9, created_at: at(3), ..person(1) };
    let membership = Membership { version: 4, created_at: at(5), ..membership(1, &person, Role::Organizer) };
    let invitation = Invitation { version: 3, created_at: at(6), expires_at: at(60), ..invitation(1, 1) };
    let of_first_owner =
        Invitation { invitee: None, inviter: None, role: Role::Owner, ..self::invitation(1, 2) };
    let code = SignInCode { tries: 4, version: 6, expires_at: at(9), ..sign_in_code(1) };
    let sign_in = SignIn { generation: 7, version: 2, used_at: at(99), ..sign_in(&person, 1) };
    commit(&*store, insert([organization(1)])).await;
    let records: [Record; 6] = [
        person.clone().into(),
        membership.into(),
        invitation.clone().into(),
        of_first_owner.clone().into(),
        code.clone().into(),
        sign_in.into(),
    ];
    commit(&*store, insert(records.clone())).await;
    assert_found(&*store, &records).await;
    let owner = organization_id(1);
    assert_eq!(store.members(owner).await.unwrap(), [(membership, person.clone())]);
    assert_eq!(store.invitations(owner).await.unwrap(), [invitation, of_first_owner.clone()]);
    let memberships = vec![(membership, organization(1))];
    assert_eq!(store.memberships(person.id).await.unwrap(), memberships);
    let in_full = SignInInFull::new(sign_in, person, memberships);
    assert_eq!(store.signed_in(&sign_in.digest).await.unwrap(), Some(in_full));
    let id = of_first_owner.id.uuid();
    assert_eq!(store.owner(Kind::Invitation, id).await.unwrap(), Some(owner));
    for kind in [Kind::Person, Kind::Membership] {
        assert_eq!(store.owner(kind, uuid(1)).await.unwrap(), None, "{kind:?}");
    }
}

/// Members are listed by role, owners first, then by name and by id. Organizations of a person are listed by name and
/// by id.
pub async fn members_and_organizations_are_listed_in_their_order(store: Arc<dyn Store>) {
    let named = |number, name| Person { name: PersonName::new(name).unwrap(), ..person(number) };
    let people = [named(1, "berta"), named(2, "Bob"), named(3, "Ángel"), named(4, "berta"), named(5, "Zoe")];
    let roles = [Role::Organizer, Role::Admin, Role::Organizer, Role::Organizer, Role::Owner];
    let name = |number, name| Organization { name: Name::new(name).unwrap(), ..organization(number) };
    let organizations = [name(1, "Riverside"), name(2, "hillside"), name(3, "Riverside")];
    commit(&*store, insert(organizations)).await;
    commit(&*store, insert(people.clone())).await;
    let members = people.iter().zip(roles).map(|(person, role)| membership(1, person, role));
    commit(&*store, insert(members)).await;
    commit(&*store, insert([3, 2].map(|owner| membership(owner, &people[0], Role::Owner)))).await;
    let members = store.members(organization_id(1)).await.unwrap();
    let ids = members.into_iter().map(|(_, person)| person.id.uuid());
    assert_eq!(ids.collect::<Vec<_>>(), [5, 2, 3, 1, 4].map(uuid));
    let memberships = store.memberships(people[0].id).await.unwrap();
    let ids = memberships.into_iter().map(|(_, organization)| organization.id.uuid());
    assert_eq!(ids.collect::<Vec<_>>(), [2, 1, 3].map(uuid));
}

/// Invitations are listed with the newest first, and equal times by descending id.
pub async fn invitations_are_listed_newest_first(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let made = |number, second| Invitation { created_at: at(second), ..invitation(1, number) };
    commit(&*store, insert([made(1, 5), made(2, 9), made(3, 5), made(4, 1)])).await;
    let listed = store.invitations(organization_id(1)).await.unwrap();
    let ids = listed.into_iter().map(|invitation| invitation.id.uuid());
    assert_eq!(ids.collect::<Vec<_>>(), [2, 3, 1, 4].map(uuid));
}

/// The lists of an organization have no members and no invitations of another organization.
pub async fn members_and_invitations_of_another_organization_are_not_listed(store: Arc<dyn Store>) {
    let person = with_member(&*store).await;
    commit(&*store, insert([invitation(1, 1)])).await;
    let there = store.members(organization_id(2)).await.unwrap();
    assert_eq!(there, [(membership(2, &person, Role::Admin), person.clone())]);
    assert_eq!(store.invitations(organization_id(2)).await.unwrap(), []);
    for key in [
        RecordKey::Invitation(organization_id(2), invitation(1, 1).id),
        RecordKey::Membership(organization_id(3), person.id),
    ] {
        assert_eq!(store.record(&key, Deleted::Included).await.unwrap(), None, "{key:?}");
        let required = Requirement::Unchanged { key: key.clone(), version: 1 };
        assert_eq!(check(&*store, vec![required]).await, Err(Refusal::Changed(key)));
    }
    let invited =
        |owner| absent(Unique::InvitedEmail(organization_id(owner), "invited1@example.org".to_owned()));
    assert_eq!(check(&*store, vec![invited(2)]).await, Ok(()));
    let taken = Refusal::Taken(Box::new(invitation(1, 1).into()));
    assert_eq!(check(&*store, vec![invited(1)]).await, Err(taken), "compared without case");
}

/// An expired code and an expired invitation keep their unique values until they are replaced or removed. So an insert with the
/// same value is refused.
pub async fn an_expired_record_with_a_version_keeps_its_values(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let (code, invitation) = (sign_in_code(1), invitation(1, 1));
    let records: [Record; 2] = [code.clone().into(), invitation.clone().into()];
    commit(&*store, insert(records.clone())).await;
    let renewed: [Record; 2] = [
        SignInCode { version: 2, expires_at: at(99), ..code }.into(),
        Invitation { version: 2, expires_at: at(99), ..invitation }.into(),
    ];
    for (record, renewed) in records.into_iter().zip(renewed) {
        let required = |record: &Record| -> Vec<_> {
            let uniques = record.entity().uniques().into_iter();
            uniques.map(|unique| Requirement::Absent { unique, now: Timestamp::MAX }).collect()
        };
        let taken = |record: &Record| Err(Refusal::Taken(Box::new(record.clone())));
        assert_eq!(check(&*store, required(&record)).await, taken(&record));
        write(&*store, vec![put(record.clone(), renewed.clone())]).await;
        assert_eq!(check(&*store, required(&record)).await, taken(&renewed));
        write(&*store, vec![Write::Remove(renewed)]).await;
        assert_eq!(check(&*store, required(&record)).await, Ok(()));
    }
}

/// A purge removes expired invitations, codes and sign-ins, and no others. The expiry of a sign-in follows its last use.
pub async fn a_purge_removes_expired_invitations_codes_and_sign_ins(store: Arc<dyn Store>) {
    let person = with_member(&*store).await;
    let idle = SignIn { used_at: at(1), ..sign_in(&person, 1) };
    let used = SignIn { used_at: at(2), version: 2, ..sign_in(&person, 2) };
    let end = at(1) + SignIn::IDLE_LIFETIME;
    let records = |number, expires_at| -> [Record; 2] {
        let code = SignInCode { expires_at, ..sign_in_code(number) };
        [code.into(), Invitation { expires_at, ..invitation(1, number) }.into()]
    };
    commit(&*store, insert(records(1, end))).await;
    commit(&*store, insert(records(2, end + SignedDuration::from_secs(1)))).await;
    commit(&*store, insert([idle, sign_in(&person, 2)])).await;
    write(&*store, vec![put(sign_in(&person, 2), used)]).await;
    let purge = |at| store.purge(Purge::Expired(at), 9);
    assert_eq!(purge(end - SignedDuration::from_secs(1)).await.unwrap(), 0);
    assert_eq!(purge(end).await.unwrap(), 3);
    assert_eq!(store.signed_in(&idle.digest).await.unwrap(), None);
    assert_eq!(stored(&*store, &used).await, Some(used));
    let left = store.invitations(organization_id(1)).await.unwrap();
    assert_eq!(left.iter().map(|left| left.id.uuid()).collect::<Vec<_>>(), [uuid(2)]);
    assert_eq!(stored(&*store, &sign_in_code(1)).await, None);
    assert!(stored(&*store, &sign_in_code(2)).await.is_some());
    assert_eq!(store.purge(Purge::Expired(Timestamp::MAX), 2).await.unwrap(), 2, "in portions");
    assert_eq!(store.purge(Purge::Expired(Timestamp::MAX), 2).await.unwrap(), 1);
    assert!(stored(&*store, &person).await.is_some());
}

/// The removal of a person removes the person's sign-ins. The removal of a membership keeps the other memberships.
pub async fn a_removed_person_is_signed_out(store: Arc<dyn Store>) {
    let person = with_member(&*store).await;
    let [here, there] = [membership(1, &person, Role::Owner), membership(2, &person, Role::Admin)];
    let sign_ins = [1, 2].map(|number| sign_in(&person, number));
    let other = super::records::person(2);
    commit(&*store, insert([other.clone()])).await;
    commit(&*store, insert(sign_ins)).await;
    commit(&*store, insert([sign_in(&other, 3)])).await;
    write(&*store, vec![Write::Remove(here.into())]).await;
    assert_eq!(store.members(organization_id(1)).await.unwrap(), []);
    let in_full = store.signed_in(&sign_ins[0].digest).await.unwrap().unwrap();
    assert_eq!(in_full.memberships, [(there, organization(2))]);
    write(&*store, vec![Write::Remove(there.into()), Write::Remove(person.clone().into())]).await;
    for sign_in in sign_ins {
        assert_eq!(stored(&*store, &sign_in).await, None);
        assert_eq!(store.signed_in(&sign_in.digest).await.unwrap(), None);
    }
    assert_eq!(store.memberships(person.id).await.unwrap(), []);
    let without_membership = SignInInFull::new(sign_in(&other, 3), other, vec![]);
    let digest = without_membership.sign_in.digest;
    assert_eq!(store.signed_in(&digest).await.unwrap(), Some(without_membership));
}
