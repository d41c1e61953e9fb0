//! Lists other than those of events and of sign-ups page by page.

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

/// Organizations, sign-ups and notices are listed by ascending id, after any id, up to any limit.
pub async fn organizations_and_signups_and_notices_are_listed_by_id(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 9).await;
    for number in [3, 2] {
        let records: [Record; 3] =
            [organization(number).into(), signup(&shift, number).into(), notice(&shift, number).into()];
        commit(&*store, insert(records)).await;
    }
    let organizations = store.organizations(Some(organization_id(1)), 1).await.unwrap();
    assert_eq!(organizations, vec![organization(2)]);
    assert_eq!(store.organizations(None, 9).await.unwrap().len(), 3);
    assert_eq!(store.organizations(None, 2).await.unwrap(), vec![organization(1), organization(2)]);
    let of_event = SignupQuery::new().of_event(event.id);
    assert_eq!(ascending(&*store, &of_event, None, 9).await, vec![signup(&shift, 2), signup(&shift, 3)]);
    assert_eq!(ascending(&*store, &of_event, Some(2), 9).await, vec![signup(&shift, 3)]);
    assert_eq!(ascending(&*store, &of_event, None, 1).await, vec![signup(&shift, 2)], "up to the limit");
    let first = store.notices(NoticeQuery::Queued(None), 1).await.unwrap();
    assert_eq!(first, vec![notice(&shift, 2)]);
    let after = NoticeQuery::Queued(Some(NoticeId::new(uuid(2))));
    assert_eq!(store.notices(after, 9).await.unwrap(), vec![notice(&shift, 3)]);
}

/// Returns the `limit` sign-ups with the lowest ids above that of the sign-up `after`, by ascending id.
async fn ascending(store: &dyn Store, query: &SignupQuery, after: Option<u32>, limit: u32) -> Vec<Signup> {
    let query = query.clone().above(after.map(|number| SignupId::new(uuid(number))), limit);
    store.signups(organization_id(1), &query).await.unwrap().ascending()
}

/// Failed notices are listed by ascending id, after any id, up to any limit.
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
}

/// The sign-ups of an event are those for its own shifts.
pub async fn the_sign_ups_of_another_event_are_not_listed(store: Arc<dyn Store>) {
    let (here, here_shift) = with_shift(&store, 9).await;
    let there = event(1, 2);
    let there_shift = shift(&there, 2, 9);
    let records: [Record; 4] = [
        there.clone().into(),
        there_shift.clone().into(),
        signup(&there_shift, 1).into(),
        signup(&here_shift, 2).into(),
    ];
    commit(&*store, insert(records)).await;
    let list =
        async |event: &Event| ascending(&*store, &SignupQuery::new().of_event(event.id), None, 9).await;
    assert_eq!(list(&here).await, vec![signup(&here_shift, 2)], "only the sign-ups of the event");
    assert_eq!(list(&there).await, vec![signup(&there_shift, 1)]);
}

/// The confirmed sign-ups of a shift are listed by ascending id, after any id, up to any limit.
pub async fn the_confirmed_sign_ups_of_a_shift_are_listed_by_id(store: Arc<dyn Store>) {
    let (event, here) = with_shift(&store, 9).await;
    let elsewhere = shift(&event, 2, 9);
    commit(&*store, insert([elsewhere.clone()])).await;
    commit(&*store, insert([4, 2, 3, 1].map(|number| signup(&here, number)))).await;
    commit(&*store, insert([signup(&elsewhere, 5)])).await;
    let third = signup(&here, 3);
    write(&*store, vec![put(third.clone(), cancelled(third, at(5)))]).await;
    let confirmed = SignupQuery::new().of_shift(here.id).status(SignupStatus::Confirmed);
    let list = async |after, limit| ascending(&*store, &confirmed, after, limit).await;
    assert_eq!(list(None, 2).await, vec![signup(&here, 1), signup(&here, 2)]);
    assert_eq!(list(Some(2), 9).await, vec![signup(&here, 4)]);
    assert_eq!(list(None, 3).await.len(), 3, "the limit counts confirmed sign-ups only");
    assert_eq!(list(Some(4), 9).await, vec![]);
}

/// The sign-ups of an address are found in any case, cancelled ones included. The sign-ups of another address are not
/// found.
pub async fn the_sign_ups_of_an_address_are_found_in_any_case(store: Arc<dyn Store>) {
    let (event, here) = with_shift(&store, 9).await;
    let elsewhere = shift(&event, 2, 9);
    commit(&*store, insert([elsewhere.clone()])).await;
    let of = |email: &str, shift: &Shift, number| Signup {
        email: EmailAddress::new(email).unwrap(),
        ..signup(shift, number)
    };
    let (first, second) = (of("Ada@example.org", &here, 1), of("ada@EXAMPLE.org", &elsewhere, 2));
    let other = of("adam@example.org", &here, 0);
    commit(&*store, insert([second.clone(), first.clone(), other])).await;
    let gone = cancelled(first.clone(), at(5));
    write(&*store, vec![put(first, gone.clone())]).await;
    let of_ada = SignupQuery::new().email(EmailAddress::new("ADA@example.org").unwrap());
    assert_eq!(ascending(&*store, &of_ada, None, 9).await, vec![gone.clone(), second]);
    let first = ascending(&*store, &of_ada, None, 1).await;
    assert_eq!(first, vec![gone], "the limit counts sign-ups of the address only");
}
