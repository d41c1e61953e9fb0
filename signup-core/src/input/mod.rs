//! Input of operations: typed values, and untyped fields that a check converts into typed values.
//!
//! Typed input, such as [`NewEvent`], is made of checked values. Untyped input, such as [`EventInput`], holds fields that are
//! not checked yet. A check reads no record.

mod check;
mod event_patch;
mod given;
mod json;
mod list;
mod message;
mod organization;
mod person;
mod questions;
mod shift_set;
mod sign_up;
mod token;
mod typed;
mod webhook;

use std::borrow::Cow;

pub(crate) use check::{
    check_added_shifts, check_day, check_external_ids, check_last_day, check_shift_count, check_shift_days,
};
pub use event_patch::{Cancellation, CancellationInput, EventPatch, EventPatchInput};
pub use given::Given;
pub use json::from_json;
pub use list::{ActivityListInput, CoverageListInput, DeliveryListInput, EventListInput, SignupListInput};
pub use message::{MessageInput, NewMessage};
pub use organization::{NewOrganization, OrganizationInput, OrganizationPatch};
pub use person::{Acceptance, AcceptanceInput, Asked, FirstOwner, InvitationInput, NewInvitation};
pub use questions::{NewQuestion, QuestionInput, QuestionPatch};
pub(crate) use questions::{check_new_question, check_options, check_question_patch};
pub use shift_set::{DeleteShift, DeleteShiftInput, ShiftsInput};
pub use sign_up::{NewAnswer, NewSignup, SignUpInput};
pub use token::{NewToken, TokenInput};
pub use typed::{Change, DuplicateEvent, HoursPatch, NewEvent, NewShift, ShiftPatch};
pub(crate) use webhook::check_webhook;
pub use webhook::{NewWebhook, WebhookInput, WebhookPatch};

use crate::fault::UnknownName;

/// A JSON object of any members, as text. Not checked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object<'a>(pub Cow<'a, str>);

impl From<serde_json::Map<String, serde_json::Value>> for Object<'_> {
    fn from(object: serde_json::Map<String, serde_json::Value>) -> Self {
        Self(serde_json::Value::Object(object).to_string().into())
    }
}

/// An untyped event to create. [`from_json`] reads it, or a program fills it in. The members of the JSON form have the names
/// of the fields.
///
/// ```
/// use signup_core::{EventInput, PlanTable, ShiftInput};
///
/// let input = EventInput {
///     title: "Saturday packing".into(),
///     start_date: "2026-13-05".into(),
///     timezone: "America/New_York".into(),
///     shifts: vec![ShiftInput { title: "Morning".into(), ..ShiftInput::default() }].into(),
///     ..EventInput::default()
/// };
/// let faults = input.check(PlanTable::default().free).unwrap_err();
/// let paths: Vec<_> = faults.iter().map(|fault| &fault.path).collect();
/// assert_eq!(paths, ["start_date", "shifts[0].capacity"]);
/// ```
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
    /// The id in the organizer's own system: 1 to 255 visible ASCII characters.
    pub external_id: Given<Cow<'a, str>>,
    /// The shifts: at most 500.
    #[doc(alias = "slots")]
    pub shifts: Given<Vec<Given<ShiftInput<'a>>>>,
    /// The members that the input does not take, in the order of the JSON text. Each is a fault.
    pub unknown: Vec<UnknownName<'a>>,
}

/// An untyped shift of an event to create.
#[doc(alias = "slot")]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShiftInput<'a> {
    /// Required: 1 to 255 characters after trimming.
    pub title: Given<Cow<'a, str>>,
    /// At most 2,000 characters.
    pub description: Given<Cow<'a, str>>,
    /// At most 255 characters.
    pub location: Given<Cow<'a, str>>,
    /// The number of the day of the event, from 1; 1 if omitted. Not null.
    pub day: Given<f64>,
    /// `HH:MM` by the event's wall clock; 00:00 if omitted.
    pub start_time: Given<Cow<'a, str>>,
    /// `HH:MM` by the event's wall clock, after the start; 24:00 if omitted. A time of the next day, at the start's time of
    /// day or before, if `ends_next_day`. Then required.
    pub end_time: Given<Cow<'a, str>>,
    /// Whether the end is on the next day; false if omitted. Not null.
    pub ends_next_day: Given<bool>,
    /// Required: the number of volunteers needed, 0 to 1,000,000. Another type, such as a text, is the same fault as another
    /// number: [`ValueError::WholeNumber`](crate::ValueError::WholeNumber).
    pub capacity: Given<f64>,
    /// How many volunteers the shift needs to run at all: 1 to 1,000,000.
    pub minimum: Given<f64>,
    /// The id in the organizer's own system: 1 to 255 visible ASCII characters, given to one shift of the input only.
    pub external_id: Given<Cow<'a, str>>,
    /// Makes several shifts of the input: one for each of these minutes from the start to the end, all with its title,
    /// description, location, capacity and minimum. A whole number from 1 to 1440 that leaves no remainder. One shift if
    /// omitted. A form has this field; the JSON form has no such member.
    pub each_minutes: Given<f64>,
    /// The members that the input does not take, in the order of the JSON text. Each is a fault.
    pub unknown: Vec<UnknownName<'a>>,
}

/// The untyped input of a duplicate.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DuplicateInput<'a> {
    /// Required: the copy's first day, `YYYY-MM-DD`.
    pub start_date: Given<Cow<'a, str>>,
    /// The copy's title: 1 to 255 characters after trimming. If omitted, the title of the source.
    pub title: Given<Cow<'a, str>>,
    /// The members that the input does not take, in the order of the JSON text. Each is a fault.
    pub unknown: Vec<UnknownName<'a>>,
}

/// The untyped input of a write that sends no mail and needs no input, such as a publication.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NotifyInput<'a> {
    /// Taken in every write, without an effect here: no mail is sent.
    pub notify_volunteers: Given<bool>,
    /// The members that the input does not take, in the order of the JSON text. Each is a fault.
    pub unknown: Vec<UnknownName<'a>>,
}

/// The untyped body of a write that takes no field, such as a deletion.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EmptyInput<'a> {
    /// The members that the input does not take, in the order of the JSON text. Each is a fault.
    pub unknown: Vec<UnknownName<'a>>,
}

/// Untyped changes to a shift. An omitted field stays as it is.
#[doc(alias = "slot")]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShiftPatchInput<'a> {
    /// The new title: 1 to 255 characters after trimming. Not null.
    pub title: Given<Cow<'a, str>>,
    /// The new description: at most 2,000 characters. Null or blank removes the description.
    pub description: Given<Cow<'a, str>>,
    /// The new location: at most 255 characters. Null or blank removes the shift's own location.
    pub location: Given<Cow<'a, str>>,
    /// The new number of the day of the event, from 1. Not null.
    pub day: Given<f64>,
    /// The new start, `HH:MM`. Not null.
    pub start_time: Given<Cow<'a, str>>,
    /// The new end, `HH:MM`: 24:00, or a time that fits the resulting start and day. Not null.
    pub end_time: Given<Cow<'a, str>>,
    /// Whether the new end is on the next day. Not null.
    pub ends_next_day: Given<bool>,
    /// The new capacity: 0 to 1,000,000. Not null. A capacity below the number of sign-ups removes none of them: the
    /// shift becomes over-full. Another type, such as a text, is the same fault as another number:
    /// [`ValueError::WholeNumber`](crate::ValueError::WholeNumber).
    pub capacity: Given<f64>,
    /// The new minimum: 1 to 1,000,000. Null removes the minimum.
    pub minimum: Given<f64>,
    /// The new id in the organizer's own system: 1 to 255 visible ASCII characters. Null or blank removes it.
    pub external_id: Given<Cow<'a, str>>,
    /// Whether volunteers get a mail if the time or the location changes; true if omitted.
    pub notify_volunteers: Given<bool>,
    /// The members that the input does not take, in the order of the JSON text. Each is a fault.
    pub unknown: Vec<UnknownName<'a>>,
}
