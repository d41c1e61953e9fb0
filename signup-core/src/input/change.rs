//! A change of a field that may be empty, and the methods that set the fields of typed inputs.

/// A change of a field that may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change<T> {
    /// The field gets this value.
    Set(T),
    /// The field becomes empty.
    Clear,
}

impl<T> From<Option<T>> for Change<T> {
    /// Converts `None` to [`Clear`](Self::Clear).
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Clear, Self::Set)
    }
}

impl<T> Change<T> {
    /// Converts the value that the field gets.
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Change<U> {
        match self {
            Self::Set(value) => Change::Set(convert(value)),
            Self::Clear => Change::Clear,
        }
    }

    /// Returns the value after the change.
    pub fn into_value(self) -> Option<T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Clear => None,
        }
    }
}

/// Returns the value of a field of a new record.
pub(super) fn set_value<T>(change: Option<Change<T>>) -> Option<T> {
    change.and_then(Change::into_value)
}

/// The methods of a new record that set a field.
macro_rules! setters {
    ($($(#[$doc:meta])* $field:ident: $type:ty;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $field(self, $field: $type) -> Self {
            Self { $field: Some($field), ..self }
        }
    )*};
}

/// The methods of a patch that set a field, and those that remove its value.
macro_rules! changes {
    ($($field:ident, $clear:ident: $type:ty, $what:literal;)*) => {$(
        #[doc = concat!("Sets ", $what, ".")]
        #[must_use]
        pub fn $field(self, $field: $type) -> Self {
            Self { $field: Some(Change::Set($field)), ..self }
        }

        #[doc = concat!("Removes ", $what, ".")]
        #[must_use]
        pub fn $clear(self) -> Self {
            Self { $field: Some(Change::Clear), ..self }
        }
    )*};
}

pub(super) use {changes, setters};
