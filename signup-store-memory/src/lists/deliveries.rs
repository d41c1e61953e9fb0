//! The deliveries to a webhook, and the due deliveries to all webhooks.

use std::collections::BTreeMap;

use jiff::Timestamp;
use signup_core::{
    Delivery, DeliveryId, DeliveryQuery, OrganizationId, Page, Record, RecordKey, Total, Webhook, WebhookId,
};

use super::id_page;
use crate::tables::Tables;

impl Tables {
    fn webhook(&self, key: &RecordKey) -> Option<&Webhook> {
        match self.records.get(key) {
            Some(Record::Webhook(webhook)) => Some(webhook),
            _ => None,
        }
    }

    fn delivery(&self, organization: OrganizationId, id: DeliveryId) -> Option<&Delivery> {
        match self.records.get(&RecordKey::Delivery(organization, id)) {
            Some(Record::Delivery(delivery)) => Some(delivery),
            _ => None,
        }
    }

    pub(crate) fn deliveries(
        &self,
        organization: OrganizationId,
        webhook: WebhookId,
        query: &DeliveryQuery,
    ) -> Page<Delivery> {
        let list = self.lists.deliveries.get(&RecordKey::Webhook(organization, webhook));
        let read = |id| self.delivery(organization, id).filter(|delivery| query.selects(delivery)).cloned();
        id_page(list, (query.position, query.limit), read)
    }

    /// Lists each webhook with its pending deliveries by due time, those of disabled webhooks only if they are tests.
    fn pending(&self) -> impl Iterator<Item = (&Webhook, impl Iterator<Item = (Timestamp, &Delivery)>)> {
        self.lists.pending.iter().filter_map(|(key, pending)| {
            let webhook = self.webhook(key)?;
            let deliveries = pending.iter().filter_map(|(due_at, id)| {
                let delivery = self.delivery(webhook.organization, *id)?;
                (webhook.is_enabled() || delivery.is_test()).then_some((*due_at, delivery))
            });
            Some((webhook, deliveries))
        })
    }

    pub(crate) fn due_deliveries(&self, now: Timestamp, limit: u32) -> Vec<Delivery> {
        let mut found = vec![];
        let mut turns = BTreeMap::<_, u32>::new();
        for (webhook, pending) in self.pending() {
            let in_flight = self.count(&Total::InFlight(webhook.organization, webhook.id), now);
            *turns.entry(webhook.organization).or_default() += in_flight;
            let is_failing = webhook.failing_since.is_some();
            let due = pending.filter(|(_, delivery)| delivery.is_due(now));
            for (place, (due_at, delivery)) in (in_flight..Webhook::MAX_IN_FLIGHT).zip(due) {
                found.push((is_failing, place, due_at, delivery));
            }
        }
        let in_turn = |found: &mut Vec<(bool, u32, Timestamp, &Delivery)>| {
            found.sort_by_key(|(is_failing, turn, due_at, delivery)| {
                (*is_failing, *turn, *due_at, delivery.id)
            });
        };
        in_turn(&mut found);
        for (_, place, _, delivery) in &mut found {
            let turn = turns.entry(delivery.organization).or_default();
            *place = *turn;
            *turn += 1;
        }
        in_turn(&mut found);
        found.truncate(limit as usize);
        found.into_iter().map(|(.., delivery)| delivery.clone()).collect()
    }

    pub(crate) fn oldest_pending_delivery(&self) -> Option<Timestamp> {
        let enabled = self.pending().filter(|(webhook, _)| webhook.is_enabled());
        enabled.flat_map(|(_, pending)| pending).map(|(_, delivery)| delivery.created_at).min()
    }
}
