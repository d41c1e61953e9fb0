//! Invitations and their acceptance.

use super::Input;
use super::fields::Fields;
use crate::fault::Faults;
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
    /// Makes an invitation of an untyped input: `email`, `name`, and `role` with the name of a [`Role`].
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>) -> Result<Self, Faults> {
        let mut fields = Fields::new(input);
        let email = fields.text("email").required();
        let name = fields.text("name").required();
        let role = fields.text("role").required();
        fields.finish(email.zip(name).zip(role).map(|((email, name), role)| Self { email, name, role }))
    }

    /// Creates the input for an invitation.
    pub const fn new(email: EmailAddress, name: PersonName, role: Role) -> Self {
        Self { email, name, role }
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

impl Acceptance {
    /// Makes an acceptance of an untyped input. Each field that the invitation asks for is required: `name`, and from a first owner
    /// also `email`, `organization_name` and `contact`. Ignores the others of these fields.
    ///
    /// ```
    /// use signup_core::{Acceptance, Asked, Input};
    ///
    /// let input = Input::from_json(br#"{"name": "Ada Lovelace"}"#)?;
    /// assert!(Acceptance::from_input(input.clone(), Asked::Name).is_ok());
    /// let faults = Acceptance::from_input(input, Asked::FirstOwner).unwrap_err();
    /// let paths: Vec<_> = faults.iter().map(|fault| &fault.path).collect();
    /// assert_eq!(paths, ["email", "organization_name", "contact"]);
    /// # Ok::<(), signup_core::Faults>(())
    /// ```
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>, asked: Asked) -> Result<Self, Faults> {
        let mut fields = Fields::new(input);
        let acceptance = match asked {
            Asked::Nothing => Some(Self::Member { name: None }),
            Asked::Name => fields.text("name").required().map(|name| Self::Member { name: Some(name) }),
            Asked::FirstOwner => {
                let name = fields.text("name").required();
                let email = fields.text("email").required();
                let organization_name = fields.text("organization_name").required();
                let contact = fields.text("contact").required();
                let owner = name.zip(email).zip(organization_name).zip(contact);
                owner.map(|(((name, email), organization_name), contact)| {
                    Self::FirstOwner(FirstOwner { name, email, organization_name, contact })
                })
            }
        };
        for name in ["name", "email", "organization_name", "contact"] {
            fields.ignore(name);
        }
        fields.finish(acceptance)
    }
}
