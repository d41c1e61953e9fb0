//! What callers hand in, and what is left of it once every field is right.
//!
//! An *input* holds what was given, right or wrong; [`from_json`] reads one, and programs fill one in:
//!
//! ```
//! use signup_core::{EventInput, PlanLimits, ShiftInput};
//!
//! let limits = PlanLimits { requests_per_minute: 30, active_events: 5, event_days: 7 };
//! let input = EventInput {
//!     title: "Saturday packing".into(),
//!     start_date: "2026-13-05".into(),
//!     timezone: "America/New_York".into(),
//!     shifts: vec![ShiftInput { title: "Morning".into(), ..ShiftInput::default() }].into(),
//!     ..EventInput::default()
//! };
//! let faults = input.check(limits).unwrap_err();
//! let fields: Vec<_> = faults.iter().map(|fault| fault.field.as_str()).collect();
//! assert_eq!(fields, ["start_date", "shifts.0.capacity"]);
//! ```
//!
//! The checks know the bounds of each field and of the plan, and nothing of records.

mod check;
mod given;
mod json;
mod list;
mod sign_up;

use std::borrow::Cow;

pub use check::HoursPatch;
pub use given::Given;
pub use json::from_json;
pub use list::EventListInput;
pub use sign_up::{NewSignup, SignUpInput};

use crate::event::{EventDates, Latitude, Longitude, Theme};
use crate::hours::Hours;
use crate::occupancy::Capacity;
use crate::plan::Plan;
use crate::question::QuestionKind;
use crate::text::{
    BadgeLabel, Description, EventLocation, Label, LocationData, Name, ShiftLocation, Title, WebAddress,
};
use crate::token::{Scopes, Token};

/// An object of free form, as JSON text. What the object may hold is checked with the other fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object<'a>(pub Cow<'a, str>);

impl From<serde_json::Map<String, serde_json::Value>> for Object<'_> {
    fn from(object: serde_json::Map<String, serde_json::Value>) -> Self {
        Self(serde_json::Value::Object(object).to_string().into())
    }
}

/// An event to create, as it was given. The members of the JSON form have the names of the fields.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EventInput<'a> {
    /// Required: 1 to 255 characters after trimming.
    pub title: Given<Cow<'a, str>>,
    /// At most 65,535 characters.
    pub description: Given<Cow<'a, str>>,
    /// A street address, or a URL for a virtual event: at most 2,048 characters.
    pub location: Given<Cow<'a, str>>,
    /// Whether it takes place online; false if omitted.
    pub is_virtual: Given<bool>,
    /// Degrees north: -90 to 90.
    pub location_lat: Given<f64>,
    /// Degrees east: -180 to 180.
    pub location_lng: Given<f64>,
    /// Anything else about the place: at most 16 KiB as compact JSON, and 100 levels deep.
    pub location_data: Given<Object<'a>>,
    /// Required: the first day, `YYYY-MM-DD`, from 1970-01-01 to 9998-12-31.
    pub start_date: Given<Cow<'a, str>>,
    /// The last day of an event of several days; how many is up to the plan.
    pub end_date: Given<Cow<'a, str>>,
    /// Required: the name of an IANA time zone.
    pub timezone: Given<Cow<'a, str>>,
    /// Whether to publish it at once; false if omitted.
    pub is_published: Given<bool>,
    /// The name of a [`Theme`].
    pub theme: Given<Cow<'a, str>>,
    /// At most 255 characters.
    pub badge_label: Given<Cow<'a, str>>,
    /// Its shifts: at most 500.
    #[doc(alias = "slots")]
    pub shifts: Given<Vec<Given<ShiftInput<'a>>>>,
}

/// A shift of an event to create, as it was given.
#[doc(alias = "slot")]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShiftInput<'a> {
    /// Required: 1 to 255 characters after trimming.
    pub title: Given<Cow<'a, str>>,
    /// At most 255 characters.
    pub location: Given<Cow<'a, str>>,
    /// `HH:MM` by the event's wall clock; 00:00 if omitted.
    pub start_time: Given<Cow<'a, str>>,
    /// `HH:MM` by the event's wall clock, after the start; 24:00 if omitted.
    pub end_time: Given<Cow<'a, str>>,
    /// Required: how many volunteers are needed, 1 to 1,000,000.
    pub capacity: Given<f64>,
}

impl ShiftInput<'_> {
    /// The most shifts that one event may be created with.
    pub const MAX_IN_ONE_CALL: usize = 500;
}

/// Where to copy an event to, as it was given.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DuplicateInput<'a> {
    /// Required: the copy's first day, `YYYY-MM-DD`.
    pub start_date: Given<Cow<'a, str>>,
}

/// Changes to a shift, as they were given: what is omitted stays as it is.
#[doc(alias = "slot")]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShiftPatchInput<'a> {
    /// Not null.
    pub title: Given<Cow<'a, str>>,
    /// Null or blank takes the shift's own place away.
    pub location: Given<Cow<'a, str>>,
    /// Not null.
    pub start_time: Given<Cow<'a, str>>,
    /// Not null; after the start that results.
    pub end_time: Given<Cow<'a, str>>,
    /// Not null. May be below the number already signed up: nobody is removed.
    pub capacity: Given<f64>,
    /// Whether volunteers are told of another time or place; true if omitted.
    pub notify_volunteers: Given<bool>,
}

/// An event to create, every field right.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// Its title.
    pub title: Title,
    /// What it is about.
    pub description: Option<Description>,
    /// Where it is.
    pub location: Option<EventLocation>,
    /// Whether it takes place online.
    pub is_virtual: bool,
    /// Degrees north.
    pub latitude: Option<Latitude>,
    /// Degrees east.
    pub longitude: Option<Longitude>,
    /// Whatever else is known of the place.
    pub location_data: Option<LocationData>,
    /// Its days and zone.
    pub dates: EventDates,
    /// Whether to publish it at once.
    pub is_published: bool,
    /// The colours of its page.
    pub theme: Option<Theme>,
    /// A word or two on its page.
    pub badge_label: Option<BadgeLabel>,
    /// Its shifts in the order in which they were given.
    pub shifts: Vec<NewShift>,
}

/// A shift to create, every field right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewShift {
    /// Its title.
    pub title: Title,
    /// Its own place.
    pub location: Option<ShiftLocation>,
    /// When it is.
    pub hours: Hours,
    /// How many it needs.
    pub capacity: Capacity,
}

/// Changes to a shift, every field right but for the order of the hours that result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShiftPatch {
    /// Another title.
    pub title: Option<Title>,
    /// Another place, or none any more.
    pub location: Option<Option<ShiftLocation>>,
    /// Other hours.
    pub hours: HoursPatch,
    /// Another capacity.
    pub capacity: Option<Capacity>,
    /// Whether volunteers are told.
    pub notify_volunteers: bool,
}

/// An organization to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOrganization {
    /// Its name; another may have the same.
    pub name: Name,
    /// Its plan.
    pub plan: Plan,
    /// What it plays.
    pub sport: Option<Name>,
    /// Its own web page.
    pub public_url: Option<WebAddress>,
}

/// A token to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    /// What people will call it.
    pub name: Name,
    /// What its bearer may do: at least one scope.
    pub scopes: Scopes,
    /// How long it lives: 1 to 365 days.
    pub expires_in_days: u32,
}

impl NewToken {
    /// A token with every scope and the longest life.
    pub fn with_every_scope(name: Name) -> Self {
        Self { name, scopes: Scopes::all(), expires_in_days: Token::MAX_DAYS }
    }
}

/// A question to add to an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewQuestion {
    /// What is asked.
    pub label: Label,
    /// How it is answered.
    pub kind: QuestionKind,
    /// What can be chosen: of a select at least one, of others none.
    pub options: Vec<Label>,
    /// Whether it has to be answered.
    pub required: bool,
}
