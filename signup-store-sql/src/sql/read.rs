//! Reads: each is one statement, and so of one moment.
//!
//! How many rows are wanted stands in a text as a number, not as a parameter: a plan that is made for any limit is not the
//! plan for a page.
//!
//! The order of an aggregate, or of a join, is nothing that SQL promises, so lists are put in order here, at the price of a look
//! at what is mostly in order already.

mod notices;
#[cfg(test)]
mod plans;
mod signups;

use std::cmp::Reverse;

pub(crate) use notices::{count_notices, due_notices, notice, notices};
pub(crate) use signups::{confirmed_signups, signup, signup_by_secret, signups, signups_of_address};

use jiff::Timestamp;
use signup_core::{
    Digest, Event, EventId, EventInFull, EventPage, EventQuery, Organization, OrganizationId, Position,
    Question, Receipt, ReceiptKey, Shift, ShiftId, Side, StoreError, Token, TokenId,
};
use uuid::Uuid;

use crate::sql::row::{
    self, Cell, Column, Days, EVENT, LOCATION_DATA, ORGANIZATION, QUESTION, RECEIPT, Records, SHIFT, TOKEN,
};
use crate::sql::{Dialect, Sql, Value, values};

type Result<T> = std::result::Result<T, StoreError>;

/// Runs statements that read.
pub(crate) trait Reader: Sync {
    /// What a statement of [`Dialect::records`] gives.
    type Records: Records;

    fn dialect(&self) -> Dialect;

    /// The records that a statement of [`Dialect::records`] gives. `what` is being done.
    fn records(&self, what: &'static str, sql: Sql) -> impl Future<Output = Result<Self::Records>> + Send;

    /// The first row of the statement, which has `N` texts. `what` is being done.
    fn row<const N: usize>(
        &self,
        what: &'static str,
        sql: Sql,
    ) -> impl Future<Output = Result<Option<[String; N]>>> + Send;
}

/// Reads the records of `from`.
async fn all<T>(
    reader: &impl Reader,
    what: &'static str,
    columns: &[Column],
    from: &str,
    values: Vec<Value>,
    read: impl FnMut(&[Cell<'_>]) -> Result<T>,
) -> Result<Vec<T>> {
    let dialect = reader.dialect();
    let found = reader.records(what, Sql::of(dialect, &dialect.records(columns, from), values)).await?;
    found.read(columns, read)
}

/// Reads the record of `from`, which has not more than one.
async fn one<T>(
    reader: &impl Reader,
    what: &'static str,
    columns: &[Column],
    from: &str,
    values: Vec<Value>,
    read: impl FnMut(&[Cell<'_>]) -> Result<T>,
) -> Result<Option<T>> {
    Ok(all(reader, what, columns, from, values, read).await?.pop())
}

pub(crate) async fn organization(reader: &impl Reader, id: OrganizationId) -> Result<Option<Organization>> {
    const FROM: &str = "organizations o WHERE o.id = $1";
    one(reader, "reading an organization", ORGANIZATION, FROM, values![id.uuid()], row::organization).await
}

pub(crate) async fn organization_by_slug(reader: &impl Reader, slug: &str) -> Result<Option<Organization>> {
    let from = "organizations o WHERE o.slug = $1";
    one(reader, "reading an organization", ORGANIZATION, from, values![slug], row::organization).await
}

pub(crate) async fn organizations(
    reader: &impl Reader,
    after: Option<OrganizationId>,
    limit: u32,
) -> Result<Vec<Organization>> {
    let from = format!("(SELECT * FROM organizations WHERE id > $1 ORDER BY id LIMIT {limit}) o");
    let values = values![after.unwrap_or(OrganizationId::NONE).uuid()];
    let found = all(reader, "listing organizations", ORGANIZATION, &from, values, row::organization).await?;
    Ok(sorted(found, |organization| organization.id))
}

pub(crate) async fn token_by_digest(
    reader: &impl Reader,
    digest: &Digest,
) -> Result<Option<(Token, Organization)>> {
    let columns = [TOKEN, ORGANIZATION].concat();
    let from = "tokens t JOIN organizations o ON o.id = t.organization_id WHERE t.digest = $1";
    let values = values![digest.as_bytes().as_slice()];
    let read = |row: &[Cell<'_>]| {
        let (token, organization) = row.split_at(TOKEN.len().min(row.len()));
        Ok((row::token(token)?, row::organization(organization)?))
    };
    one(reader, "reading a token", &columns, from, values, read).await
}

pub(crate) async fn token(reader: &impl Reader, id: TokenId) -> Result<Option<Token>> {
    one(reader, "reading a token", TOKEN, "tokens t WHERE t.id = $1", values![id.uuid()], row::token).await
}

pub(crate) async fn tokens(reader: &impl Reader, organization: OrganizationId) -> Result<Vec<Token>> {
    let from = "tokens t WHERE t.organization_id = $1";
    let found = all(reader, "listing tokens", TOKEN, from, values![organization.uuid()], row::token).await?;
    Ok(sorted(found, |token| token.id))
}

pub(crate) async fn event_owner(reader: &impl Reader, id: EventId) -> Result<Option<OrganizationId>> {
    const WHAT: &str = "reading an event's owner";
    let dialect = reader.dialect();
    let text = format!("SELECT {} FROM events WHERE id = $1", dialect.id_text("organization_id"));
    let Some([owner]) = reader.row(WHAT, Sql::of(dialect, &text, values![id.uuid()])).await? else {
        return Ok(None);
    };
    let owner = Uuid::try_parse(&owner).map_err(|error| StoreError::failed(WHAT, error))?;
    Ok(Some(OrganizationId::new(owner)))
}

pub(crate) async fn event(
    reader: &impl Reader,
    organization: OrganizationId,
    id: EventId,
) -> Result<Option<Event>> {
    let from = "events e WHERE e.organization_id = $1 AND e.id = $2";
    let values = values![organization.uuid(), id.uuid()];
    one(reader, "reading an event", EVENT, from, values, event_alone).await
}

/// An expression: the shifts of the event `e`.
fn shifts_of_event(dialect: Dialect) -> String {
    let list = dialect.list(SHIFT);
    format!("(SELECT {list} FROM shifts s WHERE s.organization_id = e.organization_id AND s.event_id = e.id)")
}

/// An expression: the questions of the event `e`.
fn questions_of_event(dialect: Dialect) -> String {
    let list = dialect.list(QUESTION);
    format!(
        "(SELECT {list} FROM questions q WHERE q.organization_id = e.organization_id AND q.event_id = e.id)"
    )
}

pub(crate) async fn shifts(
    reader: &impl Reader,
    organization: OrganizationId,
    event: EventId,
) -> Result<Option<Vec<Shift>>> {
    let from = "events e LEFT JOIN shifts s ON s.organization_id = e.organization_id AND s.event_id = e.id \
         WHERE e.organization_id = $1 AND e.id = $2";
    let values = values![organization.uuid(), event.uuid()];
    let found = all(reader, "listing shifts", SHIFT, from, values, if_any(shifts_of_a_list())).await?;
    Ok(of_parent(found).map(in_running_order))
}

pub(crate) async fn questions(
    reader: &impl Reader,
    organization: OrganizationId,
    event: EventId,
) -> Result<Option<Vec<Question>>> {
    let from = "events e LEFT JOIN questions q ON q.organization_id = e.organization_id AND q.event_id = e.id \
         WHERE e.organization_id = $1 AND e.id = $2";
    let values = values![organization.uuid(), event.uuid()];
    let found = all(reader, "listing questions", QUESTION, from, values, if_any(row::question)).await?;
    Ok(of_parent(found).map(by_position))
}

pub(crate) async fn event_in_full(
    reader: &impl Reader,
    organization: OrganizationId,
    id: EventId,
) -> Result<Option<EventInFull>> {
    in_full(reader, "e.organization_id = $1 AND e.id = $2", values![organization.uuid(), id.uuid()]).await
}

pub(crate) async fn event_by_slug(reader: &impl Reader, slug: &str) -> Result<Option<EventInFull>> {
    in_full(reader, "e.slug = $1", values![slug]).await
}

async fn in_full(reader: &impl Reader, which: &str, values: Vec<Value>) -> Result<Option<EventInFull>> {
    let dialect = reader.dialect();
    let text = format!(
        "SELECT {}, {}, {}, {} FROM events e WHERE {which}",
        dialect.record(EVENT),
        dialect.record(LOCATION_DATA),
        shifts_of_event(dialect),
        questions_of_event(dialect),
    );
    let found = reader.row("reading an event in full", Sql::of(dialect, &text, values)).await?;
    let Some([event, location_data, shifts, questions]) = found else { return Ok(None) };
    let shifts = in_running_order(row::all(&shifts, shifts_of_a_list())?);
    let questions = by_position(row::all(&questions, row::question)?);
    let mut full = EventInFull::new(row::one(&event, event_alone)?, shifts, questions);
    full.location_data = row::one(&location_data, row::location_data)?;
    Ok(Some(full))
}

/// One row more than the default page length: the extra row shows whether another page follows.
const SHORT_PAGE: u32 = 26;
/// One row more than the longest page that clients can ask for.
const LONG_PAGE: u32 = 101;

/// The statement for a page of events: whether anything is on the other side of the position, and at least one event more
/// than the page is long.
///
/// Each filter has an index that ends in the id, and each side of a position is a range of it, so the cost is that of the
/// page, wherever it is.
pub(crate) fn page_query(dialect: Dialect, organization: OrganizationId, wanted: &EventQuery) -> Sql {
    let mut values = values![organization.uuid()];
    // Of two texts, not of as many as there are lengths of a page: connections keep few statements prepared.
    let limit = if wanted.limit < SHORT_PAGE { SHORT_PAGE } else { wanted.limit.max(LONG_PAGE - 1) + 1 };
    let mut parameter = |value: Value| {
        values.push(value);
        format!("${}", values.len())
    };
    // As a constant, so that it is known which index is meant when the statement is planned for any parameter.
    let filter = match wanted.is_published {
        Some(is_published) => format!(" AND {}", dialect.is_flag("is_published", is_published)),
        None => String::new(),
    };
    let place = "(starts_at, id)";
    let position = wanted.position.map(|Position { starts_at, id, .. }| {
        format!("({}, {})", parameter(starts_at.as_second().into()), parameter(id.uuid().into()))
    });
    let (range, other_range, direction) = match (wanted.position.map(|position| position.side), position) {
        (Some(Side::Below), Some(position)) => {
            (format!(" AND {place} < {position}"), Some(format!("{place} >= {position}")), "DESC")
        }
        (Some(Side::Above), Some(position)) => {
            (format!(" AND {place} > {position}"), Some(format!("{place} <= {position}")), "ASC")
        }
        _ => (String::new(), None, "DESC"),
    };
    let other_side = match other_range {
        Some(range) => {
            // With an order of its own it is the first of a range, which EXISTS is not always taken for.
            format!(
                "(SELECT 1 FROM events WHERE organization_id = $1{filter} AND {range} \
                 ORDER BY starts_at {direction}, id {direction} LIMIT 1) IS NOT NULL"
            )
        }
        None => "1 = 0".to_owned(),
    };
    let from = format!(
        "(SELECT {other_side} AS has_other_side) p LEFT JOIN \
         (SELECT * FROM events WHERE organization_id = $1{filter}{range} \
         ORDER BY starts_at {direction}, id {direction} LIMIT {limit}) e ON TRUE"
    );
    Sql::of(dialect, &dialect.records(&page_columns(), &from), values)
}

/// The columns before those of the event in each row of a page: whether the list goes on behind the query's position, and the
/// start by which the event is sorted. A page without events is one row with the first of them.
const PAGE: &[Column] = &[Column::Flag("p.has_other_side"), Column::Integer("e.starts_at")];

fn page_columns() -> Vec<Column> {
    [PAGE, EVENT].concat()
}

pub(crate) async fn events(
    reader: &impl Reader,
    organization: OrganizationId,
    wanted: &EventQuery,
) -> Result<EventPage> {
    let page = page_query(reader.dialect(), organization, wanted);
    let page = reader.records("listing events", page).await?;
    let (mut other_side, mut days) = (false, Days::default());
    let mut read = if_any(|row| row::event(row, &mut days));
    let events = page.read(&page_columns(), |row| {
        let (page, event) = row.split_at(PAGE.len().min(row.len()));
        other_side = page.first().is_some_and(Cell::is_true);
        let Some(event) = read(event)? else { return Ok(None) };
        // The stored start, not the derived one: the two differ while a process with newer zone data shares the database,
        // and a walk that mixes them repeats or skips events.
        Ok(Some((row::stored_start(page)?, event)))
    })?;
    let mut events: Vec<_> = events.into_iter().flatten().collect();
    events.sort_by_key(|(starts_at, event)| Reverse((*starts_at, event.id)));
    let surplus = events.len().saturating_sub(wanted.limit as usize);
    let (goes_on_above, goes_on_below) =
        if wanted.position.is_some_and(|position| position.side == Side::Above) {
            drop(events.drain(..surplus));
            (surplus > 0, other_side)
        } else {
            events.truncate(wanted.limit as usize);
            (other_side, surplus > 0)
        };
    let edge = |event: Option<&(Timestamp, Event)>, side| {
        event.map(|(starts_at, event)| Position { starts_at: *starts_at, id: event.id, side })
    };
    let above = edge(events.first(), Side::Above).filter(|_| goes_on_above);
    let below = edge(events.last(), Side::Below).filter(|_| goes_on_below);
    let mut page = EventPage::new(events.into_iter().map(|(_, event)| event).collect());
    (page.above, page.below) = (above, below);
    Ok(page)
}

pub(crate) async fn shift(
    reader: &impl Reader,
    organization: OrganizationId,
    id: ShiftId,
) -> Result<Option<Shift>> {
    let from = "shifts s JOIN events e ON e.organization_id = s.organization_id AND e.id = s.event_id \
         WHERE s.organization_id = $1 AND s.id = $2";
    let values = values![organization.uuid(), id.uuid()];
    one(reader, "reading a shift", SHIFT, from, values, shifts_of_a_list()).await
}

/// The parameters of a look for a live receipt.
pub(crate) fn live_receipt(key: &ReceiptKey, now: Timestamp) -> Vec<Value> {
    values![
        key.organization.uuid(),
        key.token.uuid(),
        key.operation.to_string(),
        key.key.as_str(),
        now.as_second(),
    ]
}

pub(crate) async fn receipt(
    reader: &impl Reader,
    key: &ReceiptKey,
    now: Timestamp,
) -> Result<Option<Receipt>> {
    let from = "receipts r WHERE r.organization_id = $1 AND r.token_id = $2 AND r.operation = $3 \
         AND r.idempotency_key = $4 AND r.expires_at > $5";
    let read = |row: &[Cell<'_>]| row::receipt(row, key);
    one(reader, "reading a receipt", RECEIPT, from, live_receipt(key, now), read).await
}

fn event_alone(row: &[Cell<'_>]) -> Result<Event> {
    row::event(row, &mut Days::default())
}

/// Reads one shift after the other.
fn shifts_of_a_list() -> impl FnMut(&[Cell<'_>]) -> Result<Shift> {
    let mut days = Days::default();
    move |row| row::shift(row, &mut days)
}

/// Reads one row after the other of an outer join, which has no record where there is no id in its first column.
fn if_any<T>(mut read: impl FnMut(&[Cell<'_>]) -> Result<T>) -> impl FnMut(&[Cell<'_>]) -> Result<Option<T>> {
    move |row| if row.first().is_none_or(Cell::is_no_id) { Ok(None) } else { read(row).map(Some) }
}

/// What an outer join found: `None` if not even what it is joined to.
fn of_parent<T>(found: Vec<Option<T>>) -> Option<Vec<T>> {
    (!found.is_empty()).then(|| found.into_iter().flatten().collect())
}

fn sorted<T, K: Ord>(mut found: Vec<T>, key: impl Fn(&T) -> K) -> Vec<T> {
    found.sort_by_key(key);
    found
}

fn in_running_order(mut shifts: Vec<Shift>) -> Vec<Shift> {
    signup_core::shift::sort_by_running_order(&mut shifts);
    shifts
}

fn by_position(mut questions: Vec<Question>) -> Vec<Question> {
    questions.sort_by_key(|question| (question.position, question.id));
    questions
}
