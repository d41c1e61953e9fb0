//! Tokens to create: typed and untyped.

use std::borrow::Cow;

use super::Given;
use super::check::{Fields, TEXT, whole};
use crate::fault::{FaultKind, FaultPath, Faults, UnknownName, ValueType};
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

/// The fields of a token to create, not checked yet.
///
/// ```
/// use signup_core::{Scope, TokenInput, from_json};
///
/// let input: TokenInput<'_> = from_json(br#"{"name": "import", "scopes": ["events:read"], "expires_in_days": 90}"#)?;
/// assert_eq!(input.check()?.scopes, [Scope::EventsRead].into());
/// let input: TokenInput<'_> = from_json(br#"{"name": "import", "scopes": ["events:all"], "expires_in_days": 366}"#)?;
/// let faults = input.check().unwrap_err();
/// let paths: Vec<_> = faults.iter().map(|fault| &fault.path).collect();
/// assert_eq!(paths, ["scopes[0]", "expires_in_days"]);
/// # Ok::<(), signup_core::Faults>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TokenInput<'a> {
    /// Required: the name, at most 255 characters.
    pub name: Given<Cow<'a, str>>,
    /// Required: the names of one or more [scopes](Scope). One that is given twice counts once.
    pub scopes: Given<Vec<Given<Cow<'a, str>>>>,
    /// The life in days, 1 to 365; 365 if omitted. Another type, such as a text, is the same fault as another number.
    pub expires_in_days: Given<f64>,
    /// The members that the input does not take, in the order of the JSON text. Each is a fault.
    pub unknown: Vec<UnknownName<'a>>,
}

impl TokenInput<'_> {
    /// Checks every field.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self) -> Result<NewToken, Faults> {
        let mut faults = Faults::new();
        let mut fields = Fields::new(&mut faults);
        let name = fields.required("name", &self.name, TEXT, |text| Name::new(text));
        let scopes = self.check_scopes(&mut fields);
        let days =
            fields.nullable("expires_in_days", &self.expires_in_days, DAYS, |&days| check_days(whole(days)));
        faults.add_unknown(&self.unknown);
        let token = name.zip(scopes).map(|(name, scopes)| NewToken::new(name, scopes));
        faults.into_result(token.map(|token| token.expires_in_days(days.unwrap_or(Token::MAX_DAYS))))
    }

    fn check_scopes(&self, fields: &mut Fields<'_>) -> Option<Scopes> {
        let given = fields.required("scopes", &self.scopes, ValueType::TextList, |given| {
            if given.is_empty() { Err(FaultKind::Required) } else { Ok(given) }
        })?;
        let scopes = given.iter().enumerate().map(|(index, given)| {
            let scope = match given {
                Given::Value(text) => text.parse::<Scope>().map_err(FaultKind::from),
                Given::Blank => "".parse::<Scope>().map_err(FaultKind::from),
                _ => Err(TEXT.into()),
            };
            fields.faults.check(FaultPath::new().field("scopes").index(index), scope)
        });
        // Every scope is checked, also after a fault.
        let scopes: Vec<_> = scopes.collect();
        scopes.into_iter().collect()
    }
}
