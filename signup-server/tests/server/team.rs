//! The routes `/v1/team` and `/v1/token`.

use serde_json::{Value, json};

use crate::harness::{Server, event};
use crate::lives::send_as;

#[tokio::test]
async fn a_token_sees_its_own_organization() {
    let server = Server::start_on_sqlite();
    let answer = server.get("/v1/team").await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        (answer.data()["name"].as_str(), answer.data()["slug"].as_str()),
        (Some("Starter"), Some("starter"))
    );
    let other = server.manage(&[
        "organization",
        "create",
        "--name",
        "Rowers",
        "--sport",
        "rowing",
        "--public-url",
        "https://r.example",
    ]);
    let token = server.manage(&["token", "create", "--organization", "rowers", "--name", "t"]);
    let request = server.request("GET", "/v1/team").bearer_auth(token["token"].as_str().unwrap());
    let own = server.answer(request).await.data();
    let fields = ["id", "name", "slug", "sport", "public_url", "created_at"];
    let expected = fields.map(|field| (field.to_owned(), other[field].clone()));
    assert_eq!(own, Value::Object(expected.into_iter().collect()));
}

#[tokio::test]
async fn a_token_shows_what_it_may_do_and_warns_from_30_days_before_it_ends() {
    let server = Server::start_on_sqlite();
    server.manage(&["organization", "create", "--name", "Rowers"]);
    let create = |name: &str, days: &str| {
        let scopes = ["--scopes", "slots:read,events:write", "--expires-in-days", days];
        server
            .manage(&[&["token", "create", "--organization", "rowers", "--name", name], &scopes[..]].concat())
    };
    let (short, others) = (create("import", "30"), [create("month", "31"), create("year", "365")]);
    let text = short["token"].as_str().unwrap();
    let mut published = event();
    published["is_published"] = json!(true);
    published["start_date"] = json!("2099-06-05");
    assert_eq!(send_as(&server, text, "POST", "/v1/events", Some(&published)).await.status, 201);

    let answer = send_as(&server, text, "GET", "/v1/token", None).await;
    let created_at = answer.data()["created_at"].clone();
    let expected = json!({
        "id": short["id"], "name": "import", "scopes": ["events:write", "slots:read"], "expires_at": short["expires_at"],
        "created_at": created_at, "plan": "free",
        "limits": {"requests_per_minute": 1_000_000, "active_events": 5, "event_days": 7}, "active_events": 1,
    });
    assert_eq!((answer.status, answer.json()), (200, json!({"data": expected})));

    let expires_at: jiff::Timestamp = short["expires_at"].as_str().unwrap().parse().unwrap();
    for (path, status) in [("/v1/token", 200), ("/v1/team", 403), ("/v1/slots/x", 404), ("/v1/events", 403)] {
        let answer = send_as(&server, text, "GET", path, None).await;
        let header = answer.header("token-expires").unwrap().to_owned();
        let date = jiff::fmt::rfc2822::parse(&header).unwrap().timestamp();
        assert_eq!((answer.status, date), (status, expires_at), "{path}");
        assert!(header.ends_with(" GMT"), "{header}");
        for other in &others {
            let answer = send_as(&server, other["token"].as_str().unwrap(), "GET", path, None).await;
            assert_eq!((answer.status, answer.header("token-expires")), (status, None), "{path}");
        }
    }
}
