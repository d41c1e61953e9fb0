//! The faults of an input, by field.
//!
//! A check collects every fault of an input in one pass. Faults keep the order of the fields in the documentation.

use std::fmt;

/// The faults of an input. An error holds at least one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Faults(Vec<Fault>);

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The field's path, such as `title` or `shifts.0.capacity`.
    pub field: String,
    /// A sentence that says what would be right.
    pub message: String,
}

impl Faults {
    /// Creates an empty list.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Creates a list with one fault of `field`. `predicate` ends the sentence, such as "must be a string".
    pub fn one(field: impl Into<String>, predicate: impl fmt::Display) -> Self {
        let mut faults = Self::new();
        faults.add(field, predicate);
        faults
    }

    /// Adds a fault of `field`. `predicate` ends the sentence.
    pub fn add(&mut self, field: impl Into<String>, predicate: impl fmt::Display) {
        let field = field.into();
        let message = format!("The {field} field {predicate}.");
        self.0.push(Fault { field, message });
    }

    /// Adds a fault of `field` in front of those of the fields `later`, so that faults keep the order of the documentation.
    pub(crate) fn add_before(&mut self, later: &[&str], field: &str, predicate: impl fmt::Display) {
        self.add(field, predicate);
        let at = self.0.iter().position(|fault| later.contains(&fault.field.as_str()));
        if let Some(at) = at {
            self.0[at..].rotate_right(1);
        }
    }

    /// Returns the value of a check, or adds its error as a fault of `field`.
    pub fn check<T, E: fmt::Display>(&mut self, field: &str, checked: Result<T, E>) -> Option<T> {
        checked.map_err(|error| self.add(field, error)).ok()
    }

    /// Returns the number of faults.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there is no fault.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the faults in order.
    pub fn iter(&self) -> impl Iterator<Item = &Fault> {
        self.0.iter()
    }

    /// Returns `value` if there is no fault.
    ///
    /// # Errors
    /// Returns the faults if there are any. A check without a value must have added one.
    pub fn or<T>(mut self, value: Option<T>) -> Result<T, Self> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ => {
                if self.0.is_empty() {
                    self.add("body", "could not be read");
                }
                Err(self)
            }
        }
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Self(vec![fault])
    }
}

impl fmt::Display for Faults {
    /// Prints the first message and the number of further ones.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.first().map_or("The input is not valid.", |fault| &fault.message))?;
        match self.0.len().saturating_sub(1) {
            0 => Ok(()),
            1 => f.write_str(" (and 1 more error)"),
            more => write!(f, " (and {more} more errors)"),
        }
    }
}

impl std::error::Error for Faults {}
