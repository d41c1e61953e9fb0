//! `kill -9` in the middle of writes: whatever was acknowledged is there once, and no key has two.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::Server;

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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_loses_nothing_acknowledged_and_doubles_nothing() {
    let kills = std::env::var("CRASH_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    let mut server = Server::start_on_sqlite();
    let mut acknowledged: HashMap<String, String> = HashMap::new();
    let mut sent = vec![];
    for round in 0..kills {
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
        tokio::time::sleep(Duration::from_millis(20 + (round as u64 * 37) % 120)).await;
        server.kill();
        for writer in writers {
            for (key, id) in writer.await.unwrap() {
                sent.push(key.clone());
                acknowledged.extend(id.map(|id| (key, id)));
            }
        }
        server.restart();
    }
    let there = titles(&server).await;
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
    let there = titles(&server).await;
    assert_eq!(there.len(), sent.len());
    assert!(there.values().all(|&count| count == 1));
}
