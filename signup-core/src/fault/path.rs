//! The place of a fault in an input.

use std::fmt;

use crate::id::QuestionId;

/// The place of a fault: the steps from the input to the value. Without steps, the whole input is wrong.
///
/// ```
/// use signup_core::{FaultPath, PathStep, QuestionId};
///
/// let path = FaultPath::new().field("shifts").index(0).field("title");
/// assert_eq!(path.to_string(), "shifts[0].title");
/// assert_eq!(path.steps()[1], PathStep::Index(0));
/// assert_eq!(FaultPath::from("title"), "title");
///
/// // The answer to a question.
/// let question = QuestionId::NONE;
/// let answer = FaultPath::from("answers").question(question);
/// assert_eq!(answer.steps(), [PathStep::Field("answers"), PathStep::Question(question)]);
/// assert_eq!(answer.to_string(), format!("answers[{question}]"));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct FaultPath(Vec<PathStep>);

/// One step of a [`FaultPath`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PathStep {
    /// The field with this name.
    Field(&'static str),
    /// The item of a list at this index, from 0.
    Index(usize),
    /// The answer to the question with this id.
    Question(QuestionId),
    /// A member of a JSON object with a name that the input does not take.
    Member(Box<str>),
}

/// A name that an input does not take, as it was sent. An input can have 200,000 of them, so each is small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UnknownName<'a> {
    /// The index of the element of `shifts` with this member. `None` for a member of the whole input, or a parameter.
    pub shift: Option<u32>,
    /// The name.
    pub name: &'a str,
}

impl FaultPath {
    /// Creates a path without steps, which stands for the whole input.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Appends a step to a field.
    #[must_use]
    pub fn field(self, name: &'static str) -> Self {
        self.then(PathStep::Field(name))
    }

    /// Appends a step to an item of a list. Indexes begin at 0.
    #[must_use]
    pub fn index(self, index: usize) -> Self {
        self.then(PathStep::Index(index))
    }

    /// Appends a step to the answer to a question.
    #[must_use]
    pub fn question(self, id: QuestionId) -> Self {
        self.then(PathStep::Question(id))
    }

    /// Appends a step to a member whose name the input does not take.
    #[must_use]
    pub fn member(self, name: &str) -> Self {
        self.then(PathStep::Member(name.into()))
    }

    fn then(mut self, step: PathStep) -> Self {
        self.0.push(step);
        self
    }

    /// Returns the steps, outermost first.
    pub fn steps(&self) -> &[PathStep] {
        &self.0
    }

    /// Returns whether the path stands for the whole input: it has no steps.
    pub const fn is_whole_input(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&'static str> for FaultPath {
    /// Creates the path of a field of the input.
    fn from(field: &'static str) -> Self {
        Self::new().field(field)
    }
}

impl From<UnknownName<'_>> for FaultPath {
    fn from(unknown: UnknownName<'_>) -> Self {
        let shift = unknown.shift.and_then(|index| usize::try_from(index).ok());
        let path = Self::new();
        shift.map_or(path.clone(), |index| path.field("shifts").index(index)).member(unknown.name)
    }
}

impl PartialEq<str> for FaultPath {
    /// Compares the printed path.
    fn eq(&self, text: &str) -> bool {
        let printed = self.to_string();
        printed == text
    }
}

impl PartialEq<&str> for FaultPath {
    /// Compares the printed path.
    fn eq(&self, text: &&str) -> bool {
        *self == **text
    }
}

impl fmt::Display for FaultPath {
    /// Prints the path as `shifts[0].title` or `answers[<question id>]`. Prints nothing for the whole input. The name of a
    /// member, which a caller has chosen, is escaped, so that a log or a terminal can show it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, step) in self.0.iter().enumerate() {
            match step {
                PathStep::Field(name) => write!(f, "{}{name}", if number == 0 { "" } else { "." })?,
                PathStep::Member(name) => {
                    write!(f, "{}{}", if number == 0 { "" } else { "." }, name.escape_debug())?;
                }
                PathStep::Index(index) => write!(f, "[{index}]")?,
                PathStep::Question(id) => write!(f, "[{id}]")?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for FaultPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_string().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_prints_its_steps_and_equals_the_printed_text() {
        let answer = FaultPath::new().field("answers").question(QuestionId::NONE);
        let id = "00000000-0000-0000-0000-000000000000";
        for (path, text) in [
            (FaultPath::new(), ""),
            (FaultPath::from("title"), "title"),
            (FaultPath::new().field("shifts").index(12), "shifts[12]"),
            (FaultPath::new().field("shifts").index(0).field("title"), "shifts[0].title"),
            (FaultPath::new().member("a\u{1b}[2J\n\u{202e}é"), r"a\u{1b}[2J\n\u{202e}é"),
            (answer, &format!("answers[{id}]")),
        ] {
            assert_eq!(path.to_string(), text);
            assert!(path == text && path == *text, "{path}");
            assert!(path != "other");
        }
    }
}
