//! Invitations: making, withdrawing and accepting one.

use jiff::Timestamp;

use super::membership::{check_manager, find};
use super::sign_in::next_generation;
use super::{Decision, NewActivity, update_organization};
use crate::activity::{ActivityType, Actor};
use crate::error::{Error, Result};
use crate::fault::{FaultKind, Faults};
use crate::id::{InvitationId, NoticeId, OrganizationId, PersonId};
use crate::input::{Acceptance, FirstOwner, NewInvitation, OrganizationPatch};
use crate::invitation::{Invitation, Invitee};
use crate::notice::{Notice, NoticeCause};
use crate::organization::Organization;
use crate::person::{Membership, Person, Role};
use crate::secret::{self, Secret};
use crate::sign_in::SignIn;
use crate::store::{ChangeSet, Record, Refusal, Requirement, Unique};
use crate::text::{EmailAddress, PersonName};

/// The id and the secret of one mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MailIds {
    /// The id of the notice.
    pub(crate) notice: NoticeId,
    /// The secret of the link.
    pub(crate) secret: Secret,
}

impl MailIds {
    /// Generates the id and the secret of a mail that is queued at `now`.
    pub(crate) fn generate(now: Timestamp) -> Self {
        Self { notice: NoticeId::new(secret::new_uuid(now)), secret: Secret::generate() }
    }
}

/// What the making of an invitation depends on.
#[derive(Debug, Clone)]
pub(crate) struct InviteFacts {
    /// The organization.
    pub(crate) organization: OrganizationId,
    /// The invitation of the same address, whether or not its link works.
    pub(crate) before: Option<Invitation>,
    /// The members.
    pub(crate) members: Vec<(Membership, Person)>,
    /// The person who has the address. The link is mailed to their spelling of it.
    pub(crate) person: Option<Person>,
}

/// Invites an address, and queues the mail with the link. Replaces an invitation of the same address, whose link stops working. The
/// outcome is the invitation, or `None` if a member has the address: then nothing changes.
///
/// Raises the version of the caller's membership. A change that lowers or ends the membership removes the invitations that it has
/// [read after the membership](super::membership). So it removes this one, or its commit is refused.
///
/// # Errors
/// Returns [`Error::MissingRole`] if the caller may not make members with the role of the new invitation, or with the role of the
/// replaced one while its link [works](check_invitation). A `caller` of `None` is the operator, who may make every member.
pub(crate) fn invite(
    facts: InviteFacts,
    caller: Option<PersonId>,
    new: &NewInvitation,
    id: InvitationId,
    mail: MailIds,
    now: Timestamp,
) -> Result<Decision<Option<Invitation>>> {
    let InviteFacts { organization, before, members, person } = facts;
    let working = before.as_ref().filter(|before| check_invitation(before, &members, now).is_ok());
    let replaced_role = working.map_or(new.role, |working| working.role);
    let manager = check_manager(&members, caller, &[new.role, replaced_role])?;
    if members.iter().any(|(_, person)| person.email == new.email) {
        return Ok(Decision::unchanged(None));
    }
    let NewInvitation { email, name, role } = new.clone();
    let (person, email) = person.map_or((None, email), |person| (Some(person.id), person.email));
    let unique = Unique::InvitedEmail(organization, email.key().to_owned());
    let id = before.as_ref().map_or(id, |before| before.id);
    let invitee = Some(Invitee { email, name });
    let invitation = Invitation::new(id, organization, invitee, (role, caller), mail.secret.digest(), now);
    let mut change = ChangeSet::default();
    if let Some(manager) = manager {
        change.replace(manager, Membership { version: manager.version + 1, ..manager });
    }
    let invitation = match before {
        Some(before) => {
            let invitation = Invitation { version: before.version + 1, ..invitation };
            change.replace(before, invitation.clone());
            invitation
        }
        None => {
            change.requires.push(Requirement::Absent { unique, now });
            change.insert(invitation.clone());
            invitation
        }
    };
    let cause = NoticeCause::Invited { invitation: id, secret: mail.secret };
    change.insert(Notice::new(mail.notice, organization, None, cause, now));
    let invited = NewActivity::of(ActivityType::MEMBER_INVITED, &invitation).of_person(person);
    // Another call may have invited the address.
    let decides_again = |refusal: &Refusal| match refusal {
        Refusal::Changed(_) => true,
        Refusal::Taken(record) => matches!(**record, Record::Invitation(_)),
        Refusal::NotBelow { .. } | Refusal::NotAtLeast { .. } => false,
    };
    Ok(Decision::new(Some(invitation), change, [invited]).again_after(decides_again))
}

/// Makes the invitation of the first owner of an organization. Its address is not known yet, so there is no mail.
pub(crate) fn invite_first_owner(
    organization: &Organization,
    id: InvitationId,
    secret: &Secret,
    now: Timestamp,
) -> Decision<()> {
    let invitation = Invitation::new(id, organization.id, None, (Role::Owner, None), secret.digest(), now);
    let invited = NewActivity::of(ActivityType::MEMBER_INVITED, &invitation);
    let mut change = ChangeSet::default();
    change.insert(invitation);
    Decision::new((), change, [invited])
}

/// Withdraws an invitation. Its link stops working. `person` has the address of the invitation.
///
/// # Errors
/// - [`Error::NotFound`] if the invitation has expired.
/// - [`Error::MissingRole`] if the caller may not make members with its role.
pub(crate) fn withdraw(
    invitation: Invitation,
    person: Option<PersonId>,
    members: &[(Membership, Person)],
    caller: Option<PersonId>,
    now: Timestamp,
) -> Result<Decision<()>> {
    if invitation.expires_at <= now {
        return Err(Error::NotFound);
    }
    let manager = check_manager(members, caller, &[invitation.role])?;
    let withdrawn = NewActivity::of(ActivityType::MEMBER_WITHDRAWN, &invitation).of_person(person);
    let mut change = ChangeSet::default();
    if let Some(manager) = &manager {
        change.require_unchanged(manager);
    }
    change.remove(invitation);
    Ok(Decision::new((), change, [withdrawn]))
}

/// Checks that the link of an invitation works at `now`. Returns the member who invites, `None` if it is the operator.
///
/// # Errors
/// Returns [`Error::InvitationGone`] if the invitation has expired, if it is for the first owner of an organization that has an
/// owner, or if its inviter has lost the right to invite: the membership has ended since the invitation was read.
pub(crate) fn check_invitation<'m>(
    invitation: &Invitation,
    members: &'m [(Membership, Person)],
    now: Timestamp,
) -> Result<Option<&'m (Membership, Person)>> {
    let has_owner = members.iter().any(|(membership, _)| membership.role == Role::Owner);
    if invitation.expires_at <= now || invitation.invitee.is_none() && has_owner {
        return Err(Error::InvitationGone);
    }
    let Some(inviter) = invitation.inviter else { return Ok(None) };
    find(members, inviter).map(Some).map_err(|_| Error::InvitationGone)
}

/// Returns the address and the name of the person who accepts. A person who exists keeps their own name.
///
/// # Errors
/// Returns a fault if the invitation is for the first owner of an organization and the acceptance is not, or the other way round.
pub(crate) fn invitee(
    invitation: &Invitation,
    acceptance: &Acceptance,
) -> Result<(EmailAddress, PersonName), Faults> {
    match (invitation.invitee.clone(), acceptance) {
        (Some(invitee), Acceptance::Member { name }) => {
            Ok((invitee.email, name.clone().unwrap_or(invitee.name)))
        }
        (None, Acceptance::FirstOwner(FirstOwner { name, email, .. })) => Ok((email.clone(), name.clone())),
        (Some(_), Acceptance::FirstOwner(_)) => Err(Faults::one("organization_name", FaultKind::UNKNOWN)),
        (None, Acceptance::Member { .. }) => Err(Faults::one("organization_name", FaultKind::Required)),
    }
}

/// What the acceptance of an invitation depends on.
#[derive(Debug, Clone)]
pub(crate) struct AcceptFacts {
    /// The invitation.
    pub(crate) invitation: Invitation,
    /// The organization.
    pub(crate) organization: Organization,
    /// The slug of the organization if a first owner names it anew. No other organization has it.
    pub(crate) slug: String,
    /// The person who has the address of the invitation, or of the first owner.
    pub(crate) person: Option<Person>,
    /// The members of the organization, read after `person`.
    pub(crate) members: Vec<(Membership, Person)>,
    /// The present sign-in of the browser.
    pub(crate) current: Option<SignIn>,
    /// The notice of the person for summaries.
    pub(crate) summary: Option<Notice>,
}

/// Accepts an invitation: makes the person a member. If no person has the address, the call creates one, and signs them in with
/// `secret`. The outcome is that sign-in. `None` for a person who exists: an invitation can be forwarded, so it does not prove who
/// accepts it. The membership of a member does not change.
///
/// A person who joins another organization is signed out of every browser but the present one: an earlier invitation may have
/// signed in somebody who does not read the mails of the address, and that sign-in must not open this organization.
///
/// The first owner also names the organization. Its slug follows the name this once. A member who becomes the first owner gets the
/// role. The first owner gets the [summaries](super::summary). Each new owner changes the version of the organization. So if a
/// first owner and another owner join at once, the later commit is refused. The call decides again, and finds an owner.
///
/// # Errors
/// - [`Error::InvitationGone`] if the link [no longer works](check_invitation).
/// - [`Error::OtherPerson`] if another person is signed in. The address of a first owner is not proven, so a person who has it must
///   be signed in.
/// - [`Error::Invalid`] if the invitation is for a first owner and `acceptance` is not, or the other way round.
pub(crate) fn accept(
    facts: AcceptFacts,
    acceptance: &Acceptance,
    id: PersonId,
    secret: &Secret,
    now: Timestamp,
) -> Result<Decision<Option<SignIn>>> {
    let AcceptFacts { invitation, organization, slug, person, members, current, summary } = facts;
    check_invitation(&invitation, &members, now)?;
    // A sign-in that the person has ended everywhere must not return with the new generation.
    let current =
        current.filter(|current| !person.as_ref().is_some_and(|person| current.is_ended_by(person)));
    let (email, name) = invitee(&invitation, acceptance)?;
    let is_proven = invitation.invitee.is_some();
    let is_other = match (&current, &person) {
        (Some(current), Some(person)) => current.person != person.id,
        (Some(_), None) => true,
        (None, Some(_)) => !is_proven,
        (None, None) => false,
    };
    if is_other {
        return Err(Error::OtherPerson);
    }
    let mut change = ChangeSet::default();
    let (mut activity, mut sign_in) = (vec![], None);
    let present = person.as_ref().and_then(|person| find(&members, person.id).ok());
    let present = present.map(|(membership, _)| *membership);
    let person = match person {
        Some(person) if present.is_some() => {
            change.require_unchanged(&person);
            person
        }
        Some(person) => {
            let joining = next_generation(&person);
            change.replace(person, joining.clone());
            if let Some(current) = current {
                let (generation, version) = (joining.generation, current.version + 1);
                change.replace(current, SignIn { generation, version, ..current });
            }
            joining
        }
        None => {
            let unique = Unique::PersonEmail(email.key().to_owned());
            change.requires.push(Requirement::Absent { unique, now });
            let person = Person::new(id, email, name, now);
            change.insert(person.clone());
            sign_in = Some(SignIn::new(secret, &person, now));
            person
        }
    };
    let actor = Actor::Person { id: person.id, name: person.name.clone() };
    if let Acceptance::FirstOwner(FirstOwner { organization_name, contact, .. }) = acceptance {
        let patch = OrganizationPatch::new().name(organization_name.clone()).contact(contact.clone());
        let Decision { outcome, activity: updated, .. } = update_organization(organization.clone(), patch)?;
        let version = organization.version + 1;
        if slug != organization.slug {
            change.requires.push(Requirement::Absent { unique: Unique::OrganizationSlug(slug.clone()), now });
        }
        change.replace(organization, Organization { slug, version, ..outcome });
        activity.extend(updated);
    } else if invitation.role == Role::Owner && present.is_none() {
        let version = organization.version + 1;
        change.replace(organization.clone(), Organization { version, ..organization });
    }
    match present {
        None => {
            // No earlier membership of the person had this version. So a commit that was decided on an earlier one is refused.
            let Person { id, version, .. } = person;
            let new = Membership::new(invitation.organization, id, invitation.role, now);
            let membership = Membership { version, ..new };
            activity.push(NewActivity::of(ActivityType::MEMBER_JOINED, &membership));
            change.insert(membership);
        }
        Some(membership) if invitation.invitee.is_none() => {
            let (role, version) = (invitation.role, membership.version + 1);
            let raised = Membership { role, version, ..membership };
            activity.push(NewActivity::of(ActivityType::MEMBER_ROLE_CHANGED, &raised));
            change.replace(membership, raised);
        }
        Some(_) => {}
    }
    let has_owner = members.iter().any(|(membership, _)| membership.role == Role::Owner);
    if invitation.role == Role::Owner && !has_owner && summary.is_none() {
        let wish = super::summary::wish(invitation.organization, person.id, now);
        change.requires.push(Requirement::Absent { unique: Unique::Notice(wish.organization, wish.id), now });
        change.insert(wish);
    }
    change.remove(invitation);
    if let Some(sign_in) = sign_in {
        change.insert(sign_in);
    }
    let activity: Vec<_> = activity.into_iter().map(|activity| activity.by(actor.clone())).collect();
    Ok(Decision::new(sign_in, change, activity).again_after(|_| true))
}

#[cfg(test)]
mod tests;
