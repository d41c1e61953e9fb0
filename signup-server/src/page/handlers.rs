//! The handlers of the pages: each calls the library and renders the result.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use signup_core::{Error, PublicEvent, Secret, Service, ShiftId, SignUpInput, TimeAndPlace};
use warp::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, LOCATION, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use super::event::{self, Focus};
use super::{
    Link, base_path, body_error, error_page, message, not_found, signup, themed_message, unavailable,
};
use crate::calendar::{Method, SignupEntry};
use crate::request::Request;

/// The handlers of the volunteers' pages. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Pages {
    service: Service,
    base_url: Arc<str>,
    /// The path of the base URL, without a slash at the end.
    base_path: Arc<str>,
    /// The mail address of the sender of mails.
    sender: Arc<str>,
}

impl Pages {
    pub(crate) fn new(service: Service, base_url: &str, sender: &str) -> Self {
        Self {
            service,
            base_url: base_url.into(),
            base_path: base_path(base_url).into(),
            sender: sender.into(),
        }
    }

    fn event_path(&self, slug: &str) -> String {
        format!("{}/events/{slug}", self.base_path)
    }

    fn signup_path(&self, secret: &Secret) -> String {
        format!("{}/signups/{}", self.base_path, secret.reveal())
    }

    /// `GET /events/{slug}`: returns the page of an event. The query parameter `slot_id` opens the form of a shift.
    pub(crate) async fn event(self, slug: String, query: String) -> Response {
        let focus = Focus { shift: selected_shift(&query), ..Focus::default() };
        self.event_with(StatusCode::OK, &slug, &focus).await
    }

    async fn event_with(&self, status: StatusCode, slug: &str, focus: &Focus) -> Response {
        match self.service.volunteers().event(slug).await {
            Ok(found) => self.page_of(status, &found, focus),
            Err(error) => error_page(&error),
        }
    }

    /// Returns the page of an event after a refused sign-up.
    async fn refused(&self, status: StatusCode, slug: &str, focus: &Focus) -> Response {
        match self.service.volunteers().event(slug).await {
            // The event may have been cancelled after the form was refused for another reason.
            Ok(found) if found.event.is_cancelled() => {
                let focus = Focus { obstacle: Some(CANCELLED), ..Focus::default() };
                self.page_of(StatusCode::CONFLICT, &found, &focus)
            }
            Ok(found) => self.page_of(status, &found, focus),
            Err(error) => error_page(&error),
        }
    }

    fn page_of(&self, status: StatusCode, found: &PublicEvent, focus: &Focus) -> Response {
        let slug = &found.event.slug;
        let url = format!("{}/events/{slug}", self.base_url);
        event::page(status, found, &self.event_path(slug), url, focus, self.service.now())
    }

    /// `POST /events/{slug}/signups`: signs a volunteer up and redirects. If the sign-up is refused, returns the page
    /// of the event with the reason.
    pub(crate) async fn sign_up(self, slug: String, client: IpAddr, mut request: Request) -> Response {
        match self.service.volunteers().count_attempt(client).await {
            Ok(allowance) if allowance.is_allowed => {}
            Ok(allowance) => return too_many(allowance.retry_after_s(self.service.now())),
            Err(error) => return error_page(&error),
        }
        let body = match request.form().await {
            Ok(body) => body,
            Err(error) => return body_error(error),
        };
        let typed = fields(&body);
        let shift = typed.get("slot_id").and_then(|id| id.parse().ok()).unwrap_or(ShiftId::NONE);
        let value = |name: &str| typed.get(name).map_or("", String::as_str).into();
        let answers = typed.iter().filter_map(|(name, value)| {
            name.strip_prefix("answer.").map(|id| (Cow::from(id), Cow::from(value.as_str())))
        });
        let input = SignUpInput { name: value("name"), email: value("email"), answers: answers.collect() };
        let sign_up = async || {
            let form = self.service.volunteers().form(&slug, shift).await?;
            let new = input.check(form.questions())?;
            Ok(form.sign_up(new).await)
        };
        let mut signed_up = sign_up().await;
        for _ in 0..2 {
            // The questions changed after the form was read. Checks what was typed against the present questions.
            if matches!(signed_up, Ok(Err(Error::Invalid(_)))) {
                signed_up = sign_up().await;
            }
        }
        let obstacle = match signed_up.flatten() {
            Ok(_) => {
                let path = self.event_path(&slug);
                return see_other(&format!("{path}/signed-up?slot_id={shift}"));
            }
            Err(Error::Invalid(faults)) => {
                let focus = Focus { shift: Some(shift), typed, faults, obstacle: None };
                return self.refused(StatusCode::UNPROCESSABLE_ENTITY, &slug, &focus).await;
            }
            Err(Error::EventCancelled) => CANCELLED,
            // The text does not depend on whether the address has a place on the shift, so the text does not reveal a
            // place.
            Err(Error::ShiftFull) => (
                "Sorry, this shift has just become full",
                "No new place was taken; perhaps another shift suits you. If you already have a place on this shift, you keep \
                 it, and the mail with your link is on its way to you again (once an hour at most).",
            ),
            Err(Error::ShiftOver) => (
                "Sorry, this shift is over",
                "No new place was taken; perhaps another shift suits you. If you already have a place on this shift, the mail \
                 with your link is on its way to you again (once an hour at most).",
            ),
            Err(error) => return error_page(&error),
        };
        let focus = Focus { obstacle: Some(obstacle), ..Focus::default() };
        self.refused(StatusCode::CONFLICT, &slug, &focus).await
    }

    /// `GET /events/{slug}/signed-up`: returns the page after a sign-up.
    ///
    /// The page is the same for every visitor, so that it does not reveal who has signed up. If the event is cancelled,
    /// returns the page of the event.
    pub(crate) async fn signed_up(self, slug: String) -> Response {
        match self.service.volunteers().event(&slug).await {
            Ok(found) if found.event.is_cancelled() => {
                self.page_of(StatusCode::OK, &found, &Focus::default())
            }
            Ok(found) => themed_message(
                StatusCode::OK,
                found.event.theme,
                "Look into your mailbox",
                &format!(
                    "A mail is on its way to the address that you gave. It confirms your place at “{}”, and has a link \
                     with which you can cancel it. If it does not come within some minutes, look among the unwanted \
                     mail.",
                    found.event.title
                ),
                Some(Link { href: &self.event_path(&slug), text: "Back to the event" }),
            ),
            Err(error) => error_page(&error),
        }
    }

    /// `GET /signups/{secret}`: returns the page of a sign-up.
    pub(crate) async fn signup(self, secret: String) -> Response {
        let Ok(secret) = secret.parse::<Secret>() else { return not_found() };
        match self.service.volunteers().signup_with_event(&secret).await {
            Ok((signup, found)) => {
                let event_path = self.event_path(&found.event.slug);
                let path = self.signup_path(&secret);
                signup::page(&signup, &found, &path, event_path, self.service.now()).unwrap_or_else(not_found)
            }
            Err(error) => error_page(&error),
        }
    }

    /// `GET /signups/{secret}/calendar.ics`: returns the calendar entry of a sign-up that still has its place.
    ///
    /// It is the entry that the mails have, so a calendar program merges the two.
    pub(crate) async fn calendar(self, secret: String) -> Response {
        let Ok(secret) = secret.parse::<Secret>() else { return not_found() };
        let (signup, found) = match self.service.volunteers().signup_with_event(&secret).await {
            Ok(found) => found,
            Err(error) => return error_page(&error),
        };
        let now = self.service.now();
        let Some(shift) = signup::shift_to_come(&signup, &found, now) else { return not_found() };
        let entry = SignupEntry {
            method: Method::Publish,
            organization: &found.organization,
            event: &found.event,
            shift,
            signup: &signup,
            at: &TimeAndPlace::of(shift, &found.event),
            sender: &self.sender,
            url: &format!("{}/events/{}", self.base_url, found.event.slug),
            now,
        };
        let mut response = Response::new(entry.to_text().into());
        let headers = response.headers_mut();
        for (name, value) in [
            (CONTENT_TYPE, "text/calendar; charset=utf-8"),
            (CONTENT_DISPOSITION, "attachment; filename=\"shift.ics\""),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (CACHE_CONTROL, "no-store"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        response
    }

    /// `POST /signups/{secret}/cancel`: cancels a sign-up and redirects to its page.
    pub(crate) async fn cancel(self, secret: String) -> Response {
        let Ok(secret) = secret.parse::<Secret>() else { return not_found() };
        match self.service.volunteers().cancel(&secret).await {
            Ok(_) => see_other(&self.signup_path(&secret)),
            Err(error) => error_page(&error),
        }
    }
}

/// The heading and the text about a sign-up for a cancelled event.
const CANCELLED: (&str, &str) = ("Sorry, this event is cancelled", "No place was taken.");

/// Returns 429, for a client address with too many attempts to sign up.
fn too_many(retry_after_s: i64) -> Response {
    let mut response = message(
        StatusCode::TOO_MANY_REQUESTS,
        "Please wait a minute",
        "From your address there were very many sign-ups just now. Go back and send the form again in a minute.",
        None,
    );
    response.headers_mut().insert(RETRY_AFTER, retry_after_s.into());
    response
}

fn see_other(location: &str) -> Response {
    let Ok(value) = HeaderValue::try_from(location) else { return unavailable() };
    let mut response = message(
        StatusCode::SEE_OTHER,
        "Done",
        "Your browser should have gone on by itself.",
        Some(Link { href: location, text: "Go on" }),
    );
    response.headers_mut().insert(LOCATION, value);
    response
}

/// The maximum number of form fields that are read. No form of the pages has nearly as many.
const MAX_FIELDS: usize = 1000;

/// Parses the fields of a form. Uses the last value of a repeated field.
fn fields(body: &[u8]) -> BTreeMap<String, String> {
    let fields = form_urlencoded::parse(body).take(MAX_FIELDS);
    fields.map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

fn selected_shift(query: &str) -> Option<ShiftId> {
    fields(query.as_bytes()).get("slot_id")?.parse().ok()
}
