//! The page of the members and the open invitations.

use askama::Template;
use signup_core::{
    Faults, Invitation, InvitationId, Membership, NewInvitation, Permission, Person, PersonId, Role, Secret,
};
use warp::http::StatusCode;

use super::day;
use crate::admin::invitation_link;
use crate::console::{
    As, ConsoleRefusal, Done, DoneBefore, Form, Frame, MemberCall, PageResult, show, there, words,
};
use crate::page::Head;

#[derive(Debug, Template)]
#[template(path = "console/settings/members.html")]
struct MembersTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    form: &'a Form,
    members: Vec<MemberView<'a>>,
    invitations: Vec<InvitationView<'a>>,
    /// The roles that the person may give.
    roles: &'static [(&'static str, &'static str, &'static str)],
}

/// The page that shows the link of an invitation once, if the server cannot send it.
#[derive(Template)]
#[template(path = "console/settings/invitation_link.html")]
struct LinkTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    email: &'a str,
    link: String,
}

/// A member, as the page shows it.
#[derive(Debug)]
struct MemberView<'a> {
    person: &'a Person,
    role: Role,
    since: String,
    /// Whether the person who sees the page may change the role and end the membership.
    is_changeable: bool,
}

/// An open invitation, as the page shows it.
#[derive(Debug)]
struct InvitationView<'a> {
    id: InvitationId,
    name: Option<&'a str>,
    email: Option<&'a str>,
    role: &'static str,
    until: String,
    /// Whether the person who sees the page may withdraw it.
    is_changeable: bool,
}

const FIELDS: &[(&str, As)] = &[("email", As::Text), ("name", As::Text), ("role", As::Text)];

/// The path of the page below the organization.
const MEMBERS: &str = "/settings/members";

/// `GET /console/{slug}/settings/members`: shows the link of an invitation that was just made once, or lists the members and the
/// open invitations.
pub(crate) async fn list_members(call: MemberCall) -> PageResult {
    call.session.require(Permission::ReadMembers)?;
    if let Some((id, secret)) = call.what_was_made::<InvitationId, Secret>() {
        let open = call.session.invitations().await?;
        let invitation = open.iter().find(|invitation| invitation.id == id);
        if let Some(invitee) = invitation.and_then(|invitation| invitation.invitee.as_ref()) {
            return Ok(call.show_made(&LinkTemplate {
                head: call.frame.head("The link of the invitation"),
                frame: &call.frame,
                email: invitee.email.as_str(),
                link: invitation_link(&call.console.url(""), &secret),
            }));
        }
    }
    page(&call, StatusCode::OK, &call.new_form()?.with("role", Role::Organizer.name())).await
}

/// `POST /console/{slug}/settings/members`: invites, changes a role, removes a member, or withdraws an invitation.
pub(crate) async fn change_members(mut call: MemberCall) -> PageResult {
    call.session.require(Permission::ManageMembers)?;
    let form = call.form().await?;
    let (session, person) = (&call.session, form.value("person_id").parse().unwrap_or(PersonId::NONE));
    match form.action() {
        "invite" => match form.checked(FIELDS, NewInvitation::from_input) {
            Ok(new) => return invite(&call, form, new).await,
            Err(faults) => {
                return page(&call, StatusCode::UNPROCESSABLE_ENTITY, &form.refused(&faults)).await;
            }
        },
        "role" => {
            let role = form.value("role").parse::<Role>();
            let role = role.map_err(|error| ConsoleRefusal::from(Faults::one("role", error)))?;
            session.change_role(person, role).await?;
        }
        "remove" => session.remove_member(person).await?,
        "withdraw" => {
            let id = form.value("invitation_id").parse().unwrap_or(InvitationId::NONE);
            session.withdraw_invitation(id).await?;
        }
        _ => return Err(ConsoleRefusal::UnknownAction),
    }
    Ok(call.see_other(MEMBERS))
}

/// Invites a person. Without a mail server, the next page shows the link of the invitation.
async fn invite(call: &MemberCall, form: Form, new: NewInvitation) -> PageResult {
    let (frame, email) = (&call.frame, new.email.clone());
    let reply = form.write(call.session.invite(new)).await?;
    let link = ("see all members and invitations", frame.path(MEMBERS));
    let before = if let Some((invitation, _)) = &reply.value {
        let email = invitation.invitee.as_ref().map_or("", |invitee| invitee.email.as_str());
        let gone = ("The invitation has been accepted, replaced or withdrawn since.", link.clone());
        // A newer invitation of the same address has the same id.
        let is_open = async {
            let open = call.session.invitations().await?;
            there(open.iter().any(|open| open.digest == invitation.digest))
        };
        DoneBefore::of(&reply, is_open, (format!("It invited {email}."), link), gone).await?
    } else {
        let gone = ("That person is no longer a member.", link.clone());
        let is_member = async {
            let members = call.session.members().await?;
            there(reply.is_of_other_input || members.iter().any(|(_, person)| person.email == email))
        };
        let sentence = "It was for someone who is a member already.".to_owned();
        DoneBefore::of(&reply, is_member, (sentence, link), gone).await?
    };
    if let Some(before) = before {
        return page(call, StatusCode::CONFLICT, &form.done_before(before)).await;
    }
    let done = match reply.value {
        Some((invitation, Some(secret))) if !frame.sends_mail => {
            return Ok(call.made(invitation.id, secret.reveal(), MEMBERS));
        }
        Some(_) if !frame.sends_mail => Done::InvitedBefore,
        Some(_) => Done::Invited,
        None => Done::MemberAlready,
    };
    Ok(call.done(done, MEMBERS))
}

async fn page(call: &MemberCall, status: StatusCode, form: &Form) -> PageResult {
    let (members, invitations) = (call.session.members().await?, call.session.invitations().await?);
    let frame = &call.frame;
    let owners = members.iter().filter(|(membership, _)| membership.role == Role::Owner).count();
    let page = MembersTemplate {
        head: frame.head_of("Members", form),
        frame,
        form,
        members: members.iter().map(|(membership, person)| view(frame, membership, person, owners)).collect(),
        invitations: invitations.iter().map(|invitation| view_of_invitation(frame, invitation)).collect(),
        roles: if frame.is_owner() { &words::ROLES } else { &words::ROLES[..2] },
    };
    Ok(show(status, &page))
}

fn view<'a>(frame: &Frame, membership: &Membership, person: &'a Person, owners: usize) -> MemberView<'a> {
    let (role, since) = (membership.role, day(membership.created_at));
    // An organization keeps an owner.
    let is_only_owner = role == Role::Owner && owners == 1;
    MemberView { person, role, since, is_changeable: may_manage(frame, role) && !is_only_owner }
}

/// Returns whether the person who sees the page may make and remove members with this role.
fn may_manage(frame: &Frame, role: Role) -> bool {
    frame.is_owner() || role < Role::Owner
}

fn view_of_invitation<'a>(frame: &Frame, invitation: &'a Invitation) -> InvitationView<'a> {
    let invitee = invitation.invitee.as_ref();
    InvitationView {
        id: invitation.id,
        name: invitee.map(|invitee| invitee.name.as_str()),
        email: invitee.map(|invitee| invitee.email.as_str()),
        role: words::role_with_article(invitation.role),
        until: day(invitation.expires_at),
        is_changeable: may_manage(frame, invitation.role),
    }
}
