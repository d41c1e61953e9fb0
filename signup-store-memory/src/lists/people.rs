//! The members of an organization, and the people who are signed in.

use signup_core::{
    Digest, Membership, Organization, OrganizationId, Person, PersonId, Record, RecordKey, SignIn,
    SignInInFull,
};

use crate::tables::Tables;

impl Tables {
    /// Returns a record as it was put, for the kinds that take nothing from others.
    fn get<'t, R: TryFrom<&'t Record>>(&'t self, key: &RecordKey) -> Option<R> {
        self.records.get(key).and_then(|record| R::try_from(record).ok())
    }

    pub(super) fn members(&self, organization: OrganizationId) -> Vec<(Membership, Person)> {
        let first = RecordKey::Membership(organization, PersonId::NONE);
        let last = RecordKey::Membership(organization, PersonId::MAX);
        let found = self.records.range(first..=last).filter_map(|(_, record)| {
            let membership: &Membership = record.try_into().ok()?;
            Some((*membership, self.get::<&Person>(&RecordKey::Person(membership.person))?.clone()))
        });
        let mut members: Vec<_> = found.collect();
        Membership::sort_members(&mut members);
        members
    }

    pub(super) fn memberships(&self, person: PersonId) -> Vec<(Membership, Organization)> {
        let organizations = self.lists.memberships.get(&person).into_iter().flatten();
        let found = organizations.filter_map(|organization| {
            let membership: &Membership = self.get(&RecordKey::Membership(*organization, person))?;
            Some((*membership, self.get::<&Organization>(&RecordKey::Organization(*organization))?.clone()))
        });
        let mut memberships: Vec<_> = found.collect();
        Membership::sort_organizations(&mut memberships);
        memberships
    }

    pub(crate) fn signed_in(&self, digest: &Digest) -> Option<SignInInFull> {
        let sign_in: &SignIn = self.get(&RecordKey::SignIn(*digest))?;
        let person: &Person = self.get(&RecordKey::Person(sign_in.person))?;
        Some(SignInInFull::new(*sign_in, person.clone(), self.memberships(person.id)))
    }
}
