//! The JSON of organizations, which the API calls teams.

use serde::Serialize;
use signup_core::Organization;
use uuid::Uuid;

use super::Instant;

/// An organization. Only management commands show the plan.
#[derive(Debug, Serialize)]
pub(crate) struct Team<'a> {
    id: Uuid,
    name: &'a str,
    slug: &'a str,
    sport: Option<&'a str>,
    public_url: Option<&'a str>,
    created_at: Instant,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<&'static str>,
}

impl<'a> Team<'a> {
    pub(crate) fn new(organization: &'a Organization) -> Self {
        Self {
            id: organization.id.uuid(),
            name: organization.name.as_str(),
            slug: &organization.slug,
            sport: organization.sport.as_ref().map(signup_core::Name::as_str),
            public_url: organization.public_url.as_ref().map(signup_core::WebAddress::as_str),
            created_at: Instant(organization.created_at),
            plan: None,
        }
    }

    /// Returns the organization with its plan.
    pub(crate) fn with_plan(organization: &'a Organization) -> Self {
        Self { plan: Some(organization.plan.name()), ..Self::new(organization) }
    }
}
