//! The attempts of a delivery to a webhook: claimed, and reported.

use jiff::Timestamp;

use super::webhook::disable;
use super::{Decision, NewActivity};
use crate::organization::Organization;
use crate::store::{ChangeSet, Requirement, Total};
use crate::webhook::{Attempt, Delivery, DisabledReason, Reported, Webhook};

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
    if !is_wanted || !delivery.is_due(now) {
        return Decision::unchanged(None);
    }
    let mut change = ChangeSet::default();
    let total = Total::InFlight(webhook.organization, webhook.id);
    change.requires.push(Requirement::Below { total, bound: Webhook::MAX_IN_FLIGHT, now });
    let claimed = delivery.clone().claimed(now);
    change.replace(delivery, claimed.clone());
    Decision::unrecorded(Some(claimed), change)
}

/// Stores the result of an attempt. `sent_to` is the webhook as it was when the request was sent.
///
/// A success is recorded in the webhook at most once a second, because writes of one webhook exclude each other. A webhook that is
/// gone, or whose deliveries have failed for [`Webhook::FAILURE_LIMIT`], is disabled.
///
/// If the owner has changed the URL meanwhile, the result says nothing about the webhook, so only the delivery changes. If the
/// owner has changed something else, a failure also changes only the delivery, because the change may have repaired the webhook. In
/// both cases, an answer that the URL is gone counts as an ordinary failure.
pub(crate) fn report_attempt(
    organization: Organization,
    webhook: Webhook,
    delivery: Delivery,
    sent_to: &Webhook,
    attempt: &Attempt,
    jitter: f64,
    now: Timestamp,
) -> Decision<Reported> {
    let has_moved = sent_to.url != webhook.url;
    let is_changed = has_moved || sent_to.updated_at != webhook.updated_at;
    let failed = Attempt::Failed { status: Some(410), error: "status 410".to_owned(), retry_after: None };
    let attempt = if is_changed && *attempt == Attempt::Gone { &failed } else { attempt };
    let reported = delivery.clone().after(attempt, jitter, now);
    let mut change = ChangeSet::default();
    let mut activity: Vec<NewActivity> = vec![];
    let mut reason = None;
    let changed = match attempt {
        _ if has_moved => webhook.clone(),
        Attempt::Succeeded { .. } => Webhook {
            last_success_at: webhook.last_success_at.max(Some(now)),
            failing_since: None,
            ..webhook.clone()
        },
        _ if is_changed => webhook.clone(),
        // A test counts, too: the URL is the same for every delivery.
        Attempt::Gone | Attempt::Failed { .. } => {
            // A time in the future is that of a clock that was ahead.
            let since = webhook.failing_since.map_or(now, |since| since.min(now));
            let failing = Webhook { failing_since: Some(since), ..webhook.clone() };
            reason = match attempt {
                _ if !webhook.is_enabled() => None,
                Attempt::Gone => Some(DisabledReason::Gone),
                _ => (now.duration_since(since) >= Webhook::FAILURE_LIMIT).then_some(DisabledReason::Failing),
            };
            match reason {
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
    Decision::new(Reported { delivery: reported, disabled: reason }, change, activity)
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::super::facts::*;
    use super::*;
    use crate::activity::ActivityType;
    use crate::conformance::records::{self, at};
    use crate::webhook::{DeliveryStatus, Disabled};

    fn webhook() -> Webhook {
        records::webhook(1, 7)
    }

    fn disabled() -> Webhook {
        Webhook { disabled: Some(Disabled { at: at(1), reason: Some(DisabledReason::Gone) }), ..webhook() }
    }

    /// Returns the delivery 9 to the webhook 7, claimed.
    fn claimed() -> Delivery {
        records::delivery(&webhook(), 9).claimed(at(0))
    }

    fn test() -> Delivery {
        let mut test = records::delivery(&webhook(), 9);
        test.activity.kind = ActivityType::WEBHOOK_TEST;
        test
    }

    fn failed() -> Attempt {
        Attempt::Failed { status: Some(503), error: "status 503".to_owned(), retry_after: None }
    }

    fn report(webhook: &Webhook, attempt: &Attempt, now: Timestamp) -> Decision<Reported> {
        report_attempt(records::organization(1), webhook.clone(), claimed(), webhook, attempt, 0.0, now)
    }

    #[test]
    fn a_due_delivery_is_claimed_below_four_in_flight() {
        let due = records::delivery(&webhook(), 9);
        let claim = claim_delivery(&webhook(), due.clone(), at(0));
        let expected =
            ["deliveries in flight of Webhook 7 below 4", "Delivery 9 at 1", "put Delivery 9 to 2"];
        assert_eq!(lines(&claim), expected);
        assert_eq!(claim.outcome, Some(claimed()));
        let lease = Delivery::LEASE.as_secs();
        let is_claimed = |webhook: &Webhook, delivery: &Delivery, now| {
            claim_delivery(webhook, delivery.clone(), at(now)).outcome.is_some()
        };
        assert!(!is_claimed(&webhook(), &due, -1), "before it is due");
        assert!(!is_claimed(&webhook(), &claimed(), lease - 1), "during the lease of another process");
        assert!(is_claimed(&webhook(), &claimed(), lease), "after it");
        let ended = claimed().after(&Attempt::Succeeded { status: 200 }, 0.0, at(1));
        assert!(!is_claimed(&webhook(), &ended, 99), "a delivery that has ended");
        assert!(!is_claimed(&disabled(), &due, 0), "a disabled webhook");
        assert!(is_claimed(&disabled(), &test(), 0), "a test of a disabled webhook");
    }

    #[test]
    fn a_success_is_noted_once_a_second_and_ends_the_failures() {
        let success = Attempt::Succeeded { status: 204 };
        let failing = Webhook { failing_since: Some(at(1)), ..webhook() };
        let reported = report(&failing, &success, at(5));
        let expected = ["Webhook 7 at 1", "Delivery 9 at 2", "put Webhook 7 to 2", "put Delivery 9 to 3"];
        assert_eq!((lines(&reported), named(&reported)), (expected.map(str::to_owned).to_vec(), vec![]));
        let noted = changed(&reported).unwrap();
        assert_eq!((noted.last_success_at, noted.failing_since), (Some(at(5)), None));
        assert_eq!(noted.updated_at, webhook().updated_at, "the owner did not change it");
        assert_eq!(lines(&report(&noted, &success, at(5))), ["Delivery 9 at 2", "put Delivery 9 to 3"]);
        assert!(changed(&report(&noted, &success, at(6))).is_some());
    }

    #[test]
    fn a_webhook_without_a_success_for_five_days_is_disabled() {
        let mut webhook = webhook();
        webhook.last_success_at = Some(at(0));
        let first = report(&webhook, &failed(), at(10));
        let failing = changed(&first).unwrap();
        assert_eq!((failing.failing_since, failing.disabled), (Some(at(10)), None));
        let end = at(10) + SignedDuration::from_hours(5 * 24);
        let before = report(&failing, &failed(), end - SignedDuration::from_secs(1));
        assert_eq!((changed(&before), named(&before)), (None, vec![]), "the first failure counts");
        let last = report(&failing, &failed(), end);
        assert_eq!(named(&last), ["webhook.disabled"]);
        assert_eq!((before.outcome.disabled, last.outcome.disabled), (None, Some(DisabledReason::Failing)));
        assert_eq!(
            lines(&last),
            [
                "Organization 1 at 1",
                "Webhook 7 at 2",
                "Delivery 9 at 2",
                "put Organization 1 to 2, gate 2",
                "put Webhook 7 to 3",
                "put Delivery 9 to 3",
            ]
        );
        let disabled = changed(&last).unwrap();
        assert_eq!(disabled.disabled, Some(Disabled { at: end, reason: Some(DisabledReason::Failing) }));
        assert_eq!(
            last.outcome.delivery.status(),
            DeliveryStatus::Pending,
            "it waits until the webhook is enabled"
        );
        let again = report(&disabled, &failed(), end + SignedDuration::from_secs(1));
        assert_eq!((named(&again), changed(&again)), (vec![], None), "disabled already");
        assert_eq!(again.outcome.disabled, None);
    }

    #[test]
    fn a_webhook_that_is_gone_is_disabled_at_once() {
        let gone = report(&webhook(), &Attempt::Gone, at(5));
        assert_eq!(named(&gone), ["webhook.disabled"]);
        assert_eq!(gone.outcome.disabled, Some(DisabledReason::Gone));
        let disabling = Some(Disabled { at: at(5), reason: Some(DisabledReason::Gone) });
        assert_eq!(changed(&gone).unwrap().disabled, disabling);
        assert_eq!(gone.outcome.delivery.status(), DeliveryStatus::Failed);
        // Another answer has disabled it while the request was made.
        let other = report(&disabled(), &Attempt::Gone, at(5));
        assert_eq!((named(&other), other.outcome.delivery.status()), (vec![], DeliveryStatus::Failed));
        assert_eq!(changed(&other).unwrap().disabled, disabled().disabled, "once");
    }

    #[test]
    fn a_delivery_that_succeeds_after_its_webhook_was_disabled_is_delivered() {
        let reported = report(&disabled(), &Attempt::Succeeded { status: 204 }, at(5));
        assert_eq!(reported.outcome.delivery.status(), DeliveryStatus::Delivered);
        let webhook = changed(&reported).unwrap();
        assert_eq!((webhook.disabled, webhook.last_success_at), (disabled().disabled, Some(at(5))));
    }

    #[test]
    fn the_answer_to_a_request_before_a_change_does_not_disable_the_webhook() {
        let sent_to = Webhook { failing_since: Some(at(1)), ..webhook() };
        let moved = Webhook { url: "https://example.org/new".parse().unwrap(), ..sent_to.clone() };
        let enabled_again = Webhook { updated_at: at(4), ..sent_to.clone() };
        for (now, counts) in [(moved, false), (enabled_again, true)] {
            let report = |attempt: &Attempt| {
                let organization = records::organization(1);
                report_attempt(organization, now.clone(), claimed(), &sent_to, attempt, 0.0, at(5))
            };
            let gone = report(&Attempt::Gone);
            assert_eq!((named(&gone), changed(&gone), gone.outcome.disabled), (vec![], None, None));
            assert_eq!(gone.outcome.delivery.status(), DeliveryStatus::Pending, "it is sent again");
            assert_eq!(gone.outcome.delivery.last_status, Some(410));
            let success = report(&Attempt::Succeeded { status: 204 });
            assert_eq!(changed(&success).is_some(), counts, "a success at the same URL counts");
            assert_eq!(success.outcome.delivery.status(), DeliveryStatus::Delivered);
        }
    }

    #[test]
    fn the_time_of_the_last_success_never_goes_back() {
        let later = Webhook { last_success_at: Some(at(9)), ..webhook() };
        assert_eq!(changed(&report(&later, &Attempt::Succeeded { status: 204 }, at(8))), None);
    }
}
