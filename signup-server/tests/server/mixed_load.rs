//! Mixed load on two processes and one PostgreSQL, over HTTP, with webhooks: each accepted write has its activity, and each
//! webhook receives the activity that it selects and no other.

use std::time::{Duration, Instant};

use crate::activity::{all_activity, types_by_event};
use crate::harness::{Server, client};
use crate::life::Life;
use crate::lives::PROXY;
use crate::receiver::{ALLOW, Receiver};
use crate::subscription::{Subscription, wait_until_delivered};

/// The length of the load in seconds, unless the environment variable `MIXED_LOAD_S` sets it.
const LOAD_S: u64 = 10;
const WRITERS: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_accepted_write_of_a_mixed_load_is_listed_and_delivered() {
    let load_s = std::env::var("MIXED_LOAD_S").ok().and_then(|load_s| load_s.parse().ok()).unwrap_or(LOAD_S);
    let Some(server) = Server::start_on_postgres() else { return };
    let arguments = [PROXY, ALLOW].concat();
    let first = server.restart_with(&arguments);
    let second = first.start_another(&arguments);
    let mut webhooks = vec![];
    for types in
        [["*"].as_slice(), &["signup.*"], &["event.created", "event.updated", "event.cancelled", "slot.*"]]
    {
        webhooks.push(Subscription::create(&first, Receiver::start(), types).await);
    }
    let began = Instant::now();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (urls, token) = ([first.url.clone(), second.url.clone()], first.token.clone());
            tokio::spawn(async move {
                let (client, mut lives) = (client(), vec![]);
                while began.elapsed() < Duration::from_secs(load_s) {
                    let mut life = Life::new(lives.len() * WRITERS + writer);
                    life.go_on(&client, &urls, &token).await;
                    assert_eq!(life.acknowledged.len(), life.steps().len());
                    lives.push(life);
                }
                lives
            })
        })
        .collect();
    let mut lives = vec![];
    for writer in writers {
        lives.extend(writer.await.unwrap());
    }
    let loaded = began.elapsed();
    wait_until_delivered(&first, Duration::from_secs(60)).await;
    println!("{loaded:.1?} of load, delivered {:.1?} later", began.elapsed() - loaded);

    let activity = all_activity(&second).await;
    let by_event = types_by_event(&activity);
    assert_eq!(by_event.len(), lives.len(), "each event was created by one request");
    for life in &lives {
        assert_eq!(by_event[life.id()], life.activity(), "life {}", life.number);
    }
    let writes: usize = lives.iter().map(|life| life.acknowledged.len()).sum();
    println!("{writes} writes, {} activities", activity.len());
    for webhook in &webhooks {
        let (records, requests) = webhook.check(&activity);
        assert_eq!(records, requests, "the processes deliver each activity once");
    }
}
