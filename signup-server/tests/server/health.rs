//! The health routes: `/health/live` and `/health/ready`.

use std::time::Duration;

use rstest::rstest;
use serde_json::json;

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server, event};
use crate::wait::wait_until;

/// The log says once what to do. Nothing that was acknowledged is lost, and the server recovers when the file is back.
#[rstest]
#[tokio::test]
async fn a_server_without_its_file_answers_503_until_the_file_is_back(
    #[values(false, true)] is_replaced: bool,
) {
    let folder = tempfile::tempdir().unwrap();
    let (path, away) = (folder.path().join("signup.db"), folder.path().join("away.db"));
    let log = folder.path().join("log");
    let server = Server::start_with_log(&format!("sqlite:{}", path.display()), &log, &[]);
    let created = server.create(&event()).await;
    let event_path = format!("/v1/events/{}", created["id"].as_str().unwrap());
    assert_eq!(server.get(&event_path).await.status, 200);
    std::fs::rename(&path, &away).unwrap();
    if is_replaced {
        std::fs::copy(&away, &path).unwrap();
    }
    wait_until(Duration::from_secs(3), async || {
        let ready = server.get_without_token("/health/ready").await.status;
        let read = [server.get(&event_path).await.status, server.get("/v1/events").await.status];
        let found = (ready, read);
        (found == (503, [503; 2])).then_some(()).ok_or_else(|| format!("{found:?}"))
    })
    .await;
    let written = server.post("/v1/events", &event()).await;
    assert_eq!((written.status, written.header("retry-after")), (503, Some("1")), "{}", written.text);
    assert_eq!(server.get_without_token("/health/live").await.status, 200);
    let logged = std::fs::read_to_string(&log).unwrap();
    let what_to_do = format!("{} was deleted, moved away or replaced: ", path.display());
    assert_eq!(logged.matches(&what_to_do).count(), 1, "{logged}");
    std::fs::rename(&away, &path).unwrap();
    wait_until(Duration::from_secs(10), async || {
        let found =
            (server.get_without_token("/health/ready").await.status, server.get(&event_path).await.status);
        (found == (200, 200)).then_some(()).ok_or_else(|| format!("{found:?}"))
    })
    .await;
    assert_eq!(server.post("/v1/events", &event()).await.status, 201);
    assert_eq!(server.count_events().await, 2);
}

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
