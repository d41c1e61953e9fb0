//! The queue of deliveries: claims a due delivery, sends its request, and reports the attempt to the outbox.
//!
//! A delivery whose attempt was sent but not reported is sent again, with the same `webhook-id`, when its lease has expired.

use std::time::Instant;

use signup_core::uuid::Uuid;
use signup_core::{Attempt, Delivery, DeliveryStatus, Error, Outbox, Reported, Webhook};
use tokio::sync::watch;

use super::Sender;
use crate::metrics;
use crate::reply::WithSources;
use crate::worker::{Next, POLL_INTERVAL, Queue};

/// The queued deliveries of the outbox.
#[derive(Debug)]
pub(crate) struct WebhookQueue {
    outbox: Outbox,
    sender: Sender,
    stop: watch::Receiver<bool>,
}

impl WebhookQueue {
    /// Creates the queue. When `stop` is true, a report that cannot be stored is not retried.
    pub(crate) const fn new(outbox: Outbox, sender: Sender, stop: watch::Receiver<bool>) -> Self {
        Self { outbox, sender, stop }
    }

    /// Reports an attempt. Retries until the server stops, because without the report the delivery would be sent again.
    async fn report(&self, sent_to: &Webhook, claimed: &Delivery, attempt: &Attempt) {
        let (webhook, delivery) = (claimed.webhook, claimed.id);
        let mut is_retry = false;
        loop {
            match self.outbox.report_attempt(sent_to, claimed, attempt).await {
                Ok(Some(reported)) => return log(&reported),
                Ok(None) if is_retry => {
                    tracing::warn!(%webhook, %delivery, "the result of an attempt was stored before, or came too late");
                    return;
                }
                Ok(None) => {
                    tracing::debug!(%webhook, %delivery, "the result of an attempt came too late, or its webhook was deleted");
                    return;
                }
                Err(error) => {
                    tracing::warn!(%webhook, %delivery, error = %WithSources(&error), "the result of an attempt could not be stored");
                }
            }
            is_retry = true;
            if *self.stop.borrow() {
                return;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}

impl Queue for WebhookQueue {
    type Item = Delivery;

    const ITEMS: &'static str = "deliveries";
    const AT_ONCE: usize = 64;
    /// So many that those of webhooks with no free place do not fill a read.
    const BATCH: u32 = Self::AT_ONCE as u32 * Webhook::MAX_IN_FLIGHT;

    fn id(delivery: &Delivery) -> Uuid {
        delivery.id.uuid()
    }

    fn target(delivery: &Delivery) -> Uuid {
        delivery.webhook.uuid()
    }

    /// The more requests to a webhook are in flight, the more places it leaves free: it gets its first request in any free place, its
    /// second in one of 48, its third in one of 32 and its fourth in one of 16. So many endpoints that never answer, such as all
    /// webhooks of one organization, do not take every place.
    fn has_place(in_flight: usize, to_target: usize) -> bool {
        let share = Self::AT_ONCE / Webhook::MAX_IN_FLIGHT as usize;
        in_flight + share * to_target < Self::AT_ONCE
    }

    async fn due(&self) -> Result<Vec<Delivery>, Error> {
        self.outbox.due_deliveries(Self::BATCH).await
    }

    async fn deliver(&self, due: Delivery) -> Next {
        let (webhook, delivery) = match self.outbox.claim_delivery(&due).await {
            Ok(Some(claimed)) => claimed,
            Ok(None) => return Next::Wait,
            Err(error) => {
                tracing::error!(delivery = %due.id, error = %WithSources(&error), "a delivery could not be claimed");
                if matches!(&error, Error::Store(error) if error.is_unavailable()) {
                    return Next::Pause;
                }
                // A record cannot be read. The delivery stays due and must not delay others. While it counts as in flight, it
                // is not claimed again with each read.
                tokio::time::sleep(POLL_INTERVAL).await;
                return Next::Wait;
            }
        };
        let began = Instant::now();
        let attempt = self.sender.send(&webhook, &delivery, self.outbox.now()).await;
        metrics::count_attempt(matches!(attempt, Attempt::Succeeded { .. }), began);
        self.report(&webhook, &delivery, &attempt).await;
        Next::Continue
    }

    fn idle(&self) {}
}

/// Logs and counts what a report has changed. The URL of a webhook may contain a secret, so the log has only its id.
///
/// An endpoint that is down does not fill the log: the owner of the webhook sees each failure in the list of deliveries, and the
/// operator sees the metrics.
fn log(Reported { delivery, disabled, .. }: &Reported) {
    let (webhook, id, attempts) = (delivery.webhook, delivery.id, delivery.attempts);
    let error = delivery.last_error.as_deref().unwrap_or_default();
    match delivery.status() {
        DeliveryStatus::Delivered => {
            tracing::debug!(%webhook, delivery = %id, attempts, "an activity was delivered");
        }
        DeliveryStatus::Pending => {
            tracing::debug!(%webhook, delivery = %id, attempts, error, "an activity was not delivered, and is sent again later");
        }
        DeliveryStatus::Failed => {
            tracing::info!(%webhook, delivery = %id, attempts, error, "a delivery has failed for good");
        }
    }
    metrics::count_delivery(delivery.status());
    if let Some(reason) = disabled {
        metrics::count_disabled(*reason);
        tracing::warn!(%webhook, organization = %delivery.organization, %reason, "a webhook was disabled");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_endpoints_that_never_answer_leave_half_of_the_places() {
        let mut in_flight = [0; 16];
        while let Some(webhook) = (0..16)
            .filter(|webhook| WebhookQueue::has_place(in_flight.iter().sum(), in_flight[*webhook]))
            .min_by_key(|webhook| in_flight[*webhook])
        {
            in_flight[webhook] += 1;
        }
        assert_eq!(in_flight, [2; 16]);
        assert!((32..64).all(|total| WebhookQueue::has_place(total, 0)) && !WebhookQueue::has_place(64, 0));
        assert!((0..4).all(|alone| WebhookQueue::has_place(alone, alone)) && !WebhookQueue::has_place(4, 4));
    }
}
