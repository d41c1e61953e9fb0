//! Queries of a list, from the parameters of a query string.

use std::str::FromStr;

use super::Input;
use super::fields::Fields;
use crate::caller_key::ExternalId;
use crate::fault::Faults;
use crate::hours::{EventDate, TimeError};
use crate::id::{EventId, ShiftId};
use crate::signup::SignupStatus;
use crate::store::{
    ActivityQuery, CoverageQuery, DeliveryQuery, EventOrder, EventQuery, SignupQuery, VolunteerQuery,
};
use crate::value_error::ValueError;

impl EventQuery {
    /// Makes a query of parameters, which are all optional: `is_published`, `is_cancelled`, `from`, `to`, `external_id`, `order`,
    /// `per_page` and `cursor`. An `external_id` that cannot be one selects no event. A `per_page` above
    /// [`MAX_LIMIT`](Self::MAX_LIMIT) means `MAX_LIMIT`.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>) -> Result<Self, Faults> {
        let mut fields = Fields::new(input);
        let is_published = fields.flag("is_published").optional();
        let is_cancelled = fields.flag("is_cancelled").optional();
        let (from, to) = period(&mut fields);
        let external_id = id(&mut fields, "external_id", ExternalId::NONE);
        let before = fields.fault_count();
        let order = fields.text("order").nullable().unwrap_or(EventOrder::Latest);
        let is_order_known = fields.fault_count() == before;
        let limit = limit(&mut fields, Self::MAX_LIMIT).unwrap_or(Self::DEFAULT_LIMIT);
        let position = fields.text("cursor").nullable();
        let filters = Self { is_published, is_cancelled, from, to, external_id, ..Self::new() };
        let query = Self { order, position, limit, ..filters };
        if is_order_known {
            let _same_order = fields.checked("cursor", query.checked_position());
        }
        fields.finish(Some(query))
    }
}

impl CoverageQuery {
    /// Makes a query of parameters, which are all optional: `from`, `to`, `is_covered`, `per_page` and `cursor`. A `per_page` above
    /// [`MAX_LIMIT`](Self::MAX_LIMIT) means `MAX_LIMIT`.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>) -> Result<Self, Faults> {
        let mut fields = Fields::new(input);
        let (from, to) = period(&mut fields);
        let is_covered = fields.flag("is_covered").optional();
        let limit = limit(&mut fields, Self::MAX_LIMIT).unwrap_or(EventQuery::DEFAULT_LIMIT);
        let position = fields.text("cursor").nullable();
        fields.finish(Some(Self { from, to, is_covered, position, limit }))
    }
}

impl ActivityQuery {
    /// Makes a query of parameters, which are all optional: `type`, `event_id`, `per_page` and `cursor`. A malformed id selects
    /// nothing. A `per_page` above [`MAX_LIMIT`](Self::MAX_LIMIT) means `MAX_LIMIT`.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>) -> Result<Self, Faults> {
        let mut fields = Fields::new(input);
        let kind = fields.text("type").nullable();
        let event = id(&mut fields, "event_id", EventId::NONE);
        let limit = limit(&mut fields, Self::MAX_LIMIT).unwrap_or(Self::DEFAULT_LIMIT);
        let position = fields.text("cursor").nullable();
        fields.finish(Some(Self { kind, event, position, limit }))
    }
}

impl DeliveryQuery {
    /// Makes a query of parameters, which are all optional: `state`, `per_page` and `cursor`. A `per_page` above
    /// [`MAX_LIMIT`](Self::MAX_LIMIT) means `MAX_LIMIT`.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>) -> Result<Self, Faults> {
        let mut fields = Fields::new(input);
        let status = fields.text("state").nullable();
        let limit = limit(&mut fields, Self::MAX_LIMIT).unwrap_or(Self::DEFAULT_LIMIT);
        let position = fields.text("cursor").nullable();
        fields.finish(Some(Self { status, position, limit }))
    }
}

impl SignupQuery {
    /// Makes a query of parameters, which are all optional: `event_id`, `slot_id`, `status`, `email`, `q`, `per_page` and `cursor`.
    /// A malformed id selects nothing. `email` is a whole address, and `q` a part of a name or of an address. A `per_page` above
    /// [`MAX_LIMIT`](Self::MAX_LIMIT) means `MAX_LIMIT`.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>) -> Result<Self, Faults> {
        let mut fields = Fields::new(input);
        let event = id(&mut fields, "event_id", EventId::NONE);
        let shift = id(&mut fields, "slot_id", ShiftId::NONE);
        let status = fields.text::<SignupStatus>("status").nullable();
        let email = fields.text("email").nullable();
        let search = fields.words("q");
        let limit = limit(&mut fields, Self::MAX_LIMIT).unwrap_or(Self::DEFAULT_LIMIT);
        let position = fields.text("cursor").nullable();
        let filters = Self { event, shift, status, email, search, ..Self::new() };
        fields.finish(Some(Self { position, limit, ..filters }))
    }
}

impl VolunteerQuery {
    /// Makes a query of parameters, which are all optional: `email`, `q`, `per_page` and `cursor`. `email` is a whole address, and
    /// `q` the beginnings of words of a name or of an address. A `per_page` above [`MAX_LIMIT`](Self::MAX_LIMIT) means `MAX_LIMIT`.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>) -> Result<Self, Faults> {
        let mut fields = Fields::new(input);
        let email = fields.text("email").nullable();
        let search = fields.words("q");
        let limit = limit(&mut fields, Self::MAX_LIMIT).unwrap_or(Self::DEFAULT_LIMIT);
        let position = fields.text("cursor").nullable();
        fields.finish(Some(Self { email, search, position, limit, ..Self::new() }))
    }
}

/// Takes an id. Malformed text becomes `none`, which no record has.
fn id<T: FromStr>(fields: &mut Fields<'_>, name: &'static str, none: T) -> Option<T> {
    let id = fields.string(name).nullable();
    id.map(|id| id.parse().unwrap_or(none))
}

/// Takes a period: two dates, of which the last is not before the first.
fn period(fields: &mut Fields<'_>) -> (Option<EventDate>, Option<EventDate>) {
    let from = fields.text::<EventDate>("from").nullable();
    let to = fields.text("to").check(|to| if from > Some(to) { Err(TimeError::DayOrder) } else { Ok(to) });
    (from, to.nullable())
}

/// Takes the length of a page, in decimal digits: at least 1. A number above `max` means `max`.
fn limit(fields: &mut Fields<'_>, max: u32) -> Option<u32> {
    let limit = fields.string("per_page").check(|text| {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        // A number that does not fit a u32 is above the maximum, as is `u32::MAX`.
        let number = text.trim_start_matches('0').parse().unwrap_or(u32::MAX);
        if !digits || text.bytes().all(|byte| byte == b'0') {
            return Err(ValueError::WholeNumber { min: 1, max: None });
        }
        Ok(number.min(max))
    });
    limit.nullable()
}
