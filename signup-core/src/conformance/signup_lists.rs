//! Lists of sign-ups: their order, filters and pages.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::pages::{page_at, sides};
use super::records::*;
use crate::*;

/// Inserts an event with the shifts 1 and 2, another event with the shift 3, and 12 sign-ups for the shifts. Every
/// fourth is cancelled. Every third has the address of Ada. Returns the sign-ups, the newest first.
async fn with_signups(store: &dyn Store) -> Vec<Signup> {
    let events = [1, 2].map(|number| event(1, number));
    let shifts = [(0, 1), (0, 2), (1, 3)].map(|(event, number)| shift(&events[event], number, 99));
    commit(store, insert([organization(1)])).await;
    commit(store, insert(events)).await;
    commit(store, insert(shifts.clone())).await;
    let mut change = ChangeSet::default();
    let mut signups = vec![];
    // The order of insertion is not the order of ids.
    for number in (0..12).map(|place| 1 + place * 5 % 12) {
        let address = if number % 3 == 0 { "Ada@example.org" } else { &format!("other{number}@example.org") };
        let email = EmailAddress::new(address).unwrap();
        // An address has one confirmed sign-up for a shift: the 12th is cancelled before the 3rd signs up for the same shift.
        let signup = Signup { email, ..signup(&shifts[number as usize / 3 % 3], number) };
        change.insert(signup.clone());
        signups.push(if number % 4 == 0 {
            let gone = cancelled(signup.clone(), at(5));
            change.writes.push(put(signup, gone.clone()));
            gone
        } else {
            signup
        });
    }
    commit(store, change).await;
    signups.sort_by_key(|signup| std::cmp::Reverse(signup.id));
    signups
}

async fn page(store: &dyn Store, query: &SignupQuery) -> Page<Signup> {
    store.signups(organization_id(1), query).await.unwrap()
}

/// Asserts that the sign-ups in full of a query are those of its page.
async fn assert_in_full(store: &dyn Store, query: &SignupQuery, page: &[Signup]) {
    let found = store.signups_in_full(organization_id(1), query).await.unwrap();
    let signups: Vec<_> = found.iter().map(|found| found.signup.clone()).collect();
    assert_eq!(signups, page, "in full: {query:?}");
    for SignupInFull { organization, event, shift, signup, .. } in found {
        let expected = (signup.organization, signup.event, signup.shift);
        assert_eq!((organization.id, event.id, shift.id), expected, "the records of {signup:?}");
    }
}

/// Returns every filter, with limits that no list reaches.
fn filters() -> Vec<SignupQuery> {
    let scopes = [
        SignupQuery::new(),
        SignupQuery::new().of_event(EventId::new(uuid(1))),
        SignupQuery::new().of_event(EventId::new(uuid(2))),
        SignupQuery::new().of_shift(ShiftId::new(uuid(1))),
        SignupQuery::new().of_shift(ShiftId::new(uuid(2))),
        SignupQuery::new().of_shift(ShiftId::new(uuid(3))),
        SignupQuery::new().of_event(EventId::new(uuid(1))).of_shift(ShiftId::new(uuid(2))),
        SignupQuery::new().of_event(EventId::new(uuid(2))).of_shift(ShiftId::new(uuid(2))),
    ];
    let one = SignupId::new(uuid(7));
    let scopes = scopes.into_iter().flat_map(|query| [query.clone().only(one), query]);
    let by_status = scopes.flat_map(|query| {
        let with_status = SignupStatus::ALL.iter().map(|status| query.clone().status(*status));
        [query.clone()].into_iter().chain(with_status.collect::<Vec<_>>())
    });
    let ada = EmailAddress::new("ADA@example.org").unwrap();
    by_status
        .flat_map(|query| [query.clone().email(ada.clone()), query])
        .map(|query| query.limit(99))
        .collect()
}

/// Returns whether a query selects a sign-up, apart from the position and the limit.
fn is_selected(query: &SignupQuery, signup: &Signup) -> bool {
    let is_in_scope = query.id.is_none_or(|id| signup.id == id)
        && query.event.is_none_or(|event| signup.event == event)
        && query.shift.is_none_or(|shift| signup.shift == shift);
    let is_of_address = query.email.as_ref().is_none_or(|email| signup.email == *email);
    is_in_scope && is_of_address && query.status.is_none_or(|status| signup.status() == status)
}

/// A list has exactly the sign-ups that its id, its event, its shift, its status and its address select, by descending id. In
/// full, each has its organization, its event and its shift.
pub async fn a_list_of_sign_ups_is_filtered_and_newest_first(store: Arc<dyn Store>) {
    let signups = with_signups(&*store).await;
    let mut lengths = BTreeSet::new();
    for query in filters() {
        let expected: Vec<_> = signups.iter().filter(|signup| is_selected(&query, signup)).cloned().collect();
        lengths.insert(expected.len());
        let found = page(&*store, &query).await;
        assert_in_full(&*store, &query, &expected).await;
        assert_eq!(
            found,
            Page::new(expected, None, None),
            "exactly the selected sign-ups, newest first: {query:?}"
        );
    }
    assert!(lengths.len() > 4 && lengths.contains(&12), "the filters select different sign-ups: {lengths:?}");
    let unknown = EmailAddress::new("nobody@example.org").unwrap();
    assert_eq!(page(&*store, &SignupQuery::new().email(unknown)).await.items, vec![]);
}

/// A page has the position of a neighbouring page exactly if that page has sign-ups, for every position, page size and
/// filter.
pub async fn a_page_of_sign_ups_has_positions_exactly_where_the_list_continues(store: Arc<dyn Store>) {
    let signups = with_signups(&*store).await;
    for (filter, at) in filters().into_iter().flat_map(|filter| {
        // The id 0 is below every sign-up, and 13 is above.
        (0..14).map(move |number| (filter.clone(), SignupId::new(uuid(number))))
    }) {
        let list: Vec<_> = signups.iter().filter(|signup| is_selected(&filter, signup)).cloned().collect();
        for (side, limit) in sides([1, 3]) {
            let position = Position { key: at, side };
            let query = filter.clone().limit(limit).at(position);
            let expected = page_at(&list, position, limit, |signup| signup.id, |signup| signup.id < at);
            assert_in_full(&*store, &query, &expected.items).await;
            assert_eq!(page(&*store, &query).await, expected, "{query:?}");
        }
    }
}

/// A search finds a part of a name or of an address, without case and accents in every script. It combines with the other filters
/// and with pages, and no character is a wildcard.
pub async fn a_search_finds_a_part_of_a_name_or_of_an_address(store: Arc<dyn Store>) {
    let (event, shift) = with_shift(&store, 99).await;
    let people = [
        ("Ada Lovelace", "ada@example.org"),
        ("Grace Hopper", "lovelace.fan@example.org"),
        ("100% Éva_1", "eva@example.org"),
        ("100x Éva 1", "eva2@example.org"),
        ("O'Brien \"Bo\" \\", "bo@example.org"),
        ("ΟΔΥΣΣΕΥΣ ΠΑΠΑΣ", "od@example.org"),
        ("Мария", "maria@example.org"),
        ("Zoë", "Zoe.K@MÜLLER.example"),
        ("Zoe\u{308} E\u{301}", "zoe@www.müller.example"),
        ("Ivan", "ada@почта.рф"),
    ];
    for (number, (name, email)) in (1..).zip(people) {
        let (name, email) = (PersonName::new(name).unwrap(), EmailAddress::new(email).unwrap());
        commit(&*store, sign_up(&shift, &Signup { name, email, ..signup(&shift, number) })).await;
    }
    let gone = stored(&*store, &signup(&shift, 2)).await.unwrap();
    write(&*store, vec![put(gone.clone(), cancelled(gone, at(5)))]).await;
    let new = |text: &str| SignupQuery::new().search(text.parse().unwrap());
    let found = async |query: SignupQuery| {
        let found = page(&*store, &query).await.items;
        found.iter().rev().map(|signup| signup.id.uuid()).collect::<Vec<_>>()
    };
    let ids = |numbers: &[u32]| numbers.iter().copied().map(uuid).collect::<Vec<_>>();
    for (text, expected) in [
        ("LOVELACE", &[1, 2][..]),
        ("ada l", &[1]),
        ("acead", &[]),
        ("ÉVA", &[3, 4]),
        ("zoe e", &[9]),
        ("100%", &[3]),
        ("a_1", &[3]),
        ("o'b", &[5]),
        ("\"BO\"", &[5]),
        ("\\", &[5]),
        ("δυσσευσ", &[6]),
        ("ΠΑΠΑ", &[6]),
        ("мАРИЯ", &[7]),
        ("@example.ORG", &[1, 2, 3, 4, 5, 6, 7]),
        ("*", &[]),
        ("zoe.k@ｍüller.example", &[8]),
        ("üller.EX", &[8, 9]),
        ("@xn--mller-kva", &[8]),
        // The beginnings of addresses are addresses.
        ("ada@почта.р", &[10]),
        ("zoe@www.mül", &[9]),
        ("zoe@www.mu\u{308}l", &[9]),
        ("zoe@www.xn--mller-kva.ex", &[9]),
        ("zoe@www.xn--mll", &[9]),
        ("zoë", &[8, 9]),
        ("ZOE\u{308}", &[8, 9]),
        ("zoe\u{308} é", &[9]),
        // A KELVIN SIGN is no letter of a local part.
        ("zoe.\u{212A}", &[]),
    ] {
        for query in [new(text), new(text).of_event(event.id), new(text).of_shift(shift.id)] {
            assert_eq!(found(query.clone()).await, ids(expected), "{query:?}");
        }
    }
    assert_eq!(found(new("lovelace").status(SignupStatus::Confirmed)).await, ids(&[1]));
    assert_eq!(found(new("lovelace").status(SignupStatus::Cancelled)).await, ids(&[2]));
    assert_eq!(found(new("éva").email(EmailAddress::new("EVA@example.org").unwrap())).await, ids(&[3]));
    assert_eq!(found(new("éva").of_event(EventId::new(uuid(9)))).await, ids(&[]));
    let first = page(&*store, &new("éva").limit(1)).await;
    assert_eq!((first.items[0].id.uuid(), first.previous), (uuid(4), None));
    let second = page(&*store, &new("éva").limit(1).at(first.next.unwrap())).await;
    assert_eq!((second.items[0].id.uuid(), second.next), (uuid(3), None));
    assert!(second.previous.is_some());
}
