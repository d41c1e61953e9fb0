//! `kill -9` in the middle of writes: whatever was acknowledged is there once, and no key has two. People sign up meanwhile,
//! in a process that is killed as well.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};

use rstest::rstest;

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server};
use crate::volunteers::{Shift, Volunteers};

/// How often the server is killed; more by `CRASH_KILLS`.
const KILLS: usize = 20;

fn event(key: &str) -> Value {
    json!({
        "title": key, "start_date": "2027-06-05", "timezone": "UTC",
        "shifts": [{"title": "A", "capacity": 1}, {"title": "B", "capacity": 2}],
    })
}

/// Titles of all events, each with how often it is there.
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

/// Sends a keyed create, and says whether it was acknowledged, and with which id.
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
async fn a_killed_server_loses_nothing_acknowledged_and_doubles_nothing(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let kills = std::env::var("CRASH_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    let Some(server) = Server::start_with(engine) else { return };
    // Mails stay in their queue, where the volunteers find the secrets with which they cancel.
    let nowhere = ["--smtp", "smtp://127.0.0.1:1"];
    let mut server = server.again(&nowhere);
    let mut acknowledged: HashMap<String, String> = HashMap::new();
    let mut sent = vec![];
    let shift = Shift::create(&server, 1_000_000).await;
    let mut signed_up: HashMap<String, bool> = HashMap::new();
    for round in 0..kills {
        let volunteers = Volunteers::start(&server, &shift, round);
        let (url, token) = (server.url.clone(), server.token.clone());
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let (url, token) = (url.clone(), token.clone());
                tokio::spawn(async move {
                    let client = reqwest::Client::new();
                    let mut done = vec![];
                    for number in 0.. {
                        let key = format!("{round}-{writer}-{number}");
                        let id = create(&client, &url, &token, &key).await;
                        let is_dead = id.is_none();
                        done.push((key, id));
                        if is_dead {
                            break;
                        }
                    }
                    done
                })
            })
            .collect();
        // Time is meant: the moment of the kill has to fall anywhere in the stream of writes.
        tokio::time::sleep(Duration::from_millis(50 + (round as u64 * 37) % 300)).await;
        server.kill();
        signed_up.extend(volunteers.kill());
        for writer in writers {
            for (key, id) in writer.await.unwrap() {
                sent.push(key.clone());
                acknowledged.extend(id.map(|id| (key, id)));
            }
        }
        server = server.again(&nowhere);
    }
    let mut there = titles(&server).await;
    assert_eq!(there.remove(Shift::TITLE), Some(1));
    let lost: Vec<_> = acknowledged.keys().filter(|key| !there.contains_key(*key)).collect();
    let doubled: Vec<_> = there.iter().filter(|(_, count)| **count > 1).collect();
    println!(
        "{kills} kills: {} sent, {} acknowledged, {} lost, {} doubled",
        sent.len(),
        acknowledged.len(),
        lost.len(),
        doubled.len()
    );
    assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
    assert!(doubled.is_empty(), "there twice: {doubled:?}");
    assert!(!acknowledged.is_empty());

    // Every key is retried: those that were acknowledged get the same answer, the others take effect now or had already.
    let client = reqwest::Client::new();
    for key in &sent {
        let id = create(&client, &server.url, &server.token, key).await.unwrap();
        assert_eq!(acknowledged.get(key).unwrap_or(&id), &id, "{key} got another event");
    }
    let mut there = titles(&server).await;
    there.remove(Shift::TITLE);
    assert_eq!(there.len(), sent.len());
    assert!(there.values().all(|&count| count == 1));

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
    assert_eq!(miscounted, "0", "filled is the number of sign-ups");
    assert!(!signed_up.is_empty());
    let check = match engine {
        Engine::Sqlite => "PRAGMA integrity_check",
        Engine::Postgres => {
            "CREATE EXTENSION amcheck; SELECT 'ok' WHERE 0 < (SELECT count(bt_index_check(indexrelid, true)) FROM pg_index \
             JOIN pg_class c ON c.oid = indexrelid JOIN pg_am a ON a.oid = c.relam \
             WHERE a.amname = 'btree' AND c.relpersistence = 'p')"
        }
    };
    assert_eq!(server.sql(check).await, "ok", "the database is whole");
}

/// The disk fails while something is made durable. What it then says of the file is not to be believed, so the server ends,
/// and the next one goes by what recovery finds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disk_that_fails_at_a_commit_ends_the_server_and_loses_nothing_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite:{}", folder.path().join("signup.db").display());
    // No file may grow beyond 1 MiB: what is written past it fails as it does on a broken disk.
    let mut server = Server::start_limited(&database, "-f 1024");
    let client = reqwest::Client::new();
    let mut acknowledged = vec![];
    for number in 0.. {
        assert!(number < 100_000, "the disk fails at some point");
        let key = format!("key-{number}");
        match create(&client, &server.url, &server.token, &key).await {
            Some(id) => acknowledged.push((key, id)),
            None => break,
        }
    }
    let status = server.wait();
    assert_eq!(status.code(), Some(1), "it ends by itself");
    assert!(acknowledged.len() > 10, "{}", acknowledged.len());

    let mut again = Server::start_on(&database, &[]);
    again.token.clone_from(&server.token);
    for (key, id) in &acknowledged {
        assert_eq!(create(&client, &again.url, &again.token, key).await.as_ref(), Some(id), "{key}");
    }
    let there = titles(&again).await;
    assert!(there.values().all(|&count| count == 1));
    assert!(there.len() - acknowledged.len() <= 1, "at most the one that was under way");
}
