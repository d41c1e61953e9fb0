//! Reads: each is one statement, and so of one moment, and gives one row.
//!
//! The order of an aggregate is nothing that SQL promises, so lists are put in order here, at the price of a look at
//! what is mostly in order already.

use std::cmp::Reverse;

use jiff::Timestamp;
use signup_core::{
    Digest, Event, EventId, EventInFull, EventPage, EventQuery, Notice, NoticeId, Organization,
    OrganizationId, Position, Question, Receipt, ReceiptKey, Shift, ShiftId, Side, Signup, SignupId,
    StoreError, Token, TokenId,
};
use sqlx::query::QueryAs;
use sqlx::sqlite::{SqliteArguments, SqlitePool, SqliteRow};
use sqlx::{AssertSqlSafe, FromRow, Sqlite};
use uuid::Uuid;

use crate::error::store_error;
use crate::row::{self, Cell, EVENT, NOTICE, ORGANIZATION, QUESTION, RECEIPT, SHIFT, SIGNUP, TOKEN};

type Result<T> = std::result::Result<T, StoreError>;
type Query<Row> = QueryAs<'static, Sqlite, Row, SqliteArguments>;

/// A query of a text that is put together from constants only.
fn select<Row: for<'r> FromRow<'r, SqliteRow>>(sql: String) -> Query<Row> {
    sqlx::query_as(AssertSqlSafe(sql))
}

/// Runs a query whose one row is one record.
async fn one<T>(
    pool: &SqlitePool,
    what: &'static str,
    query: Query<(String,)>,
    read: impl FnOnce(&[Cell<'_>]) -> Result<T>,
) -> Result<Option<T>> {
    let row = query.fetch_optional(pool).await.map_err(|error| store_error(what, error))?;
    row.map(|(json,)| row::one(&json, read)).transpose()
}

/// Runs a query whose one row is a list.
async fn all<T>(
    pool: &SqlitePool,
    what: &'static str,
    query: Query<(String,)>,
    read: impl Fn(&[Cell<'_>]) -> Result<T>,
) -> Result<Option<Vec<T>>> {
    let row = query.fetch_optional(pool).await.map_err(|error| store_error(what, error))?;
    row.map(|(json,)| row::all(&json, read)).transpose()
}

pub(crate) async fn organization(pool: &SqlitePool, id: OrganizationId) -> Result<Option<Organization>> {
    let sql = format!("SELECT json_array({ORGANIZATION}) FROM organizations o WHERE o.id = $1");
    one(pool, "reading an organization", select(sql).bind(id.uuid()), row::organization).await
}

pub(crate) async fn organization_by_slug(pool: &SqlitePool, slug: &str) -> Result<Option<Organization>> {
    let sql = format!("SELECT json_array({ORGANIZATION}) FROM organizations o WHERE o.slug = $1");
    one(pool, "reading an organization", select(sql).bind(slug.to_owned()), row::organization).await
}

pub(crate) async fn organizations(
    pool: &SqlitePool,
    after: Option<OrganizationId>,
    limit: u32,
) -> Result<Vec<Organization>> {
    let sql = format!(
        "SELECT json_group_array(json_array({ORGANIZATION})) \
         FROM (SELECT * FROM organizations WHERE id > $1 ORDER BY id LIMIT $2) o"
    );
    let query = select(sql).bind(after.unwrap_or(OrganizationId::NONE).uuid()).bind(limit);
    let found = all(pool, "listing organizations", query, row::organization).await?;
    Ok(sorted(found, |organization| organization.id))
}

pub(crate) async fn token_by_digest(
    pool: &SqlitePool,
    digest: &Digest,
) -> Result<Option<(Token, Organization)>> {
    let sql = format!(
        "SELECT json_array({TOKEN}), json_array({ORGANIZATION}) \
         FROM tokens t JOIN organizations o ON o.id = t.organization_id WHERE t.digest = $1"
    );
    let query = select::<(String, String)>(sql).bind(digest.as_bytes().to_vec());
    let found = query.fetch_optional(pool).await.map_err(|error| store_error("reading a token", error))?;
    let Some((token, organization)) = found else { return Ok(None) };
    Ok(Some((row::one(&token, row::token)?, row::one(&organization, row::organization)?)))
}

pub(crate) async fn token(pool: &SqlitePool, id: TokenId) -> Result<Option<Token>> {
    let sql = format!("SELECT json_array({TOKEN}) FROM tokens t WHERE t.id = $1");
    one(pool, "reading a token", select(sql).bind(id.uuid()), row::token).await
}

pub(crate) async fn tokens(pool: &SqlitePool, organization: OrganizationId) -> Result<Vec<Token>> {
    let sql =
        format!("SELECT json_group_array(json_array({TOKEN})) FROM tokens t WHERE t.organization_id = $1");
    let found = all(pool, "listing tokens", select(sql).bind(organization.uuid()), row::token).await?;
    Ok(sorted(found, |token| token.id))
}

pub(crate) async fn event_owner(pool: &SqlitePool, id: EventId) -> Result<Option<OrganizationId>> {
    let owner = sqlx::query_scalar::<_, Uuid>("SELECT organization_id FROM events WHERE id = $1");
    let owner = owner.bind(id.uuid()).fetch_optional(pool).await;
    Ok(owner.map_err(|error| store_error("reading an event's owner", error))?.map(OrganizationId::new))
}

pub(crate) async fn event(
    pool: &SqlitePool,
    organization: OrganizationId,
    id: EventId,
) -> Result<Option<Event>> {
    let sql = format!("SELECT json_array({EVENT}) FROM events e WHERE e.organization_id = $1 AND e.id = $2");
    let query = select(sql).bind(organization.uuid()).bind(id.uuid());
    one(pool, "reading an event", query, row::event).await
}

/// An expression: the shifts of the event `e`.
fn shifts_of_event() -> String {
    format!(
        "(SELECT json_group_array(json_array({SHIFT})) FROM shifts s \
         WHERE s.organization_id = e.organization_id AND s.event_id = e.id)"
    )
}

/// An expression: the questions of the event `e`.
fn questions_of_event() -> String {
    format!(
        "(SELECT json_group_array(json_array({QUESTION})) FROM questions q \
         WHERE q.organization_id = e.organization_id AND q.event_id = e.id)"
    )
}

pub(crate) async fn shifts(
    pool: &SqlitePool,
    organization: OrganizationId,
    event: EventId,
) -> Result<Option<Vec<Shift>>> {
    let shifts = shifts_of_event();
    let sql = format!("SELECT {shifts} FROM events e WHERE e.organization_id = $1 AND e.id = $2");
    let query = select(sql).bind(organization.uuid()).bind(event.uuid());
    Ok(all(pool, "listing shifts", query, row::shift).await?.map(in_running_order))
}

pub(crate) async fn questions(
    pool: &SqlitePool,
    organization: OrganizationId,
    event: EventId,
) -> Result<Option<Vec<Question>>> {
    let questions = questions_of_event();
    let sql = format!("SELECT {questions} FROM events e WHERE e.organization_id = $1 AND e.id = $2");
    let query = select(sql).bind(organization.uuid()).bind(event.uuid());
    Ok(all(pool, "listing questions", query, row::question).await?.map(by_position))
}

pub(crate) async fn event_in_full(
    pool: &SqlitePool,
    organization: OrganizationId,
    id: EventId,
) -> Result<Option<EventInFull>> {
    let (shifts, questions) = (shifts_of_event(), questions_of_event());
    let sql = format!(
        "SELECT json_array({EVENT}), {shifts}, {questions} FROM events e WHERE e.organization_id = $1 AND e.id = $2"
    );
    let query = select::<(String, String, String)>(sql).bind(organization.uuid()).bind(id.uuid());
    let found = query.fetch_optional(pool).await;
    let found = found.map_err(|error| store_error("reading an event in full", error))?;
    let Some((event, shifts, questions)) = found else { return Ok(None) };
    Ok(Some(EventInFull {
        event: row::one(&event, row::event)?,
        shifts: in_running_order(row::all(&shifts, row::shift)?),
        questions: by_position(row::all(&questions, row::question)?),
    }))
}

/// The statement for a page of events. Its parameters are the organization, the filter, the position's start and id, and
/// one more than the page is long.
///
/// Each filter has an index that ends in the id, and each side of a position is a range of it, so the cost is that of the
/// page, wherever it is. Whether anything is on the other side of the position comes in the same answer.
pub(crate) fn page_query(is_filtered: bool, side: Option<Side>) -> String {
    let filter = if is_filtered { "AND is_published = $2" } else { "" };
    let place = "(starts_at, id)";
    let (range, other_range, direction) = match side {
        None => (String::new(), None, "DESC"),
        Some(Side::Below) => (format!("AND {place} < ($3, $4)"), Some(">="), "DESC"),
        Some(Side::Above) => (format!("AND {place} > ($3, $4)"), Some("<="), "ASC"),
    };
    let other_side = other_range.map_or_else(
        || "0".to_owned(),
        |is| {
            format!(
                "EXISTS (SELECT 1 FROM events WHERE organization_id = $1 {filter} AND {place} {is} ($3, $4))"
            )
        },
    );
    format!(
        "SELECT {other_side}, (SELECT json_group_array(json_array({EVENT})) FROM \
         (SELECT * FROM events WHERE organization_id = $1 {filter} {range} \
         ORDER BY starts_at {direction}, id {direction} LIMIT $5) e)"
    )
}

pub(crate) async fn events(
    pool: &SqlitePool,
    organization: OrganizationId,
    wanted: &EventQuery,
) -> Result<EventPage> {
    let position = wanted.position.map(|Position { starts_at, id, .. }| (starts_at.as_second(), id.uuid()));
    let side = wanted.position.map(|position| position.side);
    let page = select::<(bool, String)>(page_query(wanted.is_published.is_some(), side))
        .bind(organization.uuid())
        .bind(wanted.is_published)
        .bind(position.map(|(starts_at, _)| starts_at))
        .bind(position.map(|(_, id)| id))
        .bind(i64::from(wanted.limit) + 1)
        .fetch_one(pool)
        .await;
    let (other_side, events) = page.map_err(|error| store_error("listing events", error))?;
    let mut events = row::all(&events, row::event)?;
    events.sort_by_cached_key(|event| Reverse((event.dates.starts_at(), event.id)));
    let surplus = events.len().saturating_sub(wanted.limit as usize);
    Ok(if side == Some(Side::Above) {
        drop(events.drain(..surplus));
        EventPage { events, has_above: surplus > 0, has_below: other_side }
    } else {
        events.truncate(wanted.limit as usize);
        EventPage { events, has_above: other_side, has_below: surplus > 0 }
    })
}

pub(crate) async fn shift(
    pool: &SqlitePool,
    organization: OrganizationId,
    id: ShiftId,
) -> Result<Option<Shift>> {
    let sql = format!(
        "SELECT json_array({SHIFT}) FROM shifts s \
         JOIN events e ON e.organization_id = s.organization_id AND e.id = s.event_id \
         WHERE s.organization_id = $1 AND s.id = $2"
    );
    let query = select(sql).bind(organization.uuid()).bind(id.uuid());
    one(pool, "reading a shift", query, row::shift).await
}

pub(crate) async fn signups(
    pool: &SqlitePool,
    organization: OrganizationId,
    event: EventId,
    after: Option<SignupId>,
    limit: u32,
) -> Result<Vec<Signup>> {
    let sql = format!(
        "SELECT json_group_array(json_array({SIGNUP})) FROM (SELECT * FROM signups \
         WHERE organization_id = $1 AND event_id = $2 AND id > $3 ORDER BY id LIMIT $4) u"
    );
    let after = after.unwrap_or(SignupId::NONE).uuid();
    let query = select(sql).bind(organization.uuid()).bind(event.uuid()).bind(after).bind(limit);
    let found = all(pool, "listing sign-ups", query, row::signup).await?;
    Ok(sorted(found, |signup| signup.id))
}

pub(crate) async fn signup_by_secret(pool: &SqlitePool, secret: &Digest) -> Result<Option<Signup>> {
    let sql = format!("SELECT json_array({SIGNUP}) FROM signups u WHERE u.secret = $1");
    one(pool, "reading a sign-up", select(sql).bind(secret.as_bytes().to_vec()), row::signup).await
}

pub(crate) async fn receipt(pool: &SqlitePool, key: &ReceiptKey, now: Timestamp) -> Result<Option<Receipt>> {
    let sql = format!(
        "SELECT json_array({RECEIPT}) FROM receipts r WHERE r.organization_id = $1 AND r.token_id = $2 \
         AND r.operation = $3 AND r.idempotency_key = $4 AND r.expires_at > $5"
    );
    let query = select(sql).bind(key.organization.uuid()).bind(key.token.uuid());
    let query = query.bind(key.operation.to_string()).bind(key.key.as_str().to_owned());
    let query = query.bind(now.as_second());
    one(pool, "reading a receipt", query, |row| row::receipt(row, key)).await
}

pub(crate) async fn notices(pool: &SqlitePool, after: Option<NoticeId>, limit: u32) -> Result<Vec<Notice>> {
    let sql = format!(
        "SELECT json_group_array(json_array({NOTICE})) \
         FROM (SELECT * FROM notices WHERE id > $1 ORDER BY id LIMIT $2) n"
    );
    let query = select(sql).bind(after.unwrap_or(NoticeId::NONE).uuid()).bind(limit);
    let found = all(pool, "listing notices", query, row::notice).await?;
    Ok(sorted(found, |notice| notice.id))
}

fn sorted<T, K: Ord>(found: Option<Vec<T>>, key: impl Fn(&T) -> K) -> Vec<T> {
    let mut found = found.unwrap_or_default();
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

#[cfg(test)]
mod tests {
    use sqlx::{Connection as _, Row as _, SqliteConnection};

    use super::*;
    use crate::SqliteStore;

    async fn plan(connection: &mut SqliteConnection, sql: &str) -> String {
        let plan =
            sqlx::query(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}"))).fetch_all(connection).await;
        let steps = plan.unwrap();
        steps.iter().map(|step| step.get::<String, _>("detail")).collect::<Vec<_>>().join("\n")
    }

    /// A page is a range of an index, whatever the filter and the direction: nothing is sorted, nothing skipped.
    #[tokio::test]
    async fn a_page_costs_the_same_wherever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("signup.db");
        let store = SqliteStore::open(&path).await.unwrap();
        let mut connection = SqliteConnection::connect(&format!("sqlite:{}", path.display())).await.unwrap();
        for (is_filtered, index) in [
            (false, "events_by_start (organization_id=?"),
            (true, "events_by_publication_and_start (organization_id=? AND is_published=?"),
        ] {
            for (side, range) in [
                (None, ""),
                (Some(Side::Below), " AND (starts_at,id)<(?,?)"),
                (Some(Side::Above), " AND (starts_at,id)>(?,?)"),
            ] {
                let plan = plan(&mut connection, &page_query(is_filtered, side)).await;
                assert!(plan.contains(&format!("SEARCH events USING INDEX {index}{range})")), "{plan}");
                assert!(!plan.contains("B-TREE") && !plan.contains("SCAN events"), "{plan}");
                // The look at the other side is a range too.
                assert_eq!(
                    plan.matches("SEARCH events USING").count(),
                    1 + usize::from(side.is_some()),
                    "{plan}"
                );
            }
        }
        store.close().await;
    }

    #[tokio::test]
    async fn active_events_are_counted_in_an_index_of_published_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("signup.db");
        let store = SqliteStore::open(&path).await.unwrap();
        let mut connection = SqliteConnection::connect(&format!("sqlite:{}", path.display())).await.unwrap();
        let plan = plan(&mut connection, crate::require::ACTIVE_EVENTS).await;
        assert!(plan.contains("USING COVERING INDEX published_events_by_end"), "{plan}");
        store.close().await;
    }
}
