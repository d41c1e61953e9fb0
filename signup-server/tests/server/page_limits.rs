//! The pages under hostile input, large bodies, many requests and many shifts.

use serde_json::json;

use crate::harness::Server;
use crate::lives::PROXY;
use crate::pages::{Page, assert_is_secured, published};

#[tokio::test]
async fn typed_text_is_escaped_and_a_script_url_is_no_link() {
    let server = Server::start(&[]);
    let evil = "\"><script>alert(1)</script><img src=x onerror=alert(1)>'";
    for location in
        ["javascript:alert(1)", " JaVaScRiPt:alert(1)", "data:text/html,<script>alert(1)</script>", evil]
    {
        let page = Page::create(&server, &json!({
            "title": evil, "description": evil, "location": location, "badge_label": evil, "is_virtual": true,
            "start_date": "2027-06-05", "timezone": "UTC", "is_published": true,
            "shifts": [{"title": evil, "description": evil, "location": location, "capacity": 3}],
        }))
        .await;
        let slot = page.event["slots"][0]["id"].as_str().unwrap().to_owned();
        let shown = page.get(&server).await;
        let refused = page.sign_up(&server, &slot, evil, evil).await;
        assert_eq!((shown.status, refused.status), (200, 422));
        for answer in [shown, refused] {
            for raw in ["<script", "<img", "href=\"javascript", "href=\" J", "href=\"data:text"] {
                assert!(!answer.text.contains(raw), "{raw} in {}", answer.text);
            }
            assert!(answer.text.contains("&#60;script&#62;alert(1)"), "the typed text is shown escaped");
        }
    }
}

#[tokio::test]
async fn a_body_that_is_no_form_or_too_large_is_refused_with_a_page() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    let path = format!("{}/signups", page.path);
    let post = |content_type: &str, body: String| {
        server.request("POST", &path).header("content-type", content_type).body(body)
    };
    let large = post("application/x-www-form-urlencoded", format!("name={}", "x".repeat(10 * 1024 * 1024)));
    assert_eq!(server.page_answer(large).await.status, 413);
    for other in ["application/json", "multipart/form-data; boundary=x", "text/plain"] {
        assert_eq!(server.page_answer(post(other, "name=Ada".to_owned())).await.status, 415, "{other}");
    }
    assert_eq!(server.page_answer(server.request("POST", &path)).await.status, 415);
    let hostile =
        post("application/x-www-form-urlencoded; charset=utf-8", "%ff%fe&=&&slot_id=%00&name".to_owned());
    assert_eq!(server.page_answer(hostile).await.status, 404);
}

/// An address may attempt 120 sign-ups a minute, successful or not. Other requests are not counted.
#[tokio::test]
async fn attempts_to_sign_up_are_limited_by_address() {
    let server = Server::start(&PROXY);
    let page = Page::create(&server, &published()).await;
    let path = format!("{}/signups", page.path);
    let slot = page.slot("Early");
    let attempt = async |address: &str| {
        let form = [("slot_id", slot.as_str()), ("name", "\"Ada\""), ("email", "ada@")];
        let request = server.request("POST", &path).header("x-forwarded-for", address).form(&form);
        server.page_answer(request).await
    };
    for number in 0..120 {
        assert_eq!(attempt("192.0.2.1").await.status, 422, "{number}");
    }
    let over = attempt("192.0.2.1").await;
    assert_eq!(over.status, 429);
    assert_is_secured(&over);
    let wait: u32 = over.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait));
    assert_eq!(attempt("192.0.2.2").await.status, 422, "another address");
    assert_eq!(page.get(&server).await.status, 200, "reading the page is not counted");
    assert_eq!(server.get_without_token("/v1/team").await.status, 401, "the API has a rate limit of its own");
}

#[tokio::test]
async fn every_form_counts_against_the_limit_whatever_its_answer_is() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    let mut past = published();
    past["start_date"] = json!("2020-06-06");
    let past = Page::create(&server, &past).await;
    let (early, over) = (page.slot("Early"), past.slot("Early"));
    let path = format!("{}/signups", page.path);
    let post = |content_type: &str, length: usize| {
        let request = server.request("POST", &path).header("content-type", content_type);
        server.page_answer(request.body("x".repeat(length)))
    };
    let form = [("slot_id", early.as_str()), ("name", "Ada"), ("email", "ada@example.org")];
    for _ in 0..20 {
        let statuses = [
            page.post(&server, &form).await.status,
            page.sign_up(&server, &early, "", "ada@").await.status,
            past.sign_up(&server, &over, "Ada", "ada@example.org").await.status,
            server.browse("POST", "/events/nothing/signups", Some(&form)).await.status,
            post("text/plain", 1).await.status,
            post("application/x-www-form-urlencoded", 1024 * 1024 + 1).await.status,
        ];
        assert_eq!(statuses, [303, 422, 409, 404, 415, 413]);
    }
    assert_eq!(page.post(&server, &form).await.status, 429);
}

/// Instead of the forms, a page that would become too long has a link for each shift.
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
    assert_eq!(shown.text.matches("<form").count(), 0);
    let slot = page.slot("S321");
    let link = format!("{}?slot_id={slot}", page.path);
    assert!(shown.text.contains(&format!("href=\"{link}#slot-{slot}\"")), "{link}");
    let one = server.browse("GET", &link, None).await;
    assert_eq!(one.text.matches("<form").count(), 1);
    assert!(one.text.contains(&format!("name=\"slot_id\" value=\"{slot}\"")));
}
