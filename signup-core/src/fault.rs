//! Faults of an input as data: where each fault is, and what is wrong there.
//!
//! **Invariant:** this module and its errors contain no wording of an API. The program that shows a fault to its users
//! has its own wording.

mod kind;
mod path;

use std::collections::HashSet;
use std::fmt;

pub use kind::{FaultKind, ValueType};
pub use path::{FaultPath, PathStep, UnknownName};

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
/// Faults have the order in which the input declares its fields. Of the unknown names, the first
/// [`MAX_UNKNOWN`](Self::MAX_UNKNOWN) are listed, and the others are only counted.
///
/// [`Display`](fmt::Display) prints a plain sentence. A program with its own words reads the [path](FaultPath) and the
/// [kind](FaultKind):
///
/// ```
/// use signup_core::{FaultKind, Input, NewEvent, PathStep, PlanTable, TextError, ValueError};
///
/// let json = br#"{"title": "Food drive", "start_date": "2027-06-05", "timezone": "UTC",
///     "shifts": [{"title": "a\u0000b", "capacity": -1}]}"#;
/// let input = Input::from_json(json)?;
/// let faults = NewEvent::from_input(input, PlanTable::default().free).unwrap_err();
/// let [title, capacity] = &*faults.iter().collect::<Vec<_>>() else { panic!("two faults") };
///
/// assert_eq!(title.path.steps(), [PathStep::Field("shifts"), PathStep::Index(0), PathStep::Field("title")]);
/// assert_eq!(title.kind, FaultKind::Text(TextError::Control { character: '\0' }));
/// assert_eq!(capacity.path, "shifts[0].capacity");
/// assert_eq!(capacity.kind, ValueError::WholeNumber { min: 0, max: Some(1_000_000) }.into());
/// assert_eq!(capacity.to_string(), "`shifts[0].capacity` must be a whole number from 0 to 1000000");
/// # Ok::<(), signup_core::Faults>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Faults {
    listed: Vec<Fault>,
    /// The number of unknown names that are not listed.
    more_unknown: usize,
}

impl Faults {
    /// The maximum number of unknown names that are listed.
    pub const MAX_UNKNOWN: usize = 100;

    /// Creates an empty list.
    pub const fn new() -> Self {
        Self { listed: Vec::new(), more_unknown: 0 }
    }

    /// Creates a list with one fault.
    pub fn one(path: impl Into<FaultPath>, kind: impl Into<FaultKind>) -> Self {
        Fault::new(path, kind).into()
    }

    /// Adds a fault at the end.
    pub fn add(&mut self, path: impl Into<FaultPath>, kind: impl Into<FaultKind>) {
        self.listed.push(Fault::new(path, kind));
    }

    /// Adds a fault of the kind [`Unknown`](FaultKind::Unknown) for each name. A name that is given twice is one fault.
    ///
    /// The time is linear in the number of names, because an input can have as many as a request has room for.
    pub fn add_unknown<'a>(&mut self, names: impl IntoIterator<Item = UnknownName<'a>>) {
        let mut known = HashSet::new();
        for name in names.into_iter().filter(|name| known.insert(*name)) {
            // A list without place needs no path.
            if self.more_unknown == 0 {
                self.list_unknown(name, FaultKind::UNKNOWN);
            } else {
                self.more_unknown += 1;
            }
        }
    }

    /// Adds the faults of another part of the input at the end. A listed name that is unknown in both parts is one fault: the
    /// first one.
    pub fn append(&mut self, other: Self) {
        for Fault { path, kind } in other.listed {
            if !kind.is_unknown() {
                self.add(path, kind);
            } else if self.unknown().all(|known| known.path != path) {
                self.list_unknown(path, kind);
            }
        }
        self.more_unknown += other.more_unknown;
    }

    /// Lists a fault of an unknown name, or counts the fault if there is no place in the list.
    fn list_unknown(&mut self, path: impl Into<FaultPath>, kind: FaultKind) {
        // A list without place is not counted again.
        if self.more_unknown == 0 && self.unknown().count() < Self::MAX_UNKNOWN {
            self.add(path, kind);
        } else {
            self.more_unknown += 1;
        }
    }

    fn unknown(&self) -> impl Iterator<Item = &Fault> {
        self.listed.iter().filter(|fault| fault.kind.is_unknown())
    }

    /// Says for each listed unknown name what the caller probably meant, if `meant` knows it.
    #[must_use]
    pub fn with_meant(mut self, meant_by: impl Fn(&FaultPath) -> Option<&'static str>) -> Self {
        for Fault { path, kind } in &mut self.listed {
            if let FaultKind::Unknown { meant } = kind {
                *meant = meant.or_else(|| meant_by(path));
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

    /// Returns the number of faults, with those that are not listed.
    pub const fn len(&self) -> usize {
        self.listed.len() + self.more_unknown
    }

    /// Returns whether there is no fault.
    pub const fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// Iterates over the listed faults in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Fault> {
        self.listed.iter()
    }

    /// Returns `value` if there is no fault.
    ///
    /// # Errors
    /// Returns the faults if there are any. If there is neither a value nor a fault, the whole input is
    /// [required](FaultKind::Required).
    pub fn into_result<T>(self, value: Option<T>) -> Result<T, Self> {
        match value {
            Some(value) if self.listed.is_empty() => Ok(value),
            _ if self.listed.is_empty() => Err(Self::one(FaultPath::new(), FaultKind::Required)),
            _ => Err(self),
        }
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Self { listed: vec![fault], more_unknown: 0 }
    }
}

impl IntoIterator for Faults {
    type Item = Fault;
    type IntoIter = std::vec::IntoIter<Fault>;

    fn into_iter(self) -> Self::IntoIter {
        self.listed.into_iter()
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
        let Some(first) = self.listed.first() else { return f.write_str("no faults") };
        first.fmt(f)?;
        match self.len() - 1 {
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

    fn unknown(name: &str) -> UnknownName<'_> {
        UnknownName { shift: None, name }
    }

    #[test]
    fn the_first_100_unknown_names_are_listed_and_the_others_are_counted() {
        let names: Vec<_> = (0..150).map(|number| format!("x{number}")).collect();
        let of = |range: std::ops::Range<usize>| {
            let mut faults = Faults::one("title", FaultKind::Required);
            faults.add_unknown(names[range].iter().map(|name| unknown(name)));
            faults
        };
        for (first, second, listed, all) in [
            (0..100, 0..0, 100, 100),
            (0..101, 0..0, 100, 101),
            (0..60, 50..120, 100, 120),
            (0..0, 0..150, 100, 150),
            (0..150, 100..150, 100, 200),
        ] {
            let mut faults = of(first);
            faults.append(of(second));
            let last = faults.unknown().last().map(|fault| fault.path.to_string());
            assert_eq!(last.as_deref(), Some("x99"));
            assert_eq!((faults.iter().count(), faults.len()), (listed + 2, all + 2));
        }
    }

    #[test]
    fn a_name_that_is_unknown_in_two_parts_of_an_input_is_one_fault() {
        let mut faults = Faults::one("title", FaultKind::Required);
        faults.add_unknown(["a", "b", "a"].map(unknown));
        let mut query = Faults::new();
        query.add_unknown(["b", "limit", "b"].map(unknown));
        query.add("title", FaultKind::Required);
        faults.append(query.with_meant(|path| (*path == "limit").then_some("per_page")));
        let found: Vec<_> = faults.iter().map(Fault::to_string).collect();
        assert_eq!(
            found,
            [
                "`title` is required",
                "`a` is unknown",
                "`b` is unknown",
                "`limit` is unknown",
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
