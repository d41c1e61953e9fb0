//! Mails under failures of a recipient, the mail server, the sending process, and stored records.

use std::collections::BTreeSet;
use std::time::Duration;

use rstest::rstest;
use serde_json::{Value, json};
use signup_store_sql::test_cluster::free_port;

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server, run, sqlite};
use crate::mailbox::{GREETING, Mailbox, Security};
use crate::mails::{SOON, on_sqlite_with_mailbox, to};
use crate::pages::{Page, published};
use crate::wait::{long_waits, wait_until};

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
    assert_eq!(failed["cause"], "signed_up");
    assert_eq!(failed["attempts"], 1);
    assert!(failed["reason"].as_str().unwrap().contains("no such user"), "{failed}");
    let retried = server.manage(&["notice", "retry", "--id", failed["id"].as_str().unwrap()]);
    assert_eq!((&retried["failed_at"], &retried["attempts"]), (&Value::Null, &json!(0)));
    assert_eq!(to(&mailbox.wait_for(2, SOON).await)[1], "gone@example.org");
}

#[tokio::test]
async fn permanently_refused_content_fails_at_once() {
    let mailbox = Mailbox::start();
    mailbox.refuse(Some(("DATA", "554 no such content here")));
    let listen = format!("127.0.0.1:{}", free_port());
    let server = Server::start(&["--smtp", &mailbox.url(), "--metrics-listen", &listen]);
    let page = Page::create(&server, &published()).await;
    page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    Server::wait_for_metric(&listen, r#"signup_mails_total{fate="failed"} 1"#).await;
}

/// The retry is due after 30 seconds and delays no other mail. The test makes it due at once.
#[tokio::test]
async fn a_temporarily_refused_recipient_is_retried_after_a_backoff() {
    let (server, mailbox) = on_sqlite_with_mailbox();
    let listen = format!("127.0.0.1:{}", free_port());
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

/// A refusal before `RCPT` concerns the mail server, not the mail. So the mail is retried, even after a permanent code.
#[rstest]
#[tokio::test]
async fn a_refusal_before_the_recipient_fails_no_mail(
    #[values(
        (GREETING, "554 blocked for now", "the mail server refused the connection (554): blocked for now"),
        ("EHLO", "554 blocked for now", "the mail server refused the connection (554): blocked for now"),
        ("AUTH", "535 no", "the mail server refused the login (535): check the user and password in --smtp"),
        ("AUTH", "554 blocked for now", "the mail server refused the login (554)"),
        ("MAIL", "554 blocked for now", "the mail server refused the sender (554): blocked for now")
    )]
    (refused, answer, reason): (&'static str, &'static str, &'static str),
) {
    let (_folder, database) = sqlite();
    let mailbox = Mailbox::start_with(0, &Security::ClearWithLogin);
    mailbox.refuse(Some((refused, answer)));
    let listen = format!("127.0.0.1:{}", free_port());
    let smtp = format!("smtp://riverside:a%20pass%3Aword@127.0.0.1:{}", mailbox.port());
    let server = Server::start_on(&database, &["--smtp", &smtp, "--metrics-listen", &listen]);
    let page = Page::create(&server, &published()).await;
    for name in ["ada", "bob", "cyd"] {
        page.sign_up(&server, &page.slot("Early"), name, &format!("{name}@example.org")).await;
    }
    Server::wait_for_metric(&listen, r#"signup_mails_total{fate="put_back"} 2"#).await;
    let list = |arguments: &[&str]| {
        let output = run(&[&["--database", &database, "notice", "list"], arguments].concat());
        String::from_utf8(output.stdout).unwrap()
    };
    let queued = list(&[]);
    assert_eq!((queued.lines().count(), list(&["--failed"])), (3, String::new()));
    assert_eq!(queued.matches(&format!(r#""reason":"{reason}""#)).count(), 2, "{queued}");
    let pauses = "SELECT CAST(MIN(due_at > created_at + 29) AS TEXT) FROM notices WHERE attempts > 0";
    assert_eq!(server.sql(pauses).await, "1", "each retry is due after 30 seconds");
    mailbox.refuse(None);
    server.sql("UPDATE notices SET due_at = 0").await;
    let mails = mailbox.wait_for(3, Duration::from_secs(60)).await;
    let mut to = to(&mails);
    to.sort_unstable();
    assert_eq!(to, ["ada@example.org", "bob@example.org", "cyd@example.org"]);
}

/// The mail server is down during the sign-ups and a change of the shift, and then for `SMTP_DOWN_S` seconds; the
/// default is 1, after which each retry is made due at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queued_mails_are_sent_when_the_mail_server_is_back() {
    let down_s = std::env::var("SMTP_DOWN_S").map_or(1, |text| text.parse().unwrap());
    let server = Server::start_on_sqlite();
    let port = free_port();
    let server = server.restart_with(&["--smtp", &format!("smtp://127.0.0.1:{port}")]);
    let page = Page::create(&server, &json!({
        "title": "Food drive", "start_date": "2027-06-05", "timezone": "America/New_York", "is_published": true,
        "shifts": [{"title": "Early", "start_time": "09:00", "end_time": "12:30", "capacity": 100}],
    }))
    .await;
    let slot = page.slot("Early");
    for number in 0..20 {
        page.sign_up(&server, &slot, "Ada", &format!("ada{number}@example.org")).await;
    }
    server.patch(&format!("/v1/slots/{slot}"), &json!({"start_time": "10:00"})).await;
    // The fixed wait is deliberate: it is the time without a mail server.
    tokio::time::sleep(Duration::from_secs(down_s)).await;
    let mailbox = Mailbox::start_at(port);
    let began = std::time::Instant::now();
    if down_s == 1 {
        server.sql("UPDATE notices SET due_at = 0").await;
    }
    // The mails of a volunteer are tried again in any order. If the confirmation is first, it has the new hours, and there is no
    // mail about them.
    let confirmed = wait_until(Duration::from_secs(60 + 2 * down_s), async || {
        let mut mails = mailbox.mails();
        mails.retain(|mail| mail.header("subject").starts_with("You’re signed up: "));
        let each: BTreeSet<_> = mails.iter().map(|mail| mail.to.clone()).collect();
        if each.len() == 20 { Ok(mails) } else { Err(format!("only {} of 20 are confirmed", each.len())) }
    })
    .await;
    assert_eq!(confirmed.len(), 20, "each volunteer gets one confirmation");
    for mail in &confirmed {
        assert!(mail.text().contains("10:00–12:30"), "a confirmation has the new hours: {}", mail.text());
    }
    println!("{} s down, then all 20 mails in {:.0?}", down_s, began.elapsed());
}

/// The server is killed during a mail transaction. At most that mail is sent twice, with the same `Message-ID`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_loses_no_mail_and_duplicates_at_most_the_one_in_progress() {
    let server = Server::start_on_sqlite();
    let mailbox = Mailbox::start();
    let smtp = mailbox.url();
    let mut server = server.restart_with(&["--smtp", &smtp]);
    let page = Page::create(
        &server,
        &json!({
            "title": "Food drive", "start_date": "2027-06-05", "timezone": "UTC", "is_published": true,
            "shifts": [{"title": "Early", "capacity": 100}],
        }),
    )
    .await;
    mailbox.set_mail_delay(Duration::from_millis(300));
    for number in 0..10 {
        page.sign_up(&server, &page.slot("Early"), "Ada", &format!("ada{number}@example.org")).await;
    }
    let mut killed = 0;
    for received in [2, 5] {
        // The mail server has the last of these mails, and delays its reply.
        mailbox.wait_for(received, Duration::from_secs(60)).await;
        server.kill();
        // Ends the leases of the killed process.
        server.sql("UPDATE notices SET due_at = 0").await;
        server = server.restart_with(&["--smtp", &smtp]);
        killed += 1;
    }
    mailbox.set_mail_delay(Duration::ZERO);
    server.wait_for_sql("SELECT CAST(count(*) AS TEXT) FROM notices", "0", Duration::from_secs(60)).await;
    let mails = mailbox.mails();
    let reached: BTreeSet<_> = mails.iter().map(|mail| &mail.to).collect();
    assert_eq!(reached.len(), 10, "every volunteer gets a mail");
    assert!(mails.len() <= 10 + killed, "{} mails after {killed} kills", mails.len());
    let ids: BTreeSet<_> = mails.iter().map(|mail| mail.header("message-id")).collect();
    assert_eq!(ids.len(), 10, "a duplicate has the Message-ID of the first mail");
    println!("{killed} kills, 10 mails, {} of them twice", mails.len() - 10);
}

/// One stored sign-up and one stored notice are unreadable. All other mails are sent.
#[tokio::test]
async fn an_unreadable_record_delays_no_other_mail() {
    let (server, mailbox) = on_sqlite_with_mailbox();
    let page = Page::create(&server, &published()).await;
    let early = page.slot("Early");
    mailbox.answer("bad@example.org", &[(450, "later"), (250, "")]);
    mailbox.answer("worse@example.org", &[(450, "later"), (250, "")]);
    for name in ["bad", "worse"] {
        page.sign_up(&server, &early, name, &format!("{name}@example.org")).await;
    }
    // Version 3: queued, claimed, and in backoff.
    server.wait_for_sql("SELECT CAST(COUNT(*) AS TEXT) FROM notices WHERE version = 3", "2", SOON).await;
    server.sql("UPDATE signups SET answers = '[1]' WHERE email_key = 'bad@example.org'").await;
    server
        .sql("UPDATE notices SET cause = '{}', due_at = 0 WHERE signup_id = (SELECT id FROM signups WHERE name = 'worse')")
        .await;
    server.sql("UPDATE notices SET due_at = 0").await;
    page.sign_up(&server, &early, "Ada", "ada@example.org").await;
    assert_eq!(to(&mailbox.wait_for_exactly(1, SOON).await), ["ada@example.org"]);
}

/// Queues copies of the only stored notice, each with a new id.
async fn copy_notice(server: &Server, engine: Engine, copies: u32) {
    let columns =
        "organization_id, event_id, shift_id, signup_id, cause, version, attempts, created_at, due_at";
    let (id, numbers) = match engine {
        Sqlite => {
            ("randomblob(16)", "json_each('[' || substr(replace(hex(zeroblob(N)), '00', ',0'), 2) || ']')")
        }
        Postgres => ("gen_random_uuid()", "generate_series(1, N)"),
    };
    let numbers = numbers.replace('N', &copies.to_string());
    let sql = format!(
        "INSERT INTO notices (id, {columns}) SELECT {id}, {columns} FROM notices, {numbers} AS numbers"
    );
    server.sql(&sql).await;
}

/// All unreadable notices are overdue. 120 are more than the server claims in one batch.
#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreadable_notice_is_reported_once_and_delays_no_other(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    const UNREADABLE: usize = 120;
    let Some(mut first) = Server::start_with(engine) else { return };
    let mailbox = Mailbox::start();
    mailbox.answer("bad@example.org", &[(450, "later"), (250, "")]);
    let listen = format!("127.0.0.1:{}", free_port());
    let page = Page::create(&first, &published()).await;
    let early = page.slot("Early");
    first.kill();
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let arguments = ["--smtp", &mailbox.url(), "--metrics-listen", &listen];
    let server = Server::start_with_log(&first.database(), &log, &arguments);
    page.sign_up(&server, &early, "Bad", "bad@example.org").await;
    Server::wait_for_metric(&listen, r#"signup_mails_total{fate="put_back"} 1"#).await;
    let cause = server.sql("SELECT CAST(cause AS TEXT) FROM notices").await;
    server.sql("UPDATE notices SET cause = '{\"kind\": \"rumour\"}', due_at = 0").await;
    copy_notice(&server, engine, u32::try_from(UNREADABLE).unwrap() - 1).await;
    Server::wait_for_metric(&listen, &format!("signup_notices_unreadable_total {UNREADABLE}")).await;
    // Each mail shows that the server has read the queue again.
    for (number, name) in ["ada", "bob", "cyd"].into_iter().enumerate() {
        page.sign_up(&server, &early, name, &format!("{name}@example.org")).await;
        mailbox.wait_for(number + 1, SOON).await;
    }
    let logged = std::fs::read_to_string(&log).unwrap();
    let reports: Vec<_> = logged.lines().filter(|line| line.contains("a notice cannot be read")).collect();
    assert_eq!(reports.len(), UNREADABLE, "{logged}");
    assert!(reports.iter().all(|line| line.contains("notices.cause of ")), "{logged}");
    assert_eq!(reports.iter().collect::<BTreeSet<_>>().len(), UNREADABLE, "each is reported once: {logged}");
    Server::wait_for_metric(&listen, &format!("signup_notices_unreadable_total {UNREADABLE}")).await;

    // A repaired notice is delivered.
    let any = "(SELECT id FROM notices LIMIT 1)";
    server.sql(&format!("UPDATE notices SET cause = '{cause}' WHERE id = {any}")).await;
    assert_eq!(to(&mailbox.wait_for(4, SOON).await)[3], "bad@example.org");
}

/// On SQLite, a text that is not UTF-8 makes the whole query fail.
#[tokio::test]
async fn a_notice_with_invalid_utf8_delays_no_other() {
    let (server, mailbox) = on_sqlite_with_mailbox();
    let page = Page::create(&server, &published()).await;
    let early = page.slot("Early");
    mailbox.answer("bad@example.org", &[(450, "later")]);
    page.sign_up(&server, &early, "Bad", "bad@example.org").await;
    // Version 3: queued, claimed, and in backoff.
    server.wait_for_sql("SELECT 'tried' FROM notices WHERE version = 3", "tried", SOON).await;
    // JSON with the byte 0xff in a string.
    server.sql("UPDATE notices SET cause = CAST(x'7b226b696e64223a22ff227d' AS TEXT), due_at = 0").await;
    page.sign_up(&server, &early, "Ada", "ada@example.org").await;
    assert_eq!(to(&mailbox.wait_for_exactly(1, SOON).await), ["ada@example.org"]);
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
