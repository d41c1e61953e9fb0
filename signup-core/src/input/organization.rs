//! An organization to create, and changes of one, typed and untyped.

use std::borrow::Cow;

use super::check::{Fields, TEXT};
use super::typed::changes;
use super::{Change, Given};
use crate::fault::{Faults, UnknownName};
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
    /// The values that the caller read before. See [`read`](Self::read).
    pub read: Option<Box<OrganizationPatch>>,
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

    /// Sets the values that the caller read before, such as those of a form when it was loaded. Then the patch changes only the
    /// fields with another value than the one that was read. So it does not undo what others changed in between. A field that
    /// another caller has changed to a third value since is [`Error::Conflict`](crate::Error::Conflict).
    #[must_use]
    pub fn read(self, values: Self) -> Self {
        Self { read: Some(Box::new(values)), ..self }
    }
}

/// The fields of a change of an organization, not checked yet. An omitted field stays as it is.
///
/// ```
/// use signup_core::{Change, OrganizationInput};
///
/// let input = OrganizationInput { name: "Riverside Pantry".into(), sport: "".into(), ..OrganizationInput::default() };
/// assert_eq!(input.check()?.sport, Some(Change::Clear));
/// let input = OrganizationInput { name: "".into(), contact: "help".into(), ..OrganizationInput::default() };
/// let faults = input.check().unwrap_err();
/// let paths: Vec<_> = faults.iter().map(|fault| &fault.path).collect();
/// assert_eq!(paths, ["name", "contact"]);
/// # Ok::<(), signup_core::Faults>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OrganizationInput<'a> {
    /// The name: 1 to 255 characters after trimming. Not null.
    pub name: Given<Cow<'a, str>>,
    /// Where volunteers reach the organization: an address of at most 254 characters. Null or blank removes it, as in each of the
    /// following fields.
    pub contact: Given<Cow<'a, str>>,
    /// The page that says how the organization handles the data of its volunteers: at most 2,048 characters.
    pub privacy_url: Given<Cow<'a, str>>,
    /// The sport: at most 255 characters.
    pub sport: Given<Cow<'a, str>>,
    /// The address of the organization's own web page: at most 2,048 characters.
    pub public_url: Given<Cow<'a, str>>,
    /// The members that the input does not take, in the order of the JSON text. Each is a fault.
    pub unknown: Vec<UnknownName<'a>>,
}

impl OrganizationInput<'_> {
    /// Checks every field.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self) -> Result<OrganizationPatch, Faults> {
        let mut faults = Faults::new();
        let mut fields = Fields::new(&mut faults);
        let name = fields.kept("name", &self.name, TEXT, |text| Name::new(text));
        let contact = fields.change("contact", &self.contact, TEXT, |text| EmailAddress::new(text));
        let privacy_url = fields.change("privacy_url", &self.privacy_url, TEXT, |text| WebAddress::new(text));
        let sport = fields.change("sport", &self.sport, TEXT, |text| Name::new(text));
        let public_url = fields.change("public_url", &self.public_url, TEXT, |text| WebAddress::new(text));
        faults.add_unknown(&self.unknown);
        faults.into_result(Some(OrganizationPatch {
            name,
            sport,
            public_url,
            contact,
            privacy_url,
            read: None,
        }))
    }
}
