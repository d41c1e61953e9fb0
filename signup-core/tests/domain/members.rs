//! Members: invitations, roles, and what a membership that ends leaves.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use signup_core::*;
use signup_store_memory::MemoryStore;

use crate::people::{Broken, code};
use crate::scene::{NOW, Scene, address, join, session};

const MEMBER: Acceptance = Acceptance::Member { name: None };

fn invitation(name: &str, role: Role) -> NewInvitation {
    NewInvitation::new(address(name), name.parse().unwrap(), role)
}

/// Invites by the session of a member, and returns the secret of the link.
async fn invite(session: &Session, name: &str, role: Role) -> (Invitation, Secret) {
    let (invited, secret) = session.invite(invitation(name, role)).await.unwrap().unwrap();
    (invited, secret.unwrap())
}

/// Returns the error of opening the link; `None` if it works.
async fn gone(scene: &Scene, link: &Secret) -> Option<Error> {
    scene.service.people().invitation(link).await.err()
}

fn slug(signed_in: &SignedIn) -> &str {
    &signed_in.memberships()[0].1.slug
}

#[tokio::test]
async fn a_person_has_a_session_and_a_role_in_each_of_their_organizations() {
    let scene = Scene::start().await;
    let other = session(&scene.service, Plan::Free).await;
    scene.member("ada", Role::Owner).await;
    let (ada, _) = join(&scene.service, other.organization_id(), "ada", Role::Organizer).await;
    let roles: Vec<_> = ada.memberships().iter().map(|(membership, _)| membership.role).collect();
    assert_eq!(roles.len(), 2);
    for (membership, organization) in ada.memberships() {
        let session = ada.session(&organization.slug).unwrap();
        assert_eq!(session.organization_id(), membership.organization);
        assert_eq!(session.person_id(), Some(ada.person().id));
        let expected = match membership.role {
            Role::Owner => None,
            _ => Some(Error::MissingRole(Role::Owner)),
        };
        assert_eq!(session.update_organization(OrganizationPatch::new()).await.err(), expected);
    }
    assert_eq!(ada.session("lakeside").err(), Some(Error::NotFound));
}

#[tokio::test]
async fn a_membership_that_ends_is_lost_at_once_in_every_process() {
    let clock = Arc::new(FixedClock::at(NOW.parse().unwrap()));
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let service = || Service::shared(Arc::clone(&store)).with_clock(Arc::clone(&clock));
    let [here, there] = [service(), service()];
    let [first, second] = [session(&here, Plan::Pro).await, session(&here, Plan::Pro).await];
    let (owner, _) = join(&here, first.organization_id(), "ada", Role::Owner).await;
    join(&here, first.organization_id(), "bo", Role::Admin).await;
    let (bo, secret) = join(&here, second.organization_id(), "bo", Role::Organizer).await;
    let role = async |service: &Service| {
        let bo = service.people().signed_in(&secret).await.unwrap();
        let found =
            bo.memberships().iter().find(|(member, _)| member.organization == first.organization_id());
        found.map(|(membership, organization)| (membership.role, bo.session(&organization.slug).is_ok()))
    };
    for service in [&here, &there] {
        assert_eq!(role(service).await, Some((Role::Admin, true)));
    }
    let owner = owner.session(slug(&owner)).unwrap();
    owner.change_role(bo.person().id, Role::Organizer).await.unwrap();
    for service in [&here, &there] {
        assert_eq!(role(service).await, Some((Role::Organizer, true)));
    }
    owner.remove_member(bo.person().id).await.unwrap();
    for service in [&here, &there] {
        assert_eq!(role(service).await, None);
    }
    bo.leave(second.organization_id()).await.unwrap();
    for service in [&here, &there] {
        let ended = service.people().signed_in(&secret).await.err();
        assert_eq!(ended, Some(Error::Unauthenticated), "the last membership");
    }
}

#[tokio::test]
async fn a_retry_with_the_same_key_makes_no_second_token_or_invitation() {
    let scene = Scene::start().await;
    let (ada, _) = scene.member("ada", Role::Admin).await;
    let session = ada.session("riverside").unwrap();
    let key = || "form-1".parse::<IdempotencyKey>().unwrap();
    let new = || NewToken::new("import".parse().unwrap(), [Scope::EventsRead].into());
    let (token, text) = session.create_token(new()).with_key(key()).await.unwrap();
    assert!(text.is_some());
    let (again, text) = session.create_token(new()).with_key(key()).await.unwrap();
    assert_eq!((again, text.is_none()), (token.clone(), true), "the text is shown once");
    assert_eq!(session.tokens().await.unwrap(), [token]);

    let (invited, secret) =
        session.invite(invitation("bo", Role::Organizer)).with_key(key()).await.unwrap().unwrap();
    let mails = scene.service.outbox().due(100).await.unwrap();
    let mailed = mails.iter().rev().find_map(|notice| match &notice.cause {
        NoticeCause::Invited { secret, .. } => Some(secret.clone()),
        _ => None,
    });
    assert!(secret.is_some() && secret == mailed, "the link of the mail");
    let again = session.invite(invitation("bo", Role::Organizer)).with_key(key()).await.unwrap();
    assert_eq!(again, Some((invited, None)), "the secret is shown once");
    assert_eq!(scene.service.outbox().due(100).await.unwrap(), mails);
}

#[tokio::test]
async fn a_link_works_once_and_until_it_is_replaced_or_withdrawn() {
    let scene = Scene::start().await;
    let (ada, _) = scene.member("ada", Role::Owner).await;
    let (session, people) = (ada.session("riverside").unwrap(), scene.service.people());
    let (_, first) = invite(&session, "bo", Role::Organizer).await;
    let (invited, second) = invite(&session, "bo", Role::Admin).await;
    assert_eq!(session.invitations().await.unwrap(), [invited]);
    assert_eq!(gone(&scene, &first).await, Some(Error::InvitationGone), "replaced");
    let open = people.invitation(&second).await.unwrap();
    assert_eq!((open.asked, open.invitation.role), (Asked::Name, Role::Admin));
    assert_eq!(open.inviter.unwrap().name.as_str(), "ada");
    let (bo, _) = people.accept(&second, None, MEMBER).await.unwrap().unwrap();
    assert_eq!(bo.memberships()[0].0.role, Role::Admin);
    assert_eq!(people.accept(&second, None, MEMBER).await.err(), Some(Error::InvitationGone), "used");
    assert_eq!(session.invite(invitation("bo", Role::Owner)).await.unwrap(), None, "a member already");
    assert_eq!(session.invitations().await.unwrap(), []);

    let (cy, link) = invite(&session, "cy", Role::Organizer).await;
    session.withdraw_invitation(cy.id).await.unwrap();
    assert_eq!(gone(&scene, &link).await, Some(Error::InvitationGone), "withdrawn");
    assert_eq!(session.withdraw_invitation(cy.id).await.unwrap_err(), Error::NotFound);
    let (_, link) = invite(&session, "dee", Role::Organizer).await;
    scene.clock.advance(7 * 86_400);
    assert_eq!(gone(&scene, &link).await, Some(Error::InvitationGone), "expired");
}

#[tokio::test]
async fn the_link_of_an_inviter_who_may_no_longer_invite_is_void_for_good() {
    let scene = Scene::start().await;
    let (owner, _) = scene.member("ada", Role::Owner).await;
    let (admin, _) = scene.member("bo", Role::Admin).await;
    let (owner, inviter) = (owner.session("riverside").unwrap(), admin.person().id);
    let (_, link) = invite(&admin.session("riverside").unwrap(), "cy", Role::Organizer).await;
    assert_eq!(owner.invitations().await.unwrap().len(), 1);
    owner.change_role(inviter, Role::Organizer).await.unwrap();
    assert_eq!(gone(&scene, &link).await, Some(Error::InvitationGone));
    let refused = scene.service.people().accept(&link, None, MEMBER).await;
    assert_eq!(refused.err(), Some(Error::InvitationGone));
    assert_eq!(owner.invitations().await.unwrap(), []);
    owner.change_role(inviter, Role::Admin).await.unwrap();
    assert_eq!(gone(&scene, &link).await, Some(Error::InvitationGone), "the inviter may invite again");
    let (_, link) = invite(&admin.session("riverside").unwrap(), "cy", Role::Organizer).await;
    owner.change_role(inviter, Role::Owner).await.unwrap();
    assert_eq!(gone(&scene, &link).await, None, "an inviter who is raised");
    owner.remove_member(inviter).await.unwrap();
    assert_eq!(gone(&scene, &link).await, Some(Error::InvitationGone), "an inviter who is removed");
}

/// The browser `there` may be that of somebody who got hold of the first invitation of bo, and never reads the mails of bo.
#[tokio::test]
async fn a_sign_in_by_an_invitation_opens_no_organization_that_is_joined_later() {
    let scene = Scene::start().await;
    let other = session(&scene.service, Plan::Free).await;
    let (ada, _) = scene.member("ada", Role::Owner).await;
    let (people, owner) = (scene.service.people(), ada.session("riverside").unwrap());
    for signs_in_before in [false, true] {
        let name = if signs_in_before { "bo" } else { "cy" };
        let (_, there) = join(&scene.service, other.organization_id(), name, Role::Organizer).await;
        let (_, link) = invite(&owner, name, Role::Organizer).await;
        assert_eq!(people.invitation(&link).await.unwrap().asked, Asked::Nothing, "no name of a person");
        let browser = Secret::generate();
        let sign_in = async || {
            let mailed = code(&scene.service, &browser, name).await;
            people.sign_in(&browser, &mailed, None).await.unwrap()
        };
        let here = if signs_in_before {
            let (signed_in, here) = sign_in().await;
            assert_eq!(people.invitation(&link).await.unwrap().asked, Asked::Nothing);
            assert!(people.accept(&link, Some(&signed_in), MEMBER).await.unwrap().is_none());
            here
        } else {
            assert!(people.accept(&link, None, MEMBER).await.unwrap().is_none());
            sign_in().await.1
        };
        assert_eq!(people.signed_in(&there).await.err(), Some(Error::Unauthenticated), "{name}");
        assert_eq!(people.signed_in(&here).await.unwrap().memberships().len(), 2, "{name}");
    }
}

#[tokio::test]
async fn the_first_owner_names_the_organization_once() {
    let scene = Scene::start().await;
    let (organization, people) = (scene.session.organization_id(), scene.service.people());
    let [link, unused] = [(); 2].map(|()| scene.service.admin());
    let link = link.invite_first_owner(organization).await.unwrap();
    let unused = unused.invite_first_owner(organization).await.unwrap();
    assert_eq!(people.invitation(&link).await.unwrap().asked, Asked::FirstOwner);
    let owner = Acceptance::FirstOwner(FirstOwner {
        name: "Ada".parse().unwrap(),
        email: address("ada"),
        organization_name: "Lakeside Pantry".parse().unwrap(),
        contact: address("help"),
    });
    let (ada, _) = people.accept(&link, None, owner).await.unwrap().unwrap();
    let (membership, named) = &ada.memberships()[0];
    assert_eq!((membership.role, named.slug.as_str()), (Role::Owner, "lakeside-pantry"));
    assert_eq!(named.contact, Some(address("help")));
    assert_eq!(gone(&scene, &unused).await, Some(Error::InvitationGone), "there is an owner");
    let patch = OrganizationPatch::new().name("Hillside Pantry".parse().unwrap());
    let renamed = ada.session("lakeside-pantry").unwrap().update_organization(patch).await.unwrap();
    assert_eq!(renamed.slug, "lakeside-pantry");
}

#[tokio::test]
async fn the_first_organization_its_token_and_its_link_are_one_commit() {
    let broken = Broken(Arc::default(), AtomicUsize::new(1));
    let service = Service::new(Wrapped(broken));
    let new = NewOrganization::new("Starter".parse().unwrap());
    let token = NewToken::new("First token".parse().unwrap(), Scopes::all());
    let created = service.admin().create_first_organization(new, token).await.unwrap();
    let (organization, text, link) = created.unwrap();
    assert_eq!(service.authenticate(text.reveal()).await.unwrap().organization_id(), organization.id);
    let open = service.people().invitation(&link).await.unwrap();
    assert_eq!((open.asked, open.organization), (Asked::FirstOwner, organization));
    let (from, until) = (open.invitation.created_at, open.invitation.expires_at);
    assert_eq!(until.duration_since(from), SignedDuration::from_hours(7 * 24));
}

#[tokio::test]
async fn what_happens_to_members_is_recorded_with_its_person() {
    let scene = Scene::start().await;
    let other = session(&scene.service, Plan::Free).await;
    let (dee, _) = join(&scene.service, other.organization_id(), "dee", Role::Organizer).await;
    let (ada, _) = scene.member("ada", Role::Owner).await;
    let session = ada.session("riverside").unwrap();
    let (_, link) = invite(&session, "bo", Role::Admin).await;
    let (bo, _) = scene.service.people().accept(&link, None, MEMBER).await.unwrap().unwrap();
    session.change_role(bo.person().id, Role::Organizer).await.unwrap();
    let (cy, _) = invite(&session, "cy", Role::Organizer).await;
    session.withdraw_invitation(cy.id).await.unwrap();
    let (invited, _) = invite(&session, "dee", Role::Organizer).await;
    session.withdraw_invitation(invited.id).await.unwrap();
    bo.leave(scene.session.organization_id()).await.unwrap();
    let by = |person: &SignedIn| Actor::Person { id: person.person().id, name: person.person().name.clone() };
    let [ada_id, bo_id, dee_id] = [&ada, &bo, &dee].map(|person| Some(person.person().id));
    let expected = [
        ("member.invited", Actor::Operator, None),
        ("member.joined", by(&ada), ada_id),
        ("member.invited", by(&ada), None),
        ("member.joined", by(&bo), bo_id),
        ("member.role_changed", by(&ada), bo_id),
        ("member.invited", by(&ada), None),
        ("member.withdrawn", by(&ada), None),
        // A person already, who is a member of another organization.
        ("member.invited", by(&ada), dee_id),
        ("member.withdrawn", by(&ada), dee_id),
        // The activity keeps the name of the person, who is gone.
        ("member.removed", by(&bo), bo_id),
    ];
    let query = ActivityQuery::new().of_type("member.*".parse().unwrap()).limit(100);
    let mut all = scene.session.activity(query).await.unwrap().items;
    all.reverse();
    let found: Vec<_> =
        all.iter().map(|found| (found.kind.as_str(), found.actor.clone(), found.subject.person)).collect();
    assert_eq!(found, expected);
    assert!(all.iter().all(|found| found.changes.is_empty()));
}
