//! Webhooks: creating, changing, disabling and deleting one, and asking for a delivery.

use jiff::Timestamp;

use super::activity::changes_of_webhook;
use super::{Decision, NewActivity};
use crate::activity::{Activity, ActivityType, Actor, Subject};
use crate::error::Error;
use crate::id::{ActivityId, DeliveryId, WebhookId};
use crate::input::{Change, NewWebhook, WebhookPatch};
use crate::organization::Organization;
use crate::store::{ChangeSet, Requirement, Total};
use crate::webhook::{Delivery, Disabled, DisabledReason, FormerSecret, SigningSecret, Webhook};

/// Creates a webhook.
///
/// The store checks that the organization has fewer than [`Webhook::MAX_PER_ORGANIZATION`].
pub(crate) fn create_webhook(
    organization: Organization,
    new: NewWebhook,
    id: WebhookId,
    secret: SigningSecret,
    now: Timestamp,
) -> Decision<Webhook> {
    let webhook = Webhook {
        id,
        organization: organization.id,
        url: new.url,
        description: new.description,
        types: new.types,
        secret: Some(secret),
        former_secret: None,
        disabled: (!new.is_enabled).then_some(Disabled { at: now, reason: None }),
        last_success_at: None,
        failing_since: None,
        version: 1,
        created_at: now,
        updated_at: now,
    };
    let mut change = ChangeSet::default();
    let (total, bound) = (Total::Webhooks(organization.id), Webhook::MAX_PER_ORGANIZATION);
    change.requires.push(Requirement::Below { total, bound, now });
    raise_gate(&mut change, organization);
    change.insert(webhook.clone());
    let created = NewActivity::of(ActivityType::WEBHOOK_CREATED, &webhook);
    Decision::new(webhook, change, [created])
}

/// Raises the gate of the organization: another set of webhooks gets its activity from now on.
fn raise_gate(change: &mut ChangeSet, organization: Organization) {
    let raised = Organization {
        version: organization.version + 1,
        gate: organization.gate + 1,
        ..organization.clone()
    };
    change.replace(organization, raised);
}

/// Changes the fields that `patch` names. Enabling a webhook clears the reason for which it was disabled.
pub(crate) fn patch_webhook(
    organization: Organization,
    webhook: Webhook,
    patch: WebhookPatch,
    now: Timestamp,
) -> Decision<Webhook> {
    let disabled = match patch.is_enabled {
        Some(true) => None,
        Some(false) => webhook.disabled.or(Some(Disabled { at: now, reason: None })),
        None => webhook.disabled,
    };
    let is_enabled_now = webhook.disabled.is_some() && disabled.is_none();
    let changed = Webhook {
        url: patch.url.unwrap_or_else(|| webhook.url.clone()),
        description: patch.description.map_or_else(|| webhook.description.clone(), Change::into_value),
        types: patch.types.unwrap_or_else(|| webhook.types.clone()),
        disabled,
        // The time since which deliveries fail is counted anew.
        failing_since: webhook.failing_since.filter(|_| !is_enabled_now),
        ..webhook.clone()
    };
    let changes = changes_of_webhook(&webhook, &changed);
    if changes.is_empty() {
        return Decision::unchanged(webhook.without_secrets());
    }
    let changed = Webhook { version: webhook.version + 1, updated_at: now, ..changed };
    let mut change = ChangeSet::default();
    raise_gate(&mut change, organization);
    change.replace(webhook, changed.clone());
    let activity = NewActivity::of(ActivityType::WEBHOOK_UPDATED, &changed).with_changes(changes);
    Decision::new(changed.without_secrets(), change, [activity])
}

/// Replaces the secret. The former one signs for 24 more hours; one that was replaced before ends at once.
pub(crate) fn rotate_secret(webhook: Webhook, secret: SigningSecret, now: Timestamp) -> Decision<Webhook> {
    let until = now.checked_add(FormerSecret::LIFE).unwrap_or(Timestamp::MAX);
    let rotated = Webhook {
        former_secret: webhook.secret.clone().map(|secret| FormerSecret { secret, until }),
        secret: Some(secret),
        version: webhook.version + 1,
        updated_at: now,
        ..webhook.clone()
    };
    let mut change = ChangeSet::default();
    change.replace(webhook, rotated.clone());
    let activity = NewActivity::of(ActivityType::WEBHOOK_SECRET_ROTATED, &rotated);
    Decision::new(Webhook { former_secret: None, ..rotated }, change, [activity])
}

/// Deletes a webhook with its deliveries.
pub(crate) fn delete_webhook(organization: Organization, webhook: Webhook) -> Decision<()> {
    let deleted = NewActivity::of(ActivityType::WEBHOOK_DELETED, &webhook);
    let mut change = ChangeSet::default();
    raise_gate(&mut change, organization);
    change.remove(webhook);
    Decision::new((), change, [deleted])
}

/// Makes a delivery that tests a webhook.
pub(crate) fn test_webhook(
    webhook: &Webhook,
    actor: Actor,
    ids: (DeliveryId, ActivityId),
    now: Timestamp,
) -> Decision<Delivery> {
    let (id, activity) = ids;
    let kind = ActivityType::WEBHOOK_TEST;
    let activity =
        Activity::new(activity, webhook.organization, kind, now, actor, Subject::default(), vec![]);
    let delivery = Delivery::new(id, webhook.id, activity, now);
    let mut change = ChangeSet::default();
    change.require_unchanged(webhook);
    change.insert(delivery.clone());
    Decision::unrecorded(delivery, change)
}

/// Makes a delivery due again. A pending one stays as it is.
///
/// # Errors
/// Returns [`Error::WebhookDisabled`].
pub(crate) fn redeliver(
    webhook: &Webhook,
    delivery: Delivery,
    now: Timestamp,
) -> Result<Decision<Delivery>, Error> {
    if !webhook.is_enabled() {
        return Err(Error::WebhookDisabled);
    }
    if delivery.due_at().is_some() {
        return Ok(Decision::unchanged(delivery));
    }
    let again = delivery.clone().redelivered(now);
    let mut change = ChangeSet::default();
    change.require_unchanged(webhook);
    change.replace(delivery, again.clone());
    Ok(Decision::unrecorded(again, change))
}

/// Disables a webhook, because the service decides so.
pub(super) fn disable(
    change: &mut ChangeSet,
    organization: Organization,
    webhook: &Webhook,
    reason: DisabledReason,
    now: Timestamp,
) -> (Webhook, NewActivity) {
    let disabled = Webhook { disabled: Some(Disabled { at: now, reason: Some(reason) }), ..webhook.clone() };
    raise_gate(change, organization);
    let activity = NewActivity::of(ActivityType::WEBHOOK_DISABLED, webhook);
    (disabled, activity)
}

#[cfg(test)]
mod tests;
