//! Input of operations: typed values, and untyped fields that a check converts into typed values.
//!
//! Typed input ([`NewEvent`], [`ShiftPatch`], [`NewSignup`]) is made of checked values. Untyped input ([`EventInput`])
//! holds fields that are not checked yet. [`from_json`] reads it, or a program fills it in. A check finds every fault
//! at once:
//!
//! ```
//! use signup_core::{EventInput, ShiftInput};
//!
//! let input = EventInput {
//!     title: "Saturday packing".into(),
//!     start_date: "2026-13-05".into(),
//!     timezone: "America/New_York".into(),
//!     shifts: vec![ShiftInput { title: "Morning".into(), ..ShiftInput::default() }].into(),
//!     ..EventInput::default()
//! };
//! let faults = input.check().unwrap_err();
//! let paths: Vec<_> = faults.iter().map(|fault| &fault.path).collect();
//! assert_eq!(paths, ["start_date", "shifts[0].capacity"]);
//! ```
//!
//! A check knows the bounds of each field. It knows no plan and reads no record. The check of a [`SignUpForm`] gets the
//! questions of the event as an argument.

mod check;
mod checked;
mod event_patch;
mod given;
mod json;
mod list;
mod questions;
mod shift_set;
mod sign_up;
mod typed;

use std::borrow::Cow;

use jiff::civil::Date;

pub use checked::{CheckedEvent, CheckedPatch};
pub(crate) use event_patch::DatesPatch;
pub use event_patch::{CancelEvent, CancelEventInput, CheckedEventPatch, EventPatch, EventPatchInput};
pub use given::Given;
pub use json::from_json;
pub use list::{EventListInput, SignupListInput};
pub(crate) use questions::check_options;
pub use questions::{CheckedQuestion, CheckedQuestionPatch, NewQuestion, QuestionInput, QuestionPatch};
pub use shift_set::{CheckedShifts, DeleteShift, DeleteShiftInput, ShiftsInput};
pub use sign_up::{CheckedSignup, NewAnswer, NewSignup, SignUpForm, SignUpInput};
pub use typed::{Change, HoursPatch, NewEvent, NewShift, ShiftPatch};

use crate::error::Error;
use crate::fault::Faults;
use crate::hours::EventDate;
use crate::plan::Plan;
use crate::store::{EventQuery, SignupQuery};
use crate::text::{Name, WebAddress};
use crate::token::{Scopes, Token};

/// Input of an operation: a typed value, or untyped input from which the operation reads a typed value.
///
/// Untyped input is a type such as [`EventInput`], or the result of [`from_json`]. The operation checks its scope
/// first, and then reads the input. One error has every fault of the input. If the idempotency key has a stored
/// outcome, the operation returns the outcome instead of the error.
///
/// A server can implement the trait for a request body that it has not read yet, with an error type of its own. Then an
/// unreadable body is an error only if the scope is allowed and no outcome is stored.
///
/// ```
/// # use signup_core::{EventInput, NewOrganization, Scopes, Service, from_json};
/// # use signup_store_memory::MemoryStore;
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// # let service = Service::new(MemoryStore::new());
/// # let organization = service.admin().create_organization(NewOrganization::new("A".parse()?)).await?;
/// # let session = service.session_for(organization.id, Scopes::all()).await?;
/// let json = br#"{"title": "Food drive", "start_date": "2027-06-05", "timezone": "America/New_York"}"#;
/// let created = session.create_event(from_json::<EventInput<'_>>(json)).await?.outcome;
/// assert_eq!(created.event.title.as_str(), "Food drive");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no input from which `{V}` is read",
    note = "give the typed value, untyped input such as `EventInput`, or what `from_json` returns"
)]
pub trait Input<V>: Send {
    /// The error of the operation: [`Error`], or a type of the program that [`Error`] converts into.
    type Error: From<Error> + Send;

    /// Reads the value.
    ///
    /// # Errors
    /// Returns every fault of the input, or the reason why the input cannot be read.
    fn read(self) -> impl Future<Output = Result<V, Self::Error>> + Send;
}

impl<V: Send> Input<V> for V {
    type Error = Error;

    async fn read(self) -> Result<V, Error> {
        Ok(self)
    }
}

impl Input<EventDate> for Date {
    type Error = Error;

    async fn read(self) -> Result<EventDate, Error> {
        EventDate::try_from(self).map_err(|error| Faults::one("start_date", error).into())
    }
}

/// Implements [`Input`] for typed values that are checked only in part.
macro_rules! typed {
    ($($input:ty => $value:ty;)*) => {$(
        impl Input<$value> for $input {
            type Error = Error;

            async fn read(self) -> Result<$value, Error> {
                Ok(self.into())
            }
        }
    )*};
}

typed! {
    NewEvent => CheckedEvent;
    ShiftPatch => CheckedPatch;
    EventPatch => CheckedEventPatch;
    Vec<NewShift> => CheckedShifts;
    NewQuestion => CheckedQuestion;
    QuestionPatch => CheckedQuestionPatch;
}

/// Implements [`Input`] for untyped input by value, by reference, and as the result of reading it.
macro_rules! untyped {
    ($($input:ident => $value:ty: |$given:ident| $check:expr;)*) => {$(
        impl Input<$value> for &$input<'_> {
            type Error = Error;

            async fn read(self) -> Result<$value, Error> {
                let $given = self;
                $check
            }
        }

        impl Input<$value> for $input<'_> {
            type Error = Error;

            async fn read(self) -> Result<$value, Error> {
                <&Self as Input<$value>>::read(&self).await
            }
        }

        impl Input<$value> for Result<$input<'_>, Faults> {
            type Error = Error;

            async fn read(self) -> Result<$value, Error> {
                <$input<'_> as Input<$value>>::read(self?).await
            }
        }
    )*};
}

untyped! {
    EventInput => CheckedEvent: |input| Ok(input.check_fields());
    EventListInput => EventQuery: |input| Ok(input.check()?);
    DuplicateInput => EventDate: |input| Ok(input.check()?);
    ShiftPatchInput => CheckedPatch: |input| Ok(input.check_fields());
    EventPatchInput => CheckedEventPatch: |input| Ok(input.check_fields());
    CancelEventInput => CancelEvent: |input| Ok(input.check()?);
    ShiftsInput => CheckedShifts: |input| Ok(input.check_fields());
    DeleteShiftInput => DeleteShift: |input| Ok(input.check()?);
    SignupListInput => SignupQuery: |input| Ok(input.check()?);
    QuestionInput => CheckedQuestion: |input| Ok(input.check_new());
    QuestionInput => CheckedQuestionPatch: |input| Ok(input.check_patch());
}

/// A JSON object of any members, as text. Not checked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object<'a>(pub Cow<'a, str>);

impl From<serde_json::Map<String, serde_json::Value>> for Object<'_> {
    fn from(object: serde_json::Map<String, serde_json::Value>) -> Self {
        Self(serde_json::Value::Object(object).to_string().into())
    }
}

/// An untyped event to create. The members of the JSON form have the names of the fields.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EventInput<'a> {
    /// Required: 1 to 255 characters after trimming.
    pub title: Given<Cow<'a, str>>,
    /// At most 65,535 characters.
    pub description: Given<Cow<'a, str>>,
    /// A street address, or a URL for a virtual event: at most 2,048 characters.
    pub location: Given<Cow<'a, str>>,
    /// Whether the event takes place online; false if omitted.
    pub is_virtual: Given<bool>,
    /// Degrees north of the equator: -90 to 90.
    pub location_lat: Given<f64>,
    /// Degrees east of Greenwich: -180 to 180.
    pub location_lng: Given<f64>,
    /// Data about the place: at most 16 KiB as compact JSON, and at most 100 levels deep.
    pub location_data: Given<Object<'a>>,
    /// Required: the first day, `YYYY-MM-DD`, from 1970-01-01 to 9998-12-31.
    pub start_date: Given<Cow<'a, str>>,
    /// The last day, `YYYY-MM-DD`, not before the first. An event without it has one day. The plan limits the number of
    /// days.
    pub end_date: Given<Cow<'a, str>>,
    /// Required: the name of an IANA time zone.
    pub timezone: Given<Cow<'a, str>>,
    /// Whether the event is published when it is created; false if omitted.
    pub is_published: Given<bool>,
    /// The name of a [`Theme`](crate::Theme).
    pub theme: Given<Cow<'a, str>>,
    /// At most 255 characters.
    pub badge_label: Given<Cow<'a, str>>,
    /// The shifts: at most 500.
    #[doc(alias = "slots")]
    pub shifts: Given<Vec<Given<ShiftInput<'a>>>>,
}

/// An untyped shift of an event to create.
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
    /// Required: the number of volunteers needed, 1 to 1,000,000.
    pub capacity: Given<f64>,
}

/// The untyped input of a duplicate.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DuplicateInput<'a> {
    /// Required: the copy's first day, `YYYY-MM-DD`.
    pub start_date: Given<Cow<'a, str>>,
}

/// Untyped changes to a shift. An omitted field stays as it is.
#[doc(alias = "slot")]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShiftPatchInput<'a> {
    /// The new title: 1 to 255 characters after trimming. Not null.
    pub title: Given<Cow<'a, str>>,
    /// The new location: at most 255 characters. Null or blank removes the shift's own location.
    pub location: Given<Cow<'a, str>>,
    /// The new start, `HH:MM`. Not null.
    pub start_time: Given<Cow<'a, str>>,
    /// The new end, `HH:MM`, after the resulting start. Not null.
    pub end_time: Given<Cow<'a, str>>,
    /// The new capacity: 1 to 1,000,000. Not null. A capacity below the number of sign-ups removes none of them: the
    /// shift becomes over-full.
    pub capacity: Given<f64>,
    /// Whether volunteers get a mail if the time or the location changes; true if omitted.
    pub notify_volunteers: Given<bool>,
}

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
}

impl NewOrganization {
    /// Creates the input for an organization on the free plan.
    pub const fn new(name: Name) -> Self {
        Self { name, plan: Plan::Free, sport: None, public_url: None }
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
}

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
}
