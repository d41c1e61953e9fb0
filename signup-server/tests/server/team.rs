//! The route `/v1/team`.

use crate::harness::Server;

#[tokio::test]
async fn a_token_sees_its_own_organization() {
    let server = Server::start_on_sqlite();
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
