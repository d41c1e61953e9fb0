//! Corrections of sign-ups.

use super::Input;
use super::change::{FieldChange, fields_of, merge, setters};
use super::fields::Fields;
use crate::fault::Faults;
use crate::signup::Signup;
use crate::text::{EmailAddress, PersonName};

/// The name and the address that a sign-up should have had. A field without a value stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Correction {
    /// The name.
    pub name: Option<PersonName>,
    /// The address.
    pub email: Option<EmailAddress>,
    /// The values that the caller read before. See [`read`](Self::read).
    pub read: Option<Box<Self>>,
}

impl Correction {
    /// Makes a correction of an untyped input with the fields `name` and `email`. An omitted field stays as it is. No field may be
    /// null or blank.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>) -> Result<Self, Faults> {
        let mut fields = Fields::of_change(input);
        let (name, email) = (fields.text("name").required(), fields.text("email").required());
        fields.finish(Some(Self { name, email, read: None }))
    }

    /// Creates a correction that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets the name.
        name: PersonName;
        /// Sets the address.
        email: EmailAddress;
    }
}

fields_of! {
    Correction of signup: Signup {
        "name": name;
        "email": email, is_spelt_alike;
    }
}

/// Returns whether two addresses are written in the same way. Two spellings of one address are equal.
fn is_spelt_alike(one: &Option<EmailAddress>, other: &Option<EmailAddress>) -> bool {
    one.as_ref().map(EmailAddress::as_str) == other.as_ref().map(EmailAddress::as_str)
}
