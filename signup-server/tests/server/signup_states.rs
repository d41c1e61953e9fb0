//! The states of a sign-up in the API: cancelled by whom, signed up again, erased, and of a deleted event.

use serde_json::json;

use crate::lives::assert_not_found;
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn signing_up_after_a_cancel_makes_another_record() {
    let scene = Scene::start().await;
    let first = scene.sign_up("Early", "Ada@example.org").await;
    scene.cancel("Ada@example.org").await;
    let second = scene.sign_up("Early", "ada@EXAMPLE.org").await;
    assert_ne!(first["id"], second["id"]);
    assert_eq!((&first["email"], &second["email"]), (&json!("Ada@example.org"), &json!("ada@EXAMPLE.org")));
    let both = scene.signups("/v1/signups", "", "ada@example.org").await;
    let mut states: Vec<_> =
        both.iter().map(|found| (found["id"].clone(), found["status"].as_str().unwrap())).collect();
    states.sort_by_key(|(_, status)| *status);
    assert_eq!(states, [(first["id"].clone(), "cancelled"), (second["id"].clone(), "confirmed")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_erased_sign_up_is_not_found() {
    let scene = Scene::start_on_sqlite().await;
    let confirmed = scene.sign_up("Early", "ada@example.org").await;
    let cancelled = scene.sign_up("Late", "Ada@example.org").await;
    let other = scene.sign_up("Early", "bob@example.org").await;
    assert_eq!(
        scene.server.send("DELETE", &scene.slot_path("Late", "?cancel_signups=1"), None).await.status,
        200
    );
    let erase = ["signup", "erase", "--email", "ada@example.org", "--organization", "starter"];
    assert_eq!(scene.server.manage(&erase)["erased"], 2);
    for erased in [&confirmed, &cancelled] {
        let answer = scene.server.get(&format!("/v1/signups/{}", erased["id"].as_str().unwrap())).await;
        assert_not_found(&answer, "erased");
    }
    for list in ["/v1/signups".to_owned(), scene.event_path("/signups"), scene.slot_path("Early", "/signups")]
    {
        assert_eq!(scene.server.get(&list).await.data(), json!([other]), "{list}");
    }
    assert_eq!(scene.server.get(&scene.slot_path("Early", "")).await.data()["filled"], 1);
}
