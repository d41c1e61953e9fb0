//! Sign-ups in the API: three lists, and one sign-up by its id.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::Server;
use crate::pages::{Page, published};
use crate::scene::Scene;

/// Returns the paths of the list of the organization, of the event, and of the slot "Early".
fn lists(scene: &Scene) -> [String; 3] {
    ["/v1/signups".to_owned(), scene.event_path("/signups"), scene.slot_path("Early", "/signups")]
}

fn ids(page: &Value) -> Vec<String> {
    let found = page["data"].as_array().unwrap().iter();
    found.map(|signup| signup["id"].as_str().unwrap().to_owned()).collect()
}

/// Walks forward from `path` and returns all pages.
async fn walk(server: &Server, path: &str) -> Vec<Value> {
    let (mut pages, mut path) = (vec![], path.to_owned());
    loop {
        let page = server.get(&path).await;
        assert_eq!(page.status, 200, "{}", page.text);
        let page = page.json();
        let next =
            page["links"]["next"].as_str().map(|url| url.strip_prefix(&server.url).unwrap().to_owned());
        pages.push(page);
        match next {
            Some(next) => path = next,
            None => return pages,
        }
    }
}

#[tokio::test]
async fn a_sign_up_is_in_three_lists_and_is_read_by_its_id() {
    let scene = Scene::start().await;
    let questions = scene.event_path("/questions");
    let size = json!({"label": "Size", "type": "select", "options": ["S", "M"]});
    let size = scene.server.post(&questions, &size).await.data()["id"].as_str().unwrap().to_owned();
    let signup = scene.sign_up_with("Early", "Ada@Example.org", &[(size.clone(), "M")]).await;
    let created_at = signup["created_at"].as_str().unwrap();
    assert!(created_at.ends_with("+00:00") && created_at.len() == "2027-06-05T00:00:00+00:00".len());
    let early = &scene.page.event["slots"][0];
    let expected = json!({
        "id": signup["id"], "event_id": scene.page.event["id"], "slot_id": scene.page.slot("Early"),
        "slot_title": "Early", "slot_start_time": early["start_time"], "slot_local_date": early["local_date"],
        "slot_local_start_time": "09:00", "name": "Ada", "email": "Ada@Example.org", "status": "confirmed",
        "answers": [{"question_id": size, "label": "Size", "value": "M"}],
        "created_at": created_at, "updated_at": created_at, "cancelled_at": null, "cancelled_by": null,
    });
    assert_eq!(signup, expected);
    for list in lists(&scene) {
        assert_eq!(scene.server.get(&list).await.data(), json!([expected]), "{list}");
    }
    let late = scene.server.get(&scene.slot_path("Late", "/signups")).await;
    assert_eq!((late.status, late.data()), (200, json!([])));
    let found = scene.server.get(&format!("/v1/signups/{}", signup["id"].as_str().unwrap())).await;
    assert_eq!((found.status, found.json()), (200, json!({"data": expected})));
}

#[tokio::test]
async fn each_list_is_newest_first_and_is_walked_forward_and_back() {
    let mut body = published();
    body["shifts"][1]["capacity"] = json!(20);
    let scene = Scene::start_with(&body).await;
    for number in 0..7 {
        scene.sign_up("Early", &format!("v{number}@example.org")).await;
    }
    for list in lists(&scene) {
        let pages = walk(&scene.server, &format!("{list}?per_page=3")).await;
        let lengths: Vec<_> = pages.iter().map(|page| ids(page).len()).collect();
        assert_eq!(lengths, [3, 3, 1], "{list}");
        let all: Vec<_> = pages.iter().flat_map(|page| page["data"].as_array().unwrap()).collect();
        let keys = all.iter().map(|signup| (signup["created_at"].as_str(), signup["id"].as_str()));
        assert!(keys.is_sorted_by(|a, b| a > b), "created_at descending, then id descending: {all:?}");
        assert!(pages[0]["meta"]["prev_cursor"].is_null() && pages[2]["meta"]["next_cursor"].is_null());
        for page in &pages {
            assert_eq!(page["meta"]["path"], format!("{}{list}", scene.server.url));
            assert_eq!(page["meta"]["per_page"], 3);
            assert!(page["links"]["first"].is_null() && page["links"]["last"].is_null());
        }
        for pair in pages.windows(2) {
            let prev = pair[1]["links"]["prev"].as_str().unwrap().strip_prefix(&scene.server.url).unwrap();
            assert_eq!(ids(&scene.server.get(prev).await.json()), ids(&pair[0]));
        }
    }
}

#[tokio::test]
async fn the_faults_of_a_query_are_named_before_the_record_is_looked_up() {
    let server = Server::start(&[]);
    let unknown = "01a1fc0c-06a8-79da-abb2-b84ac8892247";
    for (list, status) in [
        ("/v1/signups".to_owned(), 200),
        (format!("/v1/events/{unknown}/signups"), 404),
        (format!("/v1/slots/{unknown}/signups"), 404),
        ("/v1/events/x/signups".to_owned(), 404),
        ("/v1/signups?event_id=&slot_id=".to_owned(), 200),
        (format!("/v1/signups?event_id={unknown}"), 404),
        (format!("/v1/signups?slot_id={unknown}"), 404),
        ("/v1/signups?event_id=x".to_owned(), 404),
        ("/v1/signups?slot_id=x".to_owned(), 404),
    ] {
        let answer = server.get(&list).await;
        assert_eq!(answer.status, status, "{list}");
        let mark = if list.contains('?') { '&' } else { '?' };
        let all = server.get(&format!("{list}{mark}cursor=x&per_page=0&email=x&status=x")).await;
        assert_eq!(all.fields(), ["status", "email", "per_page", "cursor"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn links_keep_the_page_length_and_the_filters() {
    let scene = Scene::start().await;
    scene.sign_up("Early", "a+b@example.org").await;
    scene.sign_up("Early", "other@example.org").await;
    scene.sign_up("Late", "A+B@example.org").await;
    scene.sign_up("Late", "another@example.org").await;
    let pages = walk(&scene.server, "/v1/signups?per_page=1&email=a%2Bb@example.org&status=confirmed").await;
    assert_eq!(pages.len(), 2);
    for link in [&pages[0]["links"]["next"], &pages[1]["links"]["prev"]] {
        let url: reqwest::Url = link.as_str().unwrap().parse().unwrap();
        let query: BTreeSet<(String, String)> = url.query_pairs().into_owned().collect();
        for pair in [("per_page", "1"), ("email", "a+b@example.org"), ("status", "confirmed")] {
            assert!(query.contains(&(pair.0.to_owned(), pair.1.to_owned())), "{pair:?} in {url}");
        }
        assert_eq!(query.len(), 4, "{url}");
    }
    let emails: Vec<_> = pages.iter().map(|page| page["data"][0]["email"].as_str().unwrap()).collect();
    assert_eq!(
        emails.iter().collect::<BTreeSet<_>>(),
        BTreeSet::from([&"a+b@example.org", &"A+B@example.org"])
    );
}

#[tokio::test]
async fn the_list_of_the_organization_takes_an_event_and_a_slot_as_filters() {
    let scene = Scene::start().await;
    for (slot, email) in [("Early", "a@example.org"), ("Early", "b@example.org"), ("Late", "c@example.org")] {
        scene.sign_up(slot, email).await;
    }
    let (event, slot) = (scene.page.event["id"].as_str().unwrap(), scene.page.slot("Early"));
    for (filter, length) in [
        (format!("event_id={event}"), 3),
        (format!("slot_id={slot}"), 2),
        (format!("event_id={event}&slot_id={slot}"), 2),
    ] {
        let pages = walk(&scene.server, &format!("/v1/signups?per_page=1&{filter}")).await;
        assert_eq!(pages.len(), length, "each link keeps the filter: {filter}");
        assert_eq!(pages[0]["meta"]["path"], format!("{}/v1/signups", scene.server.url));
    }
    for of in [scene.event_path("/signups"), scene.slot_path("Early", "/signups")] {
        let answer = scene.server.get(&format!("{of}?event_id={event}&slot_id={slot}")).await;
        assert_eq!(answer.fields(), ["event_id", "slot_id"], "the path names the record");
    }
}

#[tokio::test]
async fn the_api_neither_adds_nor_changes_a_sign_up() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    let signup = server.get("/v1/signups").await.data()[0].clone();
    for path in [
        "/v1/signups".to_owned(),
        format!("/v1/events/{}/signups", page.event["id"].as_str().unwrap()),
        format!("/v1/slots/{}/signups", page.slot("Early")),
        format!("/v1/signups/{}", signup["id"].as_str().unwrap()),
    ] {
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            let answer = server.send(method, &path, Some(&json!({"status": "cancelled"}))).await;
            assert_eq!(
                (answer.status, answer.header("allow")),
                (405, Some("GET, HEAD, OPTIONS")),
                "{method} {path}"
            );
        }
    }
    let path = format!("/v1/signups/{}/cancel", signup["id"].as_str().unwrap());
    assert_eq!(server.post(&path, &json!({})).await.status, 404);
    assert_eq!(server.get("/v1/signups").await.data(), json!([signup]));
}
