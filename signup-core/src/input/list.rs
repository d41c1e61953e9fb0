//! Untyped queries of a list, from a query string.

use std::borrow::Cow;

use crate::caller_key::ExternalId;
use crate::fault::{Faults, ValueType};
use crate::hours::{EventDate, TimeError};
use crate::id::{EventId, ShiftId};
use crate::signup::SignupStatus;
use crate::store::{ActivityQuery, CoverageQuery, DeliveryQuery, EventOrder, EventQuery, SignupQuery};
use crate::text::{EmailAddress, SearchText};
use crate::value_error::ValueError;

/// A query of the list of events, with the texts of a query string. An empty text counts as omitted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EventListInput<'a> {
    /// `true` or `1` for published events only, `false` or `0` for drafts only, `None` for both.
    pub is_published: Option<Cow<'a, str>>,
    /// `true` or `1` for cancelled events only, `false` or `0` for the others only, `None` for both.
    pub is_cancelled: Option<Cow<'a, str>>,
    /// The first day of the period: only events with a day on or after it.
    pub from: Option<Cow<'a, str>>,
    /// The last day of the period, not before the first: only events with a day on or before it.
    pub to: Option<Cow<'a, str>>,
    /// The id of one event in the organizer's own system. A text that cannot be one selects no event.
    pub external_id: Option<Cow<'a, str>>,
    /// `latest` or `soonest`; `None` means `latest`.
    pub order: Option<Cow<'a, str>>,
    /// The page length, in decimal digits: at least 1. `None` means [`EventQuery::DEFAULT_LIMIT`]. A
    /// number above [`EventQuery::MAX_LIMIT`] means `MAX_LIMIT`.
    pub per_page: Option<Cow<'a, str>>,
    /// A cursor of an earlier page in the same order.
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
        let is_cancelled = flag_text(&mut faults, "is_cancelled", self.is_cancelled.as_ref());
        let (from, to) = period(&mut faults, self.from.as_ref(), self.to.as_ref());
        let order = match given(self.order.as_ref()) {
            Some(text) => faults.check("order", text.parse()),
            None => Some(EventOrder::Latest),
        };
        let default = EventQuery::DEFAULT_LIMIT;
        let limit = limit(&mut faults, self.per_page.as_ref(), EventQuery::MAX_LIMIT, default);
        let position = given(self.cursor.as_ref()).and_then(|text| faults.check("cursor", text.parse()));
        let external_id =
            given(self.external_id.as_ref()).map(|text| text.parse().unwrap_or(ExternalId::NONE));
        let query = order.map(|order| EventQuery {
            is_published,
            is_cancelled,
            from,
            to,
            external_id,
            order,
            position,
            limit,
            ..EventQuery::new()
        });
        if let Some(Err(fault)) = query.as_ref().map(EventQuery::checked_position) {
            faults.add("cursor", fault);
        }
        faults.into_result(query)
    }
}

/// A query of the coverage of an organization, with the texts of a query string. An empty text counts as omitted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CoverageListInput<'a> {
    /// The first day of the period: only events with a day on or after it.
    pub from: Option<Cow<'a, str>>,
    /// The last day of the period, not before the first: only events with a day on or before it.
    pub to: Option<Cow<'a, str>>,
    /// `true` or `1` for covered events only, `false` or `0` for the others only, `None` for both.
    pub is_covered: Option<Cow<'a, str>>,
    /// The page length, in decimal digits: at least 1. `None` means [`EventQuery::DEFAULT_LIMIT`]. A number above
    /// [`CoverageQuery::MAX_LIMIT`] means `MAX_LIMIT`.
    pub per_page: Option<Cow<'a, str>>,
    /// A cursor of an earlier page.
    pub cursor: Option<Cow<'a, str>>,
}

impl CoverageListInput<'_> {
    /// Checks every field.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self) -> Result<CoverageQuery, Faults> {
        let mut faults = Faults::new();
        let (from, to) = period(&mut faults, self.from.as_ref(), self.to.as_ref());
        let is_covered = flag_text(&mut faults, "is_covered", self.is_covered.as_ref());
        let default = EventQuery::DEFAULT_LIMIT;
        let limit = limit(&mut faults, self.per_page.as_ref(), CoverageQuery::MAX_LIMIT, default);
        let position = given(self.cursor.as_ref()).and_then(|text| faults.check("cursor", text.parse()));
        faults.into_result(Some(CoverageQuery { from, to, is_covered, position, limit }))
    }
}

/// A query of the list of activity, with the texts of a query string. An empty text counts as omitted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ActivityListInput<'a> {
    /// A type of activity, such as `signup.created`, or a group, such as `signup.*`.
    pub kind: Option<Cow<'a, str>>,
    /// Only activity of this event.
    pub event: Option<EventId>,
    /// The page length, in decimal digits: at least 1. `None` means [`ActivityQuery::DEFAULT_LIMIT`]. A number above
    /// [`ActivityQuery::MAX_LIMIT`] means `MAX_LIMIT`.
    pub per_page: Option<Cow<'a, str>>,
    /// A cursor of an earlier page.
    pub cursor: Option<Cow<'a, str>>,
}

impl ActivityListInput<'_> {
    /// Checks every field.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self) -> Result<ActivityQuery, Faults> {
        let mut faults = Faults::new();
        let kind = given(self.kind.as_ref()).and_then(|text| faults.check("type", text.parse()));
        let default = ActivityQuery::DEFAULT_LIMIT;
        let limit = limit(&mut faults, self.per_page.as_ref(), ActivityQuery::MAX_LIMIT, default);
        let position = given(self.cursor.as_ref()).and_then(|text| faults.check("cursor", text.parse()));
        faults.into_result(Some(ActivityQuery { kind, event: self.event, position, limit }))
    }
}

/// A query of the list of deliveries to a webhook, with the texts of a query string. An empty text counts as omitted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeliveryListInput<'a> {
    /// `pending`, `delivered` or `failed`; `None` for all.
    pub state: Option<Cow<'a, str>>,
    /// The page length, in decimal digits: at least 1. `None` means [`DeliveryQuery::DEFAULT_LIMIT`]. A number above
    /// [`DeliveryQuery::MAX_LIMIT`] means `MAX_LIMIT`.
    pub per_page: Option<Cow<'a, str>>,
    /// A cursor of an earlier page.
    pub cursor: Option<Cow<'a, str>>,
}

impl DeliveryListInput<'_> {
    /// Checks every field.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self) -> Result<DeliveryQuery, Faults> {
        let mut faults = Faults::new();
        let status = given(self.state.as_ref()).and_then(|text| faults.check("state", text.parse()));
        let default = DeliveryQuery::DEFAULT_LIMIT;
        let limit = limit(&mut faults, self.per_page.as_ref(), DeliveryQuery::MAX_LIMIT, default);
        let position = given(self.cursor.as_ref()).and_then(|text| faults.check("cursor", text.parse()));
        faults.into_result(Some(DeliveryQuery { status, position, limit }))
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
    /// A whole address, in any spelling.
    pub email: Option<Cow<'a, str>>,
    /// A part of a name or of an address, compared without case.
    pub search: Option<Cow<'a, str>>,
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
        let search = given(self.search.as_ref()).filter(|text| !text.trim().is_empty());
        let search = search.and_then(|text| faults.check("q", SearchText::new(text)));
        let default = SignupQuery::DEFAULT_LIMIT;
        let limit = limit(&mut faults, self.per_page.as_ref(), SignupQuery::MAX_LIMIT, default);
        let position = given(self.cursor.as_ref()).and_then(|text| faults.check("cursor", text.parse()));
        faults.into_result(Some(SignupQuery {
            event: self.event,
            shift: self.shift,
            status,
            email,
            search,
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

/// Takes a period: two dates, of which the last is not before the first.
fn period(
    faults: &mut Faults,
    from: Option<&Cow<'_, str>>,
    to: Option<&Cow<'_, str>>,
) -> (Option<EventDate>, Option<EventDate>) {
    let from = given(from).and_then(|text| faults.check("from", text.parse::<EventDate>()));
    let to = given(to).and_then(|text| {
        let to = text.parse::<EventDate>();
        faults.check("to", to.and_then(|to| if from > Some(to) { Err(TimeError::DayOrder) } else { Ok(to) }))
    });
    (from, to)
}

/// Takes the length of a page.
fn limit(faults: &mut Faults, text: Option<&Cow<'_, str>>, max: u32, default: u32) -> u32 {
    given(text).and_then(|text| faults.check("per_page", per_page(text, max))).unwrap_or(default)
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
