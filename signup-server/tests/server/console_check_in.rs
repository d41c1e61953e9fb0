//! Check-in: marking who comes to a shift, at one door and at two.

use jiff::{SignedDuration, tz};
use serde_json::{Value, json};
use signup_core::{Clock as _, SystemClock};

use crate::console::Organizer;
use crate::console_signups::Scene;
use crate::harness::Server;
use crate::lives::id;
use crate::pages::Page;

/// Creates an event with a shift of 24 hours that is on, or begins within 6 hours.
pub(crate) async fn at_the_door(server: &Server) -> Page {
    let day = tz::Offset::UTC.to_datetime(SystemClock.now() + SignedDuration::from_hours(6)).date();
    let event = json!({
        "title": "Food drive", "start_date": day.to_string(), "timezone": "UTC", "is_published": true,
        "shifts": [{"title": "Door", "capacity": 20}],
    });
    Page::create(server, &event).await
}

/// Returns the path of the check-in of an event.
pub(crate) fn path(page: &Page) -> String {
    format!("/console/riverside/events/{}/check-in", id(&page.event))
}

/// Signs volunteers up, and returns their sign-ups in the same order.
async fn sign_up(server: &Server, page: &Page, names: &[&str]) -> Vec<String> {
    for (number, name) in names.iter().enumerate() {
        page.signed_up(server, &page.slot("Door"), name, &format!("v{number}@example.org")).await;
    }
    let signups = server.get("/v1/signups").await.data();
    let of = |name: &&str| signups.as_array().unwrap().iter().find(|signup| signup["name"] == **name);
    names.iter().map(|name| id(of(name).unwrap()).to_owned()).collect()
}

#[tokio::test]
async fn a_tap_marks_who_is_here_and_leads_back_to_the_row() {
    let server = Server::start(&[]);
    let ada = Organizer::first_owner(&server).await;
    let page = at_the_door(&server).await;
    let at = path(&page);
    let event = ada.get(at.strip_suffix("/check-in").unwrap()).await;
    // It is the first action on the day of the event, and a link before.
    assert!(event.text.contains(&format!("href=\"{at}\">Check-in</a>")), "{}", event.text);
    let [anna, bob]: [String; 2] =
        sign_up(&server, &page, &["Anna-Lena Ortíz", "Bob Stone"]).await.try_into().unwrap();
    let mark = async |signup: &str, attendance: &str, search: &str| {
        let to = if search.is_empty() { at.clone() } else { format!("{at}?q={search}") };
        ada.post(&to, &[("signup_id", signup), ("attendance", attendance)]).await
    };
    let shown = async |query: &str| ada.get(&format!("{at}{query}")).await.text;
    let attendance = async |signup: &str| server.get(&format!("/v1/signups/{signup}")).await.data();

    assert!(shown("").await.contains("0 of 2 here"));
    assert_eq!(attendance(&anna).await["attendance"], Value::Null);
    let back = |query: &str, signup: &str| format!("{at}{query}#signup-{signup}");
    for (name, marked) in [("absent", json!("absent")), ("attended", json!("attended"))] {
        let answer = mark(&anna, name, "").await;
        assert_eq!((answer.status, answer.header("location")), (303, Some(&*back("", &anna))));
        let signup = attendance(&anna).await;
        assert_eq!(signup["attendance"], marked);
    }
    assert!(shown("").await.contains("1 of 2 here"));
    for (search, is_anna, is_bob) in [("orti", true, false), ("b+st", false, true), ("one", false, false)] {
        let text = shown(&format!("?q={search}")).await;
        assert_eq!((text.contains("Anna-Lena"), text.contains("Bob")), (is_anna, is_bob), "{search}");
        assert_eq!(text.contains("1 of 2 here"), is_anna || is_bob, "the count is that of the shift");
    }
    let answer = mark(&bob, "attended", "b+st").await;
    assert_eq!(answer.header("location"), Some(&*back("?q=b+st", &bob)));

    let list = at.replace("check-in", "signups");
    assert!(ada.get(&list).await.text.contains("<td>Here</td>"));
    let csv = ada.get(&format!("{list}.csv")).await.text;
    assert_eq!(csv.matches(",attended,24,").count(), 2, "{csv}");
    assert_eq!(mark(&bob, "unknown", "").await.status, 303);
    assert_eq!(attendance(&bob).await["attendance"], Value::Null);
    let activity = server.get("/v1/activity?type=signup.*").await.data();
    let seen = |entry: &Value| (entry["type"].clone(), entry["actor"]["name"].clone());
    let by_ada = |kind: &str| (json!(kind), json!("Ada Lovelace"));
    assert_eq!(
        activity.as_array().unwrap()[..4].iter().map(seen).collect::<Vec<_>>(),
        ["signup.attendance_cleared", "signup.attended", "signup.attended", "signup.absent"].map(by_ada)
    );

    let other = Page::create(&server, &crate::harness::event()).await;
    let elsewhere = ada.post(&path(&other), &[("signup_id", &*bob), ("attendance", "attended")]).await;
    assert_eq!(elsewhere.status, 404, "a sign-up for another event");
    for (signup, attendance, status) in [(&*bob, "maybe", 422), (&*bob, "", 422), ("x", "attended", 404)] {
        assert_eq!(mark(signup, attendance, "").await.status, status, "{signup} {attendance}");
    }
    let cancel = format!("/console/riverside/signups/{anna}/cancel");
    assert_eq!(ada.post(&cancel, &[("confirmed", "yes")]).await.status, 303);
    assert_eq!(attendance(&anna).await["attendance"], Value::Null, "a cancellation clears it");
    let late = mark(&anna, "attended", "").await;
    assert!(late.status == 409 && late.text.contains("This place is not confirmed"), "{}", late.text);
}

#[tokio::test]
async fn marks_at_several_doors_never_undo_each_other() {
    let server = Server::start_on_sqlite();
    let ada = Organizer::first_owner(&server).await;
    let page = at_the_door(&server).await;
    let names: Vec<_> = (0..12).map(|number| format!("V {number}")).collect();
    let signups = sign_up(&server, &page, &names.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let at = path(&page);
    // The last one is marked at two doors.
    let marks = signups
        .iter()
        .chain(signups.last())
        .map(async |signup| ada.post(&at, &[("signup_id", signup), ("attendance", "attended")]).await.status);
    assert_eq!(futures_util::future::join_all(marks).await, [303; 13]);
    assert!(ada.get(&at).await.text.contains("12 of 12 here"));
}

#[tokio::test]
async fn nobody_is_marked_long_before_the_shift() {
    let server = Server::start(&[]);
    let scene = Scene::start(&server).await;
    assert!(scene.ada.get(&path(&scene.page)).await.text.contains("No one has a place on a shift"));
    scene.sign_up("Early", ("Bob", "bob@example.org"), "").await;
    let signup = id(&server.get("/v1/signups").await.data()[0]).to_owned();
    let shown = scene.ada.get(&path(&scene.page)).await.text;
    assert!(
        shown.contains("You can mark who is here from Tuesday 4 June at 20:00.")
            && !shown.contains(&format!("value=\"{signup}\""))
    );
    let answer =
        scene.ada.post(&path(&scene.page), &[("signup_id", &*signup), ("attendance", "attended")]).await;
    assert!(answer.status == 409 && answer.text.contains("You can’t mark who came now"), "{}", answer.text);
}
