//! Sign-ups and cancellations over the public pages, without a browser.

use rstest::rstest;
use serde_json::{Value, json};
use signup_core::{Clock as _, SystemClock};

use crate::harness::{Answer, Server};
use crate::mailbox::{Calendar, Mailbox};
use crate::mails::{SOON, with_mailbox};
use crate::pages::{Page, published};

#[tokio::test]
async fn a_sign_up_takes_a_place_and_leads_to_a_page_that_names_the_shift() {
    let (server, _mailbox) = with_mailbox("memory:");
    let mut event = published();
    event["location"] = json!("12 Harbor Street");
    let page = Page::create(&server, &event).await;
    let done = page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    assert_eq!(done.status, 303);
    let location = done.header("location").unwrap();
    let told = server.browse("GET", location, None).await;
    assert_eq!(told.status, 200);
    for text in [
        "Food drive",
        "Early",
        "Saturday 5 June 2027",
        ">09:00</time>",
        "Dock 4</span>, <span dir=\"auto\">12 Harbor Street",
        "a link to cancel is on its way",
        "You can use an email address once for each shift.",
    ] {
        assert!(told.text.contains(text), "{text} in {}", told.text);
    }
    assert!(!told.text.contains("ada@example.org"), "the page behind a public link names no volunteer");
    let again = page.sign_up(&server, &page.slot("Early"), "Bob", "ADA@example.org").await;
    assert_eq!(
        (again.status, again.header("location")),
        (303, Some(location)),
        "the same page for a repetition"
    );
    let shown = page.get(&server).await.text;
    assert!(shown.contains("3 of 4 places left"), "{shown}");
    assert!(!shown.contains("Ada"), "the public page names no volunteer");
    for public in [told.text, shown] {
        assert!(!public.contains("calendar.ics"), "only a sign-up has a calendar entry: {public}");
    }
}

/// A link to the page after a sign-up may outlive the shift.
#[tokio::test]
async fn the_page_after_a_sign_up_for_no_shift_leads_to_the_event() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    for query in ["", "?slot_id=x", "?slot_id=0192abcd-0000-7000-8000-000000000000"] {
        let answer = server.browse("GET", &format!("{}/signed-up{query}", page.path), None).await;
        assert_eq!((answer.status, answer.header("location")), (303, Some(page.path.as_str())), "{query}");
    }
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
        "There is a problem",
        "Enter your name",
        "Enter an email address like name@example.com",
        "Choose an option for “Size”",
        "Tick “I know the rules” to sign up",
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
async fn a_form_for_a_shift_outside_the_event_is_not_found_with_the_page_of_the_event() {
    let server = Server::start(&[]);
    let (page, other) =
        (Page::create(&server, &published()).await, Page::create(&server, &published()).await);
    for slot in [
        other.slot("Early"),
        "0192abcd-0000-7000-8000-000000000000".to_owned(),
        "x".to_owned(),
        String::new(),
    ] {
        let answer = page.sign_up(&server, &slot, "Ada", "ada@example.org").await;
        assert_eq!(answer.status, 404, "{slot}");
        for text in ["Sorry, this shift is no longer available", "<form"] {
            assert!(answer.text.contains(text), "{text} in {}", answer.text);
        }
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
    assert!(full.text.contains("Sorry, this shift is full"), "{}", full.text);
    assert!(full.text.contains("<p>Full</p>"), "{}", full.text);
    assert!(!full.text.contains(&format!("value=\"{late}\"")), "no form for a shift that is full");
    server.patch(&format!("/v1/slots/{late}"), &json!({"capacity": 1})).await;
    assert!(page.get(&server).await.text.contains("<p>Full</p>"));
    assert_eq!(page.sign_up(&server, &late, "Cyd", "cyd@example.org").await.status, 409);
    assert_eq!(page.filled(&server, "Late").await, 2);
}

/// Returns an event of today in a zone where it is noon, so that a patch can move its shift into the past.
pub(crate) fn today() -> Value {
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

/// The answers to a signed-up address, in upper or lower case, and to an unknown address are equal byte for byte. The
/// signed-up address gets a mail with a link, at most once an hour.
#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_or_past_shift_does_not_reveal_who_is_signed_up(#[values(false, true)] is_past: bool) {
    let mailbox = Mailbox::start();
    let server = Server::start_on_sqlite().restart_with(&["--smtp", &mailbox.url()]);
    let page = Page::create(&server, &today()).await;
    let slot = page.slot("All day");
    for name in ["ada", "bob"] {
        let answer = page.sign_up(&server, &slot, name, &format!("{name}@example.org")).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
    }
    mailbox.wait_for(2, SOON).await;
    if is_past {
        let past = json!({"start_time": "00:00", "end_time": "00:01", "notify_volunteers": false});
        assert_eq!(server.patch(&format!("/v1/slots/{slot}"), &past).await.status, 200);
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
    let mail = mailbox.wait_for_exactly(3, SOON).await.remove(2);
    assert_eq!(mail.to, "ada@example.org");
    let shown = server.browse("GET", &mail.signup_path().unwrap(), None).await;
    let says = if is_past { "You were signed up" } else { "You’re signed up" };
    assert!(shown.text.contains(says), "{}", shown.text);
    assert!(mail.text().contains("You already have a place"), "{}", mail.text());
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
    let slot = page.slot("Early");
    let told = server.browse("GET", &format!("{}/signed-up?slot_id={slot}", page.path), None).await;
    assert_eq!(
        (told.status, told.header("location")),
        (303, Some(page.path.as_str())),
        "the page thanks only after a sign-up"
    );
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
async fn a_cancellation_by_the_mailed_link_frees_the_place() {
    let (server, mailbox) = with_mailbox("memory:");
    let page = Page::create(&server, &published()).await;
    let late = page.slot("Late");
    page.sign_up(&server, &late, "Ada", "ada@example.org").await;
    let path = mailbox.wait_for(1, SOON).await[0].signup_path().unwrap();
    let shown = server.browse("GET", &path, None).await;
    assert_eq!(shown.status, 200);
    for text in ["You’re signed up", "Ada", "ada@example.org", "Late", "Cancel my place"] {
        assert!(shown.text.contains(text), "{text} in {}", shown.text);
    }
    for time in ["once", "again"] {
        let done = server.browse("POST", &format!("{path}/cancel"), None).await;
        assert_eq!((done.status, done.header("location")), (303, Some(path.as_str())), "{time}");
        let shown = server.browse("GET", &path, None).await;
        assert!(shown.text.contains("You’ve cancelled your place"), "{}", shown.text);
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

/// The file is for volunteers who did not add the entry from the mail. A calendar program merges two entries with the same UID.
#[tokio::test]
async fn a_sign_up_has_the_calendar_entry_of_its_mail_as_a_file() {
    let (server, mailbox) = with_mailbox("memory:");
    let page = Page::create(&server, &published()).await;
    page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    let mail = mailbox.wait_for(1, SOON).await.remove(0);
    let path = mail.signup_path().unwrap();
    let shown = server.browse("GET", &path, None).await.text;
    assert!(shown.contains(&format!("href=\"{path}/calendar.ics\"")), "{shown}");
    let file = server.browse("GET", &format!("{path}/calendar.ics"), None).await;
    assert_eq!(file.status, 200);
    for (name, value) in [
        ("content-type", "text/calendar; charset=utf-8"),
        ("content-disposition", "attachment; filename=\"shift.ics\""),
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(file.header(name), Some(value));
    }
    assert_eq!(
        Calendar::read(&file.text).without_time_of_writing(),
        mail.calendar().without_time_of_writing()
    );
}
