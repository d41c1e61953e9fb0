//! Untyped input: the members of a JSON object, or the texts of a query, borrowed from what was sent.
//!
//! Each value of a member is kept as JSON text, and parsed when a check takes the field of its name. So a value of the wrong type
//! stops no other check, and a value that no check takes is never built, however large or deep it is.
//!
//! **Invariant:** the only errors of reading are that the text is empty, not JSON, or not an object. A text with half of a
//! surrogate pair anywhere is not JSON, so no value fails to parse later.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::fault::{FaultKind, FaultPath, Faults, ValueType};
use crate::text::is_blank;

/// An untyped input: named values that are not checked yet, such as the members of the body of a request.
///
/// A typed input, such as [`NewEvent`](crate::NewEvent), is made of it by a function `from_input`, which finds every fault. If a
/// name is given twice, the last value counts. Each name that the typed input does not take is a fault, unless it is
/// [ignored](Self::ignoring).
///
/// ```
/// use signup_core::{Input, NewMessage};
///
/// let input = Input::from_json(br#"{"subject": "Bring\ngloves", "to": "all"}"#)?;
/// let faults = NewMessage::from_input(input).unwrap_err();
/// let paths: Vec<_> = faults.iter().map(|fault| &fault.path).collect();
/// assert_eq!(paths, ["subject", "text", "to"]);
/// # Ok::<(), signup_core::Faults>(())
/// ```
#[derive(Debug, Clone)]
pub struct Input<'a> {
    pub(super) members: Vec<Member<'a>>,
    /// The only names that count as known; `None`: all that the check takes.
    pub(super) only: Option<&'static [&'static str]>,
    pub(super) ignored: &'static [&'static str],
    pub(super) ignored_in_shifts: &'static [&'static str],
    pub(super) has_lengths: bool,
    pub(super) meant: Option<Meant>,
}

/// Returns the name of the known ones that an unknown one probably means.
pub(super) type Meant = fn(known: &[&'static str], name: &str) -> Option<&'static str>;

/// A member of an input.
#[derive(Debug, Clone)]
pub(super) struct Member<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) value: Untyped<'a>,
}

/// The value of a member, before it is parsed.
#[derive(Debug, Clone)]
pub(super) enum Untyped<'a> {
    /// Valid JSON.
    Json(&'a str),
    /// A text of a query.
    Text(Cow<'a, str>),
}

/// A parsed value.
#[derive(Debug)]
pub(super) enum Parsed<'a> {
    /// Omitted: an empty text of a query.
    Omitted,
    /// Null or a blank string, which mean the same in a field of any type.
    Empty,
    Text(Cow<'a, str>),
    Flag(bool),
    /// A number. One beyond the range of a double is infinite, which is out of the bounds of every field.
    Number(f64),
    /// The JSON text of a list.
    List(&'a str),
    /// The JSON text of an object.
    Object(&'a str),
}

impl<'a> Input<'a> {
    /// Reads the members of a JSON object. Takes time in proportion to the length of the text.
    ///
    /// # Errors
    /// Returns a fault of the whole input if the text is empty, not JSON, or not an object.
    pub fn from_json(json: &'a [u8]) -> Result<Self, Faults> {
        let fault = |kind: FaultKind| Faults::one(FaultPath::new(), kind);
        if json.is_empty() {
            return Err(fault(FaultKind::Required));
        }
        let text = std::str::from_utf8(json)
            .map_err(|error| fault(not_json_after(&json[..=error.valid_up_to()])))?;
        let input = Self::of_object(text).map_err(|error| {
            if error.is_data() && !text.trim_start().starts_with('{') {
                fault(ValueType::Object.into())
            } else {
                fault(FaultKind::NotJson { line: error.line(), column: error.column() })
            }
        })?;
        match half_of_a_pair(text) {
            Some(end) => Err(fault(not_json_after(&json[..end]))),
            None => Ok(input),
        }
    }

    /// Creates an input of texts by name, such as the parameters of a query string. An empty text counts as omitted.
    pub fn from_texts<T: Into<Cow<'a, str>>>(texts: impl IntoIterator<Item = (T, T)>) -> Self {
        let members = texts.into_iter().map(|(name, text)| (name.into(), Untyped::Text(text.into())));
        Self::new(members.map(|(name, value)| Member { name, value }).collect())
    }

    const fn new(members: Vec<Member<'a>>) -> Self {
        let (ignored, ignored_in_shifts) = (&[], &[]);
        Self { members, only: None, ignored, ignored_in_shifts, has_lengths: false, meant: None }
    }

    pub(super) fn of_object(json: &'a str) -> serde_json::Result<Self> {
        let Members(members) = serde_json::from_str(json)?;
        Ok(Self::new(members))
    }

    /// Ignores members of these names that the typed input does not take, and those of the elements of `shifts`. So a client can
    /// send back a record as it was read.
    #[must_use]
    pub fn ignoring(self, names: &'static [&'static str], of_shifts: &'static [&'static str]) -> Self {
        Self { ignored: names, ignored_in_shifts: of_shifts, ..self }
    }

    /// Takes only these names. Each other one is unknown, even if the typed input has a field of this name.
    #[must_use]
    pub fn only(self, names: &'static [&'static str]) -> Self {
        Self { only: Some(names), ..self }
    }

    /// Takes `each_minutes` in each element of `shifts`, as a form has it: the element makes one shift for each of these minutes
    /// from its start to its end, all with the other fields of the element. A whole number from 1 to 1440 that leaves no remainder.
    #[must_use]
    pub fn with_lengths(self) -> Self {
        Self { has_lengths: true, ..self }
    }

    /// Says in the fault of an unknown name what was probably [meant](FaultKind::Unknown), if `meant` knows it: it gets the known
    /// names, and the unknown one.
    #[must_use]
    pub fn meaning(self, meant: fn(known: &[&'static str], name: &str) -> Option<&'static str>) -> Self {
        Self { meant: Some(meant), ..self }
    }

    /// Returns the text of a parameter. `None` if it is omitted or empty.
    pub fn text(&self, name: &str) -> Option<&str> {
        let last = self.members.iter().rev().find(|member| member.name == name);
        last.and_then(|member| match &member.value {
            Untyped::Text(text) => Some(&**text).filter(|text| !text.is_empty()),
            Untyped::Json(_) => None,
        })
    }
}

/// Returns the fault of a text that stops being JSON with the last byte of `read`.
fn not_json_after(read: &[u8]) -> FaultKind {
    let mut lines = read.rsplit(|byte| *byte == b'\n');
    let column = lines.next().map_or(0, <[u8]>::len);
    FaultKind::NotJson { line: lines.count() + 1, column }
}

/// Returns the end of the first escape in valid JSON that is half of a surrogate pair.
fn half_of_a_pair(json: &str) -> Option<usize> {
    let unit = |at: usize| {
        let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut at = 0;
    // JSON has a backslash only at the start of an escape.
    while let Some(found) = json[at..].find('\\') {
        at += found;
        at += match (unit(at), unit(at + 6)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => 12,
            (Some(0xd800..0xe000), _) => return Some(at + 6),
            (Some(_), _) => 6,
            (None, _) => 2,
        };
    }
    None
}

impl<'a> Untyped<'a> {
    pub(super) fn is_string(&self) -> bool {
        matches!(self, Self::Json(json) if json.starts_with('"'))
    }

    /// Parses the value, but for the elements of a list and the members of an object.
    pub(super) fn parse(&self) -> Parsed<'a> {
        let json = match self {
            Self::Text(text) if text.is_empty() => return Parsed::Omitted,
            Self::Text(text) => return Parsed::Text(text.clone()),
            Self::Json(json) => *json,
        };
        match json.as_bytes().first() {
            Some(b'"') => match string(json) {
                text if is_blank(&text) => Parsed::Empty,
                text => Parsed::Text(text),
            },
            Some(b't' | b'f') => Parsed::Flag(json == "true"),
            Some(b'[') => Parsed::List(json),
            Some(b'{') => Parsed::Object(json),
            // Null, which is no number.
            _ => json.parse().map_or(Parsed::Empty, Parsed::Number),
        }
    }
}

/// Reads a string, borrowed where the text has no escapes.
fn string(json: &str) -> Cow<'_, str> {
    match json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(text) if !text.contains('\\') => Cow::Borrowed(text),
        // Never an error: the string is valid.
        _ => Cow::Owned(serde_json::from_str(json).unwrap_or_default()),
    }
}

/// Reads at most the first `max` elements of a list. The caller asks for one more than it accepts: the extra element shows
/// that there are too many.
pub(super) fn elements(json: &str, max: usize) -> serde_json::Result<Vec<Untyped<'_>>> {
    struct ListVisitor(usize);
    impl<'de> Visitor<'de> for ListVisitor {
        type Value = Vec<Untyped<'de>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut elements = Vec::new();
            while elements.len() < self.0 {
                let Some(element) = list.next_element::<&RawValue>()? else { return Ok(elements) };
                elements.push(Untyped::Json(element.get()));
            }
            while list.next_element::<IgnoredAny>()?.is_some() {}
            Ok(elements)
        }
    }
    serde_json::Deserializer::from_str(json).deserialize_seq(ListVisitor(max))
}

/// The members of an object. Refuses an array, which derived code would accept.
struct Members<'a>(Vec<Member<'a>>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor;
        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(Name(name)) = object.next_key()? {
                    let value = Untyped::Json(object.next_value::<&RawValue>()?.get());
                    members.push(Member { name, value });
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(ObjectVisitor)
    }
}

/// The name of a member, borrowed where the text has no escapes.
struct Name<'a>(Cow<'a, str>);

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
