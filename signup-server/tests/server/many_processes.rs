//! Several server processes on one PostgreSQL database: a key, a capacity or a limit applies to all of them together.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use reqwest::StatusCode;
use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::{Server, event};
use crate::volunteers::Shift;
use crate::wait::wait_until;

/// Starts `number` server processes on one new database. Returns `None` if PostgreSQL is not installed.
fn processes(number: usize, arguments: &[&str]) -> Option<Vec<Server>> {
    let first = Server::start_on_postgres()?;
    let mut servers = vec![];
    for _ in 0..number {
        servers.push(first.start_another(arguments));
    }
    Some(servers)
}

/// Creates an organization with the plan `free` and returns a token of it.
fn free_token(server: &Server) -> String {
    server.manage(&["organization", "create", "--name", "Small"]);
    let made = server.manage(&["token", "create", "--organization", "small", "--name", "t"]);
    made["token"].as_str().unwrap().to_owned()
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_posts_with_one_key_make_one_event(#[values(2, 4)] number: usize) {
    let Some(servers) = processes(number, &[]) else { return };
    let client = reqwest::Client::new();
    let (body, start) = (Arc::new(event()), Arc::new(tokio::sync::Barrier::new(1000)));
    let posts = (0..1000).map(|post| {
        let server = &servers[post % number];
        let request = client.post(format!("{}/v1/events", server.url)).bearer_auth(&server.token);
        let request = request.header("Idempotency-Key", "one-key").json(&*body);
        let start = Arc::clone(&start);
        tokio::spawn(async move {
            start.wait().await;
            let response = request.send().await.unwrap();
            let is_replay = response.headers().contains_key("idempotent-replay");
            (response.status(), is_replay, response.json::<Value>().await.unwrap())
        })
    });
    let answers: Vec<_> = join_all(posts.collect::<Vec<_>>()).await.into_iter().map(Result::unwrap).collect();
    let count = |status| answers.iter().filter(|(is, ..)| *is == status).count();
    let first = answers.iter().filter(|(_, is_replay, _)| !is_replay).count();
    let events = servers[0].count_events().await;
    println!(
        "{number} processes, 1000 posts with one key: {} answered 201, {first} of them no replay, {events} events",
        count(StatusCode::CREATED)
    );
    assert_eq!(events, 1);
    assert_eq!(count(StatusCode::CREATED), 1000);
    assert_eq!(first, 1, "one request takes effect");
    let of = |body: &Value| body["data"]["id"].clone();
    assert!(
        answers.iter().all(|(.., body)| of(body) == of(&answers[0].2)),
        "all requests return the same event"
    );
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_simultaneous_sign_ups_for_a_shift_of_seven_fill_seven(#[values(2, 4)] number: usize) {
    let Some(server) = Server::start_on_postgres() else { return };
    let shift = Shift::create(&server, 7).await;
    let (admitted, refused) = shift.sign_up_at_one_moment(&server, number, 200 / number);
    let filled = shift.filled(&server).await;
    println!("{number} processes, 200 people on a shift of 7: {admitted} admitted, {refused} refused");
    assert_eq!((admitted, refused, filled), (7, 193, 7));
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_published_creates_at_a_limit_of_five_make_five(#[values(2, 4)] number: usize) {
    let Some(servers) = processes(number, &[]) else { return };
    let token = free_token(&servers[0]);
    let mut body = event();
    body["is_published"] = json!(true);
    let creates = (0..200).map(|create| {
        let server = &servers[create % number];
        server.answer(server.request("POST", "/v1/events").bearer_auth(&token).json(&body))
    });
    let answers = join_all(creates).await;
    let count = |status| answers.iter().filter(|answer| answer.status == status).count();
    println!(
        "{number} processes, 200 published creates at a limit of 5: {} made, {} refused",
        count(201),
        count(422)
    );
    assert_eq!((count(201), count(422)), (5, 195));
    let limit = json!({"limit_type": "active_events", "current_count": 5, "max_allowed": 5});
    assert!(answers.iter().all(|answer| answer.status == 201 || answer.json()["limit"] == limit));
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rate_limit_of_a_token_holds_over_all_processes(#[values(2, 4)] number: usize) {
    let Some(first) = Server::start_on_postgres() else { return };
    let token = free_token(&first);
    let database = first.database();
    let servers: Vec<_> = (0..number).map(|_| Server::start_exactly(&["--database", &database])).collect();
    let requests = (0..200).map(|request| {
        let server = &servers[request % number];
        server.answer(server.request("GET", "/v1/team").bearer_auth(&token))
    });
    let answers = join_all(requests).await;
    let count = |status| answers.iter().filter(|answer| answer.status == status).count();
    println!(
        "{number} processes, 200 requests at 30 a minute: {} answered, {} refused",
        count(200),
        count(429)
    );
    assert_eq!((count(200), count(429)), (30, 170));
    let left = |answer: &&crate::harness::Answer| {
        answer.header("x-ratelimit-remaining").unwrap().parse::<u32>().unwrap()
    };
    let mut left: Vec<_> =
        answers.iter().filter(|answer| answer.status == 200).map(|answer| left(&answer)).collect();
    left.sort_unstable();
    assert_eq!(
        left,
        (0..30).collect::<Vec<_>>(),
        "no two answers have the same number of remaining requests"
    );
}

#[tokio::test]
async fn a_revoked_token_is_refused_by_every_process_within_5_seconds() {
    let Some(servers) = processes(2, &[]) else { return };
    let made = servers[0].manage(&["token", "create", "--organization", "starter", "--name", "t"]);
    let token = made["token"].as_str().unwrap();
    let status = async |server: &Server| {
        server.answer(server.request("GET", "/v1/team").bearer_auth(token)).await.status
    };
    for server in &servers {
        assert_eq!(status(server).await, 200);
    }
    servers[0].manage(&["token", "revoke", "--token-id", made["id"].as_str().unwrap()]);
    wait_until(Duration::from_millis(5500), async || {
        for (number, server) in servers.iter().enumerate() {
            if status(server).await == 200 {
                return Err(format!("server {number} did not refuse the revoked token"));
            }
        }
        Ok(())
    })
    .await;
}
