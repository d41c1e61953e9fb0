//! The route `/v1/team`.

use rstest::rstest;

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server};

#[rstest]
#[tokio::test]
async fn a_token_sees_its_own_organization(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let answer = server.get("/v1/team").await;
    assert_eq!(answer.status, 200);
    assert_eq!(
        (answer.data()["name"].as_str(), answer.data()["slug"].as_str()),
        (Some("Starter"), Some("starter"))
    );
    let other = server.manage(&[
        "organization",
        "create",
        "--name",
        "Rowers",
        "--sport",
        "rowing",
        "--public-url",
        "https://r.example",
    ]);
    let token = server.manage(&["token", "create", "--organization", "rowers", "--name", "t"]);
    let request = server.request("GET", "/v1/team").bearer_auth(token["token"].as_str().unwrap());
    let mut own = server.answer(request).await.data();
    own["plan"] = "free".into();
    assert_eq!(own, other);
}
