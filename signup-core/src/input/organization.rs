//! An organization to create, and changes of one.

use super::change::{FieldChange, changes, fields_of, merge, setters};
use super::fields::Fields;
use super::{Change, Input};
use crate::fault::Faults;
use crate::organization::Organization;
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

    setters! {
        /// Sets the sport.
        sport: Name;
        /// Sets the address of the organization's own web page.
        public_url: WebAddress;
        /// Sets the address at which volunteers reach the organization.
        contact: EmailAddress;
        /// Sets the address of the page that says how the organization handles the data of its volunteers.
        privacy_url: WebAddress;
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
    /// The values that the caller read before. See [`read`](Self::read).
    pub read: Option<Box<OrganizationPatch>>,
}

impl OrganizationPatch {
    /// Makes a patch of an untyped input: `name`, `contact`, `privacy_url`, `sport` and `public_url`.
    ///
    /// An omitted field stays as it is. Null and blank clear each field but the name.
    ///
    /// ```
    /// use signup_core::{Change, Input, OrganizationPatch};
    ///
    /// let input = Input::from_json(br#"{"name": "Riverside Pantry", "sport": ""}"#)?;
    /// assert_eq!(OrganizationPatch::from_input(input)?.sport, Some(Change::Clear));
    /// let input = Input::from_json(br#"{"name": "", "contact": "help"}"#)?;
    /// let faults = OrganizationPatch::from_input(input).unwrap_err();
    /// let paths: Vec<_> = faults.iter().map(|fault| &fault.path).collect();
    /// assert_eq!(paths, ["name", "contact"]);
    /// # Ok::<(), signup_core::Faults>(())
    /// ```
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>) -> Result<Self, Faults> {
        let mut fields = Fields::of_change(input);
        let mut patch = Self::new();
        patch.name = fields.text("name").required();
        patch.contact = fields.text("contact").change();
        patch.privacy_url = fields.text("privacy_url").change();
        patch.sport = fields.text("sport").change();
        patch.public_url = fields.text("public_url").change();
        fields.finish(Some(patch))
    }

    /// Creates a patch that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets the name.
        name: Name;
    }

    changes! {
        sport, clear_sport: Name, "the sport";
        public_url, clear_public_url: WebAddress, "the address of the organization's own web page";
        contact, clear_contact: EmailAddress, "the contact";
        privacy_url, clear_privacy_url: WebAddress, "the address of the page about data protection";
    }
}

fields_of! {
    OrganizationPatch of organization: Organization {
        "name": name;
        "contact": contact, has_same_spelling;
        "privacy_url": privacy_url;
        "sport": sport;
        "public_url": public_url;
    }
}

/// Returns whether two changes set the same text: spellings of one address are equal.
fn has_same_spelling(one: &Option<Change<EmailAddress>>, other: &Option<Change<EmailAddress>>) -> bool {
    let text = |change: &Option<Change<EmailAddress>>| {
        change.as_ref().map(|change| change.clone().into_value().map(|address| address.to_string()))
    };
    text(one) == text(other)
}
