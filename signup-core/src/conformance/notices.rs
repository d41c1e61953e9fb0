//! Notices: which are due, in which order, and that each version is changed only once.

use std::sync::Arc;

use super::records::*;
use crate::*;

fn due(shift: &Shift, number: u32, seconds: i64) -> Notice {
    Notice { due_at: at(seconds), ..notice(shift, number) }
}

fn ids(notices: &[Notice]) -> Vec<NoticeId> {
    notices.iter().map(|notice| notice.id).collect()
}

fn numbers(numbers: &[u32]) -> Vec<NoticeId> {
    numbers.iter().map(|number| NoticeId::new(uuid(*number))).collect()
}

/// Due notices are listed by due time, equal ones by id, up to any limit. Notices that are due later are not listed.
pub async fn due_notices_are_listed_by_due_time(store: Arc<dyn Store>) {
    let (_, shift) = with_shift(&store, 1).await;
    let notices = vec![due(&shift, 1, 30), due(&shift, 2, 20), due(&shift, 4, 10), due(&shift, 3, 10)];
    write(&*store, vec![Write::InsertNotices(notices)]).await;
    let found = async |now, limit| ids(&store.due_notices(at(now), at(99), limit).await.unwrap());
    assert_eq!(found(9, 9).await, []);
    assert_eq!(found(10, 9).await, numbers(&[3, 4]));
    assert_eq!(found(29, 9).await, numbers(&[3, 4, 2]));
    assert_eq!(found(30, 9).await, numbers(&[3, 4, 2, 1]));
    assert_eq!(found(30, 1).await, numbers(&[3]));
}

/// A notice with a due time after `latest` is due, and is listed after the notices that are due by `now`. A due time of
/// exactly `latest` is not due.
pub async fn a_due_time_after_the_latest_is_due(store: Arc<dyn Store>) {
    let (_, shift) = with_shift(&store, 1).await;
    let notices = vec![due(&shift, 1, 10), due(&shift, 2, 50), due(&shift, 4, 90), due(&shift, 3, 90)];
    write(&*store, vec![Write::InsertNotices(notices)]).await;
    let found = async |now, latest, limit| ids(&store.due_notices(at(now), at(latest), limit).await.unwrap());
    assert_eq!(found(9, 90, 9).await, []);
    assert_eq!(found(9, 89, 9).await, numbers(&[3, 4]));
    assert_eq!(found(10, 89, 9).await, numbers(&[1, 3, 4]));
    assert_eq!(found(10, 49, 9).await, numbers(&[1, 2, 3, 4]));
    assert_eq!(found(10, 10, 2).await, numbers(&[1, 2]));
    assert_eq!(found(90, 90, 9).await, numbers(&[1, 2, 3, 4]), "each once");
}

/// A failed notice is not due, is listed and counted separately, and is due again after a retry.
pub async fn failed_notices_are_listed_and_counted_separately(store: Arc<dyn Store>) {
    let (_, shift) = with_shift(&store, 1).await;
    let (first, second) = (due(&shift, 1, 0), due(&shift, 2, 0));
    write(&*store, vec![Write::InsertNotices(vec![first.clone(), second.clone()])]).await;
    let failed = first.clone().after_failure(DeliveryFailure::Permanent, "550 no such user", at(7));
    write(&*store, vec![Write::UpdateNotice(Box::new(failed.clone()))]).await;
    assert_eq!(store.due_notices(at(99), at(99), 9).await.unwrap(), vec![second.clone()]);
    assert_eq!(store.due_notices(at(-9), at(-9), 9).await.unwrap(), vec![second.clone()]);
    assert_eq!(
        store.due_notices(at(99), at(99), 1).await.unwrap(),
        vec![second.clone()],
        "the limit counts due notices only"
    );
    assert_eq!(
        store.notices(false, None, 1).await.unwrap(),
        vec![second.clone()],
        "the limit counts queued notices only"
    );
    assert_eq!(store.notices(false, None, 9).await.unwrap(), vec![second]);
    assert_eq!(store.notices(true, None, 9).await.unwrap(), vec![failed.clone()]);
    assert_eq!(store.count_notices().await.unwrap(), NoticeCounts { queued: 1, failed: 1 });
    let requeued = failed.requeued(at(8));
    write(&*store, vec![Write::UpdateNotice(Box::new(requeued.clone()))]).await;
    assert_eq!(store.notice(first.id).await.unwrap(), Some(requeued));
    assert_eq!(store.due_notices(at(99), at(99), 9).await.unwrap().len(), 2);
    assert_eq!(store.count_notices().await.unwrap(), NoticeCounts { queued: 2, failed: 0 });
}

/// A change of a notice is refused if it requires a stale version, or if the notice was removed.
pub async fn a_stale_version_of_a_notice_is_refused(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 1).await;
    let notice = notice(&shift, 1);
    write(&*store, vec![Write::InsertNotices(vec![notice.clone()])]).await;
    let organization = event.organization;
    let at_version =
        |version| vec![Requirement::NoticeAtVersion { organization, notice: notice.id, version }];
    let claimed = notice.clone().claimed(at(5));
    let claim = vec![Write::UpdateNotice(Box::new(claimed.clone()))];
    assert_eq!(try_write(&*store, at_version(1), claim.clone()).await, Ok(()));
    assert_eq!(try_write(&*store, at_version(1), claim).await, Err(Refusal::NoticeChanged));
    assert_eq!(store.notice(notice.id).await.unwrap(), Some(claimed.clone()));
    let delete = vec![Write::DeleteNotice { organization, notice: notice.id }];
    assert_eq!(try_write(&*store, at_version(claimed.version), delete).await, Ok(()));
    assert_eq!(try_write(&*store, at_version(claimed.version), vec![]).await, Err(Refusal::NoticeChanged));
    assert_eq!(store.notice(notice.id).await.unwrap(), None);
    write(&*store, vec![Write::UpdateNotice(Box::new(claimed))]).await;
    assert_eq!(store.notice(notice.id).await.unwrap(), None, "an update does not insert");
}

/// An update changes cause, version, attempts, due time and failure of a notice. Every other field stays.
pub async fn an_update_of_a_notice_changes_five_fields_and_no_other(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 1).await;
    let elsewhere = super::records::shift(&event, 2, 1);
    let volunteer = signup(&shift, 1);
    let before = notice(&shift, 1);
    let writes = vec![
        Write::InsertShifts(vec![elsewhere.clone()]),
        Write::InsertSignup(Box::new(volunteer.clone())),
        Write::InsertNotices(vec![before.clone(), notice(&shift, 2)]),
    ];
    write(&*store, writes).await;
    let after = Notice {
        cause: NoticeCause::Cancelled { signup: volunteer.id },
        version: 4,
        attempts: 3,
        due_at: at(50),
        failure: Some(NoticeFailure::new(at(40), "550 no such user")),
        ..before
    };
    let sent = Notice { shift: elsewhere.id, created_at: at(99), ..after.clone() };
    write(&*store, vec![Write::UpdateNotice(Box::new(sent))]).await;
    assert_eq!(store.notice(after.id).await.unwrap(), Some(after), "the update changes exactly five fields");
    let other = notice(&shift, 2);
    assert_eq!(store.notice(other.id).await.unwrap(), Some(other), "no other notice changes");
}

/// Of 16 simultaneous claims of a notice, one succeeds.
pub async fn one_of_many_simultaneous_claims_of_a_notice_succeeds(store: Arc<dyn Store>) {
    let (_, shift) = with_shift(&store, 1).await;
    let notice = notice(&shift, 1);
    write(&*store, vec![Write::InsertNotices(vec![notice.clone()])]).await;
    let claim = rules::replace_notice(&notice, notice.clone().claimed(at(5)));
    let results = super::contention::all_at_once(&store, vec![claim; 16]).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    let refusals = results.into_iter().filter_map(Result::err);
    assert!(refusals.into_iter().all(|refusal| refusal == Refusal::NoticeChanged));
}

/// Of 8 simultaneous fan-outs of a changed shift, one succeeds: each volunteer gets one notice.
pub async fn a_changed_shift_is_fanned_out_once(store: Arc<dyn Store>) {
    let (_, shift) = with_shift(&store, 9).await;
    // The volunteers have version 1 of the shift, and the change makes version 2.
    let volunteers: Vec<_> = (1..4).map(|number| signup(&shift, number)).collect();
    let parent = notice(&shift, 1);
    let mut writes: Vec<_> =
        volunteers.iter().map(|signup| Write::InsertSignup(Box::new(signup.clone()))).collect();
    writes.push(Write::InsertNotices(vec![parent.clone()]));
    write(&*store, writes).await;
    let fan_out = |process: u32| {
        let ids = (0..3).map(|number| NoticeId::new(uuid(100 * process + number))).collect();
        rules::fan_out(parent.clone(), &volunteers, ids, process.is_multiple_of(2), at(5))
    };
    let results = super::contention::all_at_once(&store, (1..9).map(fan_out).collect()).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    let notices = store.notices(false, None, 99).await.unwrap();
    let mut notified: Vec<_> = notices.iter().filter_map(|notice| notice.cause.signup()).collect();
    notified.sort_unstable();
    assert_eq!(notified, volunteers.iter().map(|signup| signup.id).collect::<Vec<_>>());
}
