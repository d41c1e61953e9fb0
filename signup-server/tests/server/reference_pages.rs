//! The reference at `/docs` and the start page at `/`, compared with the API description that the server serves.
//!
//! The tests read the description by themselves, so that they do not repeat a mistake of the server.

use std::process::Command;

use insta::assert_snapshot;
use serde_json::{Value, json};
use signup_store_sql::test_cluster::installed;

use crate::browser::{Browser, DESKTOP};
use crate::console_events::decoded;
use crate::harness::{Answer, Server};
use crate::packages::on_path;
use crate::snapshots::{readable_part, stable};

/// The description and the reference that a server serves.
struct Docs {
    document: Value,
    page: String,
}

/// An operation of the description, and the part of the reference about it.
struct Operation<'a> {
    id: &'a str,
    method: &'a str,
    path: &'a str,
    section: &'a str,
}

impl Docs {
    async fn of(server: &Server) -> Self {
        let document = server.get_without_token("/openapi.json").await.json();
        let page = server.browse("GET", "/docs", None).await;
        assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")));
        Self { document, page: page.text }
    }

    fn operations(&self) -> Vec<Operation<'_>> {
        let paths = self.document["paths"].as_object().unwrap();
        let methods = paths.iter().flat_map(|(path, item)| {
            item.as_object().unwrap().iter().map(move |(method, described)| (path, method, described))
        });
        let operations = methods.filter(|(_, _, described)| described["operationId"].is_string());
        let operations: Vec<_> = operations
            .map(|(path, method, described)| {
                let id = described["operationId"].as_str().unwrap();
                Operation { id, method, path, section: self.section(id) }
            })
            .collect();
        assert!(operations.len() >= 10, "{} operations", operations.len());
        operations
    }

    /// Returns the part of the page from the anchor of an operation to the next section.
    fn section(&self, id: &str) -> &str {
        let parts: Vec<_> = self.page.split(&format!("<section class=\"operation\" id=\"{id}\">")).collect();
        assert_eq!(parts.len(), 2, "{id} has one section");
        parts[1].split("<section").next().unwrap()
    }
}

/// Returns the texts between `before` and `after`, unescaped.
pub(crate) fn between(html: &str, before: &str, after: &str) -> Vec<String> {
    html.split(before).skip(1).map(|part| decoded(part.split(after).next().unwrap())).collect()
}

impl Operation<'_> {
    fn command(&self) -> String {
        let commands = between(self.section, "<pre class=\"command\"><code>", "</code>");
        assert_eq!(commands.len(), 1, "{}", self.id);
        commands.into_iter().next().unwrap()
    }
}

/// Runs a command of the reference in a shell. Returns what it prints. Returns `None` if curl is not installed.
pub(crate) fn run_in_shell(server: &Server, command: &str) -> Option<Value> {
    installed("curl", on_path("curl"))?;
    let output =
        Command::new("sh").args(["-c", command]).env("SIGNUP_TOKEN", &server.token).output().unwrap();
    assert!(output.status.success(), "{command}\n{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[tokio::test]
async fn every_operation_has_an_anchor_and_a_link_in_the_contents() {
    let server = Server::start(&[]);
    let docs = Docs::of(&server).await;
    let contents = docs.page.split("<nav").nth(1).unwrap().split("</nav>").next().unwrap();
    for Operation { id, method, path, section, .. } in docs.operations() {
        assert!(contents.contains(&format!("href=\"#{id}\"")), "{id}");
        assert!(section.contains(&format!("{} {path}</code>", method.to_uppercase())), "{section}");
    }
    for tag in docs.document["tags"].as_array().unwrap() {
        assert!(decoded(contents).contains(&format!(">{}</a>", tag["name"].as_str().unwrap())), "{tag}");
    }
    for anchor in between(&docs.page, "href=\"#", "\"") {
        let parts = docs.page.matches(&format!(" id=\"{anchor}\"")).count();
        assert_eq!(parts, 1, "{anchor} is the anchor of one part");
    }
}

/// Each field, status and example is shown by the same rule for each operation. The request to a webhook has headers and no
/// command.
#[tokio::test]
async fn a_write_a_read_and_the_request_to_a_webhook_are_shown_with_all_their_parts() {
    let server = Server::start(&[]);
    let docs = Docs::of(&server).await;
    for id in ["duplicateEvent", "listSlots", "receiveActivity"] {
        let section = docs.section(id).split("</section>").next().unwrap();
        assert_snapshot!(format!("section_{id}"), stable(&readable_part(section)));
    }
}

#[tokio::test]
async fn the_command_of_every_read_runs_in_a_shell() {
    let server = Server::start(&[]);
    let docs = Docs::of(&server).await;
    for operation in docs.operations() {
        let command = operation.command();
        assert!(command.contains(&server.url), "{command}");
        if operation.method != "get" || operation.path.ends_with("yaml") {
            continue;
        }
        let Some(printed) = run_in_shell(&server, &command) else { return };
        if operation.path == "/v1/team" {
            assert_eq!(printed, server.get("/v1/team").await.json());
        }
        let message = printed["message"].as_str();
        // The records in the examples do not exist.
        assert!(matches!(message, None | Some("Not found.")), "{command}\n{printed}");
    }
}

#[tokio::test]
async fn the_command_of_a_create_creates_an_event() {
    let server = Server::start(&[]);
    let docs = Docs::of(&server).await;
    let operations = docs.operations();
    let create =
        operations.iter().find(|found| (found.method, found.path) == ("post", "/v1/events")).unwrap();
    let Some(printed) = run_in_shell(&server, &create.command()) else { return };
    assert!(printed["data"]["id"].is_string(), "{printed}");
    assert_eq!(server.count_events().await, 1);
}

/// The page begins with a quick start. Its commands create an event with a public page, and list sign-ups.
#[tokio::test]
async fn the_commands_of_the_quick_start_run_in_a_shell() {
    let server = Server::start(&[]);
    let docs = Docs::of(&server).await;
    let first = docs.page.split("<section").nth(1).unwrap();
    assert!(first.starts_with(" id=\"quick-start\""), "{first}");
    let commands = between(first, "<pre><code>", "</code>");
    let [token, variable, create, list] = commands.as_slice() else { panic!("{commands:?}") };
    assert!(token.starts_with("signup-server token create ") && variable.starts_with("export SIGNUP_TOKEN="));
    let Some(created) = run_in_shell(&server, create) else { return };
    let path = created["data"]["public_url"].as_str().unwrap().strip_prefix(&server.url).unwrap();
    assert_eq!(server.browse("GET", path, None).await.status, 200);
    assert_eq!(run_in_shell(&server, list).unwrap()["data"], json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_contents_stay_in_view_on_a_wide_screen() {
    let Some(browser) = Browser::start().await else { return };
    let server = Server::start(&[]);
    browser.screen(DESKTOP, "light").await;
    browser.go(&format!("{}/docs", server.url)).await;
    let places = "window.scrollTo(0, document.documentElement.scrollHeight / 2); \
                  const box = document.getElementById('contents').getBoundingClientRect(); \
                  return [window.scrollY > window.innerHeight, box.top, box.bottom <= window.innerHeight]";
    let places = browser.driver.execute(places, vec![]).await.unwrap();
    assert_eq!(*places.json(), json!([true, 0, true]));
}

#[tokio::test]
async fn the_commands_and_links_have_the_base_url() {
    let server = Server::start(&["--base-url", "https://signup.example.org/api/"]);
    let docs = Docs::of(&server).await;
    for operation in docs.operations() {
        let command = operation.command();
        assert!(command.contains(" https://signup.example.org/api/"), "{command}");
    }
    let start = server.browse("GET", "/", None).await;
    for link in between(&start.text, "<a href=\"", "\"") {
        assert!(link.starts_with("/api/"), "{link}");
    }
}

#[tokio::test]
async fn every_link_of_the_start_page_leads_to_an_answer() {
    let server = Server::start(&[]);
    let start = server.browse("GET", "/", None).await;
    assert_eq!(start.status, 200);
    let links = between(&start.text, "<a href=\"", "\"");
    for link in &links {
        assert_eq!(server.browse("GET", link, None).await.status, 200, "{link}");
    }
    assert_eq!(links, ["/docs", "/openapi.yaml"]);
    let sign_in = "<a class=\"button\" href=\"/sign-in\">";
    let places = [sign_in, "/docs", "/openapi.yaml"].map(|link| start.text.find(link));
    assert!(places[0].is_some() && places.is_sorted(), "developers come last: {}", start.text);
}

/// A tag of another name would be text of the description that is not escaped.
#[tokio::test]
async fn the_pages_consist_of_known_elements() {
    const ELEMENTS: &str = "!DOCTYPE html head meta title link style body a header div h1 h2 h3 h4 h5 p main nav ul ol li \
                            section code pre span strong em details summary footer";
    let server = Server::start(&[]);
    let docs = server.browse("GET", "/docs", None).await;
    let start = server.browse("GET", "/", None).await;
    for Answer { text, .. } in [docs, start] {
        for part in text.split('<').skip(1) {
            let name: String = part
                .trim_start_matches('/')
                .chars()
                .take_while(|&character| character.is_ascii_alphanumeric() || character == '!')
                .collect();
            assert!(ELEMENTS.split(' ').any(|known| known == name), "<{part}");
        }
    }
}
