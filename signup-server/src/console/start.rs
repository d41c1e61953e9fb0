//! The first page of the console, which lists the organizations of a person, and the page to leave an organization.

use askama::Template;
use signup_core::{Error, Organization};
use warp::http::StatusCode;

use super::{Console, ConsoleCall, Frame, MemberCall, PageResult, show, words};
use crate::page::{DEFAULT_THEME, Head, see_other};

#[derive(Debug, Template)]
#[template(path = "console/organizations.html")]
struct OrganizationsTemplate<'a> {
    head: Head,
    console: &'a Console,
    organizations: Vec<(&'a Organization, &'static str)>,
}

#[derive(Debug, Template)]
#[template(path = "console/leave.html")]
struct LeaveTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    is_last: bool,
    is_only_owner: bool,
}

/// `GET /console`: lists the organizations of the person. If there is only one, redirects to its pages.
pub(super) async fn list_organizations(call: ConsoleCall) -> PageResult {
    let console = &call.console;
    let Some(signed_in) = console.signed_in(&call.request.headers).await? else {
        return Ok(console.to_sign_in("/console"));
    };
    if let [(_, organization)] = signed_in.memberships() {
        return Ok(see_other(&console.path(&format!("/console/{}/", organization.slug))));
    }
    let memberships = signed_in.memberships().iter();
    let page = OrganizationsTemplate {
        head: Head::private("Your organizations", DEFAULT_THEME),
        console,
        organizations: memberships
            .map(|(membership, organization)| (organization, words::role_with_article(membership.role)))
            .collect(),
    };
    Ok(show(StatusCode::OK, &page))
}

/// `GET /console/{slug}/leave`: says what leaving an organization means, and that its only owner cannot leave.
pub(super) async fn ask_leave(call: MemberCall) -> PageResult {
    let frame = &call.frame;
    let is_only_owner = match call.signed_in.preview().leave(call.session.organization_id()).await {
        Err(Error::LastOwner) => true,
        left => left.map(|()| false)?,
    };
    let is_last = !frame.has_others;
    let head = frame.head("Leave this organization");
    Ok(show(StatusCode::OK, &LeaveTemplate { head, frame, is_last, is_only_owner }))
}

/// `POST /console/{slug}/leave`: ends the membership.
pub(super) async fn leave(call: MemberCall) -> PageResult {
    call.signed_in.leave(call.session.organization_id()).await?;
    Ok(see_other(&call.console.path("/console")))
}
