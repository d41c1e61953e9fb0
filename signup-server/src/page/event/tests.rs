//! Tests of the page of an event.

use http_body_util::BodyExt as _;
use signup_core::{Day, Hours};

use super::*;
use crate::sample_event::sample_event;
use crate::texts::Texts;

const SITE: Site<'_> = Site { path: "/events/drive", url: "", sends_mail: true };

/// Returns the HTML of the page of an event.
async fn page_html(found: &PublicEvent) -> String {
    let now = found.event.created_at;
    let page = page(StatusCode::OK, found, SITE, &Focus::default(), now);
    let html = page.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(html.to_vec()).unwrap()
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
