//! The console's forms of an event and its shifts: what was typed is kept, and so is what others changed in between.

use serde_json::json;

use crate::console::Organizer;
use crate::harness::{Answer, Server, event};
use crate::mails::{SOON, with_mailbox};
use crate::pages::{Page, published};

/// The path of the pages of the organization.
pub(crate) const ROOT: &str = "/console/riverside";

/// The fields of the form in the main part of a page, with the values that a browser would send. Buttons are left out.
#[derive(Debug, Clone)]
pub(crate) struct Fields(pub(crate) Vec<(String, String)>);

impl Fields {
    pub(crate) fn of(page: &Answer) -> Self {
        Self::of_html(page.text.split_once("<main").unwrap().1)
    }

    /// Returns the fields of all forms in a part of a page.
    pub(crate) fn of_html(html: &str) -> Self {
        let mut fields = vec![];
        for tag in html.split("<input ").skip(1) {
            let (tag, _) = tag.split_once('>').unwrap();
            let is_box = ["checkbox", "radio"].contains(&attribute(tag, "type").unwrap());
            // Outside the quotation marks.
            let is_checked = tag.split('"').step_by(2).any(|part| part.contains(" checked"));
            if !is_box || is_checked {
                fields.push((attribute(tag, "name").unwrap(), attribute(tag, "value").unwrap_or("")));
            }
        }
        for tag in html.split("<textarea ").skip(1) {
            let (tag, rest) = tag.split_once(">\n").unwrap();
            fields.push((attribute(tag, "name").unwrap(), rest.split_once("</textarea>").unwrap().0));
        }
        for tag in html.split("<select ").skip(1) {
            let (tag, rest) = tag.split_once('>').unwrap();
            let (options, _) = rest.split_once("</select>").unwrap();
            let mut options = options.split("<option ").skip(1);
            let chosen = options.find(|option| option.contains(" selected"));
            let value = chosen.map_or("", |option| attribute(option, "value").unwrap());
            fields.push((attribute(tag, "name").unwrap(), value));
        }
        Self(fields.into_iter().map(|(name, value)| (name.to_owned(), decoded(value))).collect())
    }

    /// Types a value into a field.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.0.retain(|(found, _)| found != name);
        self.0.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(found, _)| found == name).map_or("", |(_, value)| value)
    }

    pub(crate) async fn post(&self, browser: &Organizer<'_>, path: &str) -> Answer {
        let fields: Vec<_> = self.0.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        browser.post(path, &fields).await
    }
}

/// Returns the text of a value. The templates write the special characters as numbers.
pub(crate) fn decoded(value: &str) -> String {
    let decode =
        |text: String, (number, character): (u32, &str)| text.replace(&format!("&#{number};"), character);
    [(60, "<"), (62, ">"), (34, "\""), (39, "'"), (38, "&")].into_iter().fold(value.to_owned(), decode)
}

/// Returns the value of an attribute, as it stands in the tag.
pub(crate) fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let start = format!("{name}=\"");
    let rest = tag.strip_prefix(&start).or_else(|| Some(tag.split_once(&format!(" {start}"))?.1))?;
    rest.split_once('"').map(|(value, _)| value)
}

/// Returns the fields that the summary of faults links to, each with its sentence.
pub(crate) fn mistakes(page: &Answer) -> Vec<(&str, &str)> {
    let links = page.text.split("<li><a href=\"#").skip(1);
    links.filter_map(|link| link.split_once("</a>")?.0.split_once("\">")).collect()
}

/// Returns the path that an answer redirects to.
pub(crate) fn location(answer: &Answer) -> &str {
    assert_eq!(answer.status, 303, "{}", answer.text);
    answer.header("location").unwrap()
}

pub(crate) async fn event_of(server: &Server, path: &str) -> serde_json::Value {
    let id = path.rsplit('/').next().unwrap();
    server.get(&format!("/v1/events/{id}")).await.data()
}

#[tokio::test]
async fn a_form_that_is_sent_twice_makes_one_event_with_a_shift_for_each_part_of_a_row() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let empty = ada.get(&format!("{ROOT}/")).await;
    assert!(empty.text.contains("No events yet."), "{}", empty.text);
    let new = format!("{ROOT}/events/new");
    let form = Fields::of(&ada.get(&new).await)
        .with("title", "Food drive")
        .with("start_date", "2027-06-05")
        .with("timezone", "America/New_York")
        .with("shifts.1.title", "Till")
        .with("shifts.1.start_time", "09:00")
        .with("shifts.1.end_time", "17:00")
        .with("shifts.1.each_minutes", "60")
        .with("shifts.1.capacity", "2");
    let created = form.post(&ada, &new).await;
    assert_eq!(location(&form.post(&ada, &new).await), location(&created));
    assert_eq!(server.count_events().await, 1);
    let made = event_of(&server, location(&created)).await;
    let slots = made["slots"].as_array().unwrap();
    assert_eq!(
        (slots.len(), &slots[7]["start_time"], &slots[7]["title"]),
        (8, &json!("2027-06-05T20:00:00+00:00"), &json!("Till"))
    );
    assert_eq!(made["is_published"], false);

    server.create(&json!({"title": "Later", "start_date": "2028-06-05", "timezone": "Europe/Berlin"})).await;
    server.create(&json!({"title": "Sooner", "start_date": "2026-12-31", "timezone": "Asia/Tokyo"})).await;
    let again = ada.get(&new).await;
    assert_eq!(
        Fields::of(&again).get("timezone"),
        "Asia/Tokyo",
        "the zone of the event that was created last"
    );
    let (regions, _) = again.text.split_once("Africa/Abidjan").unwrap();
    assert!(regions.contains("<optgroup label=\"Last used\">\n<option value=\"Asia/Tokyo\""), "{regions}");
}

#[tokio::test]
async fn the_first_page_lists_a_draft_after_the_upcoming_events() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    // More events with a later start than a page of events has.
    for _ in 0..51 {
        server
            .create(
                &json!({"title": "Run", "start_date": "2098-01-01", "timezone": "UTC", "is_published": true}),
            )
            .await;
    }
    let cancelled =
        server.create(&json!({"title": "Fair", "start_date": "2099-01-01", "timezone": "UTC"})).await;
    let path = format!("/v1/events/{}/cancel", cancelled["id"].as_str().unwrap());
    assert_eq!(server.send("POST", &path, None).await.status, 200);
    server.create(&json!({"title": "Gala", "start_date": "2097-01-01", "timezone": "UTC"})).await;
    let home = ada.get(&format!("{ROOT}/")).await.text;
    let places: Vec<_> =
        [">Run</a>", "More upcoming events", ">Gala</a>", ">Fair</a>"].map(|part| home.find(part)).into();
    assert!(places[0].is_some() && places.is_sorted(), "{places:?} in {home}");
}

#[tokio::test]
async fn a_faulty_form_names_each_field_and_keeps_what_was_typed() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let new = format!("{ROOT}/events/new");
    let form = Fields::of(&ada.get(&new).await)
        .with("title", "Food drive")
        .with("start_date", "2027-06-05")
        .with("end_date", "2027-06-04")
        .with("shifts.2.title", "Till")
        .with("shifts.2.start_time", "09:00")
        .with("shifts.2.end_time", "11:00")
        .with("shifts.2.each_minutes", "50");
    let more = form.clone().with("action", "more_rows").post(&ada, &new).await;
    assert_eq!(more.status, 200);
    let rows = Fields::of(&more);
    assert_eq!((rows.get("title"), rows.get("shifts.2.title")), ("Food drive", "Till"));
    assert!(more.text.contains("name=\"shifts.5.title\"") && !more.text.contains("name=\"shifts.6.title\""));

    let refused = form.post(&ada, &new).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("<title>Error: New event"));
    let named: Vec<_> = mistakes(&refused).into_iter().map(|(id, _)| id).collect();
    assert_eq!(named, ["end_date", "timezone", "shifts-0-capacity", "shifts-0-each_minutes"]);
    for id in named {
        assert!(refused.text.contains(&format!("id=\"{id}\"")), "{id}");
    }
    let kept = Fields::of(&refused);
    assert_eq!(
        (kept.get("title"), kept.get("shifts.0.title")),
        ("Food drive", "Till"),
        "empty rows are ignored"
    );
    assert_eq!(server.count_events().await, 0);
}

#[tokio::test]
async fn edits_of_different_fields_are_merged_and_edits_of_the_same_field_conflict() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let page = Page::create(&server, &event()).await;
    let id = page.event["id"].as_str().unwrap();
    let path = format!("{ROOT}/events/{id}");
    let edit = format!("{path}/edit");
    let loaded = Fields::of(&ada.get(&edit).await);
    let other = json!({"title": "Their title", "badge_label": "New"});
    assert_eq!(server.patch(&format!("/v1/events/{id}"), &other).await.status, 200);

    let form = loaded.with("location", "Hall B");
    assert_eq!(location(&form.post(&ada, &edit).await), path);
    let both = event_of(&server, &path).await;
    assert_eq!((&both["title"], &both["location"]), (&json!("Their title"), &json!("Hall B")));

    let conflict = form.with("title", "My title").post(&ada, &edit).await;
    assert_eq!(conflict.status, 409);
    assert!(conflict.text.contains("Their title") && conflict.text.contains("My title"));
    let again = Fields::of(&conflict);
    assert_eq!((again.get("title"), again.get("badge_label")), ("My title", "New"));
    assert_eq!(location(&again.post(&ada, &edit).await), path);
    assert_eq!(event_of(&server, &path).await["title"], "My title");

    assert_eq!(server.send("DELETE", &format!("/v1/events/{id}"), None).await.status, 200);
    let gone = again.post(&ada, &edit).await;
    assert_eq!(gone.status, 404);
    assert!(gone.text.contains("may have been deleted"), "{}", gone.text);
}

#[tokio::test]
async fn an_edit_that_mails_volunteers_asks_first_and_says_how_many() {
    let (server, mailbox) = with_mailbox("memory:");
    let ada = Organizer::first_owner(&server).await;
    let page = Page::create(&server, &published()).await;
    let early = page.slot("Early");
    assert_eq!(page.sign_up(&server, &early, "Bo", "bo@example.org").await.status, 303);
    mailbox.wait_for(1, SOON).await;
    let path = format!("{ROOT}/events/{}", page.event["id"].as_str().unwrap());
    let edit = format!("{ROOT}/shifts/{early}/edit");
    let form = Fields::of(&ada.get(&edit).await);

    let faulty = form.clone().with("location", "Dock 5").with("title", "").post(&ada, &edit).await;
    assert_eq!(mistakes(&faulty), [("title", "Enter a title")], "the faults come before the page that asks");
    let titled = form.clone().with("title", "Breakfast").post(&ada, &edit).await;
    assert_eq!(location(&titled), path, "a change of the title sends no mail");

    let asked = Fields::of(&ada.get(&edit).await).with("location", "Dock 5").post(&ada, &edit).await;
    assert_eq!(asked.status, 200);
    assert!(
        asked.text.contains("1 sign-up")
            && asked.text.contains("Email them (1 email)")
            && asked.text.contains("Now: <bdi>Dock 4</bdi><br>After the change: <bdi>Dock 5</bdi>")
            && asked.text.matches("After the change").count() == 1,
        "{}",
        asked.text
    );
    let confirm = Fields::of(&asked);
    assert_eq!((confirm.get("location"), confirm.get("notify_volunteers")), ("Dock 5", "yes"));
    assert_eq!(location(&confirm.post(&ada, &edit).await), path);
    let slots = server.get(&format!("/v1/slots/{early}")).await.data();
    assert_eq!((&slots["location"], &slots["title"]), (&json!("Dock 5"), &json!("Breakfast")));

    assert_eq!(page.sign_up(&server, &page.slot("Late"), "Bo", "bo@example.org").await.status, 303);
    let edit = format!("{path}/edit");
    let asked = Fields::of(&ada.get(&edit).await).with("location", "Hall B").post(&ada, &edit).await;
    assert!(
        asked.text.contains("Email them (2 emails, one for each sign-up)")
            && asked.text.contains("Now: <bdi>Empty</bdi><br>After the change: <bdi>Hall B</bdi>"),
        "{}",
        asked.text
    );
}

#[tokio::test]
async fn edits_of_a_shift_or_a_question_by_two_people_are_merged_or_conflict() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let page = Page::create(&server, &event()).await;
    let of_event = format!("/v1/events/{}", page.event["id"].as_str().unwrap());
    let question = server.post(&format!("{of_event}/questions"), &json!({"label": "Size"})).await.data();
    let (shift, question) = (page.slot("Early"), question["id"].as_str().unwrap());
    for (path, api, name, [other_name, other]) in [
        (format!("shifts/{shift}"), format!("/v1/slots/{shift}"), "title", ["location", "Dock 9"]),
        (format!("questions/{question}"), format!("/v1/questions/{question}"), "label", ["type", "checkbox"]),
    ] {
        let edit = format!("{ROOT}/{path}/edit");
        let loaded = Fields::of(&ada.get(&edit).await);
        assert_eq!(server.patch(&api, &json!({ name: "Theirs" })).await.status, 200);
        assert_eq!(loaded.clone().with(other_name, other).post(&ada, &edit).await.status, 303, "{path}");
        let stored = async || {
            format!(
                "{}{}",
                server.get(&format!("{of_event}/questions")).await.text,
                server.get(&of_event).await.text
            )
        };
        let both = stored().await;
        assert!(both.contains("\"Theirs\"") && both.contains(&format!("\"{other}\"")), "{both}");

        let conflict = loaded.with(name, "Mine").post(&ada, &edit).await;
        assert_eq!(conflict.status, 409, "{path}");
        for value in ["<td dir=\"auto\">Theirs</td>", "<td dir=\"auto\">Mine</td>"] {
            assert!(conflict.text.contains(value), "{path}: {}", conflict.text);
        }
        let again = Fields::of(&conflict);
        assert_eq!((again.get(name), again.get(other_name)), ("Mine", other));
        assert_eq!(again.post(&ada, &edit).await.status, 303, "{path}");
        assert!(stored().await.contains("\"Mine\""), "{path}");
        assert_eq!(server.send("DELETE", &api, None).await.status, 200);
        let gone = again.post(&ada, &edit).await;
        assert!(gone.status == 404 && gone.text.contains("may have been deleted"), "{path}: {}", gone.text);
    }
}

#[tokio::test]
async fn questions_are_shown_in_the_order_of_their_numbers() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let event = server.create(&event()).await;
    let path = format!("{ROOT}/events/{}", event["id"].as_str().unwrap());
    let new = format!("{path}/questions/new");
    for (label, position) in [("Size", "5"), ("Diet", ""), ("Phone", "0")] {
        let form = Fields::of(&ada.get(&new).await).with("label", label).with("position", position);
        assert_eq!(location(&form.post(&ada, &new).await), path);
    }
    let page = ada.get(&path).await;
    let places = ["Phone", "Size", "Diet"].map(|label| page.text.find(&format!(">{label}</h3>")).unwrap());
    assert!(places.is_sorted(), "{}", page.text);
}
