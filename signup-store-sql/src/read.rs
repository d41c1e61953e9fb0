//! Reads: each is one statement, but for [`event_in_full`], which is three in one snapshot.

use jiff::Timestamp;
use signup_core::{
    Digest, Event, EventId, EventInFull, EventPage, EventQuery, Notice, NoticeId, Organization,
    OrganizationId, Position, Question, Receipt, ReceiptKey, Shift, ShiftId, Side, Signup, SignupId,
    StoreError, Token, TokenId,
};
use sqlx::sqlite::{SqliteConnection, SqlitePool, SqliteRow};
use sqlx::{AssertSqlSafe, Connection as _, Row as _};
use uuid::Uuid;

use crate::error::store_error;
use crate::row::{self, Columns, EVENT, NOTICE, ORGANIZATION, QUESTION, SHIFT, SIGNUP, TOKEN};

type Result<T> = std::result::Result<T, StoreError>;

/// A query of a text that is put together from constants only.
fn query(sql: String) -> sqlx::query::Query<'static, sqlx::Sqlite, sqlx::sqlite::SqliteArguments> {
    sqlx::query(AssertSqlSafe(sql))
}

pub(crate) async fn organization(pool: &SqlitePool, id: OrganizationId) -> Result<Option<Organization>> {
    let sql = format!("SELECT {ORGANIZATION} FROM organizations o WHERE o.id = $1");
    let found = query(sql).bind(id.uuid()).fetch_optional(pool).await;
    found
        .map_err(|error| store_error("reading an organization", error))?
        .map(|row| row::organization(&row, 0))
        .transpose()
}

pub(crate) async fn organization_by_slug(pool: &SqlitePool, slug: &str) -> Result<Option<Organization>> {
    let sql = format!("SELECT {ORGANIZATION} FROM organizations o WHERE o.slug = $1");
    let found = query(sql).bind(slug.to_owned()).fetch_optional(pool).await;
    found
        .map_err(|error| store_error("reading an organization", error))?
        .map(|row| row::organization(&row, 0))
        .transpose()
}

pub(crate) async fn organizations(
    pool: &SqlitePool,
    after: Option<OrganizationId>,
    limit: u32,
) -> Result<Vec<Organization>> {
    let sql = format!("SELECT {ORGANIZATION} FROM organizations o WHERE o.id > $1 ORDER BY o.id LIMIT $2");
    let after = after.unwrap_or(OrganizationId::NONE).uuid();
    let rows = query(sql).bind(after).bind(limit).fetch_all(pool).await;
    rows.map_err(|error| store_error("listing organizations", error))?
        .iter()
        .map(|row| row::organization(row, 0))
        .collect()
}

pub(crate) async fn token_by_digest(
    pool: &SqlitePool,
    digest: &Digest,
) -> Result<Option<(Token, Organization)>> {
    const TOKEN_COLUMNS: usize = 8;
    let sql = format!(
        "SELECT {TOKEN}, {ORGANIZATION} FROM tokens t JOIN organizations o ON o.id = t.organization_id \
         WHERE t.digest = $1"
    );
    let found = query(sql).bind(digest.as_bytes().to_vec()).fetch_optional(pool).await;
    let found = found.map_err(|error| store_error("reading a token", error))?;
    found.map(|row| Ok((row::token(&row)?, row::organization(&row, TOKEN_COLUMNS)?))).transpose()
}

pub(crate) async fn token(pool: &SqlitePool, id: TokenId) -> Result<Option<Token>> {
    let sql = format!("SELECT {TOKEN} FROM tokens t WHERE t.id = $1");
    let found = query(sql).bind(id.uuid()).fetch_optional(pool).await;
    found.map_err(|error| store_error("reading a token", error))?.map(|row| row::token(&row)).transpose()
}

pub(crate) async fn tokens(pool: &SqlitePool, organization: OrganizationId) -> Result<Vec<Token>> {
    let sql = format!("SELECT {TOKEN} FROM tokens t WHERE t.organization_id = $1 ORDER BY t.id");
    let rows = query(sql).bind(organization.uuid()).fetch_all(pool).await;
    rows.map_err(|error| store_error("listing tokens", error))?.iter().map(row::token).collect()
}

pub(crate) async fn event_owner(pool: &SqlitePool, id: EventId) -> Result<Option<OrganizationId>> {
    let owner = sqlx::query_scalar::<_, Uuid>("SELECT organization_id FROM events WHERE id = $1");
    let owner = owner.bind(id.uuid()).fetch_optional(pool).await;
    Ok(owner.map_err(|error| store_error("reading an event's owner", error))?.map(OrganizationId::new))
}

fn event_query() -> String {
    format!("SELECT {EVENT} FROM events e WHERE e.organization_id = $1 AND e.id = $2")
}

fn shifts_query() -> String {
    format!(
        "SELECT {SHIFT} FROM events e LEFT JOIN shifts s ON s.organization_id = e.organization_id AND s.event_id = e.id \
         WHERE e.organization_id = $1 AND e.id = $2"
    )
}

fn questions_query() -> String {
    format!(
        "SELECT {QUESTION} FROM events e LEFT JOIN questions q \
         ON q.organization_id = e.organization_id AND q.event_id = e.id \
         WHERE e.organization_id = $1 AND e.id = $2 ORDER BY q.position, q.id"
    )
}

/// The rows of an event's own table joined to the event: no row at all means no event.
fn joined<T>(
    rows: &[SqliteRow],
    table: &'static str,
    read: impl Fn(&SqliteRow, usize) -> Result<T>,
) -> Result<Option<Vec<T>>> {
    if rows.is_empty() {
        return Ok(None);
    }
    let rows = rows.iter().filter(|row| Columns::new(row, table, 0).is_there());
    rows.map(|row| read(row, 0)).collect::<Result<_>>().map(Some)
}

fn in_running_order(shifts: Option<Vec<Shift>>) -> Option<Vec<Shift>> {
    shifts.map(|mut shifts| {
        signup_core::shift::sort_by_running_order(&mut shifts);
        shifts
    })
}

pub(crate) async fn event(
    pool: &SqlitePool,
    organization: OrganizationId,
    id: EventId,
) -> Result<Option<Event>> {
    let found = query(event_query()).bind(organization.uuid()).bind(id.uuid()).fetch_optional(pool).await;
    found.map_err(|error| store_error("reading an event", error))?.map(|row| row::event(&row, 0)).transpose()
}

pub(crate) async fn shifts(
    pool: &SqlitePool,
    organization: OrganizationId,
    event: EventId,
) -> Result<Option<Vec<Shift>>> {
    let rows = query(shifts_query()).bind(organization.uuid()).bind(event.uuid()).fetch_all(pool).await;
    let rows = rows.map_err(|error| store_error("listing shifts", error))?;
    Ok(in_running_order(joined(&rows, "shifts", row::shift)?))
}

pub(crate) async fn questions(
    pool: &SqlitePool,
    organization: OrganizationId,
    event: EventId,
) -> Result<Option<Vec<Question>>> {
    let rows = query(questions_query()).bind(organization.uuid()).bind(event.uuid()).fetch_all(pool).await;
    joined(&rows.map_err(|error| store_error("listing questions", error))?, "questions", row::question)
}

pub(crate) async fn event_in_full(
    pool: &SqlitePool,
    organization: OrganizationId,
    id: EventId,
) -> Result<Option<EventInFull>> {
    let failed = |error| store_error("reading an event in full", error);
    let mut connection = pool.acquire().await.map_err(failed)?;
    // One transaction is one snapshot.
    let mut snapshot = connection.begin().await.map_err(failed)?;
    let (organization, id) = (organization.uuid(), id.uuid());
    let event = query(event_query()).bind(organization).bind(id).fetch_optional(&mut *snapshot).await;
    let Some(event) = event.map_err(failed)? else { return Ok(None) };
    let shifts =
        query(shifts_query()).bind(organization).bind(id).fetch_all(&mut *snapshot).await.map_err(failed)?;
    let questions = query(questions_query())
        .bind(organization)
        .bind(id)
        .fetch_all(&mut *snapshot)
        .await
        .map_err(failed)?;
    snapshot.commit().await.map_err(failed)?;
    Ok(Some(EventInFull {
        event: row::event(&event, 0)?,
        shifts: in_running_order(joined(&shifts, "shifts", row::shift)?).unwrap_or_default(),
        questions: joined(&questions, "questions", row::question)?.unwrap_or_default(),
    }))
}

/// The statement for a page of events. Its parameters are the organization, the filter, the position's start and id, and
/// one more than the page is long.
///
/// Each filter has an index that ends in the id, and each side of a position is a range of it, so the cost is that of the
/// page, wherever it is. Whether anything is on the other side of the position comes in the same answer.
pub(crate) fn page_query(is_filtered: bool, side: Option<Side>) -> String {
    let filter = if is_filtered { "AND is_published = $2" } else { "" };
    let (beyond, before, direction) = match side {
        None => ("", "0", "DESC"),
        Some(Side::Below) => ("AND (starts_at, id) < ($3, $4)", ">=", "DESC"),
        Some(Side::Above) => ("AND (starts_at, id) > ($3, $4)", "<=", "ASC"),
    };
    let other_side = match side {
        None => before.to_owned(),
        Some(_) => format!(
            "EXISTS (SELECT 1 FROM events WHERE organization_id = $1 {filter} AND (starts_at, id) {before} ($3, $4))"
        ),
    };
    format!(
        "SELECT other.side, {EVENT} FROM (SELECT {other_side} AS side) other LEFT JOIN \
         (SELECT * FROM events WHERE organization_id = $1 {filter} {beyond} \
         ORDER BY starts_at {direction}, id {direction} LIMIT $5) e ON 1 = 1"
    )
}

pub(crate) async fn events(
    pool: &SqlitePool,
    organization: OrganizationId,
    wanted: &EventQuery,
) -> Result<EventPage> {
    let failed = |error| store_error("listing events", error);
    let position = wanted.position.map(|Position { starts_at, id, .. }| (starts_at.as_second(), id.uuid()));
    let side = wanted.position.map(|position| position.side);
    let rows = query(page_query(wanted.is_published.is_some(), side))
        .bind(organization.uuid())
        .bind(wanted.is_published)
        .bind(position.map(|(starts_at, _)| starts_at))
        .bind(position.map(|(_, id)| id))
        .bind(i64::from(wanted.limit) + 1)
        .fetch_all(pool)
        .await
        .map_err(failed)?;
    let other_side = match rows.first() {
        Some(row) => row.try_get::<bool, _>(0).map_err(failed)?,
        None => false,
    };
    let there = rows.iter().filter(|row| Columns::new(row, "events", 1).is_there());
    let mut events = there.map(|row| row::event(row, 1)).collect::<Result<Vec<_>>>()?;
    let limit = wanted.limit as usize;
    let goes_on = events.len() > limit;
    events.truncate(limit);
    Ok(match side {
        Some(Side::Above) => {
            events.reverse();
            EventPage { events, has_above: goes_on, has_below: other_side }
        }
        _ => EventPage { events, has_above: other_side, has_below: goes_on },
    })
}

pub(crate) async fn shift(
    pool: &SqlitePool,
    organization: OrganizationId,
    id: ShiftId,
) -> Result<Option<Shift>> {
    let sql = format!(
        "SELECT {SHIFT} FROM shifts s JOIN events e ON e.organization_id = s.organization_id AND e.id = s.event_id \
         WHERE s.organization_id = $1 AND s.id = $2"
    );
    let found = query(sql).bind(organization.uuid()).bind(id.uuid()).fetch_optional(pool).await;
    found.map_err(|error| store_error("reading a shift", error))?.map(|row| row::shift(&row, 0)).transpose()
}

pub(crate) async fn signups(
    pool: &SqlitePool,
    organization: OrganizationId,
    event: EventId,
    after: Option<SignupId>,
    limit: u32,
) -> Result<Vec<Signup>> {
    let sql = format!(
        "SELECT {SIGNUP} FROM signups u WHERE u.organization_id = $1 AND u.event_id = $2 AND u.id > $3 \
         ORDER BY u.id LIMIT $4"
    );
    let after = after.unwrap_or(SignupId::NONE).uuid();
    let rows =
        query(sql).bind(organization.uuid()).bind(event.uuid()).bind(after).bind(limit).fetch_all(pool).await;
    rows.map_err(|error| store_error("listing sign-ups", error))?.iter().map(row::signup).collect()
}

pub(crate) async fn signup_by_secret(pool: &SqlitePool, secret: &Digest) -> Result<Option<Signup>> {
    let sql = format!("SELECT {SIGNUP} FROM signups u WHERE u.secret = $1");
    let found = query(sql).bind(secret.as_bytes().to_vec()).fetch_optional(pool).await;
    found.map_err(|error| store_error("reading a sign-up", error))?.map(|row| row::signup(&row)).transpose()
}

pub(crate) async fn confirmed_signup(
    connection: &mut SqliteConnection,
    organization: OrganizationId,
    shift: ShiftId,
    email_key: String,
) -> Result<Option<Signup>> {
    let sql = format!(
        "SELECT {SIGNUP} FROM signups u WHERE u.organization_id = $1 AND u.shift_id = $2 AND u.email_key = $3 \
         AND u.status = 'confirmed'"
    );
    let found = query(sql).bind(organization.uuid()).bind(shift.uuid()).bind(email_key);
    let found = found.fetch_optional(connection).await;
    found
        .map_err(|error| store_error("looking for an address", error))?
        .map(|row| row::signup(&row))
        .transpose()
}

pub(crate) async fn receipt(
    executor: impl sqlx::SqliteExecutor<'_>,
    key: &ReceiptKey,
    now: Timestamp,
) -> Result<Option<Receipt>> {
    let found = sqlx::query(
        "SELECT outcome, expires_at FROM receipts WHERE organization_id = $1 AND token_id = $2 AND operation = $3 \
         AND idempotency_key = $4 AND expires_at > $5",
    )
    .bind(key.organization.uuid())
    .bind(key.token.uuid())
    .bind(key.operation.to_string())
    .bind(key.key.as_str())
    .bind(now.as_second())
    .fetch_optional(executor)
    .await;
    found
        .map_err(|error| store_error("reading a receipt", error))?
        .map(|row| row::receipt(&row, key))
        .transpose()
}

pub(crate) async fn notices(pool: &SqlitePool, after: Option<NoticeId>, limit: u32) -> Result<Vec<Notice>> {
    let sql = format!("SELECT {NOTICE} FROM notices n WHERE n.id > $1 ORDER BY n.id LIMIT $2");
    let rows = query(sql).bind(after.unwrap_or(NoticeId::NONE).uuid()).bind(limit).fetch_all(pool).await;
    rows.map_err(|error| store_error("listing notices", error))?.iter().map(row::notice).collect()
}
