//! The states of a sign-up in the API: cancelled by whom.

use serde_json::json;

use crate::scene::Scene;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_sign_up_says_who_cancelled_it() {
    let scene = Scene::start().await;
    let volunteer = scene.sign_up("Early", "ada@example.org").await;
    let organizer = scene.sign_up("Early", "bob@example.org").await;
    scene.cancel("ada@example.org").await;
    scene.cancel_event().await;
    for (before, by) in [(volunteer, "volunteer"), (organizer, "organizer")] {
        let path = format!("/v1/signups/{}", before["id"].as_str().unwrap());
        let found = scene.server.get(&path).await.data();
        let mut expected = before;
        expected["status"] = json!("cancelled");
        expected["cancelled_by"] = json!(by);
        assert!(found["cancelled_at"].as_str().unwrap() >= expected["created_at"].as_str().unwrap());
        for moved in ["cancelled_at", "updated_at"] {
            expected[moved] = found["cancelled_at"].clone();
        }
        assert_eq!(found, expected);
        assert_eq!(
            scene.signups("/v1/signups", "cancelled", found["email"].as_str().unwrap()).await,
            [found]
        );
    }
    assert_eq!(scene.server.get("/v1/signups?status=confirmed").await.data(), json!([]));
}
