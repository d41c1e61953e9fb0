//! Sign-ups as CSV (RFC 4180, but each row ends with LF instead of CRLF).

use signup_core::{Question, QuestionId, Signup};

use crate::output::{self, Failure};
use crate::wire::{self, Instant};

/// Prints a table of sign-ups, row by row.
pub(super) struct CsvTable {
    questions: Vec<QuestionId>,
}

impl CsvTable {
    /// Prints the heading: the fixed columns, and one for each current question of the event.
    pub(super) fn begin(questions: &[Question]) -> Result<Self, Failure> {
        let fixed = [
            "id",
            "event_id",
            "slot_id",
            "name",
            "email",
            "status",
            "cancelled_at",
            "cancelled_by",
            "created_at",
        ];
        let labels = questions.iter().map(|question| escape_formula(question.label.as_str()));
        row(fixed.into_iter().map(str::to_owned).chain(labels))?;
        Ok(Self { questions: questions.iter().map(|question| question.id).collect() })
    }

    pub(super) fn print(&self, signups: &[Signup]) -> Result<(), Failure> {
        signups.iter().try_for_each(|signup| {
            let fixed = [
                signup.id.to_string(),
                signup.event.to_string(),
                signup.shift.to_string(),
                escape_formula(signup.name.as_str()),
                escape_formula(signup.email.as_str()),
                signup.status().name().to_owned(),
                signup.cancelled_at().map_or_else(String::new, |at| Instant(at).to_string()),
                signup.cancelled_by().map(wire::cancelled_by).unwrap_or_default().to_owned(),
                Instant(signup.created_at).to_string(),
            ];
            let answers = self.questions.iter().map(|id| {
                let answer = signup.answers.iter().find(|answer| answer.question_id == *id);
                answer.map_or_else(String::new, |answer| escape_formula(answer.value.as_str()))
            });
            row(fixed.into_iter().chain(answers))
        })
    }
}

/// Prints a row.
fn row(cells: impl Iterator<Item = String>) -> Result<(), Failure> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(vec![]);
    let failed = |error: &dyn std::fmt::Display| Failure::Line(format!("cannot write the table: {error}"));
    writer.write_record(cells.collect::<Vec<_>>()).map_err(|error| failed(&error))?;
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    let text = String::from_utf8(bytes).map_err(|error| failed(&error))?;
    output::print_line(text.trim_end_matches('\n'))
}

/// Puts an apostrophe before a text that a spreadsheet could read as a formula (OWASP, CSV Injection).
fn escape_formula(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text.to_owned() }
}
