//! A field of an untyped input that is taken: what an omitted, null, blank or mistyped value means.
//!
//! **Invariant:** no other module decides this.

use super::Change;
use crate::fault::{FaultKind, FaultPath, Faults};

/// A field that is taken. One of its methods says what an omitted, null or blank value means, and returns the value. After a fault,
/// the value is `None`.
#[must_use]
pub(super) struct Field<'f, T> {
    pub(super) found: &'f mut FieldFaults,
    /// Whether the input changes a record, so that each of its fields may be omitted.
    pub(super) is_change: bool,
    pub(super) name: &'static str,
    pub(super) value: Value<T>,
    pub(super) mistyped: FaultKind,
}

/// The faults of the fields of an input, or of an element of `shifts`.
#[derive(Debug)]
pub(super) struct FieldFaults {
    pub(super) all: Faults,
    /// The index of the element; `None` for the input itself.
    pub(super) shift: Option<u32>,
}

impl FieldFaults {
    pub(super) fn add(&mut self, name: &'static str, kind: impl Into<FaultKind>) {
        match self.shift {
            Some(index) => self.all.add(shift_path(index).field(name), kind),
            None => self.all.add(name, kind),
        }
    }
}

/// Returns the path of an element of `shifts`.
pub(super) fn shift_path(index: u32) -> FaultPath {
    // Never too large: a list of shifts is bounded.
    FaultPath::new().field("shifts").index(usize::try_from(index).unwrap_or(usize::MAX))
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

impl<'f, T> Field<'f, T> {
    /// Checks a valid value further, or converts it.
    pub(super) fn check<U, E: Into<FaultKind>>(self, check: impl FnOnce(T) -> Result<U, E>) -> Field<'f, U> {
        let Self { found, is_change, name, value, mistyped } = self;
        let value = match value {
            Value::Omitted => Value::Omitted,
            Value::Empty => Value::Empty,
            Value::Valid(value) => {
                check(value).map_or_else(|error| Value::Invalid(error.into()), Value::Valid)
            }
            Value::Mistyped => Value::Mistyped,
            Value::Invalid(fault) => Value::Invalid(fault),
        };
        Field { found, is_change, name, value, mistyped }
    }

    /// Sets the fault of a value of another type.
    pub(super) fn mistyped_is(self, fault: impl Into<FaultKind>) -> Self {
        Self { mistyped: fault.into(), ..self }
    }

    /// A field that a record always has: null and blank are the fault of a missing value. Only a change of a record may omit it.
    pub(super) fn required(self) -> Option<T> {
        match self.value {
            Value::Omitted if !self.is_change => self.missing(),
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
        self.found.add(self.name, fault);
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
        self.found.add(self.name, FaultKind::Required);
        None
    }
}
