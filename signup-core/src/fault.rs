//! Every fault of an input, by field.
//!
//! An input is checked in one pass that collects, so that a caller sees all that is wrong at once. Faults keep the order
//! in which they were found, which is the order of the fields in the documentation.

use std::fmt;

/// What is wrong with an input: at least one message, each for a field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Faults(Vec<Fault>);

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The field's path, such as `title` or `shifts.0.capacity`.
    pub field: String,
    /// A sentence for people that says what would be right.
    pub message: String,
}

impl Faults {
    /// None yet.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// One fault: that `field` does not do what `predicate` says, such as "must be a string".
    pub fn one(field: impl Into<String>, predicate: impl fmt::Display) -> Self {
        let mut faults = Self::new();
        faults.add(field, predicate);
        faults
    }

    /// Adds that `field` does not do what `predicate` says.
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

    /// Takes the value of a check, or adds its error as a fault of `field`.
    pub fn check<T, E: fmt::Display>(&mut self, field: &str, checked: Result<T, E>) -> Option<T> {
        checked.map_err(|error| self.add(field, error)).ok()
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The faults in the order in which they were found.
    pub fn iter(&self) -> impl Iterator<Item = &Fault> {
        self.0.iter()
    }

    /// `value` if nothing is wrong and it is there.
    ///
    /// # Errors
    /// The faults, if there are any. A check that gives no value has to have added one.
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
    /// The first message, and how many more there are.
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
