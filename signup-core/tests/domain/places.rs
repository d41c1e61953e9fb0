//! The places of an address, as the links of its mails show them.

use signup_core::*;

use crate::scene::{Scene, address, session};

/// Returns the ids of sign-ups.
fn ids(found: &[&SignupInFull]) -> Vec<SignupId> {
    found.iter().map(|found| found.signup.id).collect()
}

impl Scene {
    /// Reads the places behind a secret.
    async fn places(&self, secret: &Secret) -> Places {
        self.service.volunteers().places(secret).await.unwrap()
    }

    /// Cancels the only place that a link shows.
    pub(crate) async fn cancel(&self, secret: &Secret) -> Signup {
        let places = self.places(secret).await;
        let [found] = places.to_come(self.service.now())[..] else { panic!("{places:?}") };
        self.service.volunteers().cancel(secret, found.signup.id).await.unwrap()
    }
}

#[tokio::test]
async fn a_link_shows_every_place_of_its_address_with_the_organization() {
    let scene = Scene::start().await;
    let (event, first) = scene.event(9).await;
    let (_, second) = scene.event(9).await;
    let (ada, first_link) = scene.sign_up_by_mail(&first, "ada").await;
    scene.sign_up(&first, "bob").await.unwrap();
    let (other, second_link) = scene.sign_up_by_mail(&second, "ADA").await;
    let stranger = session(&scene.service, Plan::Pro).await;
    let drive = NewEvent::new("Drive".parse().unwrap(), date(2027, 6, 6), "UTC".parse().unwrap());
    let shift = NewShift::new("Packing".parse().unwrap(), Capacity::new(1).unwrap());
    let elsewhere = stranger.create_event(drive.shift(shift).published()).await.unwrap();
    let (_, elsewhere) = scene.sign_up_by_mail(&elsewhere.shifts[0], "ada").await;

    for (place, secret) in [(&ada, first_link), (&other, second_link)] {
        let places = scene.places(&secret).await;
        let found: Vec<_> = places.signups.iter().map(|found| found.signup.id).collect();
        assert_eq!(found, [other.id, ada.id], "newest first");
        assert_eq!((places.organization.id, places.event), (event.organization, place.event));
    }
    let found = scene.places(&elsewhere).await;
    assert_eq!(found.signups.len(), 1, "only those of the organization");
    let unknown = scene.service.volunteers().places(&Secret::generate()).await;
    assert!(unknown.unwrap_err().is_not_found());
}

#[tokio::test]
async fn a_link_works_for_365_days() {
    let scene = Scene::start().await;
    let (_, shift) = scene.event(2).await;
    let (ada, secret) = scene.sign_up_by_mail(&shift, "ada").await;
    let volunteers = scene.service.volunteers();
    scene.clock.advance(Link::LIFETIME.as_secs() - 1);
    assert_eq!(scene.places(&secret).await.signups.len(), 1, "a second before");
    scene.clock.advance(1);
    assert!(volunteers.places(&secret).await.unwrap_err().is_not_found());
    assert!(volunteers.cancel(&secret, ada.id).await.unwrap_err().is_not_found());
    scene.clock.advance(-1);
    scene.places(&secret).await;
}

#[tokio::test]
async fn a_link_cancels_the_places_of_its_address_and_no_others() {
    let scene = Scene::start().await;
    let (event, shift) = scene.event(9).await;
    let (deleted, of_deleted) = scene.event(9).await;
    let (ada, secret) = scene.sign_up_by_mail(&shift, "ada").await;
    let bob = scene.sign_up(&shift, "bob").await.unwrap();
    let gone = scene.sign_up(&of_deleted, "ada").await.unwrap();
    let volunteers = scene.service.volunteers();
    scene.service.admin().cancel_signup(deleted.organization, gone.signup.id).await.unwrap();
    scene.session.delete_event(deleted.id).await.unwrap();
    for other in [bob.signup.id, gone.signup.id, SignupId::NONE] {
        assert!(volunteers.cancel(&secret, other).await.unwrap_err().is_not_found());
    }
    assert_eq!(scene.places(&secret).await.signups.len(), 1, "the deleted event is missing");
    for _ in 0..2 {
        let cancelled = volunteers.cancel(&secret, ada.id).await.unwrap();
        assert_eq!(cancelled.cancelled_by(), Some(CancelledBy::Volunteer));
    }
    assert_eq!(scene.session.shifts(event.id).await.unwrap()[0].occupancy.filled, 1);
}

/// The shift was over when it was removed. The event then moves to a later day.
#[tokio::test]
async fn the_place_on_a_removed_shift_is_shown_as_it_was_told_and_is_not_cancelled() {
    let scene = Scene::start().await;
    let (event, shift) = scene.event(2).await;
    let (ada, secret) = scene.sign_up_by_mail(&shift, "ada").await;
    let volunteers = scene.service.volunteers();
    scene.clock.advance(shift.interval().end.duration_since(scene.service.now()).as_secs());
    assert_eq!(volunteers.cancel(&secret, ada.id).await.unwrap_err(), Error::ShiftOver);
    scene.session.delete_shift(shift.id, DeleteShift::new()).await.unwrap();
    scene.session.patch_event(event.id, EventPatch::new().start_date(date(2027, 6, 20))).await.unwrap();
    let places = scene.places(&secret).await;
    let found = &places.signups[0];
    assert!(found.signup.is_confirmed() && found.shift.deleted_at.is_some());
    assert_eq!(found.time_and_place().interval, shift.interval(), "the move has no effect");
    assert_eq!(ids(&places.to_come(scene.service.now())), []);
    assert_eq!(volunteers.cancel(&secret, ada.id).await.unwrap_err(), Error::ShiftDeleted);
}

#[tokio::test]
async fn places_to_come_are_listed_soonest_first_and_the_others_latest_first() {
    let scene = Scene::start().await;
    let mut signups = vec![];
    for day in [9, 6, 8, 7] {
        let new = NewEvent::new("Drive".parse().unwrap(), date(2027, 6, day), "UTC".parse().unwrap());
        let shift = NewShift::new("Packing".parse().unwrap(), Capacity::new(2).unwrap());
        let created = scene.session.create_event(new.shift(shift).published()).await.unwrap();
        signups.push(scene.sign_up_by_mail(&created.shifts[0], "ada").await);
    }
    let secret = signups[0].1.clone();
    let [ninth, sixth, eighth, seventh] = [0, 1, 2, 3].map(|place: usize| signups[place].0.id);
    scene.service.volunteers().cancel(&secret, eighth).await.unwrap();
    let places = scene.places(&secret).await;
    let at = |text: &str| text.parse::<Timestamp>().unwrap();
    let now = at("2027-06-07T00:00:00Z");
    assert_eq!(ids(&places.to_come(now)), [seventh, ninth]);
    assert_eq!(ids(&places.past_and_cancelled(now)), [eighth, sixth]);
    assert_eq!(ids(&places.in_calendar(now)), [sixth, seventh, ninth]);
    assert_eq!(ids(&places.in_calendar(at("2027-07-06T23:59:59Z"))), [sixth, seventh, ninth]);
    assert_eq!(ids(&places.in_calendar(at("2027-07-07T00:00:00Z"))), [seventh, ninth], "30 days after");
}

#[tokio::test]
async fn no_link_of_an_erased_address_works() {
    let scene = Scene::start().await;
    let (event, shift) = scene.event(2).await;
    let (_, ada) = scene.sign_up_by_mail(&shift, "ada").await;
    let (_, bob) = scene.sign_up_by_mail(&shift, "bob").await;
    let erased = scene.service.admin().erase_signups(event.organization, &address("ADA")).await;
    assert_eq!(erased, Ok(1));
    assert!(scene.service.volunteers().places(&ada).await.unwrap_err().is_not_found());
    assert_eq!(scene.places(&bob).await.signups.len(), 1);
}
