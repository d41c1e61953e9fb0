//! The sign-up form of a shift.

use signup_core::{AnswerText, EmailAddress, Fault, PersonName, Question, QuestionKind, Shift, ShiftId};

use super::Focus;
use crate::wire::{field_name, predicate};

#[derive(Debug)]
pub(super) struct Form<'a> {
    pub(super) action: String,
    pub(super) is_open: bool,
    pub(super) fields: Vec<Field<'a>>,
}

#[derive(Debug)]
pub(super) struct Field<'a> {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) label: &'a str,
    pub(super) is_required: bool,
    pub(super) mistake: Option<String>,
    pub(super) kind: FieldKind<'a>,
}

#[derive(Debug)]
pub(super) enum FieldKind<'a> {
    Line { input_type: &'static str, value: &'a str, autocomplete: &'static str, max_length: usize },
    Choice { options: Vec<Choice<'a>> },
    Tick { is_ticked: bool },
}

#[derive(Debug)]
pub(super) struct Choice<'a> {
    pub(super) text: &'a str,
    pub(super) is_chosen: bool,
}

/// Returns the form of a shift. With a focus, the form is open and has the typed values and their faults.
pub(super) fn form<'a>(
    shift: &Shift,
    questions: &'a [Question],
    path: &str,
    focus: Option<&'a Focus>,
) -> Form<'a> {
    let value = |name: &str| {
        let typed = focus.and_then(|focus| focus.typed.get(name));
        typed.map_or("", String::as_str)
    };
    let field = |name: String, label: &'a str, is_required: bool, kind: FieldKind<'a>| {
        let fault = focus.and_then(|focus| focus.faults.iter().find(|fault| field_name(&fault.path) == name));
        Field {
            id: field_id(&name, shift.id),
            label,
            is_required,
            mistake: fault.map(|fault| sentence(label, fault)),
            kind,
            name,
        }
    };
    let line = |input_type, name: &str, autocomplete, max_length| FieldKind::Line {
        input_type,
        value: value(name),
        autocomplete,
        max_length,
    };
    let mut fields = vec![
        field(NAME.to_owned(), "Your name", true, line("text", NAME, "name", PersonName::MAX)),
        field(
            EMAIL.to_owned(),
            "Your e-mail address",
            true,
            line("email", EMAIL, "email", EmailAddress::MAX),
        ),
    ];
    fields.extend(questions.iter().map(|question| {
        let name = format!("answer.{}", question.id);
        let kind = match question.kind {
            QuestionKind::Select => {
                let chosen = value(&name);
                let choice = |text: &'a str| Choice { text, is_chosen: text == chosen };
                let options = question.options.iter().map(|option| choice(option.as_str())).collect();
                FieldKind::Choice { options }
            }
            QuestionKind::Checkbox => FieldKind::Tick { is_ticked: !value(&name).is_empty() },
            // A text, or a kind that is newer than this page.
            _ => line("text", &name, "", AnswerText::MAX),
        };
        field(name, question.label.as_str(), question.required, kind)
    }));
    Form { action: format!("{path}/signups"), is_open: focus.is_some(), fields }
}

pub(super) const NAME: &str = "name";
pub(super) const EMAIL: &str = "email";

/// Returns the id of a field's element. The id contains the shift, because a page has several forms.
pub(super) fn field_id(name: &str, shift: ShiftId) -> String {
    format!("{}-{shift}", name.replace('.', "-"))
}

/// Returns the sentence about a fault, with the label of the field in the form.
pub(super) fn sentence(label: &str, fault: &Fault) -> String {
    format!("“{label}” {}.", predicate(fault))
}
