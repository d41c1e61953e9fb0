//! Tests of the page behind the link of a mail.

use signup_core::{
    Acceptance, Attendance, Cancellation, Capacity, DeleteShift, FixedClock, NewInvitation, NewShift,
    NewSignup, Role, Secret, Session, ShiftPatch, Signup, SignupId,
};
use warp::http::header::{CONTENT_TYPE, LOCATION};

use super::cancelled_tests::{Sample, Shown, form, shown};
use super::*;

/// A volunteer with a link.
struct Volunteer {
    secret: Secret,
    signup: Signup,
}

impl Sample {
    async fn sign_up(&self, name: &str, email: &str) -> Volunteer {
        let new = NewSignup::new(name.parse().unwrap(), email.parse().unwrap());
        let form = self.service.volunteers().form(&self.event.slug, [self.shift]).await.unwrap();
        let done = form.sign_up(new).await.unwrap().into_places().unwrap().remove(0);
        let outbox = self.service.outbox();
        let notice = outbox.due(1).await.unwrap().pop().unwrap();
        let mail = outbox.claim(&notice).await.unwrap().unwrap();
        assert!(outbox.report_sent(&mail).await.unwrap());
        Volunteer { secret: mail.secret.unwrap(), signup: done.signup }
    }

    async fn ada(&self) -> Volunteer {
        self.sign_up("Ada", "ada@example.org").await
    }

    /// Returns the sample under a clock that shows `now`.
    async fn at(self, now: &str) -> Self {
        let service = self.service.with_clock(FixedClock::at(now.parse().unwrap()));
        Self::of(service, self.event, self.shift).await
    }

    /// Returns the session of an organizer.
    async fn grace(&self) -> Session {
        let grace = NewInvitation::new(
            "grace@example.org".parse().unwrap(),
            "Grace".parse().unwrap(),
            Role::Organizer,
        );
        let (_, link) =
            self.service.admin().invite_person(self.event.organization, grace).await.unwrap().unwrap();
        let accepted = self.service.people().accept(&link, None, Acceptance::Member { name: None }).await;
        accepted.unwrap().unwrap().0.session("riverside").unwrap()
    }

    /// Signs Ada up for a second shift.
    async fn second_place(&self) -> Signup {
        let new = NewShift::new("Late".parse().unwrap(), Capacity::new(2).unwrap());
        let late = self.session.add_shifts(self.event.id, vec![new]).await.unwrap().remove(0);
        let form = self.service.volunteers().form(&self.event.slug, [late.id]).await.unwrap();
        let ada = NewSignup::new("Ada".parse().unwrap(), "ada@example.org".parse().unwrap());
        form.sign_up(ada).await.unwrap().into_places().unwrap().remove(0).signup
    }
}

/// Returns a sample whose shift has room for three.
async fn with_room() -> Sample {
    let sample = Sample::create().await;
    let patch = ShiftPatch::new().capacity(Capacity::new(3).unwrap());
    sample.session.patch_shift(sample.shift, patch).await.unwrap();
    sample
}

fn text(secret: &Secret) -> String {
    secret.reveal().to_string()
}

async fn places(sample: &Sample, secret: &Secret) -> Shown {
    shown(sample.pages.clone().places(text(secret)).await).await
}

async fn asked(sample: &Sample, secret: &Secret, query: &str) -> Response {
    sample.pages.clone().ask_to_cancel(text(secret), query.to_owned()).await
}

async fn cancel(sample: &Sample, secret: &Secret, signup: Option<SignupId>) -> Response {
    let id = signup.map(|id| id.to_string());
    let fields: Vec<_> = id.iter().map(|id| ("signup_id", id.as_str())).collect();
    sample.pages.clone().cancel(text(secret), form(&fields)).await
}

fn assert_has(page: &Shown, texts: &[&str]) {
    for text in texts {
        assert!(page.text.contains(text), "{text} in {}", page.text);
    }
}

#[tokio::test]
async fn a_place_that_is_gone_says_what_became_of_it_and_cannot_be_cancelled() {
    let gone = async |sample: &Sample, secret: &Secret, texts: &[&str]| {
        let page = places(sample, secret).await;
        assert_eq!(page.status, 200);
        assert_has(
            &page,
            &["Past and cancelled", "Early", "Saturday 6 June 2099", "You have no places coming up."],
        );
        assert_has(&page, texts);
        assert!(!page.text.contains("/cancel"), "{}", page.text);
        page
    };
    let of_event = "<p class=\"reason\" dir=\"auto\">The hall is flooded.\n&#60;b&#62;Sorry";
    let sample = with_room().await;
    let Volunteer { secret, signup } = sample.ada().await;
    let by_volunteer = sample.sign_up("Bob", "bob@example.org").await;
    let by_organizer = sample.sign_up("Cyd", "cyd@example.org").await;
    assert_eq!(cancel(&sample, &by_volunteer.secret, None).await.status(), 303);
    gone(&sample, &by_volunteer.secret, &["You cancelled this place."]).await;
    let cancelled = &by_organizer.signup;
    sample.service.admin().cancel_signup(cancelled.organization, cancelled.id).await.unwrap();
    gone(&sample, &by_organizer.secret, &["The organizer has cancelled this place."]).await;
    sample.cancel("The hall is flooded.\n<b>Sorry</b>").await;
    let page = gone(&sample, &secret, &["The organizer has cancelled this event.", of_event]).await;
    for again in [None, Some(signup.id)] {
        assert_eq!(cancel(&sample, &secret, again).await.status(), 303, "harmless");
        assert_eq!(places(&sample, &secret).await, page);
    }
    let page = gone(&sample, &by_volunteer.secret, &["You cancelled this place."]).await;
    assert!(!page.text.contains("flooded"), "{}", page.text);

    let sample = with_room().await;
    let Volunteer { secret, .. } = sample.ada().await;
    let delete = DeleteShift::new().cancel_signups().reason("No flour.".parse().unwrap());
    sample.session.delete_shift(sample.shift, delete).await.unwrap();
    gone(&sample, &secret, &["The organizer has cancelled this shift.", "No flour."]).await;
}

#[tokio::test]
async fn a_shift_that_moved_says_what_the_volunteer_was_told() {
    let sample = with_room().await;
    let Volunteer { secret, .. } = sample.ada().await;
    assert!(!places(&sample, &secret).await.text.contains("has changed the time"));
    let patch = ShiftPatch::new().start_time("08:15".parse().unwrap()).location("Dock 4".parse().unwrap());
    sample.session.patch_shift(sample.shift, patch).await.unwrap();
    let page = places(&sample, &secret).await;
    assert_has(
        &page,
        &["has changed the time or the location", "08:15", "Dock 4", "auto\">Saturday 6 June 2099, all day"],
    );
}

#[tokio::test]
async fn a_place_that_moved_to_another_shift_says_what_the_volunteer_was_told() {
    let sample = with_room().await;
    let Volunteer { secret, signup } = sample.ada().await;
    let new = NewShift::new("Late".parse().unwrap(), Capacity::new(2).unwrap());
    let late = sample.session.add_shifts(sample.event.id, vec![new]).await.unwrap().remove(0);
    sample.grace().await.move_signup(signup.id, late.id).await.unwrap();
    let page = places(&sample, &secret).await;
    assert_has(
        &page,
        &[
            "Late</h4>",
            "has moved this place to another shift",
            "auto\">Early, Saturday 6 June 2099, all day",
        ],
    );
}

#[tokio::test]
async fn a_family_has_one_card_for_each_shift() {
    let sample = with_room().await;
    let Volunteer { secret, signup } = sample.ada().await;
    sample.second_place().await;
    let bo = sample.sign_up("Bo", "ada@example.org").await;
    let cards = async |names: [usize; 2]| {
        let page = places(&sample, &secret).await.text;
        assert_eq!(page.matches("<li class=\"panel\">").count(), 2, "{page}");
        assert_eq!(page.matches("<dt>Event</dt>").count(), 2, "{page}");
        assert_eq!(["Ada</strong>", "Bo</strong>"].map(|name| page.matches(name).count()), names, "{page}");
        page
    };
    let page = cards([2, 1]).await;
    assert_eq!(page.matches("/cancel?signup_id=").count(), 3, "{page}");
    assert_eq!(cancel(&sample, &secret, Some(bo.signup.id)).await.status(), 303);
    let again = sample.sign_up("Bo", "ada@example.org").await;
    assert_eq!(cancel(&sample, &secret, Some(again.signup.id)).await.status(), 303);
    let page = places(&sample, &secret).await.text;
    assert_eq!(page.matches("Bo</strong>").count(), 1, "a person who cancelled twice: {page}");
    assert_eq!(page.matches("You cancelled this place.").count(), 1, "{page}");
    assert_eq!(cancel(&sample, &secret, Some(signup.id)).await.status(), 303);
    let page = cards([2, 1]).await;
    assert_eq!(page.matches("You cancelled these places.").count(), 1, "{page}");
    sample.cancel("The hall is flooded.").await;
    assert_eq!(cards([2, 1]).await.matches("The hall is flooded.").count(), 1);
}

#[tokio::test]
async fn each_person_of_a_family_has_the_reason_of_the_organizer() {
    let sample = with_room().await;
    let Volunteer { secret, signup } = sample.ada().await;
    let bo = sample.sign_up("Bo", "ada@example.org").await.signup;
    let cy = sample.sign_up("Cy", "ada@example.org").await.signup;
    let grace = sample.grace().await;
    for (place, reason) in [(signup, "Ada is ill."), (bo, "Bo is too young."), (cy, "Bo is too young.")] {
        let cancel = Cancellation::new().reason(reason.parse().unwrap());
        grace.cancel_signup(place.id, cancel).await.unwrap();
    }
    let page = places(&sample, &secret).await.text;
    let card = |reason: &str| {
        let mut cards = page.split("<li class=\"panel\">").filter(|card| card.contains(reason));
        let card = cards.next().unwrap();
        assert!(cards.next().is_none(), "{page}");
        ["Ada", "Bo", "Cy", "cancelled this place.", "cancelled these places."]
            .map(|text| card.contains(text))
    };
    assert_eq!(card("Ada is ill."), [true, false, false, true, false], "{page}");
    assert_eq!(card("Bo is too young."), [false, true, true, false, true], "{page}");
}

#[tokio::test]
async fn a_person_who_is_here_reads_so_before_the_place_is_cancelled() {
    let sample = with_room().await;
    let Volunteer { secret, signup } = sample.ada().await;
    let bo = sample.sign_up("Bo", "ada@example.org").await.signup;
    let sample = sample.at("2099-06-06T08:00:00Z").await;
    sample.grace().await.mark_attendance(signup.id, Some(Attendance::Attended)).await.unwrap();
    let link = |id| format!("signup_id={id}");
    let page = places(&sample, &secret).await;
    assert_has(&page, &["You’re checked in.", &link(bo.id), &link(signup.id)]);
    for (id, is_here) in [(signup.id, true), (bo.id, false)] {
        let page = shown(asked(&sample, &secret, &link(id)).await).await;
        assert_eq!((page.status, page.text.contains("You’ll no longer be checked in.")), (200, is_here));
    }
    let which = shown(asked(&sample, &secret, "").await).await.text;
    assert_eq!(
        which.matches("You’ll no longer be checked in.").count(),
        1,
        "beside one of both places: {which}"
    );
    assert_eq!(cancel(&sample, &secret, Some(signup.id)).await.status(), 303);
    assert_has(&places(&sample, &secret).await, &["You cancelled this place."]);
}

#[tokio::test]
async fn a_cancellation_asks_which_of_several_places_and_then_whether() {
    let sample = with_room().await;
    let Volunteer { secret, signup } = sample.ada().await;
    let only = shown(asked(&sample, &secret, "").await).await;
    let field = |id| format!("name=\"signup_id\" value=\"{id}\"");
    assert_has(&only, &["Do you want to cancel this place?", &field(signup.id)]);
    let late = sample.second_place().await;
    for (status, page) in
        [(200, asked(&sample, &secret, "").await), (422, cancel(&sample, &secret, None).await)]
    {
        let page = shown(page).await;
        assert_eq!(page.status, status);
        assert_has(&page, &["Which place do you want to cancel?", &field(signup.id), &field(late.id)]);
        assert_eq!(page.text.contains("There is a problem"), status == 422);
    }
    let query = format!("signup_id={}", late.id);
    assert_has(&shown(asked(&sample, &secret, &query).await).await, &["Late", &field(late.id)]);
    let done = cancel(&sample, &secret, Some(late.id)).await;
    let page = format!("/signups/{}", secret.reveal());
    assert_eq!((done.status().as_u16(), done.headers()[LOCATION].to_str().unwrap()), (303, &*page));
    // The other place is the only one now.
    assert_eq!(cancel(&sample, &secret, None).await.status(), 303);
    for query in ["", &query] {
        assert_eq!(asked(&sample, &secret, query).await.status(), 303, "nothing is left to cancel");
    }
    let text = places(&sample, &secret).await.text;
    assert_eq!(text.matches("You cancelled this place.").count(), 2, "{text}");
}

#[tokio::test]
async fn a_link_opens_no_place_of_another_address() {
    let sample = with_room().await;
    let Volunteer { secret, .. } = sample.ada().await;
    let bob = sample.sign_up("Bob", "bob@example.org").await.signup;
    let page = places(&sample, &secret).await;
    assert!(!page.text.contains("Bob") && !page.text.contains("bob@"), "{}", page.text);
    for id in [bob.id, SignupId::NONE] {
        assert_eq!(cancel(&sample, &secret, Some(id)).await.status(), 404);
        assert_eq!(asked(&sample, &secret, &format!("signup_id={id}")).await.status(), 404);
    }
    assert_eq!(asked(&sample, &secret, "signup_id=x").await.status(), 404);
    assert_eq!(sample.session.shift(sample.shift).await.unwrap().occupancy.filled, 2);
}

/// The organizer may remove the shift after its end.
#[tokio::test]
async fn a_place_on_a_shift_that_is_over_is_refused_with_the_page() {
    let sample = with_room().await;
    let Volunteer { secret, signup } = sample.ada().await;
    let sample = sample.at("2099-06-07T00:00:00Z").await;
    let query = format!("signup_id={}", signup.id);
    let refused = async |state: &str, text: &str| {
        assert_has(&places(&sample, &secret).await, &[state]);
        for page in [cancel(&sample, &secret, Some(signup.id)).await, asked(&sample, &secret, &query).await] {
            let page = shown(page).await;
            assert_eq!(page.status, 409);
            assert_has(&page, &["Sorry, that place can’t be cancelled", state, text]);
        }
        assert_eq!(cancel(&sample, &secret, None).await.status(), 303, "no place is to come");
    };
    refused("This shift is over.", "you can no longer cancel your place").await;
    sample.session.delete_shift(sample.shift, DeleteShift::new()).await.unwrap();
    refused("The organizer has removed this shift.", "nothing left to cancel").await;
}

#[tokio::test]
async fn the_calendar_has_every_place_and_may_be_kept_for_a_quarter_of_an_hour() {
    let sample = with_room().await;
    let Volunteer { secret, signup } = sample.ada().await;
    let late = sample.second_place().await;
    let calendar = async || sample.pages.clone().calendar(text(&secret)).await;
    let response = calendar().await;
    assert_eq!(response.headers()[CONTENT_TYPE], "text/calendar; charset=utf-8");
    let file = shown(response).await;
    assert_eq!((file.status, &*file.cache_control), (200, "private, max-age=900"));
    assert_has(&file, &["METHOD:PUBLISH", &format!("UID:{}", signup.id), &format!("UID:{}", late.id)]);
    cancel(&sample, &secret, Some(signup.id)).await;
    let file = shown(calendar().await).await;
    assert!(!file.text.contains(&format!("UID:{}", signup.id)), "{}", file.text);
}

#[tokio::test]
async fn no_cache_stores_an_answer_about_places() {
    let sample = with_room().await;
    let Volunteer { secret, .. } = sample.ada().await;
    let unknown = Secret::generate();
    let pages = || sample.pages.clone();
    let nothing = || "nothing".to_owned();
    for (status, answer) in [
        (200, pages().places(text(&secret)).await),
        (200, asked(&sample, &secret, "").await),
        (303, cancel(&sample, &secret, None).await),
        (404, pages().places(text(&unknown)).await),
        (404, asked(&sample, &unknown, "").await),
        (404, cancel(&sample, &unknown, None).await),
        (404, pages().calendar(text(&unknown)).await),
        (404, pages().places(nothing()).await),
        (404, pages().calendar(nothing()).await),
        (404, pages().cancel(nothing(), form(&[])).await),
        (405, pages().method_not_allowed()),
        (503, unavailable()),
    ] {
        let answer = shown(answer).await;
        assert_eq!((answer.status, answer.cache_control.as_str()), (status, "no-store"), "{}", answer.text);
    }
}
