//! The sign-up form of a shift.

use signup_core::{
    AnswerText, EmailAddress, Fault, FaultKind, PersonName, PublicEvent, QuestionKind, Shift, ShiftId,
    TextError, WebAddress,
};

use super::{Focus, Site, form_action};
use crate::page::{UNUSABLE_USER, invisible, unusable_characters};
use crate::wire::field_name;

#[derive(Debug)]
pub(super) struct FormView<'a> {
    pub(super) action: String,
    pub(super) is_open: bool,
    pub(super) fields: Vec<FieldView<'a>>,
    /// The name of the organization, which gets the values.
    pub(super) organization: &'a str,
    pub(super) privacy_url: Option<&'a str>,
    /// Whether the volunteer gets a mail.
    pub(super) sends_mail: bool,
}

#[derive(Debug)]
pub(super) struct FieldView<'a> {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) label: &'a str,
    pub(super) is_required: bool,
    /// What is wrong with the typed value, and what to do.
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
    found: &'a PublicEvent,
    site: Site<'_>,
    focus: Option<&'a Focus>,
) -> FormView<'a> {
    let value = |name: &str| {
        let typed = focus.and_then(|focus| focus.typed.get(name));
        typed.map_or("", String::as_str)
    };
    let field = |name: String, label: &'a str, is_required: bool, kind: FieldKind<'a>| {
        let fault = focus.and_then(|focus| focus.faults.iter().find(|fault| field_name(&fault.path) == name));
        FieldView {
            id: field_id(&name, shift.id),
            label,
            is_required,
            mistake: fault.map(|fault| mistake(&name, label, is_required, &kind, fault)),
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
        field(EMAIL.to_owned(), "Email address", true, line("email", EMAIL, "email", EmailAddress::MAX)),
    ];
    fields.extend(found.questions.iter().map(|question| {
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
    FormView {
        action: form_action(site.path),
        is_open: focus.is_some(),
        fields,
        organization: found.organization.name.as_str(),
        privacy_url: found.organization.privacy_url.as_ref().map(WebAddress::as_str),
        sends_mail: site.sends_mail,
    }
}

impl FormView<'_> {
    /// Returns the fields with a fault, each with what to do.
    pub(super) fn mistakes(&self) -> Vec<(&str, &str)> {
        let mistakes = self.fields.iter().map(|field| Some((field.id.as_str(), field.mistake.as_deref()?)));
        mistakes.flatten().collect()
    }
}

const NAME: &str = "name";
const EMAIL: &str = "email";

/// Returns the id of a field's element. The id contains the shift, because a page has several forms.
fn field_id(name: &str, shift: ShiftId) -> String {
    format!("{}-{shift}", name.replace('.', "-"))
}

/// Returns the sentence about a fault, which says what to do.
fn mistake(name: &str, label: &str, is_required: bool, kind: &FieldKind<'_>, fault: &Fault) -> String {
    // The label of a question is the organizer's text, so it is quoted.
    let quoted = match name {
        NAME => label.to_owned(),
        EMAIL => "Your email address".to_owned(),
        _ => format!("“{label}”"),
    };
    match (&fault.kind, name, kind) {
        (FaultKind::Text(TextError::TooLong { max }), ..) => {
            format!("{quoted} must be {max} characters or fewer")
        }
        (FaultKind::Text(error @ (TextError::Control { .. } | TextError::LineBreak)), ..) => {
            unusable_characters(&quoted, error)
        }
        (FaultKind::Text(TextError::Invisible), ..) => invisible(&quoted, !is_required),
        (FaultKind::Text(TextError::EmailUser), ..) => UNUSABLE_USER.to_owned(),
        (_, NAME, _) => "Enter your name".to_owned(),
        (_, EMAIL, FieldKind::Line { value, .. }) if value.trim().is_empty() => {
            "Enter your email address".to_owned()
        }
        (_, EMAIL, _) => "Enter an email address like name@example.com".to_owned(),
        (_, _, FieldKind::Line { .. }) => format!("Enter an answer for {quoted}"),
        (_, _, FieldKind::Choice { .. }) => format!("Choose an option for {quoted}"),
        (_, _, FieldKind::Tick { .. }) => format!("Tick {quoted} to sign up"),
    }
}
