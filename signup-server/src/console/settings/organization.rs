//! The page of the organization's own facts.

use askama::Template;
use signup_core::{Organization, OrganizationInput, Permission, from_json};
use warp::http::StatusCode;

use crate::console::{Answer, As, Form, Frame, MemberCall, show};
use crate::page::Head;

#[derive(Debug, Template)]
#[template(path = "console/settings/organization.html")]
struct OrganizationTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    form: &'a Form,
}

const FIELDS: &[(&str, As)] = &[
    ("name", As::Text),
    ("contact", As::Text),
    ("privacy_url", As::Text),
    ("sport", As::Text),
    ("public_url", As::Text),
];

/// `GET /console/{slug}/settings`: shows the name, the contact and the links of the organization.
pub(crate) async fn show_organization(call: MemberCall) -> Answer {
    call.session.require(Permission::UpdateOrganization)?;
    let form = filled(&call.session.organization().await?);
    page(&call, StatusCode::OK, &form)
}

/// `POST /console/{slug}/settings`: changes them.
pub(crate) async fn change_organization(mut call: MemberCall) -> Answer {
    call.session.require(Permission::UpdateOrganization)?;
    let form = call.form().await?;
    let checked = from_json::<OrganizationInput<'_>>(&form.json(FIELDS)).and_then(|input| input.check());
    match checked {
        Ok(patch) => {
            call.session.update_organization(patch).await?;
            Ok(call.see_other("/settings"))
        }
        Err(faults) => page(&call, StatusCode::UNPROCESSABLE_ENTITY, &form.refused(&faults)),
    }
}

fn page(call: &MemberCall, status: StatusCode, form: &Form) -> Answer {
    let frame = &call.frame;
    Ok(show(status, &OrganizationTemplate { head: frame.head_of("Organization", form), frame, form }))
}

fn filled(organization: &Organization) -> Form {
    let text = |text: Option<String>| text.unwrap_or_default();
    Form::default()
        .with("name", organization.name.as_str())
        .with("contact", text(organization.contact.as_ref().map(ToString::to_string)))
        .with("privacy_url", text(organization.privacy_url.as_ref().map(ToString::to_string)))
        .with("sport", text(organization.sport.as_ref().map(ToString::to_string)))
        .with("public_url", text(organization.public_url.as_ref().map(ToString::to_string)))
}
