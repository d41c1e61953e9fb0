//! Tests of the page of an event.

use std::collections::BTreeSet;

use http_body_util::BodyExt as _;
use signup_core::{Capacity, Day, EventWithShifts, Hours, NewEvent, NewShift, Scopes, date};

use super::*;
use crate::compression::compress;
use crate::sample_event::sample_event;
use crate::texts::Texts;

const SITE: Site<'_> = Site { path: "/events/drive", url: "", sends_mail: true };

/// Returns the HTML of the page of an event.
async fn page_html(found: &PublicEvent) -> String {
    html_with(found, &Focus::default()).await
}

#[tokio::test]
async fn the_page_says_how_to_reach_the_organization() {
    let (service, created) = sample_event().await;
    let mut found = service.volunteers().event(&created.event.slug).await.unwrap();
    assert!(!page_html(&found).await.contains("mailto:"));
    found.organization.contact = Some("help@riverside.example.org".parse().unwrap());
    let html = page_html(&found).await;
    assert!(html.contains("<a href=\"mailto:help@riverside.example.org\""), "{html}");
}

#[tokio::test]
async fn the_link_of_a_shift_has_the_start_that_the_page_shows() {
    let (service, created) = sample_event().await;
    let mut found = service.volunteers().event(&created.event.slug).await.unwrap();
    let shift = &mut found.shifts[0];
    // Clocks jump from 02:00 to 03:00, so 02:30 does not exist.
    shift.first_day = Day::new("2099-03-08".parse().unwrap(), "America/New_York".parse().unwrap());
    shift.shift.hours = Hours::parse(Some("02:30"), Some("05:00")).unwrap();
    let html = page_html(&found).await;
    assert!(html.contains(r#"Sign up<span class="quiet"> for Early, 03:30</span>"#), "{html}");
}

/// What messengers show says the same.
#[tokio::test]
async fn only_an_event_that_takes_sign_ups_or_will_is_said_to_look_for_volunteers() {
    let (service, created) = sample_event().await;
    let open = service.volunteers().event(&created.event.slug).await.unwrap();
    let with = |change: &dyn Fn(&mut PublicEvent)| {
        let mut found = open.clone();
        change(&mut found);
        found
    };
    let (past, far) = ("2020-01-01T00:00".parse().unwrap(), "2098-01-01T00:00".parse().unwrap());
    for (found, is_asking, notice) in [
        (with(&|_| ()), true, None),
        (with(&|found| found.event.signups_open_at = Some(far)), true, Some("Sign-ups open on")),
        (with(&|found| found.event.signups_close_at = Some(past)), false, Some("Sign-ups are closed")),
        (with(&|found| found.shifts[0].shift.occupancy.filled = 1_000_000), false, Some("No places left")),
        (with(&|found| found.shifts.clear()), false, Some("No shifts yet")),
        (with(&|found| (found.event.signups_open_at, found.shifts) = (Some(far), vec![])), false, None),
        (
            with(&|found| {
                found.event.signups_open_at = Some(far);
                found.shifts[0].shift.occupancy.filled = 1;
            }),
            false,
            Some("Sign-ups open on"),
        ),
    ] {
        let html = page_html(&found).await;
        let said = html.matches("is looking for volunteers").count();
        // In the heading, and in both descriptions.
        assert_eq!(said, if is_asking { 3 } else { 0 }, "{notice:?}: {html}");
        assert!(notice.is_none_or(|notice| html.contains(notice)), "{notice:?}: {html}");
        assert_eq!(html.contains("1 of 1 place left"), is_asking, "{html}");
        let is_closed = notice == Some("Sign-ups are closed");
        assert_eq!(html.contains("0 of 1 place filled"), is_closed, "{html}");
    }
}

#[tokio::test]
async fn a_page_without_a_form_says_whether_a_place_can_become_free() {
    let (service, created) = sample_event().await;
    let mut found = service.volunteers().event(&created.event.slug).await.unwrap();
    let (full, over) = ("If someone cancels, their place will show here.", "Every shift is over.");
    let occupancy = &mut found.shifts[0].shift.occupancy;
    occupancy.filled = occupancy.capacity.volunteers();
    let html = page_html(&found).await;
    assert!(html.contains(full) && !html.contains(over), "{html}");
    // The event lasts until 2099.
    found.shifts[0].first_day = Day::new("2020-06-06".parse().unwrap(), "UTC".parse().unwrap());
    let html = page_html(&found).await;
    assert!(html.contains(over) && !html.contains(full), "{html}");
}

#[tokio::test]
async fn no_cache_stores_a_page_that_names_people() {
    let (service, created) = sample_event().await;
    let found = service.volunteers().event(&created.event.slug).await.unwrap();
    let caching = |focus: &Focus| {
        let page = page(StatusCode::CONFLICT, &found, SITE, focus, found.event.created_at);
        page.headers()[CACHE_CONTROL].to_str().unwrap().to_owned()
    };
    let names = Notice { people: vec!["Ada".to_owned()], ..Notice::choose(Texts::ENGLISH) };
    assert_eq!(caching(&names.into()), "no-store");
    for focus in [Focus::default(), Notice::choose(Texts::ENGLISH).into()] {
        assert_eq!(caching(&focus), "no-cache");
    }
}

/// Creates a published event of three days with shifts of 45 minutes, one an hour. The first shift has no place, the second has
/// one, and so on.
async fn event_of(shifts: u32) -> PublicEvent {
    let (service, created) = sample_event().await;
    let session = service.session_for(created.event.organization, Scopes::all()).await.unwrap();
    let mut new = NewEvent::new("Camp".parse().unwrap(), date(2099, 6, 5), "Europe/Berlin".parse().unwrap())
        .end_date(date(2099, 6, 7));
    for number in 0..shifts {
        let titles = ["Packing boxes", "Sorting donations", "Greeting at the door", "Driving the van"];
        let title = format!("{} {}", titles[number as usize % 4], number / 72 + 1);
        let (day, hour) = (number / 24 % 3 + 1, number % 24);
        let hours = Hours::parse(Some(&format!("{hour:02}:00")), Some(&format!("{hour:02}:45"))).unwrap();
        let hours = hours.on_day(day).unwrap();
        let mut shift = NewShift::new(title.parse().unwrap(), Capacity::new(number).unwrap()).hours(hours);
        shift.location = Some(format!("Hall {}", number % 7).parse().unwrap());
        new = new.shift(shift);
    }
    let EventWithShifts { event, .. } = session.create_event(new.published()).await.unwrap();
    service.volunteers().event(&event.slug).await.unwrap()
}

/// Returns the HTML of the page with what it shows besides the event.
async fn html_with(found: &PublicEvent, focus: &Focus) -> String {
    let page = page(StatusCode::OK, found, SITE, focus, found.event.created_at);
    String::from_utf8(page.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap()
}

const ONLY_OPEN: Focus = Focus { chosen: BTreeSet::new(), only_open: true, notice: None, kept: vec![] };

#[tokio::test]
async fn many_shifts_have_links_to_their_days_and_the_parts_of_them() {
    let html = page_html(&event_of(30).await).await;
    for (link, target) in [
        (r##"<a href="#2099-06-05">Friday 5 June 2099</a>"##, r#"<h3 class="day" id="2099-06-05">"#),
        (r##"<a href="#2099-06-05-3">Afternoon"##, r#"<h4 class="day" id="2099-06-05-3">Afternoon</h4>"#),
        (r##"<a href="#2099-06-06">"##, r#"<h3 class="day" id="2099-06-06">"#),
    ] {
        assert!(html.contains(link) && html.contains(target), "{link}: {html}");
    }
    assert!(html.contains(r#"<h5 dir="auto">Packing boxes 1</h5>"#), "{html}");
    let few = page_html(&event_of(12).await).await;
    assert!(!few.contains("<nav") && few.contains(r#"<h3 dir="auto">Packing boxes 1</h3>"#), "{few}");
}

#[tokio::test]
async fn a_page_of_many_shifts_can_show_only_those_with_places() {
    let found = event_of(30).await;
    let (all, open) = (html_with(&found, &Focus::default()).await, html_with(&found, &ONLY_OPEN).await);
    let shown = |html: &str| html.matches("id=\"slot-").count();
    // The first shift has no place.
    assert_eq!((shown(&all), shown(&open)), (30, 29));
    let more = r#"<button class="plain" formaction="/events/drive" name="open" value="1">Show only shifts with places"#;
    let less = r#"<button class="plain" formaction="/events/drive">Show all shifts"#;
    assert!(all.contains(more) && !all.contains(less), "{all}");
    assert!(open.contains(less) && open.contains("Only shifts with places are shown."), "{open}");
    // A query would have what was typed.
    let kept = || vec![("name".to_owned(), "Ada".to_owned())];
    let all = html_with(&found, &Focus { kept: kept(), ..Focus::default() }).await;
    let open = html_with(&found, &Focus { kept: kept(), only_open: true, ..Focus::default() }).await;
    let more = r#"formaction="/events/drive/signups?open=1" name="change" value="shifts">Show only shifts with places"#;
    let less = r#"formaction="/events/drive/signups" name="change" value="shifts">Show all shifts"#;
    assert!(all.contains(more) && open.contains(less) && shown(&open) == 29, "{all}\n{open}");
}

#[tokio::test]
async fn a_page_without_places_shows_every_shift() {
    let mut found = event_of(13).await;
    for shift in &mut found.shifts {
        shift.shift.occupancy.filled = shift.occupancy.capacity.volunteers();
    }
    let html = html_with(&found, &ONLY_OPEN).await;
    assert_eq!(html.matches("id=\"slot-").count(), 13, "{html}");
}

#[tokio::test]
async fn a_page_of_200_shifts_has_at_most_25_kb_when_compressed() {
    let found = event_of(200).await;
    let page = page(StatusCode::OK, &found, SITE, &Focus::default(), found.event.created_at);
    let bytes = compress(page, true).await.into_body().collect().await.unwrap().to_bytes().len();
    assert!(bytes <= 25_000, "{bytes} bytes");
}
