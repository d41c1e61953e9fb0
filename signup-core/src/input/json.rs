//! Inputs from JSON, in one pass that borrows from the text.
//!
//! A value of the wrong type does not end the reading: it becomes [`Given::Mistyped`], so that the check afterwards can
//! name every field that is wrong. Unknown members are passed over; of a member given twice the last counts. What is
//! passed over is never built up, however large or deep it is.
//!
//! **Invariant:** the only errors are that the text is not JSON, or not an object.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{DuplicateInput, EventInput, Given, Object, ShiftInput, ShiftPatchInput};
use crate::fault::{Fault, Faults};
use crate::text::is_blank;

/// Reads an input, such as an [`EventInput`], from JSON.
///
/// # Errors
/// A fault named `body` if the text is not JSON, or not an object.
pub fn from_json<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Result<T, Faults> {
    serde_json::from_slice(json).map_err(|error| {
        let message = if error.is_data() {
            "The body must be a JSON object.".to_owned()
        } else {
            format!("The body must be valid JSON ({error}).")
        };
        Faults::from(Fault { field: "body".to_owned(), message })
    })
}

/// A type that a field may have: how it is read, and that another type is no error.
trait FieldType<'de>: Sized {
    fn read<D: Deserializer<'de>>(deserializer: D) -> Result<Given<Self>, D::Error>;
}

impl<'de, T: FieldType<'de>> Deserialize<'de> for Given<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::read(deserializer)
    }
}

/// What to make of each kind of JSON value; what is not told apart is mistyped.
trait Accept<'de>: Sized {
    fn text(_: Cow<'de, str>) -> Option<Self> {
        None
    }
    fn flag(_: bool) -> Option<Self> {
        None
    }
    fn number(_: f64) -> Option<Self> {
        None
    }
    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }
    fn object<A: MapAccess<'de>>(mut object: A) -> Result<Option<Self>, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

impl<'de, T: Accept<'de>> FieldType<'de> for T {
    fn read<D: Deserializer<'de>>(deserializer: D) -> Result<Given<T>, D::Error> {
        deserializer.deserialize_any(AcceptVisitor(PhantomData))
    }
}

struct AcceptVisitor<T>(PhantomData<T>);

impl<'de, T: Accept<'de>> AcceptVisitor<T> {
    fn text(text: Cow<'de, str>) -> Given<T> {
        if is_blank(&text) { Given::Blank } else { given(T::text(text)) }
    }
}

fn given<T>(accepted: Option<T>) -> Given<T> {
    accepted.map_or(Given::Mistyped, Given::Value)
}

impl<'de, T: Accept<'de>> Visitor<'de> for AcceptVisitor<T> {
    type Value = Given<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Given<T>, E> {
        Ok(Given::Null)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Given<T>, E> {
        Ok(Self::text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Given<T>, E> {
        Ok(Self::text(Cow::Owned(text.to_owned())))
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Given<T>, E> {
        Ok(given(T::flag(flag)))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Given<T>, E> {
        Ok(given(T::number(number)))
    }

    // Beyond 2⁵³ the conversions round. No field takes numbers that large, rounded or not.
    #[expect(clippy::cast_precision_loss, reason = "see above")]
    fn visit_u64<E: Error>(self, number: u64) -> Result<Given<T>, E> {
        Ok(given(T::number(number as f64)))
    }

    #[expect(clippy::cast_precision_loss, reason = "see above")]
    fn visit_i64<E: Error>(self, number: i64) -> Result<Given<T>, E> {
        Ok(given(T::number(number as f64)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Given<T>, A::Error> {
        T::list(list).map(given)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Given<T>, A::Error> {
        T::object(object).map(given)
    }
}

impl<'de> Accept<'de> for Cow<'de, str> {
    fn text(text: Cow<'de, str>) -> Option<Self> {
        Some(text)
    }
}

impl Accept<'_> for bool {
    fn flag(flag: bool) -> Option<Self> {
        Some(flag)
    }
}

impl Accept<'_> for f64 {
    fn number(number: f64) -> Option<Self> {
        Some(number)
    }
}

impl<'de> Accept<'de> for Vec<Given<ShiftInput<'de>>> {
    fn list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        let mut items = Self::new();
        // One more than allowed is enough to know that there are too many.
        while items.len() <= ShiftInput::MAX_IN_ONE_CALL {
            let Some(item) = list.next_element()? else { return Ok(Some(items)) };
            items.push(item);
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Some(items))
    }
}

impl<'de> Deserialize<'de> for Given<Object> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Set aside as text first: one that is nested too deeply is then this field's fault and not the whole body's.
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let json = raw.get();
        Ok(match json.as_bytes().first() {
            Some(b'{') => given(serde_json::from_str(json).ok().map(Object)),
            Some(b'n') => Self::Null,
            Some(b'"') if serde_json::from_str::<String>(json).is_ok_and(|text| is_blank(&text)) => {
                Self::Blank
            }
            _ => Self::Mistyped,
        })
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

            fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Borrowed(name)))
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Name<'de>, E> {
                Ok(Name(Cow::Owned(name.to_owned())))
            }
        }
        deserializer.deserialize_str(NameVisitor)
    }
}

/// Reads an input from an object: each member that is named as a field goes there. An array is no object, though derived
/// code would take one.
macro_rules! inputs {
    ($($input:ident { $($field:ident),* $(,)? })*) => {$(
        impl<'de> $input<'de> {
            fn read<A: MapAccess<'de>>(mut object: A) -> Result<Self, A::Error> {
                let mut input = Self::default();
                while let Some(Name(name)) = object.next_key()? {
                    match &*name {
                        $(stringify!($field) => input.$field = object.next_value()?,)*
                        _ => {
                            let IgnoredAny = object.next_value()?;
                        }
                    }
                }
                Ok(input)
            }
        }

        impl<'de> Deserialize<'de> for $input<'de> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct InputVisitor;
                impl<'de> Visitor<'de> for InputVisitor {
                    type Value = $input<'de>;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("an object")
                    }

                    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<$input<'de>, A::Error> {
                        $input::read(object)
                    }
                }
                deserializer.deserialize_map(InputVisitor)
            }
        }
    )*};
}

inputs! {
    EventInput {
        title, description, location, is_virtual, location_lat, location_lng, location_data, start_date, end_date,
        timezone, is_published, theme, badge_label, shifts,
    }
    ShiftInput { title, location, start_time, end_time, capacity }
    DuplicateInput { start_date }
    ShiftPatchInput { title, location, start_time, end_time, capacity, notify_volunteers }
}

impl<'de> Accept<'de> for ShiftInput<'de> {
    fn object<A: MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
        Self::read(object).map(Some)
    }
}
