//! Tests of the pages of a cancelled event.

use std::net::{IpAddr, Ipv4Addr};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use http_body_util::BodyExt as _;
use signup_core::{
    Cancellation, Event, EventWithShifts, NewQuestion, QuestionKind, Scopes, Service, Session, ShiftId,
};
use warp::http::header::CONTENT_TYPE;
use warp::http::{HeaderMap, HeaderValue};

use super::*;
use crate::request::Request;
use crate::sample_event::sample_event;

/// A published event with one shift, and its pages.
pub(super) struct Sample {
    pub(super) service: Service,
    pub(super) session: Session,
    pub(super) pages: PublicPages,
    pub(super) event: Event,
    pub(super) shift: ShiftId,
}

/// The status, the `Cache-Control` and the body of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) status: u16,
    pub(super) cache_control: String,
    pub(super) text: String,
}

pub(super) async fn shown(response: Response) -> Shown {
    let status = response.status().as_u16();
    let cache_control = response.headers()[CACHE_CONTROL].to_str().unwrap().to_owned();
    let text = response.into_body().collect().await.unwrap().to_bytes();
    Shown { status, cache_control, text: String::from_utf8(text.to_vec()).unwrap() }
}

/// Returns the request of a form with these fields.
pub(super) fn form(fields: &[(&str, &str)]) -> Request {
    let form: String = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
    let body = stream::iter([Ok(Bytes::from(form))]).boxed();
    Request::new(headers, String::new(), body.into(), None)
}

impl Sample {
    pub(super) async fn create() -> Self {
        let (service, EventWithShifts { event, shifts, .. }) = sample_event().await;
        Self::of(service, event, shifts[0].id).await
    }

    pub(super) async fn of(service: Service, event: Event, shift: ShiftId) -> Self {
        let session = service.session_for(event.organization, Scopes::all()).await.unwrap();
        let facts = Facts { base_url: "https://example.org", sender: "signup@example.org", sends_mail: true };
        let pages = PublicPages::new(service.clone(), facts);
        Self { service, session, pages, event, shift }
    }

    pub(super) async fn cancel(&self, reason: &str) {
        let cancel = Cancellation::new().reason(reason.parse().unwrap());
        self.session.cancel_event(self.event.id, cancel).await.unwrap();
    }

    async fn page(&self) -> Shown {
        shown(self.pages.clone().event(self.event.slug.clone(), String::new()).await).await
    }

    async fn post(&self, fields: &[(&str, &str)]) -> Shown {
        let request = form(fields);
        let client = IpAddr::V4(Ipv4Addr::LOCALHOST);
        shown(self.pages.clone().sign_up(self.event.slug.clone(), client, request).await).await
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
    // Neither the page with chosen shifts, nor the form, nor the page after a sign-up shows a form.
    let (slug, query) = (|| sample.event.slug.clone(), || format!("slot_id={}", sample.shift));
    let pages = || sample.pages.clone();
    assert_eq!(shown(pages().event(slug(), query()).await).await, page);
    assert_eq!(shown(pages().form(slug(), query()).await).await, page);
    assert_eq!(shown(pages().signed_up(slug(), HeaderMap::new()).await).await, page);
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
        vec![("slot_id", &slot), ("name", "Ada"), ("change", "form")],
        vec![("slot_id", &slot), ("name", "Ada"), ("change", "shifts")],
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
async fn a_form_for_other_shifts_meets_the_event_as_it_is_when_the_form_has_arrived() {
    for change in ["form", "shifts"] {
        let sample = Sample::create().await;
        let (session, event, slug) = (sample.session.clone(), sample.event.id, sample.event.slug.clone());
        let body = Bytes::from(format!("slot_id={}&name=Ada&change={change}", sample.shift));
        let arrives = async move {
            session.cancel_event(event, Cancellation::new()).await.unwrap();
            Ok(body)
        };
        let mut request = form(&[]);
        request.body = stream::once(arrives).boxed().into();
        let client = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let answer = shown(sample.pages.clone().sign_up(slug, client, request).await).await;
        assert_eq!(answer.status, 409, "{change}");
        assert_is_cancelled(&answer.text, "Sorry, you can’t sign up");
    }
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
