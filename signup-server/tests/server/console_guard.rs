//! Requests from other sites, and the headers of every answer of the console.

use std::collections::BTreeSet;

use crate::console::Organizer;
use crate::every_route::UNKNOWN;
use crate::harness::{Answer, Server};

/// The origin of another site.
const OTHER: &str = "https://evil.example";

/// Returns method and pattern of each route of the console, as the server's own table lists them.
pub(crate) fn patterns() -> Vec<(&'static str, &'static str)> {
    let routes = rows_of(include_str!("../../src/console/routes.rs"), "(");
    assert!(routes.len() > 20, "{routes:?}");
    routes
}

/// Returns method and pattern of each page that needs no sign-in, as the server's own table lists them.
pub(crate) fn public_patterns() -> Vec<(&'static str, &'static str)> {
    let routes = rows_of(include_str!("../../src/routes.rs"), "Page(|");
    assert!(routes.len() > 8, "{routes:?}");
    routes
}

/// Returns method and pattern of the rows of a table of routes that contain `part`.
fn rows_of(table: &'static str, part: &str) -> Vec<(&'static str, &'static str)> {
    let rows = table.split("route(Method::").skip(1).filter(|row| row.contains(part));
    rows.map(|row| {
        let (method, rest) = row.split_once(',').unwrap();
        (method, rest.split('"').nth(1).unwrap())
    })
    .collect()
}

/// Returns a path of a pattern. `fill` returns what stands in place of a step in braces, such as `{slug}`.
pub(crate) fn path_of(pattern: &str, fill: impl Fn(&str) -> String) -> String {
    let step = |step: &str| if step.starts_with('{') { fill(step) } else { step.to_owned() };
    pattern.split('/').map(step).collect::<Vec<_>>().join("/")
}

/// Returns the path of each route of the console. A path has values that no record has.
fn paths() -> BTreeSet<String> {
    let fill = |step: &str| match step {
        "{slug}" => "riverside".to_owned(),
        "{secret}" => "A".repeat(43),
        _ => UNKNOWN.to_owned(),
    };
    patterns().into_iter().map(|(_, pattern)| path_of(pattern, fill)).collect()
}

/// Checks the headers that every answer of the console has.
pub(crate) fn assert_protected(answer: &Answer, what: &str) {
    assert_eq!(answer.header("cache-control"), Some("no-store"), "{what}");
    assert_eq!(answer.header("referrer-policy"), Some("same-origin"), "{what}");
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.contains("frame-ancestors 'none'"), "{what}: {policy}");
}

/// The unit tests of the guard have each combination of the two headers.
#[tokio::test]
async fn only_a_page_of_this_server_may_change_something_whatever_the_path_and_the_method() {
    let server = Server::start(&[]);
    let own = server.url.as_str();
    let sites = [
        (Some("same-origin"), None, true),
        (Some("cross-site"), Some(own), false),
        (None, Some(OTHER), false),
    ];
    // A path that the table of routes lacks is guarded, too.
    let unknown = ["/console/x/unknown", "/sign-in/x", "/sign-out/", "/invitations"].map(str::to_owned);
    for path in paths().into_iter().chain(unknown) {
        for method in ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"] {
            let may_change = !["GET", "HEAD", "OPTIONS"].contains(&method);
            for (site, origin, is_allowed) in sites {
                let mut request = server.request(method, &path);
                for (name, value) in [("sec-fetch-site", site), ("origin", origin)] {
                    if let Some(value) = value {
                        request = request.header(name, value);
                    }
                }
                let request = if may_change { request.form(&[("email", "x")]) } else { request };
                let answer = server.page_answer(request).await;
                let what = format!("{method} {path} {site:?} {origin:?}");
                // A path that needs a sign-in redirects. Posts to sign in are counted.
                let is_refused = answer.status == 403;
                assert_eq!(is_refused, may_change && !is_allowed, "{what}: {}", answer.status);
                assert_protected(&answer, &what);
            }
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
