//! The JSON of organizations, which the API calls teams.

use serde::Serialize;
use signup_core::{EmailAddress, Name, Organization, WebAddress};
use uuid::Uuid;

use super::Instant;

/// An organization as the API shows it.
#[derive(Debug, Serialize)]
pub(crate) struct Team<'a> {
    id: Uuid,
    name: &'a str,
    slug: &'a str,
    sport: Option<&'a str>,
    public_url: Option<&'a str>,
    created_at: Instant,
}

impl<'a> Team<'a> {
    pub(crate) fn new(organization: &'a Organization) -> Self {
        Self {
            id: organization.id.uuid(),
            name: organization.name.as_str(),
            slug: &organization.slug,
            sport: organization.sport.as_ref().map(Name::as_str),
            public_url: organization.public_url.as_ref().map(WebAddress::as_str),
            created_at: Instant(organization.created_at),
        }
    }
}

/// An organization as management commands show it.
#[derive(Debug, Serialize)]
pub(crate) struct OperatorTeam<'a> {
    #[serde(flatten)]
    team: Team<'a>,
    plan: &'static str,
    contact: Option<&'a str>,
    privacy_url: Option<&'a str>,
}

impl<'a> OperatorTeam<'a> {
    pub(crate) fn new(organization: &'a Organization) -> Self {
        Self {
            team: Team::new(organization),
            plan: organization.plan.name(),
            contact: organization.contact.as_ref().map(EmailAddress::as_str),
            privacy_url: organization.privacy_url.as_ref().map(WebAddress::as_str),
        }
    }
}
