//! Input of operations: untyped fields, and the typed values that they are checked into.
//!
//! Typed input ([`NewEvent`], [`ShiftPatch`], [`NewSignup`]) is made of checked values. Untyped input ([`EventInput`]) holds
//! fields that are not checked yet. [`from_json`] reads it, or a program fills it in. A check finds every fault at once:
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
mod given;
mod json;
mod list;
mod sign_up;
mod typed;

use std::borrow::Cow;

use jiff::civil::Date;

pub use checked::{CheckedEvent, CheckedPatch};
pub use given::Given;
pub use json::from_json;
pub use list::EventListInput;
pub use sign_up::{CheckedSignup, NewAnswer, NewSignup, SignUpForm, SignUpInput};
pub use typed::{Change, HoursPatch, NewEvent, NewShift, ShiftPatch};

use crate::error::Error;
use crate::fault::Faults;
use crate::hours::EventDate;
use crate::plan::Plan;
use crate::question::QuestionKind;
use crate::store::EventQuery;
use crate::text::{Label, Name, WebAddress};
use crate::token::{Scopes, Token};

/// Input of an operation: a typed value, or something that a typed value is read from.
///
/// Every typed value is an input. So is untyped input such as [`EventInput`], and what [`from_json`] returns. The operation reads
/// it after it has checked the scope, reports every fault in one error, and prefers a stored answer to that error.
///
/// A program that maps requests implements the trait for a body that is not read yet, with an error of its own. Then a
/// missing scope and a stored answer go before an unreadable body, too.
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
    /// The error of the operation: the library's, or one that includes it.
    type Error: From<Error> + Send;

    /// Reads the value.
    fn read(self) -> impl Future<Output = Result<V, Self::Error>> + Send;
}

impl<V: Send> Input<V> for V {
    type Error = Error;

    async fn read(self) -> Result<V, Error> {
        Ok(self)
    }
}

impl Input<Date> for EventDate {
    type Error = Error;

    async fn read(self) -> Result<Date, Error> {
        Ok(self.date())
    }
}

impl Input<CheckedEvent> for NewEvent {
    type Error = Error;

    async fn read(self) -> Result<CheckedEvent, Error> {
        Ok(self.into())
    }
}

impl Input<CheckedPatch> for ShiftPatch {
    type Error = Error;

    async fn read(self) -> Result<CheckedPatch, Error> {
        Ok(self.into())
    }
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
    DuplicateInput => Date: |input| Ok(input.check()?);
    ShiftPatchInput => CheckedPatch: |input| Ok(input.check_fields());
}

/// A JSON object of any members, as text. Its bounds are checked with the other fields.
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
    /// The name of a [`Theme`](crate::Theme).
    pub theme: Given<Cow<'a, str>>,
    /// At most 255 characters.
    pub badge_label: Given<Cow<'a, str>>,
    /// Its shifts: at most 500.
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
    /// Required: how many volunteers are needed, 1 to 1,000,000.
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
    /// Not null.
    pub title: Given<Cow<'a, str>>,
    /// Null or blank removes the shift's own location.
    pub location: Given<Cow<'a, str>>,
    /// Not null.
    pub start_time: Given<Cow<'a, str>>,
    /// Not null; after the resulting start.
    pub end_time: Given<Cow<'a, str>>,
    /// Not null. May be below the number of sign-ups: none is removed, and the shift becomes over-full.
    pub capacity: Given<f64>,
    /// Whether volunteers are told of another time or location; true if omitted.
    pub notify_volunteers: Given<bool>,
}

/// An organization to create.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewOrganization {
    /// Its name; another may have the same.
    pub name: Name,
    /// Its plan.
    pub plan: Plan,
    /// The sport that it plays.
    pub sport: Option<Name>,
    /// Its own web page.
    pub public_url: Option<WebAddress>,
}

impl NewOrganization {
    /// An organization on the free plan.
    pub const fn new(name: Name) -> Self {
        Self { name, plan: Plan::Free, sport: None, public_url: None }
    }

    /// Sets the plan.
    #[must_use]
    pub fn plan(self, plan: Plan) -> Self {
        Self { plan, ..self }
    }

    /// Sets the sport that it plays.
    #[must_use]
    pub fn sport(self, sport: Name) -> Self {
        Self { sport: Some(sport), ..self }
    }

    /// Sets the address of its own web page.
    #[must_use]
    pub fn public_url(self, url: WebAddress) -> Self {
        Self { public_url: Some(url), ..self }
    }
}

/// A token to create.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewToken {
    /// A label for people.
    pub name: Name,
    /// What its bearer may do: at least one scope.
    pub scopes: Scopes,
    /// Its lifetime in days: 1 to 365.
    pub expires_in_days: u32,
}

impl NewToken {
    /// A token with the longest lifetime: 365 days.
    pub const fn new(name: Name, scopes: Scopes) -> Self {
        Self { name, scopes, expires_in_days: Token::MAX_DAYS }
    }

    /// Sets the lifetime in days.
    #[must_use]
    pub fn expires_in_days(self, days: u32) -> Self {
        Self { expires_in_days: days, ..self }
    }
}

/// A question to add to an event.
///
/// ```
/// use signup_core::{NewQuestion, QuestionKind};
///
/// let size = NewQuestion::new("T-shirt size".parse()?, QuestionKind::Select)
///     .option("S".parse()?)
///     .option("L".parse()?)
///     .required();
/// assert_eq!(size.options.len(), 2);
/// # Ok::<(), signup_core::text::TextError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
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

impl NewQuestion {
    /// Creates a question without options that need not be answered.
    pub const fn new(label: Label, kind: QuestionKind) -> Self {
        Self { label, kind, options: Vec::new(), required: false }
    }

    /// Adds an option. Only a [`QuestionKind::Select`] has options.
    #[must_use]
    pub fn option(mut self, option: Label) -> Self {
        self.options.push(option);
        self
    }

    /// Makes an answer required.
    #[must_use]
    pub fn required(self) -> Self {
        Self { required: true, ..self }
    }
}
