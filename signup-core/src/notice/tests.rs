//! Tests of notices: their backoff, and the reason of a failed attempt.

use super::*;
use crate::conformance::records;

#[test]
fn backoffs_double_from_30_seconds_to_an_hour_and_end_within_a_day() {
    let backoffs: Vec<_> = (1..).map_while(backoff).map(|backoff| backoff.as_secs()).collect();
    assert_eq!(backoffs[..9], [30, 60, 120, 240, 480, 960, 1920, 3600, 3600]);
    let waited: i64 = backoffs.iter().sum();
    assert!((23 * 3600..=24 * 3600).contains(&waited), "{waited}");
    assert!(backoffs.is_sorted());
}

#[test]
fn the_reason_of_the_last_failed_attempt_stays_with_the_notice() {
    let cause = NoticeCause::MessageSent { message: MessageId::NONE, covered_to: None };
    let new = Notice::new(NoticeId::NONE, OrganizationId::NONE, None, cause, Timestamp::UNIX_EPOCH);
    assert_eq!(new.reason(), None);
    let tried = |notice: Notice, failure, reason| {
        notice.claimed(Timestamp::UNIX_EPOCH).after_failure(failure, reason, Timestamp::UNIX_EPOCH)
    };
    let deferred = tried(new, MailFailure::Transient, "450 busy\0");
    assert_eq!((deferred.reason(), &deferred.failure), (Some("450 busy"), &None));
    assert_eq!(deferred.clone().claimed(Timestamp::UNIX_EPOCH).reason(), Some("450 busy"));
    let failed = tried(deferred, MailFailure::Permanent, "550 no such user");
    assert_eq!((failed.reason(), failed.failure.is_some()), (Some("550 no such user"), true));
    let requeued = failed.requeued(Timestamp::UNIX_EPOCH);
    assert_eq!((requeued.reason(), &requeued.failure), (Some("550 no such user"), &None));
    let again = tried(requeued, MailFailure::Transient, &"x".repeat(501));
    assert_eq!(again.reason(), Some("x".repeat(500).as_str()));
}

#[test]
fn a_code_is_mailed_only_while_it_works() {
    let (start, failure) = (Timestamp::UNIX_EPOCH, MailFailure::Transient);
    let cause = records::code_asked_for(1);
    let mut notice = Notice::new(NoticeId::NONE, OrganizationId::NONE, None, cause, start);
    let mut attempts = vec![];
    while notice.failure.is_none() {
        let now = notice.due_at.unwrap();
        attempts.push(now.as_second());
        notice = notice.claimed(now).after_failure(failure, "450 later", now);
    }
    assert_eq!(attempts, [0, 30, 90, 210, 450], "the next one would be after 10 minutes");
    assert!(!notice.is_useless(start + SignedDuration::from_secs(599)));
    assert!(notice.is_useless(start + SignedDuration::from_secs(600)));
}
