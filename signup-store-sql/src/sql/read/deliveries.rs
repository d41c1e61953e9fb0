//! The deliveries to a webhook, page by page, and the due deliveries to all webhooks.

use std::collections::BTreeMap;

use signup_core::{
    Delivery, DeliveryId, DeliveryQuery, DeliveryStatus, OrganizationId, Page, StoreError, Timestamp, Total,
    Webhook, WebhookId,
};

use super::page::IdPage;
use super::reader::{Reader, StoreResult, is_first_report};
use crate::records::delivery;
use crate::sql::column::{ColumnType, SelectedColumn};
use crate::sql::row::{self, Row};
use crate::sql::table::{Column, Table};
use crate::sql::{Dialect, Statement, values};

fn page(
    organization: OrganizationId,
    webhook: WebhookId,
    DeliveryQuery { limit, position, status, .. }: &DeliveryQuery,
) -> IdPage<Delivery> {
    let mut page = IdPage::new(&delivery::TABLE, organization, *limit, *position, DeliveryId::uuid);
    page.scope = Some(("webhook_id", webhook.uuid()));
    page.filter_by("status", status.map(DeliveryStatus::name));
    page
}

/// Returns the statement for a page of deliveries.
#[cfg(test)]
pub(crate) fn delivery_page_query(
    dialect: Dialect,
    organization: OrganizationId,
    webhook: WebhookId,
    wanted: &DeliveryQuery,
) -> Statement {
    page(organization, webhook, wanted).statement(dialect)
}

pub(crate) async fn delivery_page(
    reader: &impl Reader,
    organization: OrganizationId,
    webhook: WebhookId,
    wanted: &DeliveryQuery,
) -> StoreResult<Page<Delivery>> {
    let page = page(organization, webhook, wanted);
    page.read(reader, "listing deliveries", |delivery| delivery.id).await
}

/// The webhooks with pending deliveries. The index of pending deliveries is searched once for each webhook, so the cost does not
/// depend on how many deliveries wait.
const WAITING: &str = "WITH RECURSIVE waiting (id) AS ( \
     SELECT * FROM (SELECT webhook_id FROM deliveries WHERE due_at IS NOT NULL ORDER BY webhook_id LIMIT 1) first \
     UNION ALL SELECT (SELECT n.webhook_id FROM deliveries n WHERE n.due_at IS NOT NULL AND n.webhook_id > waiting.id \
     ORDER BY n.webhook_id LIMIT 1) FROM waiting WHERE waiting.id IS NOT NULL)";

/// The waiting webhooks, with the number of deliveries of the webhook and of its organization that are in flight at `$1`. `$2` is
/// the latest end of a lease.
///
/// SQLite joins the tables of a `CROSS JOIN` in the order of the text. In the other order, it would scan all rows of the second
/// one.
const WITH_IN_FLIGHT: &str = ", counted AS MATERIALIZED ( \
     SELECT w.organization_id, w.id, w.disabled_at, w.failing_since IS NOT NULL AS is_failing, (SELECT COUNT(*) FROM deliveries f \
     WHERE f.organization_id = w.organization_id AND f.webhook_id = w.id AND f.leased_until > $1 AND f.leased_until <= $2) \
     AS in_flight FROM waiting CROSS JOIN webhooks w WHERE w.id = waiting.id), w AS MATERIALIZED ( \
     SELECT c.*, SUM(c.in_flight) OVER (PARTITION BY c.organization_id) AS of_organization FROM counted c)";

/// The place of a due delivery in the list. Its column is selected beside those of the delivery.
const PLACED: Table<()> = Table {
    name: "placed",
    alias: 'd',
    columns: &[Column::new("place", ColumnType::Integer, |()| 0_u32.into())],
    ..Table::read_by(|_| Ok(()))
};

fn due_columns() -> Vec<SelectedColumn> {
    [PLACED.columns(), delivery::TABLE.columns()].concat()
}

/// Returns the statement for the due deliveries: the first ones of each webhook, each found by its offset. Of a disabled webhook
/// only tests are due.
///
/// Each row of `found` is a delivery: the first ones that are due at `$1`, and the first one with a due time after `$3`. `placed`
/// has the place of each among those of its webhook, and `turns` among those of its organization.
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
) -> StoreResult<Vec<Delivery>> {
    let due = due_deliveries_query(reader.dialect(), now, limit);
    let [json] = reader.only_row("looking for due deliveries", due).await?;
    let read = |row: Row<'_>| {
        let place: u32 = row.of(&PLACED).number("place")?;
        let id = row.of(&delivery::TABLE).id("id", DeliveryId::new)?;
        Ok((place, (id, delivery::read(row))))
    };
    let placed: BTreeMap<_, _> = row::all(&json, &due_columns(), read)?.into_iter().collect();
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

pub(crate) async fn oldest_pending_delivery(reader: &impl Reader) -> StoreResult<Option<Timestamp>> {
    const WHAT: &str = "looking for the oldest pending delivery";
    let found = reader.row(WHAT, oldest_pending_query(reader.dialect())).await?;
    let Some([seconds]) = found.filter(|[seconds]: &[String; 1]| !seconds.is_empty()) else {
        return Ok(None);
    };
    let seconds: i64 = seconds.parse().map_err(|error| StoreError::failed(WHAT, error))?;
    Timestamp::from_second(seconds).map(Some).map_err(|error| StoreError::failed(WHAT, error))
}
