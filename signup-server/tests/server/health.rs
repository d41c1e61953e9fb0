//! The health routes: `/health/live` and `/health/ready`.

use rstest::rstest;
use serde_json::json;

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server};

#[rstest]
#[tokio::test]
async fn a_server_that_listens_is_live_and_ready(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    for word in ["live", "ready"] {
        let answer = server.get_without_token(&format!("/health/{word}")).await;
        assert_eq!((answer.status, answer.json()), (200, json!({"status": word})));
        assert_eq!(answer.header("x-ratelimit-limit"), None, "health routes are not rate limited");
    }
    let head = server.answer(server.request("HEAD", "/health/live")).await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
}
