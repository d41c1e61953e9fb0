//! The lists of the API: each is walked by its links, which keep every filter.

use serde_json::{Value, json};

use crate::harness::{Server, event};
use crate::lives::{id, path};
use crate::pages::{Page, published};
use crate::webhooks::{new_webhook, webhook_path};

/// Checks the `meta` and the links of a page of one record, whose request was `list` with `filters`.
fn check(server: &Server, page: &Value, list: &str, filters: &str) {
    assert_eq!(
        (&page["meta"]["path"], &page["meta"]["per_page"]),
        (&json!(format!("{}{list}", server.url)), &json!(1))
    );
    assert!(page["links"]["first"].is_null() && page["links"]["last"].is_null(), "{page}");
    let pairs = |url: &str| -> Vec<(String, String)> {
        let url: reqwest::Url = url.parse().unwrap();
        let mut pairs: Vec<_> = url.query_pairs().into_owned().filter(|(name, _)| name != "cursor").collect();
        pairs.sort();
        pairs
    };
    for (link, cursor) in [("prev", "prev_cursor"), ("next", "next_cursor")] {
        let link = page["links"][link].as_str();
        assert_eq!(link.is_some(), page["meta"][cursor].is_string(), "{page}");
        if let Some(link) = link {
            assert_eq!(pairs(link), pairs(&format!("{}{list}?per_page=1&{filters}", server.url)));
        }
    }
}

#[tokio::test]
async fn each_list_is_walked_in_both_directions_and_its_links_keep_every_filter() {
    let server = Server::start(&[]);
    let mut pages = vec![];
    for day in 5..8 {
        let mut event = published();
        event["start_date"] = json!(format!("2099-06-0{day}"));
        pages.push(Page::create(&server, &event).await);
    }
    let (event, early) = (id(&pages[0].event), pages[0].slot("Early"));
    for (page, email) in [
        (0, "a+b@example.org"),
        (1, "A+B@example.org"),
        (2, "a+b@example.org"),
        (0, "bo@example.org"),
        (0, "cy@example.org"),
    ] {
        let page: &Page = &pages[page];
        page.signed_up(&server, &page.slot("Early"), "Ada", email).await;
    }
    let webhook = new_webhook(&server).await;
    for _ in 0..3 {
        assert_eq!(server.post(&format!("{}/test", webhook_path(&webhook)), &json!({})).await.status, 201);
    }
    let of = |rest: &str| format!("{}{rest}", path(&pages[0].event));
    for (list, filters) in [
        (
            "/v1/events".to_owned(),
            "is_published=true&is_cancelled=false&from=2099-06-05&to=2099-06-07&order=soonest".to_owned(),
        ),
        ("/v1/coverage".to_owned(), "is_covered=false&from=2099-06-05&to=2099-06-07".to_owned()),
        ("/v1/activity".to_owned(), "type=event.*".to_owned()),
        ("/v1/signups".to_owned(), "status=confirmed&email=a%2Bb@example.org".to_owned()),
        ("/v1/signups".to_owned(), format!("event_id={event}&slot_id={early}")),
        ("/v1/volunteers".to_owned(), String::new()),
        (of("/signups"), "status=confirmed".to_owned()),
        (format!("/v1/slots/{early}/signups"), "status=confirmed".to_owned()),
        (format!("{}/deliveries", webhook_path(&webhook)), "state=pending".to_owned()),
    ] {
        let mut next = format!("{list}?per_page=1&{filters}");
        let mut walked = vec![];
        while !next.is_empty() {
            let answer = server.get(&next).await;
            assert_eq!(answer.status, 200, "{next}: {}", answer.text);
            let page = answer.json();
            check(&server, &page, &list, &filters);
            next = page["links"]["next"]
                .as_str()
                .unwrap_or(&server.url)
                .strip_prefix(&server.url)
                .unwrap()
                .to_owned();
            walked.push(page);
        }
        assert_eq!((walked.len(), walked[0]["links"]["prev"].is_null()), (3, true), "{list}");
        for pair in walked.windows(2) {
            let prev = pair[1]["links"]["prev"].as_str().unwrap().strip_prefix(&server.url).unwrap();
            assert_eq!(server.get(prev).await.json()["data"], pair[0]["data"], "{list}");
        }
        let newest = server.get(&format!("{list}?per_page=100&{filters}")).await.data();
        assert_eq!(newest, walked.iter().map(|page| page["data"][0].clone()).collect::<Value>(), "{list}");
    }
}

#[tokio::test]
async fn a_faulty_query_is_named_before_the_record_is_looked_up() {
    let server = Server::start(&[]);
    let unknown = crate::every_route::UNKNOWN;
    let mut text = String::new();
    for list in [
        "/v1/events?is_published=yes&is_cancelled=2&from=2027-02-29&to=x&order=x&per_page=0&cursor=x"
            .to_owned(),
        "/v1/events?from=2027-06-06&to=2027-06-05&limit=5&form".to_owned(),
        "/v1/coverage?from=x&to=x&is_covered=x&per_page=0&cursor=x".to_owned(),
        "/v1/activity?type=event.moved&per_page=0&cursor=x".to_owned(),
        format!("/v1/activity?event_id={unknown}"),
        format!("/v1/signups?event_id={unknown}&status=x&email=x&per_page=0&cursor=x"),
        format!("/v1/signups?event_id={unknown}"),
        "/v1/signups?slot_id=x".to_owned(),
        "/v1/volunteers?email=x&status=confirmed&per_page=0&cursor=x".to_owned(),
        format!("/v1/events/{unknown}/signups?event_id=x&slot_id=x"),
        format!("/v1/slots/{unknown}/signups?status=x"),
        format!("/v1/webhooks/{unknown}/deliveries?state=sent&per_page=0&cursor=x"),
    ] {
        let answer = server.get(&list).await;
        text += &format!("GET {list}\n  {} {}\n", answer.status, answer.json());
    }
    insta::assert_snapshot!(text);
}

#[tokio::test]
async fn a_list_shows_the_record_with_an_external_id() {
    let server = Server::start(&[]);
    let mut known = event();
    (known["external_id"], known["shifts"][1]["external_id"]) = (json!("a+b&c"), json!("early"));
    let wanted = server.create(&known).await;
    server.create(&event()).await;
    let slots = format!("{}/slots", path(&wanted));
    let ids = async |list: String| -> Vec<Value> {
        let list = server.get(&list).await.data();
        list.as_array().unwrap().iter().map(|record| record["id"].clone()).collect()
    };
    assert_eq!(ids("/v1/events?external_id=a%2Bb%26c".to_owned()).await, [wanted["id"].clone()]);
    assert_eq!(ids(format!("{slots}?external_id=early")).await, [wanted["slots"][0]["id"].clone()]);
    for list in ["/v1/events", &slots] {
        for none in ["unknown", "EARLY", "a%20b", "%00", "%C3%A9"] {
            assert_eq!(ids(format!("{list}?external_id={none}")).await, [Value::Null; 0], "{list} {none}");
        }
        assert_eq!(ids(format!("{list}?external_id=")).await.len(), 2, "{list}");
    }
}
