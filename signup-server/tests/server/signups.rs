//! The commands about sign-ups and mails.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Server, run};
use crate::lives::path;
use crate::mails::{SOON, with_mailbox};
use crate::pages::{Page, published};
use crate::wait::wait_until;

/// Runs a command on the server's database and returns its output. Panics if the command fails.
fn command(server: &Server, arguments: &[&str]) -> String {
    let output = run(&[&["--database", &server.database()], arguments].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Checks for exit code 1 and one line on standard error that contains `says`.
fn assert_refused(server: &Server, arguments: &[&str], says: &str) {
    let output = run(&[&["--database", &server.database()], arguments].concat());
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), error.lines().count()), (Some(1), 1), "{error}");
    assert!(error.contains(says), "{error}");
}

#[tokio::test]
async fn sign_ups_are_listed_as_json_and_as_csv() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    let event = page.event["id"].as_str().unwrap();
    let size =
        server.manage(&["question", "add", "--event", event, "--label", "Size, please", "--type", "text"]);
    let size = format!("answer.{}", size["id"].as_str().unwrap());
    let slot = page.slot("Early");
    for (name, email, answer) in [("Ada \"A\"", "ada@example.org", "=1+1"), ("-Bob", "bob@example.org", "")] {
        let form = [("slot_id", slot.as_str()), ("name", name), ("email", email), (&size, answer)];
        assert_eq!(page.post(&server, &form).await.status, 303);
    }
    let lines = command(&server, &["signup", "list", "--event", event]);
    let signups: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(signups.len(), 2);
    let ada = &signups[0];
    assert_eq!(
        (&ada["name"], &ada["status"], &ada["cancelled_at"]),
        (&json!("Ada \"A\""), &json!("confirmed"), &Value::Null)
    );
    let answer = &ada["answers"][0];
    assert_eq!((&answer["label"], &answer["value"]), (&json!("Size, please"), &json!("=1+1")));

    let table = command(&server, &["signup", "list", "--event", event, "--csv"]);
    let lines: Vec<_> = table.lines().collect();
    assert_eq!(
        lines[0],
        "id,event_id,slot_id,name,email,status,cancelled_at,cancelled_by,created_at,\"Size, please\""
    );
    assert!(lines[1].contains(",\"Ada \"\"A\"\"\",ada@example.org,confirmed,,,"), "{}", lines[1]);
    assert!(lines[1].ends_with(",'=1+1"), "a formula is escaped: {}", lines[1]);
    assert!(lines[2].contains(",'-Bob,bob@example.org,") && lines[2].ends_with(','), "{}", lines[2]);
    assert_eq!(server.post(&format!("{}/cancel", path(&page.event)), &json!({})).await.status, 200);
    let table = command(&server, &["signup", "list", "--event", event, "--csv"]);
    let cancelled_at = server.get(&path(&page.event)).await.data()["cancelled_at"].clone();
    let cancelled = format!(",cancelled,{},organizer,", cancelled_at.as_str().unwrap());
    for line in table.lines().skip(1) {
        assert!(line.contains(&cancelled), "{line}");
    }
    assert_refused(&server, &["signup", "list", "--event", "x"], "there is no event with the id x");
}

#[tokio::test]
async fn a_person_is_erased_while_the_server_runs() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    for title in ["Early", "Late"] {
        page.sign_up(&server, &page.slot(title), "Ada", "ada@example.org").await;
    }
    page.sign_up(&server, &page.slot("Early"), "Bob", "bob@example.org").await;
    let event = page.event["id"].as_str().unwrap();
    let filled = async || {
        let slots = server.get(&format!("/v1/events/{event}/slots")).await.data();
        slots.as_array().unwrap().iter().map(|slot| slot["filled"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(filled().await, [2, 1]);
    let erase = ["signup", "erase", "--email", "ADA@example.org", "--organization", "starter"];
    assert_eq!(server.manage(&erase)["erased"], 2);
    assert_eq!(server.manage(&erase)["erased"], 0);
    // The server may answer from its cache for a second.
    wait_until(Duration::from_secs(2), async || {
        let filled = filled().await;
        if filled == [1, 0] { Ok(()) } else { Err(format!("{filled:?}")) }
    })
    .await;
    let left = command(&server, &["signup", "list", "--event", event]);
    assert!(!left.to_lowercase().contains("ada@") && left.contains("bob@example.org"), "{left}");
    let there = server
        .sql("SELECT CAST(COUNT(*) AS TEXT) FROM signups WHERE email LIKE 'ada%' OR email_key LIKE 'ada%'")
        .await;
    assert_eq!(there, "0");
    assert_eq!(page.sign_up(&server, &page.slot("Late"), "Ada", "ada@example.org").await.status, 303);
    let nobody = ["signup", "erase", "--email", "ada@example.org", "--organization", "nobody"];
    assert_refused(&server, &nobody, "there is no organization with the id or slug nobody");
    let output = run(&["signup", "erase", "--email", "ada", "--organization", "starter"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[tokio::test]
async fn queued_mails_are_listed_without_their_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite:{}", folder.path().join("signup.db").display());
    let (server, mailbox) = with_mailbox(&database);
    mailbox.answer("busy@example.org", &[(450, "mailbox busy")]);
    let page = Page::create(&server, &published()).await;
    page.sign_up(&server, &page.slot("Early"), "Busy", "busy@example.org").await;
    let tried = wait_until(SOON, async || {
        let notice: Value = serde_json::from_str(&command(&server, &["notice", "list"])).unwrap();
        let is_tried = notice["attempts"] == 1;
        if is_tried { Ok(notice) } else { Err(format!("the notice was not tried once: {notice}")) }
    })
    .await;
    assert_eq!(
        (&tried["cause"], &tried["failed_at"], &tried["reason"]),
        (&json!("signed_up"), &Value::Null, &Value::Null)
    );
    assert_eq!(tried["slot_id"], page.slot("Early"));
    assert!(!tried.to_string().contains("secret"));
    assert_eq!(command(&server, &["notice", "list", "--failed"]), "");
    assert_refused(&server, &["notice", "retry", "--id", "x"], "there is no notice with the id x");
}
