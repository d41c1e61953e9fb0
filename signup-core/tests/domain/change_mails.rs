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

    async fn move_silently_to(&self, place: &str) {
        let patch = ShiftPatch::new().location(place.parse().unwrap()).without_mail();
        self.scene.session.patch_shift(self.shift.id, patch).await.unwrap();
    }

    fn wait(&self, seconds: i64) {
        self.scene.clock.advance(seconds);
    }

    /// Claims all notices that are due, and returns the mails.
    async fn claim_all(&self) -> Vec<Mail> {
        let (outbox, mut mails) = (self.scene.service.outbox(), vec![]);
        loop {
            let due = outbox.due(9).await.unwrap();
            if due.is_empty() {
                return mails;
            }
            for notice in due {
                mails.extend(outbox.claim(&notice).await.unwrap());
            }
        }
    }

    async fn fail(&self, mail: &Mail, failure: MailFailure) {
        let failed = self.scene.service.outbox().report_failed(mail, failure, "450 later").await;
        assert!(failed.unwrap().is_some(), "{mail:?}");
    }

    /// Delivers all mails that are due. Returns the volunteer and the places of each mail about a change.
    async fn mails(&self) -> Vec<(String, Places)> {
        let mut changes = vec![];
        for mail in self.claim_all().await {
            self.scene.service.outbox().report_sent(&mail.notice).await.unwrap();
            let name = mail.signup().unwrap().signup.name.to_string();
            changes.extend(places(&mail).map(|places| (name, places)));
        }
        changes
    }
}

/// Returns the places of a mail about a change.
fn places(mail: &Mail) -> Option<Places> {
    let NoticeCause::ShiftMoved { before: Some(before), .. } = &mail.notice.cause else { return None };
    let place = |at: &TimeAndPlace| at.location.as_ref().map(ToString::to_string);
    let SignupInFull { event, shift, signup, .. } = mail.signup()?;
    Some((place(before), place(&signup.time_and_place(shift, event))))
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
    assert_eq!(world.mails().await, [], "the notice of the first change sends nothing");
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

/// The worker was late: the next gathering has begun.
#[tokio::test]
async fn a_due_change_is_mailed_although_another_one_is_made() {
    let world = world().await;
    world.move_to("Dock 1").await;
    world.wait(60);
    world.move_to("Dock 2").await;
    assert_eq!(world.mails().await, [change("ada", None, "Dock 2")]);
    world.wait(60);
    assert_eq!(world.mails().await, [], "the second change was told");
}

#[tokio::test]
async fn an_undone_change_mails_nobody() {
    let world = world().await;
    world.move_silently_to("Dock 1").await;
    world.scene.sign_up(&world.shift, "bob").await.unwrap();
    assert_eq!(world.mails().await, [], "a silent change sends no mail");
    world.move_to("Dock 2").await;
    world.move_to("Dock 1").await;
    world.wait(60);
    assert_eq!(world.mails().await, [change("ada", None, "Dock 1")], "only ada does not know Dock 1");
    world.move_to("Dock 2").await;
    world.move_silently_to("Dock 1").await;
    world.wait(60);
    assert_eq!(world.mails().await, []);
}

#[tokio::test]
async fn a_silent_change_leaves_the_gathering_alone() {
    let world = world().await;
    world.move_to("Dock 1").await;
    world.wait(30);
    world.move_silently_to("Dock 2").await;
    world.wait(30);
    assert_eq!(world.mails().await, [change("ada", None, "Dock 2")]);
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

/// The first attempt fails, and the shift changes again before the second.
#[tokio::test]
async fn a_later_attempt_shows_what_was_told_before_the_first_one() {
    for failure in [None, Some(MailFailure::Transient)] {
        let world = world().await;
        world.move_to("Dock 1").await;
        world.wait(60);
        let mail = world.claim_all().await.remove(0);
        // Without a report, the process has died. The mail may have arrived.
        if let Some(failure) = failure {
            world.fail(&mail, failure).await;
        }
        world.move_silently_to("Dock 2").await;
        world.wait(30);
        assert_eq!(world.mails().await, [change("ada", None, "Dock 2")], "{failure:?}");
    }
}

#[tokio::test]
async fn a_change_whose_mail_failed_and_that_is_undone_mails_nobody() {
    let world = world().await;
    world.move_to("Dock 0").await;
    world.wait(60);
    assert_eq!(world.mails().await.len(), 1);
    world.move_to("Dock 1").await;
    world.wait(60);
    let mail = world.claim_all().await.remove(0);
    world.fail(&mail, MailFailure::Transient).await;
    world.move_to("Dock 0").await;
    world.wait(60);
    assert_eq!(world.mails().await, [], "ada was only ever told of Dock 0");
    assert_eq!(world.scene.service.admin().count_notices().await.unwrap().queued, 0, "no retry is left");
}

#[tokio::test]
async fn two_changes_of_which_the_first_mail_failed_are_one_mail() {
    // The retry is due before the second change after one attempt, together with it after two, and later after three.
    for attempts in 1..=3 {
        let world = world().await;
        world.move_to("Dock 1").await;
        for backoff in [60, 30, 60].into_iter().take(attempts) {
            world.wait(backoff);
            let mail = world.claim_all().await.remove(0);
            world.fail(&mail, MailFailure::Transient).await;
        }
        world.move_to("Dock 2").await;
        world.wait(60);
        assert_eq!(world.mails().await, [change("ada", None, "Dock 2")], "{attempts} attempts");
        world.wait(600);
        assert_eq!(world.mails().await, [], "{attempts} attempts");
    }
}

#[tokio::test]
async fn a_change_after_a_mail_that_failed_for_good_shows_what_was_told_before_it() {
    let world = world().await;
    world.move_to("Dock 1").await;
    world.wait(60);
    let mail = world.claim_all().await.remove(0);
    world.fail(&mail, MailFailure::Permanent).await;
    world.move_to("Dock 2").await;
    world.wait(60);
    assert_eq!(world.mails().await, [change("ada", None, "Dock 2")]);
}

/// The volunteer cancels while the mail is in flight.
#[tokio::test]
async fn a_failure_is_stored_although_the_sign_up_has_changed() {
    let world = world().await;
    world.move_to("Dock 1").await;
    world.wait(60);
    let mail = world.claim_all().await.remove(0);
    let Some(secret) = mail.notice.cause.secret() else { panic!("{mail:?}") };
    world.scene.cancel(secret).await;
    let failed = world.scene.service.outbox().report_failed(&mail, MailFailure::Permanent, "550").await;
    assert!(failed.unwrap().unwrap().failure.is_some());
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
