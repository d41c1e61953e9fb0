//! The deliveries to a webhook, and the due deliveries to all webhooks.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use jiff::Timestamp;
use signup_core::uuid::Uuid;
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

    /// Lists each webhook with the due times and ids of its pending deliveries.
    fn pending(&self) -> impl Iterator<Item = (&Webhook, &BTreeSet<(Timestamp, DeliveryId)>)> {
        let pending = self.lists.pending.iter();
        pending.filter_map(|(key, pending)| Some((self.webhook(key)?, pending)))
    }

    pub(crate) fn due_deliveries(&self, now: Timestamp, limit: u32) -> Vec<Delivery> {
        let last_at = |time| (time, DeliveryId::new(Uuid::max()));
        let by_now = (Bound::Unbounded, Bound::Included(last_at(now)));
        let after_latest = (Bound::Excluded(last_at(Delivery::latest_due_at(now))), Bound::Unbounded);
        let mut found = vec![];
        let mut turns = BTreeMap::<_, u32>::new();
        for (webhook, pending) in self.pending() {
            let in_flight = self.count(&Total::InFlight(webhook.organization, webhook.id), now);
            *turns.entry(webhook.organization).or_default() += in_flight;
            let is_failing = webhook.failing_since.is_some();
            let wanted = |(due_at, id): &(Timestamp, DeliveryId)| {
                let delivery = self.delivery(webhook.organization, *id)?;
                (webhook.is_enabled() || delivery.is_test()).then_some((*due_at, delivery))
            };
            let due = pending.range(by_now).filter_map(wanted);
            let late = pending.range(after_latest).filter_map(wanted).take(1);
            for (place, (due_at, delivery)) in (in_flight..Webhook::MAX_IN_FLIGHT).zip(due.chain(late)) {
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
        let ids =
            enabled.flat_map(|(webhook, pending)| pending.iter().map(|(_, id)| (webhook.organization, *id)));
        ids.filter_map(|(owner, id)| self.delivery(owner, id)).map(|delivery| delivery.created_at).min()
    }
}
