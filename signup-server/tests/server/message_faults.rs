//! A message to many volunteers while two processes send its mails, one of which is killed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::json;

use crate::console::Organizer;
use crate::harness::Server;
use crate::mailbox::Mailbox;
use crate::pages::Page;
use crate::wait::wait_until;

/// The environment variable `RECIPIENTS` sets the number of addresses; the default is 300. Each has a place on two shifts.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_address_gets_a_message_once_although_a_process_that_sends_it_is_killed() {
    let recipients: usize = std::env::var("RECIPIENTS").map_or(300, |text| text.parse().unwrap());
    let Some(server) = Server::start_on_postgres() else { return };
    let contact = "help@riverside.example.org";
    server.manage(&["organization", "update", "--organization", "starter", "--contact", contact]);
    let mailboxes = [Mailbox::start(), Mailbox::start()];
    let server = server.restart_with(&["--smtp", &mailboxes[1].url()]);
    // A mail contains the base URL, which would have another port. So a repeated mail would have other words.
    let mut killed = server.start_another(&["--smtp", &mailboxes[0].url(), "--base-url", &server.url]);
    let ada = Organizer::owner_of_starter(&server).await;
    let event = json!({
        "title": "Food drive", "start_date": "2099-06-05", "timezone": "UTC", "is_published": true,
        "shifts": [{"title": "Early", "capacity": 1_000_000}, {"title": "Late", "capacity": 1_000_000}],
    });
    let page = Page::create(&server, &event).await;
    for shift in ["Early", "Late"] {
        page.signed_up(&server, &page.slot(shift), "Ada", "v0@example.org").await;
    }
    server
        .wait_for_sql("SELECT count(*) FROM notices WHERE due_at IS NOT NULL", "0", Duration::from_secs(120))
        .await;
    let columns = "organization_id, event_id, shift_id, told, name, name_order, person_key, search_key, answers, status, version, created_at, repeated_at";
    let others = recipients - 1;
    // A message is for the sign-ups before it, and the ids of records are in the order of their creation.
    let id = "('00000000-0000-7000-8000-' || lpad(to_hex(row_number() OVER ()), 12, '0'))::uuid";
    server
        .sql(&format!(
            "INSERT INTO signups (id, email, email_key, {columns}) \
             SELECT {id}, 'v' || n || '@example.org', 'v' || n || '@example.org', {columns} \
             FROM signups, generate_series(1, {others}) AS n"
        ))
        .await;
    server.sql(&format!("UPDATE shifts SET filled = {recipients}")).await;

    mailboxes.iter().for_each(|mailbox| mailbox.set_mail_delay(Duration::from_millis(5)));
    let path = format!("/console/starter/events/{}/message", page.event["id"].as_str().unwrap());
    let fields = [("subject", "Bring gloves"), ("text", "It is cold."), ("confirmed", "yes")];
    let before = server.peak_memory_kib();
    let sent = ada.post(&path, &fields).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    let messages = || {
        let mails = mailboxes.each_ref().map(|mailbox| {
            let mut mails = mailbox.mails();
            mails.retain(|mail| mail.header("subject") == "Bring gloves");
            mails
        });
        let shares = mails.each_ref().map(Vec::len);
        (mails.concat(), shares)
    };
    let shares = wait_until(Duration::from_secs(60), async || {
        let (_, shares) = messages();
        let is_midway = shares.iter().all(|share| *share >= recipients / 10);
        if is_midway { Ok(shares) } else { Err(format!("only {shares:?} of {recipients} mails arrived")) }
    })
    .await;
    killed.kill();
    server
        .wait_for_sql(
            "SELECT (count(*) < 8)::text FROM notices WHERE due_at IS NOT NULL",
            "true",
            Duration::from_secs(120),
        )
        .await;
    // Ends the leases of the mails in flight, which last for 30 seconds.
    server.sql("UPDATE notices SET due_at = 0 WHERE due_at IS NOT NULL").await;
    server
        .wait_for_sql("SELECT count(*) FROM notices WHERE due_at IS NOT NULL", "0", Duration::from_secs(120))
        .await;

    let grown = server.peak_memory_kib() - before;
    assert!(grown < 16 * 1024, "{grown} KiB more for {recipients} recipients");
    let (mails, after) = messages();
    println!("killed after {shares:?} mails; {after:?} in the end for {recipients} addresses");
    assert!(shares.iter().sum::<usize>() < recipients, "the kill came too late: {shares:?}");
    assert!(mails.len() <= recipients + 7, "only the mails in flight are sent again");
    let (mut ids, mut links) = (BTreeMap::<_, BTreeSet<_>>::new(), BTreeSet::new());
    for mail in &mails {
        ids.entry(mail.to.clone()).or_default().insert(mail.header("message-id"));
        assert_eq!(mail.header("reply-to"), contact);
        let text = mail.text();
        let of_mail = text.lines().filter_map(|line| line.split_once("/signups/"));
        let of_mail = of_mail.map(|(_, secret)| secret.trim_end_matches("/unsubscribe").to_owned());
        let of_mail: BTreeSet<_> = of_mail.collect();
        assert_eq!(of_mail.len(), 1, "{text}");
        links.extend(of_mail);
    }
    let expected: BTreeSet<_> = (0..recipients).map(|number| format!("v{number}@example.org")).collect();
    assert_eq!(ids.keys().cloned().collect::<BTreeSet<_>>(), expected);
    assert!(ids.values().all(|ids| ids.len() == 1), "each address gets one mail: {ids:?}");
    assert_eq!(links.len(), mails.len(), "each mail has a link of its own");
    for secret in links.iter().step_by(recipients / 5) {
        let page = server.browse("GET", &format!("/signups/{secret}"), None).await;
        assert!(page.status == 200 && page.text.contains("Cancel this place"), "{}", page.text);
    }
}
