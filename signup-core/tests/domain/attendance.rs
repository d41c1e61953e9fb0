//! Marking who came: the person as the actor, the fences, and what ends a mark.

use signup_core::*;

use crate::scene::{Scene, join, session};

#[tokio::test]
async fn an_organizer_marks_who_came_and_no_other_organization_does() {
    let scene = Scene::start().await;
    let (event, shift) = scene.event(2).await;
    let signup = scene.sign_up(&shift, "bob").await.unwrap().signup;
    scene.clock.set(shift.interval().start);
    let (ada, _) = scene.member("ada", Role::Organizer).await;
    let organization = scene.session.organization().await.unwrap();
    let ada = ada.session(&organization.slug).unwrap();

    let marked = ada.mark_attendance(signup.id, Some(Attendance::Attended)).await.unwrap();
    assert_eq!(
        (marked.attendance, marked.updated_at()),
        (Some(Attendance::Attended), shift.interval().start)
    );
    let activity = scene.session.activity(ActivityQuery::new()).await.unwrap().items.remove(0);
    assert_eq!(activity.kind, ActivityType::SIGNUP_ATTENDED);
    assert!(matches!(activity.actor, Actor::Person { .. }), "{:?}", activity.actor);
    let again = ada.mark_attendance(signup.id, Some(Attendance::Attended)).await.unwrap();
    assert_eq!(again, marked, "the same again changes nothing");

    let other = session(&scene.service, Plan::Pro).await.organization().await.unwrap();
    let (eve, _) = join(&scene.service, other.id, "eve", Role::Owner).await;
    let elsewhere = eve.session(&other.slug).unwrap().mark_attendance(signup.id, None).await;
    assert_eq!(elsewhere, Err(Error::NotFound));

    scene.service.admin().cancel_signup(organization.id, signup.id).await.unwrap();
    let cancelled = scene.session.signup(signup.id).await.unwrap();
    assert_eq!(cancelled.attendance, None, "a cancellation clears it");
    let late = ada.mark_attendance(signup.id, Some(Attendance::Attended)).await;
    assert_eq!(late, Err(Error::SignupNotConfirmed));
    scene.session.delete_event(event.id).await.unwrap();
    assert_eq!(ada.mark_attendance(signup.id, None).await, Err(Error::NotFound), "a deleted event");
}
