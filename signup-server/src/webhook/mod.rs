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
