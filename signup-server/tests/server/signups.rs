//! The commands about sign-ups and mails.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Server, run};
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
async fn sign_ups_are_listed_as_json() {
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

    assert_refused(&server, &["signup", "list", "--event", "x"], "there is no event with the id or slug x");
}

#[tokio::test]
async fn the_table_of_sign_ups_is_in_running_order_and_by_name_with_local_times() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    let event = page.event["id"].as_str().unwrap();
    let size = server.manage(&["question", "add", "--event", event, "--label", "Größe, \"EU\""]);
    let size = format!("answer.{}", size["id"].as_str().unwrap());
    for (title, name, email, answer) in [
        ("Late", "Zoë\u{202e}\u{200c}", "zoe@example.org", "M\r\nL"),
        ("Early", "bob", "bob@example.org", "=1+1"),
        ("Early", "Ada \"A\"", "ada@example.org", "M"),
    ] {
        let slot = page.slot(title);
        let form = [("slot_id", slot.as_str()), ("name", name), ("email", email), (&size, answer)];
        assert_eq!(page.post(&server, &form).await.status, 303);
    }
    // The sign-ups for a deleted slot stay in the table.
    let deleted = format!("/v1/slots/{}?cancel_signups=true", page.slot("Late"));
    assert_eq!(server.send("DELETE", &deleted, None).await.status, 200);
    let listed = command(&server, &["signup", "list", "--event", event]);
    assert!(listed.contains(r#""name":"Zoë\u202e\u200c""#), "{listed}");
    let mut signups: Vec<Value> = listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    signups.reverse();
    let [ada, bob, zoe] = signups.as_slice() else { panic!("{listed}") };
    let field = |signup: &Value, name: &str| signup[name].as_str().unwrap_or_default().to_owned();
    let ends = |signup: &Value, answer: &str| {
        let ids = ["id", "event_id", "slot_id"].map(|name| field(signup, name)).join(",");
        let times = ["created_at", "cancelled_at", "cancelled_by"].map(|name| field(signup, name)).join(",");
        format!("{},{times},{answer},{ids}", field(signup, "status"))
    };
    let table = command(&server, &["signup", "list", "--event", event, "--csv"]);
    let expected = [
        "\u{feff}shift,date,start_time,end_time,name,email,status,created_at,cancelled_at,cancelled_by,\
         \"Größe, \"\"EU\"\"\",id,event_id,slot_id"
            .to_owned(),
        format!(
            "\"Early\",2027-06-05,09:00,12:30,\"Ada \"\"A\"\"\",\"ada@example.org\",{}",
            ends(ada, "\"M\"")
        ),
        format!("\"Early\",2027-06-05,09:00,12:30,\"bob\",\"bob@example.org\",{}", ends(bob, "\"'=1+1\"")),
        format!(
            "\"Late\",2027-06-05,13:00,17:00,\"Zoë\\u202e\u{200c}\",\"zoe@example.org\",{}",
            ends(zoe, "\"M\nL\"")
        ),
    ];
    // A terminal obeys nothing of a name, and the joiner, which belongs to words, is kept.
    assert_eq!(table, expected.join("\n") + "\n");
    assert_eq!((&zoe["status"], &zoe["cancelled_by"]), (&json!("cancelled"), &json!("organizer")));
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
async fn queued_mails_are_listed_with_recipient_and_last_reason_and_without_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite:{}", folder.path().join("signup.db").display());
    let (server, mailbox) = with_mailbox(&database);
    mailbox.answer("busy@example.org", &[(450, "mailbox busy")]);
    let page = Page::create(&server, &published()).await;
    page.sign_up(&server, &page.slot("Early"), "Busy", "busy@example.org").await;
    let tried = wait_until(SOON, async || {
        let notice: Value = serde_json::from_str(&command(&server, &["notice", "list"])).unwrap();
        let is_tried = notice["attempts"] == 1 && notice["reason"].is_string();
        if is_tried { Ok(notice) } else { Err(format!("the notice was not tried once: {notice}")) }
    })
    .await;
    assert_eq!(
        (&tried["cause"], &tried["recipient"], &tried["failed_at"]),
        (&json!("signed_up"), &json!("busy@example.org"), &Value::Null)
    );
    assert_eq!(tried["reason"], "the mail server answered 450: mailbox busy");
    assert!(tried["due_at"].is_string(), "{tried}");
    assert_eq!(tried["slot_id"], page.slot("Early"));
    assert!(!tried.to_string().contains("secret"));
    assert_eq!(command(&server, &["notice", "list", "--failed"]), "");
    assert_refused(
        &server,
        &["notice", "retry", "--id", "x"],
        "there is no email with the id x: to see the ids, run",
    );
}
