//! The words of the console's fields: the label of each, and the sentence about a fault.

use signup_core::{Fault, FaultKind, QuestionKind, Role, TextError, TimeError, ValueError, WebhookUrlError};

use crate::page::{invisible, unusable_characters};
use crate::texts::Texts;

/// A field, and the sentence that asks for its value.
struct FieldWords {
    name: &'static str,
    label: &'static str,
    ask: &'static str,
    may_be_empty: bool,
    /// What the sentence about a fault calls the value: the label, unless that does not fit into a sentence.
    noun: &'static str,
}

const fn field(name: &'static str, label: &'static str, ask: &'static str) -> FieldWords {
    FieldWords { name, label, ask, may_be_empty: false, noun: label }
}

const fn optional(name: &'static str, label: &'static str, ask: &'static str) -> FieldWords {
    FieldWords { may_be_empty: true, ..field(name, label, ask) }
}

impl FieldWords {
    const fn called(self, noun: &'static str) -> Self {
        Self { noun, ..self }
    }
}

/// Stands for a field without a row.
const UNKNOWN: FieldWords = field("", "Value", "Enter a value");

/// The fields of all forms. A field of a row has the name without its number: `shifts.title`.
#[rustfmt::skip]
const FIELDS: &[FieldWords] = &[
    field("audience", "Recipients", "Choose who gets the message"),
    optional("badge_label", "Badge", "Enter a badge"),
    field("code", "Code", "Enter the 8 letters and digits of the code"),
    field("cursor", "Page", "Go back to the first page of the list"),
    optional("contact", "Contact email address", "Enter a contact email address"),
    field("email", "Email address", "Enter an email address"),
    field("expires_in_days", "Expires after (days)", "Enter the number of days").called("Number of days"),
    field("name", "Name", "Enter a name"),
    field("organization_name", "Name of the organization", "Enter the name of the organization"),
    optional("privacy_url", "Link to the privacy notice", "Enter a web address"),
    optional("public_url", "Web page of the organization", "Enter a web address"),
    field("q", "Name or email address", "Enter a name or an email address"),
    field("dates", "Dates", "Choose a year or a day"),
    field("month", "Month", "Choose a month"),
    field("role", "Role", "Choose a role"),
    field("scopes", "What the token may do", "Choose what the token may do"),
    field("separator", "Separator", "Choose a comma or a semicolon as the separator"),
    field("slot_id", "Shift", "Choose a shift"),
    optional("sport", "Sport", "Enter a sport"),
    field("status", "Status", "Choose a status"),
    field("start_date", "First day", "Enter the first day"),
    field("end_date", "Last day", "Enter the last day"),
    field("timezone", "Time zone", "Choose a time zone"),
    optional("location", "Place", "Enter a place"),
    field("language", "Language", "Choose a language"),
    field("is_virtual", "The event takes place online", "Say whether the event takes place online"),
    field("is_published", "Published", "Say whether the event is published"),
    field("reminders_enabled", "Remind volunteers of their shifts", "Say whether volunteers are reminded"),
    field("theme", "Colours", "Choose the colours"),
    optional("signups_open_at", "Sign-ups open", "Enter when sign-ups open"),
    optional("signups_close_at", "Sign-ups close", "Enter when sign-ups close"),
    field("waitlist_enabled", "Volunteers can join the waiting list of a full shift", "Say whether shifts have waiting lists"),
    field("shifts", "Shifts", "Enter at least one shift"),
    field("day", "Day", "Choose a day"),
    field("start_time", "Start", "Enter a start"),
    field("end_time", "End", "Enter an end"),
    field("ends_next_day", "Ends the next day", "Say whether the shift ends the next day"),
    field("capacity", "Volunteers needed", "Enter the number of volunteers needed").called("Number of volunteers"),
    field("minimum", "Fewest volunteers to run", "Enter the fewest volunteers to run"),
    field("each_minutes", "Length of each shift (minutes)", "Enter a number of minutes").called("Length of each shift in minutes"),
    field("label", "Question", "Enter a question"),
    field("options", "Options", "Enter the options, one on each line"),
    field("required", "Volunteers have to answer", "Say whether volunteers have to answer"),
    field("position", "Order", "Enter a whole number"),
    optional("reason", "Reason", "Enter a reason"),
    field("subject", "Subject", "Enter a subject"),
    field("text", "Message", "Enter a message"),
    field("title", "Title", "Enter a title"),
    optional("description", "Description", "Enter a description"),
    optional("instructions", "Instructions for volunteers with a place", "Enter the instructions").called("Instructions"),
    field("type", "Kind", "Choose a kind"),
    field("types", "What the webhook receives", "Choose what the webhook receives"),
    field("upcoming", "Page", "Go back to the first page of the list"),
    field("url", "Web address", "Enter a web address"),
];

/// Returns the row of a field. `shifts.0.title` has the row of `shifts.title`, or else that of `title`.
fn find(name: &str) -> Option<&'static FieldWords> {
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
        "reminders_enabled" => "whether volunteers are reminded".to_owned(),
        "is_enabled" => "whether it is enabled".to_owned(),
        "waitlist_enabled" => "whether full shifts have waiting lists".to_owned(),
        "required" => "whether volunteers have to answer".to_owned(),
        "ends_next_day" => "whether it ends the next day".to_owned(),
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

/// The languages to choose from, each with its name.
pub(crate) const LANGUAGES: [(&str, &str); 5] = [
    ("en", "English"),
    ("en-US", "English (United States)"),
    ("de", "German"),
    ("fr", "French"),
    ("es", "Spanish"),
];

/// The days of a week, short and in full.
pub(crate) const WEEKDAYS: [(&str, &str); 7] = [
    ("M", "Monday"),
    ("T", "Tuesday"),
    ("W", "Wednesday"),
    ("T", "Thursday"),
    ("F", "Friday"),
    ("S", "Saturday"),
    ("S", "Sunday"),
];

/// Returns the name of a language in words.
pub(crate) fn language(name: &str) -> &str {
    LANGUAGES.iter().find(|(language, _)| *language == name).map_or(name, |(_, words)| words)
}

/// Returns the name of a theme in words. The empty name is that of the standard theme.
pub(crate) fn theme(name: &str) -> String {
    let words = if name.is_empty() { "standard".to_owned() } else { name.replace('-', " ") };
    let (first, rest) = words.split_at(1);
    first.to_uppercase() + rest
}

/// Returns the sentence about a fault, which says what to do.
pub(crate) fn mistake(name: &str, fault: &Fault) -> String {
    let field = find(name).unwrap_or(&UNKNOWN);
    // A line of the options is the value of one option, and a ticked box is a choice.
    let element = name.rsplit_once('.').and_then(|(list, index)| Some((list, index.parse::<usize>().ok()?)));
    let noun = match element {
        Some(("options", index)) => format!("Option {}", index + 1),
        Some((_, index)) => format!("Choice {}", index + 1),
        None => field.noun.to_owned(),
    };
    let ask = field.ask;
    match &fault.kind {
        FaultKind::Required
        | FaultKind::WrongType { .. }
        | FaultKind::Value(ValueError::NotOneOf { .. } | ValueError::Malformed { .. }) => ask.to_owned(),
        FaultKind::Value(ValueError::WholeNumber { min, max: Some(max) }) => {
            let (min, max) = (with_commas(*min as usize), with_commas(*max as usize));
            format!("{noun} must be a whole number from {min} to {max}")
        }
        FaultKind::Text(error) | FaultKind::WebhookUrl(WebhookUrlError::Text(error)) => {
            mistake_of_text(&noun, field, *error)
        }
        FaultKind::WebhookUrl(error) => mistake_of_webhook_url(*error).to_owned(),
        FaultKind::Time(error) => mistake_of_time(&noun, ask, *error),
        FaultKind::TooManyDays { max } => {
            let days = if *max == 1 { "1 day".to_owned() } else { format!("{max} days") };
            format!("Your plan allows events of up to {days}. Enter an earlier last day")
        }
        FaultKind::NoSuchDay { .. } if name.ends_with("each_minutes") => {
            "The shifts after midnight would be after the last day of the event. Leave the length empty"
                .to_owned()
        }
        FaultKind::NoSuchDay { days: 1 } => {
            "The event has only one day. Leave the day empty, or enter a later last day of the event"
                .to_owned()
        }
        FaultKind::NoSuchDay { days } => format!("The event has {days} days. Enter a day from 1 to {days}"),
        FaultKind::LeavesOutDay { day } => format!(
            "Day {day} of the event has shifts. Enter a later last day, or change or delete those shifts first"
        ),
        FaultKind::TooMany { max, present, .. } => too_many(name, *max, *present),
        FaultKind::Repeated => format!("{noun} is the same as one before it. Enter each one once"),
        FaultKind::OptionCount { kind: QuestionKind::Select, max } => {
            format!("{ask}. You can enter 1 to {max} options")
        }
        FaultKind::OptionCount { .. } => {
            "Only a question with a list has options. Remove them, or choose a list".to_owned()
        }
        FaultKind::Remainder { minutes } => {
            format!(
                "The time from start to end is {minutes} minutes. Enter a number that divides {minutes} without a remainder"
            )
        }
        FaultKind::Answered => {
            "The kind can’t change, because a volunteer has already answered this question".to_owned()
        }
        kind => format!("{noun} {kind}"),
    }
}

fn mistake_of_text(noun: &str, field: &FieldWords, error: TextError) -> String {
    match error {
        TextError::Blank => field.ask.to_owned(),
        TextError::Invisible => invisible(noun, field.may_be_empty, Texts::ENGLISH),
        TextError::TooLong { max } => format!("{noun} must be {} characters or fewer", with_commas(max)),
        error @ (TextError::Control { .. } | TextError::LineBreak) => {
            unusable_characters(noun, &error, Texts::ENGLISH)
        }
        TextError::Email => "Enter an email address like name@example.com".to_owned(),
        TextError::EmailUser => Texts::ENGLISH.unusable_email(),
        TextError::WebAddress => {
            "Enter a web address that begins with https://, like https://example.com".to_owned()
        }
        error => format!("{noun} {error}"),
    }
}

fn mistake_of_time(noun: &str, ask: &str, error: TimeError) -> String {
    match error {
        TimeError::Date => format!("{ask}, from 1970 to 9998"),
        TimeError::WallTime | TimeError::EndTime | TimeError::Seconds => {
            format!("{noun} must be a time such as 09:00")
        }
        TimeError::Zone => "Choose a time zone".to_owned(),
        TimeError::Order => format!("{noun} must be after the start, unless the shift ends the next day"),
        TimeError::NextDay => {
            format!(
                "{noun} must be a time of the next day, not later than the start: a shift lasts up to 24 hours"
            )
        }
        TimeError::DayOrder => format!("{noun} must not be before the first day"),
        TimeError::LocalDateTime => format!("{ask}, such as 2027-03-01T18:00"),
        TimeError::ClosesFirst => "Sign-ups must close after they open".to_owned(),
        TimeError::SignupDay => {
            "The opening and the closing of sign-ups move with the first day, and must be from 1970 to 9998"
                .to_owned()
        }
        TimeError::LastDay => {
            "The last day moves with the first day, and must be from 1970 to 9998".to_owned()
        }
        error => format!("{noun} {error}"),
    }
}

const fn mistake_of_webhook_url(error: WebhookUrlError) -> &'static str {
    match error {
        WebhookUrlError::NotHttps => "Enter a web address that begins with https://",
        WebhookUrlError::Credentials => "Enter a web address without a user name and a password",
        WebhookUrlError::Fragment => "Enter a web address without a #",
        WebhookUrlError::NotPublic => {
            "Enter a web address that everyone on the internet can reach. Private and local addresses are not allowed"
        }
        _ => "Enter a web address like https://example.com/hooks",
    }
}

/// Returns the sentence about too many items. `name` is that of the field of the new items, `present` how many there are already.
fn too_many(name: &str, max: usize, present: usize) -> String {
    let (limit, present) = (with_commas(max), with_commas(present));
    match name {
        "shifts" if present == "0" => {
            format!(
                "You can add up to {limit} shifts at once. Leave out some rows, or make each shift longer"
            )
        }
        "shifts" => {
            format!(
                "An event can have up to {limit} shifts, and this one already has {present}. Add fewer shifts"
            )
        }
        "label" => format!(
            "An event can have up to {limit} questions, and this one already has {present}. Delete a question first"
        ),
        "url" => format!(
            "An organization can have up to {limit} webhooks, and yours already has {present}. Delete a webhook first"
        ),
        "types" => format!("Choose up to {limit} things that the webhook receives"),
        name => format!("{} can have up to {limit} choices", label(name)),
    }
}

/// Returns a number with a comma before each group of three digits, such as `1,000`.
fn with_commas(number: usize) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests;
