//! Mails under failures of a recipient, the mail server, the sending process, and stored records.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use signup_store_sql::test_cluster::free_port;

use crate::console::{ADA, Organizer};
use crate::harness::{Server, free_listen, run};
use crate::mailbox::Mailbox;
use crate::mails::{SOON, on_sqlite_with_mailbox, to};
use crate::pages::{Page, published};
use crate::wait::{long_waits, wait_until};

#[tokio::test]
async fn a_sign_up_that_cannot_be_read_delays_no_other_mail() {
    let (server, mailbox) = on_sqlite_with_mailbox();
    mailbox.answer("bad@example.org", &[(450, "later"), (250, "")]);
    let page = Page::create(&server, &published()).await;
    let early = page.slot("Early");
    page.sign_up(&server, &early, "Bad", "bad@example.org").await;
    server.wait_for_sql("SELECT 'tried' FROM notices WHERE reason IS NOT NULL", "tried", SOON).await;
    server.sql("UPDATE signups SET answers = '[1]'").await;
    server.sql("UPDATE notices SET due_at = 0").await;
    page.sign_up(&server, &early, "Ada", "ada@example.org").await;
    assert_eq!(to(&mailbox.wait_for(1, SOON).await), ["ada@example.org"]);
    server.wait_for_sql("SELECT CAST(attempts AS TEXT) FROM notices", "2", SOON).await;
}

#[tokio::test]
async fn a_permanently_refused_recipient_fails_at_once_and_can_be_retried() {
    let (server, mailbox) = on_sqlite_with_mailbox();
    mailbox.answer("gone@example.org", &[(550, "no such user"), (250, "")]);
    let page = Page::create(&server, &published()).await;
    page.sign_up(&server, &page.slot("Early"), "Gone", "gone@example.org").await;
    page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    assert_eq!(to(&mailbox.wait_for(1, SOON).await), ["ada@example.org"]);
    let failed: Value = wait_until(SOON, async || {
        let output = run(&["--database", &server.database(), "notice", "list", "--failed"]);
        let is_listed = !output.stdout.is_empty();
        if is_listed {
            Ok(serde_json::from_slice(&output.stdout).unwrap())
        } else {
            Err("no notice failed".to_owned())
        }
    })
    .await;
    assert_eq!(failed["cause"], "news");
    assert_eq!(failed["attempts"], 1);
    assert!(failed["reason"].as_str().unwrap().contains("no such user"), "{failed}");
    let retried = server.manage(&["notice", "retry", "--id", failed["id"].as_str().unwrap()]);
    assert_eq!((&retried["failed_at"], &retried["attempts"]), (&Value::Null, &json!(0)));
    assert_eq!(to(&mailbox.wait_for(2, SOON).await)[1], "gone@example.org");
}

/// The retry is due after 30 seconds and delays no other mail. The test makes it due at once.
#[tokio::test]
async fn a_temporarily_refused_recipient_is_retried_after_a_backoff() {
    let (server, mailbox) = on_sqlite_with_mailbox();
    let listen = free_listen();
    let server = server.restart_with(&["--smtp", &mailbox.url(), "--metrics-listen", &listen]);
    mailbox.answer("busy@example.org", &[(450, "mailbox busy"), (250, "")]);
    let page = Page::create(&server, &published()).await;
    page.sign_up(&server, &page.slot("Early"), "Busy", "busy@example.org").await;
    page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    assert_eq!(to(&mailbox.wait_for(1, SOON).await), ["ada@example.org"], "a retry delays no other mail");
    // The claim of a mail sets a due time, too: the end of its lease.
    Server::wait_for_metric(&listen, r#"signup_mails_total{fate="put_back"} 1"#).await;
    let pause = "SELECT CAST(due_at > created_at + 29 AS TEXT) FROM notices WHERE attempts = 1";
    assert_eq!(server.sql(pause).await, "1");
    server.sql("UPDATE notices SET due_at = 0").await;
    let mails = mailbox.wait_for(2, Duration::from_secs(60)).await;
    assert_eq!(mails[1].to, "busy@example.org");
}

/// A refused connection, as a refusal before the recipient, concerns the mail server and not the mail.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queued_mails_are_sent_when_the_mail_server_is_back() {
    let (port, listen) = (free_port(), free_listen());
    let smtp = format!("smtp://127.0.0.1:{port}");
    let server = Server::start_on_sqlite_with(&["--smtp", &smtp, "--metrics-listen", &listen]);
    let page = Page::create(&server, &published()).await;
    for name in ["ada", "bob", "cyd"] {
        page.sign_up(&server, &page.slot("Early"), name, &format!("{name}@example.org")).await;
    }
    Server::wait_for_metric(&listen, r#"signup_mails_total{fate="put_back"} 3"#).await;
    let mailbox = Mailbox::start_at(port);
    server.sql("UPDATE notices SET due_at = 0").await;
    let mails = mailbox.wait_for(3, Duration::from_secs(60)).await;
    assert_eq!(to(&mails).into_iter().collect::<BTreeSet<_>>().len(), 3);
}

/// The mail server has each mail, and does not answer. Mails to volunteers take seven of the eight places.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_code_does_not_wait_for_mails_to_which_the_mail_server_does_not_answer() {
    let (server, mailbox) = on_sqlite_with_mailbox();
    let owner = Organizer::first_owner(&server).await;
    mailbox.set_mail_delay(Duration::from_mins(5));
    let mut event = published();
    event["shifts"][1]["capacity"] = json!(10);
    let page = Page::create(&server, &event).await;
    for number in 0..10 {
        page.sign_up(&server, &page.slot("Early"), "Bob", &format!("bob{number}@example.org")).await;
    }
    mailbox.wait_for_exactly(7, SOON).await;
    let asked = owner.post("/sign-in", &[("email", ADA)]).await;
    assert_eq!(asked.status, 200, "{}", asked.text);
    let mails = mailbox.wait_for(8, Duration::from_secs(2)).await;
    assert_eq!(to(&mails)[7], ADA);
}

/// The tests of the stores prove which notices are left out.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreadable_notice_is_logged_and_counted_once_and_sent_after_its_repair() {
    let (mailbox, folder) = (Mailbox::start(), tempfile::tempdir().unwrap());
    mailbox.answer("bad@example.org", &[(450, "later"), (250, "")]);
    let (listen, log) = (free_listen(), folder.path().join("log"));
    let database = format!("sqlite:{}", folder.path().join("signup.db").display());
    let server =
        Server::start_with_log(&database, &log, &["--smtp", &mailbox.url(), "--metrics-listen", &listen]);
    let page = Page::create(&server, &published()).await;
    let early = page.slot("Early");
    page.sign_up(&server, &early, "Bad", "bad@example.org").await;
    Server::wait_for_metric(&listen, r#"signup_mails_total{fate="put_back"} 1"#).await;
    let cause = server.sql("SELECT cause FROM notices").await;
    server.sql("UPDATE notices SET cause = '{}', due_at = 0").await;
    // Each mail shows that the server has read the queue again.
    for (number, name) in ["ada", "bob"].into_iter().enumerate() {
        page.sign_up(&server, &early, name, &format!("{name}@example.org")).await;
        mailbox.wait_for(number + 1, SOON).await;
    }
    let logged = std::fs::read_to_string(&log).unwrap();
    assert_eq!(logged.matches("a notice cannot be read").count(), 1, "{logged}");
    Server::wait_for_metric(&listen, "signup_notices_unreadable_total 1").await;
    server.sql(&format!("UPDATE notices SET cause = '{cause}'")).await;
    assert_eq!(to(&mailbox.wait_for(3, SOON).await)[2], "bad@example.org");
}

/// The mail server takes longer than the lease of a notice lasts. The sending process extends its lease, so no other
/// process sends the mail.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mail_that_takes_longer_than_its_lease_is_sent_once() {
    if !long_waits() {
        return;
    }
    let Some(server) = Server::start_on_postgres() else { return };
    let mailbox = Mailbox::start();
    mailbox.set_reply_delay(Duration::from_secs(9));
    let first = server.restart_with(&["--smtp", &mailbox.url()]);
    let second = first.start_another(&["--smtp", &mailbox.url()]);
    let page = Page::create(&first, &published()).await;
    page.sign_up(&second, &page.slot("Early"), "Ada", "ada@example.org").await;
    mailbox.wait_for(1, Duration::from_secs(60)).await;
    mailbox.set_reply_delay(Duration::ZERO);
    // The fixed wait is deliberate: a lease, plus the interval at which the other process reads the queue.
    tokio::time::sleep(Duration::from_secs(33)).await;
    assert_eq!((mailbox.begun(), mailbox.count()), (1, 1));
}
