//! Races of invitations, on every store.

use std::sync::Arc;

use super::races::{MEMBER, Race, change, session};
use crate::*;

/// Accepts the invitation of somebody new in a process. The future borrows nothing.
fn accept(
    race: &Race,
    process: usize,
    link: &Secret,
    acceptance: Acceptance,
) -> impl Future<Output = Result<PersonId>> + Send + use<> {
    let (service, link) = (race.services[process].clone(), link.clone());
    async move {
        let (signed_in, _) = service.people().accept(&link, None, acceptance).await?.unwrap();
        Ok(signed_in.person().id)
    }
}

/// If an invitation is accepted and withdrawn at once, one of the two takes effect.
pub async fn an_invitation_is_accepted_or_withdrawn(store: Arc<dyn Store>) {
    for race in Race::each(&store).await {
        let ada = session(&race.member(0, "ada", Role::Admin).await);
        let (invitation, link) = race.invite("bo", Role::Organizer).await;
        let withdraw = async move { ada.withdraw_invitation(invitation.id).await };
        let outcomes = race.run(withdraw, accept(&race, 1, &link, MEMBER)).await;
        match outcomes {
            (Ok(()), accepted) => {
                assert_eq!(accepted, Err(Error::InvitationGone), "{:?}", race.places);
                assert_eq!(race.members().await.len(), 1);
            }
            (withdrawn, accepted) => {
                assert_eq!(withdrawn, Err(Error::NotFound), "{:?}", race.places);
                assert_eq!(race.members().await[1], (accepted.unwrap(), Role::Organizer));
            }
        }
    }
}

/// If an invitation is accepted and replaced at once, it makes one member: by the earlier link, or by the new link.
pub async fn an_invitation_is_accepted_or_replaced(store: Arc<dyn Store>) {
    for race in Race::each(&store).await {
        let (_, link) = race.invite("ada", Role::Organizer).await;
        let (service, owner) = (race.services[0].clone(), race.organization);
        let again = race.invitation("ada", Role::Admin);
        let replace = async move { service.admin().invite_person(owner, again).await.unwrap() };
        let (replaced, accepted) = race.run(replace, accept(&race, 1, &link, MEMBER)).await;
        let expected = match replaced {
            Some((_, new)) => {
                assert_eq!(accepted, Err(Error::InvitationGone), "{:?}", race.places);
                (accept(&race, 1, &new, MEMBER).await.unwrap(), Role::Admin)
            }
            None => (accepted.unwrap(), Role::Organizer),
        };
        assert_eq!(race.members().await, [expected]);
    }
}

/// An invitation can be accepted until the role of its inviter is lowered, and not after.
pub async fn an_invitation_is_not_accepted_after_its_inviter_is_lowered(store: Arc<dyn Store>) {
    for race in Race::each(&store).await {
        let ada = session(&race.member(0, "ada", Role::Owner).await);
        let bo = race.member(0, "bo", Role::Admin).await;
        let invited = session(&bo).invite(race.invitation("cy", Role::Organizer)).await.unwrap().unwrap();
        let link = invited.1;
        let lower = change(ada, bo.person().id, Some(Role::Organizer));
        let (lowered, accepted) = race.run(lower, accept(&race, 1, &link.unwrap(), MEMBER)).await;
        assert_eq!(lowered, Ok(()), "{:?}", race.places);
        if let Some(first) = race.first() {
            assert_eq!(accepted.is_ok(), first == 1, "{:?}", race.places);
        }
        let members = match accepted {
            Ok(_) => 3,
            Err(error) => {
                assert_eq!(error, Error::InvitationGone);
                2
            }
        };
        assert_eq!(race.members().await.len(), members);
    }
}

/// If a member is lowered and invites at once, no invitation is left: it would work again after the member is raised.
pub async fn an_invitation_of_a_member_who_is_lowered_at_once_is_void_for_good(store: Arc<dyn Store>) {
    for race in Race::each(&store).await {
        let ada = session(&race.member(0, "ada", Role::Owner).await);
        let bo = race.member(1, "bo", Role::Admin).await;
        let (inviter, new) = (session(&bo), race.invitation("cy", Role::Organizer));
        let lower = change(ada.clone(), bo.person().id, Some(Role::Organizer));
        let (lowered, invited) = race.run(lower, async move { inviter.invite(new).await }).await;
        assert_eq!(lowered, Ok(()), "{:?}", race.places);
        if let Some(first) = race.first() {
            assert_eq!(invited.is_ok(), first == 1, "{:?}", race.places);
        }
        assert!(invited.is_ok() || invited == Err(Error::MissingRole(Role::Admin)), "{invited:?}");
        change(ada.clone(), bo.person().id, Some(Role::Admin)).await.unwrap();
        assert_eq!(ada.invitations().await.unwrap(), [], "{:?}", race.places);
    }
}

/// If one link is accepted twice at once, one call succeeds.
pub async fn one_of_two_simultaneous_uses_of_a_link_succeeds(store: Arc<dyn Store>) {
    for race in Race::each(&store).await {
        let (_, link) = race.invite("ada", Role::Organizer).await;
        let [here, there] = [0, 1].map(|process| accept(&race, process, &link, MEMBER));
        let (here, there) = race.run(here, there).await;
        let (accepted, refused) = if here.is_ok() { (here, there) } else { (there, here) };
        assert_eq!(refused, Err(Error::InvitationGone), "{:?}", race.places);
        assert_eq!(race.members().await, [(accepted.unwrap(), Role::Organizer)]);
    }
}

/// A first owner joins only while the organization has no owner: not after another first owner, and not after an owner who was
/// invited by address.
pub async fn a_first_owner_joins_only_before_every_other_owner(store: Arc<dyn Store>) {
    for is_invited in [false, true] {
        for race in Race::each(&store).await {
            let first_owner = |name: &str| {
                Acceptance::FirstOwner(FirstOwner {
                    name: name.parse().unwrap(),
                    email: race.address(name),
                    organization_name: name.parse().unwrap(),
                    contact: "help@example.org".parse().unwrap(),
                })
            };
            let link = race.services[0].admin().invite_first_owner(race.organization).await.unwrap();
            let (other, acceptance) = match is_invited {
                true => (race.invite("bo", Role::Owner).await.1, MEMBER),
                false => {
                    let link = race.services[0].admin().invite_first_owner(race.organization).await;
                    (link.unwrap(), first_owner("bo"))
                }
            };
            let here = accept(&race, 0, &link, first_owner("ada"));
            let (here, there) = race.run(here, accept(&race, 1, &other, acceptance)).await;
            let mut owners: Vec<_> = [&here, &there].into_iter().flatten().collect();
            // An owner who was invited by address may join after the first owner.
            let is_second = is_invited && here.is_ok();
            assert_eq!(owners.len(), 1 + usize::from(is_second), "{is_invited} {:?}", race.places);
            for refused in [&here, &there].into_iter().filter_map(|result| result.as_ref().err()) {
                assert_eq!(*refused, Error::InvitationGone);
            }
            if let Some(first) = race.first() {
                assert_eq!(here.is_ok(), first == 0, "{is_invited} {:?}", race.places);
            }
            let mut members = race.members().await;
            members.sort_unstable();
            owners.sort_unstable();
            assert_eq!(members, owners.into_iter().map(|id| (*id, Role::Owner)).collect::<Vec<_>>());
        }
    }
}
