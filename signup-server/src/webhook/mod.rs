//! Webhooks: sending the due deliveries of the outbox, and reporting the attempts.
//!
//! **Invariant:** the library decides when a delivery is due, whether it is tried again, and when a webhook is disabled. This
//! module only sends the request.

mod fault;
mod network;
mod queue;
mod request;
mod sender;

pub(crate) use queue::WebhookQueue;
pub(crate) use sender::Sender;

use signup_core::{Attempt, Delivery, Timestamp, Webhook};

/// Sends deliveries to webhooks. The queue of deliveries takes any sender, so that tests can have one of their own.
pub(crate) trait SendDelivery: Send + Sync + 'static {
    /// Makes an attempt of a claimed delivery.
    fn send(
        &self,
        webhook: &Webhook,
        delivery: &Delivery,
        now: Timestamp,
    ) -> impl Future<Output = Attempt> + Send;
}
