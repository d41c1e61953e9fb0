//! What happened to a webhook between two states of the records, and which deliveries have to follow from new activity.

use std::collections::BTreeSet;

use super::operations::Effect;
use super::records::{Field, Happened, Owned, pairs, updated};
use crate::*;

/// Returns what happened to a webhook.
pub(super) fn webhook_difference(
    id: WebhookId,
    (before, after): (Option<&Webhook>, Option<&Webhook>),
) -> Vec<Happened> {
    let subject = Subject { webhook: Some(id), ..Subject::default() };
    let (Some(before), Some(after)) = (before, after) else {
        let kind = if before.is_none() { "webhook.created" } else { "webhook.deleted" };
        return vec![Happened::to(subject, kind)];
    };
    let is_disabled_by_service =
        before.disabled.is_none() && after.disabled.is_some_and(|disabled| disabled.reason.is_some());
    let after_owner = match is_disabled_by_service {
        true => Webhook { disabled: None, ..after.clone() },
        false => after.clone(),
    };
    let mut happened: Vec<_> =
        updated(subject, "webhook.updated", [before, &after_owner].map(webhook_fields)).into_iter().collect();
    let kinds = [
        (before.secret != after.secret, "webhook.secret_rotated"),
        (is_disabled_by_service, "webhook.disabled"),
    ];
    happened.extend(kinds.iter().filter(|(is_so, _)| *is_so).map(|(_, kind)| Happened::to(subject, kind)));
    happened
}

fn webhook_fields(webhook: &Webhook) -> [Field; 4] {
    let Webhook {
        id: _,
        organization: _,
        url,
        description,
        types,
        secret: _,
        former_secret: _,
        disabled,
        last_success_at: _,
        failing_since: _,
        version: _,
        created_at: _,
        updated_at: _,
    } = webhook;
    let types: Vec<_> = types.iter().map(TypeFilter::as_str).collect();
    [
        ("url", Some(url.to_string())),
        ("description", description.as_ref().map(ToString::to_string)),
        ("types", Some(types.join(" "))),
        ("is_enabled", Some(disabled.is_none().to_string())),
    ]
}

/// Compares the deliveries with the new activity. Each activity has one delivery for each webhook that is enabled after the operation
/// and selects the type, except the webhook that it says was created, disabled or deleted. Other new deliveries are tests. An
/// earlier delivery is kept with what it delivers, until it expires or its webhook is deleted.
///
/// # Errors
/// Returns the difference.
pub(super) fn check_deliveries(
    before: Option<&Owned>,
    after: &Owned,
    new: &[&Activity],
    effect: &Effect,
    now: Timestamp,
) -> Result<(), String> {
    let (mut found, mut tests) = (vec![], 0);
    for (id, pair) in pairs(before.map(|before| &before.deliveries), &after.deliveries) {
        match pair {
            (None, Some(delivery)) if delivery.activity.kind == ActivityType::WEBHOOK_TEST => {
                let is_listed = after.activity.iter().any(|activity| activity.id == delivery.activity.id);
                if is_listed || delivery.activity.subject != Subject::default() {
                    return Err(format!("the test {delivery:?} is an activity, or names a record"));
                }
                tests += 1;
            }
            (None, Some(delivery)) => {
                let due_now = Delivery::new(id, delivery.webhook, delivery.activity.clone(), now);
                if *delivery != due_now {
                    return Err(format!("{delivery:?} is not due at {now}"));
                }
                found.push((delivery.webhook, delivery.activity.clone()));
            }
            (Some(before), Some(after)) => {
                let fixed = |delivery: &Delivery| {
                    (delivery.organization, delivery.webhook, delivery.activity.clone(), delivery.created_at)
                };
                // Only an attempt and a redelivery change a delivery.
                if fixed(before) != fixed(after) || *effect != Effect::Write && before != after {
                    return Err(format!("the delivery {before:?} has become {after:?}"));
                }
            }
            (Some(gone), None) => {
                let is_expired = *effect == Effect::Purge && gone.expires_at <= now;
                if after.webhooks.contains_key(&gone.webhook) && !is_expired {
                    return Err(format!("the delivery {gone:?} is gone"));
                }
            }
            (None, None) => {}
        }
    }
    let mut expected: Vec<_> = after
        .webhooks
        .values()
        .flat_map(|webhook| new.iter().map(move |activity| (webhook, *activity)))
        .filter(|(webhook, activity)| is_told(webhook, activity))
        .map(|(webhook, activity)| (webhook.id, activity.clone()))
        .collect();
    let key = |(webhook, activity): &(WebhookId, Activity)| (*webhook, activity.id);
    expected.sort_by_key(key);
    found.sort_by_key(key);
    if found != expected {
        return Err(format!("the deliveries\n    are: {found:#?}\n and have to be: {expected:#?}"));
    }
    match tests {
        0 => Ok(()),
        1 if *effect == Effect::Write && new.is_empty() => Ok(()),
        _ => Err(format!("{tests} tests, {effect:?}, and {new:?}")),
    }
}

/// Returns whether a webhook, as it is after the operation, receives an activity.
fn is_told(webhook: &Webhook, activity: &Activity) -> bool {
    let kind = activity.kind.as_str();
    let selected: BTreeSet<_> = webhook.types.iter().map(TypeFilter::as_str).collect();
    let group = kind.split_once('.').map(|(group, _)| format!("{group}.*"));
    let selects = ["*", kind, &group.unwrap()].iter().any(|filter| selected.contains(filter));
    let is_own = activity.subject.webhook == Some(webhook.id)
        && ["webhook.created", "webhook.disabled", "webhook.deleted"].contains(&kind);
    webhook.disabled.is_none() && selects && !is_own
}
