//! The public page of an event and the page of a sign-up, over HTTP without a browser.

use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};
use signup_core::{Clock as _, SystemClock};

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Answer, Engine, Server, event};
use crate::mailbox::Mailbox;
use crate::mails::with_mailbox;

/// Returns the body of [`event`], published.
pub(crate) fn published() -> Value {
    let mut event = event();
    event["is_published"] = json!(true);
    event
}

/// The public page of an event.
pub(crate) struct Page {
    pub(crate) path: String,
    pub(crate) event: Value,
}

impl Page {
    /// Creates an event and returns its page.
    pub(crate) async fn create(server: &Server, event: &Value) -> Self {
        let event = server.create(event).await;
        let path = format!("/events/{}", event["slug"].as_str().unwrap());
        assert!(event["public_url"].as_str().unwrap().ends_with(&path));
        Self { path, event }
    }

    /// Returns the id of the shift with this title.
    pub(crate) fn slot(&self, title: &str) -> String {
        let slots = self.event["slots"].as_array().unwrap();
        slots.iter().find(|slot| slot["title"] == title).unwrap()["id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn get(&self, server: &Server) -> Answer {
        server.browse("GET", &self.path, None).await
    }

    /// Submits a sign-up form. The server accepts at most 30 forms a minute from one address.
    pub(crate) async fn post(&self, server: &Server, fields: &[(&str, &str)]) -> Answer {
        server.browse("POST", &format!("{}/signups", self.path), Some(fields)).await
    }

    pub(crate) async fn sign_up(&self, server: &Server, slot: &str, name: &str, email: &str) -> Answer {
        self.post(server, &[("slot_id", slot), ("name", name), ("email", email)]).await
    }

    /// Returns the number of volunteers of the shift with this title.
    pub(crate) async fn filled(&self, server: &Server, title: &str) -> u64 {
        let event = self.event["id"].as_str().unwrap();
        let slots = server.get(&format!("/v1/events/{event}/slots")).await.data();
        let slot = self.slot(title);
        slots.as_array().unwrap().iter().find(|found| found["id"] == slot.as_str()).unwrap()["filled"]
            .as_u64()
            .unwrap()
    }
}

#[tokio::test]
async fn the_page_shows_the_event_and_a_form_for_each_shift_that_has_room() {
    let server = Server::start(&[]);
    let mut event = published();
    event["description"] = json!("Bring gloves.\nAnd *friends*.");
    event["location"] = json!("https://maps.example.org/?a=1&b=2");
    event["badge_label"] = json!("Families");
    event["theme"] = json!("golden-hour");
    let page = Page::create(&server, &event).await;
    let shown = page.get(&server).await;
    assert_eq!((shown.status, shown.header("content-type")), (200, Some("text/html; charset=utf-8")));
    for text in [
        "Food drive",
        "Bring gloves.\nAnd *friends*.",
        "Families",
        "Starter asks for volunteers",
        "Saturday, 5 June 2027",
        "data-theme=\"golden-hour\"",
        "href=\"https://maps.example.org/?a=1&#38;b=2\"",
        "America/New_York",
        "Dock 4",
        "4 needed",
        ">09:00</time>–<time datetime=\"2027-06-05T12:30:00-04:00\">12:30</time> EDT",
    ] {
        assert!(shown.text.contains(text), "{text} in {}", shown.text);
    }
    assert!(shown.text.find("Early").unwrap() < shown.text.find("Late").unwrap(), "in running order");
    for title in ["Early", "Late"] {
        assert!(shown.text.contains(&format!("name=\"slot_id\" value=\"{}\"", page.slot(title))), "{title}");
    }
    let head = server.browse("HEAD", &page.path, None).await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
}

#[tokio::test]
async fn every_page_has_the_security_headers() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    let slot = page.slot("Early");
    let answers = [
        page.get(&server).await,
        server.browse("GET", "/events/nothing", None).await,
        server.browse("GET", "/signups/nothing", None).await,
        server.browse("DELETE", &page.path, None).await,
        page.post(&server, &[("slot_id", &slot)]).await,
        page.sign_up(&server, &slot, "Ada", "ada@example.org").await,
        server.browse("GET", &format!("{}/signed-up", page.path), None).await,
    ];
    let statuses = answers.each_ref().map(|answer| answer.status);
    assert_eq!(statuses, [200, 404, 404, 405, 422, 303, 200]);
    for answer in answers {
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
        for part in ["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"] {
            assert!(policy.contains(part), "{policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"),
            ("referrer-policy", "no-referrer"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{name}");
        }
        assert!(matches!(answer.header("cache-control"), Some("no-store" | "no-cache")));
        assert!(!answer.text.contains("<script"), "{}", answer.text);
        assert!(!answer.text.contains(" style="), "the policy forbids inline styles");
    }
}

#[tokio::test]
async fn a_draft_and_an_unknown_slug_are_not_found() {
    let server = Server::start(&[]);
    let draft = Page::create(&server, &event()).await;
    let slot = draft.slot("Early");
    for path in [&draft.path, "/events/food-drive-aaaaaaaa", "/events/a/b", "/events/%2e", "/signups/x"] {
        let answer = server.browse("GET", path, None).await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (404, Some("text/html; charset=utf-8")),
            "{path}"
        );
    }
    assert_eq!(draft.sign_up(&server, &slot, "Ada", "ada@example.org").await.status, 404);
    assert_eq!(server.browse("GET", &format!("{}/slots/{slot}.ics", draft.path), None).await.status, 404);
    assert_eq!(server.browse("GET", &format!("{}/signed-up", draft.path), None).await.status, 404);
}

#[tokio::test]
async fn a_sign_up_lowers_the_number_of_needed_volunteers() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    let done = page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    assert_eq!(done.status, 303);
    let told = server.browse("GET", done.header("location").unwrap(), None).await;
    assert_eq!(told.status, 200);
    assert!(told.text.contains("A mail is on its way"), "{}", told.text);
    assert!(!told.text.contains("ada@example.org"), "the page behind a public link names no volunteer");
    let shown = page.get(&server).await.text;
    assert!(shown.contains("3 of 4 still needed"), "{shown}");
    assert!(!shown.contains("Ada"), "the public page names no volunteer");
}

#[tokio::test]
async fn a_refused_form_names_every_fault_and_keeps_the_typed_values() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    let event = page.event["id"].as_str().unwrap();
    let add =
        |arguments: &[&str]| server.manage(&[&["question", "add", "--event", event], arguments].concat());
    let size = add(&["--label", "Size", "--type", "select", "--option", "S", "--option", "M", "--required"]);
    let rules = add(&["--label", "I know the rules", "--type", "checkbox", "--required"]);
    let diet = add(&["--label", "Diet"]);
    let field = |question: &Value| format!("answer.{}", question["id"].as_str().unwrap());
    let (size, rules, diet) = (field(&size), field(&rules), field(&diet));
    let slot = page.slot("Early");
    let wrong = [
        ("slot_id", slot.as_str()),
        ("name", "  "),
        ("email", "ada@nowhere"),
        (&size, "XL"),
        (&diet, "<no> \"nuts\""),
    ];
    let answer = page.post(&server, &wrong).await;
    assert_eq!(answer.status, 422);
    for text in [
        "“Your name” must not be empty.",
        "“Your e-mail address” must be an e-mail address",
        "“Size” must be one of the options.",
        "“I know the rules” has to be ticked.",
        "value=\"ada@nowhere\"",
        "value=\"&#60;no&#62; &#34;nuts&#34;\"",
        "<title>Problem: Food drive</title>",
        "aria-invalid=\"true\"",
        "role=\"alert\"",
        "<details open>",
    ] {
        assert!(answer.text.contains(text), "{text} in {}", answer.text);
    }
    assert_eq!(answer.text.matches("<details open>").count(), 1, "only the submitted form is open");
    assert_eq!(page.filled(&server, "Early").await, 0);
    let right = [
        ("slot_id", slot.as_str()),
        ("name", "Ada"),
        ("email", "ada@example.org"),
        (&size, "M"),
        (&rules, "yes"),
        (&diet, "=nuts"),
    ];
    assert_eq!(page.post(&server, &right).await.status, 303);
    let signup = server.manage(&["signup", "list", "--event", event]);
    let values: Vec<_> =
        signup["answers"].as_array().unwrap().iter().map(|found| found["value"].clone()).collect();
    assert_eq!(values, ["M", "yes", "=nuts"]);
}

#[tokio::test]
async fn a_shift_outside_the_event_is_not_found() {
    let server = Server::start(&[]);
    let (page, other) =
        (Page::create(&server, &published()).await, Page::create(&server, &published()).await);
    for slot in [
        other.slot("Early"),
        "0192abcd-0000-7000-8000-000000000000".to_owned(),
        "x".to_owned(),
        String::new(),
    ] {
        assert_eq!(page.sign_up(&server, &slot, "Ada", "ada@example.org").await.status, 404, "{slot}");
    }
    assert_eq!(page.post(&server, &[("name", "Ada")]).await.status, 404);
    assert_eq!(other.filled(&server, "Early").await, 0);
}

#[tokio::test]
async fn a_full_shift_says_so_and_refuses_sign_ups() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    let late = page.slot("Late");
    for name in ["ada", "bob"] {
        assert_eq!(page.sign_up(&server, &late, name, &format!("{name}@example.org")).await.status, 303);
    }
    let full = page.sign_up(&server, &late, "Cyd", "cyd@example.org").await;
    assert_eq!(full.status, 409);
    assert!(full.text.contains("has just become full"), "{}", full.text);
    assert!(full.text.contains("Full: all 2 places are taken"));
    assert!(!full.text.contains(&format!("value=\"{late}\"")), "no form for a shift that is full");
    server.patch(&format!("/v1/slots/{late}"), &json!({"capacity": 1})).await;
    assert!(page.get(&server).await.text.contains("Full: 2 signed up for 1 place"));
    assert_eq!(page.sign_up(&server, &late, "Cyd", "cyd@example.org").await.status, 409);
    assert_eq!(page.filled(&server, "Late").await, 2);
}

/// Returns an event of today in a zone where it is noon, so that a patch can move its shift into the past.
fn today() -> Value {
    let hour = i8::try_from(SystemClock.now().as_second() / 3600 % 24).unwrap();
    let offset = jiff::tz::Offset::constant(12 - hour);
    json!({
        "title": "Food drive",
        "start_date": offset.to_datetime(SystemClock.now()).date().to_string(),
        // The names `Etc/GMT±N` have inverted signs: `Etc/GMT+5` is UTC−5.
        "timezone": format!("Etc/GMT{:+}", hour - 12),
        "is_published": true,
        "shifts": [{"title": "All day", "capacity": 2}],
    })
}

/// The answer to a signed-up address, in any case, equals the answer to an unknown address byte for byte. The signed-up
/// address gets its link by mail again, at most once an hour.
#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_or_past_shift_does_not_reveal_who_is_signed_up(
    #[values(None, Some(Sqlite), Some(Postgres))] engine: Option<Engine>,
    #[values(false, true)] is_past: bool,
) {
    let mailbox = Mailbox::start();
    let smtp = ["--smtp", &mailbox.url()];
    let server = match engine.map(Server::start_with) {
        None => Server::start(&smtp),
        Some(Some(server)) => server.restart_with(&smtp),
        Some(None) => return,
    };
    let page = Page::create(&server, &today()).await;
    let slot = page.slot("All day");
    for name in ["ada", "bob"] {
        let answer = page.sign_up(&server, &slot, name, &format!("{name}@example.org")).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
    }
    let soon = Duration::from_secs(20);
    mailbox.wait_for(2, soon).await;
    if is_past {
        let past = json!({"start_time": "00:00", "end_time": "00:01", "notify_volunteers": false});
        assert_eq!(server.patch(&format!("/v1/slots/{slot}"), &past).await.status, 200);
    }
    // Ends the hour since the last mail. The memory store has no SQL, so there the third mail is not sent.
    if engine.is_some() {
        server.sql("UPDATE signups SET mailed_at = mailed_at - 3600").await;
    }
    let unknown = page.sign_up(&server, &slot, "Cyd", "cyd@example.org").await;
    assert_eq!(unknown.status, 409, "{}", unknown.text);
    assert_eq!(unknown.text.contains("this shift is over"), is_past, "{}", unknown.text);
    let headers = |answer: &Answer| {
        let mut headers = answer.headers.clone();
        assert!(headers.remove("x-request-id").is_some() && headers.remove("date").is_some());
        headers
    };
    for address in ["ada@example.org", "Ada@Example.org"] {
        let known = page.sign_up(&server, &slot, "Ada", address).await;
        assert_eq!((known.status, &known.text), (unknown.status, &unknown.text));
        assert_eq!(headers(&known), headers(&unknown));
    }
    let mails = mailbox.wait_for_exactly(if engine.is_some() { 3 } else { 2 }, soon).await;
    if let Some(mail) = mails.get(2) {
        assert_eq!(mail.to, "ada@example.org");
        let shown = server.browse("GET", &mail.signup_path().unwrap(), None).await;
        let says = if is_past { "You were signed up" } else { "You are signed up" };
        assert!(shown.text.contains(says) && mail.text().contains(says), "{}", mail.text());
    }
    assert_eq!(page.filled(&server, "All day").await, 2);
}

#[tokio::test]
async fn an_event_that_is_over_refuses_sign_ups() {
    let server = Server::start(&[]);
    let mut past = published();
    past["start_date"] = json!("2020-06-06");
    let page = Page::create(&server, &past).await;
    let shown = page.get(&server).await;
    assert!(shown.text.contains("This event is over"), "{}", shown.text);
    assert!(!shown.text.contains("<form"));
    let answer = page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    assert_eq!(answer.status, 409);
    assert!(answer.text.contains("this shift is over"), "{}", answer.text);
}

/// The shift becomes full while the form is filled in, and the form has a fault.
#[tokio::test]
async fn a_faulty_form_for_a_full_shift_keeps_the_typed_values() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    let late = page.slot("Late");
    for name in ["ada", "bob"] {
        page.sign_up(&server, &late, name, &format!("{name}@example.org")).await;
    }
    let wrong = page.sign_up(&server, &late, "Cyd", "cyd@").await;
    assert_eq!(wrong.status, 422);
    for text in
        [format!("id=\"email-{late}\""), "value=\"Cyd\"".to_owned(), format!("href=\"#email-{late}\"")]
    {
        assert!(wrong.text.contains(&text), "{text} in {}", wrong.text);
    }
}

#[tokio::test]
async fn a_shift_of_an_event_of_several_days_shows_its_day() {
    let server = Server::start(&[]);
    let mut event = published();
    event["end_date"] = json!("2027-06-07");
    let shown = Page::create(&server, &event).await.get(&server).await.text;
    assert!(shown.contains("Saturday, 5 June 2027 – Monday, 7 June 2027"), "{shown}");
    assert!(
        shown.contains("Saturday, 5 June 2027, <time datetime=\"2027-06-05T09:00:00-04:00\">"),
        "{shown}"
    );
}

#[tokio::test]
async fn an_event_without_shifts_says_so() {
    let server = Server::start(&[]);
    let empty =
        json!({"title": "Later", "start_date": "2027-06-05", "timezone": "UTC", "is_published": true});
    let shown = Page::create(&server, &empty).await.get(&server).await;
    assert!(shown.text.contains("No shifts yet"), "{}", shown.text);
}

#[tokio::test]
async fn a_cancellation_by_the_mailed_link_frees_the_place() {
    let (server, mailbox) = with_mailbox("memory:");
    let page = Page::create(&server, &published()).await;
    let late = page.slot("Late");
    page.sign_up(&server, &late, "Ada", "ada@example.org").await;
    let path = mailbox.wait_for(1, Duration::from_secs(20)).await[0].signup_path().unwrap();
    let shown = server.browse("GET", &path, None).await;
    assert_eq!(shown.status, 200);
    for text in ["You are signed up", "Ada", "ada@example.org", "Late", "Cancel my place"] {
        assert!(shown.text.contains(text), "{text} in {}", shown.text);
    }
    for time in ["once", "again"] {
        let done = server.browse("POST", &format!("{path}/cancel"), None).await;
        assert_eq!((done.status, done.header("location")), (303, Some(path.as_str())), "{time}");
        let shown = server.browse("GET", &path, None).await;
        assert!(shown.text.contains("Your place is cancelled"), "{}", shown.text);
        assert!(!shown.text.contains("<form"), "{time}");
        assert_eq!(page.filled(&server, "Late").await, 0, "{time}");
    }
    let unknown = format!("/signups/{}", "A".repeat(43));
    assert_eq!(server.browse("GET", &unknown, None).await.status, 404);
    assert_eq!(server.browse("POST", &format!("{unknown}/cancel"), None).await.status, 404);
    assert_eq!(
        server.browse("GET", &format!("{path}/cancel"), None).await.status,
        405,
        "a GET cancels nothing"
    );
}

#[tokio::test]
async fn a_shift_is_available_as_a_calendar_file() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    let file = server.browse("GET", &format!("{}/slots/{}.ics", page.path, page.slot("Early")), None).await;
    assert_eq!((file.status, file.header("content-type")), (200, Some("text/calendar; charset=utf-8")));
    assert_eq!(file.header("content-disposition"), Some("attachment; filename=\"shift.ics\""));
    assert!(
        file.text.contains("ORGANIZER;CN=Starter:http://")
            || file.text.contains("ORGANIZER;CN=\"Starter\":http://"),
        "{}",
        file.text
    );
    for line in ["METHOD:PUBLISH", "DTSTART:20270605T130000Z", "DTEND:20270605T163000Z", "LOCATION:Dock 4"] {
        assert!(file.text.contains(&format!("{line}\r\n")), "{line} in {}", file.text);
    }
}
