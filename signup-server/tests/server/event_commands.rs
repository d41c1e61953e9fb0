//! The management commands of events: list, show, cancel, delete and restore.

use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};

use crate::command_line::assert_fails;
use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server, event, run};
use crate::pages::{Page, published};
use crate::wait::wait_until;

/// Runs a command on the server's database and returns the printed lines.
fn lines(server: &Server, arguments: &[&str]) -> Vec<Value> {
    let output = run(&[&["--database", &server.database()], arguments].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Checks that a command fails with one line on standard error that contains `says`.
fn assert_refused(server: &Server, arguments: &[&str], says: &str) {
    assert_fails(&run(&[&["--database", &server.database()], arguments].concat()), 1, says);
}

fn id(event: &Value) -> &str {
    event["id"].as_str().unwrap()
}

fn ids(events: &[Value]) -> Vec<&str> {
    events.iter().map(id).collect()
}

const LIST: [&str; 4] = ["event", "list", "--organization", "starter"];

#[tokio::test]
async fn a_list_has_published_draft_and_cancelled_events_or_only_deleted_ones() {
    let server = Server::start_on_sqlite();
    server.manage(&["organization", "create", "--name", "Other"]);
    let mut created = vec![];
    for day in 1..=4 {
        let mut event = event();
        event["start_date"] = json!(format!("2027-06-0{day}"));
        event["is_published"] = json!(day == 1);
        created.push(server.create(&event).await);
    }
    let [published, draft, cancelled, deleted] = created.as_slice() else { panic!() };
    server.manage(&["event", "cancel", "--event", id(cancelled)]);
    server.manage(&["event", "delete", "--event", id(deleted)]);

    let listed = lines(&server, &LIST);
    assert_eq!(ids(&listed), [id(cancelled), id(draft), id(published)], "latest start first");
    let states: Vec<_> = listed
        .iter()
        .map(|event| (event["is_published"].as_bool().unwrap(), event["cancelled_at"].is_string()))
        .collect();
    assert_eq!(states, [(false, true), (false, false), (true, false)]);
    assert!(listed.iter().all(|event| event["deleted_at"].is_null() && event.get("slots").is_none()));

    let deleted_ones = lines(&server, &[LIST.as_slice(), &["--deleted"]].concat());
    assert_eq!(ids(&deleted_ones), [id(deleted)]);
    assert!(deleted_ones[0]["deleted_at"].as_str().unwrap().ends_with("+00:00"), "{deleted_ones:?}");
    for none in [vec![], vec!["--deleted"]] {
        let other = [&["event", "list", "--organization", "other"], none.as_slice()].concat();
        assert_eq!(lines(&server, &other), [Value::Null; 0]);
    }
}

#[test]
fn a_list_of_an_unknown_organization_and_an_unknown_event_are_errors() {
    let server = Server::start_on_sqlite();
    assert_refused(&server, &["event", "list", "--organization", "nobody"], "nobody");
    for command in ["show", "cancel", "delete", "restore"] {
        assert_refused(&server, &["event", command, "--event", "nothing"], "nothing");
    }
}

#[tokio::test]
async fn an_event_is_shown_with_its_slots_and_questions() {
    let server = Server::start_on_sqlite();
    let created = server.create(&published()).await;
    let question = server.manage(&["question", "add", "--event", id(&created), "--label", "Size"]);
    let show = ["event", "show", "--event", id(&created), "--base-url", "https://signup.example.org/"];
    let shown = server.manage(&show);
    assert_eq!((&shown["slots"], &shown["questions"]), (&created["slots"], &json!([question])));
    let slug = created["slug"].as_str().unwrap();
    assert_eq!(shown["public_url"], format!("https://signup.example.org/events/{slug}"));

    let deleted = server.manage(&["event", "delete", "--event", id(&created)]);
    assert_eq!(server.manage(&show[..4]), deleted, "a deleted event is shown as it is listed");
    assert!(deleted["deleted_at"].is_string() && deleted.get("slots").is_none(), "{deleted}");
}

/// The server is killed before the commands, so their mails stay queued.
#[tokio::test]
async fn a_cancellation_queues_its_mails_unless_no_mail_is_given() {
    let mut server = Server::start_on_sqlite();
    let [quiet, told] =
        [Page::create(&server, &published()).await, Page::create(&server, &published()).await];
    for page in [&quiet, &told] {
        assert_eq!(page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await.status, 303);
    }
    server.kill();
    let queued = |cause: &str| {
        let mails = lines(&server, &["notice", "list"]);
        let of_cause = mails.into_iter().filter(|mail| mail["cause"] == cause);
        of_cause.map(|mail| mail["event_id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for (page, extra, mailed) in
        [(&quiet, vec!["--no-mail"], vec![]), (&told, vec![], vec![id(&told.event).to_owned()])]
    {
        let event = id(&page.event);
        let cancel = ["event", "cancel", "--event", event, "--reason", "The hall is flooded."];
        let cancelled = server.manage(&[cancel.as_slice(), &extra].concat());
        assert_eq!(cancelled["cancellation_reason"], "The hall is flooded.");
        let filled: Vec<_> =
            cancelled["slots"].as_array().unwrap().iter().map(|slot| &slot["filled"]).collect();
        assert_eq!(filled, [0, 0]);
        assert_eq!(queued("event_cancelled"), mailed);
        let signups = lines(&server, &["signup", "list", "--event", event]);
        assert_eq!(
            (&signups[0]["status"], &signups[0]["cancelled_by"]),
            (&json!("cancelled"), &json!("organizer"))
        );
        let again = server.manage(&["event", "cancel", "--event", event, "--reason", "Another reason."]);
        assert_eq!(again, cancelled, "a cancelled event stays as it is");
        assert_eq!(queued("event_cancelled"), mailed);
    }
}

#[rstest]
#[tokio::test]
async fn a_running_server_answers_with_what_a_command_changed(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let page = Page::create(&server, &published()).await;
    let path = format!("/v1/events/{}", id(&page.event));
    assert_eq!(server.get(&path).await.data()["cancelled_at"], Value::Null);
    let cancelled = server.manage(&["event", "cancel", "--event", id(&page.event)]);
    assert_eq!(server.get(&path).await.data()["cancelled_at"], cancelled["cancelled_at"]);
    // The server may answer from its cache for a second.
    let wait_for = async |status| {
        wait_until(Duration::from_secs(2), async || {
            let statuses = (server.get(&path).await.status, page.get(&server).await.status);
            if statuses == (status, status) { Ok(()) } else { Err(format!("{statuses:?}")) }
        })
        .await;
    };
    server.manage(&["event", "delete", "--event", id(&page.event)]);
    wait_for(404).await;
    server.manage(&["event", "restore", "--event", id(&page.event)]);
    wait_for(200).await;
}

#[tokio::test]
async fn an_event_with_active_sign_ups_is_deleted_only_after_its_cancellation() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    let event = id(&page.event);
    let delete = ["event", "delete", "--event", event];
    assert_refused(&server, &delete, "cancel the event first, so that they are told");
    server.manage(&["event", "cancel", "--event", event]);
    server.manage(&delete);
    assert_refused(&server, &delete, "is deleted");
    assert_refused(&server, &["event", "cancel", "--event", event], "is deleted: restore it first");
    assert_refused(&server, &["signup", "list", "--event", event], event);
}

#[tokio::test]
async fn a_restored_event_has_its_slots_questions_and_sign_ups() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    let event = id(&page.event);
    server.manage(&["question", "add", "--event", event, "--label", "Size"]);
    page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    server.manage(&["event", "cancel", "--event", event]);
    let before = server.manage(&["event", "show", "--event", event]);
    let signups = lines(&server, &["signup", "list", "--event", event]);
    assert_eq!(signups.len(), 1);
    server.manage(&["event", "delete", "--event", event]);

    let restored = server.manage(&["event", "restore", "--event", event]);
    assert_eq!((id(&restored), &restored["deleted_at"]), (event, &Value::Null));
    assert_eq!(server.manage(&["event", "show", "--event", event]), before);
    assert_eq!(lines(&server, &["signup", "list", "--event", event]), signups);
    assert_eq!(lines(&server, &[LIST.as_slice(), &["--deleted"]].concat()), [Value::Null; 0]);
    assert_refused(&server, &["event", "restore", "--event", event], "is not deleted");
}

#[rstest]
#[tokio::test]
async fn every_command_finds_an_event_by_its_slug(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let created = server.create(&published()).await;
    let slug = created["slug"].as_str().unwrap();
    let of_event = |command: [&str; 2], extra: &[&str]| {
        let shown = lines(&server, &[&command[..], &["--event", slug], extra].concat());
        shown.first().cloned().unwrap_or_default()
    };
    let question = of_event(["question", "add"], &["--label", "Size"]);
    assert_eq!(question["event_id"], created["id"]);
    assert_eq!(of_event(["question", "list"], &[]), question);
    assert_eq!(of_event(["signup", "list"], &[]), Value::Null);
    for command in ["show", "cancel", "delete", "show", "restore"] {
        assert_eq!(of_event(["event", command], &[])["id"], created["id"], "{command}");
    }
}

#[tokio::test]
async fn a_restore_keeps_the_limit_of_the_plan() {
    let server = Server::start_on_sqlite();
    let deleted = server.create(&published()).await;
    server.manage(&["event", "delete", "--event", id(&deleted)]);
    let mut others = vec![];
    for _ in 0..5 {
        others.push(server.create(&published()).await);
    }
    server.manage(&["organization", "plan", "--organization", "starter", "--plan", "free"]);
    let restore = ["event", "restore", "--event", id(&deleted)];
    assert_refused(&server, &restore, "the plan allows 5 active events, and 5 are active");
    server.manage(&["event", "cancel", "--event", id(&others[0])]);
    assert_eq!(id(&server.manage(&restore)), id(&deleted));
}
