//! The endpoints of webhooks: what has arrived, and whether it was accepted.

use std::sync::Arc;
use std::time::Duration;

use signup_core::{Attempt, Delivery, DeliveryStatus, Timestamp, Webhook};
use tokio::time::sleep;

use super::world::World;
use crate::webhook::SendDelivery;

/// The connection of a process to every endpoint.
#[derive(Debug)]
pub(super) struct Endpoints(pub(super) Arc<World>);

impl SendDelivery for Endpoints {
    async fn send(&self, webhook: &Webhook, delivery: &Delivery, _now: Timestamp) -> Attempt {
        let world = &self.0;
        let _under_way = world.enter();
        world.check(check(world, webhook, delivery));
        let fate = if world.random.chance(world.faults().webhooks) { world.random.below(4) } else { 4 };
        sleep(world.millis(1, 900)).await;
        world.trace(|| format!("{} at webhook {}: fate {fate}", delivery.activity.kind, webhook.id));
        if fate >= 2 {
            *world.inbox().deliveries.entry(delivery.id).or_default() += 1;
        }
        sleep(world.millis(0, 200)).await;
        let failed =
            |status, error: &str| Attempt::Failed { status, error: error.to_owned(), retry_after: None };
        match fate {
            0 => failed(Some(503), "status 503"),
            1 => failed(None, "connection refused"),
            2 => {
                sleep(Duration::from_secs(14)).await;
                failed(None, "timeout")
            }
            3 => failed(Some(500), "status 500"),
            _ => Attempt::Succeeded { status: 204 },
        }
    }
}

/// Checks that a request has what was committed, and that nothing is sent after its success was reported.
fn check(world: &World, webhook: &Webhook, delivery: &Delivery) -> Result<(), String> {
    let ledger = world.ledger();
    let kind = &delivery.activity.kind;
    if !delivery.is_test() && ledger.activities.get(&delivery.activity.id) != Some(&delivery.activity) {
        return Err(format!("{kind} was delivered and never happened"));
    }
    let Some(stored) = ledger.deliveries.get(&delivery.id) else { return Ok(()) };
    if stored.status() == DeliveryStatus::Delivered && stored.version >= delivery.version {
        return Err(format!("{kind} was delivered to {} again", webhook.id));
    }
    Ok(())
}
