//! Untyped input from JSON, borrowed from the text.
//!
//! Each field's value is first kept as JSON text and then parsed separately. So a value of the wrong type does not stop
//! the parse: the value becomes [`Given::Mistyped`], and the check finds the faults of all fields. The names of unknown
//! members are collected. Their values are skipped without being built, however large or deep they are. If a member is
//! given twice, the last value counts.
//!
//! **Invariant:** the only errors are that the text is empty, not JSON, or not an object.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{
    AcceptanceInput, CancellationInput, DuplicateInput, EmptyInput, EventInput, EventPatchInput, Given,
    InvitationInput, NotifyInput, Object, OrganizationInput, QuestionInput, ShiftInput, ShiftPatchInput,
    ShiftsInput, TokenInput, WebhookInput,
};
use crate::event::Event;
use crate::fault::{FaultKind, FaultPath, Faults, UnknownName, ValueType};
use crate::question::Question;
use crate::text::is_blank;
use crate::webhook::Webhook;

/// Reads an input, such as an [`EventInput`], from JSON text.
///
/// The members of the object have the names of the input's fields. If a member is given twice, the last value counts. A
/// value of a wrong type becomes a fault of its field when the input is checked. So does each member of another name,
/// unless the program removes it from the field `unknown` before.
///
/// # Errors
/// Returns a fault of the whole input if the text is empty, not JSON, or not an object.
pub fn from_json<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Result<T, Faults> {
    let fault = |kind: FaultKind| Faults::one(FaultPath::new(), kind);
    if json.is_empty() {
        return Err(fault(FaultKind::Required));
    }
    let text = std::str::from_utf8(json).map_err(|error| fault(not_utf8(&json[..error.valid_up_to()])))?;
    serde_json::from_str(text).map_err(|error| {
        if error.is_data() && !text.trim_start().starts_with('{') {
            fault(ValueType::Object.into())
        } else {
            fault(FaultKind::NotJson { line: error.line(), column: error.column() })
        }
    })
}

/// Returns the fault of a text that stops being UTF-8 after `valid`.
fn not_utf8(valid: &[u8]) -> FaultKind {
    let mut lines = valid.rsplit(|byte| *byte == b'\n');
    let column = lines.next().map_or(0, <[u8]>::len) + 1;
    FaultKind::NotJson { line: lines.count() + 1, column }
}

/// Converts each kind of JSON value to the type of a field. A method that returns `None` makes the value
/// [`Given::Mistyped`].
trait FieldType<'de>: Sized {
    fn text(_: Cow<'de, str>) -> Option<Self> {
        None
    }
    fn flag(_: bool) -> Option<Self> {
        None
    }
    /// Converts a number. A number beyond the range of a double is infinite, which is out of the bounds of every field.
    fn number(_: f64) -> Option<Self> {
        None
    }
    fn list(_: &'de str) -> serde_json::Result<Option<Self>> {
        Ok(None)
    }
    fn object(_: &'de str) -> serde_json::Result<Option<Self>> {
        Ok(None)
    }
    /// Whether a value has members of its own.
    const HAS_MEMBERS: bool = false;
    /// Takes the unknown members out of the value.
    fn take_unknown(_: &mut Given<Self>) -> Vec<UnknownName<'de>> {
        Vec::new()
    }
}

impl<'de, T: FieldType<'de>> Deserialize<'de> for Given<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = <&RawValue>::deserialize(deserializer)?.get();
        // Drops the error of `read`, whose place is relative to the field. The deserializer adds the place in the body.
        read(json).map_err(|_| D::Error::custom("a string has half of a surrogate pair"))
    }
}

/// Reads the value of a field from valid JSON. The only possible error is half of a surrogate pair in a string.
fn read<'de, T: FieldType<'de>>(json: &'de str) -> serde_json::Result<Given<T>> {
    let accepted = match json.as_bytes().first() {
        Some(b'n') => return Ok(Given::Null),
        Some(b'"') => match string(json)? {
            text if is_blank(&text) => return Ok(Given::Blank),
            text => T::text(text),
        },
        Some(b't' | b'f') => T::flag(json == "true"),
        Some(b'[') => T::list(json)?,
        Some(b'{') => T::object(json)?,
        _ => json.parse().ok().and_then(T::number),
    };
    Ok(accepted.map_or(Given::Mistyped, Given::Value))
}

/// Reads a string, borrowed where the text has no escapes.
fn string(json: &str) -> serde_json::Result<Cow<'_, str>> {
    match json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(text) if !text.contains('\\') => Ok(Cow::Borrowed(text)),
        _ => serde_json::from_str(json).map(Cow::Owned),
    }
}

impl<'de> FieldType<'de> for Cow<'de, str> {
    fn text(text: Cow<'de, str>) -> Option<Self> {
        Some(text)
    }
}

impl FieldType<'_> for bool {
    fn flag(flag: bool) -> Option<Self> {
        Some(flag)
    }
}

impl FieldType<'_> for f64 {
    fn number(number: f64) -> Option<Self> {
        Some(number)
    }
}

impl<'de> FieldType<'de> for Object<'de> {
    fn object(json: &'de str) -> serde_json::Result<Option<Self>> {
        Ok(Some(Self(json.into())))
    }
}

impl<'de> FieldType<'de> for ShiftInput<'de> {
    fn object(json: &'de str) -> serde_json::Result<Option<Self>> {
        serde_json::from_str(json).map(Some)
    }
}

impl<'de> FieldType<'de> for Vec<Given<ShiftInput<'de>>> {
    fn list(json: &'de str) -> serde_json::Result<Option<Self>> {
        bounded(json, Event::MAX_NEW_SHIFTS + 1)
    }

    const HAS_MEMBERS: bool = true;
    fn take_unknown(shifts: &mut Given<Self>) -> Vec<UnknownName<'de>> {
        let Given::Value(shifts) = shifts else { return Vec::new() };
        let mut unknown = Vec::new();
        for (index, shift) in (0..).zip(shifts) {
            let Given::Value(shift) = shift else { continue };
            unknown.extend(shift.unknown.drain(..).map(|name| UnknownName { shift: Some(index), ..name }));
        }
        unknown
    }
}

impl<'de> FieldType<'de> for Vec<Given<Cow<'de, str>>> {
    fn list(json: &'de str) -> serde_json::Result<Option<Self>> {
        // No other list of texts may be longer.
        const { assert!(Webhook::MAX_TYPES <= Question::MAX_OPTIONS) };
        bounded(json, Question::MAX_OPTIONS + 1)
    }
}

/// Reads at most the first `max` elements of a list. The caller asks for one more than it accepts: the extra element shows
/// that there are too many.
fn bounded<'de, T: Deserialize<'de>>(json: &'de str, max: usize) -> serde_json::Result<Option<Vec<T>>> {
    struct ListVisitor<T>(usize, PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
            let mut elements = Vec::new();
            while elements.len() < self.0 {
                let Some(element) = list.next_element()? else { return Ok(elements) };
                elements.push(element);
            }
            while list.next_element::<IgnoredAny>()?.is_some() {}
            Ok(elements)
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(json);
    deserializer.deserialize_seq(ListVisitor(max, PhantomData)).map(Some)
}

/// The names of the members that an input does not take, while the input is read.
#[derive(Default)]
struct UnknownMembers<'de> {
    names: Vec<UnknownName<'de>>,
    /// The number of names before the last list whose elements have members of their own.
    before_list: usize,
}

impl<'de> UnknownMembers<'de> {
    /// Notes that a field has got its value, which replaces an earlier value of the field.
    fn note<T: FieldType<'de>>(&mut self, _: &Given<T>) {
        if T::HAS_MEMBERS {
            self.before_list = self.names.len();
        }
    }

    /// Inserts the unknown members inside the final value of a field where the value was sent.
    fn insert_inner<T: FieldType<'de>>(&mut self, value: &mut Given<T>) {
        let inner = T::take_unknown(value);
        drop(self.names.splice(self.before_list..self.before_list, inner));
    }
}

/// The name of a member, borrowed where the text has no escapes.
struct Name<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;
        impl<'de> Visitor<'de> for NameVisitor {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a member")
            }

            fn visit_borrowed_str<E: serde::de::Error>(self, name: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }
        deserializer.deserialize_str(NameVisitor)
    }
}

/// An input that is read from the members of an object.
trait ReadObject<'de>: Sized {
    fn read<A: MapAccess<'de>>(object: A) -> Result<Self, A::Error>;
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: ReadObject<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<T, A::Error> {
        T::read(object)
    }
}

/// Implements `Deserialize` for inputs: a member of the object sets the field of the same name, or the field that is
/// followed by the name of the member. Refuses an array, which derived code would accept.
macro_rules! inputs {
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $name:literal) => { $name };
    ($($input:ident $(<$life:lifetime>)? { $($field:ident $(: $name:literal)?),* $(,)? })*) => {$(
        impl<'de> ReadObject<'de> for $input $(<$life>)? {
            fn read<A: MapAccess<'de>>(mut object: A) -> Result<Self, A::Error> {
                let mut input = Self::default();
                let mut unknown = UnknownMembers::default();
                while let Some(Name(name)) = object.next_key()? {
                    match &*name {
                        $(inputs!(@name $field $($name)?) => {
                            input.$field = object.next_value()?;
                            unknown.note(&input.$field);
                        })*
                        _ => {
                            let IgnoredAny = object.next_value()?;
                            unknown.names.push(UnknownName { shift: None, name });
                        }
                    }
                }
                $(unknown.insert_inner(&mut input.$field);)*
                input.unknown = unknown.names;
                Ok(input)
            }
        }

        impl<'de> Deserialize<'de> for $input $(<$life>)? {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_map(ObjectVisitor(PhantomData))
            }
        }
    )*};
}

inputs! {
    EventInput<'de> {
        title, description, location, is_virtual, location_lat, location_lng, location_data, start_date, end_date,
        timezone, is_published, theme, badge_label, external_id, shifts,
    }
    ShiftInput<'de> {
        title, description, location, day, start_time, end_time, ends_next_day, capacity, minimum, external_id,
    }
    DuplicateInput<'de> { start_date, title }
    ShiftPatchInput<'de> {
        title, description, location, day, start_time, end_time, ends_next_day, capacity, minimum, external_id,
        notify_volunteers,
    }
    EventPatchInput<'de> {
        title, description, location, is_virtual, location_lat, location_lng, location_data, start_date, end_date,
        timezone, is_published, theme, badge_label, external_id, notify_volunteers,
    }
    CancellationInput<'de> { reason, notify_volunteers }
    ShiftsInput<'de> { shifts, notify_volunteers }
    NotifyInput<'de> { notify_volunteers }
    EmptyInput<'de> {}
    QuestionInput<'de> { label, kind: "type", options, required, position, notify_volunteers }
    WebhookInput<'de> { url, description, types, is_enabled }
    InvitationInput<'de> { email, name, role }
    AcceptanceInput<'de> { name, email, organization_name, contact }
    TokenInput<'de> { name, scopes, expires_in_days }
    OrganizationInput<'de> { name, contact, privacy_url, sport, public_url }
}
