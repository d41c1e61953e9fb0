//! Mails: their recipients and their contents.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;

use crate::harness::Server;
use crate::mailbox::{Mail, Mailbox};
use crate::pages::{Page, published};
use crate::wait::{wait_for_anything_more, wait_until};

/// The deadline for a mail that is due at once.
pub(crate) const SOON: Duration = Duration::from_secs(20);

/// Starts a server with a mail server of its own.
pub(crate) fn with_mailbox(database: &str) -> (Server, Mailbox) {
    let mailbox = Mailbox::start();
    let server = Server::start_on(database, &["--smtp", &mailbox.url(), "--mail-from", FROM]);
    (server, mailbox)
}

/// Starts a server on a new SQLite file with a mail server of its own.
pub(crate) fn on_sqlite_with_mailbox() -> (Server, Mailbox) {
    let mailbox = Mailbox::start();
    let server = Server::start_on_sqlite_with(&["--smtp", &mailbox.url(), "--mail-from", FROM]);
    (server, mailbox)
}

const FROM: &str = "Signup <help@riverside.example.org>";

/// Returns the recipients of these mails.
pub(crate) fn to(mails: &[Mail]) -> Vec<&str> {
    mails.iter().map(|mail| mail.to.as_str()).collect()
}

/// Both sign-ups get the same answer.
#[tokio::test]
async fn a_repeated_sign_up_is_mailed_once_within_the_hour() {
    let (server, mailbox) = with_mailbox("memory:");
    let page = Page::create(&server, &published()).await;
    let early = page.slot("Early");
    let first = page.sign_up(&server, &early, "Ada", "ada@example.org").await;
    let again = page.sign_up(&server, &early, "Mallory", "ADA@example.org").await;
    assert_eq!((first.status, first.header("location")), (again.status, again.header("location")));
    page.sign_up(&server, &early, "Ada", "ada@example.org").await;
    let mails = mailbox.wait_for_exactly(2, SOON).await;
    assert!(mails.iter().any(|mail| mail.header("subject").starts_with("You already have a place: ")));
    let links = mails.iter().map(|mail| mail.signup_path().unwrap());
    for link in links {
        assert_eq!(server.browse("GET", &link, None).await.status, 200);
    }
}

/// Both processes send mails, and no mail is sent twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_share_a_database_send_each_mail_once() {
    let Some(server) = Server::start_on_postgres() else { return };
    let mailboxes = [Mailbox::start(), Mailbox::start()];
    let first = server.restart_with(&["--smtp", &mailboxes[0].url()]);
    let second = first.start_another(&["--smtp", &mailboxes[1].url()]);
    let servers = [first, second];
    let page = Page::create(
        &servers[0],
        &json!({
            "title": "Food drive", "start_date": "2027-06-05", "timezone": "UTC", "is_published": true,
            "shifts": [{"title": "Early", "capacity": 1000}],
        }),
    )
    .await;
    // One process alone would send the mails for three seconds. Meanwhile the other takes some, however slow the machine is.
    mailboxes.iter().for_each(|mailbox| mailbox.set_mail_delay(Duration::from_millis(50)));
    for number in 0..28 {
        page.sign_up(&servers[number % 2], &page.slot("Early"), "Ada", &format!("ada{number}@example.org"))
            .await;
    }
    let all = || [mailboxes[0].mails(), mailboxes[1].mails()].concat();
    let wait_for = async |count: usize| {
        wait_until(Duration::from_secs(60), async || {
            let arrived = all().len();
            if arrived >= count { Ok(()) } else { Err(format!("only {arrived} of {count} mails arrived")) }
        })
        .await;
    };
    // A confirmation that is sent after the change has the new place, and makes a mail about it needless.
    wait_for(28).await;
    let moved =
        servers[0].patch(&format!("/v1/slots/{}", page.slot("Early")), &json!({"location": "Hall B"})).await;
    assert_eq!(moved.status, 200);
    wait_for(56).await;
    wait_for_anything_more().await;
    let mut mails: Vec<_> = all().iter().map(|mail| (mail.to.clone(), mail.header("subject"))).collect();
    mails.sort();
    mails.dedup();
    assert_eq!((mails.len(), all().len()), (56, 56));
    let shares = mailboxes.each_ref().map(Mailbox::count);
    assert!(shares.iter().all(|share| *share > 0), "both processes send mails: {shares:?}");
    println!("two processes sent {} and {} mails", shares[0], shares[1]);
}

/// The environment variable `RECIPIENTS` sets the number of volunteers; the default is 300.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_is_mailed_to_many_volunteers_in_bounded_memory() {
    let recipients: usize = std::env::var("RECIPIENTS").map_or(300, |text| text.parse().unwrap());
    let (server, mailbox) = on_sqlite_with_mailbox();
    let page = Page::create(
        &server,
        &json!({
            "title": "Food drive", "start_date": "2027-06-05", "timezone": "UTC", "is_published": true,
            "shifts": [{"title": "All", "capacity": 1_000_000}],
        }),
    )
    .await;
    let columns = "organization_id, event_id, shift_id, told, name, search_key, answers, status, version, created_at, repeated_at";
    page.sign_up(&server, &page.slot("All"), "Ada", "ada@example.org").await;
    mailbox.wait_for(1, SOON).await;
    server
        .sql(&format!(
            "WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n + 1 < {recipients}) \
             INSERT INTO signups (id, email, email_key, {columns}) \
             SELECT randomblob(16), 'v' || n || '@example.org', 'v' || n || '@example.org', {columns} \
             FROM signups, n"
        ))
        .await;
    server.sql(&format!("UPDATE shifts SET filled = {recipients}")).await;
    let before = server.peak_memory_kib();
    let begin = std::time::Instant::now();
    server.patch(&format!("/v1/slots/{}", page.slot("All")), &json!({"location": "Hall B"})).await;
    let limit = Duration::from_secs(30 + recipients as u64 / 10);
    let mails = mailbox.wait_for_exactly(1 + recipients, limit).await;
    let notified: BTreeSet<_> = mails[1..].iter().map(|mail| mail.to.clone()).collect();
    assert_eq!(notified.len(), recipients, "each volunteer gets one mail");
    let grown = server.peak_memory_kib() - before;
    println!("{recipients} mails in {:.0?}; {grown} KiB more memory than before", begin.elapsed());
    assert!(grown < 16 * 1024, "{grown} KiB more for {recipients} recipients");
}

#[tokio::test]
async fn typed_text_adds_no_header_and_no_markup_to_a_mail() {
    let (server, mailbox) = with_mailbox("memory:");
    let mut event = published();
    event["title"] = json!("Food Bcc: all@example.org <script>alert(1)</script>");
    event["description"] = json!("\r\nBcc: all@example.org\r\n\r\nX-Evil: yes");
    event["shifts"][0]["title"] = json!("Early X-Evil: yes");
    let page = Page::create(&server, &event).await;
    let slot = page.slot("Early X-Evil: yes");
    for bad in ["Ada\r\nBcc: all@example.org", "Ada\nX: y", "Ada\0"] {
        assert_eq!(page.sign_up(&server, &slot, bad, "ada@example.org").await.status, 422, "{bad:?}");
    }
    for bad in
        ["ada@example.org\r\nBcc: all@example.org", "ada@example.org, bob@example.org", "<ada@example.org>"]
    {
        assert_eq!(page.sign_up(&server, &slot, "Ada", bad).await.status, 422, "{bad:?}");
    }
    let name = "\"Ada\" <b>, ü <script>alert(1)</script>";
    page.signed_up(&server, &slot, name, "ada@example.org").await;
    let mail = mailbox.wait_for(1, SOON).await.remove(0);
    let parsed = mailparse::parse_mail(&mail.raw).unwrap();
    let names: Vec<_> = parsed.headers.iter().map(mailparse::MailHeader::get_key).collect();
    for evil in ["Bcc", "X-Evil"] {
        assert!(!names.contains(&evil.to_owned()), "{names:?}");
    }
    assert_eq!(mail.to, "ada@example.org");
    assert_eq!(
        mailparse::addrparse_header(parsed.headers.iter().find(|h| h.get_key() == "To").unwrap())
            .unwrap()
            .count_addrs(),
        1
    );
    assert!(!mail.html().contains("<script>"), "{}", mail.html());
    let calendar = mail.calendar();
    let summary = calendar.property("SUMMARY");
    assert!(summary.contains("Bcc: all@example.org") && !summary.contains(['\r', '\n']), "{calendar:?}");
}

#[tokio::test]
async fn an_internationalized_domain_is_sent_as_punycode() {
    let (server, mailbox) = with_mailbox("memory:");
    let page = Page::create(&server, &published()).await;
    page.signed_up(&server, &page.slot("Early"), "Jörg", "joerg@münchen.example").await;
    assert_eq!(to(&mailbox.wait_for(1, SOON).await), ["joerg@xn--mnchen-3ya.example"]);
}
