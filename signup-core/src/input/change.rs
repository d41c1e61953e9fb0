//! A change of a field that may be empty, the methods that set the fields of typed inputs, and the table of the fields of a patch.

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

/// The methods of a typed input that set an optional field.
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

/// The method of an input that sends no mail.
macro_rules! without_mail {
    () => {
        /// Sends no mail to the volunteers.
        #[must_use]
        pub fn without_mail(self) -> Self {
            Self { without_mail: true, ..self }
        }
    };
}

/// A field of a patch, and the value of the record that it changes.
pub(super) trait FieldChange<V> {
    /// Returns the change to this value.
    fn of(value: &V) -> Self;
    /// Carries the change out.
    fn set(self, value: &mut V);
}

impl<V: Clone> FieldChange<V> for Option<V> {
    fn of(value: &V) -> Self {
        Some(value.clone())
    }

    fn set(self, value: &mut V) {
        if let Some(new) = self {
            *value = new;
        }
    }
}

impl<V: Clone> FieldChange<Option<V>> for Option<Change<V>> {
    fn of(value: &Option<V>) -> Self {
        Some(value.clone().into())
    }

    fn set(self, value: &mut Option<V>) {
        if let Some(new) = self {
            *value = new.into_value();
        }
    }
}

/// Removes the change of a field that the caller left as it was read. Adds the name to the conflicts if another caller has set the
/// field to a third value. A field that was not read, or whose present value is not given, has no conflict.
pub(super) fn merge<T>(
    (name, conflicts): (&'static str, &mut Vec<&'static str>),
    new: &mut Option<T>,
    (read, present): (&Option<T>, &Option<T>),
    is_same: impl Fn(&Option<T>, &Option<T>) -> bool,
) {
    if new.is_none() || read.is_none() {
        return;
    }
    if is_same(new, read) {
        *new = None;
    } else if present.is_some() && !is_same(present, read) && !is_same(present, new) {
        conflicts.push(name);
    }
}

/// The fields of a patch, with their names, and the values of them that the caller read before. The record has a field of the same
/// name for each, unless the row has its value in the record: such a field is changed by the rule. A row can end in the function
/// that compares two changes.
macro_rules! fields_of {
    (@of $record:ident $field:ident) => { FieldChange::of(&$record.$field) };
    (@of $record:ident $($field:ident).+ = $present:expr) => { $present };
    (@set $patch:ident $record:ident $field:ident) => { FieldChange::set($patch.$field, &mut $record.$field) };
    (@set $patch:ident $record:ident $($field:ident).+ = $present:expr) => {};
    (@same) => { PartialEq::eq };
    (@same $same:path) => { $same };
    ($patch:ident of $record:ident: $Record:ident {
        $($name:literal: $($field:ident).+ $(= $present:expr)? $(, $same:path)?;)*
    }) => {
        impl $patch {
            /// Sets the values that the caller read before, such as those of a form when it was loaded. Then the patch changes only
            /// the fields with another value than the one that was read. So it does not undo what others changed in between. A
            /// field that another caller has changed to a third value since is [`Error::Conflict`](crate::Error::Conflict).
            #[must_use]
            pub fn read(self, values: Self) -> Self {
                Self { read: Some(Box::new(values)), ..self }
            }

            /// Returns the patch that sets each field to its value in the record.
            pub(crate) fn present($record: &$Record) -> Self {
                let mut present = Self::new();
                $(present.$($field).+ = fields_of!(@of $record $($field).+ $(= $present)?);)*
                present
            }

            /// Returns the names of the fields that two patches set to different values.
            pub(crate) fn differences(&self, other: &Self) -> Vec<&'static str> {
                let mut names = Vec::new();
                $(if !fields_of!(@same $($same)?)(&self.$($field).+, &other.$($field).+) {
                    names.push($name);
                })*
                names
            }

            /// Returns the patch of the fields that the caller changed since their values were read. A patch without values that
            /// were read stays as it is.
            ///
            /// # Errors
            /// Returns the names of the fields that other callers have set to a third value.
            pub(crate) fn merged(mut self, record: &$Record) -> Result<Self, Vec<&'static str>> {
                let Some(read) = self.read.take() else { return Ok(self) };
                let (present, mut conflicts) = (Self::present(record), Vec::new());
                $(merge(
                    ($name, &mut conflicts),
                    &mut self.$($field).+,
                    (&read.$($field).+, &present.$($field).+),
                    fields_of!(@same $($same)?),
                );)*
                if conflicts.is_empty() { Ok(self) } else { Err(conflicts) }
            }

            /// Sets the fields of the record that the patch sets, but for those that a rule changes.
            pub(crate) fn apply(self, mut $record: $Record) -> $Record {
                let patch = self;
                $(fields_of!(@set patch $record $($field).+ $(= $present)?);)*
                $record
            }
        }
    };
}

pub(super) use {changes, fields_of, setters, without_mail};
