//! The form for several people and several shifts, and the page after it, without a browser.

use serde_json::{Value, json};

use crate::harness::{Answer, Server};
use crate::mailbox::Calendar;
use crate::mails::{SOON, with_mailbox};
use crate::page_sign_ups::headers;
use crate::pages::{Page, published};

/// Ada and Bo, and an empty row.
fn family<'a>(slots: &'a [String], more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let slots = slots.iter().map(|slot| ("slot_id", slot.as_str()));
    let people =
        [("name", "Ada"), ("email", "ada@example.org"), ("people.1.name", ""), ("people.2.name", "Bo")];
    slots.chain(people).chain(more.iter().copied()).collect()
}

async fn form(server: &Server, page: &Page, query: &str) -> Answer {
    server.browse("GET", &format!("{}/signups{query}", page.path), None).await
}

#[tokio::test]
async fn the_form_shows_the_chosen_shifts_and_without_any_asks_for_some() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    let (early, late) = (page.slot("Early"), page.slot("Late"));
    let hidden = |text: &str| text.matches("type=\"hidden\" name=\"slot_id\"").count();
    let both =
        form(&server, &page, &format!("?slot_id={late}&slot_id={early}&slot_id={early}&name=Mallory")).await;
    assert_eq!((both.status, hidden(&both.text)), (200, 2), "{}", both.text);
    assert!(both.text.contains("Your 2 shifts") && !both.text.contains("Mallory"), "{}", both.text);
    for query in ["", "?", "?slot_id="] {
        let none = form(&server, &page, query).await;
        assert_eq!(none.status, 200);
        assert!(none.text.contains("Choose a shift"), "{}", none.text);
    }
    let none = page.post(&server, &family(&[], &[])).await;
    assert!(none.status == 422 && none.text.contains("Choose a shift"), "{}", none.text);
    let many: Vec<_> = (10..31).map(|number| format!("0192abcd-0000-7000-8000-0000000000{number}")).collect();
    let too_many = page.post(&server, &family(&many, &[])).await;
    assert!(
        too_many.status == 422 && too_many.text.contains("Choose at most 20 shifts"),
        "{}",
        too_many.text
    );
    for unknown in ["x", &many[0]] {
        assert_eq!(form(&server, &page, &format!("?slot_id={early}&slot_id={unknown}")).await.status, 404);
        let slots = [early.clone(), (*unknown).to_owned()];
        assert_eq!(page.post(&server, &family(&slots, &[])).await.status, 404);
    }
    server.patch(&format!("/v1/slots/{late}"), &json!({"capacity": 0})).await;
    let one = form(&server, &page, &format!("?slot_id={late}&slot_id={early}")).await;
    assert_eq!((one.status, hidden(&one.text)), (200, 1), "the full one is left out: {}", one.text);
    let full = form(&server, &page, &format!("?slot_id={late}")).await;
    assert!(full.text.contains("Sorry, this shift is full"), "{}", full.text);
    let ticked = server.browse("GET", &format!("{}?slot_id={early}", page.path), None).await.text;
    assert!(ticked.contains(&format!("name=\"slot_id\" value=\"{early}\" checked")), "{ticked}");
}

#[tokio::test]
async fn another_person_is_added_without_signing_anybody_up() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    let slots = [page.slot("Early")];
    let added = page.post(&server, &family(&slots, &[("add", "person")])).await;
    assert_eq!((added.status, added.header("cache-control")), (200, Some("no-store")));
    for value in ["value=\"Ada\"", "value=\"ada@example.org\"", "name=\"people.2.name\" value=\"Bo\""] {
        assert!(added.text.contains(value), "{value} in {}", added.text);
    }
    assert!(added.text.contains("name=\"people.3.name\" value=\"\""), "{}", added.text);
    assert!(!added.text.contains("There is a problem"), "{}", added.text);
    assert_eq!(page.filled(&server, "Early").await, 0);
}

#[tokio::test]
async fn a_family_gets_places_on_each_shift() {
    let (server, mailbox) = with_mailbox("memory:");
    let page = Page::create(&server, &published()).await;
    let slots = ["Early", "Late"].map(|title| page.slot(title));
    let twice = page.post(&server, &family(&slots, &[("people.3.name", "ADA")])).await;
    assert_eq!(twice.status, 422);
    for text in ["href=\"#people-3-name\"", "Person 4 is in the form already", "value=\"ADA\""] {
        assert!(twice.text.contains(text), "{text} in {}", twice.text);
    }
    let done = page.post(&server, &family(&slots, &[])).await;
    assert_eq!((done.status, done.header("location")), (303, Some(&*format!("{}/signed-up", page.path))));
    assert_eq!([page.filled(&server, "Early").await, page.filled(&server, "Late").await], [2, 2]);
    let signups = server.get("/v1/signups").await.data();
    let mut names: Vec<_> =
        signups.as_array().unwrap().iter().map(|signup| signup["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["Ada", "Ada", "Bo", "Bo"]);
    let activity = server.get("/v1/activity?type=signup.created").await.data();
    assert_eq!(activity.as_array().unwrap().len(), 4);
    mailbox.wait_for(1, SOON).await;
}

#[tokio::test]
async fn a_refused_form_says_what_was_saved_for_whom_and_what_was_not() {
    let server = Server::start(&[]);
    let page = Page::create(&server, &published()).await;
    let slots = ["Early", "Late"].map(|title| page.slot(title));
    page.signed_up(&server, &slots[1], "Cy", "cy@example.org").await;
    let some = page.post(&server, &family(&slots, &[])).await;
    assert_eq!((some.status, some.header("cache-control")), (409, Some("no-store")));
    for text in ["We could only save some of your places", "it doesn’t have 2 places left"] {
        assert!(some.text.contains(text), "{text} in {}", some.text);
    }
    let saved = some.text.split("Saved for").nth(1).unwrap().split("Not saved").next().unwrap();
    assert!(
        ["Ada", "Bo", "Early"].iter().all(|text| saved.contains(text)) && !saved.contains("Late"),
        "{saved}"
    );
    assert_eq!([page.filled(&server, "Early").await, page.filled(&server, "Late").await], [2, 1]);
    let gone = server.send("DELETE", &format!("/v1/slots/{}?cancel_signups=true", slots[1]), None).await;
    assert_eq!(gone.status, 200);
    let deleted = page.post(&server, &family(&slots[1..], &[])).await;
    assert!(
        deleted.status == 409 && deleted.text.contains("Sorry, this shift is no longer available"),
        "{}",
        deleted.text
    );
}

#[tokio::test]
async fn shifts_that_overlap_are_named_before_anything_is_taken() {
    let server = Server::start(&[]);
    let mut event = published();
    event["shifts"]
        .as_array_mut()
        .unwrap()
        .push(json!({"title": "Noon", "start_time": "12:00", "end_time": "14:00", "capacity": 9}));
    let page = Page::create(&server, &event).await;
    let slots = ["Early", "Noon"].map(|title| page.slot(title));
    let shown = form(&server, &page, &format!("?slot_id={}&slot_id={}", slots[0], slots[1])).await.text;
    assert!(shown.contains("These two overlap") && !shown.contains("aria-invalid=\"true\""), "{shown}");
    assert_eq!(shown.matches("name=\"overlap\"").count(), 1, "{shown}");
    let refused = page.post(&server, &family(&slots, &[])).await;
    assert_eq!(refused.status, 422);
    for text in ["These two overlap", "name=\"overlap\" value=\"1\" aria-invalid", "Sign up for both anyway"]
    {
        assert!(refused.text.contains(text), "{text} in {}", refused.text);
    }
    assert_eq!(page.filled(&server, "Early").await, 0);
    assert_eq!(page.post(&server, &family(&slots, &[("overlap", "1")])).await.status, 303);
    assert_eq!(page.filled(&server, "Noon").await, 2);
}

/// Returns the cookie of an answer, as a browser sends it.
fn cookie(answer: &Answer) -> String {
    let set = answer.header("set-cookie").unwrap();
    set.split(';').next().unwrap().to_owned()
}

async fn after(server: &Server, page: &Page, path: &str, cookie: &str) -> Answer {
    let request = server.request("GET", &format!("{}/signed-up{path}", page.path));
    server.page_answer(request.header("cookie", cookie)).await
}

/// Nobody can tell from the answers whether the places were saved now or before.
#[tokio::test]
async fn the_page_after_signing_up_shows_what_the_browser_keeps() {
    let (server, _mailbox) = with_mailbox("memory:");
    let mut event = published();
    (event["start_date"], event["location"]) = (json!("2099-06-05"), json!("Old hall"));
    let page = Page::create(&server, &event).await;
    let (early, late) = (page.slot("Early"), page.slot("Late"));
    let post = async |name: &str, slot: &str| {
        let fields = [("slot_id", slot), ("name", name), ("email", "ada@example.org")];
        page.post(&server, &fields).await
    };
    let first = post("Ada <b>", &early).await;
    let attributes = first.header("set-cookie").unwrap().split_once("; ").unwrap().1.to_owned();
    assert_eq!(attributes, format!("Path={}/signed-up; Max-Age=600; HttpOnly; SameSite=Lax", page.path));
    let again = post("Ada <b>", &early).await;
    assert_eq!((&first.status, &first.text, headers(&first)), (&again.status, &again.text, headers(&again)));
    let shown = after(&server, &page, "", &cookie(&first)).await;
    let known = after(&server, &page, "", &cookie(&again)).await;
    assert_eq!((&shown.text, headers(&shown)), (&known.text, headers(&known)));
    for text in [
        "<span dir=\"auto\">Ada &#60;b&#62;</span>, your place on <span dir=\"auto\">Early</span> is saved.",
        "ada@example.org",
        "Wrong address?",
        "Friday 5 June 2099",
        "Dock 4",
        "Old hall",
        &format!("href=\"{}/signups?slot_id={early}\">Sign somebody else up", page.path),
        &format!("href=\"{}\">Choose another shift", page.path),
    ] {
        assert!(shown.text.contains(text), "{text} in {}", shown.text);
    }
    let both = page.post(&server, &family(&[early, late], &[])).await;
    let file = after(&server, &page, "/calendar.ics", &cookie(&both)).await;
    assert_eq!((file.status, file.header("content-type")), (200, Some("text/calendar; charset=utf-8")));
    assert_eq!(file.text.matches("BEGIN:VEVENT").count(), 2, "one for each shift: {}", file.text);
    let file = after(&server, &page, "/calendar.ics", &cookie(&first)).await;
    assert_eq!(Calendar::read(&file.text).property("SUMMARY"), "Food drive: Early");
}

#[tokio::test]
async fn a_browser_without_the_cookie_reads_only_that_a_mail_is_on_its_way() {
    let (server, _mailbox) = with_mailbox("memory:");
    let page = Page::create(&server, &published()).await;
    let other = Page::create(&server, &published()).await;
    let foreign = other.sign_up(&server, &other.slot("Early"), "Ada", "ada@example.org").await;
    for cookie in ["", "signed-up=", "signed-up=eyJ4Ijo", "signed-up=<script>", "x=y", &cookie(&foreign)] {
        let shown = after(&server, &page, "", cookie).await;
        assert_eq!(shown.status, 200, "{cookie}");
        assert!(shown.text.contains("Check your email"), "{}", shown.text);
        for text in ["Ada", "Early", "script", "calendar.ics"] {
            assert!(!shown.text.contains(text), "{text} in {}", shown.text);
        }
        assert_eq!(after(&server, &page, "/calendar.ics", cookie).await.status, 404, "{cookie}");
    }
}

#[tokio::test]
async fn the_cookie_is_secure_where_the_base_url_is_https() {
    let server = Server::start(&["--base-url", "https://example.org/api"]);
    let page = Page::create(&server, &published()).await;
    let done = page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    let cookie = done.header("set-cookie").unwrap();
    let expected = format!("; Path=/api{}/signed-up; Max-Age=600; HttpOnly; SameSite=Lax; Secure", page.path);
    assert!(cookie.ends_with(&expected), "{cookie}");
}

/// Eight families of three want the four places of a shift, and the two of another one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn simultaneous_families_are_not_torn_apart() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    let slots = ["Early", "Late"].map(|title| page.slot(title));
    let emails: Vec<_> = (0..8).map(|number| format!("v{number}@example.org")).collect();
    let posts = emails.iter().map(|email| {
        let fields = family(&slots, &[("people.3.name", "Cy"), ("email", email)]);
        let (server, page) = (&server, &page);
        async move { page.post(server, &fields).await.status }
    });
    let statuses = futures_util::future::join_all(posts).await;
    assert!(statuses.iter().all(|status| *status == 409), "nobody gets both: {statuses:?}");
    assert_eq!([page.filled(&server, "Early").await, page.filled(&server, "Late").await], [3, 0]);
    let signups: Value = server.get("/v1/signups").await.data();
    let emails: Vec<_> = signups.as_array().unwrap().iter().map(|signup| &signup["email"]).collect();
    assert!(emails.len() == 3 && emails.iter().all(|email| *email == emails[0]), "one family: {emails:?}");
}
