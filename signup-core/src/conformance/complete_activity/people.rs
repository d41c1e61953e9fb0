//! People: what happened to members and invitations, and the operations that change them.

use super::inputs::{email, name, one, organization_patch};
use super::operations::Done;
use super::records::{Happened, Owned, State, pairs};
use crate::conformance::random::Numbers;
use crate::*;

/// Returns what happened to the members and the invitations of an organization. `state` is every organization afterwards.
///
/// # Errors
/// Returns the change that no type of activity describes.
pub(super) fn people_difference(
    before: Option<&Owned>,
    after: &Owned,
    state: &State,
    now: Timestamp,
) -> Result<Vec<Happened>, String> {
    let mut happened = vec![];
    let (mut joined, mut has_new_role) = (0, false);
    for (id, pair) in pairs(before.map(|before| &before.members), &after.members) {
        let subject = Subject { person: Some(id), ..Subject::default() };
        let kind = match pair {
            (None, _) => {
                joined += 1;
                Some("member.joined")
            }
            (Some(_), None) => Some("member.removed"),
            (Some((before, _)), Some((after, _))) => {
                has_new_role |= before.role != after.role;
                (before.role != after.role).then_some("member.role_changed")
            }
        };
        happened.extend(kind.map(|kind| Happened::to(subject, kind)));
    }
    for (_, pair) in pairs(before.map(|before| &before.invitations), &after.invitations) {
        let kind = match pair {
            (None, _) => Some("member.invited"),
            (Some(before), Some(after)) => (before != after).then_some("member.invited"),
            // Purged, or accepted.
            (Some(before), None) if before.expires_at <= now => None,
            (Some(_), None) if joined > 0 || has_new_role => None,
            (Some(before), None) if is_void(before, after) => None,
            (Some(before), None) => {
                // A member may accept, too, which does not change the membership.
                let invited = before.invitee.as_ref().map(|invitee| &invitee.email);
                let accepted = after.members.values().any(|(_, person)| Some(&person.email) == invited);
                (!accepted).then_some("member.withdrawn")
            }
        };
        let invitee = pair.0.or(pair.1).and_then(|invitation| invitation.invitee.as_ref());
        let mut people = state.values().flat_map(|owned| owned.members.values());
        let person = people.find(|(_, person)| Some(&person.email) == invitee.map(|invitee| &invitee.email));
        let subject = Subject { person: person.map(|(_, person)| person.id), ..Subject::default() };
        happened.extend(kind.map(|kind| Happened::to(subject, kind)));
    }
    if let Some(void) = after.invitations.values().find(|invitation| is_void(invitation, after)) {
        return Err(format!("the inviter of {void:?} may not invite"));
    }
    match joined {
        0 | 1 => Ok(happened),
        more => Err(format!("{more} members joined at once")),
    }
}

/// Returns whether the inviter of an invitation may not make members with its role.
fn is_void(invitation: &Invitation, owned: &Owned) -> bool {
    invitation.inviter.is_some_and(|inviter| {
        let role = owned.members.get(&inviter).map(|(membership, _)| Permissions::Role(membership.role));
        !role.is_some_and(|role| role.contains(Permission::to_manage(invitation.role)))
    })
}

/// What only people know: the secrets of links and of sign-ins, the newest first.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    links: Vec<Secret>,
    sign_ins: Vec<Secret>,
}

/// An operation on people, or by a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    InviteAsOperator,
    Accept,
    RemoveAsOperator,
    Leave,
    Invite,
    Withdraw,
    ChangeRole,
    Remove,
    CreateToken,
    UpdateOrganization,
}

impl Secrets {
    /// Executes an operation. Returns `None` if the numbers select among no records.
    pub(super) async fn execute(
        &mut self,
        service: &Service,
        deed: Deed,
        numbers: &mut Numbers<'_>,
        owner: &Owned,
        state: &State,
    ) -> Option<Done> {
        let (admin, id) = (service.admin(), owner.organization.id);
        match deed {
            Deed::InviteAsOperator if numbers.below(4) == 3 => {
                let link = admin.invite_first_owner(id).await;
                self.links.splice(0..0, link.clone());
                Done::by_operator(link)
            }
            Deed::InviteAsOperator => {
                let invited = admin.invite_person(id, new_invitation(numbers)).await;
                self.links.splice(0..0, invited.iter().flatten().map(|(_, link)| link.clone()));
                Done::by_operator(invited)
            }
            Deed::RemoveAsOperator => Done::by_operator(admin.remove_person(id, &email(numbers)).await),
            Deed::Accept => self.accept(service, numbers, state).await,
            _ => self.by_person(service, deed, numbers, state).await,
        }
    }

    async fn accept(&mut self, service: &Service, numbers: &mut Numbers<'_>, state: &State) -> Option<Done> {
        let people = service.people();
        let link = numbers.pick(&self.links)?;
        let (acceptance, address) = match people.invitation(link).await.map(|open| open.invitation.invitee) {
            Ok(None) => {
                let email = email(numbers);
                let owner = FirstOwner {
                    name: "Ada".parse().unwrap(),
                    email: email.clone(),
                    organization_name: name(numbers),
                    contact: "help@example.org".parse().unwrap(),
                };
                (Acceptance::FirstOwner(owner), Some(email))
            }
            Ok(Some(invitee)) => (Acceptance::Member { name: None }, Some(invitee.email)),
            Err(_) => (Acceptance::Member { name: None }, None),
        };
        let current = match self.sign_ins.first().filter(|_| numbers.below(4) == 3) {
            Some(secret) => people.signed_in(secret).await.ok(),
            None => None,
        };
        let accepted = people.accept(link, current.as_ref(), acceptance).await;
        let new = accepted.iter().flatten().next();
        self.sign_ins.splice(0..0, new.map(|(_, secret)| secret.clone()));
        let mut known = state.values().flat_map(|owned| owned.members.values()).map(|(_, person)| person);
        let known = known.find(|person| Some(&person.email) == address.as_ref());
        let person = new.map(|(signed_in, _)| signed_in.person()).or(known);
        Some(Done::by(person.map_or(Actor::System, actor), accepted))
    }

    /// Executes an operation as one of the people who are signed in.
    async fn by_person(
        &self,
        service: &Service,
        deed: Deed,
        numbers: &mut Numbers<'_>,
        state: &State,
    ) -> Option<Done> {
        let signed_in = service.people().signed_in(numbers.pick(&self.sign_ins)?).await.ok()?;
        let (membership, organization) = numbers.pick(signed_in.memberships())?;
        let owned = &state[&membership.organization];
        let session = signed_in.session(&organization.slug).unwrap();
        let role = one(Role::ALL, numbers);
        let outcome = match deed {
            Deed::Leave => signed_in.leave(organization.id).await,
            Deed::Invite => session.invite(new_invitation(numbers)).await.map(drop),
            Deed::Withdraw => {
                let invitation = *numbers.pick(owned.invitations.keys())?;
                session.withdraw_invitation(invitation).await
            }
            Deed::ChangeRole => {
                session.change_role(*numbers.pick(owned.members.keys())?, role).await.map(drop)
            }
            Deed::Remove => session.remove_member(*numbers.pick(owned.members.keys())?).await,
            Deed::CreateToken => {
                let new = NewToken::new(name(numbers), Scopes::all());
                session.create_token(new).await.map(drop)
            }
            _ => {
                let patch = organization_patch(name(numbers), numbers);
                session.update_organization(patch).await.map(drop)
            }
        };
        Some(Done::by(actor(signed_in.person()), outcome))
    }
}

fn new_invitation(numbers: &mut Numbers<'_>) -> NewInvitation {
    NewInvitation::new(email(numbers), "Grace".parse().unwrap(), one(Role::ALL, numbers))
}

fn actor(person: &Person) -> Actor {
    Actor::Person { id: person.id, name: person.name.clone() }
}
