//! The sign-ups of an event, and the volunteers of an organization, as tables for spreadsheets: CSV (RFC 4180) in UTF-8 with a byte
//! order mark, without which spreadsheets misread "Müller". The cells can be separated by semicolons, because Excel expects them
//! where the decimal mark is a comma.
//!
//! Texts that people typed are quoted, and cannot become formulas (OWASP, CSV Injection). A telephone number may be calculated: it
//! has no function and no cell in it.

use std::collections::BTreeSet;
use std::iter;

use signup_core::{
    Answer, Attendance, EventSignups, Faults, Label, PersonName, Question, ScheduledShift, ShiftSignups,
    SignedDuration, Signup, ValueError, Volunteer,
};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

use crate::page::times::Times;
use crate::texts::Texts;
use crate::wire::{self, Instant};

/// The byte order mark, which the file begins with.
pub(crate) const MARK: char = '\u{feff}';
/// The end of each line.
pub(crate) const LINE_END: &str = "\r\n";
/// The columns before those of the questions, and after them.
const COLUMNS: ([&str; 12], [&str; 3]) = (
    [
        "shift",
        "date",
        "start_time",
        "end_time",
        "name",
        "email",
        "status",
        "created_at",
        "cancelled_at",
        "cancelled_by",
        "attendance",
        "hours",
    ],
    ["id", "event_id", "slot_id"],
);

/// What stands between two cells.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Separator {
    Comma,
    Semicolon,
}

impl Separator {
    /// Reads the name of a separator. An empty one stands for the comma.
    pub(crate) fn named(name: &str) -> Result<Self, Faults> {
        match name {
            "" | "comma" => Ok(Self::Comma),
            "semicolon" => Ok(Self::Semicolon),
            _ => Err(Faults::one("separator", ValueError::NotOneOf { names: &["comma", "semicolon"] })),
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Comma => ",",
            Self::Semicolon => ";",
        }
    }

    /// Returns a number as a spreadsheet reads it that expects this separator: with a decimal comma beside semicolons.
    fn number(self, number: &str) -> String {
        match self {
            Self::Comma => number.to_owned(),
            Self::Semicolon => number.replace('.', ","),
        }
    }
}

/// Returns the lines of the table without the [`MARK`] and the [ends](LINE_END): the heading, and one for each sign-up, in the
/// running order of the shifts and then by name. The date and the times of a shift are those of its event's zone.
///
/// After a column for each question comes one for each further label in the answers, in alphabetical order. They are the
/// labels of questions that are gone.
pub(crate) fn signup_table(all: EventSignups, separator: Separator) -> impl Iterator<Item = String> {
    let EventSignups { questions, shifts, .. } = all;
    let gone = labels_gone(&questions, shifts.iter().flat_map(|shift| &shift.signups));
    let labels = questions.iter().map(|question| &question.label).chain(&gone);
    let labels = labels.map(|label| text(label.as_str()));
    let (first, last) = (COLUMNS.0.map(str::to_owned), COLUMNS.1.map(str::to_owned));
    let heading: Vec<_> = first.into_iter().chain(labels).chain(last).collect();
    let rows = shifts.into_iter().flat_map(move |ShiftSignups { shift, signups, .. }| {
        signups
            .into_iter()
            .map(|signup| row(&questions, &gone, &shift, &signup, separator))
            .collect::<Vec<_>>()
    });
    iter::once(heading).chain(rows).map(move |cells| cells.join(separator.text()))
}

/// Returns the labels of the answers whose question is none of the event's `questions`.
pub(crate) fn labels_gone<'a>(
    questions: &[Question],
    signups: impl Iterator<Item = &'a Signup>,
) -> BTreeSet<Label> {
    let answers = signups.flat_map(|signup| &signup.answers);
    answers.filter(|answer| is_gone(questions, answer)).map(|answer| answer.label.clone()).collect()
}

/// Returns whether the question of an answer is none of the event's `questions`.
fn is_gone(questions: &[Question], answer: &Answer) -> bool {
    questions.iter().all(|question| question.id != answer.question_id)
}

fn row(
    questions: &[Question],
    gone: &BTreeSet<Label>,
    shift: &ScheduledShift,
    signup: &Signup,
    separator: Separator,
) -> Vec<String> {
    let (interval, zone) = (shift.interval(), shift.first_day.zone());
    let times = Times::of(interval, zone, Texts::ENGLISH);
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
        signup.attendance.map(Attendance::name).unwrap_or_default().to_owned(),
        signup.time_helped(shift).map(|time| separator.number(&hours(time))).unwrap_or_default(),
    ];
    let answers = answer_cells(questions, gone, signup);
    let answers = answers.map(|cell| if cell.is_empty() { cell } else { text(&cell) });
    let ids = [signup.id.to_string(), signup.event.to_string(), signup.shift.to_string()];
    fixed.into_iter().chain(answers).chain(ids).collect()
}

/// Returns the lines of the table of volunteers, like [`signup_table`]. The first and the last day are those of the shifts' events.
pub(crate) fn volunteer_table(
    volunteers: &[Volunteer],
    separator: Separator,
) -> impl Iterator<Item = String> {
    let heading = ["names", "email", "signups", "attended", "absent", "hours", "first_day", "last_day"];
    let rows = volunteers.iter().map(move |volunteer| {
        let names: Vec<_> = volunteer.names.iter().map(PersonName::as_str).collect();
        let (first, last) = volunteer.starts.unzip();
        [
            text(&names.join("; ")),
            text(volunteer.email.as_str()),
            volunteer.confirmed.to_string(),
            volunteer.attended.to_string(),
            volunteer.absent.to_string(),
            separator.number(&hours(volunteer.time_helped)),
            first.map(|start| start.date.to_string()).unwrap_or_default(),
            last.map(|start| start.date.to_string()).unwrap_or_default(),
        ]
    });
    iter::once(heading.map(str::to_owned)).chain(rows).map(move |cells| cells.join(separator.text()))
}

/// Returns a duration in hours, as a decimal number with at most two places, such as `1.5`.
pub(crate) fn hours(duration: SignedDuration) -> String {
    let hundredths = (duration.as_secs() + 18) / 36;
    let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns the cells of a sign-up's answers: one for each of the event's `questions`, and one for each label in `gone`. A cell
/// is empty if the volunteer has not answered.
pub(crate) fn answer_cells(
    questions: &[Question],
    gone: &BTreeSet<Label>,
    signup: &Signup,
) -> impl Iterator<Item = String> {
    let cell = |is_in_column: &dyn Fn(&Answer) -> bool| {
        let answers = signup.answers.iter().filter(|answer| is_in_column(answer));
        answers.map(|answer| answer.value.as_str()).collect::<Vec<_>>().join("; ")
    };
    let present = questions.iter().map(move |question| cell(&|answer| answer.question_id == question.id));
    let gone =
        gone.iter().map(move |label| cell(&|answer| answer.label == *label && is_gone(questions, answer)));
    present.chain(gone)
}

/// Quotes a text, and puts an apostrophe before each place where a spreadsheet could read a formula: at the beginning, and behind a
/// character that a spreadsheet could take as the end of a cell. What a spreadsheet may trim can stand before it. A telephone
/// number stays as it is.
fn text(text: &str) -> String {
    let mut cell = String::with_capacity(text.len() + 2);
    cell.push('"');
    let mut is_beginning = !is_telephone_number(text);
    for character in text.chars() {
        if is_beginning && is_formula(character) {
            cell.push('\'');
        }
        if character == '"' {
            cell.push('"');
        }
        cell.push(character);
        is_beginning =
            matches!(character, ';' | ',' | '\t' | '\n' | '\r') || is_beginning && can_be_trimmed(character);
    }
    cell.push('"');
    cell
}

/// Returns whether a text is a telephone number in international form: `+49 30 901820`.
fn is_telephone_number(text: &str) -> bool {
    let Some(number) = text.strip_prefix('+') else { return false };
    number.contains(|c: char| c.is_ascii_digit())
        && number.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '(' | ')' | '-' | '.' | '/'))
}

/// Returns whether a cell that begins with this character could be a formula. Some spreadsheets also read the full-width and
/// the small forms.
const fn is_formula(character: char) -> bool {
    matches!(
        character,
        '=' | '+' | '-' | '@' | '\t' | '\r' | '＝' | '＋' | '－' | '＠' | '﹦' | '﹢' | '﹣' | '﹫'
    )
}

/// Returns whether a spreadsheet could leave the character out at the beginning of a cell: a quote, white space of any width,
/// and characters that are not visible.
fn can_be_trimmed(character: char) -> bool {
    character == '"'
        || character.is_whitespace()
        || character.is_control()
        || character.general_category() == GeneralCategory::Format
}

#[cfg(test)]
mod tests {
    use signup_core::{Day, NewSignup, QuestionId};

    use super::*;
    use crate::sample_event::sample_event;

    /// Returns the table of an event with a sign-up that has these answers, and none of the questions. The shift lasts
    /// from `00:00` of `date` to the end of that day in Havana.
    async fn table(date: &str, answers: &[(QuestionId, &str, &str)]) -> Vec<String> {
        let answers = answers.iter().map(|(question, label, value)| {
            Answer::new(*question, label.parse().unwrap(), value.parse().unwrap())
        });
        table_of(date, |signup| signup.answers.extend(answers)).await
    }

    /// Returns the table of an event with one sign-up, after this change of it.
    async fn table_of(date: &str, change: impl FnOnce(&mut Signup)) -> Vec<String> {
        let (service, created) = sample_event().await;
        let (event, shift) = (created.event, created.shifts[0].clone());
        let form = service.volunteers().form(&event.slug, [shift.id]).await.unwrap();
        let new = NewSignup::new("Ada".parse().unwrap(), "ada@example.org".parse().unwrap());
        drop(form.sign_up(new).await.unwrap().into_places().unwrap());
        let mut all = service.admin().event_signups(event.id).await.unwrap();
        change(&mut all.shifts[0].signups[0]);
        let day = Day::new(date.parse().unwrap(), "America/Havana".parse().unwrap());
        all.shifts[0].shift = ScheduledShift::new((*shift).clone(), day, false);
        signup_table(all, Separator::Comma).collect()
    }

    #[tokio::test]
    async fn a_shift_that_ends_with_its_day_ends_at_24_00() {
        // After 7 March 2026 the next day begins at 01:00.
        for date in ["2026-03-06", "2026-03-07"] {
            let row = &table(date, &[]).await[1];
            assert!(row.starts_with(&format!("\"Early\",{date},00:00,24:00,\"Ada\",")), "{row}");
        }
    }

    #[tokio::test]
    async fn answers_to_questions_that_are_gone_have_a_column_for_each_label() {
        let (one, other) = (QuestionId::NONE, QuestionId::MAX);
        let table =
            table("2027-03-12", &[(one, "Size", "=M"), (other, "Diet", "vegan"), (other, "Size", "L")]).await;
        assert!(table[0].ends_with(",hours,\"Diet\",\"Size\",id,event_id,slot_id"), "{table:?}");
        assert!(table[1].contains(",\"vegan\",\"'=M; L\","), "{table:?}");
    }

    #[tokio::test]
    async fn a_volunteer_who_attended_has_the_hours_of_the_shift() {
        // In Havana, the 8th of March 2026 has 23 hours.
        for (date, attendance, cells) in [
            ("2026-03-06", None, ",,,"),
            ("2026-03-06", Some(Attendance::Attended), ",attended,24,"),
            ("2026-03-08", Some(Attendance::Attended), ",attended,23,"),
            ("2026-03-08", Some(Attendance::Absent), ",absent,,"),
        ] {
            let row = &table_of(date, |signup| signup.attendance = attendance).await[1];
            assert!(row.contains(&format!("+00:00,,{cells}")), "{row}");
        }
    }

    #[test]
    fn hours_are_a_decimal_number_with_at_most_two_places() {
        let minutes =
            [(1, "0.02"), (20, "0.33"), (40, "0.67"), (60, "1"), (90, "1.5"), (615, "10.25"), (6000, "100")];
        for (minutes, text) in minutes {
            assert_eq!(hours(SignedDuration::from_mins(minutes)), text);
        }
        assert_eq!([Separator::Comma, Separator::Semicolon].map(|of| of.number("1.5")), ["1.5", "1,5"]);
    }

    #[test]
    fn a_text_that_could_be_a_formula_is_made_harmless_and_every_other_is_kept() {
        for (given, cell) in [
            ("Ada", "\"Ada\""),
            ("Ada \"A\"", "\"Ada \"\"A\"\"\""),
            ("a=b, c-d; e@f", "\"a=b, c-d; e@f\""),
            ("=1+1", "\"'=1+1\""),
            ("+1+1", "\"'+1+1\""),
            ("+1=A1", "\"'+1=A1\""),
            ("+1;+A1", "\"'+1;'+A1\""),
            ("+", "\"'+\""),
            (" +49", "\" '+49\""),
            ("+49 (30) 901820-1.2/3", "\"+49 (30) 901820-1.2/3\""),
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
            ("a; =1", "\"a; '=1\""),
            ("a;\u{a0}\u{200b}=1", "\"a;\u{a0}\u{200b}'=1\""),
            ("  =1", "\"  '=1\""),
            ("\u{feff}\u{2060}\0@a", "\"\u{feff}\u{2060}\0'@a\""),
            (" \" +1", "\" \"\" '+1\""),
            ("﹦1", "\"'﹦1\""),
            ("﹢1", "\"'﹢1\""),
            ("﹣1", "\"'﹣1\""),
            ("﹫a", "\"'﹫a\""),
            ("a; b =1", "\"a; b =1\""),
            ("|a;%b", "\"|a;%b\""),
        ] {
            assert_eq!(text(given), cell, "{given:?}");
        }
    }
}
