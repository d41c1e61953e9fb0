//! The route `/v1/events`, `HEAD` and `OPTIONS`, and unknown paths.

use serde_json::{Value, json};

use crate::harness::{Server, event};

#[tokio::test]
async fn an_event_is_created_with_its_slots_in_running_order() {
    let server = Server::start(&[]);
    let answer = server.post("/v1/events", &event()).await;
    assert_eq!(answer.status, 201);
    let event = answer.data();
    assert_eq!(event["title"], "Food drive");
    assert_eq!(event["start_date"], "2027-06-05T04:00:00+00:00");
    assert_eq!(event["end_date"], Value::Null);
    assert_eq!(event["timezone"], "America/New_York");
    assert_eq!((&event["is_published"], &event["is_virtual"]), (&json!(false), &json!(false)));
    let slug = event["slug"].as_str().unwrap();
    assert!(slug.starts_with("food-drive-"), "{slug}");
    assert_eq!(event["public_url"], format!("{}/events/{slug}", server.url));
    let slots = event["slots"].as_array().unwrap();
    assert_eq!((&slots[0]["title"], &slots[1]["title"]), (&json!("Early"), &json!("Late")));
    assert_eq!(slots[0]["start_time"], "2027-06-05T13:00:00+00:00");
    assert_eq!(slots[0]["end_time"], "2027-06-05T16:30:00+00:00");
    assert_eq!((&slots[0]["location"], &slots[1]["location"]), (&json!("Dock 4"), &Value::Null));
    assert_eq!(
        (&slots[0]["capacity"], &slots[0]["filled"], &slots[0]["remaining"]),
        (&json!(4), &json!(0), &json!(4))
    );
    assert_eq!(slots[0]["event_id"], event["id"]);
}

#[tokio::test]
async fn every_field_is_accepted_and_write_only_fields_are_not_returned() {
    let server = Server::start(&[]);
    let event = server
        .create(&json!({
            "title": "  Picnic  ", "description": " two\nlines ", "location": "https://meet.example.org", "is_virtual": true,
            "location_lat": 40.5, "location_lng": -180, "location_data": {"place": {"id": 1}}, "start_date": "2027-06-05",
            "end_date": "2027-06-07", "timezone": "europe/paris", "is_published": true, "theme": "midnight",
            "badge_label": "New",
            "shifts": [{"title": "All day", "description": "Lift 20 kg.", "capacity": 3.0, "start_time": null, "end_time": ""}],
        }))
        .await;
    assert_eq!((&event["title"], &event["description"]), (&json!("Picnic"), &json!(" two\nlines ")));
    assert_eq!(event["timezone"], "Europe/Paris");
    assert_eq!(event["end_date"], "2027-06-06T22:00:00+00:00");
    assert_eq!(event["slots"][0]["description"], "Lift 20 kg.");
    assert_eq!(event["slots"][0]["is_virtual"], true);
    assert_eq!([&event["local_start_date"], &event["local_end_date"]], ["2027-06-05", "2027-06-07"]);
    let local = ["local_date", "local_start_time", "local_end_time"].map(|name| &event["slots"][0][name]);
    assert_eq!(local, ["2027-06-05", "00:00", "24:00"]);
    assert_eq!(event["slots"][0]["start_time"], "2027-06-04T22:00:00+00:00");
    assert_eq!(event["slots"][0]["end_time"], "2027-06-05T22:00:00+00:00");
}

#[tokio::test]
async fn null_and_blank_count_as_omitted_where_null_is_allowed() {
    let server = Server::start(&[]);
    for empty in [Value::Null, json!(""), json!(" \t")] {
        let mut body = json!({"title": "A", "start_date": "2027-06-05", "timezone": "UTC"});
        for field in [
            "description",
            "location",
            "location_lat",
            "location_lng",
            "location_data",
            "end_date",
            "theme",
            "badge_label",
        ] {
            body[field] = empty.clone();
        }
        body["shifts"] =
            json!([{"title": "B", "capacity": 1, "location": empty, "start_time": empty, "end_time": empty}]);
        let event = server.create(&body).await;
        assert_eq!(
            (&event["description"], &event["location"], &event["end_date"]),
            (&Value::Null, &Value::Null, &Value::Null)
        );
        assert_eq!(event["slots"][0]["location"], Value::Null);
    }
}

#[tokio::test]
async fn a_list_is_walked_forward_and_back_over_equal_starts() {
    let server = Server::start(&[]);
    for number in 0..7 {
        let mut body = event();
        body["start_date"] = json!(format!("2027-06-{:02}", 10 + number / 3));
        body["is_published"] = json!(number % 2 == 0);
        server.create(&body).await;
    }
    let (mut pages, mut path) = (vec![], "/v1/events?per_page=3".to_owned());
    loop {
        let page = server.get(&path).await.json();
        assert_eq!(page["meta"]["per_page"], 3);
        assert_eq!(page["meta"]["path"], format!("{}/v1/events", server.url));
        assert!(page["data"][0].get("slots").is_none());
        let next =
            page["links"]["next"].as_str().map(|url| url.strip_prefix(&server.url).unwrap().to_owned());
        pages.push(page);
        match next {
            Some(next) => path = next,
            None => break,
        }
    }
    let ids = |page: &Value| -> Vec<Value> {
        page["data"].as_array().unwrap().iter().map(|event| event["id"].clone()).collect()
    };
    let starts: Vec<_> = pages
        .iter()
        .flat_map(|page| page["data"].as_array().unwrap())
        .map(|event| event["start_date"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(starts.len(), 7);
    assert!(starts.is_sorted_by(|a, b| a >= b), "latest start first");
    assert!(pages[0]["meta"]["prev_cursor"].is_null() && pages[2]["meta"]["next_cursor"].is_null());
    for pair in pages.windows(2) {
        let prev = pair[1]["links"]["prev"].as_str().unwrap().strip_prefix(&server.url).unwrap();
        let back = server.get(prev).await.json();
        assert_eq!(ids(&back), ids(&pair[0]));
    }
    let published = server.get("/v1/events?is_published=true&per_page=3").await.json();
    assert!(published["links"]["next"].as_str().unwrap().contains("is_published=true"));
    for (filter, count) in [("true", 4), ("1", 4), ("false", 3), ("0", 3), ("", 7)] {
        let list = server.get(&format!("/v1/events?is_published={filter}")).await.json();
        assert_eq!(list["data"].as_array().unwrap().len(), count, "{filter}");
    }
}

#[tokio::test]
async fn a_list_of_a_period_is_walked_soonest_first_and_its_links_keep_every_filter() {
    let server = Server::start(&[]);
    for (day, last) in
        [("2027-06-05", None), ("2027-06-01", Some("2027-06-03")), ("2027-06-03", None), ("2027-06-07", None)]
    {
        let mut body = event();
        (body["start_date"], body["end_date"]) = (json!(day), json!(last));
        body["is_published"] = json!(true);
        server.create(&body).await;
    }
    let filters = [
        ("is_published", "true"),
        ("is_cancelled", "false"),
        ("from", "2027-06-03"),
        ("to", "2027-06-05"),
        ("order", "soonest"),
    ];
    let query: Vec<_> = filters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let (mut path, mut starts) = (format!("/v1/events?per_page=1&{}", query.join("&")), vec![]);
    let mut cursor = String::new();
    loop {
        let page = server.get(&path).await.json();
        starts.push(page["data"][0]["start_date"].as_str().unwrap()[..10].to_owned());
        for link in ["prev", "next"] {
            let Some(link) = page["links"][link].as_str() else { continue };
            for (name, value) in filters.into_iter().chain([("per_page", "1")]) {
                assert!(link.contains(&format!("{name}={value}")), "{name} in {link}");
            }
        }
        let Some(next) = page["links"]["next"].as_str() else { break };
        path = next.strip_prefix(&server.url).unwrap().to_owned();
        cursor = page["meta"]["next_cursor"].as_str().unwrap().to_owned();
    }
    assert_eq!(starts, ["2027-06-01", "2027-06-03", "2027-06-05"]);
    let other = server.get(&format!("/v1/events?order=soonest&is_published=0&cursor={cursor}")).await;
    assert_eq!(other.status, 200, "a cursor goes with other filters");
    for list in ["/v1/events?", "/v1/events?order=latest&", "/v1/coverage?", "/v1/signups?"] {
        let refused = server.get(&format!("{list}cursor={cursor}")).await;
        assert_eq!((refused.status, refused.fields()), (422, vec!["cursor".to_owned()]), "{list}");
    }
}

#[tokio::test]
async fn an_unknown_path_is_not_found() {
    let server = Server::start(&[]);
    for path in ["/v1/nothing", "/v1/events/", "/v1", "/nothing"] {
        let answer = server.get(path).await;
        assert_eq!((answer.status, &answer.json()["message"]), (404, &json!("Not found.")), "{path}");
        assert_eq!(answer.header("x-ratelimit-limit").is_some(), path.starts_with("/v1"), "{path}");
    }
}
