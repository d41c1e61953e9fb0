//! Deliveries to webhooks.

use signup_core::{Delivery, DeliveryId, DeliveryState, DeliveryStatus, StoreError, WebhookId};

use crate::sql::column::ColumnType::{Flag, Id, Integer, Text};
use crate::sql::row::Row;
use crate::sql::table::{Column, Table};

pub(crate) const TABLE: Table<Delivery> = Table {
    name: "deliveries",
    alias: 'd',
    key: &["organization_id", "id"],
    columns: &[
        Column::new("id", Id, |delivery| delivery.id.uuid().into()),
        // The activity has it, too.
        Column::new("organization_id", Id, |delivery: &Delivery| delivery.organization.uuid().into())
            .unread(),
        Column::new("webhook_id", Id, |delivery: &Delivery| delivery.webhook.uuid().into()),
        Column::json("activity", |delivery| serde_json::to_string(&delivery.activity)),
        Column::new("is_test", Flag, |delivery: &Delivery| delivery.is_test().into()).unread(),
        Column::new("created_at", Integer, |delivery: &Delivery| delivery.created_at.into()),
        Column::new("status", Text, |delivery| delivery.status().name().into()),
        Column::new("due_at", Integer, |delivery| delivery.due_at().into()),
        Column::new("leased_until", Integer, |delivery| {
            match delivery.state {
                DeliveryState::Pending { due_at, is_leased: true } => Some(due_at),
                _ => None,
            }
            .into()
        }),
        Column::new("ended_at", Integer, |delivery| {
            match delivery.state {
                DeliveryState::Pending { .. } => None,
                DeliveryState::Delivered { at } | DeliveryState::Failed { at } => Some(at),
            }
            .into()
        }),
        Column::new("attempts", Integer, |delivery| delivery.attempts.into()),
        Column::new("last_status", Integer, |delivery| delivery.last_status.map(i64::from).into()),
        Column::new("last_error", Text, |delivery| delivery.last_error.as_deref().into()),
        Column::new("version", Integer, |delivery| delivery.version.into()),
        Column::new("expires_at", Integer, |delivery: &Delivery| delivery.expires_at.into()),
    ],
    ..Table::read_by(read)
};

pub(crate) fn read(row: Row<'_>) -> Result<Delivery, StoreError> {
    let mut columns = row.of(&TABLE);
    let (id, webhook) = (columns.id("id", DeliveryId::new)?, columns.id("webhook_id", WebhookId::new)?);
    let activity = columns.json("activity")?;
    let mut delivery = Delivery::new(id, webhook, activity, columns.instant("created_at")?);
    let status = columns.parse("status")?;
    let due_at = columns.optional_instant("due_at")?;
    let is_leased = columns.optional_instant("leased_until")?.is_some();
    let ended_at = columns.optional_instant("ended_at")?;
    delivery.state = match (status, due_at, ended_at) {
        (DeliveryStatus::Pending, Some(due_at), None) => DeliveryState::Pending { due_at, is_leased },
        (DeliveryStatus::Delivered, None, Some(at)) => DeliveryState::Delivered { at },
        (DeliveryStatus::Failed, None, Some(at)) => DeliveryState::Failed { at },
        _ => return columns.checked(Err("a pending delivery is due, and another has ended")),
    };
    delivery.attempts = columns.number("attempts")?;
    delivery.last_status = columns.optional_number("last_status")?.and_then(|status| status.try_into().ok());
    delivery.last_error = columns.optional_text("last_error")?.map(str::to_owned);
    delivery.version = columns.number("version")?;
    delivery.expires_at = columns.instant("expires_at")?;
    Ok(delivery)
}
