//! An event with its shifts and questions, as one statement.

use signup_core::EventInFull;

use super::reader::{Reader, StoreResult, sorted};
use crate::records::{event, location_data, question, shift};
use crate::sql::row::{self, Row};
use crate::sql::{Statement, Value};

/// Reads the event that `condition` selects, with all its records. A deleted event counts as missing.
pub(crate) async fn event_in_full(
    reader: &impl Reader,
    condition: &str,
    values: Vec<Value>,
) -> StoreResult<Option<EventInFull>> {
    let dialect = reader.dialect();
    let children = |list: String, table: &str, alias: &str, condition: &str| {
        format!(
            "(SELECT {list} FROM {table} {alias} \
             WHERE {alias}.organization_id = e.organization_id AND {alias}.event_id = e.id{condition})"
        )
    };
    let of_event = event::TABLE.columns();
    let of_location_data = location_data::TABLE.columns();
    let (of_shift, of_question) = (shift::TABLE.columns(), question::TABLE.columns());
    let text = format!(
        "SELECT {}, {}, {}, {} FROM events e WHERE {condition} AND e.deleted_at IS NULL",
        dialect.record(&of_event),
        children(dialect.list(&of_location_data), "location_data", "l", ""),
        children(dialect.list(&of_shift), "shifts", "s", " AND s.deleted_at IS NULL"),
        children(dialect.list(&of_question), "questions", "q", ""),
    );
    let found = reader.row("reading an event in full", Statement::of(dialect, &text, values)).await?;
    let Some([event, location_data, shifts, questions]) = found else { return Ok(None) };
    let event = row::one(&event, &of_event, event::read)?;
    let read_shift = |row: Row<'_>| shift::read_of((event.organization, event.id), row);
    let shifts = row::all(&shifts, &of_shift, read_shift)?;
    let questions = row::all(&questions, &of_question, question::read)?;
    let questions = sorted(questions, |question| (question.position, question.id));
    let mut full = EventInFull::new(event, shifts, questions);
    let location_data = row::all(&location_data, &of_location_data, location_data::read)?.pop();
    full.location_data = location_data.map(|of_event| of_event.data);
    Ok(Some(full))
}
