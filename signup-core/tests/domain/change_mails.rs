//! Mails about changes of a shift under a fixed clock: who is told, what, and when.

use signup_core::*;

use crate::scene::Scene;

/// A scene with a published event, one shift on the day after the clock's date, and the volunteer "ada".
struct World {
    scene: Scene,
    event: Event,
    shift: ScheduledShift,
}

/// The places that a mail shows: before and after.
type Places = (Option<String>, Option<String>);

async fn world() -> World {
    let scene = Scene::start().await;
    let (event, shift) = scene.event(1000).await;
    let world = World { scene, event, shift };
    world.scene.sign_up(&world.shift, "ada").await.unwrap();
    assert_eq!(world.mails().await, [], "a confirmation tells no change");
    world
}

impl World {
    async fn move_to(&self, place: &str) {
        let patch = ShiftPatch::new().location(place.parse().unwrap());
        self.scene.session.patch_shift(self.shift.id, patch).await.unwrap();
    }

    fn wait(&self, seconds: i64) {
        self.scene.clock.advance(seconds);
    }

    /// Delivers all mails that are due. Returns the volunteer and the places of each change in them.
    async fn mails(&self) -> Vec<(String, Places)> {
        let mails = self.scene.mails().await;
        let news = mails.iter().filter_map(|mail| match &mail.content {
            MailContent::News(news) => Some(&news.places),
            _ => None,
        });
        news.flatten().filter_map(change_of).collect()
    }
}

/// Returns the volunteer and the places of a change.
fn change_of(place: &PlaceNews) -> Option<(String, Places)> {
    let PlaceChange::Moved { before } = &place.change else { return None };
    let location = |at: &TimeAndPlace| at.location.as_ref().map(ToString::to_string);
    Some((place.signup.name.to_string(), (location(before), location(&place.at))))
}

fn change(name: &str, before: Option<&str>, after: &str) -> (String, Places) {
    (name.to_owned(), (before.map(str::to_owned), Some(after.to_owned())))
}

#[tokio::test]
async fn changes_within_a_minute_of_each_other_are_one_mail() {
    let world = world().await;
    world.move_to("Dock 1").await;
    world.wait(59);
    assert_eq!(world.mails().await, []);
    world.move_to("Dock 2").await;
    world.wait(59);
    assert_eq!(world.mails().await, [], "the second change has started the minute anew");
    world.wait(1);
    assert_eq!(world.mails().await, [change("ada", None, "Dock 2")]);
    world.wait(600);
    assert_eq!(world.mails().await, [], "nothing more is sent");
    world.move_to("Dock 3").await;
    world.wait(60);
    assert_eq!(world.mails().await, [change("ada", Some("Dock 2"), "Dock 3")]);
}

#[tokio::test]
async fn a_change_is_mailed_five_minutes_after_the_first_of_many() {
    let world = world().await;
    for number in 0..9 {
        world.move_to(&format!("Dock {number}")).await;
        world.wait(33);
        assert_eq!(world.mails().await, []);
    }
    world.move_to("Dock 9").await;
    world.wait(2);
    assert_eq!(world.mails().await, [], "a second before");
    world.wait(1);
    assert_eq!(world.mails().await, [change("ada", None, "Dock 9")]);
}

/// The process that makes the change has a clock that is ahead.
#[tokio::test]
async fn a_change_by_a_clock_that_is_ahead_is_mailed() {
    let world = world().await;
    world.wait(7_200);
    world.move_to("Dock 1").await;
    world.wait(-7_200);
    assert_eq!(world.mails().await, [change("ada", None, "Dock 1")]);
}

#[tokio::test]
async fn a_volunteer_who_signed_up_after_a_change_gets_no_mail_about_it() {
    let world = world().await;
    let form = world.scene.service.volunteers().form(&world.event.slug, [world.shift.id]).await.unwrap();
    world.move_to("Dock 1").await;
    world.scene.sign_up(&world.shift, "bob").await.unwrap();
    // The form shows the former place, and the confirmation the present one.
    form.sign_up(crate::scene::volunteer("eve")).await.unwrap().into_places().unwrap();
    world.wait(60);
    assert_eq!(world.mails().await, [change("ada", None, "Dock 1")]);
}

#[tokio::test]
async fn a_move_of_the_event_joins_the_changes_of_its_shifts() {
    let world = world().await;
    world.move_to("Dock 1").await;
    world.wait(30);
    let moved = EventPatch::new().location("Harbor Street".parse().unwrap());
    world.scene.session.patch_event(world.event.id, moved).await.unwrap();
    world.wait(30);
    assert_eq!(world.mails().await, []);
    world.wait(30);
    assert_eq!(world.mails().await, [change("ada", None, "Dock 1")]);
}

#[tokio::test]
async fn without_a_delay_each_change_is_mailed_at_once() {
    let mut world = world().await;
    world.scene.service = world.scene.service.with_change_mail_delay(SignedDuration::from_secs(-1));
    let organization = world.event.organization;
    world.scene.session = world.scene.service.session_for(organization, Scopes::all()).await.unwrap();
    world.move_to("Dock 1").await;
    assert_eq!(world.mails().await, [change("ada", None, "Dock 1")]);
    world.move_to("Dock 2").await;
    assert_eq!(world.mails().await, [change("ada", Some("Dock 1"), "Dock 2")]);
}

#[tokio::test]
async fn a_write_says_how_many_mails_it_queued_and_so_does_its_replay() {
    let world = world().await;
    world.scene.sign_up(&world.shift, "bob").await.unwrap();
    let session = &world.scene.session;
    let (event, shift) = (world.event.id, world.shift.id);
    let to = |place: &str| ShiftPatch::new().location(place.parse().unwrap());
    let keyed = || session.patch_shift(shift, to("Hall A")).with_key("move".parse().unwrap()).reply();

    let written = session
        .patch_shift(shift, ShiftPatch::new().title("Evening".parse().unwrap()))
        .reply()
        .await
        .unwrap();
    assert_eq!(written.mails_queued, 0, "a title tells nobody");
    assert_eq!(keyed().await.unwrap().mails_queued, 2, "a change of the place");
    let written = session.patch_shift(shift, to("Hall B")).reply().await.unwrap();
    assert_eq!(written.mails_queued, 2, "a change that joins the mails that wait");
    let written = session.patch_shift(shift, to("Hall B")).reply().await.unwrap();
    assert_eq!(written.mails_queued, 0, "a patch that changes nothing");
    let written = session.patch_shift(shift, to("Hall C").without_mail()).reply().await.unwrap();
    assert_eq!(written.mails_queued, 0, "a patch without mails");
    let written =
        session.patch_event(event, EventPatch::new().start_date(date(2027, 9, 1))).reply().await.unwrap();
    assert_eq!(written.mails_queued, 2, "a change of the day");
    let again = keyed().await.unwrap();
    assert_eq!((again.is_replay, again.mails_queued), (true, 2), "a replay");
    let written = session.cancel_event(event, Cancellation::new()).reply().await.unwrap();
    assert_eq!(written.mails_queued, 2, "a cancellation");
    let written = session.cancel_event(event, Cancellation::new()).reply().await.unwrap();
    assert_eq!(written.mails_queued, 0, "an event that is cancelled already");
}

#[tokio::test]
async fn a_deleted_shift_says_how_many_mails_it_queued() {
    let world = world().await;
    let session = &world.scene.session;
    let deleted = session.delete_shift(world.shift.id, DeleteShift::new().cancel_signups()).reply();
    assert_eq!(deleted.await.unwrap().mails_queued, 1);
}
