//! Tokens to create.

use super::Input;
use super::fields::Fields;
use crate::fault::{FaultKind, Faults};
use crate::text::Name;
use crate::token::{Scope, Scopes, Token};
use crate::value_error::ValueError;

/// A token to create.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewToken {
    /// The name that tells the organization's tokens apart. It need not be unique.
    pub name: Name,
    /// The operations that the token allows: at least one scope.
    pub scopes: Scopes,
    /// The life of the token in days: 1 to 365.
    pub expires_in_days: u32,
}

impl NewToken {
    /// Creates the input for a token with the longest life: 365 days.
    pub const fn new(name: Name, scopes: Scopes) -> Self {
        Self { name, scopes, expires_in_days: Token::MAX_DAYS }
    }

    /// Sets the life in days.
    #[must_use]
    pub fn expires_in_days(self, days: u32) -> Self {
        Self { expires_in_days: days, ..self }
    }

    /// Makes a token of an untyped input: `name`, `scopes` with one or more names of [scopes](crate::Scope), and optionally
    /// `expires_in_days`.
    ///
    /// ```
    /// use signup_core::{Input, NewToken, Scope};
    ///
    /// let input = Input::from_json(br#"{"name": "import", "scopes": ["events:read"], "expires_in_days": 90}"#)?;
    /// assert_eq!(NewToken::from_input(input)?.scopes, [Scope::EventsRead].into());
    /// let input = Input::from_json(br#"{"name": "import", "scopes": ["events:all"], "expires_in_days": 366}"#)?;
    /// let faults = NewToken::from_input(input).unwrap_err();
    /// let paths: Vec<_> = faults.iter().map(|fault| &fault.path).collect();
    /// assert_eq!(paths, ["scopes[0]", "expires_in_days"]);
    /// # Ok::<(), signup_core::Faults>(())
    /// ```
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>) -> Result<Self, Faults> {
        let mut fields = Fields::new(input);
        let name = fields.text("name").required();
        let max = Scope::ALL.len();
        let is_any = |given: Vec<_>| match given.len() {
            0 => Err(FaultKind::Required),
            count if count > max => Err(FaultKind::TooMany { items: "scopes", max, present: 0 }),
            _ => Ok(given),
        };
        let given = fields.texts("scopes").check(is_any).required();
        let scopes = fields.each_text("scopes", given, Ok);
        let days = fields.whole_number("expires_in_days", DAYS, check_days).nullable();
        let token = name.map(|name| Self::new(name, scopes.into_iter().collect()));
        fields.finish(token.map(|token| token.expires_in_days(days.unwrap_or(Token::MAX_DAYS))))
    }

    /// Checks what a typed token can still have wrong.
    ///
    /// # Errors
    /// Returns a fault of `scopes` if there is none, and one of `expires_in_days` if the life is not 1 to 365 days.
    pub(crate) fn check(&self) -> Result<(), Faults> {
        let mut faults = Faults::new();
        faults.check("scopes", check_scopes(self.scopes));
        faults.check("expires_in_days", check_days(Some(self.expires_in_days)));
        faults.into_result(Some(()))
    }
}

fn check_scopes(scopes: Scopes) -> Result<Scopes, FaultKind> {
    if scopes.is_empty() { Err(FaultKind::Required) } else { Ok(scopes) }
}

const DAYS: ValueError = ValueError::WholeNumber { min: 1, max: Some(Token::MAX_DAYS) };

fn check_days(days: Option<u32>) -> Result<u32, ValueError> {
    days.filter(|days| (1..=Token::MAX_DAYS).contains(days)).ok_or(DAYS)
}
