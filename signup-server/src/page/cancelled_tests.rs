//! Tests of the pages of a cancelled event, and of sign-ups that the organizer cancelled.

use std::net::{IpAddr, Ipv4Addr};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use http_body_util::BodyExt as _;
use signup_core::{
    Cancellation, DeleteShift, Event, EventWithShifts, NewQuestion, NewSignup, QuestionKind, Scopes, Secret,
    Service, Session, ShiftId,
};
use warp::http::header::CONTENT_TYPE;
use warp::http::{HeaderMap, HeaderValue};

use super::*;
use crate::request::Request;
use crate::sample_event::sample_event;

/// A published event with one shift, and its pages.
struct Sample {
    service: Service,
    session: Session,
    pages: PublicPages,
    event: Event,
    shift: ShiftId,
}

/// The status, the `Cache-Control` and the body of a page.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    status: u16,
    cache_control: String,
    text: String,
}

async fn shown(response: Response) -> Shown {
    let status = response.status().as_u16();
    let cache_control = response.headers()[CACHE_CONTROL].to_str().unwrap().to_owned();
    let text = response.into_body().collect().await.unwrap().to_bytes();
    Shown { status, cache_control, text: String::from_utf8(text.to_vec()).unwrap() }
}

impl Sample {
    async fn create() -> Self {
        let (service, EventWithShifts { event, shifts, .. }) = sample_event().await;
        let session = service.session_for(event.organization, Scopes::all()).await.unwrap();
        let facts = Facts { base_url: "https://example.org", sender: "signup@example.org", sends_mail: true };
        let pages = PublicPages::new(service.clone(), facts);
        Self { service, session, pages, event, shift: shifts[0].id }
    }

    async fn cancel(&self, reason: &str) {
        let cancel = Cancellation::new().reason(reason.parse().unwrap());
        self.session.cancel_event(self.event.id, cancel).await.unwrap();
    }

    /// Signs a volunteer up, and returns the secret of the link.
    async fn sign_up(&self) -> Secret {
        let ada = NewSignup::new("Ada".parse().unwrap(), "ada@example.org".parse().unwrap());
        let form = self.service.volunteers().form(&self.event.slug, [self.shift]).await.unwrap();
        form.sign_up(ada).await.unwrap().into_places().unwrap().remove(0).secret.unwrap()
    }

    async fn page(&self) -> Shown {
        shown(self.pages.clone().event(self.event.slug.clone(), String::new()).await).await
    }

    async fn post(&self, fields: &[(&str, &str)]) -> Shown {
        let form: String = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        let body = stream::iter([Ok(Bytes::from(form))]).boxed();
        let request = Request::new(headers, String::new(), body.into(), None);
        let client = IpAddr::V4(Ipv4Addr::LOCALHOST);
        shown(self.pages.clone().sign_up(self.event.slug.clone(), client, request).await).await
    }

    async fn signup_page(&self, secret: &Secret) -> Shown {
        shown(self.pages.clone().signup(secret.reveal().to_string()).await).await
    }
}

/// Checks the page of an event that was cancelled with this reason, as HTML.
fn assert_is_cancelled(page: &str, reason: &str) {
    for text in ["This event has been cancelled", reason, "Saturday 6 June 2099", "Early", "Cancelled"] {
        assert!(page.contains(text), "{text} in {page}");
    }
    for text in
        ["<form", "<button", "<details", "Sign up", "slot_id=", "places left", "looking for volunteers"]
    {
        assert!(!page.contains(text), "{text} in {page}");
    }
}

#[tokio::test]
async fn the_page_of_a_cancelled_event_says_why_and_has_no_form() {
    let sample = Sample::create().await;
    let before = sample.page().await;
    assert!(before.text.contains("<form") && !before.text.contains("This event has been cancelled"));
    sample.cancel("The hall is flooded.\n<b>Sorry</b>").await;
    let page = sample.page().await;
    assert_eq!(page.status, 200);
    assert_is_cancelled(
        &page.text,
        "<p class=\"reason\" dir=\"auto\">The hall is flooded.\n&#60;b&#62;Sorry",
    );
    assert!(page.text.contains("<title>Cancelled: Food drive</title>"), "{}", page.text);
    // Neither a link to a form nor the page after a sign-up shows a form.
    let query = format!("slot_id={}", sample.shift);
    let focused = sample.pages.clone().event(sample.event.slug.clone(), query.clone()).await;
    assert_eq!(shown(focused).await, page);
    assert_eq!(shown(sample.pages.clone().signed_up(sample.event.slug.clone(), query).await).await, page);
}

#[tokio::test]
async fn an_event_that_was_cancelled_without_a_reason_shows_none() {
    let sample = Sample::create().await;
    sample.session.cancel_event(sample.event.id, Cancellation::new()).await.unwrap();
    let page = sample.page().await;
    assert_is_cancelled(&page.text, "You can no longer sign up.");
    assert!(!page.text.contains("class=\"reason\""), "{}", page.text);
}

#[tokio::test]
async fn a_form_for_a_cancelled_event_is_refused_with_its_page() {
    let sample = Sample::create().await;
    sample.cancel("The hall is flooded.").await;
    let slot = sample.shift.to_string();
    for fields in [
        vec![("slot_id", slot.as_str()), ("name", "Ada"), ("email", "ada@example.org")],
        vec![("slot_id", &slot), ("name", ""), ("email", "nothing")],
        vec![("slot_id", &slot)],
    ] {
        let answer = sample.post(&fields).await;
        assert_eq!(answer.status, 409, "{fields:?}");
        assert_is_cancelled(&answer.text, "The hall is flooded.");
        assert!(answer.text.contains("Sorry, you can’t sign up"), "{}", answer.text);
    }
    let other = ShiftId::NONE.to_string();
    let fields = [("slot_id", other.as_str()), ("name", "Ada"), ("email", "ada@example.org")];
    assert_eq!(sample.post(&fields).await.status, 404, "{fields:?}");
}

#[tokio::test]
async fn the_pages_of_a_cancelled_draft_are_not_found() {
    let sample = Sample::create().await;
    sample.session.unpublish_event(sample.event.id).await.unwrap();
    sample.cancel("The hall is flooded.").await;
    let slot = sample.shift.to_string();
    assert_eq!(sample.page().await.status, 404);
    let answer = sample.post(&[("slot_id", &slot), ("name", "Ada"), ("email", "ada@example.org")]).await;
    assert_eq!(answer.status, 404);
}

/// A calendar entry of a cancelled sign-up is in the mail about the cancellation.
#[tokio::test]
async fn only_a_sign_up_with_a_place_has_a_calendar_file() {
    let sample = Sample::create().await;
    let secret = sample.sign_up().await;
    let file = async || {
        let response = sample.pages.clone().calendar(secret.reveal().to_string()).await;
        shown(response).await.status
    };
    let link = "/calendar.ics\"";
    assert!(sample.signup_page(&secret).await.text.contains(link));
    assert_eq!(file().await, 200);
    // A place stays on a shift that was removed after its end.
    let (signup, mut found) = sample.service.volunteers().signup_with_event(&secret).await.unwrap();
    let end = found.shifts[0].interval().end;
    found.shifts[0].shift.deleted_at = Some(end);
    assert!(signup.is_confirmed() && signup::shift_to_come(&signup, &found, end).is_none());
    sample.cancel("The hall is flooded.").await;
    assert!(!sample.signup_page(&secret).await.text.contains(link));
    assert_eq!(file().await, 404);
}

/// Checks the page of a cancelled sign-up, which cannot be cancelled again and leads to the event.
fn assert_cancelled_signup(page: &Shown, heading: &str, texts: &[&str]) {
    assert_eq!(page.status, 200);
    let onward = "<p class=\"onward\"><a href=\"/events/food-drive-";
    for text in [heading, "Early", "Saturday 6 June 2099", "Ada", onward].iter().chain(texts) {
        assert!(page.text.contains(text), "{text} in {}", page.text);
    }
    for text in ["<form", "<button", "/cancel", "calendar.ics"] {
        assert!(!page.text.contains(text), "{text} in {}", page.text);
    }
}

#[tokio::test]
async fn a_sign_up_shows_that_the_event_was_cancelled_and_why() {
    let sample = Sample::create().await;
    let secret = sample.sign_up().await;
    let before = sample.signup_page(&secret).await;
    assert!(before.text.contains("You’re signed up") && before.text.contains("<form"), "{}", before.text);
    sample.cancel("The hall is flooded.\n<b>Sorry</b>").await;
    let page = sample.signup_page(&secret).await;
    let reason = "<p class=\"reason\" dir=\"auto\">The hall is flooded.\n&#60;b&#62;Sorry";
    assert_cancelled_signup(
        &page,
        "<h1>This event has been cancelled</h1>",
        &["The organizer has cancelled this event.", reason],
    );
    // The link of the mail stays harmless.
    let again = sample.pages.clone().cancel(secret.reveal().to_string()).await;
    assert_eq!(shown(again).await.status, 303);
    assert_eq!(sample.signup_page(&secret).await, page);
}

#[tokio::test]
async fn a_sign_up_shows_that_its_shift_was_removed_and_why() {
    let sample = Sample::create().await;
    let secret = sample.sign_up().await;
    let delete = DeleteShift::new().cancel_signups().reason("No flour.\n<b>Sorry</b>".parse().unwrap());
    sample.session.delete_shift(sample.shift, delete).await.unwrap();
    let removed = [
        "The organizer has cancelled this shift.",
        "<p class=\"reason\" dir=\"auto\">No flour.\n&#60;b&#62;Sorry",
    ];
    let heading = "<h1>This shift has been cancelled</h1>";
    assert_cancelled_signup(&sample.signup_page(&secret).await, heading, &removed);
    // A later cancellation of the event did not cancel this sign-up.
    sample.cancel("The hall is flooded.").await;
    let page = sample.signup_page(&secret).await;
    assert_cancelled_signup(&page, heading, &removed);
    assert!(!page.text.contains("flooded"), "{}", page.text);
}

#[tokio::test]
async fn a_sign_up_shows_that_the_volunteer_or_the_organization_cancelled_it() {
    let sample = Sample::create().await;
    let secret = sample.sign_up().await;
    sample.service.volunteers().cancel(&secret).await.unwrap();
    let free = "Thanks for letting us know. Someone else can take your place now.";
    let (heading, newer) = ("<h1>You’ve cancelled your place</h1>", "use the link in the newer email.");
    assert_cancelled_signup(&sample.signup_page(&secret).await, heading, &[free, newer]);

    let other = sample.sign_up().await;
    let (signup, _) = sample.service.volunteers().signup_with_event(&other).await.unwrap();
    sample.service.admin().cancel_signup(signup.organization, signup.id).await.unwrap();
    assert_cancelled_signup(
        &sample.signup_page(&other).await,
        "<h1>Your place has been cancelled</h1>",
        &["The organizer has cancelled your place on this shift."],
    );

    sample.cancel("The hall is flooded.").await;
    let page = sample.signup_page(&secret).await;
    assert_cancelled_signup(&page, heading, &["The organizer has since cancelled the event."]);
    assert!(!page.text.contains(free) && !page.text.contains(newer), "{}", page.text);
}

#[tokio::test]
async fn every_answer_about_one_sign_up_forbids_storing() {
    let sample = Sample::create().await;
    let secret = sample.sign_up().await;
    let unknown = Secret::generate();
    let pages = || sample.pages.clone();
    let text = |secret: &Secret| secret.reveal().to_string();
    let answers = [
        (200, pages().signup(text(&secret)).await),
        (303, pages().cancel(text(&secret)).await),
        (200, pages().signup(text(&secret)).await),
        (404, pages().signup(text(&unknown)).await),
        (404, pages().cancel(text(&unknown)).await),
        (404, pages().signup("nothing".to_owned()).await),
        (404, pages().cancel("nothing".to_owned()).await),
        (405, pages().method_not_allowed()),
        (503, unavailable()),
    ];
    for (status, answer) in answers {
        let answer = shown(answer).await;
        assert_eq!((answer.status, answer.cache_control.as_str()), (status, "no-store"), "{}", answer.text);
    }
}

/// A form that was loaded before the questions changed.
#[tokio::test]
async fn answers_to_questions_that_are_gone_are_ignored() {
    let sample = Sample::create().await;
    let question = |label: &str| NewQuestion::new(label.parse().unwrap(), QuestionKind::Text);
    let admin = sample.service.admin();
    let gone = admin.add_question(sample.event.id, question("Diet")).await.unwrap().id;
    sample.session.delete_question(gone).await.unwrap();
    let asked = admin.add_question(sample.event.id, question("T-shirt").required()).await.unwrap().id;
    let slot = sample.shift.to_string();
    let (gone, asked) = (format!("answer.{gone}"), format!("answer.{asked}"));
    let old = [("slot_id", slot.as_str()), ("name", "Ada"), ("email", "ada@example.org"), (&gone, "vegan")];
    let refused = sample.post(&old).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("Enter an answer for “T-shirt”"), "{}", refused.text);
    assert!(!refused.text.contains(&gone), "{}", refused.text);
    let new = [old.as_slice(), &[(asked.as_str(), "M")]].concat();
    assert_eq!(sample.post(&new).await.status, 303);
}
