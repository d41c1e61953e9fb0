//! The handlers of the pages: each calls the library and renders the result.

mod places;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use signup_core::{Error, PublicEvent, Service, ShiftId, SignUpInput, SignedUp};
use warp::http::StatusCode;
use warp::reply::Response;

use super::event::{self, Focus, Obstacle, Site};
use super::message::{
    Retry, body_error, error_page, method_not_allowed, moved, not_found, see_other, too_many,
};
use super::{Facts, base_path, signup};
use crate::request::Request;

/// The handlers of the volunteers' pages. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct PublicPages {
    service: Service,
    base_url: Arc<str>,
    /// The path of the base URL, without a slash at the end.
    base_path: Arc<str>,
    /// The mail address of the sender of mails.
    sender: Arc<str>,
    /// Whether the server sends mails.
    sends_mail: bool,
}

impl PublicPages {
    pub(crate) fn new(service: Service, Facts { base_url, sender, sends_mail }: Facts<'_>) -> Self {
        Self {
            service,
            base_url: base_url.into(),
            base_path: base_path(base_url).into(),
            sender: sender.into(),
            sends_mail,
        }
    }

    fn event_path(&self, slug: &str) -> String {
        format!("{}/events/{slug}", self.base_path)
    }

    fn event_url(&self, slug: &str) -> String {
        format!("{}/events/{slug}", self.base_url)
    }

    /// `GET /events/{slug}`: returns the page of an event. The query parameter `slot_id` opens the form of a shift.
    pub(crate) async fn event(self, slug: String, query: String) -> Response {
        let focus = Focus { shift: selected_shift(&query), ..Focus::default() };
        match self.service.volunteers().event(&slug).await {
            Ok(found) => self.page_of(StatusCode::OK, &found, &focus),
            Err(error) => self.error_page(&error),
        }
    }

    /// Returns the page of an event after a refused sign-up.
    async fn refused(&self, status: StatusCode, slug: &str, focus: &Focus) -> Response {
        match self.service.volunteers().event(slug).await {
            // The event may have been cancelled after the form was refused for another reason.
            Ok(found) if found.event.is_cancelled() && status == StatusCode::NOT_FOUND => {
                self.page_of(status, &found, &Focus::default())
            }
            Ok(found) if found.event.is_cancelled() => {
                let focus = Focus { obstacle: Some(Obstacle::CANCELLED), ..Focus::default() };
                self.page_of(StatusCode::CONFLICT, &found, &focus)
            }
            // Whoever corrected the form would be refused, too.
            Ok(found)
                if status == StatusCode::UNPROCESSABLE_ENTITY
                    && !event::has_open_signups(&found.event, self.service.now()) =>
            {
                let focus = Focus { obstacle: Some(Obstacle::CLOSED), ..Focus::default() };
                self.page_of(StatusCode::CONFLICT, &found, &focus)
            }
            Ok(found) => self.page_of(status, &found, focus),
            Err(error) => self.error_page(&error),
        }
    }

    fn page_of(&self, status: StatusCode, found: &PublicEvent, focus: &Focus) -> Response {
        let (slug, now) = (&found.event.slug, self.service.now());
        let site =
            Site { path: &self.event_path(slug), url: &self.event_url(slug), sends_mail: self.sends_mail };
        event::page(status, found, site, focus, now)
    }

    fn error_page(&self, error: &Error) -> Response {
        error_page(error, &self.base_path, None)
    }

    /// Returns 404, for a page that does not exist or is not public.
    pub(crate) fn not_found(&self) -> Response {
        not_found(&self.base_path)
    }

    /// Returns 405, for a method that the page does not support.
    pub(crate) fn method_not_allowed(&self) -> Response {
        method_not_allowed(&self.base_path)
    }

    /// Returns 308, for a page whose path was written with a slash at the end. `path` is the path without that slash.
    pub(crate) fn moved(&self, path: &str, query: &str) -> Response {
        let mark = if query.is_empty() { "" } else { "?" };
        moved(&format!("{}{path}{mark}{query}", self.base_path))
    }

    /// `GET /events/{slug}/signups`: redirects to the page of the event, which has the forms.
    pub(crate) fn forms(&self, slug: &str) -> Response {
        see_other(&self.event_path(slug))
    }

    /// `POST /events/{slug}/signups`: signs a volunteer up and redirects. If the sign-up is refused, returns the page
    /// of the event with the reason.
    pub(crate) async fn sign_up(self, slug: String, client: IpAddr, mut request: Request) -> Response {
        let path = self.event_path(&slug);
        let volunteers = self.service.volunteers();
        let known = match volunteers.count_attempts(client, 1).await {
            Ok(allowance) if allowance.is_allowed => volunteers.event(&slug).await.map(drop),
            Ok(allowance) => return too_many(allowance.retry_after_s(self.service.now())),
            Err(error) => Err(error),
        };
        if known == Err(Error::NotFound) {
            return self.error_page(&Error::NotFound);
        }
        let body = match request.form().await {
            Ok(body) => body,
            Err(error) => return body_error(error, &path),
        };
        let (typed, is_kept) = (fields(&body), body.len() <= MAX_KEPT);
        drop(body);
        let action = event::form_action(&path);
        let retry = || is_kept.then_some(Retry { action: &action, fields: &typed });
        if let Err(error) = known {
            return error_page(&error, &self.base_path, retry());
        }
        let shift = typed.get("slot_id").and_then(|id| id.parse().ok()).unwrap_or(ShiftId::NONE);
        let value = |name: &str| typed.get(name).map_or("", String::as_str);
        let answers = typed.iter().filter_map(|(name, value)| {
            name.strip_prefix("answer.").map(|id| (Cow::from(id), Cow::from(value.as_str())))
        });
        let mut input = SignUpInput::new(value("name"), value("email"));
        input.people[0].answers = answers.collect();
        let sign_up = async || {
            let form = self.service.volunteers().form(&slug, [shift]).await?;
            let new = input.check(form.questions(), form.shifts())?;
            Ok(form.sign_up(new).await.and_then(SignedUp::into_places))
        };
        let mut signed_up = sign_up().await;
        for _ in 0..2 {
            // The questions changed after the sign-up was checked. Checks what was typed against the present questions.
            if matches!(signed_up, Ok(Err(Error::Invalid(_)))) {
                signed_up = sign_up().await;
            }
        }
        let (status, obstacle) = match signed_up.flatten() {
            Ok(_) => return see_other(&format!("{path}/signed-up?slot_id={shift}")),
            Err(Error::Invalid(faults)) => {
                let focus = Focus { shift: Some(shift), typed, faults, obstacle: None };
                return self.refused(StatusCode::UNPROCESSABLE_ENTITY, &slug, &focus).await;
            }
            // The event may be unknown, too. Then its page is not found.
            Err(Error::NotFound) => (StatusCode::NOT_FOUND, Obstacle::GONE),
            Err(Error::EventCancelled) => (StatusCode::CONFLICT, Obstacle::CANCELLED),
            Err(Error::ShiftDeleted) => (StatusCode::CONFLICT, Obstacle::GONE),
            Err(Error::ShiftFull) => (StatusCode::CONFLICT, Obstacle::FULL),
            Err(Error::ShiftOver) => (StatusCode::CONFLICT, Obstacle::OVER),
            Err(Error::SignupsClosed) => (StatusCode::CONFLICT, Obstacle::CLOSED),
            Err(error) => return error_page(&error, &self.base_path, retry()),
        };
        let focus = Focus { obstacle: Some(obstacle), ..Focus::default() };
        self.refused(status, &slug, &focus).await
    }

    /// `GET /events/{slug}/signed-up`: returns the page after a sign-up for the shift in the query parameter `slot_id`.
    ///
    /// If the event is cancelled, returns the page of the event. If the event has no such shift, or the shift is
    /// over, redirects to the page of the event.
    pub(crate) async fn signed_up(self, slug: String, query: String) -> Response {
        match self.service.volunteers().event(&slug).await {
            Ok(found) if found.event.is_cancelled() => {
                self.page_of(StatusCode::OK, &found, &Focus::default())
            }
            Ok(found) => {
                let path = self.event_path(&slug);
                let page = selected_shift(&query).and_then(|shift| {
                    signup::signed_up(&found, shift, path.clone(), self.sends_mail, self.service.now())
                });
                page.unwrap_or_else(|| see_other(&path))
            }
            Err(error) => self.error_page(&error),
        }
    }
}

/// The maximum number of form fields that are read. No form of the pages has nearly as many.
const MAX_FIELDS: usize = 1000;
/// The maximum size of a form that a page keeps for another try, in bytes.
const MAX_KEPT: usize = 64 * 1024;

/// Parses the fields of a form. Uses the last value of a repeated field.
fn fields(body: &[u8]) -> BTreeMap<String, String> {
    let fields = form_urlencoded::parse(body).take(MAX_FIELDS);
    fields.map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

fn selected_shift(query: &str) -> Option<ShiftId> {
    fields(query.as_bytes()).get("slot_id")?.parse().ok()
}
