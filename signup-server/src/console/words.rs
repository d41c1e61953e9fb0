//! The words of the console's fields: the label of each, and the sentence about a fault.

use signup_core::{Fault, FaultKind, QuestionKind, Role, TextError, TimeError, ValueError};

use crate::page::{UNUSABLE_USER, invisible, unusable_characters};

/// A field, and the sentence that asks for its value.
struct Field {
    name: &'static str,
    label: &'static str,
    ask: &'static str,
    may_be_empty: bool,
}

const fn field(name: &'static str, label: &'static str, ask: &'static str) -> Field {
    Field { name, label, ask, may_be_empty: false }
}

const fn optional(name: &'static str, label: &'static str, ask: &'static str) -> Field {
    Field { name, label, ask, may_be_empty: true }
}

/// Stands for a field without a row.
const UNKNOWN: Field = field("", "Value", "Enter a value");

/// The fields of all forms. A field of a row has the name without its number: `shifts.title`.
#[rustfmt::skip]
const FIELDS: &[Field] = &[
    optional("badge_label", "Badge", "Enter a badge"),
    field("code", "Code", "Enter the code from the email"),
    optional("contact", "Contact email address", "Enter a contact email address"),
    field("email", "Email address", "Enter an email address"),
    field("expires_in_days", "Expires after (days)", "Enter the number of days"),
    field("name", "Name", "Enter a name"),
    field("organization_name", "Name of the organization", "Enter the name of the organization"),
    optional("privacy_url", "Link to the privacy notice", "Enter a web address"),
    optional("public_url", "Web page of the organization", "Enter a web address"),
    field("q", "Name or email address", "Enter a name or an email address"),
    field("role", "Role", "Choose a role"),
    field("scopes", "What the token may do", "Choose what the token may do"),
    field("slot_id", "Shift", "Choose a shift"),
    optional("sport", "Sport", "Enter a sport"),
    field("status", "Status", "Choose a status"),
    field("start_date", "First day", "Enter the first day"),
    field("end_date", "Last day", "Enter the last day"),
    field("timezone", "Time zone", "Choose a time zone"),
    optional("location", "Place", "Enter a place"),
    field("is_virtual", "The event takes place online", "Say whether the event takes place online"),
    field("is_published", "Published", "Say whether the event is published"),
    field("theme", "Colours", "Choose the colours"),
    field("shifts", "The event", "Enter at least one shift"),
    field("start_time", "Start", "Enter a start"),
    field("end_time", "End", "Enter an end"),
    field("capacity", "Volunteers needed", "Enter the number of volunteers needed"),
    field("each_minutes", "Length of each shift (minutes)", "Enter a number of minutes"),
    field("label", "Question", "Enter a question"),
    field("options", "Options", "Enter the options, one on each line"),
    field("required", "Volunteers have to answer", "Say whether volunteers have to answer"),
    field("position", "Order", "Enter a whole number"),
    optional("reason", "Reason", "Enter a reason"),
    field("subject", "Subject", "Enter a subject"),
    field("text", "Message", "Enter a message"),
    field("title", "Title", "Enter a title"),
    optional("description", "Description", "Enter a description"),
    field("type", "Kind", "Choose a kind"),
    field("types", "What the webhook receives", "Choose what the webhook receives"),
    field("url", "Web address", "Enter a web address"),
];

/// Returns the row of a field. `shifts.0.title` has the row of `shifts.title`, or else that of `title`.
fn find(name: &str) -> Option<&'static Field> {
    let steps: Vec<_> = name.split('.').filter(|step| step.parse::<usize>().is_err()).collect();
    let named = |name: &str| FIELDS.iter().find(|field| field.name == name);
    named(&steps.join(".")).or_else(|| named(steps.last()?))
}

/// Returns the label of a field.
pub(crate) fn label(name: &str) -> &'static str {
    find(name).unwrap_or(&UNKNOWN).label
}

/// Returns a changed field in words, for the middle of a sentence: its label, or its name if it has no label. A field that is true
/// or false has words that fit both values.
pub(crate) fn in_a_sentence(name: &str) -> String {
    match name {
        "is_virtual" => "whether it takes place online".to_owned(),
        "is_enabled" => "whether it is enabled".to_owned(),
        "required" => "whether volunteers have to answer".to_owned(),
        name => find(name).map_or_else(|| name.replace('_', " "), |field| field.label.to_lowercase()),
    }
}

/// Returns a role with its article, such as `an owner`.
pub(crate) const fn role_with_article(role: Role) -> &'static str {
    match role {
        Role::Owner => "an owner",
        Role::Admin => "an admin",
        _ => "an organizer",
    }
}

/// The roles to choose from: name, word, and what a member with the role may do.
pub(crate) const ROLES: [(&str, &str, &str); 3] = [
    ("organizer", "Organizer", "Runs events: shifts, sign-ups and messages to volunteers"),
    ("admin", "Admin", "Also manages members, API tokens, webhooks and volunteers’ data"),
    ("owner", "Owner", "Also changes the organization, and makes and removes owners"),
];

/// The kinds of questions to choose from: name, words, and what volunteers do.
pub(crate) const QUESTION_KINDS: [(&str, &str, &str); 3] = [
    ("text", "Text", "Volunteers type an answer."),
    ("select", "Choose from a list", "Volunteers choose one of your options."),
    ("checkbox", "Checkbox", "Volunteers tick it. If it’s required, they can’t sign up without ticking it."),
];

/// Returns the name of a theme in words. The empty name is that of the standard theme.
pub(crate) fn theme(name: &str) -> String {
    let words = if name.is_empty() { "standard".to_owned() } else { name.replace('-', " ") };
    let (first, rest) = words.split_at(1);
    first.to_uppercase() + rest
}

/// Returns the sentence about a fault, which says what to do.
pub(crate) fn mistake(name: &str, fault: &Fault) -> String {
    let &Field { label, ask, may_be_empty, .. } = find(name).unwrap_or(&UNKNOWN);
    match &fault.kind {
        FaultKind::Required
        | FaultKind::WrongType { .. }
        | FaultKind::Value(ValueError::NotOneOf { .. })
        | FaultKind::Text(TextError::Blank) => ask.to_owned(),
        FaultKind::Text(TextError::Invisible) => invisible(label, may_be_empty),
        FaultKind::Text(TextError::TooLong { max }) => format!("{label} must be {max} characters or fewer"),
        FaultKind::Text(error @ (TextError::Control { .. } | TextError::LineBreak)) => {
            unusable_characters(label, error)
        }
        FaultKind::Text(TextError::Email) => "Enter an email address like name@example.com".to_owned(),
        FaultKind::Text(TextError::EmailUser) => UNUSABLE_USER.to_owned(),
        FaultKind::Text(TextError::WebAddress) => {
            "Enter a web address that begins with https://, like https://example.com".to_owned()
        }
        FaultKind::Time(TimeError::Date) => format!("{ask}, from 1970 to 9998"),
        FaultKind::Time(TimeError::WallTime | TimeError::Seconds) => {
            format!("{label} must be a time such as 09:00")
        }
        FaultKind::Time(TimeError::Zone) => "Choose a time zone".to_owned(),
        FaultKind::Time(TimeError::Order) => format!("{label} must be after the start, on the same day"),
        FaultKind::TooMany { max, present: 0 } => format!("{label} can have up to {max}"),
        FaultKind::TooMany { max, present } => {
            format!("There can be up to {max}, and there are {present} already")
        }
        FaultKind::Repeated => format!("{label} has the same value more than once"),
        FaultKind::OptionCount { kind: QuestionKind::Select, max } => {
            format!("{ask}. You can enter 1 to {max}")
        }
        FaultKind::OptionCount { .. } => "Only a list has options. Remove them, or choose a list".to_owned(),
        FaultKind::Remainder { minutes } => {
            format!(
                "The time from start to end is {minutes} minutes. Enter a number that divides {minutes} without a remainder"
            )
        }
        kind => format!("{label} {kind}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_names_the_field_and_what_to_do() {
        let sentence = |name: &str, kind: FaultKind| mistake(name, &Fault::new("title", kind));
        assert_eq!(sentence("title", FaultKind::Required), "Enter a title");
        assert_eq!(sentence("shifts.0.title", TextError::Blank.into()), "Enter a title");
        assert_eq!(
            sentence("name", TextError::TooLong { max: 255 }.into()),
            "Name must be 255 characters or fewer"
        );
        for (error, says) in [
            (TextError::Invisible, "Name has no visible characters. Type it again"),
            (TextError::LineBreak, "Name must be on one line"),
            (TextError::Control { character: '\t' }, "Name has a tab. Use spaces instead"),
            (
                TextError::Control { character: '\u{1b}' },
                "Name has characters that we can’t use. Please type it again",
            ),
        ] {
            assert_eq!(sentence("name", error.into()), says);
        }
        assert_eq!(
            sentence("shifts.0.location", TextError::Invisible.into()),
            "Place has no visible characters. Type it again, or leave it empty"
        );
        let options = |kind| sentence("options", FaultKind::OptionCount { kind, max: 100 });
        assert_eq!(
            options(QuestionKind::Select),
            "Enter the options, one on each line. You can enter 1 to 100"
        );
        assert_eq!(options(QuestionKind::Text), "Only a list has options. Remove them, or choose a list");
        assert_eq!(
            sentence("shifts.0.each_minutes", FaultKind::Remainder { minutes: 200 }),
            "The time from start to end is 200 minutes. Enter a number that divides 200 without a remainder"
        );
    }
}
