//! SIGKILL and a failing disk during writes: every acknowledged write is stored exactly once, and no idempotency key
//! has two events. Meanwhile volunteers sign up in another process, which is killed too.

use std::collections::HashMap;

use serde_json::{Value, json};

use rstest::rstest;

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server, sqlite};
use crate::kills::{kills, until_killed};
use crate::volunteers::{Shift, Volunteers};

/// The number of kills, unless the environment variable `CRASH_KILLS` sets it.
const KILLS: usize = 10;

fn event(key: &str) -> Value {
    json!({
        "title": key, "start_date": "2027-06-05", "timezone": "UTC",
        "shifts": [{"title": "A", "capacity": 1}, {"title": "B", "capacity": 2}],
    })
}

/// Returns the number of events by title.
async fn titles(server: &Server) -> HashMap<String, usize> {
    let (mut titles, mut path) = (HashMap::new(), "/v1/events?per_page=100".to_owned());
    loop {
        let page = server.get(&path).await.json();
        for event in page["data"].as_array().unwrap() {
            *titles.entry(event["title"].as_str().unwrap().to_owned()).or_default() += 1;
        }
        match page["links"]["next"].as_str() {
            Some(next) => path = next.strip_prefix(&server.url).unwrap().to_owned(),
            None => return titles,
        }
    }
}

/// Sends a create with an idempotency key. Returns the id of the event if the create was acknowledged.
async fn create(client: &reqwest::Client, url: &str, token: &str, key: &str) -> Option<String> {
    let request = client.post(format!("{url}/v1/events")).bearer_auth(token).header("Idempotency-Key", key);
    let response = request.json(&event(key)).send().await.ok()?;
    if response.status() != 201 {
        return None;
    }
    let body: Value = response.json().await.ok()?;
    Some(body["data"]["id"].as_str().unwrap().to_owned())
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_loses_nothing_acknowledged_and_duplicates_nothing(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let kills = kills(KILLS);
    let Some(server) = Server::start_with(engine) else { return };
    // No mail server listens on port 1. So the notices stay queued, and the volunteers read the secrets of their
    // sign-ups from the notices.
    let nowhere = ["--smtp", "smtp://127.0.0.1:1"];
    let mut server = server.restart_with(&nowhere);
    let mut acknowledged: HashMap<String, String> = HashMap::new();
    let mut sent = vec![];
    let shift = Shift::create(&server, 1_000_000).await;
    let mut signed_up: HashMap<String, bool> = HashMap::new();
    for round in 0..kills {
        let volunteers = Volunteers::start(&server, &shift, round);
        let (client, url, token) = (reqwest::Client::new(), server.url.clone(), server.token.clone());
        let write = move |writer, number: usize| {
            let (client, url, token) = (client.clone(), url.clone(), token.clone());
            let key = format!("{round}-{writer}-{number}");
            async move {
                let id = create(&client, &url, &token, &key).await;
                let is_acknowledged = id.is_some();
                ((key, id), is_acknowledged)
            }
        };
        for (key, id) in until_killed(&mut server, 8, round, write).await {
            sent.push(key.clone());
            acknowledged.extend(id.map(|id| (key, id)));
        }
        signed_up.extend(volunteers.kill());
        server = server.restart_with(&nowhere);
    }
    let mut stored = titles(&server).await;
    assert_eq!(stored.remove(Shift::TITLE), Some(1));
    let lost: Vec<_> = acknowledged.keys().filter(|key| !stored.contains_key(*key)).collect();
    let duplicated: Vec<_> = stored.iter().filter(|(_, count)| **count > 1).collect();
    println!(
        "{kills} kills: {} sent, {} acknowledged, {} lost, {} duplicated",
        sent.len(),
        acknowledged.len(),
        lost.len(),
        duplicated.len()
    );
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    assert!(duplicated.is_empty(), "stored more than once: {duplicated:?}");
    assert!(!acknowledged.is_empty());

    // Retries every key. An acknowledged key returns the same event; another key creates its event now or replays it.
    let client = reqwest::Client::new();
    for key in &sent {
        let id = create(&client, &server.url, &server.token, key).await.unwrap();
        assert_eq!(acknowledged.get(key).unwrap_or(&id), &id, "{key} got another event");
    }
    let mut stored = titles(&server).await;
    stored.remove(Shift::TITLE);
    assert_eq!(stored.len(), sent.len());
    assert!(stored.values().all(|&count| count == 1));

    let lost = shift.lost(&server, &signed_up).await;
    let miscounted = server
        .sql(
            "SELECT CAST(count(*) AS TEXT) FROM shifts s WHERE filled <> (SELECT count(*) FROM signups u \
              WHERE u.organization_id = s.organization_id AND u.shift_id = s.id AND u.status = 'confirmed')",
        )
        .await;
    println!(
        "{} sign-ups and cancellations acknowledged, {} lost, {miscounted} shifts miscounted",
        signed_up.len(),
        lost.len()
    );
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    assert_eq!(miscounted, "0", "filled differs from the number of confirmed sign-ups");
    assert!(!signed_up.is_empty());
    let check = match engine {
        Engine::Sqlite => "PRAGMA integrity_check",
        Engine::Postgres => {
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
    let client = reqwest::Client::new();
    let mut acknowledged = vec![];
    for number in 0.. {
        assert!(number < 100_000, "the disk never failed");
        let key = format!("key-{number}");
        match create(&client, &server.url, &server.token, &key).await {
            Some(id) => acknowledged.push((key, id)),
            None => break,
        }
    }
    let status = server.wait();
    assert_eq!(status.code(), Some(1), "the server exits by itself");
    assert!(acknowledged.len() > 10, "{}", acknowledged.len());

    let mut again = Server::start_on(&database, &[]);
    again.token.clone_from(&server.token);
    for (key, id) in &acknowledged {
        assert_eq!(create(&client, &again.url, &again.token, key).await.as_ref(), Some(id), "{key}");
    }
    let stored = titles(&again).await;
    assert!(stored.values().all(|&count| count == 1));
    assert!(stored.len() - acknowledged.len() <= 1, "at most one more: the create in progress");
}
