//! The first pages of the console: the organizations of a person, and the events of an organization.

use insta::assert_snapshot;
use jiff::ToSpan as _;
use serde_json::{Value, json};
use signup_core::{Clock as _, SystemClock};

use crate::console::{ADA, Organizer};
use crate::console_events::{ROOT, location};
use crate::harness::{Answer, Server};
use crate::lives::path;
use crate::pages::Page;
use crate::snapshots::{readable, readable_part, stable};

/// Returns the body of an event that begins so many days from today, with one shift of this capacity.
fn event_in(days: i64, title: &str, capacity: u32) -> Value {
    let today = jiff::tz::Offset::UTC.to_datetime(SystemClock.now()).date();
    let date = today.checked_add(days.days()).unwrap().to_string();
    json!({
        "title": title, "start_date": date, "timezone": "UTC", "is_published": true,
        "shifts": [{"title": "All day", "capacity": capacity}],
    })
}

fn draft_in(days: i64, title: &str) -> Value {
    let mut event = event_in(days, title, 1);
    event["is_published"] = json!(false);
    event
}

/// Returns the titles of the events of a page that begin with `kind`, in the order of the page.
fn titles(page: &Answer, kind: &str) -> Vec<String> {
    let shown = readable(page);
    let events = shown
        .lines()
        .filter_map(|line| line.trim_start_matches(['#', ' ']).strip_prefix('[')?.split_once("] "));
    events.map(|(_, title)| title.to_owned()).filter(|title| title.starts_with(kind)).collect()
}

#[tokio::test]
async fn events_that_need_volunteers_come_first_then_drafts_then_past_and_cancelled_ones() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    server.create(&draft_in(5, "Later draft")).await;
    server.create(&event_in(-5, "Past", 3)).await;
    server.create(&event_in(10, "Far", 20)).await;
    let soon = Page::create(&server, &event_in(3, "Soon", 20)).await;
    let full = Page::create(&server, &event_in(2, "Full", 1)).await;
    server.create(&draft_in(4, "Next draft")).await;
    let cancelled = server.create(&event_in(6, "Cancelled", 3)).await;
    assert_eq!(server.post(&format!("{}/cancel", path(&cancelled)), &json!({})).await.status, 200);
    server.create(&draft_in(-9, "Past draft")).await;
    let mut old = event_in(0, "Old", 3);
    old["start_date"] = json!("2020-03-07");
    server.create(&old).await;
    for (page, volunteers) in [(&soon, 15), (&full, 1)] {
        for number in 0..volunteers {
            let email = format!("v{number}@example.org");
            page.signed_up(&server, &page.slot("All day"), "Bo", &email).await;
        }
    }

    let home = ada.get(&format!("{ROOT}/")).await;
    // The calendar and the years follow from the present day.
    let cut = |text: &str, start: &str, end: &str| {
        let (before, rest) = text.split_once(start).unwrap();
        let (part, after) = rest.split_once(end).unwrap();
        (part.to_owned(), format!("{before}{after}"))
    };
    let (calendar, rest) = cut(&home.text, "<section class=\"month\"", "</section>");
    assert!(calendar.contains(">: Full, The only place is filled</span>"), "{calendar}");
    let (years, rest) = cut(&rest, "<p class=\"years\">", "</p>");
    assert!(years.ends_with("<a href=\"/console/riverside/?dates=2020\">2020</a> "), "{years}");
    let shown = stable(&readable_part(rest.split_once("<main").unwrap().1));
    let is_year = |line: &&str| line.strip_prefix("### ").is_some_and(|year| year.parse::<u16>().is_ok());
    assert_snapshot!(shown.lines().filter(|line| !is_year(line)).collect::<Vec<_>>().join("\n"));
    let bar = "role=\"meter\" aria-label=\"Places filled\" aria-valuemin=\"0\" aria-valuemax=\"20\" aria-valuenow=\"15\"";
    assert!(home.text.contains(bar), "{}", home.text);

    for (query, words) in [
        ("month=2020-03", ">7<span class=\"quiet\">: Old, 0 of 3 filled</span>"),
        ("month=2020-03", "/console/riverside/?month=2020-04#calendar"),
        ("dates=2020", "<h1>Events in 2020</h1>"),
        ("dates=2020-03-07", "<h1>Events on Saturday 7 March 2020</h1>"),
    ] {
        let page = ada.get(&format!("{ROOT}/?{query}")).await;
        assert!(page.text.contains(words), "{query}: {}", page.text);
        assert_eq!(titles(&page, "Old"), ["Old"], "{query}");
    }
}

#[tokio::test]
async fn a_search_finds_events_of_all_kinds_by_the_words_of_their_titles_and_places() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let mut hall = event_in(-40, "Gala", 2);
    hall["location"] = json!("Café Łódź, Long Street");
    for event in [event_in(3, "Food drive", 2), draft_in(9, "Spring drive"), hall] {
        server.create(&event).await;
    }
    for (search, expected) in [
        ("DRIV", &["Spring drive", "Food drive"][..]),
        ("food dri", &["Food drive"]),
        ("cafe lodz", &["Gala"]),
        ("rive", &[]),
        ("-", &[]),
    ] {
        let found = ada.get(&format!("{ROOT}/?q={}", search.replace(' ', "+"))).await;
        // The latest start comes first.
        let mut titles = titles(&found, "");
        titles.retain(|title| ["Food drive", "Spring drive", "Gala"].contains(&&**title));
        assert_eq!(titles, expected, "{search}");
        let none =
            if search == "-" { "Type at least one letter or digit." } else { "No events match your search." };
        assert_eq!(found.text.contains(none), expected.is_empty(), "{search}");
    }
    assert_eq!(ada.get(&format!("{ROOT}/?q={}", "x".repeat(1000))).await.status, 422);
}

#[tokio::test]
async fn each_event_is_on_one_of_the_pages_of_home() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    // More than two pages of upcoming events, and more than one of the others.
    for number in 0..60_i64 {
        server.create(&event_in(number + 1, &format!("Coming {number}"), 2)).await;
    }
    for number in 0..110_i64 {
        server.create(&event_in(-3 - number, &format!("Past {number}"), 2)).await;
    }
    let mut found = vec![];
    for more in ["More upcoming events", "Older events"] {
        let mut page = ada.get(&format!("{ROOT}/")).await;
        loop {
            assert_eq!(page.status, 200);
            let kind = if more == "Older events" { "Past " } else { "Coming " };
            found.extend(titles(&page, kind));
            let Some((before, _)) = page.text.split_once(&format!("\">{more}</a>")) else { break };
            let next = before.rsplit('"').next().unwrap().replace("&#38;", "&");
            page = ada.get(&next).await;
        }
    }
    let coming = (0..60).map(|number| format!("Coming {number}"));
    let past = (0..110).map(|number| format!("Past {number}"));
    assert_eq!(found, coming.chain(past).collect::<Vec<_>>());
    for query in ["?cursor=x", "?upcoming=x", "?month=x", "?dates=x"] {
        assert_eq!(ada.get(&format!("{ROOT}/{query}")).await.status, 422, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_console_leads_to_the_only_organization_or_lists_several() {
    let server = Server::start_on_sqlite();
    server.command("organization create --name Hillside");
    let ada = Organizer::owner_of_starter(&server).await;
    assert_eq!(location(&ada.get("/console").await), "/console/starter/");
    assert_eq!(location(&ada.get("/console/starter").await), "/console/starter/");
    assert_eq!(ada.get("/console/hillside/").await.status, 404);

    // A person who exists is not asked for a name.
    let hillside = server.invite("hillside", ADA, "organizer");
    assert_eq!(location(&ada.post(&hillside, &[]).await), "/console/hillside/");
    let list = ada.get("/console").await;
    assert_eq!(list.status, 200);
    for part in [
        "href=\"/console/hillside/\"",
        "You’re an organizer.",
        "href=\"/console/starter/\"",
        "You’re an owner.",
    ] {
        assert!(list.text.contains(part), "{part}: {}", list.text);
    }
    for (slug, status) in [("hillside", 200), ("starter", 200), ("riverside", 404)] {
        assert_eq!(ada.get(&format!("/console/{slug}/")).await.status, status, "{slug}");
    }
    assert_eq!(ada.get("/console/hillside/settings").await.status, 403, "an organizer here, an owner there");
}
