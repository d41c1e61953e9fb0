//! The JSON of errors. Every error has a `message`.
//!
//! The library reports faults as data. This module adds the wording that needs names of the API.
//!
//! **Invariant:** no other module converts the path of a fault to a field name.

use serde::{Serialize, Serializer};
use signup_core::{Fault, FaultKind, FaultPath, Faults, PathStep, Scope, TimeError, ValueType};
use uuid::Uuid;

use super::Event;

/// The member of `errors` that says how many unknown names are not listed. An unknown name that equals it is one of them.
const MORE: &str = "_more";

/// An error that consists of a message.
#[derive(Debug, Serialize)]
pub(crate) struct MessageBody<'a> {
    pub(crate) message: &'a str,
}

/// A refusal because of the state of a record, with a code for programs.
#[derive(Debug, Serialize)]
pub(crate) struct Conflict {
    pub(crate) message: &'static str,
    pub(crate) error: &'static str,
}

/// A refusal because another record has the external id.
#[derive(Debug, Serialize)]
pub(crate) struct ExternalIdTaken {
    message: &'static str,
    error: &'static str,
    existing_id: Uuid,
}

impl ExternalIdTaken {
    pub(crate) const fn new(existing_id: Uuid) -> Self {
        let message = "Another event, or another slot of the event, already has this external_id.";
        Self { message, error: "external_id_taken", existing_id }
    }
}

/// A refusal because the token lacks a scope.
#[derive(Debug, Serialize)]
pub(crate) struct MissingScope {
    message: &'static str,
    required_scope: &'static str,
}

impl MissingScope {
    pub(crate) const fn new(scope: Scope) -> Self {
        Self { message: "Invalid ability provided.", required_scope: scope.name() }
    }
}

/// A validation error: the first fault, the number of further faults, and the messages of all faults by field.
#[derive(Debug, Serialize)]
pub(crate) struct Validation<'a> {
    message: String,
    errors: ByField<'a>,
}

impl<'a> Validation<'a> {
    pub(crate) fn new(faults: &'a Faults) -> Self {
        let first = faults.iter().next().map_or_else(|| "The input is not valid.".to_owned(), sentence);
        let message = match faults.len().saturating_sub(1) {
            0 => first,
            1 => format!("{first} (and 1 more error)"),
            more => format!("{first} (and {more} more errors)"),
        };
        Self { message, errors: ByField(faults) }
    }
}

/// Returns the name of a fault's field in the spelling of the JSON, header or form, such as `shifts.0.title`.
pub(crate) fn field_name(path: &FaultPath) -> String {
    if path.is_whole_input() {
        return "body".to_owned();
    }
    let names = path.steps().iter().map(|step| match step {
        PathStep::Field("answers") => "answer".to_owned(),
        PathStep::Field("idempotency_key") => "Idempotency-Key".to_owned(),
        PathStep::Field(name) => (*name).to_owned(),
        PathStep::Index(index) => index.to_string(),
        PathStep::Question(id) => id.to_string(),
        PathStep::Member(name) => name.to_string(),
        // A step that is newer than this mapping.
        step => format!("{step:?}"),
    });
    names.collect::<Vec<_>>().join(".")
}

/// Returns the predicate of the sentence about a fault, without the field name and the full stop.
fn predicate(fault: &Fault) -> String {
    match (fault.path.steps(), &fault.kind) {
        ([], FaultKind::WrongType { expected: ValueType::Object }) => "must be a JSON object".to_owned(),
        (_, FaultKind::Time(TimeError::Order)) => {
            "must be after start_time on the same day, or send ends_next_day".to_owned()
        }
        (_, FaultKind::Time(TimeError::NextDay)) => {
            "must be a time of the next day, not later than start_time".to_owned()
        }
        (_, FaultKind::LeavesOutDay { day }) => format!("must not leave out day {day}, which has slots"),
        ([PathStep::Field("to")], FaultKind::Time(TimeError::DayOrder)) => {
            "must not be before from".to_owned()
        }
        (_, FaultKind::Time(TimeError::DayOrder)) => "must not be before start_date".to_owned(),
        (_, FaultKind::Time(TimeError::ClosesFirst)) => "must be after signups_open_at".to_owned(),
        ([PathStep::Field("cursor")], FaultKind::Value(_)) => {
            "must be an unmodified cursor of the same list and order".to_owned()
        }
        ([PathStep::Field("shifts")], FaultKind::TooMany { max, present: present @ 1.., .. }) => {
            format!("must not give the event more than {max} slots: it has {present}")
        }
        ([PathStep::Field("options"), PathStep::Index(_)], FaultKind::Repeated) => {
            "must differ from the other options".to_owned()
        }
        ([PathStep::Field("types"), PathStep::Index(_)], FaultKind::Repeated) => {
            "must differ from the other types".to_owned()
        }
        ([.., PathStep::Field("external_id")], FaultKind::Repeated) => {
            "must differ from that of the other slots".to_owned()
        }
        ([PathStep::Field("types")], FaultKind::Required) => {
            "must have at least one item, such as *".to_owned()
        }
        (_, kind) => kind.to_string(),
    }
}

fn sentence(fault: &Fault) -> String {
    let (name, predicate) = (field_name(&fault.path), predicate(fault));
    match (fault.path.steps(), &fault.kind) {
        ([], FaultKind::Required) => "The request has no body. Send a JSON object.".to_owned(),
        ([], _) => format!("The {name} {predicate}."),
        ([PathStep::Member(_)], FaultKind::Unknown { meant: Some("shifts") }) if name == Event::SLOTS => {
            "Send shifts to create shifts.".to_owned()
        }
        ([PathStep::Member(_)], FaultKind::Unknown { meant: Some(meant) }) if name == Event::SLOTS => {
            format!("Send {meant} to change a shift.")
        }
        (_, FaultKind::Unknown { meant: Some(meant) }) => {
            format!("The {name} field {predicate}. Did you mean {meant}?")
        }
        ([PathStep::Field("label")], FaultKind::TooMany { max, .. }) => {
            format!("The event already has {max} questions, which is the limit.")
        }
        ([PathStep::Field("url")], FaultKind::TooMany { max, .. }) => {
            format!("The organization already has {max} webhooks, which is the limit. Delete one first.")
        }
        _ => format!("The {name} field {predicate}."),
    }
}

#[derive(Debug)]
struct ByField<'a>(&'a Faults);

impl Serialize for ByField<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Faults of the same field are adjacent.
        let faults: Vec<_> = self.0.iter().filter(|fault| field_name(&fault.path) != MORE).collect();
        let fields = faults.chunk_by(|a, b| a.path == b.path).map(|same_field| {
            let messages: Vec<_> = same_field.iter().map(|fault| sentence(fault)).collect();
            (field_name(&same_field[0].path), messages)
        });
        let more = match self.0.len() - faults.len() {
            0 => None,
            1 => Some("1 more field is unknown.".to_owned()),
            more => Some(format!("{more} more fields are unknown.")),
        };
        serializer.collect_map(fields.chain(more.map(|more| (MORE.to_owned(), vec![more]))))
    }
}

/// The error for a plan that allows no further active event.
#[derive(Debug, Serialize)]
pub(crate) struct PlanLimit {
    message: String,
    error: &'static str,
    limit: Limit,
}

#[derive(Debug, Serialize)]
struct Limit {
    limit_type: &'static str,
    current_count: u32,
    max_allowed: u32,
}

impl PlanLimit {
    pub(crate) fn new(current_count: u32, max_allowed: u32) -> Self {
        Self {
            message: format!(
                "Your plan allows {max_allowed} active events, and {current_count} are active. Cancel or delete one, or wait \
                 until one is over."
            ),
            error: "plan_limit_reached",
            limit: Limit { limit_type: "active_events", current_count, max_allowed },
        }
    }
}

#[cfg(test)]
mod tests {
    use signup_core::{Position, QuestionId, SignupId, UnknownName};

    use super::*;

    #[test]
    fn a_message_uses_the_field_names_of_the_api() {
        let not_json = FaultKind::NotJson { line: 1, column: 9 };
        let shift = FaultPath::new().field("shifts").index(0);
        for (fault, field, sentence) in [
            (Fault::new(FaultPath::new(), not_json), "body", "The body is not JSON (line 1, column 9)."),
            (
                Fault::new(FaultPath::new(), FaultKind::Required),
                "body",
                "The request has no body. Send a JSON object.",
            ),
            (Fault::new(FaultPath::new(), ValueType::Object), "body", "The body must be a JSON object."),
            (Fault::new("title", FaultKind::Required), "title", "The title field is required."),
            (
                Fault::new(shift.field("end_time"), TimeError::Order),
                "shifts.0.end_time",
                "The shifts.0.end_time field must be after start_time on the same day, or send ends_next_day.",
            ),
            (
                Fault::new("end_time", TimeError::NextDay),
                "end_time",
                "The end_time field must be a time of the next day, not later than start_time.",
            ),
            (
                Fault::new("end_date", FaultKind::LeavesOutDay { day: 3 }),
                "end_date",
                "The end_date field must not leave out day 3, which has slots.",
            ),
            (
                Fault::new("day", FaultKind::NoSuchDay { days: 3 }),
                "day",
                "The day field must be a day of the event, from 1 to 3.",
            ),
            (
                Fault::new("end_date", TimeError::DayOrder),
                "end_date",
                "The end_date field must not be before start_date.",
            ),
            (
                Fault::new("cursor", "altered".parse::<Position<SignupId>>().unwrap_err()),
                "cursor",
                "The cursor field must be an unmodified cursor of the same list and order.",
            ),
            (Fault::new("to", TimeError::DayOrder), "to", "The to field must not be before from."),
            (
                Fault::new("label", FaultKind::TooMany { items: "questions", max: 50, present: 50 }),
                "label",
                "The event already has 50 questions, which is the limit.",
            ),
            (
                Fault::new("url", FaultKind::TooMany { items: "webhooks", max: 16, present: 16 }),
                "url",
                "The organization already has 16 webhooks, which is the limit. Delete one first.",
            ),
            (
                Fault::new("idempotency_key", FaultKind::Repeated),
                "Idempotency-Key",
                "The Idempotency-Key field must be given only once.",
            ),
            (
                Fault::new(
                    FaultPath::new().field("answers").question(QuestionId::NONE),
                    FaultKind::NotTicked,
                ),
                "answer.00000000-0000-0000-0000-000000000000",
                "The answer.00000000-0000-0000-0000-000000000000 field must be ticked.",
            ),
        ] {
            let json = serde_json::to_string(&Validation::new(&fault.into())).unwrap();
            assert_eq!(json, format!(r#"{{"message":"{sentence}","errors":{{"{field}":["{sentence}"]}}}}"#));
        }
    }

    #[test]
    fn the_message_is_the_first_fault_and_the_number_of_further_faults() {
        let mut faults = Faults::one("title", FaultKind::Required);
        faults.add("title", FaultKind::Repeated);
        let two = serde_json::to_string(&Validation::new(&faults)).unwrap();
        assert_eq!(
            two,
            r#"{"message":"The title field is required. (and 1 more error)","errors":{"title":["The title field is required.","The title field must be given only once."]}}"#
        );
        faults.add("timezone", FaultKind::Required);
        assert_eq!(Validation::new(&faults).message, "The title field is required. (and 2 more errors)");
    }

    fn unknown(name: &str) -> UnknownName<'_> {
        UnknownName { shift: None, name }
    }

    #[test]
    fn an_unknown_name_that_is_the_member_for_the_others_is_counted_there() {
        let mut faults = Faults::new();
        faults.add_unknown(["a", "_more"].map(unknown));
        let json = serde_json::to_value(Validation::new(&faults)).unwrap();
        let sentence = "The a field is unknown.";
        assert_eq!(
            json,
            serde_json::json!({
                "message": format!("{sentence} (and 1 more error)"),
                "errors": {"a": [sentence], "_more": ["1 more field is unknown."]}
            })
        );
    }

    #[test]
    fn an_unknown_name_is_shown_with_what_was_probably_meant() {
        for (name, meant, expected) in [
            ("limit", Some("per_page"), "The limit field is unknown. Did you mean per_page?"),
            ("since", None, "The since field is unknown."),
            ("slots", Some("shifts"), "Send shifts to create shifts."),
            ("slots", Some("PATCH /v1/slots/{id}"), "Send PATCH /v1/slots/{id} to change a shift."),
            ("slots", None, "The slots field is unknown."),
        ] {
            let mut faults = Faults::new();
            faults.add_unknown([unknown(name)]);
            let faults = faults.with_meant(|_| meant);
            let json = serde_json::to_value(Validation::new(&faults)).unwrap();
            assert_eq!(json, serde_json::json!({"message": expected, "errors": {name: [expected]}}));
        }
    }

    #[test]
    fn an_error_lists_100_unknown_names_and_says_how_many_there_are() {
        for (number, more) in [
            (100, None),
            (101, Some("1 more field is unknown.")),
            (12_000, Some("11900 more fields are unknown.")),
        ] {
            let mut faults = Faults::one("title", FaultKind::Required);
            let names: Vec<_> = (0..number).map(|number| format!("x{number}")).collect();
            faults.add_unknown(names.iter().map(|name| unknown(name)));
            faults.add("reason", FaultKind::Repeated);
            let json = serde_json::to_value(Validation::new(&faults)).unwrap();
            let errors = json["errors"].as_object().unwrap();
            assert_eq!(
                json["message"],
                format!("The title field is required. (and {} more errors)", number + 1)
            );
            assert_eq!(errors.len(), 102 + usize::from(more.is_some()));
            assert!(
                errors.contains_key("x99") && !errors.contains_key("x100") && errors.contains_key("reason")
            );
            assert_eq!(errors.get(MORE), more.map(|more| serde_json::json!([more])).as_ref());
        }
    }
}
