//! The forms of the console: where each is sent, the names of its fields, and the words of its buttons.

use std::collections::BTreeSet;

use crate::console::Organizer;
use crate::console_events::{Fields, ROOT, mistakes};
use crate::console_roles::{Records, pages};
use crate::contract::DOCUMENT;
use crate::harness::{Answer, Server, event};
use crate::lives::id;

/// Returns the main part of a page.
fn main_of(page: &Answer) -> &str {
    page.text.split_once("<main").unwrap().1
}

/// Returns what stands between each `start` and the next `end`.
fn between<'a>(text: &'a str, start: &str, end: char) -> BTreeSet<&'a str> {
    text.split(start).skip(1).filter_map(|rest| rest.split(end).next()).collect()
}

/// Returns the words of the buttons, without the words that only screen readers say.
fn buttons(page: &Answer) -> BTreeSet<&str> {
    main_of(page).split("<button").skip(1).map(|rest| rest.split(['>', '<']).nth(1).unwrap()).collect()
}

#[tokio::test]
async fn the_form_of_an_event_has_the_fields_of_the_api_that_a_person_fills_in() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let page = ada.get(&format!("{ROOT}/events/new")).await;
    let properties = |schema: &str| -> BTreeSet<_> {
        let properties = DOCUMENT["components"]["schemas"][schema]["properties"].as_object().unwrap();
        properties.keys().map(String::as_str).collect()
    };
    let mut expected: BTreeSet<_> =
        properties("CreateEvent").into_iter().filter(|name| *name != "shifts").collect();
    for for_programs in ["location_data", "location_lat", "location_lng", "external_id"] {
        assert!(expected.remove(for_programs), "{for_programs}");
    }
    let names = between(main_of(&page), " name=\"", '"');
    let (rows, mut names): (BTreeSet<_>, BTreeSet<_>) =
        names.into_iter().partition(|name| name.starts_with("shifts."));
    assert!(names.remove("idempotency_key") && names.remove("action"));
    assert_eq!(names, expected);
    let row: BTreeSet<_> = rows.iter().filter_map(|name| name.strip_prefix("shifts.0.")).collect();
    let mut expected = properties("CreateSlot");
    assert!(expected.remove("external_id") && expected.insert("each_minutes"));
    assert_eq!(row, expected);
}

#[tokio::test]
async fn more_rows_are_added_up_to_forty_and_keep_what_was_typed() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let event = server.create(&event()).await;
    for path in [format!("{ROOT}/events/new"), format!("{ROOT}/events/{}/shifts/new", id(&event))] {
        let mut page = ada.get(&path).await;
        let mut numbers = vec![];
        while buttons(&page).contains("More rows") {
            numbers.push(rows(&page));
            let last = format!("shifts.{}.title", rows(&page) - 1);
            let form = Fields::of(&page).with(&last, "Till").with("action", "more_rows");
            page = form.post(&ada, &path).await;
            assert_eq!(page.status, 200, "{}", page.text);
        }
        numbers.push(rows(&page));
        assert_eq!(numbers, [3, 10, 20, 30, 40], "{path}");
        for row in [2, 9, 19, 29] {
            let title = format!("name=\"shifts.{row}.title\" value=\"Till\"");
            assert!(page.text.contains(&title), "{path}: {row}");
        }
        assert_eq!(mistakes(&page), []);
    }
    assert_eq!(server.count_events().await, 1);
}

#[tokio::test]
async fn a_changed_first_day_shows_the_new_days_of_the_shifts_before_it_creates_an_event() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let path = format!("{ROOT}/events/new");
    let mut form = Fields::of(&ada.get(&path).await).with("action", "more_rows");
    for (name, value) in
        [("title", "Gala"), ("timezone", "UTC"), ("start_date", "2099-06-05"), ("end_date", "2099-06-07")]
    {
        form = form.with(name, value);
    }
    let page = form.post(&ada, &path).await;
    let form = Fields::of(&page).with("shifts.0.title", "Till").with("shifts.0.capacity", "2");
    let form = form.with("shifts.0.day", "2").with("start_date", "2099-06-04").without("action");
    let page = form.post(&ada, &path).await;
    assert_eq!((page.status, server.count_events().await), (422, 0));
    assert!(page.text.contains(r#"<option value="2" selected>Day 2, Fri 5 Jun<"#), "{}", page.text);
    let created = Fields::of(&page).without("action").post(&ada, &path).await;
    assert_eq!((created.status, server.count_events().await), (303, 1), "{}", created.text);
}

fn rows(page: &Answer) -> usize {
    page.text.matches("<tr class=\"line\">").count()
}

/// What is typed into other fields would stand in the address of the page that follows, and so in the history of the browser.
#[tokio::test]
async fn only_filters_are_sent_by_get() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let records = Records::create(&server).await;
    let mut filters = BTreeSet::new();
    for page in pages("GET") {
        let shown = ada.get(&records.path(&page)).await;
        if shown.header("content-type") == Some("text/html; charset=utf-8") {
            let forms =
                main_of(&shown).split("<form ").skip(1).map(|form| form.split_once("</form>").unwrap().0);
            let gets = forms.filter(|form| !form.split_once('>').unwrap().0.contains("method=\"post\""));
            filters.extend(gets.flat_map(|form| between(form, " name=\"", '"')).map(str::to_owned));
        }
    }
    assert_eq!(filters, ["q", "slot_id", "status", "type"].map(str::to_owned).into());
}

/// Names of fields with their values.
type Values<'a> = &'a [(&'a str, &'a str)];

#[tokio::test]
async fn a_refused_form_has_each_fault_at_the_top_and_beside_its_field_and_keeps_what_was_typed() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let records = Records::create(&server).await;
    let events = server.count_events().await;
    let long = "x".repeat(5001);
    // A page, its valid fields, and the faulty ones.
    #[rustfmt::skip]
    let forms: [(&str, Values<'_>, Values<'_>); 18] = [
        ("/events/new", &[("location", "Hall")], &[("title", ""), ("start_date", "soon"), ("timezone", "Mars")]),
        ("/events/new", &[], &[("shifts.0.title", ""), ("shifts.0.capacity", "-1"), ("shifts.0.end_time", "x")]),
        ("/events/{id}/edit", &[("location", "Hall")], &[("title", ""), ("start_date", "soon")]),
        ("/events/{id}/duplicate", &[("title", "Copy")], &[("start_date", "2027-02-30")]),
        ("/events/{id}/cancel", &[], &[("reason", &long)]),
        ("/events/{id}/shifts/new", &[("shifts.0.title", "Till")], &[("shifts.0.capacity", "two")]),
        ("/events/{id}/questions/new", &[("type", "text")], &[("label", "")]),
        ("/events/{id}/message", &[("subject", "Gloves")], &[("text", &long)]),
        ("/shifts/{id}/edit", &[("location", "Dock 5")], &[("title", ""), ("capacity", "-1")]),
        ("/questions/{id}/edit", &[("type", "text")], &[("label", "")]),
        ("/signups/{id}/cancel", &[], &[("reason", &long)]),
        ("/signups/{id}/move", &[], &[("slot_id", "")]),
        ("/signups/{id}/correct", &[], &[("name", ""), ("email", "ada")]),
        ("/settings", &[("sport", "Rowing")], &[("name", ""), ("contact", "ada"), ("privacy_url", "x"), ("public_url", "x")]),
        ("/settings/members", &[("action", "invite")], &[("email", "ada"), ("name", ""), ("role", "boss")]),
        ("/settings/tokens", &[("action", "create")], &[("name", ""), ("scopes", "all"), ("expires_in_days", "0")]),
        ("/settings/webhooks", &[("action", "create")], &[("url", "ftp://x.example/"), ("types", "x")]),
        ("/settings/people", &[("action", "find")], &[("email", "ada")]),
    ];
    for (page, valid, faulty) in forms {
        let path = records.path(page);
        let loaded = Fields::of(&ada.get(&path).await);
        let is_list = page.starts_with("/settings/");
        let form = if is_list { Fields(vec![]) } else { loaded };
        let form = [valid, faulty].concat().iter().fold(form, |form, (name, value)| form.with(name, value));
        let refused = form.post(&ada, &path).await;
        assert_eq!(refused.status, 422, "{page}");
        assert!(refused.text.contains("<title>Error: "), "{page}: {}", refused.text);
        let found = mistakes(&refused);
        let ids: BTreeSet<_> = found.iter().map(|(id, _)| (*id).to_owned()).collect();
        let names = faulty.iter().map(|(name, _)| name.replace('.', "-"));
        assert!(ids.is_superset(&names.collect()), "{page}: {found:?}");
        for (id, sentence) in found {
            assert!(main_of(&refused).contains(&format!(" id=\"{id}\"")), "{page}: {id}");
            let (_, beside) = refused
                .text
                .split_once(&format!(" id=\"{id}-mistake\">"))
                .unwrap_or_else(|| panic!("{page}: {id}: {}", refused.text));
            // Only the summary names the row.
            let of_row = sentence.strip_prefix("Shift 1: ").filter(|_| id.starts_with("shifts-0-"));
            let sentence = of_row.unwrap_or(sentence);
            assert!(beside.split("</p>").next().unwrap().ends_with(sentence), "{page}: {id}: {sentence}");
        }
        let kept = Fields::of(&refused);
        for (name, value) in [valid, faulty]
            .concat()
            .iter()
            .filter(|(name, _)| !["action", "timezone", "role", "scopes", "types"].contains(name))
        {
            assert_eq!(kept.get(name), *value, "{page}: {name}");
        }
    }
    assert_eq!(server.count_events().await, events);
}
