//! SIGKILL and a failing disk while events live: they are created, published, signed up for, cancelled and deleted.
//!
//! What was acknowledged holds, nothing happens that was not requested or happens twice, each step is listed as one activity, each
//! mail is queued exactly once, and webhooks receive the activity that is listed and no other.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use rstest::rstest;
use serde_json::Value;

use crate::activity::{all_activity, types_by_event};
use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server, client, event, sqlite};
use crate::kills::{kills, until_killed};
use crate::life::Life;
use crate::mailbox::Mailbox;
use crate::receiver::{ALLOW, Answer, Receiver};
use crate::subscription::{Subscription, wait_until_delivered};

/// The number of kills, unless the environment variable `CRASH_KILLS` sets it.
const KILLS: usize = 5;
const WRITERS: usize = 4;
/// The mails that a server sends at once.
const IN_FLIGHT: usize = 8;
/// The delay of the answers of the receiver and of the mail server, so that deliveries and mails are in flight at each kill.
const ANSWER_DELAY: Duration = Duration::from_millis(20);

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_keeps_what_was_acknowledged_in_the_lives_of_events(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let kills = kills(KILLS);
    let Some(server) = Server::start_with(engine) else { return };
    let mailbox = Mailbox::start();
    mailbox.set_mail_delay(ANSWER_DELAY);
    let smtp = mailbox.url();
    // The answers contain the base URL, and without this argument it has another port after each restart.
    let base_url = "https://signup.example.org";
    let arguments = ["--smtp", &smtp, "--trusted-proxies", "127.0.0.0/8", "--base-url", base_url];
    let arguments = [arguments.as_slice(), &ALLOW].concat();
    let mut server = server.restart_with(&arguments);
    let receiver = || Receiver::answering(&[Answer::Late(204, ANSWER_DELAY)]);
    let webhooks = [
        Subscription::create(&server, receiver(), &["*"]).await,
        Subscription::create(&server, receiver(), &["signup.*", "event.deleted"]).await,
    ];
    let mut lives = vec![];
    for round in 0..kills {
        let (urls, token) = ([server.url.clone()], server.token.clone());
        let live = move |writer, number: usize| {
            let (urls, token) = (urls.clone(), token.clone());
            let mut life = Life::new((number * KILLS.max(kills) + round) * WRITERS + writer);
            async move {
                life.go_on(&client(), &urls, &token).await;
                let is_whole = life.acknowledged.len() == life.steps().len();
                (life, is_whole)
            }
        };
        lives.extend(until_killed(&mut server, WRITERS, round, live).await);
        // Ends the leases of the killed process, so that no mail and no delivery has to wait for their expiry.
        server.sql("UPDATE notices SET due_at = 0 WHERE due_at IS NOT NULL").await;
        server.sql("UPDATE deliveries SET due_at = 0, leased_until = NULL WHERE due_at IS NOT NULL").await;
        server = server.restart_with(&arguments);
    }
    let cut: Vec<_> = lives
        .iter()
        .filter_map(|life| life.steps().get(life.acknowledged.len()))
        .map(|step| format!("{step:?}"))
        .collect();
    assert_eq!(cut.len(), kills * WRITERS, "each kill cuts a life of each writer");
    println!("{kills} kills cut {} of {} lives, at {:?}", cut.len(), lives.len(), BTreeSet::from_iter(cut));

    let (client, urls) = (client(), [server.url.clone()]);
    for life in &mut lives {
        life.check(&server).await;
        life.go_on(&client, &urls, &server.token).await;
        assert_eq!(life.acknowledged.len(), life.steps().len());
        life.check(&server).await;
        life.repeat(&client, &server).await;
        life.check(&server).await;
    }
    let miscounted = server
        .sql(
            "SELECT CAST(count(*) AS TEXT) FROM shifts s WHERE filled <> (SELECT count(*) FROM signups u \
              WHERE u.organization_id = s.organization_id AND u.shift_id = s.id AND u.status = 'confirmed')",
        )
        .await;
    assert_eq!(miscounted, "0", "filled differs from the number of confirmed sign-ups");

    let activity = all_activity(&server).await;
    let by_event = types_by_event(&activity);
    assert_eq!(by_event.len(), lives.len(), "each event was created by one request");
    for life in &lives {
        assert_eq!(by_event[life.id()], life.activity(), "life {}", life.number);
    }
    let limit = Duration::from_secs(60 + lives.len() as u64);
    wait_until_delivered(&server, limit).await;
    let (mut records, mut requests) = (0, 0);
    for webhook in &webhooks {
        let arrived = webhook.check(&activity);
        records += arrived.0;
        requests += arrived.1;
    }
    assert!(requests > records, "no kill cut a delivery");
    println!("{records} deliveries arrived in {requests} requests");

    let is_left = "SELECT CAST(count(*) AS TEXT) FROM notices WHERE due_at IS NOT NULL";
    server.wait_for_sql(is_left, "0", limit).await;
    // A mail in flight at a kill is sent again: under the same Message-ID, unless something has changed that it tells. A volunteer
    // whose sign-up was repeated, because its answer was lost, can get a mail about that, too.
    let mut queued: BTreeMap<(String, String, bool), BTreeSet<String>> = BTreeMap::new();
    for mail in mailbox.mails() {
        let is_cancelled = mail.calendars().iter().any(|calendar| calendar.property("METHOD") == "CANCEL");
        let method = if is_cancelled { "CANCEL" } else { "PUBLISH" }.to_owned();
        let is_repeated = mail.header("subject").starts_with("You already have a place: ");
        queued.entry((mail.to.clone(), method, is_repeated)).or_default().insert(mail.header("message-id"));
    }
    let many: Vec<_> = queued.iter().filter(|(_, mails)| mails.len() > 1).collect();
    let further: usize = many.iter().map(|(_, mails)| mails.len() - 1).sum();
    assert!(further <= kills * IN_FLIGHT, "more than the mails in flight at a kill: {many:?}");
    for life in &lives {
        for volunteer in 0..3 {
            let key = (life.address(volunteer), "CANCEL".to_owned(), false);
            assert!(queued.contains_key(&key), "life {}: {key:?} was not queued", life.number);
        }
    }
    println!("{} mails were queued, each once", queued.len());
    let check = match engine {
        Sqlite => "PRAGMA integrity_check",
        Postgres => {
            "CREATE EXTENSION amcheck; SELECT 'ok' WHERE 0 < (SELECT count(bt_index_check(indexrelid, true)) FROM pg_index \
             JOIN pg_class c ON c.oid = indexrelid JOIN pg_am a ON a.oid = c.relam \
             WHERE a.amname = 'btree' AND c.relpersistence = 'p')"
        }
    };
    assert_eq!(server.sql(check).await, "ok", "the database is corrupt");
}

/// After a failed write or sync, the contents of the file are unknown. So the process exits, and the next process
/// starts from the recovered file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disk_that_fails_at_a_commit_ends_the_server_and_loses_nothing_acknowledged() {
    let (_folder, database) = sqlite();
    // No file may grow beyond 1 MiB. A write past that limit fails like a write on a broken disk.
    let mut server = Server::start_limited(&database, "-f 1024");
    let (client, mut acknowledged) = (client(), vec![]);
    let create = async |server: &Server, number: usize| {
        let request = client.post(format!("{}/v1/events", server.url)).bearer_auth(&server.token);
        let request = request.header("Idempotency-Key", number.to_string()).json(&event());
        let response = request.send().await.ok().filter(|response| response.status() == 201)?;
        response.json::<Value>().await.ok()
    };
    while let Some(event) = create(&server, acknowledged.len()).await {
        acknowledged.push(event);
        assert!(acknowledged.len() < 100_000, "the disk never failed");
    }
    assert_eq!(server.wait().code(), Some(1), "the server exits by itself");
    assert!(acknowledged.len() > 10, "{}", acknowledged.len());
    let mut again = Server::start_on(&database, &[]);
    again.token.clone_from(&server.token);
    let stored = all_activity(&again).await.iter().filter(|found| found["type"] == "event.created").count();
    assert!(stored - acknowledged.len() <= 1, "at most one more: the create in progress");
    for (number, event) in acknowledged.iter().enumerate() {
        let found = create(&again, number).await.unwrap();
        assert_eq!(found["data"]["id"], event["data"]["id"], "{number}");
    }
}
