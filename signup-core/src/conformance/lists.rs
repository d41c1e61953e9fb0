//! Lists other than those of events and of sign-ups page by page.

use std::slice;
use std::sync::Arc;

use super::records::*;
use crate::*;

/// Shifts are listed by start, end and position. Start and end are instants. A clock change can order instants
/// differently from wall times.
pub async fn shifts_come_in_running_order(store: Arc<dyn Store>) {
    // Clocks jump from 02:00 to 03:00: 02:30 is the same instant as 03:30, and 02:15 is after 03:10.
    let event = event_on(1, 1, "2026-03-08", "America/New_York");
    let shift = |number, start, end| Shift {
        hours: Hours::parse(Some(start), Some(end)).unwrap(),
        ..shift(&event, number, 1)
    };
    let shifts = vec![
        shift(0, "03:30", "05:00"),
        shift(1, "02:30", "05:00"),
        shift(2, "02:15", "05:00"),
        shift(3, "03:10", "05:00"),
        shift(4, "03:30", "04:00"),
        shift(5, "00:00", "01:00"),
    ];
    commit(&*store, insert::<Record>([organization(1).into(), event.clone().into()])).await;
    commit(&*store, insert(shifts)).await;
    let listed = store.shifts(event.organization, event.id).await.unwrap().unwrap();
    let order: Vec<_> = listed.iter().map(|shift| shift.position).collect();
    assert_eq!(order, [5, 3, 2, 4, 0, 1]);
    let full = store.event_in_full(&event.key()).await.unwrap().unwrap();
    assert_eq!(full.shifts, listed, "in full");
    let full = store.event_by_slug(&event.slug).await.unwrap().unwrap();
    assert_eq!(full.shifts, listed, "the event with the slug has its shifts in running order");
}

/// Questions are listed by position, equal positions by id, wherever they are read.
pub async fn questions_come_by_position_then_by_id(store: Arc<dyn Store>) {
    let (event, _) = with_shift(&store, 1).await;
    let questions = [(2, 7), (4, 3), (3, 3), (1, 9)].map(|(number, at)| question(&event, number, at));
    commit(&*store, insert(questions.clone())).await;
    let expected = [2, 1, 0, 3].map(|index: usize| questions[index].clone());
    let full = store.event_in_full(&event.key()).await.unwrap().unwrap();
    assert_eq!(full.questions, expected, "the event in full has its questions by position");
    let full = store.event_by_slug(&event.slug).await.unwrap().unwrap();
    assert_eq!(full.questions, expected, "by slug");
}

/// 500 shifts, the maximum of one create, are created in one commit and read back in order.
pub async fn five_hundred_shifts_are_created_at_once(store: Arc<dyn Store>) {
    let event = event(1, 1);
    let shifts: Vec<_> = (0..500).map(|number| shift(&event, number, 1 + number)).collect();
    let mut change = insert::<Record>([organization(1).into(), event.clone().into()]);
    shifts.iter().for_each(|shift| change.insert(shift.clone()));
    commit(&*store, change).await;
    let listed = store.shifts(event.organization, event.id).await.unwrap().unwrap();
    assert_eq!(listed.into_iter().map(|found| found.shift).collect::<Vec<_>>(), shifts);
}

/// The links of an address are listed by ascending digest until they are purged: the first expiry first, equal ones by digest.
/// Those of other addresses and organizations are left out.
pub async fn the_links_of_an_address_are_listed_until_they_expire(store: Arc<dyn Store>) {
    let (_, shift) = with_shift(&store, 9).await;
    let volunteer = signup(&shift, 1);
    let expires_at = [30, 20, 20, 10].map(at);
    let mut links: Vec<_> = (1..)
        .zip(expires_at)
        .map(|(number, expires_at)| Link { expires_at, ..link(&volunteer, number) })
        .collect();
    let mut elsewhere = Link { organization: organization_id(2), ..link(&volunteer, 5) };
    elsewhere.expires_at = at(20);
    let others = [elsewhere, link(&signup(&shift, 2), 6)];
    commit(&*store, insert([organization(2)])).await;
    commit(&*store, insert(links.iter().chain(&others).cloned())).await;
    links.sort_by_key(|link| link.digest);
    let shouted = volunteer.email.as_str().to_uppercase().parse().unwrap();
    let list = async || store.links(volunteer.organization, &shouted).await.unwrap();
    assert_eq!(list().await, links);
    write(&*store, vec![Write::Remove(links.remove(0).into())]).await;
    assert_eq!(list().await, links, "without the one that was removed");
    for (now, limit) in [(9, 9), (20, 1), (20, 9), (30, 9)] {
        let mut expired: Vec<_> = links.iter().filter(|link| link.expires_at <= at(now)).cloned().collect();
        expired.sort_by_key(|link| (link.expires_at, link.digest));
        expired.truncate(limit);
        links.retain(|link| !expired.contains(link));
        store.purge(Purge::Expired(at(now)), u32::try_from(limit).unwrap()).await.unwrap();
        assert_eq!(list().await, links, "at {now}");
    }
    assert_eq!(links, []);
}

/// The messages to the volunteers of an event are listed by descending id, without those of other events and organizations.
pub async fn messages_are_listed_the_newest_first(store: Arc<dyn Store>) {
    let (drive, _) = with_shift(&store, 1).await;
    let other = event(1, 2);
    let messages = [2, 3, 1].map(|number| message(&drive, number));
    commit(&*store, insert([other.clone()])).await;
    commit(&*store, insert(messages.iter().cloned().chain([message(&other, 4)]))).await;
    let listed = store.messages(drive.organization, drive.id).await.unwrap();
    assert_eq!(listed, [1, 0, 2].map(|index: usize| messages[index].clone()));
    assert_eq!(store.messages(organization_id(2), drive.id).await.unwrap(), []);
}

/// Organizations and notices are listed by ascending id, after any id, up to any limit.
pub async fn organizations_and_notices_are_listed_by_id(store: Arc<dyn Store>) {
    let (_, shift) = with_shift(&store, 9).await;
    for number in [3, 2] {
        let records: [Record; 2] = [organization(number).into(), notice(&shift, number).into()];
        commit(&*store, insert(records)).await;
    }
    let organizations = store.organizations(Some(organization_id(1)), 1).await.unwrap();
    assert_eq!(organizations, vec![organization(2)]);
    assert_eq!(store.organizations(None, 9).await.unwrap().len(), 3);
    assert_eq!(store.organizations(None, 2).await.unwrap(), vec![organization(1), organization(2)]);
    let first = store.notices(NoticeQuery::Queued(None), 1).await.unwrap();
    assert_eq!(first, vec![notice(&shift, 2)]);
    let after = NoticeQuery::Queued(Some(NoticeId::new(uuid(2))));
    assert_eq!(store.notices(after, 9).await.unwrap(), vec![notice(&shift, 3)]);
}

/// Failed notices are listed by ascending id, after any id, of any event, up to any limit.
pub async fn failed_notices_are_listed_by_id(store: Arc<dyn Store>) {
    let (_, shift) = with_shift(&store, 1).await;
    let failure = Some(NoticeFailure::new(at(9), "550 no such user"));
    let failed = [1, 2, 3].map(|number| Notice { failure: failure.clone(), ..notice(&shift, number) });
    commit(&*store, insert([2, 0, 1].map(|index: usize| failed[index].clone()))).await;
    let list = async |after: Option<u32>, limit| {
        let after = after.map(|number| NoticeId::new(uuid(number)));
        store.notices(NoticeQuery::Failed(after), limit).await.unwrap()
    };
    assert_eq!(list(None, 9).await, failed);
    assert_eq!(list(None, 2).await, failed[..2]);
    assert_eq!(list(Some(1), 1).await, failed[1..2], "failed notices after the given id");
    assert_eq!(list(Some(3), 9).await, []);
    let of = async |organization, event, limit| {
        store.notices(NoticeQuery::FailedOf(organization, event), limit).await.unwrap()
    };
    let (owner, drive, other) = (failed[0].organization, failed[0].event, event(1, 2));
    let elsewhere = Notice { event: Some(other.id), failure, ..notice(&shift, 4) };
    commit(&*store, insert::<Record>([other.into(), elsewhere.clone().into()])).await;
    assert_eq!(of(owner, None, 9).await, [&failed[..], slice::from_ref(&elsewhere)].concat());
    assert_eq!(of(owner, None, 2).await, failed[..2]);
    assert_eq!(of(owner, drive, 9).await, failed);
    assert_eq!(of(owner, drive, 2).await, failed[..2]);
    assert_eq!(of(owner, elsewhere.event, 1).await, [elsewhere]);
    assert_eq!(of(organization_id(9), drive, 9).await, []);
}
