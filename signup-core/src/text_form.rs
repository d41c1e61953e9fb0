//! The conversions between a value and its text, written once for all types.
//!
//! A checked type implements `FromStr` and `Display` itself. The macros implement `TryFrom<&str>`, `TryFrom<String>`,
//! `Serialize` and `Deserialize` by these two traits. So all conversions of a type accept the same texts.

use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;

use serde::Deserializer;
use serde::de::{Error, Visitor};

/// Deserializes a value from its text.
pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_str(Text(PhantomData))
}

struct Text<T>(PhantomData<T>);

impl<T: FromStr<Err: Display>> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

/// Implements `TryFrom<&str>` and `TryFrom<String>` by `FromStr`.
macro_rules! from_text {
    ($($type:ty),+ $(,)?) => {$(
        impl TryFrom<&str> for $type {
            type Error = <Self as std::str::FromStr>::Err;

            fn try_from(text: &str) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl TryFrom<String> for $type {
            type Error = <Self as std::str::FromStr>::Err;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }
    )+};
}

/// Implements `Deserialize` by `FromStr`.
macro_rules! deserialize_text {
    ($($type:ty),+ $(,)?) => {$(
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::text_form::deserialize(deserializer)
            }
        }
    )+};
}

/// Implements `Serialize` by `Display`, `Deserialize` by `FromStr`, and all of [`from_text`].
macro_rules! text_form {
    ($($type:ty),+ $(,)?) => {$(
        $crate::text_form::from_text!($type);
        $crate::text_form::deserialize_text!($type);

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )+};
}

/// Implements the names of an enum without fields: `ALL`, `name`, `FromStr`, `Display`, and all of [`text_form`].
macro_rules! names {
    ($(#[$doc:meta])* $type:ident { $($variant:ident => $name:literal,)+ }) => {
        impl $type {
            $(#[$doc])*
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The error of any other name.
            pub(crate) const NOT_ONE: $crate::value_error::ValueError =
                $crate::value_error::ValueError::NotOneOf { names: &[$($name),+] };

            /// Returns the name in JSON and in the store.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::value_error::ValueError;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                let found = Self::ALL.iter().find(|value| value.name() == name);
                found.copied().ok_or(Self::NOT_ONE)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        $crate::text_form::text_form!($type);
    };
}

pub(crate) use {deserialize_text, from_text, names, text_form};
