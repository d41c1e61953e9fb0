//! The value of one untyped field, before it is checked.

use std::borrow::Cow;

use crate::text::is_blank;

/// The value of an untyped field: omitted, null, blank, a value of its type, or a value of another type.
///
/// A program writes `"Food drive".into()`, `true.into()` or [`Given::Null`], or leaves the field to `Default`. `None`
/// is an omitted field, so that an absent value never clears a stored one.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Given<T> {
    /// The field is omitted.
    #[default]
    Omitted,
    /// The field is null.
    Null,
    /// The field holds a blank string. This variant is used for fields of every type.
    Blank,
    /// The field holds a value of its type.
    Value(T),
    /// The field holds a value of another type.
    Mistyped,
}

impl<T> Given<T> {
    /// Returns the value of a field in which omitted, null and blank mean the same.
    pub(super) fn nullable(&self) -> Result<Option<&T>, Mistyped> {
        match self {
            Self::Omitted | Self::Null | Self::Blank => Ok(None),
            Self::Value(value) => Ok(Some(value)),
            Self::Mistyped => Err(Mistyped),
        }
    }

    /// Returns the value of a field that may be omitted, but is neither null nor blank.
    pub(super) fn optional(&self) -> Result<Option<&T>, Mistyped> {
        match self {
            Self::Omitted => Ok(None),
            Self::Value(value) => Ok(Some(value)),
            Self::Null | Self::Blank | Self::Mistyped => Err(Mistyped),
        }
    }
}

/// The field holds a value of another type, or is null or blank although it takes neither.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mistyped;

impl<'a> From<&'a str> for Given<Cow<'a, str>> {
    fn from(text: &'a str) -> Self {
        if is_blank(text) { Self::Blank } else { Self::Value(Cow::Borrowed(text)) }
    }
}

impl From<String> for Given<Cow<'_, str>> {
    fn from(text: String) -> Self {
        if is_blank(&text) { Self::Blank } else { Self::Value(Cow::Owned(text)) }
    }
}

macro_rules! given_from {
    ($($type:ty),*) => {$(
        impl From<$type> for Given<$type> {
            fn from(value: $type) -> Self {
                Self::Value(value)
            }
        }
    )*};
}

given_from!(bool, f64);

impl<'a> From<super::Object<'a>> for Given<super::Object<'a>> {
    fn from(object: super::Object<'a>) -> Self {
        Self::Value(object)
    }
}

impl From<u32> for Given<f64> {
    fn from(number: u32) -> Self {
        Self::Value(number.into())
    }
}

impl<'a> From<Vec<super::ShiftInput<'a>>> for Given<Vec<Given<super::ShiftInput<'a>>>> {
    fn from(shifts: Vec<super::ShiftInput<'a>>) -> Self {
        Self::Value(shifts.into_iter().map(Given::Value).collect())
    }
}

impl<T, U> From<Option<T>> for Given<U>
where
    Self: From<T>,
{
    /// Converts `None` to an omitted field.
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Omitted, Self::from)
    }
}
