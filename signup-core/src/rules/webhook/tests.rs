use super::super::facts::*;
use super::*;
use crate::conformance::records::{self, at, uuid};
use crate::webhook::{Attempt, DeliveryStatus};

/// Returns an organization with the gate 4, and its webhook 7.
fn facts() -> (Organization, Webhook) {
    (Organization { gate: 4, ..records::organization(1) }, records::webhook(1, 7))
}

fn disabled(reason: Option<DisabledReason>) -> Webhook {
    Webhook { disabled: Some(Disabled { at: at(1), reason }), failing_since: Some(at(0)), ..facts().1 }
}

fn patch(webhook: Webhook, patch: WebhookPatch) -> Decision<Webhook> {
    patch_webhook(facts().0, webhook, patch, at(9))
}

#[test]
fn a_new_webhook_counts_and_raises_the_gate() {
    let new = NewWebhook::new("https://example.org/".parse().unwrap())
        .types(vec!["event.*".parse().unwrap()])
        .description("Calendar".parse().unwrap());
    let create = |new| {
        let id = WebhookId::new(uuid(7));
        create_webhook(facts().0, new, id, SigningSecret::generate(), at(9))
    };
    let created = create(new.clone());
    assert_eq!(
        lines(&created),
        ["webhooks below 16", "Organization 1 at 1", "put Organization 1 to 2, gate 5", "insert Webhook 7"]
    );
    assert_eq!(named(&created), ["webhook.created"]);
    let webhook = created.outcome;
    assert_eq!(
        (&webhook.url, &webhook.types, &webhook.description),
        (&new.url, &new.types, &new.description)
    );
    assert_eq!((webhook.disabled, webhook.created_at, webhook.updated_at), (None, at(9), at(9)));
    let by_hand = Some(Disabled { at: at(9), reason: None });
    assert_eq!(create(new.disabled()).outcome.disabled, by_hand, "it counts, too");
}

#[test]
fn a_patch_names_the_fields_that_changed_and_raises_the_gate() {
    let (_, webhook) = facts();
    let everything = WebhookPatch::new()
        .enabled(false)
        .types(vec!["slot.*".parse().unwrap()])
        .description("Newsletter".parse().unwrap())
        .url("https://example.org/other".parse().unwrap());
    let patched = patch(webhook.clone(), everything);
    assert_eq!(named(&patched), ["webhook.updated url description types is_enabled"]);
    assert_eq!(
        lines(&patched),
        ["Organization 1 at 1", "Webhook 7 at 1", "put Organization 1 to 2, gate 5", "put Webhook 7 to 2",]
    );
    assert_eq!(patched.outcome.disabled, Some(Disabled { at: at(9), reason: None }));
    assert_eq!(patched.outcome.updated_at, at(9));
    let cleared = patch(webhook, WebhookPatch::new().clear_description());
    assert_eq!(
        (named(&cleared), cleared.outcome.description),
        (vec!["webhook.updated description".to_owned()], None)
    );
}

#[test]
fn a_patch_that_changes_no_value_writes_nothing() {
    let (_, webhook) = facts();
    let same = WebhookPatch::new()
        .url(webhook.url.clone())
        .types(webhook.types.clone())
        .description(webhook.description.clone().unwrap())
        .enabled(true);
    let gone = disabled(Some(DisabledReason::Gone));
    let cases = [
        (webhook.clone(), WebhookPatch::new()),
        (webhook, same),
        // The time and the reason stay.
        (gone, WebhookPatch::new().enabled(false)),
    ];
    for (webhook, same) in cases {
        let patched = patch(webhook.clone(), same);
        assert_eq!((lines(&patched), named(&patched)), (vec![], vec![]));
        assert_eq!(patched.outcome, webhook.without_secrets());
    }
}

#[test]
fn enabling_clears_the_reason_and_starts_the_count_of_failures_anew() {
    for reason in [None, Some(DisabledReason::Gone), Some(DisabledReason::Failing)] {
        let enabled = patch(disabled(reason), WebhookPatch::new().enabled(true));
        assert_eq!(named(&enabled), ["webhook.updated is_enabled"]);
        assert_eq!((enabled.outcome.disabled, enabled.outcome.failing_since), (None, None));
        let moved = WebhookPatch::new().url("https://example.org/other".parse().unwrap());
        let moved = patch(disabled(reason), moved).outcome;
        assert_eq!(
            (moved.disabled, moved.failing_since),
            (Some(Disabled { at: at(1), reason }), Some(at(0)))
        );
    }
}

#[test]
fn both_secrets_sign_for_a_day_and_a_second_rotation_ends_the_oldest() {
    let (_, webhook) = facts();
    let rotate = |webhook: &Webhook, now| rotate_secret(webhook.clone(), SigningSecret::generate(), now);
    let first = webhook.secret.clone();
    let rotated = rotate(&webhook, at(0));
    assert_eq!(lines(&rotated), ["Webhook 7 at 1", "put Webhook 7 to 2"], "the same webhooks are told");
    assert_eq!(named(&rotated), ["webhook.secret_rotated"]);
    let webhook = changed(&rotated).unwrap();
    let second = webhook.secret.clone();
    assert_ne!(second, first);
    assert_eq!((rotated.outcome.secret, rotated.outcome.former_secret), (second.clone(), None), "the answer");
    let secrets = |webhook: &Webhook, now| webhook.secrets(at(now)).cloned().map(Some).collect::<Vec<_>>();
    let day = 24 * 3600;
    assert_eq!(secrets(&webhook, day - 1), [second.clone(), first]);
    assert_eq!(secrets(&webhook, day), std::slice::from_ref(&second));
    let webhook = changed(&rotate(&webhook, at(10))).unwrap();
    assert_eq!(secrets(&webhook, 10), [webhook.secret.clone(), second]);
    assert_eq!(secrets(&webhook, day + 10), std::slice::from_ref(&webhook.secret));
}

#[test]
fn a_deletion_raises_the_gate() {
    let (organization, webhook) = facts();
    let deleted = delete_webhook(organization, webhook);
    assert_eq!(named(&deleted), ["webhook.deleted"]);
    assert_eq!(
        lines(&deleted),
        ["Organization 1 at 1", "Webhook 7 at 1", "put Organization 1 to 2, gate 5", "remove Webhook 7"]
    );
}

#[test]
fn a_test_is_a_delivery_and_no_activity_also_for_a_disabled_webhook() {
    for webhook in [facts().1, disabled(None)] {
        let ids = (DeliveryId::new(uuid(9)), ActivityId::new(uuid(10)));
        let test = test_webhook(&webhook, Actor::Operator, ids, at(9));
        assert_eq!(
            (lines(&test), named(&test)),
            (vec!["Webhook 7 at 1".into(), "insert Delivery 9".into()], vec![])
        );
        let Activity { id, kind, created_at, actor, subject, changes, .. } = test.outcome.activity.clone();
        assert_eq!((id, kind.as_str(), created_at), (ids.1, "webhook.test", at(9)));
        assert_eq!((actor, subject, changes.len()), (Actor::Operator, Subject::default(), 0));
        assert!(test.outcome.is_test() && test.outcome.due_at() == Some(at(9)));
    }
}

#[test]
fn a_delivery_that_has_ended_is_made_again() {
    let (_, webhook) = facts();
    let claimed = records::delivery(&webhook, 9).claimed(at(1));
    let succeeded = Attempt::Succeeded { status: 204 };
    for attempt in [succeeded, Attempt::Gone] {
        let ended = claimed.clone().after(&attempt, 0.0, at(2));
        let again = redeliver(&webhook, ended, at(9)).unwrap();
        assert_eq!(lines(&again), ["Webhook 7 at 1", "Delivery 9 at 3", "put Delivery 9 to 4"]);
        assert_eq!(named(&again), [""; 0], "it is no activity");
        assert_eq!((again.outcome.due_at(), again.outcome.attempts), (Some(at(9)), 0));
    }
    for pending in [records::delivery(&webhook, 9), claimed.clone()] {
        let unchanged = redeliver(&webhook, pending.clone(), at(9)).unwrap();
        assert_eq!((lines(&unchanged), unchanged.outcome), (vec![], pending));
    }
    let ended = claimed.after(&Attempt::Gone, 0.0, at(2));
    assert_eq!(ended.status(), DeliveryStatus::Failed);
    let refused = redeliver(&disabled(Some(DisabledReason::Gone)), ended, at(9));
    assert_eq!(refused.err(), Some(Error::WebhookDisabled));
}
