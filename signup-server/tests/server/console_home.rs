//! The first pages of the console: the organizations of a person, and the events of an organization.

use jiff::ToSpan as _;
use serde_json::{Value, json};
use signup_core::{Clock as _, SystemClock};

use crate::console::{ADA, Organizer};
use crate::console_events::{ROOT, location};
use crate::harness::{Answer, Server};
use crate::lives::{id, path};
use crate::mailbox::Mailbox;
use crate::pages::Page;

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

/// Returns the headings of the list, and the titles of the events with their notes, in the order of the page.
fn outline(page: &Answer) -> Vec<String> {
    let (_, main) = page.text.split_once("<main").unwrap();
    let tags = main.split("<h").skip(1).filter(|tag| tag.starts_with(['2', '3']));
    let words = |tag: &str| {
        let (tag, rest) = tag.split_once("</h").unwrap();
        let title =
            tag.rsplit_once("</a>").map_or(tag, |(link, _)| link).rsplit('>').next().unwrap().to_owned();
        let note = rest.split_once("<p class=\"note\">").and_then(|(_, note)| note.split_once("</p>"));
        let state = note.and_then(|(note, _)| note.split_once(" · "));
        if tag.starts_with('2') {
            title
        } else {
            state.map_or(title.clone(), |(_, word)| format!("{title} ({word})"))
        }
    };
    tags.map(words).collect()
}

/// Returns what stands between the title of an event and the next event.
fn row<'a>(page: &'a Answer, title: &str) -> &'a str {
    let (_, rest) = page.text.split_once(&format!(">{title}</a>")).unwrap();
    rest.split("</li>").next().unwrap()
}

#[tokio::test]
async fn events_that_need_volunteers_come_first_then_drafts_then_past_and_cancelled_ones() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let empty = ada.get(&format!("{ROOT}/")).await;
    assert!(
        empty
            .text
            .contains(&format!("No events yet. <a href=\"{ROOT}/events/new\">Create the first one</a>."))
    );

    server.create(&draft_in(5, "Later draft")).await;
    server.create(&event_in(-5, "Past", 3)).await;
    server.create(&event_in(10, "Far", 20)).await;
    let soon = Page::create(&server, &event_in(3, "Soon", 20)).await;
    let full = Page::create(&server, &event_in(2, "Full", 1)).await;
    server.create(&draft_in(4, "Next draft")).await;
    let cancelled = server.create(&event_in(6, "Cancelled", 3)).await;
    assert_eq!(server.post(&format!("{}/cancel", path(&cancelled)), &json!({})).await.status, 200);
    server.create(&draft_in(-9, "Past draft")).await;
    for (page, volunteers) in [(&soon, 15), (&full, 1)] {
        for number in 0..volunteers {
            let email = format!("v{number}@example.org");
            assert_eq!(page.sign_up(&server, &page.slot("All day"), "Bo", &email).await.status, 303);
        }
    }

    let home = ada.get(&format!("{ROOT}/")).await;
    let expected = [
        "Upcoming",
        "Full",
        "Soon",
        "Far",
        "Drafts",
        "Next draft",
        "Later draft",
        "Past and cancelled",
        "Cancelled (Cancelled)",
        "Past (Over)",
        "Past draft (Draft)",
    ];
    assert_eq!(outline(&home), expected, "{}", home.text);
    for (title, words, is_marked) in [
        ("Full", "The only place is filled", false),
        ("Soon", "5 of 20 still needed", true),
        ("Far", "20 of 20 still needed", false),
    ] {
        let row = row(&home, title);
        assert!(row.contains(&format!("<p>{words}</p>")), "{row}");
        assert_eq!(
            row.contains("<p class=\"soon\">5 volunteers needed within 7 days</p>"),
            is_marked,
            "{row}"
        );
        assert_eq!(row.contains("within 7 days"), is_marked, "{row}");
    }
    let bar = "role=\"meter\" aria-label=\"Places filled\" aria-valuemin=\"0\" aria-valuemax=\"20\" aria-valuenow=\"15\"";
    assert!(row(&home, "Soon").contains(bar), "{}", row(&home, "Soon"));
    let link = format!("<a href=\"{ROOT}/events/{}\">Soon</a>", id(&soon.event));
    assert!(home.text.contains(&link), "{}", home.text);
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
            let titles = outline(&page)
                .into_iter()
                .filter(|line| line.starts_with(kind) && line != "Past and cancelled");
            found.extend(titles);
            let Some((before, _)) = page.text.split_once(&format!("\">{more}</a>")) else { break };
            let next = before.rsplit('"').next().unwrap().replace("&#38;", "&");
            page = ada.get(&next).await;
        }
    }
    let coming = (0..60).map(|number| format!("Coming {number}"));
    let past = (0..110).map(|number| format!("Past {number} (Over)"));
    assert_eq!(found, coming.chain(past).collect::<Vec<_>>());
    for query in ["?cursor=x", "?upcoming=x"] {
        assert_eq!(ada.get(&format!("{ROOT}/{query}")).await.status, 422, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_console_leads_to_the_only_organization_or_lists_several() {
    let mailbox = Mailbox::start();
    let server = Server::start_on_sqlite().restart_with(&["--smtp", &mailbox.url()]);
    server.manage(&["organization", "create", "--name", "Hillside"]);
    let base_url = ["--base-url", server.url.as_str()];
    let invite = |organization: &str, role: &str| {
        let invite = [
            "person",
            "invite",
            "--organization",
            organization,
            "--email",
            ADA,
            "--name",
            "Ada",
            "--role",
            role,
        ];
        server.manage(&[&invite[..], &base_url].concat())["link"].as_str().unwrap().to_owned()
    };
    let ada = Organizer::new(&server);
    let starter = invite("starter", "owner");
    let joined = ada.post(starter.strip_prefix(&server.url).unwrap(), &[("name", "Ada Lovelace")]).await;
    assert_eq!(location(&joined), "/console/starter/");
    assert_eq!(location(&ada.get("/console").await), "/console/starter/");
    assert_eq!(location(&ada.get("/console/starter").await), "/console/starter/");
    assert_eq!(ada.get("/console/hillside/").await.status, 404);

    // A person who exists is not asked for a name.
    let hillside = invite("hillside", "organizer");
    let hillside = hillside.strip_prefix(&server.url).unwrap();
    let page = ada.get(hillside).await;
    assert!(page.status == 200 && !page.text.contains("name=\"name\""), "{}", page.text);
    assert_eq!(location(&ada.post(hillside, &[]).await), "/console/hillside/");
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
