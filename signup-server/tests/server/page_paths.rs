//! Paths of the pages: the icon, other ways to write the path of a page, and the way back from a path without a page.

use crate::harness::{Server, raw};
use crate::mails::{SOON, with_mailbox};
use crate::pages::{Page, assert_is_secured, published};

#[tokio::test]
async fn a_slash_at_the_end_leads_to_the_page() {
    let (server, mailbox) = with_mailbox("memory:");
    let page = Page::create(&server, &published()).await;
    let early = page.slot("Early");
    page.sign_up(&server, &early, "Ada", "ada@example.org").await;
    let signup = mailbox.wait_for(1, SOON).await[0].signup_path().unwrap();
    for (method, path, query) in [
        ("GET", "/docs", ""),
        ("HEAD", "/docs", ""),
        ("GET", &page.path, ""),
        ("GET", &page.path, "?slot_id=x&y=%2f"),
        ("GET", &signup, ""),
        ("POST", &format!("{}/signups", page.path), ""),
    ] {
        let answer = server.browse(method, &format!("{path}/{query}"), None).await;
        let expected = format!("{path}{query}");
        assert_eq!((answer.status, answer.header("location")), (308, Some(expected.as_str())), "{method}");
    }
    assert_eq!(page.filled(&server, "Early").await, 1);
    for (path, status) in [("/docs/?é", "308"), ("/events/é/signups", "404")] {
        let line = raw(&server.url, format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes());
        assert!(line.starts_with(&format!("HTTP/1.1 {status}")), "{path}: {line}");
    }
}

#[tokio::test]
async fn a_path_without_a_page_has_none_with_a_slash_either() {
    let server = Server::start(&[]);
    let draft = Page::create(&server, &crate::harness::event()).await;
    for path in ["/nothing/", "/events/", "/events/nothing/", "/signups/x/", "/docs//", "/health/live/"] {
        assert_eq!(server.browse("GET", path, None).await.status, 404, "{path}");
    }
    assert_eq!(server.browse("GET", &format!("{}/", draft.path), None).await.status, 404);
    assert_eq!(server.get("/v1/events/").await.status, 404, "the API has one path for each resource");
}

#[tokio::test]
async fn a_browser_gets_errors_as_pages_with_a_way_back_and_a_program_as_json() {
    let server = Server::start(&[]);
    for (method, path, status) in
        [("GET", "/nothing", 404), ("DELETE", "/health/live", 405), ("POST", "/openapi.json", 405)]
    {
        let request =
            |accept: &str| server.page_answer(server.request(method, path).header("accept", accept));
        let page = request("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8").await;
        assert_eq!(page.status, status, "{method} {path}");
        assert_is_secured(&page);
        assert!(page.text.contains("<a href=\"/\">Go to the start page</a>"), "{}", page.text);
        for accept in ["*/*", "application/json"] {
            let json = request(accept).await;
            assert_eq!(
                (json.status, json.header("allow")),
                (status, page.header("allow")),
                "{method} {path}"
            );
            assert_eq!(json.header("content-type"), Some("application/json"));
            assert!(json.json()["message"].is_string(), "{}", json.text);
            assert_eq!((json.header("vary"), page.header("vary")), (Some("accept"), Some("accept")));
        }
    }
}

#[tokio::test]
async fn the_api_answers_in_json_whatever_is_accepted() {
    let server = Server::start(&[]);
    for (method, path, status) in [("GET", "/v1/nothing", 404), ("PUT", "/v1/events", 405)] {
        let request = server.request(method, path).header("accept", "text/html").bearer_auth(&server.token);
        let answer = server.answer(request).await;
        assert_eq!(answer.status, status, "{path}");
        assert!(answer.json()["message"].is_string(), "{}", answer.text);
    }
}

#[tokio::test]
async fn the_pages_have_an_icon() {
    let server = Server::start(&[]);
    let icon = server.browse("GET", "/favicon.ico", None).await;
    assert_eq!((icon.status, icon.header("content-type")), (200, Some("image/svg+xml")));
    assert!(icon.text.starts_with("<svg "), "{}", icon.text);
    let start = server.browse("GET", "/", None).await.text;
    assert!(start.contains("<link rel=\"icon\" href=\"data:image/svg+xml;base64,"), "{start}");
}
