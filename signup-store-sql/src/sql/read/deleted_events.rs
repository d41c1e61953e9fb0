//! Deleted events that are not purged yet.

use signup_core::{DeletedEvent, EventId, OrganizationId, StoreError};

use super::reader::{Reader, Result, all, sorted};
use crate::records::event;
use crate::sql::row::Row;
use crate::sql::{Value, values};

const WHAT: &str = "reading deleted events";

/// Lists at most `limit` deleted events of the organization with an id above `after`, by ascending id.
pub(crate) async fn deleted_events(
    reader: &impl Reader,
    organization: OrganizationId,
    after: Option<EventId>,
    limit: u32,
) -> Result<Vec<DeletedEvent>> {
    let from = format!(
        "(SELECT * FROM events WHERE organization_id = $1 AND id > $2 AND deleted_at IS NOT NULL \
         ORDER BY id LIMIT {limit}) e"
    );
    let values = values![organization.uuid(), after.unwrap_or(EventId::NONE).uuid()];
    Ok(sorted(deleted(reader, &from, values).await?, |found| found.event.id))
}

pub(crate) async fn deleted_event(
    reader: &impl Reader,
    organization: OrganizationId,
    id: EventId,
) -> Result<Option<DeletedEvent>> {
    let from = "events e WHERE e.organization_id = $1 AND e.id = $2 AND e.deleted_at IS NOT NULL";
    Ok(deleted(reader, from, values![organization.uuid(), id.uuid()]).await?.pop())
}

async fn deleted(reader: &impl Reader, from: &str, values: Vec<Value>) -> Result<Vec<DeletedEvent>> {
    let columns = [event::TABLE.columns(), event::TABLE.columns_named(&[event::DELETED_AT])].concat();
    let read = |row: Row<'_>| {
        let deleted_at = event::read_deleted_at(row)?;
        let deleted_at = deleted_at.ok_or_else(|| StoreError::failed(WHAT, "a row of an event in use"))?;
        Ok(DeletedEvent::new(event::read(row)?, deleted_at))
    };
    all(reader, WHAT, columns, from, values, read).await
}
