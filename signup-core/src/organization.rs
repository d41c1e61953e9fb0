//! Organizations: to whom everything belongs.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::id::OrganizationId;
use crate::plan::Plan;
use crate::text::{Name, WebAddress};

/// An organization. Whatever a token reaches belongs to the token's organization.
#[doc(alias = "team")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Organization {
    /// Its id.
    pub id: OrganizationId,
    /// Its name; two may have the same.
    pub name: Name,
    /// Its URL-friendly name; no two have the same.
    pub slug: String,
    /// What it plays, if it is a team of that kind.
    pub sport: Option<Name>,
    /// Its own web page.
    pub public_url: Option<WebAddress>,
    /// What it may do.
    pub plan: Plan,
    /// When it was created.
    pub created_at: Timestamp,
}
