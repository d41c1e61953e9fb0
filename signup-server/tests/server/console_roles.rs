//! Who may use which page of the console: the table of pages and roles in the README, and the credentials.

use std::collections::BTreeSet;

use serde_json::json;

use crate::console::Organizer;
use crate::console_events::ROOT;
use crate::console_guard::{assert_protected, patterns};
use crate::every_route::UNKNOWN;
use crate::harness::{Answer, Server, event};
use crate::lives::id;
use crate::mailbox::Mailbox;
use crate::pages::{Page, published};
use crate::webhooks::new_webhook;

/// The roles, the one that may do least first.
const ROLES: [&str; 3] = ["organizer", "admin", "owner"];

/// A row of the table.
struct Row {
    pages: Vec<&'static str>,
    /// The place of the least role in [`ROLES`].
    least: usize,
    /// The forms of the page, if it has several.
    actions: Vec<&'static str>,
}

/// Returns the table of pages in the README.
fn table() -> Vec<Row> {
    let (_, table) = include_str!("../../README.md").split_once("| pages | least role | what for |").unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let code = |cell: &'static str| cell.split('`').skip(1).step_by(2).collect();
    let row = |line: &'static str| {
        let [_, pages, role, purpose, _] = line.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let least = ROLES.iter().position(|found| *found == role).unwrap();
        Row { pages: code(pages), least, actions: code(purpose) }
    };
    rows.map(row).collect()
}

/// Returns the pages of an organization that have a route for a method, as the table names them.
pub(crate) fn pages(method: &str) -> BTreeSet<String> {
    let patterns = patterns().into_iter().filter(|(found, _)| *found == method);
    let pages = patterns.filter_map(|(_, pattern)| pattern.strip_prefix("/console/{slug}"));
    pages.filter(|page| !page.is_empty()).map(|page| page.replace("{event_id}", "{id}")).collect()
}

/// One record of each kind that a page of the console shows.
pub(crate) struct Records {
    event: String,
    /// An event that can be published.
    draft: String,
    /// An event without sign-ups, which can be unpublished and deleted.
    without_signups: String,
    shift: String,
    question: String,
    signup: String,
    webhook: String,
}

impl Records {
    pub(crate) async fn create(server: &Server) -> Self {
        let mut far = published();
        far["start_date"] = json!("2099-06-05");
        let page = Page::create(server, &far).await;
        let event = id(&page.event).to_owned();
        let question =
            server.post(&format!("/v1/events/{event}/questions"), &json!({"label": "Size"})).await.data();
        page.signed_up(server, &page.slot("Early"), "Bo", "bo@example.org").await;
        let signups = server.get("/v1/signups").await.data();
        let without_signups = server.create(&far).await;
        Self {
            draft: id(&server
                .create(&json!({"title": "Gala", "start_date": "2097-06-05", "timezone": "UTC"}))
                .await)
            .to_owned(),
            without_signups: id(&without_signups).to_owned(),
            shift: page.slot("Late"),
            question: id(&question).to_owned(),
            signup: id(&signups[0]).to_owned(),
            webhook: id(&new_webhook(server).await).to_owned(),
            event,
        }
    }

    /// Returns the path of a page, such as `/events/{id}/edit`, for the record of its kind.
    pub(crate) fn path(&self, page: &str) -> String {
        let kinds = [
            ("/events/{id}/publish", &self.draft),
            ("/events/{id}/unpublish", &self.without_signups),
            ("/events/{id}/delete", &self.without_signups),
            ("/events/", &self.event),
            ("/shifts/", &self.shift),
            ("/questions/", &self.question),
            ("/signups/", &self.signup),
            ("/volunteers/", &self.signup),
            ("/settings/webhooks/", &self.webhook),
        ];
        let of_kind = kinds.iter().find(|(start, _)| page.starts_with(start));
        of_kind
            .map_or_else(|| format!("{ROOT}{page}"), |(_, id)| format!("{ROOT}{}", page.replace("{id}", id)))
    }
}

/// Asserts that a page was refused, and says which role may use it.
fn assert_refused(answer: &Answer, least: usize, what: &str) {
    assert_eq!(answer.status, 403, "{what}: {}", answer.text);
    let who = ["Only a member", "Only an admin or an owner", "Only an owner"][least];
    let sentence = format!("{who} of this organization can do this. Ask one of them.");
    assert!(answer.text.contains(&sentence), "{what}: {}", answer.text);
}

#[test]
fn the_table_of_roles_has_every_page() {
    let listed = table().into_iter().flat_map(|row| row.pages).map(str::to_owned);
    assert_eq!(listed.collect::<BTreeSet<_>>(), &pages("GET") | &pages("POST"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_and_its_actions_are_for_their_role_and_the_roles_above_it() {
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let owner = Organizer::first_owner(&server).await;
    let admin = owner.invite(&mailbox, "adam@example.org", "admin").await;
    let organizer = owner.invite(&mailbox, "olga@example.org", "organizer").await;
    let (records, posts) = (Records::create(&server).await, pages("POST"));
    let mut actions = 0;
    for Row { pages, least, actions: forms } in table() {
        for (page, browser, role) in pages.iter().flat_map(|page| {
            [&organizer, &admin, &owner]
                .into_iter()
                .enumerate()
                .map(move |(role, browser)| (*page, browser, role))
        }) {
            let what = format!("{page} of an {}", ROLES[role]);
            let shown = browser.get(&records.path(page)).await;
            assert_protected(&shown, &what);
            let has_tabs = shown.text.contains("aria-label=\"Settings\"");
            assert_eq!(has_tabs, role > 0 && page.starts_with("/settings"), "{what}: {}", shown.text);
            if role < least {
                assert_refused(&shown, least, &what);
            } else {
                assert_eq!(shown.status, 200, "{what}: {}", shown.text);
            }
            if !posts.contains(page) || page == "/leave" {
                continue;
            }
            // A form without values, or of a record that does not exist, changes nothing.
            let path = format!("{ROOT}{}", page.replace("{id}", UNKNOWN));
            for form in if forms.is_empty() { &[""][..] } else { &forms } {
                let what = format!("{form} on {what}");
                let sent = browser.post(&path, &[("action", form), ("name", "")]).await;
                assert_protected(&sent, &what);
                if role < least {
                    assert_refused(&sent, least, &what);
                } else {
                    assert!([404, 422].contains(&sent.status), "{what}: {} {}", sent.status, sent.text);
                }
                actions += 1;
            }
        }
    }
    assert!(actions >= 3 * 30, "{actions}");
    assert_eq!(owner.get(&format!("{ROOT}/unknown")).await.status, 404);
    assert_eq!(owner.get("/console/starter/leave").await.status, 404, "another organization");
    let invitation = [("action", "invite"), ("email", "x@example.org"), ("name", "X"), ("role", "owner")];
    let refused = admin.post(&format!("{ROOT}/settings/members"), &invitation).await;
    assert_refused(&refused, 2, "an admin who makes an owner");
}

#[tokio::test]
async fn no_page_changes_anything_by_get() {
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let owner = Organizer::first_owner(&server).await;
    let records = Records::create(&server).await;
    let draft = server.create(&event()).await;
    let newest = async || server.get("/v1/activity?per_page=1").await.data()[0]["id"].clone();
    let (before, mails) = (newest().await, mailbox.wait_for(1, crate::mails::SOON).await.len());
    let forms = table().into_iter().flat_map(|row| {
        let forms = if row.actions.is_empty() { vec![""] } else { row.actions };
        row.pages.into_iter().flat_map(move |page| forms.clone().into_iter().map(move |form| (page, form)))
    });
    for (page, form) in forms {
        let query =
            format!("action={form}&confirmed=yes&name=X&email=bo@example.org&subject=A&text=B&role=owner");
        let paths = [records.path(page), format!("{ROOT}{}", page.replace("{id}", id(&draft)))];
        for path in paths.iter().filter(|path| *path == &paths[0] || page.starts_with("/events/")) {
            owner.get(&format!("{path}?{query}")).await;
        }
    }
    for path in
        ["/sign-out?action=everywhere", "/sign-in?email=ada@example.org", "/sign-in/code?code=abcd2345"]
    {
        assert_eq!(owner.get(path).await.status, 200, "{path}");
    }
    assert_eq!(newest().await, before);
    assert_eq!(owner.get(&format!("{ROOT}/leave")).await.status, 200, "still signed in");
    assert_eq!(mailbox.count(), mails);
}

#[tokio::test]
async fn a_session_is_no_credential_of_the_api_and_a_token_is_none_of_the_console() {
    let server = Server::start(&[]);
    let owner = Organizer::first_owner(&server).await;
    assert_eq!(owner.get(&format!("{ROOT}/")).await.status, 200);
    for path in ["/v1/team", "/v1/events", "/v1/signups"] {
        assert_eq!(owner.get(path).await.status, 401, "{path}");
    }
    let created = owner.server.request("POST", "/v1/events").header("sec-fetch-site", "same-origin");
    assert_eq!(owner.send(created.json(&event())).await.status, 401);
    for (method, page) in [("GET", "/"), ("GET", "/settings"), ("POST", "/events/new")] {
        let request = server.request(method, &format!("{ROOT}{page}")).bearer_auth(&server.token);
        let answer = server.page_answer(request.header("sec-fetch-site", "same-origin")).await;
        let location = format!("/sign-in?next={ROOT}{page}");
        assert_eq!((answer.status, answer.header("location")), (303, Some(&*location)), "{method} {page}");
    }
}
