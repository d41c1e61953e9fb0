//! Several server processes on one PostgreSQL database: a rate limit, a revocation and the end of a membership apply to all of
//! them.

use std::time::Duration;

use futures_util::future::join_all;

use crate::console::Organizer;
use crate::console_settings::hidden;
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
    let made = servers[0].command("token create --organization starter --name t");
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_loses_a_role_and_the_membership_in_every_process_and_the_token_stays() {
    let Some(first) = Server::start_on_postgres() else { return };
    let second = first.start_another(&[]);
    let join = async |email: &str, role: &str| {
        let (browser, path) = (Organizer::new(&first), first.invite("starter", email, role));
        assert_eq!(browser.post(&path, &[("name", "X")]).await.status, 303);
        browser
    };
    let (owner, here) = (join("ada@example.org", "owner").await, join("bo@example.org", "admin").await);
    let there = Organizer::new(&second);
    there.set_cookie("signup", &here.cookie("signup").unwrap());
    let members = "/console/starter/settings/members";
    for browser in [&here, &there] {
        assert_eq!(browser.get(members).await.status, 200);
    }
    let token = [("action", "create"), ("name", "t"), ("scopes", "team:read"), ("expires_in_days", "9")];
    assert_eq!(here.post("/console/starter/settings/tokens", &token).await.status, 303);
    let made = here.get("/console/starter/settings/tokens").await;
    let token = format!("signup_{}", &made.text.split("signup_").nth(1).unwrap()[..43]);

    let id = hidden(&owner.get(members).await.text, "bo@example.org", "person_id");
    // A former member is redirected to the page to sign in.
    for (action, status) in [("role", 403), ("remove", 303)] {
        let fields = [("action", action), ("person_id", &*id), ("role", "organizer")];
        assert_eq!(owner.post(members, &fields).await.status, 303);
        assert_eq!(
            here.get(members).await.status,
            status,
            "{action} takes effect at once in the process that executed it"
        );
        wait_until(Duration::from_secs(5), async || match there.get(members).await.status {
            found if found == status => Ok(()),
            found => Err(format!("the other process answered {found} after {action}")),
        })
        .await;
    }
    for server in [&first, &second] {
        let request = server.request("GET", "/v1/team").bearer_auth(&token);
        assert_eq!(server.answer(request).await.status, 200, "the token that a former member made works");
    }
}
