//! Organizations: the owners of all other records.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::OrganizationId;
use crate::plan::Plan;
use crate::text::{EmailAddress, Name, WebAddress};

/// An organization. A token reaches only records of its own organization.
#[doc(alias = "team")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Organization {
    /// The id.
    pub id: OrganizationId,
    /// The name. It need not be unique.
    pub name: Name,
    /// The name in URLs. It is unique.
    pub slug: String,
    /// The sport, if the organization is a sports team.
    pub sport: Option<Name>,
    /// The address of the organization's own web page.
    pub public_url: Option<WebAddress>,
    /// Where volunteers reach the organization.
    pub contact: Option<EmailAddress>,
    /// The page that says how the organization handles the data of its volunteers.
    pub privacy_url: Option<WebAddress>,
    /// The plan, which sets the limits of the organization.
    pub plan: Plan,
    /// The version, from 1. Each change of the organization adds 1.
    pub version: u32,
    /// The gate, from 1: a second version. Each change that affects which webhooks receive activity adds 1.
    pub gate: u32,
    /// When the organization was created.
    pub created_at: Timestamp,
}

impl Organization {
    /// Creates the record of an organization on the free plan. The other fields are public and can be
    /// set afterwards.
    pub const fn new(id: OrganizationId, name: Name, slug: String, created_at: Timestamp) -> Self {
        Self {
            id,
            name,
            slug,
            sport: None,
            public_url: None,
            contact: None,
            privacy_url: None,
            plan: Plan::Free,
            version: 1,
            gate: 1,
            created_at,
        }
    }
}
