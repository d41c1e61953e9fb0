//! A field of an untyped input that is taken: what an omitted, null, blank or mistyped value means.
//!
//! **Invariant:** no other module decides this.

use super::Change;
use super::fields::Fields;
use crate::fault::FaultKind;

/// A field that is taken. One of its methods says what an omitted, null or blank value means, and returns the value. After a fault,
/// the value is `None`.
#[must_use]
pub(super) struct Field<'f, 'a, T> {
    pub(super) fields: &'f mut Fields<'a>,
    pub(super) name: &'static str,
    pub(super) value: Value<T>,
    pub(super) mistyped: FaultKind,
}

/// The value of a field that is taken.
pub(super) enum Value<T> {
    Omitted,
    /// Null or blank.
    Empty,
    Valid(T),
    Mistyped,
    Invalid(FaultKind),
}

impl<'f, 'a, T> Field<'f, 'a, T> {
    /// Checks a valid value further, or converts it.
    pub(super) fn check<U, E: Into<FaultKind>>(
        self,
        check: impl FnOnce(T) -> Result<U, E>,
    ) -> Field<'f, 'a, U> {
        let Self { fields, name, value, mistyped } = self;
        let value = match value {
            Value::Omitted => Value::Omitted,
            Value::Empty => Value::Empty,
            Value::Valid(value) => {
                check(value).map_or_else(|error| Value::Invalid(error.into()), Value::Valid)
            }
            Value::Mistyped => Value::Mistyped,
            Value::Invalid(fault) => Value::Invalid(fault),
        };
        Field { fields, name, value, mistyped }
    }

    /// Sets the fault of a value of another type.
    pub(super) fn mistyped_is(self, fault: impl Into<FaultKind>) -> Self {
        Self { mistyped: fault.into(), ..self }
    }

    /// A field that a record always has: null and blank are the fault of a missing value. Only a change of a record may omit it.
    pub(super) fn required(self) -> Option<T> {
        match self.value {
            Value::Omitted if !self.fields.is_change() => self.missing(),
            _ => self.kept(),
        }
    }

    /// A field that may be omitted. Null and blank are the fault of a missing value.
    pub(super) fn kept(self) -> Option<T> {
        match self.value {
            Value::Empty => self.missing(),
            _ => self.nullable(),
        }
    }

    /// A field that may be omitted, null or blank, which mean the same.
    pub(super) fn nullable(self) -> Option<T> {
        let fault = match self.value {
            Value::Valid(value) => return Some(value),
            Value::Omitted | Value::Empty => return None,
            Value::Mistyped => self.mistyped,
            Value::Invalid(fault) => fault,
        };
        self.fields.fault(self.name, fault);
        None
    }

    /// A nullable field of a change: null and blank clear it.
    pub(super) fn change(self) -> Option<Change<T>> {
        match self.value {
            Value::Omitted => None,
            _ => Some(self.nullable().into()),
        }
    }

    /// A field that may be omitted. Null and blank are values of another type.
    pub(super) fn optional(self) -> Option<T> {
        match self.value {
            Value::Empty => Self { value: Value::Mistyped, ..self }.nullable(),
            _ => self.nullable(),
        }
    }

    fn missing(self) -> Option<T> {
        self.fields.fault(self.name, FaultKind::Required);
        None
    }
}
