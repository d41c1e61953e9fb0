//! Faults of an input as data: where each fault is, and what is wrong there.
//!
//! **Invariant:** this module and its errors contain no wording of an API. The program that shows a fault to its users
//! has its own wording.

mod kind;
mod path;

use std::collections::HashSet;
use std::fmt;

pub use kind::{FaultKind, ValueType};
pub use path::{FaultPath, PathStep};

/// One fault of an input.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Fault {
    /// Where the fault is.
    pub path: FaultPath,
    /// What is wrong.
    pub kind: FaultKind,
}

impl Fault {
    /// Creates a fault.
    pub fn new(path: impl Into<FaultPath>, kind: impl Into<FaultKind>) -> Self {
        Self { path: path.into(), kind: kind.into() }
    }
}

impl fmt::Display for Fault {
    /// Prints a sentence without a full stop: "`shifts[0].title` must not be empty".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_whole_input() {
            write!(f, "the input {}", self.kind)
        } else {
            write!(f, "`{}` {}", self.path, self.kind)
        }
    }
}

impl std::error::Error for Fault {}

/// The faults of an input, which a check collects in one pass. An error holds at least one fault.
///
/// Faults have the order in which the input declares its fields.
/// [`Display`](fmt::Display) prints a plain sentence. A program with its own words reads the [path](FaultPath) and the
/// [kind](FaultKind):
///
/// ```
/// use signup_core::{EventInput, FaultKind, PathStep, PlanTable, TextError, ValueError, from_json};
///
/// let json = br#"{"title": "Food drive", "start_date": "2027-06-05", "timezone": "UTC",
///     "shifts": [{"title": "a\u0000b", "capacity": 0}]}"#;
/// let input = from_json::<EventInput<'_>>(json)?;
/// let faults = input.check(PlanTable::default().free).unwrap_err();
/// let [title, capacity] = &*faults.iter().collect::<Vec<_>>() else { panic!("two faults") };
///
/// assert_eq!(title.path.steps(), [PathStep::Field("shifts"), PathStep::Index(0), PathStep::Field("title")]);
/// assert_eq!(title.kind, FaultKind::Text(TextError::Control { character: '\0' }));
/// assert_eq!(capacity.path, "shifts[0].capacity");
/// assert_eq!(capacity.kind, ValueError::WholeNumber { min: 1, max: Some(1_000_000) }.into());
/// assert_eq!(capacity.to_string(), "`shifts[0].capacity` must be a whole number from 1 to 1000000");
/// # Ok::<(), signup_core::Faults>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// Creates an empty list.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Creates a list with one fault.
    pub fn one(path: impl Into<FaultPath>, kind: impl Into<FaultKind>) -> Self {
        Self(vec![Fault::new(path, kind)])
    }

    /// Adds a fault at the end.
    pub fn add(&mut self, path: impl Into<FaultPath>, kind: impl Into<FaultKind>) {
        self.0.push(Fault::new(path, kind));
    }

    /// Adds a fault of the kind [`Unknown`](FaultKind::Unknown) for each path that is not unknown already.
    pub fn add_unknown(&mut self, paths: impl IntoIterator<Item = FaultPath>) {
        self.extend(paths.into_iter().map(|path| Fault::new(path, FaultKind::Unknown)));
    }

    /// Says for each unknown name what the caller probably meant, if `meant` knows it. The fault becomes one of the kind
    /// [`Misnamed`](FaultKind::Misnamed).
    #[must_use]
    pub fn with_meant(mut self, meant: impl Fn(&FaultPath) -> Option<&'static str>) -> Self {
        for Fault { path, kind } in &mut self.0 {
            if *kind == FaultKind::Unknown
                && let Some(meant) = meant(path)
            {
                *kind = FaultKind::Misnamed { meant };
            }
        }
        self
    }

    /// Returns the value of a check. If the check failed, adds its error as a fault at `path` and returns `None`.
    pub fn check<T, E: Into<FaultKind>>(
        &mut self,
        path: impl Into<FaultPath>,
        checked: Result<T, E>,
    ) -> Option<T> {
        checked.map_err(|error| self.add(path, error)).ok()
    }

    /// Returns the number of faults.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there is no fault.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the faults in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Fault> {
        self.0.iter()
    }

    /// Returns `value` if there is no fault.
    ///
    /// # Errors
    /// Returns the faults if there are any. If there is neither a value nor a fault, the whole input is
    /// [required](FaultKind::Required).
    pub fn into_result<T>(self, value: Option<T>) -> Result<T, Self> {
        match value {
            Some(value) if self.0.is_empty() => Ok(value),
            _ if self.0.is_empty() => Err(Self::one(FaultPath::new(), FaultKind::Required)),
            _ => Err(self),
        }
    }
}

impl Extend<Fault> for Faults {
    /// Adds faults at the end. A name that is unknown twice is one fault: the first one.
    ///
    /// The time is linear in the number of faults, because an input can have as many as a request has room for.
    fn extend<I: IntoIterator<Item = Fault>>(&mut self, faults: I) {
        let more: Vec<Fault> = faults.into_iter().collect();
        let unknown = self.0.iter().filter(|fault| fault.kind.is_unknown_name());
        let mut known: HashSet<_> = unknown.map(|fault| &fault.path).collect();
        let are_new: Vec<_> =
            more.iter().map(|fault| !fault.kind.is_unknown_name() || known.insert(&fault.path)).collect();
        self.0.extend(more.into_iter().zip(are_new).filter_map(|(fault, is_new)| is_new.then_some(fault)));
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Self(vec![fault])
    }
}

impl IntoIterator for Faults {
    type Item = Fault;
    type IntoIter = std::vec::IntoIter<Fault>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Faults {
    type Item = &'a Fault;
    type IntoIter = std::slice::Iter<'a, Fault>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Faults {
    /// Prints the first fault and the number of further ones. An input can have thousands of faults, so the text does
    /// not list all of them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.0.first() else { return f.write_str("no faults") };
        first.fmt(f)?;
        match self.0.len() - 1 {
            0 => Ok(()),
            1 => f.write_str(" (and 1 more fault)"),
            more => write!(f, " (and {more} more faults)"),
        }
    }
}

impl std::error::Error for Faults {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::TextError;

    #[test]
    fn a_fault_prints_a_sentence_with_its_path() {
        let path = FaultPath::new().field("shifts").index(0).field("title");
        assert_eq!(Fault::new(path, TextError::Blank).to_string(), "`shifts[0].title` must not be empty");
        let whole = Fault::new(FaultPath::new(), ValueType::Object);
        assert_eq!(whole.to_string(), "the input must be an object");
    }

    #[test]
    fn faults_print_the_first_and_the_number_of_the_others() {
        let mut faults = Faults::one("title", FaultKind::Required);
        assert_eq!(faults.to_string(), "`title` is required");
        faults.add("capacity", FaultKind::Required);
        assert_eq!(faults.to_string(), "`title` is required (and 1 more fault)");
        faults.add("timezone", FaultKind::Required);
        assert_eq!(faults.to_string(), "`title` is required (and 2 more faults)");
    }

    #[test]
    fn a_name_that_is_unknown_in_two_parts_of_an_input_is_one_fault() {
        let path = |name: &str| FaultPath::new().member(name);
        let mut faults = Faults::one("title", FaultKind::Required);
        faults.add_unknown(["a", "b", "a"].map(path));
        let mut query = Faults::new();
        query.add_unknown(["b", "limit", "b"].map(path));
        faults.extend(query.with_meant(|path| (*path == "limit").then_some("per_page")));
        faults.extend([Fault::new("title", FaultKind::Required)]);
        let found: Vec<_> = faults.iter().map(Fault::to_string).collect();
        assert_eq!(
            found,
            [
                "`title` is required",
                "`a` is unknown",
                "`b` is unknown",
                "`limit` is unknown, and probably means per_page",
                "`title` is required",
            ]
        );
    }

    #[test]
    fn a_check_without_value_and_fault_is_an_error() {
        assert_eq!(Faults::new().into_result(Some(1)), Ok(1));
        let no_input = Faults::one(FaultPath::new(), FaultKind::Required);
        assert_eq!(Faults::new().into_result(None::<u32>), Err(no_input));
        let required = Faults::one("title", FaultKind::Required);
        assert_eq!(required.clone().into_result(Some(1)), Err(required));
    }
}
