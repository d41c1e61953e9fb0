//! An event with its shifts and questions, as one statement.

use signup_core::{EventInFull, Question, Shift};

use super::reader::{Reader, Result};
use crate::records::{event, question, shift};
use crate::sql::row::{self, Row};
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
    let of_event = event::TABLE.columns();
    let of_location_data = event::TABLE.columns_named(&["id", event::LOCATION_DATA]);
    let (of_shift, of_question) = (shift::TABLE.columns(), question::TABLE.columns());
    let text = format!(
        "SELECT {}, {}, {}, {} FROM events e WHERE {condition} AND e.deleted_at IS NULL",
        dialect.record(&of_event),
        dialect.record(&of_location_data),
        children(dialect.list(&of_shift), "shifts", "s", " AND s.deleted_at IS NULL"),
        children(dialect.list(&of_question), "questions", "q", ""),
    );
    let found = reader.row("reading an event in full", Statement::of(dialect, &text, values)).await?;
    let Some([event, location_data, shifts, questions]) = found else { return Ok(None) };
    let event = row::one(&event, &of_event, event::read)?;
    let read_shift = |row: Row<'_>| shift::read_of(&event, row);
    let shifts = in_running_order(row::all(&shifts, &of_shift, read_shift)?);
    let questions = by_position(row::all(&questions, &of_question, question::read)?);
    let mut full = EventInFull::new(event, shifts, questions);
    full.location_data = row::one(&location_data, &of_location_data, event::read_location_data)?;
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
