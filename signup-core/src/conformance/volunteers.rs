//! The list of volunteers: what the sign-ups of each address add up to, the search, and the pages.

use std::sync::Arc;

use super::pages::{page_at, sides};
use super::records::*;
use crate::*;

async fn listed(store: &dyn Store, query: VolunteerQuery) -> Vec<Volunteer> {
    let page = store.volunteers(organization_id(1), &query.limit(99)).await.unwrap();
    assert_eq!((page.previous, page.next), (None, None), "the list is one page");
    page.items
}

/// Inserts two events, each with a shift: of three hours in New York, and of an hour less in Paris on the day on which clocks jump.
/// Signs people up for them, and returns the second event.
async fn with_volunteers(store: &dyn Store) -> Event {
    let events = [event(1, 1), event_on(1, 2, "2027-03-28", "Europe/Paris")];
    let mut shifts = [shift(&events[0], 1, 99), shift(&events[1], 2, 99)];
    shifts[1].hours = Hours::parse(Some("01:00"), Some("04:00")).unwrap();
    shifts[1].ends_at = events[1].dates.first.interval(shifts[1].hours).end;
    commit(store, insert([organization(1), organization(2)])).await;
    commit(store, insert(events.clone())).await;
    commit(store, insert(shifts.clone())).await;
    let attended = |signup| Signup { attendance: Some(Attendance::Attended), ..signup };
    let of = |shift: usize, number, name: &str, email: &str| {
        let (name, email) = (PersonName::new(name).unwrap(), EmailAddress::new(email).unwrap());
        Signup { name, email, ..signup(&shifts[shift], number) }
    };
    for signup in [
        attended(of(0, 1, "Ada Lovelace", "Ada@example.org")),
        attended(of(1, 2, "ADA  Lovelace", "ada@Example.org")),
        Signup { attendance: Some(Attendance::Absent), ..of(0, 3, "Ángel O’Brien", "ada@example.org") },
        of(1, 4, "Bob", "bob.stone@xn--mller-kva.example"),
        waiting(of(1, 5, "Bob Stone", "bob.stone@müller.example")),
        waiting(of(0, 6, "Only Waiting", "waits@example.org")),
        of(0, 7, "Zoe", "zoe@example.org"),
    ] {
        commit(store, sign_up(&shifts[(signup.shift == shifts[1].id) as usize], &signup)).await;
    }
    let gone = stored(store, &signup(&shifts[0], 7)).await.unwrap();
    write(store, vec![put(gone.clone(), cancelled(gone, at(5)))]).await;
    events[1].clone()
}

fn names(volunteer: &Volunteer) -> Vec<&str> {
    volunteer.names.iter().map(PersonName::as_str).collect()
}

/// Volunteers are listed by address, whatever its spelling. Each has the names and the totals of all sign-ups of the address.
pub async fn volunteers_are_listed_by_address_with_the_totals_of_their_sign_ups(store: Arc<dyn Store>) {
    with_volunteers(&*store).await;
    let found = listed(&*store, VolunteerQuery::new()).await;
    let addresses: Vec<_> = found.iter().map(|volunteer| volunteer.email.as_str()).collect();
    let expected = ["ada@example.org", "bob.stone@müller.example", "waits@example.org", "zoe@example.org"];
    assert_eq!(addresses, expected, "each as its newest sign-up has it");
    let [ada, bob, waits, zoe] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(names(ada), ["ADA  Lovelace", "Ángel O’Brien"], "each as its newest sign-up has it");
    assert_eq!((ada.newest, ada.confirmed, ada.attended, ada.absent), (SignupId::new(uuid(3)), 3, 2, 1));
    assert_eq!(ada.time_helped, SignedDuration::from_hours(5), "by instants");
    let starts =
        ada.starts.map(|(first, last)| [first, last].map(|start| (start.at.to_string(), start.date)));
    let expected = [("2027-03-28T00:00:00Z", "2027-03-28"), ("2027-06-05T13:00:00Z", "2027-06-05")];
    assert_eq!(starts, Some(expected.map(|(at, date)| (at.to_owned(), date.parse().unwrap()))));
    assert_eq!((names(bob), bob.confirmed), (vec!["Bob", "Bob Stone"], 1), "who waits has no place");
    for volunteer in [waits, zoe] {
        assert_eq!((volunteer.confirmed, volunteer.starts), (0, None), "{volunteer:?}");
    }
    assert_eq!(store.volunteers(organization_id(2), &VolunteerQuery::new()).await.unwrap().items, []);
    let spelled = EmailAddress::new("BOB.Stone@MÜLLER.example").unwrap();
    assert_eq!(listed(&*store, VolunteerQuery::new().email(spelled)).await, std::slice::from_ref(bob));
}

/// A list by name is sorted by the first name of each address, in the root collation of Unicode, and then by address.
pub async fn volunteers_are_listed_by_name(store: Arc<dyn Store>) {
    let events = [event(1, 1), event(1, 2)];
    let shifts = [shift(&events[0], 1, 99), shift(&events[1], 2, 99)];
    commit(&*store, insert([organization(1)])).await;
    commit(&*store, insert(events.clone())).await;
    commit(&*store, insert(shifts.clone())).await;
    for (number, shift, name, email) in [
        (1, 0, "Zoe", "b@example.org"),
        (2, 0, "anna", "e@example.org"),
        (3, 0, "Anna", "d@example.org"),
        (4, 0, "Ángel", "f@example.org"),
        (5, 0, "Émile", "b@example.org"),
        (6, 0, "Fay", "a@example.org"),
        (7, 1, "Abe", "a@example.org"),
        (8, 1, "Abel", "c@example.org"),
    ] {
        let (name, email) = (PersonName::new(name).unwrap(), EmailAddress::new(email).unwrap());
        let signup = Signup { name, email, ..signup(&shifts[shift], number) };
        commit(&*store, sign_up(&shifts[shift], &signup)).await;
    }
    let addresses = async |query: VolunteerQuery| {
        let found = listed(&*store, query.by_name()).await;
        found.iter().map(|volunteer| volunteer.email.as_str()[..1].to_owned()).collect::<String>()
    };
    let search = |text: &str| VolunteerQuery::new().search(text.parse().unwrap());
    assert_eq!(addresses(VolunteerQuery::new()).await, "acfdeb");
    assert_eq!(addresses(search("zoe")).await, "b", "by another name than the first");
    write(&*store, vec![put(events[1].clone(), deleted(&events[1], at(5)))]).await;
    assert_eq!(addresses(VolunteerQuery::new()).await, "fdeba", "the names of a deleted event do not count");
}

/// A search finds volunteers by the beginnings of the words of one sign-up's name or address, without case and accents.
pub async fn volunteers_are_found_by_the_beginnings_of_words(store: Arc<dyn Store>) {
    with_volunteers(&*store).await;
    let all = listed(&*store, VolunteerQuery::new()).await;
    for (text, expected) in [
        ("LOVEL", &[0][..]),
        ("love ad", &[0]),
        ("angel", &[0]),
        ("brien", &[0]),
        ("ada brien", &[0]),
        ("love brien", &[]),
        ("ovel", &[]),
        ("stone", &[1]),
        ("mull", &[1]),
        ("bob.stone@MÜL", &[1]),
        ("xn--mller", &[1]),
        ("example", &[0, 1, 2, 3]),
        ("%", &[0, 1, 2, 3]),
        ("nobody", &[]),
    ] {
        let found = listed(&*store, VolunteerQuery::new().search(text.parse().unwrap())).await;
        let expected: Vec<_> = expected.iter().map(|index: &usize| all[*index].clone()).collect();
        assert_eq!(found, expected, "{text}");
    }
}

/// A page has the position of a neighbouring page exactly if that page has volunteers, for every position and page size.
pub async fn a_page_of_volunteers_has_positions_exactly_where_the_list_continues(store: Arc<dyn Store>) {
    with_volunteers(&*store).await;
    let searched = VolunteerQuery::new().search("org".parse().unwrap());
    for query in
        [VolunteerQuery::new(), VolunteerQuery::new().by_name(), searched.clone(), searched.by_name()]
    {
        let all = listed(&*store, query.clone()).await;
        let key = |volunteer: &Volunteer| volunteer.key(query.is_by_name);
        let other = |(name, email): (&str, &str)| VolunteerKey {
            name: query.is_by_name.then(|| PersonName::new(name).unwrap().sort_key()),
            email: email.parse().unwrap(),
        };
        let others = [("A", "a@example.org"), ("bob", "bz@example.org"), ("Zz", "zz@example.org")].map(other);
        for at in all.iter().map(key).chain(others) {
            for (side, limit) in sides([1, 2]) {
                let position = Position { key: at.clone(), side };
                let is_below = |volunteer: &Volunteer| key(volunteer) > at;
                let expected = page_at(&all, position.clone(), limit, key, is_below);
                let query = query.clone().limit(limit).at(position);
                assert_eq!(
                    store.volunteers(organization_id(1), &query).await.unwrap(),
                    expected,
                    "{query:?}"
                );
            }
        }
    }
}

/// The sign-ups of a deleted event count no longer, and those for a deleted shift still do.
pub async fn a_deleted_event_takes_its_sign_ups_from_the_volunteers(store: Arc<dyn Store>) {
    let event = with_volunteers(&*store).await;
    let shift = store.shifts(event.organization, event.id).await.unwrap().unwrap().remove(0).shift;
    let before = listed(&*store, VolunteerQuery::new()).await;
    let gone = Shift { deleted_at: Some(at(5)), ..next_shift(&shift) };
    write(&*store, vec![put(shift, gone)]).await;
    assert_eq!(listed(&*store, VolunteerQuery::new()).await, before, "a deleted shift");
    write(&*store, vec![put(event.clone(), deleted(&event, at(5)))]).await;
    let found = listed(&*store, VolunteerQuery::new()).await;
    let totals = |volunteer: &Volunteer| (volunteer.confirmed, volunteer.attended, names(volunteer).len());
    assert_eq!(found.iter().map(totals).collect::<Vec<_>>(), [(2, 1, 2), (0, 0, 1), (0, 0, 1)]);
}
