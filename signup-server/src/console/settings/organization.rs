//! The page of the organization's own fields.

use askama::Template;
use signup_core::{Error, Organization, OrganizationPatch, Permission};
use warp::http::StatusCode;

use crate::console::changing::{
    FieldValues, Values, both_values, loaded, patch, read_fields, reloaded, text,
};
use crate::console::{As, Done, Form, Frame, MemberCall, PageResult, show};
use crate::page::Head;

#[derive(Debug, Template)]
#[template(path = "console/settings/organization.html")]
struct OrganizationTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    form: &'a Form,
    read: Vec<(&'a str, &'a str)>,
    conflicts: &'a [FieldValues],
}

const FIELDS: &[(&str, As)] = &[
    ("name", As::Text),
    ("contact", As::Text),
    ("privacy_url", As::Text),
    ("sport", As::Text),
    ("public_url", As::Text),
];

/// `GET /console/{slug}/settings`: shows the name, the contact and the links of the organization.
pub(crate) async fn show_organization(call: MemberCall) -> PageResult {
    call.session.require(Permission::UpdateOrganization)?;
    let form = loaded(FIELDS, values(&call.session.organization().await?));
    page(&call, StatusCode::OK, &form, &[])
}

/// `POST /console/{slug}/settings`: changes the fields of the organization.
pub(crate) async fn change_organization(mut call: MemberCall) -> PageResult {
    call.session.require(Permission::UpdateOrganization)?;
    let form = call.form().await?;
    let check = |form: &Form| form.checked(FIELDS, OrganizationPatch::from_input);
    let changed = match patch(&form, check, OrganizationPatch::read) {
        Ok(patch) => call.session.update_organization(patch).await,
        Err(faults) => Err(faults.into()),
    };
    match changed {
        Ok(_) => Ok(call.done(Done::Saved, "/settings")),
        Err(Error::Invalid(faults)) => {
            page(&call, StatusCode::UNPROCESSABLE_ENTITY, &form.refused(&faults), &[])
        }
        Err(Error::Conflict(names)) => {
            let present = values(&call.session.organization().await?);
            let conflicts = both_values(&form, &names, &present);
            page(&call, StatusCode::CONFLICT, &reloaded(&form, FIELDS, present), &conflicts)
        }
        Err(error) => Err(error.into()),
    }
}

fn page(call: &MemberCall, status: StatusCode, form: &Form, conflicts: &[FieldValues]) -> PageResult {
    let frame = &call.frame;
    let head = frame.head_of("Organization", form);
    Ok(show(status, &OrganizationTemplate { head, frame, form, read: read_fields(form), conflicts }))
}

fn values(organization: &Organization) -> Values {
    vec![
        ("name", organization.name.to_string()),
        ("contact", text(organization.contact.as_ref())),
        ("privacy_url", text(organization.privacy_url.as_ref())),
        ("sport", text(organization.sport.as_ref())),
        ("public_url", text(organization.public_url.as_ref())),
    ]
}
