//! Notices: which are due, and in which order.

use std::sync::Arc;

use super::records::*;
use crate::*;

/// Inserts an event with a shift, and a notice about the shift for each number with its due time.
async fn with_due(store: &Arc<dyn Store>, due: &[(u32, i64)]) -> Vec<Notice> {
    let (_, shift) = with_shift(store, 1).await;
    let notice =
        |(number, due_at): &(u32, i64)| Notice { due_at: Some(at(*due_at)), ..notice(&shift, *number) };
    let notices: Vec<_> = due.iter().map(notice).collect();
    commit(&**store, insert(notices.clone())).await;
    notices
}

/// Returns the numbers of the notices that are due.
async fn due(store: &dyn Store, now: i64, latest: i64, limit: u32) -> Vec<u128> {
    let query = NoticeQuery::Due { now: at(now), latest: at(latest) };
    let found = store.notices(query, limit).await.unwrap();
    found.iter().map(|notice| notice.id.uuid().as_u128() - uuid(0).as_u128()).collect()
}

/// Due notices are listed by due time, equal ones by id, up to any limit. Notices that are due later are not listed.
pub async fn due_notices_are_listed_by_due_time(store: Arc<dyn Store>) {
    with_due(&store, &[(1, 30), (2, 20), (4, 10), (3, 10)]).await;
    assert_eq!(due(&*store, 9, 99, 9).await, []);
    assert_eq!(due(&*store, 10, 99, 9).await, [3, 4]);
    assert_eq!(due(&*store, 29, 99, 9).await, [3, 4, 2]);
    assert_eq!(due(&*store, 30, 99, 9).await, [3, 4, 2, 1]);
    assert_eq!(due(&*store, 30, 99, 1).await, [3]);
}

/// Codes to sign in and invitations are listed before all other notices that are due, however long these have been due.
pub async fn codes_and_invitations_are_listed_before_other_notices(store: Arc<dyn Store>) {
    with_due(&store, &[(1, 10), (2, 20), (3, 90)]).await;
    let invited = NoticeCause::Invited { invitation: InvitationId::new(uuid(1)), secret: secret(1) };
    let urgent = [(4, 30, code_asked_for(1)), (5, 20, invited), (6, 90, code_asked_for(2))];
    let urgent = urgent.map(|(number, due_at, cause)| {
        let notice = Notice::new(NoticeId::new(uuid(number)), organization_id(1), None, cause, at(2));
        Notice { due_at: Some(at(due_at)), ..notice }
    });
    commit(&*store, insert(urgent)).await;
    assert_eq!(due(&*store, 10, 99, 9).await, [1]);
    assert_eq!(due(&*store, 20, 99, 9).await, [5, 1, 2]);
    assert_eq!(due(&*store, 30, 99, 9).await, [5, 4, 1, 2]);
    assert_eq!(due(&*store, 30, 99, 3).await, [5, 4, 1]);
    assert_eq!(due(&*store, 30, 89, 9).await, [5, 4, 6, 1, 2, 3], "late ones follow those of their part");
}

/// A notice with a due time after `latest` is due, and is listed after the notices that are due by `now`. A due time of
/// exactly `latest` is not due.
pub async fn a_due_time_after_the_latest_is_due(store: Arc<dyn Store>) {
    with_due(&store, &[(1, 10), (2, 50), (4, 90), (3, 90)]).await;
    assert_eq!(due(&*store, 9, 90, 9).await, []);
    assert_eq!(due(&*store, 9, 89, 9).await, [3, 4]);
    assert_eq!(due(&*store, 10, 89, 9).await, [1, 3, 4]);
    assert_eq!(due(&*store, 10, 49, 9).await, [1, 2, 3, 4]);
    assert_eq!(due(&*store, 10, 10, 2).await, [1, 2]);
    assert_eq!(due(&*store, 90, 90, 9).await, [1, 2, 3, 4], "each once");
}

/// A recipient that rests, or whose last mail failed, is due at the time of its next reminder, in the order of due times. It is not
/// queued. A reminder of a recipient that is queued is not listed, nor is one after the latest due time.
pub async fn a_recipient_at_rest_is_due_for_its_next_reminder(store: Arc<dyn Store>) {
    let (_, shift) = with_shift(&store, 1).await;
    let due_at = |number, seconds| Notice { due_at: Some(at(seconds)), ..notice(&shift, number) };
    let notices = [due_at(1, 10), due_at(5, 30)];
    commit(&*store, insert(notices.clone())).await;
    let recipient = |number, remind_at: i64| {
        let email = EmailAddress::new(&format!("ada{number}@example.org")).unwrap();
        let recipient = Recipient { remind_at: Some(at(remind_at)), ..Recipient::new(email, at(0)) };
        Notice { cause: NoticeCause::News(recipient), due_at: None, ..notice(&shift, number) }
    };
    let failure = Some(NoticeFailure::new(at(5), "550 no such user"));
    let failed = Notice { failure, ..recipient(4, 10) };
    let resting = [recipient(2, 20), recipient(3, 10), failed, recipient(6, 95)];
    commit(&*store, insert(resting.clone())).await;
    assert_eq!(due(&*store, 9, 99, 9).await, []);
    assert_eq!(due(&*store, 10, 99, 9).await, [1, 3, 4]);
    assert_eq!(due(&*store, 30, 90, 9).await, [1, 3, 4, 2, 5]);
    assert_eq!(due(&*store, 30, 90, 4).await, [1, 3, 4, 2]);
    assert_eq!(store.statistics().await.unwrap().notices, NoticeCounts { queued: 2, failed: 1 });
    let queued = store.notices(NoticeQuery::Queued(None), 9).await.unwrap();
    assert_eq!(queued, notices);
    let [first, second, ..] = resting;
    let claimed = second.clone().claimed(at(20));
    let rests = Notice { version: 2, ..recipient(2, 40) };
    write(&*store, vec![put(first, rests), put(second, claimed)]).await;
    assert_eq!(due(&*store, 39, 90, 9).await, [1, 4, 5]);
    assert_eq!(due(&*store, 40, 90, 9).await, [1, 4, 5, 2]);
}

/// A failed notice is not due, is listed and counted separately, and is due again after a retry.
pub async fn failed_notices_are_listed_and_counted_separately(store: Arc<dyn Store>) {
    let notices = with_due(&store, &[(1, 0), (2, 0)]).await;
    let (first, second) = (notices[0].clone(), &notices[1..]);
    let failed = first.clone().after_failure(MailFailure::Permanent, "550 no such user", at(7));
    write(&*store, vec![put(first, failed.clone())]).await;
    assert_eq!(due(&*store, 99, 99, 1).await, [2], "the limit counts due notices only");
    assert_eq!(due(&*store, 99, 99, 9).await, [2]);
    assert_eq!(due(&*store, -9, -9, 9).await, [2]);
    let queued = async |limit| store.notices(NoticeQuery::Queued(None), limit).await.unwrap();
    assert_eq!(queued(1).await, second, "the limit counts queued notices only");
    assert_eq!(queued(9).await, second);
    assert_eq!(store.notices(NoticeQuery::Failed(None), 9).await.unwrap(), std::slice::from_ref(&failed));
    assert_eq!(store.statistics().await.unwrap().notices, NoticeCounts { queued: 1, failed: 1 });
    write(&*store, vec![put(failed.clone(), failed.requeued(at(8)))]).await;
    assert_eq!(due(&*store, 99, 99, 9).await, [2, 1]);
    assert_eq!(store.statistics().await.unwrap().notices, NoticeCounts { queued: 2, failed: 0 });
}

/// A notice that has nothing to send is neither queued nor failed nor due, until it is due again.
pub async fn a_notice_at_rest_is_not_queued(store: Arc<dyn Store>) {
    let notices = with_due(&store, &[(1, 0), (2, 0)]).await;
    let rests = Notice { due_at: None, version: 2, ..notices[0].clone() };
    write(&*store, vec![put(notices[0].clone(), rests.clone())]).await;
    assert_eq!(due(&*store, 99, 99, 9).await, [2]);
    assert_eq!(due(&*store, -9, -9, 9).await, [2]);
    assert_eq!(store.notices(NoticeQuery::Queued(None), 9).await.unwrap(), notices[1..]);
    assert_eq!(store.notices(NoticeQuery::Failed(None), 9).await.unwrap(), []);
    assert_eq!(store.statistics().await.unwrap().notices, NoticeCounts { queued: 1, failed: 0 });
    let again = Notice { due_at: Some(at(9)), version: 3, ..rests.clone() };
    write(&*store, vec![put(rests, again)]).await;
    assert_eq!(due(&*store, 9, 99, 9).await, [2, 1]);
}

/// The notices for an address are its own, queued, failed and at rest, by ascending id, up to any limit.
pub async fn the_notices_for_an_address_are_listed_by_id(store: Arc<dyn Store>) {
    let (_, shift) = with_shift(&store, 9).await;
    let [one, other] = [1, 2].map(|number| signup(&shift, number));
    let failure = Some(NoticeFailure::new(at(9), "550 no such user"));
    let failed = Notice { due_at: None, failure, ..recipient(&one, 3) };
    let cause =
        NoticeCause::Message { message: MessageId::new(uuid(1)), email: "ADA1@example.org".parse().unwrap() };
    let message = Notice { cause, ..recipient(&one, 4) };
    let rests = Notice { due_at: None, ..recipient(&one, 1) };
    let notices = [failed.clone(), rests.clone(), recipient(&other, 2), message.clone(), notice(&shift, 5)];
    commit(&*store, insert(notices)).await;
    let list = async |organization, email: &EmailAddress, limit| {
        store.notices(NoticeQuery::About(organization, email.key().to_owned()), limit).await.unwrap()
    };
    let owner = shift.organization;
    assert_eq!(list(owner, &one.email, 9).await, [rests.clone(), failed, message]);
    assert_eq!(list(owner, &one.email, 1).await, [rests]);
    assert_eq!(list(owner, &other.email, 9).await, [recipient(&other, 2)]);
    assert_eq!(list(organization_id(2), &one.email, 9).await, []);
}

/// A purge removes notices that failed at or before the time, at most `limit` of them. Queued notices stay.
pub async fn a_purge_removes_old_failed_notices(store: Arc<dyn Store>) {
    let notices = with_due(&store, &[(1, 0), (2, 0), (3, 0), (4, 0)]).await;
    for (notice, failed_at) in notices.iter().zip([20, 10, 20]) {
        let failed = notice.clone().after_failure(MailFailure::Permanent, "550", at(failed_at));
        write(&*store, vec![put(notice.clone(), failed)]).await;
    }
    for (until, limit, removed) in [(9, 9, 0), (10, 9, 1), (20, 1, 1), (20, 9, 1), (99, 9, 0)] {
        let purged = store.purge(Purge::FailedNotices(at(until)), limit).await.unwrap();
        assert_eq!(purged, removed, "failed until {until}, at most {limit}");
    }
    assert_eq!(store.statistics().await.unwrap().notices, NoticeCounts { queued: 1, failed: 0 });
    assert_eq!(store.notices(NoticeQuery::Queued(None), 9).await.unwrap(), notices[3..]);
}
