//! The page of an invitation, reached by the secret link in its mail.

use askama::Template;
use signup_core::{Acceptance, Asked, Error, OpenInvitation, Secret, SignedIn};
use warp::http::StatusCode;
use warp::reply::Response;

use super::cookies::Name;
use super::{As, Console, ConsoleCall, ConsoleRefusal, Done, Form, PageResult, show, words};
use crate::page::{DEFAULT_THEME, Head, incomplete_link, see_other};

#[derive(Debug, Template)]
#[template(path = "console/invitation.html")]
struct InvitationTemplate<'a> {
    head: Head,
    console: &'a Console,
    /// The path of this page.
    path: String,
    organization: &'a str,
    inviter: Option<&'a str>,
    role: &'static str,
    email: Option<&'a str>,
    asks_name: bool,
    is_first_owner: bool,
    form: &'a Form,
}

/// The page of an invitation that is for another person than the one who is signed in.
#[derive(Debug, Template)]
#[template(path = "console/other_person.html")]
struct OtherPersonTemplate<'a> {
    head: Head,
    console: &'a Console,
    /// The path of the invitation, without that of the base URL.
    path: String,
    email: &'a str,
}

const FIELDS: &[(&str, As)] =
    &[("name", As::Text), ("email", As::Text), ("organization_name", As::Text), ("contact", As::Text)];

/// `GET /invitations/{secret}`: shows the inviter, the organization and the role.
pub(super) async fn show_invitation(call: ConsoleCall) -> PageResult {
    let Ok(secret) = call.path.text("secret").parse::<Secret>() else {
        return Ok(incomplete_link(&call.console.base_path));
    };
    let console = &call.console;
    let open = console.service.people().invitation(&secret).await?;
    let signed_in = console.signed_in(&call.request.headers).await?;
    if let Some(other) = signed_in.as_ref().filter(|signed_in| !is_for(&open, signed_in)) {
        return Ok(console.other_person(other, &secret));
    }
    let name = open.invitation.invitee.as_ref().map_or("", |invitee| invitee.name.as_str());
    Ok(console.invitation_page(StatusCode::OK, &open, &secret, &Form::default().with("name", name)))
}

/// `POST /invitations/{secret}`: accepts an invitation. Signs a new person in, and sends any other person to the page to sign in,
/// unless they are signed in.
pub(super) async fn accept_invitation(mut call: ConsoleCall) -> PageResult {
    let signed_in = call.console.signed_in(&call.request.headers).await?;
    if let Some(signed_in) = &signed_in {
        call.console.count_form(signed_in).await?;
    }
    let Ok(secret) = call.path.text("secret").parse::<Secret>() else {
        return Ok(incomplete_link(&call.console.base_path));
    };
    let people = call.console.service.people();
    let open = people.invitation(&secret).await?;
    if let Some(other) = signed_in.as_ref().filter(|signed_in| !is_for(&open, signed_in)) {
        return Ok(call.console.other_person(other, &secret));
    }
    let form = call.form().await?;
    let console = &call.console;
    let acceptance = match form.checked(FIELDS, |input| Acceptance::from_input(input, open.asked)) {
        Ok(acceptance) => acceptance,
        Err(faults) => {
            let form = form.refused(&faults);
            return Ok(console.invitation_page(StatusCode::UNPROCESSABLE_ENTITY, &open, &secret, &form));
        }
    };
    match people.accept(&secret, signed_in.as_ref(), acceptance).await {
        Ok(Some((joined, session))) => {
            Ok(console.start_session(&session, &path_of_organization(&joined, &open)))
        }
        Ok(None) => Ok(match console.signed_in(&call.request.headers).await? {
            Some(joined) => see_other(&console.path(&path_of_organization(&joined, &open))),
            None => {
                let mut response = console.to_sign_in(&format!("/console/{}/", open.organization.slug));
                console.cookies.set(&mut response, Name::Done, Done::Joined.name());
                response
            }
        }),
        Err(Error::OtherPerson) => match &signed_in {
            Some(other) => Ok(console.other_person(other, &secret)),
            None => {
                let form = form.mistaken(
                    "email",
                    "Someone already uses this email address here. If it’s yours, sign in first, and then open the link again",
                );
                Ok(console.invitation_page(StatusCode::CONFLICT, &open, &secret, &form))
            }
        },
        Err(error) => Err(ConsoleRefusal::from(error)),
    }
}

/// Returns whether the person who is signed in may accept an invitation. Any person may accept the invitation of a first owner.
fn is_for(open: &OpenInvitation, signed_in: &SignedIn) -> bool {
    let invitee = open.invitation.invitee.as_ref();
    invitee.is_none_or(|invitee| invitee.email == signed_in.person().email)
}

/// Returns the path of the organization that a person has joined. A first owner has given it another slug.
fn path_of_organization(joined: &SignedIn, open: &OpenInvitation) -> String {
    let mut memberships = joined.memberships().iter();
    let joined = memberships.find(|(membership, _)| membership.organization == open.invitation.organization);
    joined.map_or("/console".to_owned(), |(_, found)| format!("/console/{}/", found.slug))
}

impl Console {
    fn invitation_page(
        &self,
        status: StatusCode,
        open: &OpenInvitation,
        secret: &Secret,
        form: &Form,
    ) -> Response {
        let is_first_owner = open.asked == Asked::FirstOwner;
        let title = if is_first_owner { "Set up your organization" } else { "You’re invited" };
        let error = if form.is_refused() { "Error: " } else { "" };
        let page = InvitationTemplate {
            head: Head::private(&format!("{error}{title}"), DEFAULT_THEME),
            console: self,
            path: self.path(&path_of(secret)),
            organization: open.organization.name.as_str(),
            inviter: open.inviter.as_ref().map(|inviter| inviter.name.as_str()),
            role: words::role_with_article(open.invitation.role),
            email: open.invitation.invitee.as_ref().map(|invitee| invitee.email.as_str()),
            asks_name: open.asked == Asked::Name,
            is_first_owner,
            form,
        };
        show(status, &page)
    }

    fn other_person(&self, signed_in: &SignedIn, secret: &Secret) -> Response {
        let page = OtherPersonTemplate {
            head: Head::private("This invitation is for someone else", DEFAULT_THEME),
            console: self,
            path: path_of(secret),
            email: signed_in.person().email.as_str(),
        };
        show(StatusCode::CONFLICT, &page)
    }
}

fn path_of(secret: &Secret) -> String {
    format!("/invitations/{}", secret.reveal())
}
