//! The console's pages of sign-ups: the list, the spreadsheet, the roster, and cancelling one place.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::console::{Organizer, wait_for_text};
use crate::console_events::Fields;
use crate::console_guard::assert_protected;
use crate::harness::{Answer, Server, run};
use crate::mailbox::Mailbox;
use crate::pages::Page;
use crate::snapshots::{readable, stable};

/// A text that would run a script, or add an element, on a page that does not escape it.
pub(crate) const HOSTILE: &str = "<script>alert(1)</script>\"'><img src=x>";

/// An organizer with a published event, which has two shifts and a question.
pub(crate) struct Scene<'a> {
    pub(crate) ada: Organizer<'a>,
    pub(crate) page: Page,
    question: String,
}

impl<'a> Scene<'a> {
    /// Creates the event, with hostile text in every field that takes one.
    pub(crate) async fn start(server: &'a Server) -> Self {
        let ada = Organizer::first_owner(server).await;
        let shift = |title: &str, start: &str, end: &str| json!({ "title": title, "location": HOSTILE, "start_time": start, "end_time": end, "capacity": 40 });
        let event = json!({
            "title": format!("Drive {HOSTILE}"), "start_date": "2097-06-05", "timezone": "Europe/Berlin", "is_published": true,
            "shifts": [shift("Late", "18:00", "20:00"), shift("Early", "08:00", "10:00")],
        });
        let page = Page::create(server, &event).await;
        let path = format!("/v1/events/{}/questions", page.event["id"].as_str().unwrap());
        let question = server.post(&path, &json!({ "label": format!("Diet {HOSTILE}") })).await.data();
        Self { ada, page, question: question["id"].as_str().unwrap().to_owned() }
    }

    /// Signs a volunteer up for the shift with this title.
    pub(crate) async fn sign_up(&self, title: &str, (name, email): (&str, &str), answer: &str) {
        let (slot, question) = (self.page.slot(title), format!("answer.{}", self.question));
        let fields = [("slot_id", &*slot), ("name", name), ("email", email), (&question, answer)];
        let answer = self.page.post(self.ada.server, &fields).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
    }

    pub(crate) fn id(&self) -> &str {
        self.page.event["id"].as_str().unwrap()
    }

    /// Returns the path of a page of the event in the console.
    pub(crate) fn path(&self, page: &str) -> String {
        format!("/console/riverside/events/{}/{page}", self.id())
    }

    async fn get(&self, page: &str) -> Answer {
        self.ada.get(&self.path(page)).await
    }
}

/// Returns the href of the link with this text.
pub(crate) fn link(page: &Answer, text: &str) -> Option<String> {
    let (before, _) = page.text.split_once(&format!(">{text}"))?;
    let (_, link) = before.rsplit_once("href=\"")?;
    Some(link.split('"').next()?.replace("&amp;", "&").replace("&#38;", "&"))
}

#[tokio::test]
async fn sign_ups_are_listed_with_answers_and_filtered_by_shift_status_and_text() {
    let server = Server::start(&[]);
    let scene = Scene::start(&server).await;
    scene.sign_up("Late", (&format!("Bob {HOSTILE}"), "bob@example.org"), HOSTILE).await;
    scene.sign_up("Early", ("Jürgen", "juergen@example.org"), "vegan").await;
    let all = scene.get("signups").await;
    assert_snapshot!(stable(&readable(&all)));
    for (query, is_bob, is_juergen) in [
        (format!("slot_id={}", scene.page.slot("Early")), false, true),
        ("status=confirmed".to_owned(), true, true),
        ("status=cancelled".to_owned(), false, false),
        ("q=J%C3%9CRGEN".to_owned(), false, true),
        ("q=bob%40".to_owned(), true, false),
        ("q=%25".to_owned(), false, false),
        (format!("q=example.org&status=confirmed&slot_id={}", scene.page.slot("Late")), true, false),
    ] {
        let page = scene.get(&format!("signups?{query}")).await;
        let found = ["bob@example.org<", "juergen@example.org<"].map(|part| page.text.contains(part));
        assert_eq!((page.status, found), (200, [is_bob, is_juergen]), "{query}");
    }
    for (query, status) in [("status=maybe", 422), ("cursor=x", 422), ("slot_id=x", 404)] {
        assert_eq!(scene.get(&format!("signups?{query}")).await.status, status, "{query}");
    }
    for page in ["signups", "signups.csv", "roster"] {
        let other = format!("/console/riverside/events/00000000-0000-0000-0000-000000000000/{page}");
        assert_eq!(scene.ada.get(&other).await.status, 404, "{page}");
    }
}

#[tokio::test]
async fn each_page_of_the_list_keeps_the_search() {
    let server = Server::start(&[]);
    let scene = Scene::start(&server).await;
    for number in 0..27 {
        scene.sign_up("Early", ("Same", &format!("v{number:02}@example.org")), "").await;
    }
    let first = scene.get("signups?q=v&status=confirmed").await;
    assert!(first.text.contains("v26@") && !first.text.contains("v01@"), "{}", first.text);
    let older = link(&first, "Older sign-ups").unwrap();
    assert!(older.contains("q=v") && older.contains("status=confirmed"), "{older}");
    let second = scene.ada.get(&older).await;
    assert!(second.text.contains("v00@") && !second.text.contains("v26@"), "{}", second.text);
    assert_eq!(link(&second, "Older sign-ups"), None);
    let newer = link(&second, "Newer sign-ups").unwrap();
    assert!(scene.ada.get(&newer).await.text.contains("v26@"));
}

#[tokio::test]
async fn the_spreadsheet_is_the_table_of_the_command_line_and_runs_no_formula() {
    let server = Server::start_on_sqlite();
    let scene = Scene::start(&server).await;
    scene.sign_up("Late", ("=HYPERLINK(\"x\")", "bob@example.org"), "+1").await;
    scene.sign_up("Early", ("Müller", "mueller@example.org"), "@x").await;
    let csv = scene.get("signups.csv").await;
    assert_eq!((csv.status, csv.header("content-type")), (200, Some("text/csv; charset=utf-8")));
    let slug = scene.page.event["slug"].as_str().unwrap();
    let disposition = format!("attachment; filename=\"{slug}-signups.csv\"");
    assert_eq!(csv.header("content-disposition"), Some(&*disposition));
    assert_eq!(csv.header("x-content-type-options"), Some("nosniff"));
    assert_protected(&csv, "signups.csv");
    // The mark at the beginning, which `Answer` leaves out.
    let cookie = format!("signup={}", scene.ada.cookie("signup").unwrap());
    let request = server.request("GET", &scene.path("signups.csv")).header("cookie", cookie);
    let bytes = request.send().await.unwrap().bytes().await.unwrap();
    assert!(bytes.starts_with(b"\xef\xbb\xbfshift,date,start_time,"), "{}", csv.text);
    let lines: Vec<_> = csv.text.trim_start_matches('\u{feff}').lines().collect();
    assert!(
        lines[1]
            .starts_with("\"Early\",2097-06-05,08:00,10:00,\"Müller\",\"mueller@example.org\",confirmed,")
    );
    assert!(lines[1].contains(",\"'@x\","), "{}", csv.text);
    assert!(lines[2].contains(",\"'=HYPERLINK(\"\"x\"\")\","), "{}", csv.text);
    let command = ["--database", &server.database(), "signup", "list", "--event", scene.id(), "--csv"];
    let printed = String::from_utf8(run(&command).stdout).unwrap();
    assert_eq!(csv.text.trim_start_matches('\u{feff}'), printed.trim_start_matches('\u{feff}'));

    let european = scene.get("signups.csv?separator=semicolon").await.text;
    let (first, rest) = european.split_once("\r\n").unwrap();
    assert!(first.contains("shift;date;start_time;") && rest.contains(";\"'@x\";"), "{european}");
    let refused = scene.get("signups.csv?separator=tab").await;
    assert!(
        refused.status == 422 && refused.text.contains("Choose a comma or a semicolon"),
        "{}",
        refused.text
    );
}

#[tokio::test]
async fn a_cancelled_place_is_mailed_with_the_reason_once_the_form_is_confirmed() {
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let scene = Scene::start(&server).await;
    scene.sign_up("Early", (&format!("Bob {HOSTILE}"), "bob@example.org"), "").await;
    let path = link(&scene.get("signups").await, "Cancel<").unwrap();
    let told = "Email bob@example.org about it";
    let page = scene.ada.get(&path).await;
    assert!(page.status == 200 && page.text.contains(told), "{}", page.text);
    let asked = scene.ada.post(&path, &[("reason", "The hall is closed")]).await;
    assert!(asked.status == 200 && asked.text.contains(told), "{}", asked.text);
    assert!(
        scene.get("signups?status=confirmed").await.text.contains("bob@example.org"),
        "not cancelled yet"
    );

    let form = Fields::of(&asked);
    assert_eq!((form.get("reason"), form.get("notify_volunteers")), ("The hall is closed", "yes"));
    let done = form.post(&scene.ada, &path).await;
    assert_eq!((done.status, done.header("location")), (303, Some(&*scene.path("signups"))));
    let mail = wait_for_text(&mailbox, "bob@example.org", "The hall is closed").await;
    assert!(mail.contains("cancelled"), "{mail}");
    let list = scene.get("signups?status=cancelled").await;
    assert!(list.text.contains("Cancelled by the organizer on "), "{}", list.text);
    for asked in [scene.ada.get(&path).await, scene.ada.post(&path, &[("reason", "Again")]).await] {
        assert_eq!(asked.status, 409);
        assert!(asked.text.contains("This place is already cancelled."), "{}", asked.text);
    }
    assert_eq!(form.post(&scene.ada, &path).await.status, 303, "a form that is sent twice");
}

#[tokio::test]
async fn a_corrected_address_gets_the_mail_and_the_old_one_loses_the_place() {
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let scene = Scene::start(&server).await;
    scene.sign_up("Early", ("Bob", "bob@exmaple.org"), "").await;
    scene.sign_up("Early", ("Eve", "eve@example.org"), "").await;
    let old = wait_for_text(&mailbox, "bob@exmaple.org", "/signups/").await;
    let mails_to_old = || mailbox.mails().into_iter().filter(|mail| mail.to == "bob@exmaple.org").count();
    let before = mails_to_old();
    let path = link(&scene.get("signups?q=bob").await, "Correct<").unwrap();
    let told = "we’ll email the new one about the sign-up";
    let page = scene.ada.get(&path).await;
    assert!(page.text.contains(told), "{}", page.text);
    let form = Fields::of(&page);
    assert_eq!((form.get("email"), form.get("list")), ("bob@exmaple.org", "q=bob"));
    let form = form.with("name", "Bob Stone").with("email", "bob@example.org").with("list", "q=bob&other=1");
    let asked = form.clone().without("confirmed").post(&scene.ada, &path).await;
    assert!(asked.status == 200 && asked.text.contains(told), "{}", asked.text);
    assert_eq!((Fields::of(&asked).get("name"), mails_to_old()), ("Bob Stone", before));
    assert!(scene.get("signups?q=bob").await.text.contains("bob@exmaple.org"), "not corrected yet");
    let stale = form.clone().with("was.name", "Rob").with("name", "Robert").post(&scene.ada, &path).await;
    assert!(stale.status == 409 && stale.text.contains("This has been changed"), "{}", stale.text);
    let done = form.post(&scene.ada, &path).await;
    let list = scene.path("signups?q=bob");
    assert_eq!((done.status, done.header("location")), (303, Some(&*list)), "the search is kept");
    let mail = wait_for_text(&mailbox, "bob@example.org", "/signups/").await;
    assert!(mail.contains("Bob Stone"), "{mail}");
    let page = async |mail: &str| {
        let link = mail.split_whitespace().find(|word| word.contains("/signups/")).unwrap();
        server.browse("GET", link.strip_prefix(&server.url).unwrap(), None).await.text
    };
    assert!(page(&mail).await.contains("Early") && !page(&old).await.contains("Early"));
    assert_eq!(mails_to_old(), before, "the old address is not mailed");
    for confirmed in [&[][..], &[("confirmed", "yes")]] {
        let twice = [&[("name", "eve"), ("email", "Eve@example.org")], confirmed].concat();
        let twice = scene.ada.post(&path, &twice).await;
        assert!(twice.status == 409 && twice.text.contains("already on the shift"), "{}", twice.text);
    }
    let activity = server.get("/v1/activity?type=signup.corrected").await.data();
    assert_eq!((activity.as_array().unwrap().len(), &activity[0]["changes"]), (1, &json!([])));
}

#[tokio::test]
async fn a_moved_volunteer_is_mailed_both_shifts_once_the_form_is_confirmed() {
    let mailbox = Mailbox::start();
    let server = Server::start(&["--smtp", &mailbox.url()]);
    let scene = Scene::start(&server).await;
    scene.sign_up("Early", ("Bob", "bob@example.org"), "").await;
    wait_for_text(&mailbox, "bob@example.org", "/signups/").await;
    let path = link(&scene.get("signups").await, "Move<").unwrap();
    let late = scene.page.slot("Late");
    let page = scene.ada.get(&path).await;
    let told = "We’ll email bob@example.org about it, with both shifts.";
    assert!(page.text.contains(&format!("value=\"{late}\"")) && page.text.contains(told), "{}", page.text);
    assert!(!page.text.contains(&format!("option value=\"{}\"", scene.page.slot("Early"))), "{}", page.text);
    let missing = scene.ada.post(&path, &[("slot_id", "")]).await;
    assert!(missing.status == 422 && missing.text.contains("Choose a shift"), "{}", missing.text);
    let asked = scene.ada.post(&path, &[("slot_id", &*late)]).await;
    assert!(asked.status == 200 && asked.text.contains(told), "{}", asked.text);
    let form = Fields::of(&asked);
    let list = async || server.get(&format!("/v1/slots/{late}/signups")).await.data();
    assert_eq!((form.get("slot_id"), list().await), (&*late, json!([])), "not moved yet");
    for _sent_twice in 0..2 {
        let done = form.post(&scene.ada, &path).await;
        assert_eq!((done.status, done.header("location")), (303, Some(&*scene.path("signups"))));
    }
    let mail = wait_for_text(&mailbox, "bob@example.org", "Shift was: Early").await;
    assert!(mail.contains("Shift now: Late"), "{mail}");
    assert_eq!(list().await[0]["name"], "Bob");
    let activity = server.get("/v1/activity?type=signup.moved").await.data();
    assert_eq!((activity.as_array().unwrap().len(), &activity[0]["slot_id"]), (1, &json!(late)));
    let there = scene.ada.post(&path, &[("slot_id", &*late)]).await;
    assert!(there.status == 409 && there.text.contains("already on the shift"), "{}", there.text);
    assert_eq!(scene.ada.post(&path, &[("slot_id", scene.id()), ("confirmed", "yes")]).await.status, 404);
}

/// An event with shifts of one place each. Bo has the place on A, for which Cy waits.
async fn one_who_waits(server: &Server) -> Page {
    let slots = ["A", "B", "C"].map(|title| json!({ "title": title, "capacity": 1 }));
    let event = json!({
        "title": "Drive", "start_date": "2097-06-05", "timezone": "UTC", "is_published": true, "waitlist_enabled": true,
        "shifts": slots,
    });
    let page = Page::create(server, &event).await;
    page.signed_up(server, &page.slot("A"), "Bo", "bo@example.org").await;
    let fields =
        [("slot_id", &*page.slot("A")), ("name", "Cy"), ("email", "cy@example.org"), ("waitlist", "1")];
    assert_eq!(page.post(server, &fields).await.status, 303);
    page
}

/// Returns the sign-up of an address.
async fn signup_of(server: &Server, email: &str) -> Value {
    server.get(&format!("/v1/signups?email={email}")).await.data()[0].clone()
}

/// Returns the path of a page of this sign-up.
fn page_of(signup: &Value, action: &str) -> String {
    format!("/console/riverside/signups/{}/{action}", signup["id"].as_str().unwrap())
}

#[tokio::test]
async fn a_form_whose_page_said_something_else_about_the_sign_up_does_nothing() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let page = one_who_waits(&server).await;
    let state = async |email: &str| {
        let signup = signup_of(&server, email).await;
        let shift =
            page.event["slots"].as_array().unwrap().iter().find(|slot| slot["id"] == signup["slot_id"]);
        format!("{} {}", signup["status"].as_str().unwrap(), shift.unwrap()["title"].as_str().unwrap())
    };
    let (bo, cy) = ("bo@example.org", "cy@example.org");
    let move_bo = page_of(&signup_of(&server, bo).await, "move");
    let cancel_cy = page_of(&signup_of(&server, cy).await, "cancel");
    let to = Fields::of(&ada.get(&move_bo).await);
    let to_c = to.clone().with("slot_id", &page.slot("C"));
    let take_off = Fields::of(&ada.get(&cancel_cy).await).with("reason", "Too many");
    assert_eq!(to.with("slot_id", &page.slot("B")).post(&ada, &move_bo).await.status, 303);
    assert_eq!(state(cy).await, "confirmed A", "the place went to the person who waited");

    for (form, path, email, says, before, after) in [
        (&to_c, &move_bo, bo, "B, Wednesday 5 June 2097", "confirmed B", "confirmed C"),
        (&take_off, &cancel_cy, cy, "Cancel the place of", "confirmed A", "cancelled A"),
    ] {
        let stale = form.post(&ada, path).await;
        assert_eq!((stale.status, &*state(email).await), (409, before), "{}", stale.text);
        for text in ["This has been changed since you opened the page", says] {
            assert!(stale.text.contains(text), "{}", stale.text);
        }
        let form = Fields::of(&stale);
        for _sent_twice in 0..2 {
            assert_eq!(form.post(&ada, path).await.status, 303);
        }
        assert_eq!(state(email).await, after);
    }
    assert_eq!(take_off.post(&ada, &cancel_cy).await.status, 303, "it is what the form was to do");
}

#[tokio::test]
async fn each_page_that_changes_a_sign_up_says_who_is_told() {
    let mut text = String::new();
    for (mail, arguments) in [("no mail", &[][..]), ("mail", &["--smtp", "smtp://127.0.0.1:1"])] {
        let server = Server::start(arguments);
        let ada = Organizer::first_owner(&server).await;
        let page = one_who_waits(&server).await;
        let mut say = async |state: &str, email: &str| {
            let signup = signup_of(&server, email).await;
            for action in ["move", "correct", "cancel"] {
                let page = readable(&ada.get(&page_of(&signup, action)).await);
                let (_, main) = page.split_once("\n# ").unwrap();
                let main = main.split("\nYou’re signed in as").next().unwrap();
                let said = main.lines().filter(|line| line.ends_with('.') || line.ends_with("about it"));
                let said = said.collect::<Vec<_>>().join("\n");
                text += &format!("{mail}, {state}, {action}:\n{said}\n\n");
            }
        };
        say("a place that somebody waits for", "bo@example.org").await;
        say("on the waiting list", "cy@example.org").await;
        let past = json!({ "start_date": "2020-06-05", "end_date": "2020-06-05" });
        let moved = server.patch(&format!("/v1/events/{}", page.event["id"].as_str().unwrap()), &past).await;
        assert_eq!(moved.status, 200);
        say("over", "bo@example.org").await;
    }
    assert_snapshot!(stable(&text));
}

#[tokio::test]
async fn a_search_is_in_no_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let server = Server::start_with_log("memory:", &log, &["--log", "trace"]);
    let scene = Scene::start(&server).await;
    assert_eq!(scene.get("signups?q=searched-name&status=confirmed").await.status, 200);
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.contains("/console/{slug}/events/{event_id}/signups"), "the request is logged");
    assert!(!log.contains("searched-name"), "{log}");
}
