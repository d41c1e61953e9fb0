//! Lists of activity: their order, filters and pages, and how long activity is kept.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::pages::{page_at, sides};
use super::records::*;
use crate::*;

/// Inserts two events, and 12 activities of 4 types: of the organization itself, of the first event, and of the second one.
/// Returns them, the newest first.
async fn with_activity(store: &dyn Store) -> Vec<Activity> {
    let events = [1, 2].map(|number| event(1, number));
    commit(store, insert([organization(1), organization(2)])).await;
    commit(store, insert(events.clone())).await;
    let kinds = [
        ActivityType::EVENT_UPDATED,
        ActivityType::SIGNUP_CREATED,
        ActivityType::SIGNUP_CANCELLED,
        ActivityType::TOKEN_CREATED,
    ];
    // The order of insertion is not the order of ids.
    let mut all: Vec<_> = (0..12_u32)
        .map(|place| 1 + place * 5 % 12)
        .map(|number| {
            let subject = match number % 3 {
                0 => Subject::default(),
                of => (&events[of as usize - 1]).into(),
            };
            let kind = kinds[number as usize % 4].clone();
            Activity { kind, subject, created_at: at(i64::from(number)), ..activity(1, number) }
        })
        .collect();
    commit(store, insert(all.clone())).await;
    commit(store, insert([Activity { created_at: at(1), ..activity(2, 50) }])).await;
    all.sort_by_key(|activity| std::cmp::Reverse(activity.id));
    all
}

async fn page(store: &dyn Store, query: &ActivityQuery) -> Page<Activity> {
    store.activity(organization_id(1), query).await.unwrap()
}

/// Returns every filter, with limits that no list reaches.
fn filters() -> Vec<ActivityQuery> {
    let events = [None, Some(1), Some(2), Some(3)];
    let scopes = events.map(|number| ActivityQuery {
        event: number.map(|number| EventId::new(uuid(number))),
        ..ActivityQuery::new().limit(99)
    });
    let kinds = ["signup.*", "signup.cancelled", "event.*", "question.deleted"];
    let with_kinds = |query: ActivityQuery| {
        let of_kind = kinds.map(|kind| query.clone().of_type(kind.parse().unwrap()));
        std::iter::once(query).chain(of_kind).collect::<Vec<_>>()
    };
    scopes.into_iter().flat_map(with_kinds).collect()
}

/// A list has exactly the activity that its type and its event select, by descending id, and none of another organization.
pub async fn a_list_of_activity_is_filtered_and_newest_first(store: Arc<dyn Store>) {
    let all = with_activity(&*store).await;
    let mut lengths = BTreeSet::new();
    for query in filters() {
        let expected: Vec<_> = all.iter().filter(|activity| query.selects(activity)).cloned().collect();
        lengths.insert(expected.len());
        assert_eq!(page(&*store, &query).await, Page::new(expected, None, None), "{query:?}");
    }
    assert!(lengths.len() > 4 && lengths.contains(&12), "the filters select different activity: {lengths:?}");
}

/// A page has the position of a neighbouring page exactly if that page has activity, for every position, page size and filter.
pub async fn a_page_of_activity_has_positions_exactly_where_the_list_continues(store: Arc<dyn Store>) {
    let all = with_activity(&*store).await;
    // The id 0 is below all activity, and 13 is above.
    for (filter, number) in
        filters().into_iter().flat_map(|filter| (0..14).map(move |at| (filter.clone(), at)))
    {
        let at = ActivityId::new(uuid(number));
        let list: Vec<_> = all.iter().filter(|activity| filter.selects(activity)).cloned().collect();
        for (side, limit) in sides([1, 3]) {
            let position = Position { key: at, side };
            let query = filter.clone().limit(limit).at(position);
            let expected = page_at(&list, position, limit, |found| found.id, |found| found.id < at);
            assert_eq!(page(&*store, &query).await, expected, "{query:?}");
        }
    }
}

/// The activity of an event stays listed after the event is deleted, and after it is purged.
pub async fn the_activity_of_a_deleted_event_stays_listed(store: Arc<dyn Store>) {
    let all = with_activity(&*store).await;
    let event = event(1, 1);
    let query = ActivityQuery::new().of_event(event.id).limit(99);
    let expected: Vec<_> = all.iter().filter(|activity| query.selects(activity)).cloned().collect();
    write(&*store, vec![put(event.clone(), deleted(&event, at(20)))]).await;
    assert_eq!(page(&*store, &query).await.items, expected, "after the deletion");
    assert_eq!(store.purge(Purge::Deleted(at(20)), 99).await.unwrap(), 1);
    assert_eq!(page(&*store, &query).await.items, expected, "after the purge");
}

/// A purge removes the activity that has expired, and no other.
pub async fn activity_is_kept_until_it_expires(store: Arc<dyn Store>) {
    let all = with_activity(&*store).await;
    let oldest = all.last().unwrap();
    let second = SignedDuration::from_secs(1);
    for (until, removed, left) in [(oldest.expires_at() - second, 0, 12), (oldest.expires_at(), 2, 11)] {
        // The other organization has an activity of the first second, too.
        assert_eq!(store.purge(Purge::Expired(until), 99).await.unwrap(), removed);
        assert_eq!(page(&*store, &ActivityQuery::new().limit(99)).await.items, all[..left]);
    }
}

/// Every field of an activity comes back as it was written, in a list and by its key, for each type of actor. A newer version
/// can have written the actor.
pub async fn an_activity_comes_back_as_it_was(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let subject = Subject {
        event: Some(EventId::new(uuid(11))),
        shift: Some(ShiftId::new(uuid(12))),
        signup: Some(SignupId::new(uuid(13))),
        question: Some(QuestionId::new(uuid(14))),
        token: Some(TokenId::new(uuid(15))),
        webhook: Some(WebhookId::new(uuid(16))),
        person: Some(PersonId::new(uuid(17))),
    };
    let token = activity(1, 1);
    let person = Actor::Person { id: PersonId::new(uuid(18)), name: "“Ada” Lovelace".parse().unwrap() };
    let newer = Actor::Other { kind: "kiosk".to_owned(), id: Some(uuid(19)), name: None };
    let others = [person, newer, Actor::Volunteer, Actor::Operator, Actor::System];
    let others = others.into_iter().zip(2..).map(|(actor, number)| Activity {
        actor,
        subject,
        changes: vec![],
        created_at: at(i64::from(number)),
        ..activity(1, number)
    });
    let mut all: Vec<_> = std::iter::once(token).chain(others).collect();
    commit(&*store, insert(all.clone())).await;
    for activity in &all {
        let found = store.record(&activity.key(), Deleted::Excluded).await.unwrap();
        assert_eq!(found, Some(activity.clone().into()));
    }
    all.reverse();
    assert_eq!(page(&*store, &ActivityQuery::new()).await.items, all);
}

/// An activity is read as it was written, whatever its type is. A newer version can have written the type.
pub async fn an_activity_of_an_unknown_type_is_listed(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
    let unknown = Activity { kind: ActivityType::stored("kiosk.opened"), ..activity(1, 1) };
    commit(&*store, insert([unknown.clone()])).await;
    assert_eq!(page(&*store, &ActivityQuery::new()).await.items, [unknown]);
}
