//! The deliveries to a webhook, page by page, and the due deliveries to all webhooks.

use std::collections::BTreeMap;

use signup_core::{
    Delivery, DeliveryId, DeliveryQuery, DeliveryStatus, OrganizationId, Page, Position, StoreError,
    Timestamp, Total, Webhook, WebhookId,
};
use uuid::Uuid;

use super::page::{IdPage, IdRange, id_page, page_columns, read_id_page, row_limit};
use super::reader::{Reader, Result, is_first_report};
use crate::records::delivery;
use crate::sql::row::{FetchedRows as _, Row};
use crate::sql::table::{Column, Kind, SelectedColumn, Table};
use crate::sql::{Dialect, Statement, values};

/// Returns the statement for a page of deliveries, like [`signup_page_query`](super::signup_page_query): a range of the index of
/// the webhook.
pub(crate) fn delivery_page_query(
    dialect: Dialect,
    organization: OrganizationId,
    webhook: WebhookId,
    wanted: &DeliveryQuery,
) -> Statement {
    let status = wanted.status.map(DeliveryStatus::name);
    let mut values = values![organization.uuid(), Uuid::nil(), Uuid::max(), webhook.uuid(), status];
    let position = wanted.position.map(|Position { key, side }| {
        values.push(key.uuid().into());
        ("$6", side)
    });
    let IdPage { page, other_side } =
        id_page(dialect, 'd', Some(("webhook_id", "$4")), position, ["$2", "$3"]);
    let select = |what: &str, IdRange { condition, order }: IdRange, limit: u32| {
        format!(
            "SELECT {what} FROM deliveries d WHERE d.organization_id = $1 AND {condition} \
             AND ($5 IS NULL OR d.status = $5) {order} LIMIT {limit}"
        )
    };
    let page = select("*", page, row_limit(wanted.limit));
    let other_side = other_side.map(|range| select("1", range, 1));
    let other_side = other_side.map_or_else(|| "1 = 0".to_owned(), |one| format!("({one}) IS NOT NULL"));
    let from = format!("(SELECT {other_side} AS has_other_side) p LEFT JOIN ({page}) d ON TRUE");
    Statement::of(dialect, &dialect.select(&page_columns(&delivery::TABLE), &from), values)
}

pub(crate) async fn delivery_page(
    reader: &impl Reader,
    organization: OrganizationId,
    webhook: WebhookId,
    wanted: &DeliveryQuery,
) -> Result<Page<Delivery>> {
    let page = delivery_page_query(reader.dialect(), organization, webhook, wanted);
    let wanted = (wanted.limit, wanted.position);
    read_id_page(reader, "listing deliveries", page, &delivery::TABLE, wanted, |delivery| delivery.id).await
}

/// The webhooks with pending deliveries. The index of pending deliveries is searched once for each webhook, so the cost does not
/// depend on how many deliveries wait.
const WAITING: &str = "WITH RECURSIVE waiting (id) AS ( \
     SELECT * FROM (SELECT webhook_id FROM deliveries WHERE due_at IS NOT NULL ORDER BY webhook_id LIMIT 1) first \
     UNION ALL SELECT (SELECT n.webhook_id FROM deliveries n WHERE n.due_at IS NOT NULL AND n.webhook_id > waiting.id \
     ORDER BY n.webhook_id LIMIT 1) FROM waiting WHERE waiting.id IS NOT NULL)";

/// The waiting webhooks, with the number of deliveries of the webhook and of its organization that are in flight at `$1`. `$2` is the
/// latest end of a lease.
///
/// SQLite joins the tables of a `CROSS JOIN` in the order of the text. In the other order, it would scan all rows of the second one.
const WITH_IN_FLIGHT: &str = ", counted AS MATERIALIZED ( \
     SELECT w.organization_id, w.id, w.disabled_at, w.failing_since IS NOT NULL AS is_failing, (SELECT COUNT(*) FROM deliveries f \
     WHERE f.organization_id = w.organization_id AND f.webhook_id = w.id AND f.leased_until > $1 AND f.leased_until <= $2) \
     AS in_flight FROM waiting CROSS JOIN webhooks w WHERE w.id = waiting.id), w AS MATERIALIZED ( \
     SELECT c.*, SUM(c.in_flight) OVER (PARTITION BY c.organization_id) AS of_organization FROM counted c)";

/// The place of a due delivery in the list. Its column is selected beside those of the delivery.
const PLACED: Table<()> = Table {
    name: "placed",
    alias: 'd',
    key: &[],
    source: "",
    is_live: |_| String::new(),
    selects: |table| table.columns(),
    read: |_| Ok(()),
    columns: &[Column::new("place", Kind::Integer, |()| 0_u32.into())],
};

fn due_columns() -> Vec<SelectedColumn> {
    [PLACED.columns(), delivery::TABLE.columns()].concat()
}

/// Returns the statement for the due deliveries: the first ones of each webhook, each found by its offset. Of a disabled webhook
/// only tests are due.
///
/// Each row of `found` is a delivery: the first ones that are due at `$1`, and the first one with a due time after `$3`. `placed` has
/// the place of each among those of its webhook, and `turns` among those of its organization.
pub(crate) fn due_deliveries_query(dialect: Dialect, now: Timestamp, limit: u32) -> Statement {
    let max = Webhook::MAX_IN_FLIGHT;
    let nth = |(range, offset): (&str, u32)| {
        let id = |is_test: &str| {
            format!(
                "(SELECT n.id FROM deliveries n WHERE n.webhook_id = w.id AND n.due_at IS NOT NULL \
                 AND n.due_at {range}{is_test} ORDER BY n.due_at, n.id LIMIT 1 OFFSET {offset})"
            )
        };
        let (any, test) = (id(""), id(" AND n.is_test"));
        format!(
            "SELECT w.is_failing, w.in_flight, w.of_organization, w.organization_id, \
             CASE WHEN w.disabled_at IS NULL THEN {any} ELSE {test} END AS id FROM w WHERE {offset} + w.in_flight < {max}"
        )
    };
    let found: Vec<_> = (0..max).map(|offset| ("<= $1", offset)).chain([("> $3", 0)]).map(nth).collect();
    let found = found.join(" UNION ALL ");
    let placed = "SELECT f.is_failing, f.of_organization, f.in_flight + ROW_NUMBER() OVER (PARTITION BY d.webhook_id \
         ORDER BY d.due_at, d.id) AS place, d.organization_id, d.id, d.due_at \
         FROM found f CROSS JOIN deliveries d WHERE d.organization_id = f.organization_id AND d.id = f.id";
    let turns = format!(
        "SELECT p.*, p.of_organization + ROW_NUMBER() OVER (PARTITION BY p.organization_id \
         ORDER BY p.is_failing, p.place, p.due_at, p.id) AS turn FROM placed p WHERE p.place <= {max}"
    );
    let from = format!(
        "(SELECT x.place, d.* FROM (SELECT ROW_NUMBER() OVER (ORDER BY t.is_failing, t.turn, t.due_at, t.id) AS place, \
         t.organization_id, t.id FROM turns t ORDER BY place LIMIT {limit}) x \
         CROSS JOIN deliveries d WHERE d.organization_id = x.organization_id AND d.id = x.id) d"
    );
    let text = dialect.select(&due_columns(), &from);
    let sql = format!(
        "{WAITING}{WITH_IN_FLIGHT}, found AS MATERIALIZED ({found}), placed AS ({placed}), turns AS ({turns}) {text}"
    );
    let latest_lease = Total::InFlight(OrganizationId::NONE, WebhookId::NONE).latest_until(now);
    let times = [now, latest_lease, Delivery::latest_due_at(now)];
    Statement::of(dialect, &sql, times.map(|time| time.as_second().into()).into())
}

pub(crate) async fn due_deliveries(
    reader: &impl Reader,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<Delivery>> {
    let due = due_deliveries_query(reader.dialect(), now, limit);
    let rows = reader.rows("looking for due deliveries", due).await?;
    let read = |row: Row<'_>| {
        let place: u32 = row.of(&PLACED).number("place")?;
        let id = row.of(&delivery::TABLE).id("id", DeliveryId::new)?;
        Ok((place, (id, delivery::read(row))))
    };
    let placed: BTreeMap<_, _> = rows.read(&due_columns(), read)?.into_iter().collect();
    let mut found = vec![];
    for (id, delivery) in placed.into_values() {
        match delivery {
            Ok(delivery) => found.push(delivery),
            Err(error) if is_first_report(id.uuid()) => {
                tracing::error!(delivery = %id, %error, "a delivery cannot be read, and is left alone");
            }
            Err(_) => {}
        }
    }
    Ok(found)
}

/// Returns the statement for the creation of the oldest pending delivery: the first one of each enabled webhook by an index of its
/// own.
pub(crate) fn oldest_pending_query(dialect: Dialect) -> Statement {
    let text = format!(
        "{WAITING} SELECT COALESCE(CAST(MIN(CASE WHEN w.disabled_at IS NULL THEN (SELECT n.created_at FROM deliveries n \
         WHERE n.webhook_id = w.id AND n.due_at IS NOT NULL ORDER BY n.created_at LIMIT 1) END) AS TEXT), '') \
         FROM waiting CROSS JOIN webhooks w WHERE w.id = waiting.id"
    );
    Statement::of(dialect, &text, values![])
}

pub(crate) async fn oldest_pending_delivery(reader: &impl Reader) -> Result<Option<Timestamp>> {
    const WHAT: &str = "looking for the oldest pending delivery";
    let found = reader.row(WHAT, oldest_pending_query(reader.dialect())).await?;
    let Some([seconds]) = found.filter(|[seconds]: &[String; 1]| !seconds.is_empty()) else {
        return Ok(None);
    };
    let seconds: i64 = seconds.parse().map_err(|error| StoreError::failed(WHAT, error))?;
    Timestamp::from_second(seconds).map(Some).map_err(|error| StoreError::failed(WHAT, error))
}
