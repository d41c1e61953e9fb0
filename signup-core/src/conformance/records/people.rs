//! Records of people for tests.

use super::{at, organization_id, secret, uuid};
use crate::*;

/// Returns the person `number`.
pub fn person(number: u32) -> Person {
    Person {
        id: PersonId::new(uuid(number)),
        email: EmailAddress::new(&format!("Person{number}@example.org")).unwrap(),
        name: PersonName::new("Ada “Countess” Lovelace").unwrap(),
        generation: 1,
        version: 1,
        created_at: at(0),
    }
}

/// Returns the membership of a person in an organization.
pub fn membership(organization: u32, person: &Person, role: Role) -> Membership {
    Membership::new(organization_id(organization), person.id, role, at(0))
}

/// Returns an invitation by the person 1, with an address of its own.
pub fn invitation(organization: u32, number: u32) -> Invitation {
    let email = EmailAddress::new(&format!("Invited{number}@example.org")).unwrap();
    let invitee = Invitee { email, name: PersonName::new("Grace “Admiral” Hopper").unwrap() };
    let (id, inviter) = (InvitationId::new(uuid(number)), Some(PersonId::new(uuid(1))));
    let digest = Digest::of(&format!("invitation {organization} {number}"));
    Invitation::new(id, organization_id(organization), Some(invitee), (Role::Admin, inviter), digest, at(0))
}

/// Returns a code for the browser `number`.
pub fn sign_in_code(number: u32) -> SignInCode {
    let email = EmailAddress::new("Ada@example.org").unwrap();
    SignInCode::new(&secret(number), email, &"abcdefgh".parse().unwrap(), at(0))
}

/// Returns the sign-in with the secret `number`.
pub fn sign_in(person: &Person, number: u32) -> SignIn {
    SignIn::new(&secret(number), person, at(0))
}
