//! An organization to create, and changes of one.

use super::Change;
use super::typed::changes;
use crate::plan::Plan;
use crate::text::{EmailAddress, Name, WebAddress};

/// An organization to create.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewOrganization {
    /// The name. It need not be unique.
    pub name: Name,
    /// The plan.
    pub plan: Plan,
    /// The sport, if the organization is a sports team.
    pub sport: Option<Name>,
    /// The address of the organization's own web page.
    pub public_url: Option<WebAddress>,
    /// Where volunteers reach the organization.
    pub contact: Option<EmailAddress>,
    /// The page that says how the organization handles the data of its volunteers.
    pub privacy_url: Option<WebAddress>,
}

impl NewOrganization {
    /// Creates the input for an organization on the free plan.
    pub const fn new(name: Name) -> Self {
        Self { name, plan: Plan::Free, sport: None, public_url: None, contact: None, privacy_url: None }
    }

    /// Sets the plan.
    #[must_use]
    pub fn plan(self, plan: Plan) -> Self {
        Self { plan, ..self }
    }

    /// Sets the sport.
    #[must_use]
    pub fn sport(self, sport: Name) -> Self {
        Self { sport: Some(sport), ..self }
    }

    /// Sets the address of the organization's own web page.
    #[must_use]
    pub fn public_url(self, url: WebAddress) -> Self {
        Self { public_url: Some(url), ..self }
    }

    /// Sets the address at which volunteers reach the organization.
    #[must_use]
    pub fn contact(self, address: EmailAddress) -> Self {
        Self { contact: Some(address), ..self }
    }

    /// Sets the address of the page that says how the organization handles the data of its volunteers.
    #[must_use]
    pub fn privacy_url(self, url: WebAddress) -> Self {
        Self { privacy_url: Some(url), ..self }
    }
}

/// Changes to an organization. A field that is not set stays as it is.
///
/// ```
/// use signup_core::OrganizationPatch;
///
/// let patch = OrganizationPatch::new().contact("help@riverside.example.org".parse()?).clear_sport();
/// assert!(patch.name.is_none());
/// # Ok::<(), signup_core::TextError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct OrganizationPatch {
    /// The new name. The slug stays.
    pub name: Option<Name>,
    /// The new sport, or its removal.
    pub sport: Option<Change<Name>>,
    /// The new address of the organization's own web page, or its removal.
    pub public_url: Option<Change<WebAddress>>,
    /// The new contact, or its removal.
    pub contact: Option<Change<EmailAddress>>,
    /// The new address of the page about data protection, or its removal.
    pub privacy_url: Option<Change<WebAddress>>,
}

impl OrganizationPatch {
    /// Creates a patch that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the name.
    #[must_use]
    pub fn name(self, name: Name) -> Self {
        Self { name: Some(name), ..self }
    }

    changes! {
        sport, clear_sport: Name, "the sport";
        public_url, clear_public_url: WebAddress, "the address of the organization's own web page";
        contact, clear_contact: EmailAddress, "the contact";
        privacy_url, clear_privacy_url: WebAddress, "the address of the page about data protection";
    }
}
