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

/// Each change follows two reads of the same answers, so the cache holds them.
#[tokio::test]
async fn a_cached_answer_shows_each_change_of_an_event_and_its_records() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    let event = format!("/v1/events/{}", text(&page.event["id"]));
    let (slot, late) = (page.slot("Early"), format!("/v1/slots/{}", page.slot("Late")));
    let signups = format!("/v1/slots/{slot}/signups");
    let of = |part: &str| format!("{event}{part}");
    let read = async || {
        let length = |page: &Value| page["data"].as_array().unwrap().len();
        let shown = [page.get(&server).await.text, page.get(&server).await.text];
        assert_eq!(shown[0], shown[1]);
        let (one, list) = (twice(&server, &event).await, twice(&server, "/v1/events").await);
        assert_eq!(one["data"]["title"], list["data"][0]["title"]);
        let coverage = twice(&server, &of("/coverage")).await;
        let counts = json!({
            "slots in the event": one["data"]["slots"].as_array().unwrap().len(),
            "slots": length(&twice(&server, &of("/slots")).await),
            "slots in the coverage": coverage["data"]["slots"].as_array().unwrap().len(),
            "questions": length(&twice(&server, &of("/questions")).await),
            "sign-ups of the event": length(&twice(&server, &of("/signups")).await),
            "sign-ups of the slot": length(&twice(&server, &signups).await),
            "confirmed sign-ups": length(&twice(&server, "/v1/signups?status=confirmed").await),
        });
        (counts, one["data"].clone(), shown[0].clone())
    };
    let counts_of = |slots: usize, questions: usize, signups: usize, confirmed: usize| {
        json!({
            "slots in the event": slots,
            "slots": slots,
            "slots in the coverage": slots,
            "questions": questions,
            "sign-ups of the event": signups,
            "sign-ups of the slot": signups,
            "confirmed sign-ups": confirmed,
        })
    };
    assert_eq!(read().await.0, counts_of(2, 0, 0, 0));
    for (action, is_published, status) in [("/unpublish", false, 404), ("/publish", true, 200)] {
        assert_eq!(server.post(&of(action), &json!({})).await.status, 200);
        assert_eq!(read().await.1["is_published"], is_published);
        assert_eq!(page.get(&server).await.status, status, "{action}");
    }
    page.sign_up(&server, &slot, "Ada", "ada@example.org").await;
    assert_eq!(read().await.0, counts_of(2, 0, 1, 1));
    let noon = json!({"shifts": [{"title": "Noon", "capacity": 1}]});
    assert_eq!(server.post(&of("/slots"), &noon).await.status, 201);
    let (counts, _, shown) = read().await;
    assert_eq!((counts, shown.contains("Noon")), (counts_of(3, 0, 1, 1), true));
    assert_eq!(server.post(&of("/questions"), &json!({"label": "Diet?"})).await.status, 201);
    let (counts, _, shown) = read().await;
    assert_eq!((counts, shown.contains("Diet?")), (counts_of(3, 1, 1, 1), true));
    assert_eq!(server.send("DELETE", &late, None).await.status, 200);
    let (counts, _, shown) = read().await;
    assert_eq!((counts, shown.contains("Late")), (counts_of(2, 1, 1, 1), false));
    assert_eq!(server.patch(&event, &json!({"title": "Picnic"})).await.status, 200);
    let (_, one, shown) = read().await;
    assert_eq!((text(&one["title"]), shown.contains("Picnic")), ("Picnic", true));
    assert_eq!(server.post(&of("/cancel"), &json!({"reason": "Storm"})).await.status, 200);
    let (counts, one, shown) = read().await;
    assert_eq!((counts, shown.contains("Storm")), (counts_of(2, 1, 1, 0), true));
    assert_eq!(one["cancellation_reason"], "Storm");
    assert_eq!(server.send("DELETE", &event, None).await.status, 200);
    for gone in [event.clone(), of("/slots"), of("/coverage"), of("/questions"), of("/signups"), signups] {
        assert_eq!(server.get(&gone).await.status, 404, "{gone}");
    }
    assert_eq!(page.get(&server).await.status, 404);
    assert_eq!(twice(&server, "/v1/events").await["data"], json!([]));
    assert_eq!(twice(&server, "/v1/signups").await["data"], json!([]));
}
