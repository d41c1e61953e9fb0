use Role::{Admin, Organizer, Owner};

use super::super::facts::*;
use super::super::membership::remove_member;
use super::*;
use crate::conformance::records::{self, at};

fn id(number: u32) -> PersonId {
    PersonId::new(records::uuid(number))
}

fn member(number: u32, role: Role) -> (Membership, Person) {
    let person = records::person(number);
    (records::membership(1, &person, role), person)
}

/// An invitation of `Invited7@example.org` as an admin, by the person 1.
fn invitation() -> Invitation {
    records::invitation(1, 7)
}

fn new(email: &str, role: Role) -> NewInvitation {
    NewInvitation::new(email.parse().unwrap(), "Grace Hopper".parse().unwrap(), role)
}

fn mail() -> MailIds {
    MailIds { notice: notice(8), secret: records::secret(4) }
}

/// Invites an address by the person 1, who has the role `caller`.
fn invite_by(
    caller: Role,
    before: Option<Invitation>,
    new: &NewInvitation,
) -> Result<Decision<Option<Invitation>>> {
    invite_among(vec![member(1, caller)], before, new)
}

/// Invites an address by the person 1, in an organization with these members.
fn invite_among(
    members: Vec<(Membership, Person)>,
    before: Option<Invitation>,
    new: &NewInvitation,
) -> Result<Decision<Option<Invitation>>> {
    let organization = records::organization_id(1);
    let facts = InviteFacts { organization, before, members, person: None };
    invite(facts, Some(id(1)), new, InvitationId::new(records::uuid(9)), mail(), at(5))
}

#[test]
fn an_invitation_is_made_for_seven_days_with_its_mail() {
    let invited = invite_by(Admin, None, &new("Grace@example.org", Organizer)).unwrap();
    let unique = Unique::InvitedEmail(records::organization_id(1), "grace@example.org".to_owned());
    let expected = [
        "Membership 1 at 1".to_owned(),
        format!("no {unique:?}"),
        "put Membership 1 to 2".to_owned(),
        "insert Invitation 9".to_owned(),
        "insert Notice 8".to_owned(),
    ];
    assert_eq!((lines(&invited), named(&invited)), (expected.to_vec(), vec!["member.invited".to_owned()]));
    let invitation = invited.outcome.unwrap();
    assert_eq!(invitation.digest, mail().secret.digest());
    assert_eq!(invitation.expires_at, at(5 + 7 * 86_400));
}

#[test]
fn a_person_who_exists_is_invited_by_their_own_spelling_of_the_address() {
    let organization = records::organization_id(1);
    let grace = Person { email: "Grace@müller.example".parse().unwrap(), ..records::person(3) };
    let facts = InviteFacts { organization, before: None, members: vec![], person: Some(grace) };
    let new = new("GRACE@xn--mller-kva.example", Admin);
    let invited = invite(facts, None, &new, InvitationId::new(records::uuid(9)), mail(), at(5)).unwrap();
    let invitee = put::<Invitation, _>(&invited).unwrap().invitee.unwrap();
    assert_eq!(invitee.email.as_str(), "Grace@müller.example");
}

/// The changes of an invitation in place of another one.
const REPLACED: [&str; 5] = [
    "Membership 1 at 1",
    "Invitation 7 at 1",
    "put Membership 1 to 2",
    "put Invitation 7 to 2",
    "insert Notice 8",
];

#[test]
fn an_invitation_takes_the_place_of_one_for_the_same_address() {
    let again = invite_by(Admin, Some(invitation()), &new("invited7@example.org", Organizer)).unwrap();
    assert_eq!(lines(&again), REPLACED);
    assert_eq!(again.outcome.unwrap().digest, mail().secret.digest(), "the earlier link no longer works");
}

#[test]
fn an_admin_replaces_the_invitation_of_an_owner_only_if_its_link_no_longer_works() {
    let again = |members: &[_], before: &Invitation| {
        invite_among(members.to_vec(), Some(before.clone()), &new("invited7@example.org", Organizer))
    };
    let of_owner = Invitation { role: Owner, inviter: Some(id(2)), ..invitation() };
    let refused = again(&[member(1, Admin), member(2, Owner)], &of_owner);
    assert_eq!(refused.unwrap_err(), Error::MissingRole(Owner));
    let expired = Invitation { expires_at: at(5), ..of_owner };
    assert_eq!(lines(&again(&[member(1, Admin), member(2, Owner)], &expired).unwrap()), REPLACED);
}

#[test]
fn a_member_is_invited_by_a_member_who_may_make_the_role() {
    for &caller in Role::ALL {
        for &role in Role::ALL {
            let refused = invite_by(caller, None, &new("grace@example.org", role)).err();
            let needed = if role == Owner { Owner } else { Admin };
            assert_eq!(refused, (caller < needed).then_some(Error::MissingRole(needed)), "{caller} {role}");
        }
    }
    let member = invite_by(Owner, None, &new("PERSON1@example.org", Admin)).unwrap();
    assert_eq!((lines(&member), member.outcome), (vec![], None), "a member already");
}

#[test]
fn an_invitation_is_withdrawn_by_a_member_who_may_make_the_role() {
    let at_time = |role, seconds| withdraw(invitation(), None, &[member(1, role)], Some(id(1)), at(seconds));
    let by = |role| at_time(role, 0);
    let withdrawn = by(Admin).unwrap();
    assert_eq!(lines(&withdrawn), ["Membership 1 at 1", "Invitation 7 at 1", "remove Invitation 7"]);
    assert_eq!(named(&withdrawn), ["member.withdrawn"]);
    assert_eq!(by(Organizer).unwrap_err(), Error::MissingRole(Admin));
    assert_eq!(at_time(Admin, 7 * 86_400).unwrap_err(), Error::NotFound, "expired");
}

#[test]
fn an_invitation_works_for_seven_days_and_while_its_inviter_is_a_member() {
    let check = |invitation: &Invitation, members: &[_], seconds| {
        check_invitation(invitation, members, at(seconds)).map(|inviter| inviter.is_some())
    };
    let (week, gone) = (7 * 86_400, Err(Error::InvitationGone));
    assert_eq!(check(&invitation(), &[member(1, Admin)], week - 1), Ok(true));
    assert_eq!(check(&invitation(), &[member(1, Admin)], week), gone);
    assert_eq!(check(&invitation(), &[member(2, Owner)], 0), gone, "an inviter who has left");
    let by_operator = Invitation { inviter: None, ..invitation() };
    assert_eq!(check(&by_operator, &[], 0), Ok(false));
    let first = Invitation { invitee: None, role: Owner, ..by_operator };
    assert_eq!(check(&first, &[member(1, Admin)], 0), Ok(false));
    assert_eq!(check(&first, &[member(1, Owner)], 0), gone, "the organization has an owner");
}

/// The person 1 is an admin, who invites. The browser has no sign-in.
fn facts(person: Option<Person>) -> AcceptFacts {
    let organization = records::organization(1);
    let (slug, members) = (organization.slug.clone(), vec![member(1, Admin)]);
    AcceptFacts {
        invitation: invitation(),
        organization,
        slug,
        person,
        members,
        current: None,
        summary: None,
    }
}

fn accepted(facts: AcceptFacts, acceptance: &Acceptance) -> Result<Decision<Option<SignIn>>> {
    accept(facts, acceptance, id(6), &records::secret(5), at(0))
}

const NO_NAME: Acceptance = Acceptance::Member { name: None };

#[test]
fn an_unknown_address_becomes_a_person_who_is_signed_in() {
    let joined = accepted(facts(None), &NO_NAME).unwrap();
    let email = Unique::PersonEmail("invited7@example.org".to_owned());
    let expected = [
        format!("no {email:?}"),
        "Invitation 7 at 1".to_owned(),
        "insert Person 6".to_owned(),
        "insert Membership 6".to_owned(),
        "remove Invitation 7".to_owned(),
        "insert SignIn 0".to_owned(),
    ];
    assert_eq!((lines(&joined), named(&joined)), (expected.to_vec(), vec!["member.joined".to_owned()]));
    let sign_in = joined.outcome.unwrap();
    assert_eq!((sign_in.person, sign_in.created_at), (id(6), at(0)));
    let named = Acceptance::Member { name: Some("Ada".parse().unwrap()) };
    for (acceptance, name) in [(&NO_NAME, "Grace “Admiral” Hopper"), (&named, "Ada")] {
        let joined = accepted(facts(None), acceptance).unwrap();
        let person = put::<Person, _>(&joined).map(|person| person.name.to_string());
        assert_eq!(person.as_deref(), Some(name));
    }
}

#[test]
fn a_person_joins_another_organization_by_a_new_version_and_is_signed_out() {
    let joined = accepted(facts(Some(records::person(3))), &NO_NAME).unwrap();
    let expected = [
        "Person 3 at 1",
        "Invitation 7 at 1",
        "put Person 3 to 2",
        "insert Membership 3",
        "remove Invitation 7",
    ];
    assert_eq!((lines(&joined), joined.outcome), (expected.map(str::to_owned).to_vec(), None));
    assert_eq!(put::<Person, _>(&joined).unwrap().generation, 2, "every earlier sign-in has ended");
}

#[test]
fn a_person_who_joins_keeps_the_present_sign_in_unless_it_has_ended() {
    let person = Person { generation: 4, ..records::person(3) };
    let present = SignIn { generation: 4, ..records::sign_in(&person, 2) };
    let join = |current| {
        let current = Some(current);
        accepted(AcceptFacts { current, ..facts(Some(person.clone())) }, &NO_NAME).unwrap()
    };
    let kept = put::<SignIn, _>(&join(present)).unwrap();
    assert_eq!(kept, SignIn { generation: 5, version: 2, ..present });
    let ended = join(SignIn { generation: 3, ..present });
    assert!(lines(&ended).iter().all(|line| !line.contains("SignIn")), "it has ended, and does not return");
}

#[test]
fn a_member_who_returns_has_a_version_that_no_earlier_membership_had() {
    let (owner, (membership, person)) = (member(1, Owner), member(3, Owner));
    // The role has changed more often than the person.
    let members = [owner, (Membership { version: 5, ..membership }, person)];
    let leaves = remove_member(&members, &[], Some(id(1)), id(1), 1).unwrap();
    assert!(lines(&leaves).contains(&"Membership 3 at 5".to_owned()), "the owner who stays");
    let removed = put::<Person, _>(&remove_member(&members, &[], None, id(3), 2).unwrap()).unwrap();
    let joined = accepted(facts(Some(removed)), &NO_NAME).unwrap();
    let returned = put::<Membership, _>(&joined).unwrap();
    assert_eq!((returned.role, returned.version), (Admin, 7));
}

#[test]
fn a_member_who_accepts_keeps_the_role() {
    let kept = accepted(facts(Some(records::person(1))), &NO_NAME).unwrap();
    let expected = ["Person 1 at 1", "Invitation 7 at 1", "remove Invitation 7"];
    assert_eq!((lines(&kept), named(&kept)), (expected.map(str::to_owned).to_vec(), vec![]));
}

#[test]
fn an_invitation_for_another_person_than_the_one_signed_in_is_refused() {
    let with_current = |person: Option<Person>, number| {
        let current = Some(records::sign_in(&records::person(number), 2));
        accepted(AcceptFacts { current, ..facts(person) }, &NO_NAME)
    };
    assert_eq!(with_current(None, 3).unwrap_err(), Error::OtherPerson);
    assert_eq!(with_current(Some(records::person(3)), 4).unwrap_err(), Error::OtherPerson);
    assert!(with_current(Some(records::person(3)), 3).is_ok());
}

fn first_owner() -> FirstOwner {
    FirstOwner {
        name: "Ada Lovelace".parse().unwrap(),
        email: "ada@example.org".parse().unwrap(),
        organization_name: "Lakeside Pantry".parse().unwrap(),
        contact: "help@lakeside.example".parse().unwrap(),
    }
}

/// The invitation of the first owner. The slug `lakeside-pantry` is free.
fn first_facts(person: Option<Person>) -> AcceptFacts {
    let invitation = Invitation { invitee: None, role: Owner, inviter: None, ..invitation() };
    AcceptFacts { invitation, slug: "lakeside-pantry".to_owned(), members: vec![], ..facts(person) }
}

#[test]
fn the_first_owner_names_the_organization_and_its_slug() {
    let joined = accepted(first_facts(None), &Acceptance::FirstOwner(first_owner())).unwrap();
    let email = Unique::PersonEmail("ada@example.org".to_owned());
    let slug = Unique::OrganizationSlug("lakeside-pantry".to_owned());
    let expected = [
        format!("no {email:?}"),
        format!("no {slug:?}"),
        "Organization 1 at 1".to_owned(),
        "no Notice".to_owned(),
        "Invitation 7 at 1".to_owned(),
        "insert Person 6".to_owned(),
        "put Organization 1 to 2".to_owned(),
        "insert Membership 6".to_owned(),
        "insert Notice".to_owned(),
        "remove Invitation 7".to_owned(),
        "insert SignIn 0".to_owned(),
    ];
    assert_eq!(lines(&joined), expected);
    assert_eq!(named(&joined), ["organization.updated name contact", "member.joined"]);
}

#[test]
fn the_address_of_a_first_owner_is_no_proof_of_a_person() {
    let owner = Acceptance::FirstOwner(first_owner());
    let person = records::person(3);
    assert_eq!(accepted(first_facts(Some(person.clone())), &owner).unwrap_err(), Error::OtherPerson);
    let current = Some(records::sign_in(&person, 2));
    assert!(accepted(AcceptFacts { current, ..first_facts(Some(person)) }, &owner).is_ok());
}

#[test]
fn a_member_who_becomes_the_first_owner_gets_the_role() {
    let person = records::person(1);
    let (current, members) = (Some(records::sign_in(&person, 2)), vec![member(1, Admin)]);
    let facts = AcceptFacts { current, members, ..first_facts(Some(person)) };
    let raised = accepted(facts, &Acceptance::FirstOwner(first_owner())).unwrap();
    assert_eq!(put::<Membership, _>(&raised).map(|after| (after.role, after.version)), Some((Owner, 2)));
    assert!(lines(&raised).contains(&"Membership 1 at 1".to_owned()));
    assert_eq!(named(&raised), ["organization.updated name contact", "member.role_changed"]);
}

#[test]
fn an_owner_joins_by_a_new_version_of_the_organization() {
    let versions = |role| {
        let invitation = Invitation { role, ..invitation() };
        let facts = AcceptFacts { invitation, members: vec![member(1, Owner)], ..facts(None) };
        let joined = lines(&accepted(facts, &NO_NAME).unwrap());
        ["Organization 1 at 1", "put Organization 1 to 2"].map(|line| joined.contains(&line.to_owned()))
    };
    assert_eq!(versions(Owner), [true, true]);
    assert_eq!(versions(Admin), [false, false]);
}

#[test]
fn only_the_first_owner_gives_the_fields_of_a_first_owner() {
    let owner = Acceptance::FirstOwner(first_owner());
    assert!(accepted(facts(None), &owner).unwrap_err().is_invalid());
    assert!(accepted(first_facts(None), &NO_NAME).unwrap_err().is_invalid());
}
