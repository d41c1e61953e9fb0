//! Questions of an event: new ones and changes, typed and untyped.

use std::borrow::Cow;
use std::collections::HashSet;

use super::Given;
use super::check::{Fields, TEXT, whole};
use crate::fault::{FaultKind, FaultPath, Faults, UnknownName, ValueType};
use crate::question::{Question, QuestionKind};
use crate::text::Label;
use crate::value_error::ValueError;

/// A question to add to an event.
///
/// ```
/// use signup_core::{NewQuestion, QuestionKind};
///
/// let size = NewQuestion::new("Shirt size".parse()?, QuestionKind::Select)
///     .option("S".parse()?)
///     .option("M".parse()?)
///     .required();
/// assert_eq!((size.options.len(), size.position), (2, None));
/// # Ok::<(), signup_core::TextError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewQuestion {
    /// The text of the question.
    pub label: Label,
    /// The kind of answer.
    pub kind: QuestionKind,
    /// The options: 1 to [`Question::MAX_OPTIONS`] different ones for a select, none for every other kind.
    pub options: Vec<Label>,
    /// Whether an answer is required. A required checkbox must be ticked.
    pub required: bool,
    /// The place among the event's questions: at most [`Question::MAX_POSITION`]. `None`: after the last.
    pub position: Option<u32>,
}

impl NewQuestion {
    /// Creates the input for an optional question without options, after the last.
    pub const fn new(label: Label, kind: QuestionKind) -> Self {
        Self { label, kind, options: Vec::new(), required: false, position: None }
    }

    /// Adds an option of a select.
    #[must_use]
    pub fn option(mut self, option: Label) -> Self {
        self.options.push(option);
        self
    }

    /// Makes the answer required.
    #[must_use]
    pub fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// Sets the place among the event's questions.
    #[must_use]
    pub fn position(self, position: u32) -> Self {
        Self { position: Some(position), ..self }
    }
}

/// Changes to a question. A field that is not set stays as it is.
///
/// ```
/// use signup_core::QuestionPatch;
///
/// let patch = QuestionPatch::new().label("T-shirt size".parse()?).position(0);
/// assert_eq!((patch.required, patch.position), (None, Some(0)));
/// # Ok::<(), signup_core::TextError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct QuestionPatch {
    /// The new text.
    pub label: Option<Label>,
    /// The new kind. It cannot change once a volunteer has answered.
    pub kind: Option<QuestionKind>,
    /// The new options. Answers that were given stay as they are.
    pub options: Option<Vec<Label>>,
    /// Whether an answer is required.
    pub required: Option<bool>,
    /// The new place among the event's questions.
    pub position: Option<u32>,
    /// The values that the caller read before. Then only the fields with another value than the one that was read are
    /// changed, and a field that has been changed to a third value since is [`Error::Conflict`](crate::Error::Conflict).
    pub read: Option<Box<Self>>,
}

impl QuestionPatch {
    /// Creates a patch that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the text.
    #[must_use]
    pub fn label(self, label: Label) -> Self {
        Self { label: Some(label), ..self }
    }

    /// Sets the kind.
    #[must_use]
    pub fn kind(self, kind: QuestionKind) -> Self {
        Self { kind: Some(kind), ..self }
    }

    /// Sets the options.
    #[must_use]
    pub fn options(self, options: Vec<Label>) -> Self {
        Self { options: Some(options), ..self }
    }

    /// Sets whether an answer is required.
    #[must_use]
    pub fn required(self, required: bool) -> Self {
        Self { required: Some(required), ..self }
    }

    /// Sets the place among the event's questions.
    #[must_use]
    pub fn position(self, position: u32) -> Self {
        Self { position: Some(position), ..self }
    }

    /// Sets the values that the caller read before, such as those of a form when it was loaded. Then the patch changes only the
    /// fields with another value than the one that was read. So it does not undo what others changed in between. A field that
    /// another caller has changed to a third value since is [`Error::Conflict`](crate::Error::Conflict).
    #[must_use]
    pub fn read(self, values: Self) -> Self {
        Self { read: Some(Box::new(values)), ..self }
    }
}

/// The fields of a new question, or of a change of one, not checked yet.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QuestionInput<'a> {
    /// The text: 1 to 255 characters.
    pub label: Given<Cow<'a, str>>,
    /// `text`, `select` or `checkbox`. A new question is a `text` by default.
    pub kind: Given<Cow<'a, str>>,
    /// The options of a select: 1 to 100 different texts of 1 to 255 characters.
    pub options: Given<Vec<Given<Cow<'a, str>>>>,
    /// Whether an answer is required. By default, none is required by a new question.
    pub required: Given<bool>,
    /// The place among the event's questions: a whole number from 0 to 1,000,000.
    pub position: Given<f64>,
    /// Taken in every write, without an effect here: no mail is sent.
    pub notify_volunteers: Given<bool>,
    /// The members that the input does not take, in the order of the JSON text. Each is a fault.
    pub unknown: Vec<UnknownName<'a>>,
}

/// Checks what the types of the fields leave open: the options and the position.
pub(crate) fn check_new_question(new: &NewQuestion) -> Result<(), Faults> {
    let mut faults = Faults::new();
    if check_different(&mut faults, &new.options) {
        faults.check("options", check_options(new.kind, new.options.len()));
    }
    faults.check("position", new.position.map_or(Ok(()), check_position));
    faults.into_result(Some(()))
}

/// Checks what the types of the fields leave open and needs no record: that the options differ, and the position.
pub(crate) fn check_question_patch(patch: &QuestionPatch) -> Result<(), Faults> {
    let mut faults = Faults::new();
    check_different(&mut faults, patch.options.as_deref().unwrap_or_default());
    faults.check("position", patch.position.map_or(Ok(()), check_position));
    faults.into_result(Some(()))
}

/// Checks that a question of this kind has the right number of options.
pub(crate) const fn check_options(kind: QuestionKind, count: usize) -> Result<(), FaultKind> {
    let max = Question::MAX_OPTIONS;
    match kind {
        QuestionKind::Select if count > 0 && count <= max => Ok(()),
        QuestionKind::Text | QuestionKind::Checkbox if count == 0 => Ok(()),
        _ => Err(FaultKind::OptionCount { kind, max }),
    }
}

const POSITION: ValueError = ValueError::WholeNumber { min: 0, max: Some(Question::MAX_POSITION) };

fn check_position(position: u32) -> Result<(), ValueError> {
    if position > Question::MAX_POSITION { Err(POSITION) } else { Ok(()) }
}

fn position(number: &f64) -> Result<u32, ValueError> {
    whole(*number).ok_or(POSITION).and_then(|position| check_position(position).map(|()| position))
}

fn option_path(index: usize) -> FaultPath {
    FaultPath::new().field("options").index(index)
}

/// Checks that no option is given twice.
fn check_different(faults: &mut Faults, options: &[Label]) -> bool {
    let before = faults.len();
    let mut seen = HashSet::new();
    for (index, option) in options.iter().enumerate() {
        if !seen.insert(option) {
            faults.add(option_path(index), FaultKind::Repeated);
        }
    }
    faults.len() == before
}

impl QuestionInput<'_> {
    /// Checks every field of a new question.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check(&self) -> Result<NewQuestion, Faults> {
        let mut faults = Faults::new();
        let mut fields = Fields::new(&mut faults);
        let label = fields.required("label", &self.label, TEXT, |text| Label::new(text));
        let kind = fields.optional("type", &self.kind, TEXT, |text| text.parse::<QuestionKind>());
        let is_kind_known = kind.is_some() || matches!(self.kind, Given::Omitted);
        let kind = kind.unwrap_or(QuestionKind::Text);
        let options = self.check_option_texts(&mut fields, kind);
        if is_kind_known && let Some(options) = &options {
            fields.checked("options", check_options(kind, options.len()));
        }
        let required = fields.flag("required", &self.required, false);
        let position = fields.optional("position", &self.position, POSITION, position);
        fields.optional_flag("notify_volunteers", &self.notify_volunteers);
        let options = options.unwrap_or_default();
        let question = label.map(|label| NewQuestion { label, kind, options, required, position });
        faults.add_unknown(&self.unknown);
        faults.into_result(question)
    }

    /// Checks every field of a change. The number of options is checked against the question where it is changed.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn check_patch(&self) -> Result<QuestionPatch, Faults> {
        let mut faults = Faults::new();
        let mut fields = Fields::new(&mut faults);
        let label = fields.kept("label", &self.label, TEXT, |text| Label::new(text));
        let kind = fields.optional("type", &self.kind, TEXT, |text| text.parse::<QuestionKind>());
        let options = match self.options {
            Given::Omitted => None,
            _ => self.check_option_texts(&mut fields, kind.unwrap_or(QuestionKind::Select)),
        };
        let required = fields.optional_flag("required", &self.required);
        let position = fields.optional("position", &self.position, POSITION, position);
        fields.optional_flag("notify_volunteers", &self.notify_volunteers);
        let patch = QuestionPatch { label, kind, options, required, position, read: None };
        faults.add_unknown(&self.unknown);
        faults.into_result(Some(patch))
    }

    /// Returns the options of a question of this kind, or `None` if one has a fault, or there are more than any question has.
    /// Omitted options are none.
    fn check_option_texts(&self, fields: &mut Fields<'_>, kind: QuestionKind) -> Option<Vec<Label>> {
        let before = fields.faults.len();
        let max = Question::MAX_OPTIONS;
        let given = fields.optional("options", &self.options, ValueType::TextList, |options| {
            if options.len() > max { Err(FaultKind::OptionCount { kind, max }) } else { Ok(options) }
        });
        let mut options = Vec::new();
        for (index, option) in given.into_iter().flatten().enumerate() {
            let checked = match option {
                Given::Value(text) => Label::new(text).map_err(FaultKind::from),
                Given::Blank => Label::new("").map_err(FaultKind::from),
                _ => Err(TEXT.into()),
            };
            options.extend(fields.faults.check(option_path(index), checked));
        }
        (fields.faults.len() == before && check_different(fields.faults, &options)).then_some(options)
    }
}
