//! Hostile text in every field of every form: no page, mail or file has markup, a header or a formula of it.
//!
//! The pages are those of the tables of routes, and the forms are those that the pages show. So no new page and no new field is
//! left out.

use std::collections::BTreeSet;

use serde_json::json;

use crate::console::{ADA, Organizer, wait_for_text};
use crate::console_events::{Fields, attribute, decoded, location};
use crate::console_guard::{path_of, patterns, public_patterns};
use crate::harness::{Answer, Server};
use crate::mailbox::{Mail, Mailbox};
use crate::mails::SOON;
use crate::wait::wait_until;

/// A text on one line, short enough for every field. It could be a formula, end an attribute, begin an element, or be a template.
/// A mail may show it as a name: it has no part that could be read as a link.
const NAME: &str = "=zq7x\"'><xss onload=1>{{7*7}}&";
/// Besides, it could end an element or a comment, and it reverses the text that follows.
const LINE: &str = "=zq7x\"'><xss onload=1>{{7*7}}&</title></textarea>-->\u{202e}";
/// Besides, it could begin a header of an answer or a mail, a line of a calendar, or a row of a table.
const LINES: &str = "=zq7x\"'><xss onload=1>{{7*7}}&</title></textarea>\u{202e}\r\nX-Injected: yes\r\n=zq7x,=zq7x;\r\n\r\n<xss>";
/// An address of a volunteer or a person, after its first character.
const EMAIL: &str = "zq7x'&{{7*7}}@example.org";
const URL: &str = "https://example.org/zq7x'?&{{7*7}}";

/// The fields that take one line only.
const ONE_LINE: [&str; 10] = [
    "name",
    "organization_name",
    "sport",
    "label",
    "subject",
    "q",
    "code",
    "title",
    "location",
    "badge_label",
];

/// Asserts that an HTML page or mail shows hostile text as text.
fn assert_is_text(html: &str, what: &str) {
    let html = html.to_lowercase();
    for part in ["<xss", "zq7x\"", "zq7x'", "zq7x49", "</title></textarea>"] {
        let at = html.find(part);
        assert_eq!(at, None, "{what}: {part} in {}", &html[at.unwrap_or_default()..]);
    }
}

/// Checks an answer, whatever it is. Returns whether it shows hostile text.
fn check(answer: &Answer, what: &str) -> bool {
    assert!(answer.status < 500, "{what}: {} {}", answer.status, answer.text);
    assert_eq!(answer.header("x-injected"), None, "{what}");
    let kind = answer.header("content-type").unwrap_or_default();
    match kind.split(';').next().unwrap() {
        "text/html" => assert_is_text(&answer.text, what),
        "text/csv" => {
            for begin in ["\"", ",", ";", "\n", "\r", "\u{feff}"] {
                for formula in ["=", "+", "-", "@", "\t"] {
                    let cell = format!("{begin}{formula}");
                    assert!(!answer.text.contains(&cell), "{what}: {cell:?} in {}", answer.text);
                }
            }
        }
        "application/json" => drop(answer.json()),
        "image/png" => {}
        "text/calendar" => {
            assert!(answer.text.split("\r\n").all(|line| !line.starts_with("X-Injected")), "{}", answer.text);
        }
        "" | "image/svg+xml" => assert!(!answer.text.contains("zq7x"), "{what}: {}", answer.text),
        kind => panic!("{what}: {kind}"),
    }
    answer.text.contains("zq7x")
}

/// A form of a page.
#[derive(Debug)]
struct PageForm {
    method: String,
    action: String,
    html: String,
    fields: Fields,
}

/// Returns the forms of a page that take text or a choice. A form of buttons only is not one of them.
fn forms(page: &Answer, path: &str) -> Vec<PageForm> {
    let Some((_, main)) = page.text.split_once("<main") else { return vec![] };
    let parts = main.split("<form").skip(1).map(|part| part.split_once("</form>").unwrap().0);
    let form = |html: &str| {
        let (tag, _) = html.split_once('>').unwrap();
        let action = attribute(tag, "action").unwrap_or(path).split('#').next().unwrap();
        let method = attribute(tag, "method").unwrap().to_uppercase();
        PageForm { method, action: action.to_owned(), html: html.to_owned(), fields: Fields::of_html(html) }
    };
    parts.map(form).filter(|form| form.fields.0.iter().any(|(name, _)| form.kind(name) != "hidden")).collect()
}

impl PageForm {
    /// Returns the name or the type of the element of a field.
    fn kind(&self, name: &str) -> &str {
        let at = self.html.find(&format!(" name=\"{name}\"")).unwrap();
        let tag = &self.html[self.html[..at].rfind('<').unwrap() + 1..];
        let tag = &tag[..tag.find('>').unwrap()];
        attribute(tag, "type").unwrap_or_else(|| tag.split(' ').next().unwrap())
    }

    /// Returns the value of the first option of a list after the one that chooses nothing.
    fn first_option(&self, name: &str) -> &str {
        let (_, list) = self.html.split_once(&format!(" name=\"{name}\"")).unwrap();
        let (options, _) = list.split_once("</select>").unwrap();
        let mut chosen = options.split("<option value=\"").map(|part| part.split('"').next().unwrap());
        chosen.nth(2).unwrap_or_default()
    }

    /// Returns the form with hostile text wherever a person can type, and a value that is accepted elsewhere.
    fn typed(&self) -> Fields {
        let (mut typed, email) = (self.fields.clone(), format!("={EMAIL}"));
        for (name, value) in &mut typed.0 {
            let member = name.rsplit('.').next().unwrap();
            let text = match self.kind(name) {
                "email" => email.as_str(),
                "url" => URL,
                "date" if value.is_empty() && name == "start_date" => "2097-06-05",
                "number" if value.is_empty() && member == "capacity" => "40",
                // A list of options is for one kind of question only.
                "textarea" if member == "options" => continue,
                "textarea" => LINES,
                "text" | "search" if member == "name" => NAME,
                "text" | "search" if ONE_LINE.contains(&member) => LINE,
                "text" => LINES,
                "select" if value.is_empty() && name == "timezone" => "Europe/Berlin",
                "select" if value.is_empty() && name == "slot_id" => self.first_option(name),
                _ => continue,
            };
            text.clone_into(value);
        }
        if self.html.contains("name=\"scopes\"") { typed.with("scopes", "events:read") } else { typed }
    }

    /// Returns the form with hostile text in every field that a person can change, choices included. With `hidden`, also in the
    /// hidden ones. The action stays: it says which form was sent.
    fn spoilt(&self, hidden: bool) -> Fields {
        let names: BTreeSet<_> =
            self.html.split(" name=\"").skip(1).map(|part| part.split('"').next().unwrap()).collect();
        let is_spoilt = |name: &&str| *name != "action" && (hidden || self.kind(name) != "hidden");
        names.into_iter().filter(is_spoilt).fold(self.fields.clone(), |fields, name| fields.with(name, LINES))
    }

    async fn send(&self, browser: &Organizer<'_>, fields: &Fields) -> Answer {
        if self.method == "GET" {
            let request = browser.server.request("GET", &self.action).query(&fields.0);
            return browser.send(request).await;
        }
        fields.post(browser, &self.action).await
    }
}

/// The values that stand in the paths, and the browsers.
struct Scene<'a> {
    owner: Organizer<'a>,
    stranger: Organizer<'a>,
    organization: String,
    event: String,
    event_slug: String,
    shift: String,
    question: String,
    signup: String,
    webhook: String,
    /// The secrets of a sign-up and of an open invitation.
    secrets: [String; 2],
}

impl Scene<'_> {
    fn path(&self, pattern: &str) -> String {
        let in_console = pattern.starts_with("/console/");
        path_of(pattern, |step| {
            let value = match step {
                "{slug}" if in_console => &self.organization,
                "{slug}" => &self.event_slug,
                "{secret}" if pattern.starts_with("/invitations/") => &self.secrets[1],
                "{secret}" => &self.secrets[0],
                "{event_id}" => &self.event,
                _ if pattern.contains("/shifts/") => &self.shift,
                _ if pattern.contains("/questions/") => &self.question,
                _ if pattern.contains("/signups/") || pattern.contains("/volunteers/") => &self.signup,
                _ if pattern.contains("/webhooks/") => &self.webhook,
                step => panic!("{step} of {pattern}"),
            };
            value.clone()
        })
    }

    /// Returns the path of each page: those that change least first, and the deletion of the event last.
    fn pages(&self) -> Vec<String> {
        let all = patterns().into_iter().chain(public_patterns());
        let mut pages: Vec<_> = all.filter(|(method, _)| *method == "GET").map(|(_, path)| path).collect();
        pages.sort_by_key(|pattern| match *pattern {
            "/console/{slug}/events/{event_id}/delete" => 4,
            "/console/{slug}/events/{event_id}/cancel" => 3,
            "/console/{slug}/shifts/{id}/delete" => 2,
            "/console/{slug}/signups/{id}/cancel" => 1,
            _ => 0,
        });
        pages.into_iter().map(|pattern| self.path(pattern)).collect()
    }

    /// Fetches every page, with and without a sign-in, as it is and with hostile text in the query. Returns how many show hostile
    /// text.
    async fn fetch_all(&self) -> usize {
        let mut hostile = 0;
        let query = ["q", "status", "slot_id", "type", "cursor", "next", "order", "addresses", "erased"];
        for path in self.pages() {
            for browser in [&self.owner, &self.stranger] {
                hostile += usize::from(check(&browser.get(&path).await, &path));
                let request = browser.server.request("GET", &path).query(&query.map(|name| (name, LINES)));
                check(&browser.send(request).await, &format!("{path} with a query"));
            }
        }
        hostile
    }
}

fn check_mail(mail: &Mail) {
    let parsed = mailparse::parse_mail(&mail.raw).unwrap();
    let names = parsed.headers.iter().map(|header| header.get_key().to_lowercase());
    let known = [
        "message-id",
        "date",
        "from",
        "to",
        "reply-to",
        "subject",
        "content-language",
        "list-unsubscribe",
        "list-unsubscribe-post",
        "auto-submitted",
        "mime-version",
        "content-type",
    ];
    for name in names {
        assert!(known.contains(&name.as_str()), "{name} in {:?}", parsed.headers);
    }
    for name in ["to", "reply-to"] {
        let Some(header) =
            parsed.headers.iter().find(|header| header.get_key_ref().eq_ignore_ascii_case(name))
        else {
            continue;
        };
        assert_eq!(mailparse::addrparse_header(header).unwrap().count_addrs(), 1, "{header:?}");
    }
    assert_is_text(&mail.html(), &mail.header("subject"));
}

/// Waits for a mail with each of these beginnings of a subject.
async fn wait_for_subjects(mailbox: &Mailbox, subjects: &[&str]) {
    wait_until(SOON, async || {
        let mails = mailbox.mails();
        let is_missing =
            |subject: &&&str| !mails.iter().any(|mail| mail.header("subject").starts_with(**subject));
        subjects.iter().find(is_missing).map_or(Ok(()), |missing| Err(format!("no mail about {missing}")))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_text_in_every_field_is_text_on_every_page_and_in_every_mail_and_file() {
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let (owner, stranger) = (Organizer::new(&server), Organizer::new(&server));

    // The first owner, an event with questions, a sign-up, a webhook and an invitation.
    let setup = server.console.strip_prefix(&server.url).unwrap();
    let form = forms(&owner.get(setup).await, setup).remove(0);
    check(&form.send(&stranger, &form.spoilt(false)).await, "the first owner");
    let joined = form.send(&owner, &form.typed().with("email", ADA)).await;
    let root = location(&joined).strip_suffix('/').unwrap().to_owned();
    let new = format!("{root}/events/new");
    let form = forms(&owner.get(&new).await, &new).remove(0);
    let created = form.send(&owner, &form.typed().with("is_published", "yes")).await;
    let at = location(&created).to_owned();
    let event = at.rsplit('/').next().unwrap().to_owned();
    let new = format!("{at}/questions/new");
    for kind in ["text", "select"] {
        let form = forms(&owner.get(&new).await, &new).remove(0);
        let options = if kind == "select" { LINES } else { "" };
        let fields = form.typed().with("type", kind).with("options", options);
        assert_eq!(location(&form.send(&owner, &fields).await), at);
    }
    let found = server.get(&format!("/v1/events/{event}")).await.data();
    let event_slug = found["slug"].as_str().unwrap().to_owned();
    // The volunteers are told another place first, and a mail tells them the hostile one.
    let early = found["slots"][0]["id"].as_str().unwrap();
    let moved = server.patch(&format!("/v1/slots/{early}"), &json!({"location": "Dock 4"})).await;
    assert_eq!(moved.status, 200, "{}", moved.text);
    let page = format!("/events/{event_slug}");
    let form_page = format!("{page}/signups?slot_id={early}");
    for sign in ["=", "+"] {
        let form = forms(&stranger.get(&form_page).await, &form_page).remove(0);
        let mut fields = form.typed().with("email", &format!("{sign}{EMAIL}"));
        for (name, value) in &mut fields.0 {
            if form.kind(name) == "select" {
                let (_, options) = form.html.split_once("<option value=\"\">").unwrap();
                let option = options.split("<option value=\"").nth(1).unwrap().split('"').next().unwrap();
                *value = decoded(option);
            }
        }
        assert_eq!(form.send(&stranger, &fields).await.status, 303);
    }
    let webhooks = format!("{root}/settings/webhooks");
    let form = forms(&owner.get(&webhooks).await, &webhooks).remove(0);
    let made = form.send(&owner, &form.typed()).await;
    assert!(check(&owner.get(location(&made)).await, "the secret of a webhook"));
    let members = format!("{root}/settings/members");
    let invite = forms(&owner.get(&members).await, &members).pop().unwrap();
    let invited = format!("+{EMAIL}");
    assert_eq!(location(&invite.send(&owner, &invite.typed().with("email", &invited)).await), members);

    let field = async |path: &str, name: &str| {
        let records = server.get(path).await.data();
        records.as_array().unwrap().last().unwrap()[name].as_str().unwrap().to_owned()
    };
    let text = wait_for_text(&mailbox, &invited, "/invitations/").await;
    let invitation = text.split("/invitations/").nth(1).unwrap().split_whitespace().next().unwrap();
    let mails = mailbox.wait_for(3, SOON).await;
    let of_signup = mails.iter().find_map(Mail::signup_path).unwrap();
    let scene = Scene {
        organization: root.rsplit('/').next().unwrap().to_owned(),
        shift: field("/v1/signups", "slot_id").await,
        question: field(&format!("/v1/events/{event}/questions"), "id").await,
        signup: field("/v1/signups", "id").await,
        webhook: field("/v1/webhooks", "id").await,
        secrets: [of_signup.strip_prefix("/signups/").unwrap(), invitation].map(str::to_owned),
        event,
        event_slug,
        owner,
        stranger,
    };
    let owner = &scene.owner;
    let shown = scene.fetch_all().await;
    assert!(shown > 30, "{shown} pages show hostile text");

    // Every form is refused with hostile text in all of its fields.
    let mut refused = 0;
    let sign_up = format!("/events/{}/signups?slot_id={}", scene.event_slug, scene.shift);
    for path in scene.pages().into_iter().chain([sign_up]) {
        for browser in [owner, &scene.stranger] {
            for form in forms(&browser.get(&path).await, &path) {
                for hidden in [false, true] {
                    check(&form.send(browser, &form.spoilt(hidden)).await, &format!("{path}: {form:?}"));
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 50, "{refused} forms");

    // Two people change the event.
    let edit = format!("{at}/edit");
    let form = forms(&owner.get(&edit).await, &edit).remove(0);
    let theirs = json!({"title": format!("Theirs {LINE}"), "badge_label": format!("Theirs {LINE}")});
    assert_eq!(server.patch(&format!("/v1/events/{}", scene.event), &theirs).await.status, 200);
    let mine = form.fields.clone().with("title", &format!("Mine {LINE}")).with("badge_label", NAME);
    let conflict = form.send(owner, &mine).await;
    assert!(conflict.status == 409 && check(&conflict, "a conflict"), "{}", conflict.text);

    // Every form is accepted, and confirmed where the page asks.
    let mut accepted = 0;
    let first_cancel = scene.path("/console/{slug}/signups/{id}/cancel");
    for path in scene.pages() {
        if path == first_cancel {
            wait_for_subjects(&mailbox, &["Changed: ", "=zq7x"]).await;
        }
        for form in forms(&owner.get(&path).await, &path) {
            // The volunteer has a place already, and an open invitation is for another person.
            if form.action.ends_with("/signups") && form.method == "POST" || form.action.contains("/sign-") {
                continue;
            }
            let answer = form.send(owner, &form.typed()).await;
            check(&answer, &form.action);
            assert!([200, 303].contains(&answer.status), "{form:?}: {}", answer.text);
            if answer.text.contains("name=\"confirmed\"") {
                let sent = Fields::of(&answer).post(owner, &form.action).await;
                check(&sent, &form.action);
                assert_eq!(sent.status, 303, "{form:?}: {}", sent.text);
            }
            accepted += 1;
        }
        if path.ends_with("/settings/people") {
            for action in ["export", "erase"] {
                let fields = [("action", action), ("email", &*format!("+{EMAIL}"))];
                assert!(check(&owner.post(&path, &fields).await, action));
            }
        }
        // The event is cancelled, and its pages say so.
        if path == format!("{at}/cancel") {
            scene.fetch_all().await;
        }
    }
    assert!(accepted > 15, "{accepted} forms");
    let invitation = scene.path("/invitations/{secret}");
    let accept = forms(&scene.stranger.get(&invitation).await, &invitation).remove(0);
    assert_eq!(accept.send(&scene.stranger, &accept.typed()).await.status, 303);
    let shown = scene.fetch_all().await;
    assert!(shown > 20, "{shown} pages show hostile text");

    let asked = owner.post("/sign-in", &[("email", ADA), ("next", LINES)]).await;
    check(&asked, "a code");
    wait_for_subjects(&mailbox, &["Invitation to", "You’re signed up: ", "Cancelled: ", "Your sign-in code"])
        .await;
    mailbox.mails().iter().for_each(check_mail);
}
