//! Several server processes on one PostgreSQL database: a rate limit and a revocation apply to all of them together.

use std::time::Duration;

use futures_util::future::join_all;

use crate::harness::Server;
use crate::lives::token_of;
use crate::wait::wait_until;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rate_limit_of_a_token_holds_over_all_processes() {
    let Some(first) = Server::start_on_postgres() else { return };
    let token = token_of(&first, "Small", "free");
    let database = first.database();
    let servers = [0, 1].map(|_| Server::start_exactly(&["--database", &database]));
    let requests = (0..200).map(|request| {
        let server = &servers[request % 2];
        server.answer(server.request("GET", "/v1/team").bearer_auth(&token))
    });
    let answers = join_all(requests).await;
    let count = |status| answers.iter().filter(|answer| answer.status == status).count();
    println!("2 processes, 200 requests at 30 a minute: {} answered, {} refused", count(200), count(429));
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
    let Some(first) = Server::start_on_postgres() else { return };
    let second = first.start_another(&[]);
    let servers = [first, second];
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
