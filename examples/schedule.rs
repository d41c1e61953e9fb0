//! Reads a schedule of several days from a CSV file: a line for each shift.
//!
//! The columns stand in any order: `day` such as `2027-07-02`, `start` and `end` such as `09:00`, `title`, `place`, `places`,
//! `minimum`, `description` and `id`. An end at or before the start is on the next day, and `24:00` is the end of the day.
//! Place, minimum and description may be empty.

use std::collections::HashMap;

use csv::{ReaderBuilder, StringRecord, Trim};
use jiff::civil::{Date, Time};
use serde::{Deserialize, Serialize};

const COLUMNS: [&str; 9] =
    ["day", "start", "end", "title", "place", "places", "minimum", "description", "id"];

/// A shift, and the number of its line in the file.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) number: usize,
    pub(crate) shift: Shift,
}

/// A shift, as the API takes it. In answers the times are `local_start_time` and `local_end_time`.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Shift {
    /// The id. Every line has one.
    pub(crate) external_id: Option<String>,
    pub(crate) title: String,
    pub(crate) description: Option<String>,
    pub(crate) location: Option<String>,
    /// The number of the day of the event, from 1.
    pub(crate) day: i32,
    #[serde(rename(deserialize = "local_start_time"))]
    pub(crate) start_time: String,
    #[serde(rename(deserialize = "local_end_time"))]
    pub(crate) end_time: String,
    pub(crate) ends_next_day: bool,
    pub(crate) capacity: u32,
    pub(crate) minimum: Option<u32>,
}

/// Reads the schedule of an event with this first day.
///
/// # Errors
/// Returns every fault, each with the number of its line. The server checks what is not checked here, such as lengths.
pub(crate) fn read(text: &str, first_day: Date) -> Result<Vec<Line>, Vec<String>> {
    let text = text.trim_start_matches('\u{feff}');
    if let Some(line) = unclosed_quotation(text) {
        return Err(vec![format!(
            "line {line}: a value begins with a quotation mark and does not end with one"
        )]);
    }
    let mut reader = ReaderBuilder::new().flexible(true).trim(Trim::All).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| vec![error.to_string()])?.clone();
    let missing = COLUMNS.iter().filter(|column| !header.iter().any(|name| name == **column));
    let mut faults: Vec<_> =
        missing.map(|column| format!("line 1: the column {column} is missing")).collect();
    if !faults.is_empty() {
        return Err(faults);
    }
    let (mut lines, mut lines_of_ids) = (vec![], HashMap::new());
    for record in reader.into_records() {
        let record = record.map_err(|error| vec![error.to_string()])?;
        let number = line_number(text, &record);
        let mut fault = |text: String| faults.push(format!("line {number}: {text}"));
        if record.len() != header.len() {
            fault(format!("{} values instead of {}", record.len(), header.len()));
            continue;
        }
        let shift = shift(&header, &record, first_day, &mut fault);
        if let Some(id) = &shift.external_id
            && let Some(earlier) = lines_of_ids.insert(id.clone(), number)
        {
            fault(format!("the id {id:?} is that of line {earlier}, too"));
        }
        lines.push(Line { number, shift });
    }
    if lines.is_empty() && faults.is_empty() {
        faults.push("line 2: no shift follows the names of the columns".to_owned());
    }
    if faults.is_empty() { Ok(lines) } else { Err(faults) }
}

/// Returns the number of the line where a quoted value begins that no quotation mark ends. A reader of CSV would take the lines
/// that follow for a part of the value.
fn unclosed_quotation(text: &str) -> Option<usize> {
    let (mut line, mut opened, mut is_start) = (1, None, true);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '"' && opened.is_some() {
            match characters.peek() {
                // Two marks in a quoted value are one mark of the text.
                Some('"') => drop(characters.next()),
                None | Some(',' | '\r' | '\n') => opened = None,
                Some(_) => return opened,
            }
        } else if character == '"' && is_start {
            opened = Some(line);
        }
        line += usize::from(character == '\n');
        is_start = matches!(character, ',' | '\r' | '\n');
    }
    opened
}

/// Returns the number of the first line of a record, from 1. The position of a record is before the line breaks above it.
fn line_number(text: &str, record: &StringRecord) -> usize {
    let position = record.position().and_then(|position| usize::try_from(position.byte()).ok());
    let (before, after) = text.split_at_checked(position.unwrap_or(0)).unwrap_or((text, ""));
    let above = after.split(|character| !matches!(character, '\r' | '\n')).next().unwrap_or("");
    1 + before.matches('\n').count() + above.matches('\n').count()
}

/// Reads a shift from a record with all columns. A value with a fault is reported, and replaced by another one.
fn shift(
    header: &StringRecord,
    record: &StringRecord,
    first_day: Date,
    fault: &mut impl FnMut(String),
) -> Shift {
    let value = |column: &str| {
        header.iter().zip(record).find(|(name, _)| *name == column).map_or("", |(_, value)| value)
    };
    let nullable = |column: &str| Some(value(column).to_owned()).filter(|text| !text.is_empty());
    for column in ["title", "id"] {
        if value(column).is_empty() {
            fault(format!("{column} is empty"));
        }
    }
    // Parsing takes other spellings, too.
    let day = match value("day").parse::<Date>().ok().filter(|date| date.to_string() == value("day")) {
        Some(date) if date < first_day => {
            fault(format!("day {date} is before the first day of the event, {first_day}"));
            1
        }
        Some(date) => (date - first_day).get_days() + 1,
        None => {
            fault(format!("day {:?} is not a date such as {first_day}", value("day")));
            1
        }
    };
    for column in ["start", "end"] {
        let text = value(column);
        let is_time =
            Time::strptime("%H:%M", text).is_ok_and(|time| time.strftime("%H:%M").to_string() == text);
        if !is_time && (column, text) != ("end", "24:00") {
            fault(format!("{column} {text:?} is not a time such as 09:00"));
        }
    }
    let mut number = |column: &str| {
        let number = value(column).parse();
        if number.is_err() {
            fault(format!("{column} {:?} is not a whole number", value(column)));
        }
        number.ok()
    };
    Shift {
        capacity: number("places").unwrap_or_default(),
        minimum: nullable("minimum").and_then(|_| number("minimum")),
        external_id: nullable("id"),
        title: value("title").to_owned(),
        description: nullable("description"),
        location: nullable("place"),
        day,
        start_time: value("start").to_owned(),
        end_time: value("end").to_owned(),
        ends_next_day: value("end") <= value("start"),
    }
}
