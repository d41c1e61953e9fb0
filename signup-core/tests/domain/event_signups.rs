//! All sign-ups of an event at once.

use signup_core::*;

use crate::scene::{Scene, session};

fn shift(title: &str, starts: i8) -> NewShift {
    let hours = Hours::between(time(starts, 0, 0, 0), time(starts + 1, 0, 0, 0)).unwrap();
    NewShift::new(title.parse().unwrap(), Capacity::new(9).unwrap()).hours(hours)
}

#[tokio::test]
async fn the_sign_ups_of_an_event_stand_by_shift_in_running_order_and_by_name() {
    let scene = Scene::start().await;
    let drive = NewEvent::new("Food drive".parse().unwrap(), date(2027, 6, 6), "UTC".parse().unwrap());
    let drive = drive.shift(shift("Late", 20)).shift(shift("Empty", 18)).shift(shift("Deleted", 8));
    let drive = drive.shift(shift("Removed", 7)).published();
    let EventWithShifts { event, shifts, .. } = scene.session.create_event(drive).await.unwrap();
    let [removed, deleted, _, late] = &shifts[..] else { panic!("{shifts:?}") };
    for name in ["bea", "Carl", "Ada"] {
        scene.sign_up(late, name).await.unwrap();
    }
    scene.sign_up(deleted, "dora").await.unwrap();
    scene.session.delete_shift(deleted.id, DeleteShift::new().cancel_signups()).await.unwrap();
    scene.session.delete_shift(removed.id, DeleteShift::new()).await.unwrap();
    let other = scene.event(1).await.1;
    scene.sign_up(&other, "eve").await.unwrap();

    let all = scene.session.event_signups(event.id).await.unwrap();
    let listed = all.shifts.iter().map(|of_shift| {
        let signups = of_shift.signups.iter().map(|signup| (signup.name.as_str(), signup.is_confirmed()));
        (of_shift.shift.title.as_str(), signups.collect::<Vec<_>>())
    });
    let listed: Vec<_> = listed.collect();
    let expected = [
        ("Deleted", vec![("dora", false)]),
        ("Empty", vec![]),
        ("Late", vec![("Ada", true), ("bea", true), ("Carl", true)]),
    ];
    assert_eq!(listed, expected);
    assert_eq!(all.event.id, event.id);

    let stranger = session(&scene.service, Plan::Pro).await;
    assert_eq!(stranger.event_signups(event.id).await, Err(Error::NotFound));
}

#[tokio::test]
async fn more_sign_ups_than_one_read_returns_are_all_there() {
    let scene = Scene::start().await;
    let (event, shift) = scene.event(600).await;
    for number in 0..501 {
        scene.sign_up(&shift, &format!("v{number:03}")).await.unwrap();
    }
    let all = scene.session.event_signups(event.id).await.unwrap();
    let names: Vec<_> = all.shifts[0].signups.iter().map(|signup| signup.name.to_string()).collect();
    assert_eq!(names, (0..501).map(|number| format!("v{number:03}")).collect::<Vec<_>>());
}
