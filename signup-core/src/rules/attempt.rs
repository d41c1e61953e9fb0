//! The attempts of a delivery to a webhook: claimed, and reported.

use jiff::Timestamp;

use super::webhook::disable;
use super::{Decision, NewActivity};
use crate::organization::Organization;
use crate::store::{ChangeSet, Requirement, Total};
use crate::webhook::{Attempt, Delivery, DisabledReason, Webhook};

/// Claims a delivery that is due. The outcome is the claimed delivery, or `None` if the webhook is disabled: then the delivery
/// waits.
///
/// The store checks that fewer than [`Webhook::MAX_IN_FLIGHT`] deliveries of the webhook are claimed, over all processes.
pub(crate) fn claim_delivery(
    webhook: &Webhook,
    delivery: Delivery,
    now: Timestamp,
) -> Decision<Option<Delivery>> {
    let is_wanted = webhook.is_enabled() || delivery.is_test();
    if !is_wanted || delivery.due_at().is_none_or(|due_at| now < due_at) {
        return Decision::unchanged(None);
    }
    let mut change = ChangeSet::default();
    let total = Total::InFlight(webhook.organization, webhook.id);
    change.requires.push(Requirement::Below { total, bound: Webhook::MAX_IN_FLIGHT, now });
    let claimed = delivery.clone().claimed(now);
    change.replace(delivery, claimed.clone());
    Decision::unrecorded(Some(claimed), change)
}

/// Stores the result of an attempt. The outcome is the delivery afterwards.
///
/// A success is noted at the webhook once a second at most, because each note excludes others. A webhook that is gone, or whose
/// deliveries have failed for [`Webhook::FAILURE_LIMIT`], is disabled.
pub(crate) fn report_attempt(
    organization: Organization,
    webhook: Webhook,
    delivery: Delivery,
    attempt: &Attempt,
    jitter: f64,
    now: Timestamp,
) -> Decision<Delivery> {
    let reported = delivery.clone().after(attempt, jitter, now);
    let mut change = ChangeSet::default();
    let mut activity: Vec<NewActivity> = vec![];
    let changed = match attempt {
        Attempt::Succeeded { .. } => {
            Webhook { last_success_at: Some(now), failing_since: None, ..webhook.clone() }
        }
        // Of a test, too: the address is gone for every delivery.
        Attempt::Gone | Attempt::Failed { .. } => {
            let since = *webhook.failing_since.as_ref().unwrap_or(&now);
            let failing = Webhook { failing_since: Some(since), ..webhook.clone() };
            let reason = match attempt {
                Attempt::Gone => Some(DisabledReason::Gone),
                _ => (now.duration_since(since) >= Webhook::FAILURE_LIMIT).then_some(DisabledReason::Failing),
            };
            match reason.filter(|_| webhook.is_enabled()) {
                Some(reason) => {
                    let (disabled, disabling) = disable(&mut change, organization, &failing, reason, now);
                    activity.push(disabling);
                    disabled
                }
                None => failing,
            }
        }
    };
    if changed != webhook {
        let changed = Webhook { version: webhook.version + 1, ..changed };
        change.replace(webhook, changed);
    }
    change.replace(delivery, reported.clone());
    Decision::new(reported, change, activity)
}
