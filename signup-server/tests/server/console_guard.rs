//! Requests from other sites, and the headers of every answer of the console.

use crate::console::Organizer;
use crate::harness::{Answer, Server};

/// The origin of another site.
const OTHER: &str = "https://evil.example";

/// Returns method and pattern of each route of the console, as the server's own table lists them.
pub(crate) fn patterns() -> Vec<(&'static str, &'static str)> {
    let table = include_str!("../../src/console/routes.rs");
    let rows = table.split("route(Method::").skip(1);
    let patterns: Vec<_> = rows
        .map(|row| {
            let (method, rest) = row.split_once(',').unwrap();
            (method, rest.split('"').nth(1).unwrap())
        })
        .collect();
    assert!(patterns.len() > 20, "{patterns:?}");
    patterns
}

/// Returns method and path of each route of the console. A path has values that no record has.
pub(crate) fn routes() -> Vec<(&'static str, String)> {
    patterns().into_iter().map(|(method, pattern)| (method, path_of(pattern))).collect()
}

fn path_of(pattern: &str) -> String {
    let fill = |step: &str| match step {
        "{slug}" => "riverside".to_owned(),
        "{secret}" => "A".repeat(43),
        step if step.starts_with('{') => "01a1fc0c-06a8-79da-abb2-b84ac8892247".to_owned(),
        step => step.to_owned(),
    };
    pattern.split('/').map(fill).collect::<Vec<_>>().join("/")
}

/// Checks the headers that every answer of the console has.
pub(crate) fn assert_protected(answer: &Answer, what: &str) {
    assert_eq!(answer.header("cache-control"), Some("no-store"), "{what}");
    assert_eq!(answer.header("referrer-policy"), Some("same-origin"), "{what}");
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.contains("frame-ancestors 'none'"), "{what}: {policy}");
}

#[tokio::test]
async fn only_a_page_of_this_server_may_change_something() {
    let server = Server::start(&[]);
    let own = server.url.as_str();
    let sites: [(&[&str], &[&str], bool); 13] = [
        (&["same-origin"], &[], true),
        (&["same-origin"], &[OTHER], true),
        (&["none"], &[], true),
        (&["same-site"], &[], false),
        (&["same-site"], &[own], false),
        (&["cross-site"], &[], false),
        (&["cross-site"], &[own], false),
        (&["same-origin", "cross-site"], &[own], false),
        (&[], &[own], true),
        (&[], &[OTHER], false),
        (&[], &["null"], false),
        (&[], &[own, OTHER], false),
        (&[], &[], false),
    ];
    for (method, path) in routes() {
        for (site, origin, is_allowed) in sites {
            let mut request = server.request(method, &path);
            for site in site {
                request = request.header("sec-fetch-site", *site);
            }
            for origin in origin {
                request = request.header("origin", *origin);
            }
            let request = if method == "POST" { request.form(&[("email", "x")]) } else { request };
            let answer = server.page_answer(request).await;
            let what = format!("{method} {path} {site:?} {origin:?}");
            // A path that no person may use without a sign-in redirects. Posts to sign in are counted.
            let is_refused = answer.status == 403;
            assert_eq!(is_refused, method == "POST" && !is_allowed, "{what}: {}", answer.status);
            assert_protected(&answer, &what);
        }
    }
}

#[tokio::test]
async fn every_method_and_every_path_below_the_console_is_guarded() {
    let server = Server::start(&[]);
    for path in ["/console", "/console/x/unknown", "/sign-in/x", "/sign-out/", "/invitations"] {
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            let answer = server.page_answer(server.request(method, path).header("origin", OTHER)).await;
            assert_eq!(answer.status, 403, "{method} {path}");
            assert_protected(&answer, path);
        }
        for method in ["GET", "HEAD", "OPTIONS"] {
            let answer = server.page_answer(server.request(method, path).header("origin", OTHER)).await;
            assert_ne!(answer.status, 403, "{method} {path}");
            assert_protected(&answer, path);
        }
    }
}

#[tokio::test]
async fn the_origin_is_that_of_the_base_url() {
    let server = Server::start(&["--base-url", "https://signup.example.org/app"]);
    for (origin, status) in [("https://signup.example.org", 422), (server.url.as_str(), 403)] {
        let request = server.request("POST", "/sign-in").header("origin", origin).form(&[("email", "x")]);
        assert_eq!(server.page_answer(request).await.status, status, "{origin}");
    }
}

#[tokio::test]
async fn a_page_of_an_organization_leads_to_the_sign_in_and_keeps_its_path() {
    let server = Server::start(&[]);
    let browser = Organizer::new(&server);
    let answer = browser.get("/console/riverside/settings/tokens?q=ada@example.org").await;
    let location = "/sign-in?next=/console/riverside/settings/tokens";
    assert_eq!((answer.status, answer.header("location")), (303, Some(location)));
    let page = browser.get(location).await;
    let hidden = r#"<input type="hidden" name="next" value="/console/riverside/settings/tokens">"#;
    assert!(page.text.contains(hidden), "{}", page.text);
    let page = browser.get("/sign-in?next=https://evil.example").await;
    assert!(!page.text.contains("evil"), "{}", page.text);
}
