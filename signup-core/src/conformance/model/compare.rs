//! Compares the reads of two stores.

use std::fmt::Debug;

use crate::conformance::random::{SEARCHES, Seen, email, in_organization};
use crate::conformance::records::*;
use crate::*;

/// Compares a read of the store with the same read of the reference.
macro_rules! same {
    ($store:expr, $reference:expr, $method:ident($($argument:expr),*)) => {{
        let found = $store.$method($($argument),*).await.unwrap();
        let expected = $reference.$method($($argument),*).await.unwrap();
        if found == expected {
            Ok(())
        } else {
            let call = (stringify!($method), $(&$argument),*);
            $crate::conformance::model::compare::expect_equal(&format!("{call:?}"), &found, &expected)
        }
    }};
}
pub(super) use same;

pub(super) fn expect_equal<T: PartialEq + Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what} differs from the reference\n    found: {found:?}\n expected: {expected:?}"))
}

/// Compares all records.
pub(in crate::conformance) async fn compare_records(
    store: &dyn Store,
    reference: &dyn Store,
    seen: &Seen,
) -> Result<(), String> {
    for key in &seen.keys {
        same!(store, reference, record(key, Deleted::Included))?;
    }
    same!(store, reference, statistics())
}

/// Compares every read. Records are read in their own organization and in every other.
pub(super) async fn compare(
    store: &dyn Store,
    reference: &dyn Store,
    seen: &Seen,
    now: Timestamp,
) -> Result<(), String> {
    compare_records(store, reference, seen).await?;
    for after in [None, Some(organization_id(1))] {
        same!(store, reference, organizations(after, 1))?;
        same!(store, reference, organizations(after, 99))?;
    }
    for unique in &seen.uniques {
        same!(store, reference, holder(unique, Deleted::Excluded))?;
        if let Unique::EventSlug(slug) = unique {
            same!(store, reference, holder(unique, Deleted::Included))?;
            same!(store, reference, event_by_slug(slug))?;
        }
    }
    for query in notice_queries(seen, now) {
        for limit in [1, 2, 99] {
            same!(store, reference, notices(query.clone(), limit))?;
        }
    }
    for limit in [1, 2, 99] {
        same!(store, reference, due_deliveries(now, limit))?;
    }
    let (signup_queries, activity_queries) = (signup_queries(seen), activity_queries(seen));
    for owner in seen.organizations() {
        same!(store, reference, tokens(owner))?;
        same!(store, reference, deleted_events(owner, None::<EventId>, 99))?;
        for query in &signup_queries {
            same!(store, reference, signups(owner, query))?;
            same!(store, reference, signups_in_full(owner, query))?;
        }
        for query in volunteer_queries() {
            same!(store, reference, volunteers(owner, &query))?;
        }
        for query in &activity_queries {
            same!(store, reference, activity(owner, query))?;
        }
        same!(store, reference, webhooks(owner))?;
        same!(store, reference, members(owner))?;
        same!(store, reference, invitations(owner))?;
        for person in 0..4 {
            same!(store, reference, links(owner, &email(person, true)))?;
        }
        for key in &seen.keys {
            compare_key(store, reference, &in_organization(key, owner)).await?;
        }
    }
    Ok(())
}

fn notice_queries(seen: &Seen, now: Timestamp) -> Vec<NoticeQuery> {
    // A failed attempt makes a notice due after 30 seconds, so some due times are after `latest`.
    let latest = now + SignedDuration::from_secs(20);
    let mut queries = vec![NoticeQuery::Due { now, latest }];
    for owner in seen.organizations() {
        queries.push(NoticeQuery::FailedOf(owner, None));
        queries.extend((0..4).map(|person| NoticeQuery::About(owner, email(person, true).key().to_owned())));
    }
    queries.extend(seen.keys.iter().filter_map(|key| match *key {
        RecordKey::Event(owner, event) => Some(NoticeQuery::FailedOf(owner, Some(event))),
        _ => None,
    }));
    let ids = seen.keys.iter().filter_map(|key| match key {
        RecordKey::Notice(_, id) => Some(Some(*id)),
        _ => None,
    });
    queries
        .extend(ids.chain([None]).flat_map(|after| [NoticeQuery::Queued(after), NoticeQuery::Failed(after)]));
    queries
}

/// Returns queries of every scope, with each filter.
fn signup_queries(seen: &Seen) -> Vec<SignupQuery> {
    let new = SignupQuery::new();
    let (mut scopes, mut queries) = (vec![new.clone()], vec![]);
    scopes.extend((0..4).map(|person| new.clone().email(email(person, true))));
    for key in &seen.keys {
        match *key {
            RecordKey::Event(_, event) => scopes.push(new.clone().of_event(event)),
            RecordKey::Shift(_, shift) => scopes.push(new.clone().of_shift(shift)),
            RecordKey::Signup(_, signup) => queries.push(new.clone().above(Some(signup), 1)),
            _ => {}
        }
    }
    queries.extend(SEARCHES.iter().map(|text| new.clone().search(text.parse().unwrap())));
    for scope in scopes {
        let deleted = scope.clone().with_deleted();
        queries.extend(SignupStatus::ALL.iter().map(|status| deleted.clone().status(*status)));
        queries.extend([deleted.clone().search("a".parse().unwrap()), deleted.limit(2), scope]);
    }
    queries
}

/// Returns queries of the volunteers, with each filter and at each position.
fn volunteer_queries() -> impl Iterator<Item = VolunteerQuery> {
    let new = VolunteerQuery::new;
    let searches = SEARCHES.iter().step_by(4).map(move |text| new().search(text.parse().unwrap()));
    let of_person = (0..4).flat_map(move |person| {
        let at = |name| {
            let key = VolunteerKey { name, email: email(person, false) };
            let query = VolunteerQuery { is_by_name: key.name.is_some(), ..new().limit(2) };
            [Side::Below, Side::Above].map(|side| query.clone().at(Position { key: key.clone(), side }))
        };
        let beside = [at(None), at(Some(PersonName::new("M").unwrap().sort_key()))];
        beside.into_iter().flatten().chain([new().email(email(person, true))])
    });
    searches.chain(of_person).chain([new()]).flat_map(|query| match query.position {
        None => vec![query.clone().by_name(), query],
        Some(_) => vec![query],
    })
}

/// Returns queries of every scope, of each type, and at each position.
fn activity_queries(seen: &Seen) -> Vec<ActivityQuery> {
    let new = ActivityQuery::new().limit(2);
    let mut queries = vec![new.clone(), new.clone().limit(99)];
    queries.extend(["event.*", "event.updated"].map(|kind| new.clone().of_type(kind.parse().unwrap())));
    for key in &seen.keys {
        match *key {
            RecordKey::Event(_, event) => queries.push(new.clone().of_event(event)),
            RecordKey::Activity(_, key) => {
                let beside = [Side::Below, Side::Above].map(|side| Position { key, side });
                queries.extend(beside.map(|position| new.clone().at(position)));
            }
            _ => {}
        }
    }
    queries
}

/// Compares every read by this key.
async fn compare_key(store: &dyn Store, reference: &dyn Store, key: &RecordKey) -> Result<(), String> {
    let owner = key.organization();
    same!(store, reference, record(key, Deleted::Included))?;
    same!(store, reference, record(key, Deleted::Excluded))?;
    same!(store, reference, event_in_full(key))?;
    if let Some(id) = key.id() {
        same!(store, reference, owner(key.kind(), id))?;
    }
    match *key {
        RecordKey::Event(_, event) => {
            same!(store, reference, deleted_events(owner, Some(event), 1))?;
            same!(store, reference, messages(owner, event))?;
            same!(store, reference, shifts(owner, event))
        }
        RecordKey::Shift(_, shift) => {
            let number = async |status| {
                let query = SignupQuery::new().of_shift(shift).status(status).with_deleted().limit(99);
                store.signups(owner, &query).await.unwrap().items.len()
            };
            let numbers = (number(SignupStatus::Confirmed).await, number(SignupStatus::Waitlisted).await);
            if let Some(Record::Shift(found)) = store.record(key, Deleted::Included).await.unwrap() {
                let totals = (found.occupancy.filled as usize, found.occupancy.waitlisted as usize);
                expect_equal(&format!("the totals of {found:?}"), &totals, &numbers)?;
            }
            same!(store, reference, shift_with_event(owner, shift))
        }
        RecordKey::Signup(_, signup) => same!(store, reference, signup_in_full(owner, signup)),
        RecordKey::Person(person) => same!(store, reference, memberships(person)),
        RecordKey::SignIn(digest) => same!(store, reference, signed_in(&digest)),
        RecordKey::Webhook(_, webhook) => {
            let new = DeliveryQuery::new().limit(99);
            let queries = DeliveryStatus::ALL.iter().map(|status| new.clone().status(*status).limit(1));
            for query in queries.chain([new.clone()]) {
                same!(store, reference, deliveries(owner, webhook, &query))?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}
