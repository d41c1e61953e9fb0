//! Invitations and their acceptance: typed and untyped.

use std::borrow::Cow;

use super::Given;
use super::check::{Fields, TEXT};
use crate::fault::{Faults, UnknownName};
use crate::person::Role;
use crate::text::{EmailAddress, Name, PersonName};

/// A person to invite to an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewInvitation {
    /// The address to which the link is mailed. A person who exists keeps their own spelling, and their own name.
    pub email: EmailAddress,
    /// The name.
    pub name: PersonName,
    /// The role in the organization.
    pub role: Role,
}

impl NewInvitation {
    /// Creates the input for an invitation.
    pub const fn new(email: EmailAddress, name: PersonName, role: Role) -> Self {
        Self { email, name, role }
    }
}

/// The fields of an invitation, not checked yet.
///
/// ```
/// use signup_core::InvitationInput;
///
/// let input = InvitationInput { email: "ada".into(), role: "boss".into(), ..InvitationInput::default() };
/// let faults = input.check().unwrap_err();
/// let paths: Vec<_> = faults.iter().map(|fault| &fault.path).collect();
/// assert_eq!(paths, ["email", "name", "role"]);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InvitationInput<'a> {
    /// Required: the address to which the link is mailed, at most 254 characters.
    pub email: Given<Cow<'a, str>>,
    /// Required: the name, at most 255 characters.
    pub name: Given<Cow<'a, str>>,
    /// Required: the name of a [`Role`].
    pub role: Given<Cow<'a, str>>,
    /// The members that the input does not take, in the order of the JSON text. Each is a fault.
    pub unknown: Vec<UnknownName<'a>>,
}

impl InvitationInput<'_> {
    /// Checks every field.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self) -> Result<NewInvitation, Faults> {
        let mut faults = Faults::new();
        let mut fields = Fields::new(&mut faults);
        let email = fields.required("email", &self.email, TEXT, |text| EmailAddress::new(text));
        let name = fields.required("name", &self.name, TEXT, |text| PersonName::new(text));
        let role = fields.required("role", &self.role, TEXT, |text| text.parse::<Role>());
        faults.add_unknown(&self.unknown);
        faults.into_result(email.zip(name).zip(role).map(|((email, name), role)| NewInvitation {
            email,
            name,
            role,
        }))
    }
}

/// The acceptance of an invitation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Acceptance {
    /// By the person whom the invitation names.
    Member {
        /// The name of a new person. `None` is the name in the invitation. A person who exists keeps their own.
        name: Option<PersonName>,
    },
    /// By the first owner of an organization.
    FirstOwner(FirstOwner),
}

/// The first owner of an organization, and what the owner calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstOwner {
    /// The name of the person.
    pub name: PersonName,
    /// The address of the person.
    pub email: EmailAddress,
    /// The name of the organization. Its slug follows the name this once.
    pub organization_name: Name,
    /// Where volunteers reach the organization.
    pub contact: EmailAddress,
}

/// Which fields an [`OpenInvitation`](crate::OpenInvitation) asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Asked {
    /// None: a person has the address already.
    Nothing,
    /// The name of a new person.
    Name,
    /// Every field: the first owner of an organization.
    FirstOwner,
}

/// The fields of the acceptance of an invitation, not checked yet.
///
/// ```
/// use signup_core::{AcceptanceInput, Asked};
///
/// let input = AcceptanceInput { name: "Ada Lovelace".into(), ..AcceptanceInput::default() };
/// assert!(input.check(Asked::Name).is_ok());
/// let faults = input.check(Asked::FirstOwner).unwrap_err();
/// let paths: Vec<_> = faults.iter().map(|fault| &fault.path).collect();
/// assert_eq!(paths, ["email", "organization_name", "contact"]);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AcceptanceInput<'a> {
    /// The name of the person, at most 255 characters.
    pub name: Given<Cow<'a, str>>,
    /// The address of the first owner, at most 254 characters.
    pub email: Given<Cow<'a, str>>,
    /// The name of the organization of the first owner, at most 255 characters.
    pub organization_name: Given<Cow<'a, str>>,
    /// Where volunteers reach the organization of the first owner: an address of at most 254 characters.
    pub contact: Given<Cow<'a, str>>,
    /// The members that the input does not take, in the order of the JSON text. Each is a fault.
    pub unknown: Vec<UnknownName<'a>>,
}

impl AcceptanceInput<'_> {
    /// Checks the fields that the invitation asks for. Each of them is required. Ignores the others.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self, asked: Asked) -> Result<Acceptance, Faults> {
        let mut faults = Faults::new();
        let mut fields = Fields::new(&mut faults);
        let mut name = || fields.required("name", &self.name, TEXT, |text| PersonName::new(text));
        let acceptance = match asked {
            Asked::Nothing => Some(Acceptance::Member { name: None }),
            Asked::Name => name().map(|name| Acceptance::Member { name: Some(name) }),
            Asked::FirstOwner => {
                let name = name();
                let email = fields.required("email", &self.email, TEXT, |text| EmailAddress::new(text));
                let organization_name =
                    fields
                        .required("organization_name", &self.organization_name, TEXT, |text| Name::new(text));
                let contact = fields.required("contact", &self.contact, TEXT, |text| EmailAddress::new(text));
                let person = name.zip(email);
                person.zip(organization_name.zip(contact)).map(
                    |((name, email), (organization_name, contact))| {
                        Acceptance::FirstOwner(FirstOwner { name, email, organization_name, contact })
                    },
                )
            }
        };
        faults.add_unknown(&self.unknown);
        faults.into_result(acceptance)
    }
}
