//! The pages under many requests and with many shifts.

use serde_json::json;

use crate::harness::Server;
use crate::lives::PROXY;
use crate::pages::{Page, assert_is_secured, published};

/// An address may send 120 forms a minute, whatever their answers are. Other requests are not counted.
#[tokio::test]
async fn the_forms_of_an_address_are_limited_whatever_their_answers_are() {
    let server = Server::start(&PROXY);
    let page = Page::create(&server, &published()).await;
    let mut past = published();
    past["start_date"] = json!("2020-06-06");
    let past = Page::create(&server, &past).await;
    let (early, over) = (page.slot("Early"), past.slot("Early"));
    let post = |path: &str, content_type: &str, body: String| {
        let request = server.request("POST", &format!("{path}/signups")).header("content-type", content_type);
        server.page_answer(request.header("x-forwarded-for", "192.0.2.1").body(body))
    };
    const FORM: &str = "application/x-www-form-urlencoded";
    let form = |slot: &str, name: &str| format!("slot_id={slot}&name={name}&email=ada@example.org");
    for _ in 0..15 {
        let statuses = [
            post(&page.path, FORM, form(&early, "Ada")).await.status,
            post(&page.path, FORM, form(&early, "Ada")).await.status,
            post(&page.path, FORM, form(&early, "")).await.status,
            post(&past.path, FORM, form(&over, "Ada")).await.status,
            post(
                &page.path,
                "application/x-www-form-urlencoded; charset=utf-8",
                "%ff%fe&=&&slot_id=%00&name".to_owned(),
            )
            .await
            .status,
            post("/events/nothing", FORM, form(&early, "Ada")).await.status,
            post(&page.path, "multipart/form-data; boundary=x", "x".to_owned()).await.status,
            post(&page.path, FORM, "x".repeat(1024 * 1024 + 1)).await.status,
        ];
        assert_eq!(statuses, [303, 303, 422, 409, 404, 404, 415, 413]);
    }
    let over = post(&page.path, FORM, form(&early, "Ada")).await;
    assert_eq!(over.status, 429);
    assert_is_secured(&over);
    let wait: u32 = over.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait));
    assert_eq!(page.sign_up(&server, &early, "", "").await.status, 422, "another address");
    let from_there =
        |method: &str, path: &str| server.request(method, path).header("x-forwarded-for", "192.0.2.1");
    let shown = server.page_answer(from_there("GET", &page.path)).await;
    assert_eq!(shown.status, 200, "reading the page is not counted");
    let api = server.answer(from_there("GET", "/v1/team")).await;
    assert_eq!(api.status, 401, "the API has a rate limit of its own");
}

/// A form counts once for each place that it asks for.
#[tokio::test]
async fn a_form_counts_its_people_times_its_shifts() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    let (early, late) = (page.slot("Early"), page.slot("Late"));
    let people: Vec<_> = (1..10).map(|row| format!("people.{row}.name")).collect();
    let names = people.iter().map(|field| (field.as_str(), field.as_str()));
    let mut family =
        vec![("slot_id", early.as_str()), ("slot_id", &late), ("email", "ada@example.org"), ("name", "Ada")];
    family.extend(names);
    for _ in 0..5 {
        assert_eq!(page.post(&server, &family).await.status, 409, "20 places");
    }
    let added = [&family[..], &[("add", "person")]].concat();
    assert_eq!(page.post(&server, &added).await.status, 200, "1 attempt");
    assert_eq!(page.post(&server, &family).await.status, 429);
    assert_eq!(page.filled(&server, "Early").await, 0);
}

/// A form stands on a page of its own, so that many shifts and questions make no long page.
#[tokio::test]
async fn a_page_of_very_many_shifts_stays_small() {
    let server = Server::start_on_sqlite();
    let shifts: Vec<_> =
        (0..500).map(|number| json!({"title": format!("S{number}"), "capacity": 5})).collect();
    let page = Page::create(&server, &json!({
        "title": "Season", "start_date": "2027-06-05", "timezone": "UTC", "is_published": true, "shifts": shifts,
    }))
    .await;
    let event = page.event["id"].as_str().unwrap();
    for number in 0..10 {
        server.manage(&["question", "add", "--event", event, "--label", &format!("Q{number}")]);
    }
    let shown = page.get(&server).await;
    assert!(shown.text.len() < 1024 * 1024, "{} bytes", shown.text.len());
    let slot = page.slot("S321");
    let link = format!("{}/signups?slot_id={slot}", page.path);
    assert!(shown.text.contains(&format!("href=\"{link}\"")), "{link}");
    let one = server.browse("GET", &link, None).await;
    assert_eq!(one.text.matches("<form").count(), 1);
    assert!(one.text.contains(&format!("name=\"slot_id\" value=\"{slot}\"")));
}
