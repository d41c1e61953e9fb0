//! Deliveries: each sends one activity to one webhook.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::activity::Activity;
use crate::id::{DeliveryId, OrganizationId, WebhookId};
use crate::notice::Notice;
use crate::text_form::names;
use crate::webhook::DisabledReason;

/// A delivery of an activity to a webhook, and its state.
///
/// A delivery is written in the change set of its activity. So no activity that a webhook selects is lost, and none is delivered
/// that was not committed. A process claims a due delivery before it sends the request. The claim is a lease, as for a
/// [`Notice`]: if the process dies, the delivery is due again when the lease ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Delivery {
    /// The id. It stays the same over all attempts.
    pub id: DeliveryId,
    /// The organization that owns the webhook.
    pub organization: OrganizationId,
    /// The webhook.
    pub webhook: WebhookId,
    /// What is delivered. In a [test](crate::Session::test_webhook) it is not in the list of activity.
    pub activity: Activity,
    /// The state.
    pub state: DeliveryState,
    /// The number of attempts. Each claim adds 1, and [`redelivered`](Self::redelivered) sets 0. Usually at most 10; more if a
    /// process died between a claim and its report.
    pub attempts: u32,
    /// The HTTP status of the last response; `None` if there was no response.
    pub last_status: Option<u16>,
    /// Why the last attempt failed; at most [`MAX_ERROR`](Self::MAX_ERROR) characters.
    pub last_error: Option<String>,
    /// The version, from 1. Each change adds 1.
    pub version: u32,
    /// When the delivery was created.
    pub created_at: Timestamp,
    /// When the delivery expires.
    pub expires_at: Timestamp,
}

/// The state of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum DeliveryState {
    /// The delivery waits for an attempt, or a process is making one.
    Pending {
        /// When a process may claim the delivery: the end of a lease or of a backoff.
        due_at: Timestamp,
        /// Whether a process has claimed the delivery, until `due_at`.
        is_leased: bool,
    },
    /// The webhook has accepted the delivery.
    Delivered {
        /// When.
        at: Timestamp,
    },
    /// The last attempt has failed. No other follows, unless the owner asks for a redelivery.
    Failed {
        /// When.
        at: Timestamp,
    },
}

/// The name of a [`DeliveryState`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeliveryStatus {
    /// [`DeliveryState::Pending`].
    Pending,
    /// [`DeliveryState::Delivered`].
    Delivered,
    /// [`DeliveryState::Failed`].
    Failed,
}

names! {
    /// Every name.
    DeliveryStatus {
        Pending => "pending",
        Delivered => "delivered",
        Failed => "failed",
    }
}

/// The result of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attempt {
    /// The webhook answered with a status of success (2xx).
    Succeeded {
        /// The HTTP status.
        status: u16,
    },
    /// The webhook answered that it is gone (410). It is disabled.
    Gone,
    /// The attempt failed.
    Failed {
        /// The HTTP status, if there was a response.
        status: Option<u16>,
        /// Why, without any text of the response.
        error: String,
        /// The time that the webhook asked to wait. Only a time that is longer than the pause counts, up to
        /// [`Delivery::MAX_RETRY_AFTER`].
        retry_after: Option<SignedDuration>,
    },
}

/// What the report of an attempt has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reported {
    /// The delivery afterwards.
    pub delivery: Delivery,
    /// Why this report has disabled the webhook; `None` if it has not.
    pub disabled: Option<DisabledReason>,
}

impl Delivery {
    /// The maximum length of [`last_error`](Self::last_error), in characters.
    pub const MAX_ERROR: usize = 255;
    /// How long a delivery is kept: 30 days from its creation, or from its last redelivery.
    pub const RETENTION: SignedDuration = SignedDuration::from_hours(30 * 24);
    /// How long a claim lasts. An attempt takes at most half as long.
    pub const LEASE: SignedDuration = SignedDuration::from_secs(30);
    /// The longest pause that a webhook can ask for: 24 hours.
    pub const MAX_RETRY_AFTER: SignedDuration = SignedDuration::from_hours(24);
    /// The longest pause before an attempt: the last one of 24 hours, and the tenth that is added at random.
    pub const MAX_PAUSE: SignedDuration = SignedDuration::from_mins(24 * 66);
    /// The pauses after a failed attempt: 5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours. They are those that the
    /// specification Standard Webhooks gives as an example.
    const PAUSES_S: [i64; 9] = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

    /// Creates a delivery that is due at once.
    pub fn new(id: DeliveryId, webhook: WebhookId, activity: Activity, now: Timestamp) -> Self {
        Self {
            id,
            organization: activity.organization,
            webhook,
            activity,
            state: DeliveryState::Pending { due_at: now, is_leased: false },
            attempts: 0,
            last_status: None,
            last_error: None,
            version: 1,
            created_at: now,
            expires_at: after(now, Self::RETENTION),
        }
    }

    /// Returns the name of the state.
    pub const fn status(&self) -> DeliveryStatus {
        match self.state {
            DeliveryState::Pending { .. } => DeliveryStatus::Pending,
            DeliveryState::Delivered { .. } => DeliveryStatus::Delivered,
            DeliveryState::Failed { .. } => DeliveryStatus::Failed,
        }
    }

    /// Returns when a process may claim the delivery; `None` unless the delivery is pending.
    pub const fn due_at(&self) -> Option<Timestamp> {
        match self.state {
            DeliveryState::Pending { due_at, .. } => Some(due_at),
            _ => None,
        }
    }

    /// Returns whether a process may claim the delivery at `now`: it is pending, and its due time has come or is after the
    /// [latest](Self::latest_due_at).
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.due_at().is_some_and(|due_at| due_at <= now || due_at > Self::latest_due_at(now))
    }

    /// Returns the latest due time that a clock without error sets: [`MAX_PAUSE`](Self::MAX_PAUSE) and
    /// [`Notice::CLOCK_SKEW`] from now. A later one was set by a clock that was ahead.
    pub fn latest_due_at(now: Timestamp) -> Timestamp {
        after(now, Self::MAX_PAUSE + Notice::CLOCK_SKEW)
    }

    /// Returns when the next attempt is due; `None` unless the delivery is pending, and while an attempt is being made.
    pub const fn next_attempt_at(&self) -> Option<Timestamp> {
        match self.state {
            DeliveryState::Pending { due_at, is_leased: false } => Some(due_at),
            _ => None,
        }
    }

    /// Returns whether the delivery is a test, which a disabled webhook gets, too.
    pub fn is_test(&self) -> bool {
        self.activity.kind == crate::activity::ActivityType::WEBHOOK_TEST
    }

    /// Returns the delivery after a claim at `now`.
    #[must_use]
    pub fn claimed(self, now: Timestamp) -> Self {
        let state = DeliveryState::Pending { due_at: after(now, Self::LEASE), is_leased: true };
        Self { state, attempts: self.attempts + 1, version: self.version + 1, ..self }
    }

    /// Returns the delivery after an attempt. `jitter` is 0 to 1: the part of the longest random addition to the pause, a tenth,
    /// that is added.
    #[must_use]
    pub fn after(self, attempt: &Attempt, jitter: f64, now: Timestamp) -> Self {
        let (status, error) = match attempt {
            Attempt::Succeeded { status } => (Some(*status), None),
            Attempt::Gone => (Some(410), Some("status 410")),
            Attempt::Failed { status, error, .. } => (*status, Some(error.as_str())),
        };
        let state = match attempt {
            Attempt::Succeeded { .. } => DeliveryState::Delivered { at: now },
            Attempt::Gone => DeliveryState::Failed { at: now },
            Attempt::Failed { retry_after, .. } => match self.pause(*retry_after, jitter) {
                Some(pause) => DeliveryState::Pending { due_at: after(now, pause), is_leased: false },
                None => DeliveryState::Failed { at: now },
            },
        };
        let last_error = error.map(|error| error.chars().take(Self::MAX_ERROR).collect());
        Self { state, last_status: status, last_error, version: self.version + 1, ..self }
    }

    /// Returns the pause before the next attempt; `None` after the last one.
    fn pause(&self, retry_after: Option<SignedDuration>, jitter: f64) -> Option<SignedDuration> {
        let index = usize::try_from(self.attempts).ok()?.checked_sub(1)?;
        let seconds = *Self::PAUSES_S.get(index)?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "at most a day in seconds"
        )]
        let added = (seconds as f64 * 0.1 * jitter.clamp(0.0, 1.0)) as i64;
        let pause = SignedDuration::from_secs(seconds + added);
        Some(retry_after.map_or(pause, |asked| pause.max(asked.min(Self::MAX_RETRY_AFTER))))
    }

    /// Returns the delivery after its owner has asked for another one: due at once, with its attempts counted from 0.
    #[must_use]
    pub fn redelivered(self, now: Timestamp) -> Self {
        let state = DeliveryState::Pending { due_at: now, is_leased: false };
        let expires_at = after(now, Self::RETENTION);
        Self { state, attempts: 0, expires_at, version: self.version + 1, ..self }
    }
}

fn after(now: Timestamp, duration: SignedDuration) -> Timestamp {
    now.checked_add(duration).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::records::{activity, at, uuid};

    fn delivery() -> Delivery {
        Delivery::new(DeliveryId::new(uuid(1)), WebhookId::new(uuid(2)), activity(1, 3), at(0))
    }

    fn failed(retry_after: Option<i64>) -> Attempt {
        let retry_after = retry_after.map(SignedDuration::from_secs);
        Attempt::Failed { status: Some(503), error: "status 503".to_owned(), retry_after }
    }

    #[test]
    fn a_delivery_fails_for_good_after_its_tenth_attempt() {
        let hours = 3600;
        let expected = [5, 300, 1800, 2 * hours, 5 * hours, 10 * hours, 14 * hours, 20 * hours, 24 * hours];
        for jitter in [0.0, 1.0] {
            let (mut delivery, mut pauses) = (delivery(), vec![]);
            loop {
                delivery = delivery.claimed(at(0)).after(&failed(None), jitter, at(0));
                match delivery.due_at() {
                    Some(due_at) => pauses.push(due_at.as_second() - at(0).as_second()),
                    None => break,
                }
            }
            let longer = expected.map(|pause| if jitter > 0.0 { pause + pause / 10 } else { pause });
            assert_eq!(pauses, longer);
            assert_eq!((delivery.status(), delivery.attempts), (DeliveryStatus::Failed, 10));
        }
    }

    #[test]
    fn a_longer_retry_after_is_kept_up_to_a_day() {
        for (asked, expected) in
            [(None, 5), (Some(4), 5), (Some(60), 60), (Some(90_000), 86_400), (Some(-1), 5)]
        {
            let after = delivery().claimed(at(0)).after(&failed(asked), 0.0, at(10));
            assert_eq!(after.due_at(), Some(at(10 + expected)), "{asked:?}");
        }
    }

    #[test]
    fn a_delivery_is_due_at_its_time_or_if_no_rule_can_have_set_the_time() {
        let longest = delivery().claimed(at(0)).after(&failed(None), 0.0, at(0));
        let longest = Delivery { attempts: 9, ..longest }.after(&failed(Some(i64::MAX)), 1.0, at(0));
        let due_at = longest.due_at().unwrap();
        assert_eq!(due_at, at(0) + Delivery::MAX_PAUSE, "no pause is longer");
        let (second, skew) = (SignedDuration::from_secs(1), Notice::CLOCK_SKEW);
        for (now, expected) in [
            (due_at, true),
            (due_at - second, false),
            (at(0), false),
            (at(0) - skew, false),
            (at(0) - skew - second, true),
        ] {
            assert_eq!(longest.is_due(now), expected, "{now}");
        }
        let done = longest.claimed(at(1)).after(&Attempt::Gone, 0.0, at(2));
        assert!(!done.is_due(at(-1_000_000)) && !done.is_due(at(1_000_000)), "it has ended");
    }

    #[test]
    fn no_next_attempt_is_due_while_one_is_being_made() {
        let claimed = delivery().claimed(at(1));
        assert_eq!((delivery().next_attempt_at(), claimed.next_attempt_at()), (Some(at(0)), None));
        let failed = claimed.clone().after(&failed(None), 0.0, at(2));
        assert_eq!(failed.next_attempt_at(), Some(at(7)));
        let done = claimed.after(&Attempt::Succeeded { status: 204 }, 0.0, at(2));
        assert_eq!(done.next_attempt_at(), None);
    }

    #[test]
    fn an_attempt_sets_the_state_the_status_and_the_error() {
        let claimed = delivery().claimed(at(1));
        assert_eq!(claimed.state, DeliveryState::Pending { due_at: at(31), is_leased: true });
        let done = claimed.clone().after(&Attempt::Succeeded { status: 204 }, 0.0, at(2));
        assert_eq!((done.state, done.last_status), (DeliveryState::Delivered { at: at(2) }, Some(204)));
        assert_eq!((done.last_error, done.version, done.attempts), (None, 3, 1));
        let gone = claimed.clone().after(&Attempt::Gone, 0.0, at(2));
        assert_eq!((gone.state, gone.last_status), (DeliveryState::Failed { at: at(2) }, Some(410)));
        let error = Attempt::Failed { status: None, error: "é".repeat(300), retry_after: None };
        let long = claimed.after(&error, 0.0, at(2));
        assert_eq!((long.last_error, long.last_status), (Some("é".repeat(255)), None));
    }

    #[test]
    fn a_redelivery_begins_anew_and_is_kept_as_long_as_a_new_delivery() {
        let done = delivery().claimed(at(1)).after(&Attempt::Gone, 0.0, at(2));
        let again = done.redelivered(at(50));
        assert_eq!((again.due_at(), again.attempts, again.version), (Some(at(50)), 0, 4));
        assert_eq!(again.expires_at, at(50) + Delivery::RETENTION);
        assert_eq!(again.id, delivery().id, "the receiver recognizes it");
    }
}
