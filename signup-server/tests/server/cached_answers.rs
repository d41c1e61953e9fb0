//! Answers from the read cache of the SQLite store: a repeated answer is equal and shows every acknowledged change.

use serde_json::{Value, json};

use crate::harness::{Server, event};
use crate::pages::{Page, published};

/// Sends the request twice and checks that the answers are equal. The second answer may come from the cache.
async fn twice(server: &Server, path: &str) -> Value {
    let (first, second) = (server.get(path).await, server.get(path).await);
    assert_eq!((first.status, &first.text), (200, &second.text), "{path}");
    second.json()
}

fn ids(page: &Value) -> Vec<&str> {
    page["data"].as_array().unwrap().iter().map(|event| text(&event["id"])).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[tokio::test]
async fn a_cached_answer_shows_every_acknowledged_change() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    let slot = page.slot("Early");
    let slots = format!("/v1/events/{}/slots", text(&page.event["id"]));
    let of_the_slot = async |field: &str| {
        let slots = twice(&server, &slots).await;
        slots["data"].as_array().unwrap().iter().find(|found| found["id"] == slot).unwrap()[field].clone()
    };
    let mut drafts = vec![];
    for number in 1..=20_u32 {
        let capacity = 100 + number;
        server.patch(&format!("/v1/slots/{slot}"), &json!({"capacity": capacity})).await;
        assert_eq!(of_the_slot("capacity").await, capacity);
        page.sign_up(&server, &slot, "Ada", &format!("{number}@example.org")).await;
        assert_eq!(of_the_slot("filled").await, number);

        let id = server.create(&event()).await["id"].clone();
        drafts.insert(0, text(&id).to_owned());
        assert_eq!(ids(&twice(&server, "/v1/events?is_published=false").await), drafts);
        assert_eq!(ids(&twice(&server, "/v1/events?is_published=true").await), [text(&page.event["id"])]);
        let first = twice(&server, "/v1/events?is_published=false&per_page=1").await;
        assert_eq!(ids(&first), [text(&id)]);
        assert_eq!(first["meta"]["next_cursor"].is_null(), number == 1);
        let all = twice(&server, "/v1/events?per_page=100").await;
        assert_eq!(ids(&all).len(), drafts.len() + 1);
    }
}

/// The events of the page stay the same, but `next_cursor` and `prev_cursor` change when neighbouring pages appear.
#[tokio::test]
async fn a_cached_page_shows_new_neighbouring_pages() {
    let server = Server::start_on_sqlite();
    let create = async |date: &str| {
        let mut event = event();
        event["start_date"] = json!(date);
        text(&server.create(&event).await["id"]).to_owned()
    };
    let at = |cursor: &Value| format!("/v1/events?per_page=1&cursor={}", text(cursor));
    let middle = create("2027-06-05").await;
    let top = twice(&server, "/v1/events?per_page=1").await;
    assert_eq!((ids(&top), &top["meta"]["next_cursor"]), (vec![&*middle], &Value::Null));
    create("2027-06-04").await;
    let top = twice(&server, "/v1/events?per_page=1").await;
    assert_eq!(ids(&top), [&*middle]);
    let below = twice(&server, &at(&top["meta"]["next_cursor"])).await;
    let back = at(&below["meta"]["prev_cursor"]);
    let page = twice(&server, &back).await;
    assert_eq!((ids(&page), &page["meta"]["prev_cursor"]), (vec![&*middle], &Value::Null));
    create("2027-06-06").await;
    let page = twice(&server, &back).await;
    assert_eq!(ids(&page), [&*middle]);
    assert!(page["meta"]["prev_cursor"].is_string(), "{page}");
}

/// Two organizations request the same paths and get different answers.
#[tokio::test]
async fn a_cached_answer_belongs_to_one_organization() {
    let server = Server::start_on_sqlite();
    server.manage(&["organization", "create", "--name", "Other", "--plan", "pro"]);
    let token = server.manage(&["token", "create", "--organization", "other", "--name", "t"]);
    let other = |path: &'static str| {
        let request = reqwest::Client::new().get(format!("{}{path}", server.url));
        server.answer(request.bearer_auth(text(&token["token"])))
    };
    let event = server.create(&event()).await;
    assert_eq!(ids(&twice(&server, "/v1/events").await), [text(&event["id"])]);
    assert_eq!(other("/v1/events").await.data(), json!([]));
    let slots = format!("/v1/events/{}/slots", text(&event["id"]));
    twice(&server, &slots).await;
    assert_eq!(other(slots.leak()).await.status, 404);
}
