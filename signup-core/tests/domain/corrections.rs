//! Corrections and moves that a sign-up of the same person, or others of the same address, refuse.

use signup_core::*;

use crate::scene::{Scene, address, place, volunteer};

#[tokio::test]
async fn a_person_has_one_place_on_a_shift_and_an_address_twenty() {
    let scene = Scene::start().await;
    let (grace, _) = scene.member("grace", Role::Organizer).await;
    let organizer = grace.session(&grace.memberships()[0].1.slug).unwrap();
    let (_, shift) = scene.event(30).await;
    let volunteers = scene.service.volunteers();
    let form = volunteers.form_of(shift.organization, [shift.id]).await.unwrap();
    for number in 0..Signup::MAX_PER_ADDRESS {
        let person = NewSignup::new(format!("ada {number}").parse().unwrap(), address("ada"));
        place(form.sign_up(person).await).unwrap();
    }
    let bob = place(form.sign_up(volunteer("bob")).await).unwrap().signup;
    let to_ada = Correction::new().email(address("ada"));
    let twice = to_ada.clone().name("Ada 7".parse().unwrap());
    let corrected = async |correction| organizer.correct_signup(bob.id, correction).await.unwrap_err();
    assert_eq!((corrected(twice).await, corrected(to_ada).await), (Error::PlaceTaken, Error::AddressFull));
}
