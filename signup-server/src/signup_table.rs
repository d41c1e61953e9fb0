//! The sign-ups of an event as a table for spreadsheets: CSV (RFC 4180, but each row ends with LF instead of CRLF) in UTF-8
//! with a byte order mark, without which spreadsheets misread "Müller".
//!
//! Texts that people typed are quoted, and cannot become formulas (OWASP, CSV Injection).

use std::collections::HashMap;
use std::iter;

use signup_core::{Question, ScheduledShift, ShiftId, Signup, sort_by_running_order};

use crate::page::times::Times;
use crate::wire::{self, Instant};

/// The byte order mark.
const MARK: char = '\u{feff}';
/// The columns before those of the questions, and after them.
const COLUMNS: (&str, &str) = (
    "shift,date,start_time,end_time,name,email,status,created_at,cancelled_at,cancelled_by",
    "id,event_id,slot_id",
);

/// Returns the lines of the table: the heading, and one for each sign-up, in the running order of the shifts and then by
/// name. The date and the times of a shift are those of its event's zone.
///
/// `shifts` has every shift that a sign-up refers to, deleted ones too.
pub(crate) fn signup_table(
    questions: &[Question],
    mut shifts: Vec<ScheduledShift>,
    mut signups: Vec<Signup>,
) -> impl Iterator<Item = String> {
    sort_by_running_order(&mut shifts);
    let places: HashMap<ShiftId, usize> =
        shifts.iter().enumerate().map(|(place, shift)| (shift.id, place)).collect();
    signups.sort_by_cached_key(|signup| {
        (places.get(&signup.shift).copied(), signup.name.as_str().to_lowercase(), signup.id)
    });
    let labels: String = questions.iter().map(|question| text(question.label.as_str()) + ",").collect();
    let heading = format!("{MARK}{},{labels}{}", COLUMNS.0, COLUMNS.1);
    let rows = signups.into_iter().filter_map(move |signup| {
        let place = places.get(&signup.shift)?;
        Some(row(questions, shifts.get(*place)?, &signup))
    });
    iter::once(heading).chain(rows)
}

fn row(questions: &[Question], shift: &ScheduledShift, signup: &Signup) -> String {
    let (interval, zone) = (shift.interval(), shift.day.zone());
    let times = Times::of(interval, zone);
    let fixed = [
        text(shift.title.as_str()),
        zone.rules().to_datetime(interval.start).date().to_string(),
        times.start.clock,
        times.end.clock,
        text(signup.name.as_str()),
        text(signup.email.as_str()),
        signup.status().name().to_owned(),
        Instant(signup.created_at).to_string(),
        signup.cancelled_at().map_or_else(String::new, |at| Instant(at).to_string()),
        signup.cancelled_by().map(wire::cancelled_by).unwrap_or_default().to_owned(),
    ];
    let answers = questions.iter().map(|question| {
        let answer = signup.answers.iter().find(|answer| answer.question_id == question.id);
        answer.map_or_else(String::new, |answer| text(answer.value.as_str()))
    });
    let ids = [signup.id.to_string(), signup.event.to_string(), signup.shift.to_string()];
    fixed.into_iter().chain(answers).chain(ids).collect::<Vec<_>>().join(",")
}

/// Quotes a text, and puts an apostrophe before each place where a spreadsheet could read a formula: at the beginning, and
/// behind a character that a spreadsheet could take as the end of a cell.
fn text(text: &str) -> String {
    let mut cell = String::with_capacity(text.len() + 2);
    cell.push('"');
    let mut is_beginning = true;
    for character in text.chars() {
        if is_beginning && is_formula(character) {
            cell.push('\'');
        }
        if character == '"' {
            cell.push('"');
        }
        cell.push(character);
        // A cell may begin with a quote.
        is_beginning =
            matches!(character, ';' | ',' | '\t' | '\n' | '\r') || is_beginning && character == '"';
    }
    cell.push('"');
    cell
}

/// Returns whether a cell that begins with this character could be a formula. Some spreadsheets also read the full-width forms.
fn is_formula(character: char) -> bool {
    matches!(character, '=' | '+' | '-' | '@' | '\t' | '\r' | '＝' | '＋' | '－' | '＠')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_could_be_a_formula_is_made_harmless_and_every_other_is_kept() {
        for (given, cell) in [
            ("Ada", "\"Ada\""),
            ("Ada \"A\"", "\"Ada \"\"A\"\"\""),
            ("a=b, c-d; e@f", "\"a=b, c-d; e@f\""),
            ("=1+1", "\"'=1+1\""),
            ("+49 30", "\"'+49 30\""),
            ("-Bob", "\"'-Bob\""),
            ("@SUM(A1)", "\"'@SUM(A1)\""),
            ("\tx", "\"'\tx\""),
            ("\rx", "\"'\rx\""),
            ("＝1", "\"'＝1\""),
            ("＋1", "\"'＋1\""),
            ("－1", "\"'－1\""),
            ("＠a", "\"'＠a\""),
            ("a;=1", "\"a;'=1\""),
            ("a,+1", "\"a,'+1\""),
            ("a\t-1", "\"a\t'-1\""),
            ("a\n@b\r\n＝c", "\"a\n'@b\r\n'＝c\""),
            ("a;\"=1", "\"a;\"\"'=1\""),
            ("\"=1", "\"\"\"'=1\""),
        ] {
            assert_eq!(text(given), cell, "{given:?}");
        }
    }
}
