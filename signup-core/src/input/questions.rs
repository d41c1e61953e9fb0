//! Questions of an event: new ones and changes.

use std::collections::HashSet;

use super::Input;
use super::change::{FieldChange, fields_of, merge, setters};
use super::fields::Fields;
use crate::fault::{FaultKind, FaultPath, Faults};
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
    /// Makes a question of an untyped input: `label`, and optionally `type`, `options`, `required` and `position`. It is a text by
    /// default. `notify_volunteers` is taken, as in every write, without an effect: no mail is sent.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>) -> Result<Self, Faults> {
        let mut fields = Fields::new(input);
        let question = take_fields(&mut fields);
        let question_of = |label| Self {
            label,
            kind: question.kind.unwrap_or(QuestionKind::Text),
            options: question.options.unwrap_or_default(),
            required: question.required.unwrap_or(false),
            position: question.position,
        };
        fields.finish(question.label.map(question_of))
    }

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

    setters! {
        /// Sets the place among the event's questions.
        position: u32;
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
    /// The values that the caller read before. See [`read`](Self::read).
    pub read: Option<Box<Self>>,
}

impl QuestionPatch {
    /// Makes a patch of an untyped input with the fields of a [new question](NewQuestion::from_input). An omitted field stays as it
    /// is. No field may be null or blank.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>) -> Result<Self, Faults> {
        let mut fields = Fields::of_change(input);
        let question = take_fields(&mut fields);
        fields.finish(Some(question))
    }

    /// Creates a patch that changes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets the text.
        label: Label;
        /// Sets the kind.
        kind: QuestionKind;
        /// Sets the options.
        options: Vec<Label>;
        /// Sets whether an answer is required.
        required: bool;
        /// Sets the place among the event's questions.
        position: u32;
    }
}

fields_of! {
    QuestionPatch of question: Question {
        "label": label;
        "type": kind;
        "options": options;
        "required": required;
        "position": position;
    }
}

/// Takes the fields that a new question and a patch share, in the order of their faults. A new question is a text by default.
fn take_fields(fields: &mut Fields<'_>) -> QuestionPatch {
    let is_new = !fields.is_change();
    let mut question = QuestionPatch::new();
    question.label = fields.text("label").required();
    question.kind = fields.text("type").mistyped_is(QuestionKind::NOT_ONE).optional();
    let is_kind_known = question.kind.is_some() || !fields.has("type");
    let kind = question.kind.unwrap_or(if is_new { QuestionKind::Text } else { QuestionKind::Select });
    question.options = take_options(fields, kind);
    // The number of options of a change is checked against the question where it is changed.
    if is_new
        && is_kind_known
        && let Some(options) = &question.options
    {
        let _valid = fields.checked("options", check_options(kind, options.len()));
    }
    question.required = fields.flag("required").optional();
    question.position = fields.whole_number("position", POSITION, check_position).optional();
    let _no_mail = fields.without_mail();
    question
}

/// Takes the options of a question of this kind. Returns `None` if one has a fault, if there are more than any question has, or if
/// a change omits them. Omitted options of a new question are none.
fn take_options(fields: &mut Fields<'_>, kind: QuestionKind) -> Option<Vec<Label>> {
    let (before, max) = (fields.fault_count(), Question::MAX_OPTIONS);
    let is_omitted = !fields.has("options");
    let given = fields.texts("options").check(|options| {
        if options.len() > max { Err(FaultKind::OptionCount { kind, max }) } else { Ok(options) }
    });
    let given = given.optional();
    let options = fields.each_text("options", given, Ok);
    let are_valid = fields.fault_count() == before && check_different(fields.faults(), &options);
    (are_valid && !(is_omitted && fields.is_change())).then_some(options)
}

/// Checks what the types of the fields leave open: the options and the position.
pub(crate) fn check_new_question(new: &NewQuestion) -> Result<(), Faults> {
    let mut faults = Faults::new();
    if check_different(&mut faults, &new.options) {
        faults.check("options", check_options(new.kind, new.options.len()));
    }
    faults.check("position", new.position.map(|position| check_position(Some(position))).transpose());
    faults.into_result(Some(()))
}

/// Checks what the types of the fields leave open and needs no record: that the options differ, and the position.
pub(crate) fn check_question_patch(patch: &QuestionPatch) -> Result<(), Faults> {
    let mut faults = Faults::new();
    check_different(&mut faults, patch.options.as_deref().unwrap_or_default());
    faults.check("position", patch.position.map(|position| check_position(Some(position))).transpose());
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

fn check_position(position: Option<u32>) -> Result<u32, ValueError> {
    position.filter(|position| *position <= Question::MAX_POSITION).ok_or(POSITION)
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
