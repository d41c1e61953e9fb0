//! An event with its shifts and questions, as one statement.

use signup_core::{EventInFull, Question, Shift};

use super::reader::{Reader, Result};
use crate::sql::row::{self, EVENT, LOCATION_DATA, QUESTION, SHIFT_OF_EVENT};
use crate::sql::{Statement, Value};

/// Reads the event that `condition` selects, with all its records. A deleted event counts as missing.
pub(crate) async fn event_in_full(
    reader: &impl Reader,
    condition: &str,
    values: Vec<Value>,
) -> Result<Option<EventInFull>> {
    let dialect = reader.dialect();
    let children = |list: String, table: &str, alias: &str, condition: &str| {
        format!(
            "(SELECT {list} FROM {table} {alias} \
             WHERE {alias}.organization_id = e.organization_id AND {alias}.event_id = e.id{condition})"
        )
    };
    let text = format!(
        "SELECT {}, {}, {}, {} FROM events e WHERE {condition} AND e.deleted_at IS NULL",
        dialect.record(EVENT),
        dialect.record(LOCATION_DATA),
        children(dialect.list(SHIFT_OF_EVENT), "shifts", "s", " AND s.deleted_at IS NULL"),
        children(dialect.list(QUESTION), "questions", "q", ""),
    );
    let found = reader.row("reading an event in full", Statement::of(dialect, &text, values)).await?;
    let Some([event, location_data, shifts, questions]) = found else { return Ok(None) };
    let event = row::one(&event, row::events())?;
    let shifts = in_running_order(row::all(&shifts, |row| row::shift_of(&event, row))?);
    let questions = by_position(row::all(&questions, row::question)?);
    let mut full = EventInFull::new(event, shifts, questions);
    full.location_data = row::one(&location_data, row::location_data)?;
    Ok(Some(full))
}

pub(crate) fn in_running_order(mut shifts: Vec<Shift>) -> Vec<Shift> {
    signup_core::shift::sort_by_running_order(&mut shifts);
    shifts
}

pub(crate) fn by_position(mut questions: Vec<Question>) -> Vec<Question> {
    questions.sort_by_key(|question| (question.position, question.id));
    questions
}
