//! The page of one event in the console: its state, what can be done with it, and its coverage.

use serde_json::json;

use crate::console::Organizer;
use crate::console_events::ROOT;
use crate::coverage::{event_of_today, fill};
use crate::harness::{Answer, Server, event};
use crate::lives::{id, path};
use crate::pages::{Page, published};
use crate::scene::Scene;

/// Returns the words of the links and the buttons above the shifts.
fn actions(page: &Answer) -> Vec<&str> {
    let (_, rest) = page.text.split_once("<div class=\"actions\">").unwrap();
    let (actions, _) = rest.split_once("</div>").unwrap();
    let ends = actions.split_inclusive(['<']).filter_map(|part| part.strip_suffix('<')?.rsplit('>').next());
    ends.filter(|words| !words.trim().is_empty()).collect()
}

#[tokio::test]
async fn the_state_of_an_event_is_a_word_and_decides_what_can_be_done() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let over = |is_published: bool| {
        let mut over = event();
        over["start_date"] = json!("2026-01-03");
        over["is_published"] = json!(is_published);
        over
    };
    for (body, is_cancelled, state, expected) in [
        (
            event(),
            false,
            "Draft",
            "Publish, Edit, Sign-ups, Roster, Copy to another date, Cancel event, Delete",
        ),
        (
            published(),
            false,
            "Published",
            "Edit, Sign-ups, Roster, Write to volunteers, Copy to another date, Unpublish, Cancel event, Delete",
        ),
        (published(), true, "Cancelled", "Sign-ups, Roster, Copy to another date, Delete"),
        (event(), true, "Cancelled", "Sign-ups, Roster, Copy to another date, Delete"),
        (over(true), false, "Over", "Edit, Sign-ups, Roster, Copy to another date, Unpublish, Delete"),
        (over(false), false, "Draft", "Publish, Edit, Sign-ups, Roster, Copy to another date, Delete"),
    ] {
        let event = server.create(&body).await;
        if is_cancelled {
            assert_eq!(server.post(&format!("{}/cancel", path(&event)), &json!({})).await.status, 200);
        }
        let at = format!("{ROOT}/events/{}", id(&event));
        let page = ada.get(&at).await;
        let what = format!("{state}, {body}");
        assert!(page.text.contains(&format!("<p class=\"state\">{state}</p>")), "{what}: {}", page.text);
        assert_eq!(actions(&page).join(", "), expected, "{what}");
        for (word, action) in
            [("Edit", "edit"), ("Publish", "publish"), ("Unpublish", "unpublish"), ("Cancel event", "cancel")]
        {
            let is_offered = expected.split(", ").any(|found| found == word);
            let shown = ada.get(&format!("{at}/{action}")).await;
            let is_refused = is_cancelled || word == "Cancel event" && !is_offered;
            assert_eq!(shown.status, if is_refused { 409 } else { 200 }, "{word}: {what}");
            let why = if is_cancelled {
                "You can’t change a cancelled event."
            } else {
                "You can’t cancel it or write to its volunteers."
            };
            assert_eq!(shown.text.contains(why), is_refused, "{word}: {what}: {}", shown.text);
            let is_so =
                ["is already published</h1>", "is a draft</h1>"].map(|words| shown.text.contains(words));
            let is_done = !is_refused && !is_offered;
            let expected = [is_done && word == "Publish", is_done && word == "Unpublish"];
            assert_eq!(is_so, expected, "{word}: {what}: {}", shown.text);
        }
        let has_coming_shifts = !is_cancelled && body["start_date"] != "2026-01-03";
        for shown in [&page, &ada.get(&format!("{at}?order=time")).await] {
            assert_eq!(shown.text.contains("places left first"), has_coming_shifts, "{what}: {}", shown.text);
        }
        let url = event["public_url"].as_str().unwrap();
        assert!(
            page.text.contains(&format!("<span class=\"once\">{url}</span>")),
            "an address to copy: {what}"
        );
        let is_public = body["is_published"] == true;
        assert_eq!(
            page.text.contains(&format!("<a href=\"{url}\">Open the public page</a>")),
            is_public,
            "{what}"
        );
        assert_eq!(
            page.text.contains("This will be its address"),
            !is_public && !is_cancelled,
            "a cancelled draft is never public: {what}"
        );
        assert_eq!(page.text.contains(&format!("{at}/shifts/new")), !is_cancelled, "{what}");
        assert_eq!(page.text.contains(&format!("{at}/questions/new")), !is_cancelled, "{what}");
    }
}

#[tokio::test]
async fn shifts_with_places_left_come_first_or_all_by_time() {
    let scene = Scene::start_with(&event_of_today()).await;
    fill(&scene).await;
    let ada = Organizer::first_owner(&scene.server).await;
    let at = format!("{ROOT}/events/{}", id(&scene.page.event));
    let shifts = [
        ("Past", "Over, 1 of 3 filled"),
        ("Over-full", "2 of 1 filled, 1 too many"),
        ("Full", "Full, 1 of 1 filled"),
        ("Open", "4 of 5 still needed"),
    ];
    for (query, order) in [("", [3, 1, 2, 0]), ("?order=time", [0, 1, 2, 3])] {
        let page = ada.get(&format!("{at}{query}")).await;
        let places = order.map(|place| {
            let (title, words) = shifts[place];
            let title = page.text.find(&format!("<h3 dir=\"auto\">{title}</h3>")).unwrap();
            let row = &page.text[title..];
            assert!(
                row[..row.find("</li>").unwrap()].contains(&format!("<p>{words}</p>")),
                "{words}: {}",
                page.text
            );
            title
        });
        assert!(places.is_sorted(), "{query}: {places:?}");
        assert!(
            page.text
                .contains("4 of 7 still needed. 1 more volunteer than needed is signed up for a full shift"),
            "{}",
            page.text
        );
    }
}

#[tokio::test]
async fn a_shift_that_needs_more_people_to_run_comes_first() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let mut event = event();
    event["shifts"][0]["minimum"] = json!(2);
    let page = ada.get(&format!("{ROOT}/events/{}", id(&server.create(&event).await))).await.text;
    let [late, early, words] = ["\"auto\">Late</h3>", "\"auto\">Early</h3>", ">2 more needed to run</p>"]
        .map(|text| page.find(text).unwrap());
    assert!(late < words && words < early, "{page}");
}

#[tokio::test]
async fn an_event_whose_shifts_take_no_sign_up_has_shifts_to_come_and_no_places() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let mut event = published();
    event["shifts"] = json!([{"title": "Early", "capacity": 1}]);
    let page = Page::create(&server, &event).await;
    let (at, slot) = (format!("{ROOT}/events/{}", id(&page.event)), page.slot("Early"));
    for (signs_up, in_row, in_list) in [
        (false, "No sign-up for this shift", "No one can sign up."),
        (true, "No sign-up for this shift, 1 signed up", "1 person has signed up."),
    ] {
        let of_slot = format!("/v1/slots/{slot}");
        if signs_up {
            assert_eq!(server.patch(&of_slot, &json!({"capacity": 1})).await.status, 200);
            assert_eq!(page.sign_up(&server, &slot, "Bo", "bo@example.org").await.status, 303);
        }
        assert_eq!(server.patch(&of_slot, &json!({"capacity": 0})).await.status, 200);
        let home = ada.get(&format!("{ROOT}/")).await.text;
        assert!(home.contains("No sign-up for any shift") && !home.contains("No shifts to come"), "{home}");
        let in_roster = if signs_up { in_list } else { "No one has signed up for this shift." };
        for (path, words) in [("", in_row), ("/signups", in_list), ("/roster", in_roster)] {
            let shown = ada.get(&format!("{at}{path}")).await.text;
            assert!(shown.contains(&format!("<p>{words}</p>")), "{words}: {shown}");
        }
    }
}

#[tokio::test]
async fn times_have_the_abbreviation_of_the_zone_and_dates_are_in_words() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let event = server.create(&event()).await;
    let page = ada.get(&format!("{ROOT}/events/{}", id(&event))).await;
    for part in [
        "Saturday 5 June 2027 (New York time)",
        "<time datetime=\"2027-06-05T09:00:00-04:00\">09:00</time>–<time datetime=\"2027-06-05T12:30:00-04:00\">12:30</time></span> \
         <span class=\"zone\">EDT</span>",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
}

#[tokio::test]
async fn an_empty_state_says_what_to_do_next() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let mut bare = event();
    bare["shifts"] = json!([]);
    let draft = server.create(&bare).await;
    let at = format!("{ROOT}/events/{}", id(&draft));
    let link = |path: &str, words: &str| format!("<a href=\"{path}\">{words}</a>.");
    for (page, sentence) in [
        (
            format!("{ROOT}/"),
            "No published events to come. Publish a draft, or create a new event.".to_owned(),
        ),
        (
            at.clone(),
            format!(
                "No shifts yet. Volunteers sign up for shifts. {}",
                link(&format!("{at}/shifts/new"), "Add the first ones")
            ),
        ),
        (
            at.clone(),
            format!(
                "Volunteers are asked only for their name and email address. {}",
                link(&format!("{at}/questions/new"), "Add a question")
            ),
        ),
        (
            format!("{at}/signups"),
            "No one has signed up yet. Publish the event so that people can.".to_owned(),
        ),
        (
            format!("{at}/roster"),
            format!("This event has no shifts. <a href=\"{at}/shifts/new\">Add shifts</a>"),
        ),
        (format!("{ROOT}/settings/webhooks"), "No webhooks yet. Create the first one.".to_owned()),
        (
            format!("{ROOT}/settings/activity?type=message.*"),
            format!(
                "Nothing of this kind has happened yet. <a href=\"{ROOT}/settings/activity\">Show all activity</a>"
            ),
        ),
    ] {
        let shown = ada.get(&page).await;
        assert!(shown.text.contains(&sentence), "{page}: {sentence}: {}", shown.text);
    }
}
