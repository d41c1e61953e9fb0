//! Untyped queries of a list, from a query string.

use std::borrow::Cow;

use crate::fault::{Faults, ValueType};
use crate::id::{EventId, ShiftId};
use crate::signup::SignupStatus;
use crate::store::{EventQuery, SignupQuery};
use crate::text::EmailAddress;
use crate::value_error::ValueError;

/// A query of the list of events, with the texts of a query string. An empty text counts as omitted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventListInput<'a> {
    /// `true` or `1` for published events only, `false` or `0` for drafts only, `None` for both.
    pub is_published: Option<Cow<'a, str>>,
    /// The page length, in decimal digits: at least 1. `None` means [`EventQuery::DEFAULT_LIMIT`]. A
    /// number above [`EventQuery::MAX_LIMIT`] means `MAX_LIMIT`.
    pub per_page: Option<Cow<'a, str>>,
    /// A cursor of an earlier page.
    pub cursor: Option<Cow<'a, str>>,
}

impl EventListInput<'_> {
    /// Checks every field.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self) -> Result<EventQuery, Faults> {
        let mut faults = Faults::new();
        let is_published = flag_text(&mut faults, "is_published", self.is_published.as_ref());
        let limit = given(self.per_page.as_ref())
            .and_then(|text| faults.check("per_page", per_page(text, EventQuery::MAX_LIMIT)));
        let position = given(self.cursor.as_ref()).and_then(|text| faults.check("cursor", text.parse()));
        let limit = limit.unwrap_or(EventQuery::DEFAULT_LIMIT);
        faults.into_result(Some(EventQuery { is_published, position, limit }))
    }
}

/// A query of a list of sign-ups, with the texts of a query string. An empty text counts as omitted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SignupListInput<'a> {
    /// Only sign-ups of this event.
    pub event: Option<EventId>,
    /// Only sign-ups for this shift.
    #[doc(alias = "slot")]
    pub shift: Option<ShiftId>,
    /// `confirmed` or `cancelled`; `None` for both.
    pub status: Option<Cow<'a, str>>,
    /// A whole address, compared without case.
    pub email: Option<Cow<'a, str>>,
    /// The page length, in decimal digits: at least 1. `None` means [`SignupQuery::DEFAULT_LIMIT`]. A number above
    /// [`SignupQuery::MAX_LIMIT`] means `MAX_LIMIT`.
    pub per_page: Option<Cow<'a, str>>,
    /// A cursor of an earlier page of any list of sign-ups.
    pub cursor: Option<Cow<'a, str>>,
}

impl SignupListInput<'_> {
    /// Checks every field.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self) -> Result<SignupQuery, Faults> {
        let mut faults = Faults::new();
        let status =
            given(self.status.as_ref()).and_then(|text| faults.check("status", text.parse::<SignupStatus>()));
        let email =
            given(self.email.as_ref()).and_then(|text| faults.check("email", EmailAddress::new(text)));
        let limit = given(self.per_page.as_ref())
            .and_then(|text| faults.check("per_page", per_page(text, SignupQuery::MAX_LIMIT)));
        let position = given(self.cursor.as_ref()).and_then(|text| faults.check("cursor", text.parse()));
        let limit = limit.unwrap_or(SignupQuery::DEFAULT_LIMIT);
        faults.into_result(Some(SignupQuery {
            event: self.event,
            shift: self.shift,
            status,
            email,
            position,
            limit,
            ..SignupQuery::new()
        }))
    }
}

/// Takes a flag of a query string: `true`, `false`, `1` or `0`.
pub(super) fn flag_text(
    faults: &mut Faults,
    field: &'static str,
    text: Option<&Cow<'_, str>>,
) -> Option<bool> {
    let flag = match given(text)? {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(ValueType::FlagText),
    };
    faults.check(field, flag)
}

fn given<'a>(text: Option<&'a Cow<'_, str>>) -> Option<&'a str> {
    text.map(|text| &**text).filter(|text| !text.is_empty())
}

fn per_page(text: &str, max: u32) -> Result<u32, ValueError> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    // A number that does not fit a u32 is above the maximum, as is `u32::MAX`.
    let number = text.trim_start_matches('0').parse().unwrap_or(u32::MAX);
    if !digits || text.bytes().all(|byte| byte == b'0') {
        return Err(ValueError::WholeNumber { min: 1, max: None });
    }
    Ok(number.min(max))
}
