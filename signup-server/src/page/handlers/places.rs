//! The handlers of the page behind the link of a mail: all places of an address, their cancellation and their calendar.

use signup_core::{Error, Places, Secret, SignupId, SignupInFull};
use warp::http::header::{CACHE_CONTROL, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use super::PublicPages;
use crate::calendar::{Calendar, Entry, Method};
use crate::mail::name::safe_name;
use crate::page::message::{body_error, error_page, incomplete_link, not_found, see_other};
use crate::page::places::{self, Refusal, Site};
use crate::page::typed::Typed;
use crate::request::Request;

impl PublicPages {
    /// `GET /signups/{secret}`: returns the page of the places of an address.
    pub(crate) async fn places(self, secret: String) -> Response {
        self.with_places(secret, async |_, found, site| places::page(StatusCode::OK, found, site, None)).await
    }

    /// `GET /signups/{secret}/calendar.ics`: returns the places of an address as a calendar, to which a program can subscribe.
    ///
    /// The entries are those that the mails have, so a calendar program merges the two.
    pub(crate) async fn calendar(self, secret: String) -> Response {
        self.with_places(secret, async |_, found, site| {
            let listed = found.in_calendar(site.now).into_iter();
            let listed: Vec<_> =
                listed.map(|found| (found, found.time_and_place(), self.url_of(found))).collect();
            let is_of_several =
                listed.windows(2).any(|pair| pair[0].0.signup.name.key() != pair[1].0.signup.name.key());
            let entries = listed.iter().map(|(found, at, url)| Entry {
                event: &found.event,
                shift: &found.shift,
                uid: found.signup.id.uuid(),
                name: is_of_several.then(|| safe_name(&found.signup.name)).flatten(),
                at,
                sequence: found.signup.told.sequence.saturating_sub(1),
                url: url.as_deref(),
            });
            let calendar = Calendar {
                method: Method::Publish,
                organization: &found.organization,
                sender: &self.sender,
                entries: entries.collect(),
                now: site.now,
            };
            let mut response = Response::new(calendar.to_string().into());
            for (name, value) in [
                (CONTENT_TYPE, "text/calendar; charset=utf-8"),
                (X_CONTENT_TYPE_OPTIONS, "nosniff"),
                (CACHE_CONTROL, "private, max-age=900"),
            ] {
                response.headers_mut().insert(name, HeaderValue::from_static(value));
            }
            response
        })
        .await
    }

    /// `GET /signups/{secret}/cancel`: asks whether to cancel the place in the query parameter `signup_id`. Without the parameter,
    /// asks about the only place that can be cancelled, or which of several. If there is none, or the place is cancelled already,
    /// redirects to the page of the places.
    pub(crate) async fn ask_to_cancel(self, secret: String, query: String) -> Response {
        self.with_places(secret, async |_, found, site| match choice(found, site, query.as_bytes()) {
            Choice::Place(chosen) if chosen.is_to_come(site.now) => places::ask(chosen, found, site),
            Choice::Place(chosen) if chosen.signup.is_active() => {
                let refusal =
                    if chosen.shift.deleted_at.is_some() { Refusal::Removed } else { Refusal::Over };
                places::page(StatusCode::CONFLICT, found, site, Some(refusal))
            }
            Choice::Place(_) | Choice::Nothing => see_other(site.path),
            Choice::Several => places::choose(StatusCode::OK, found, site),
            Choice::Unknown => not_found(&self.base_path, site.texts),
        })
        .await
    }

    /// `POST /signups/{secret}/cancel`: cancels the place in the field `signup_id`, and redirects to the page of the places.
    /// Without the field, cancels the only place that can be cancelled, or asks which of several.
    pub(crate) async fn cancel(self, secret: String, mut request: Request) -> Response {
        self.with_places(secret, async |secret, found, site| {
            let body = match request.optional_form().await {
                Ok(body) => body,
                Err(error) => return body_error(error, site.path, site.texts),
            };
            let signup = match choice(found, site, &body) {
                Choice::Place(chosen) => chosen.signup.id,
                Choice::Nothing => return see_other(site.path),
                Choice::Several => return places::choose(StatusCode::UNPROCESSABLE_ENTITY, found, site),
                Choice::Unknown => return not_found(&self.base_path, site.texts),
            };
            let refusal = match self.service.volunteers().cancel(secret, signup).await {
                Ok(_) => return see_other(site.path),
                Err(Error::ShiftOver) => Refusal::Over,
                Err(Error::ShiftDeleted) => Refusal::Removed,
                Err(error) => return error_page(&error, &self.base_path, None, site.texts),
            };
            places::page(StatusCode::CONFLICT, found, site, Some(refusal))
        })
        .await
    }

    /// Reads the places behind a secret, and returns what `answer` makes of them.
    async fn with_places(
        &self,
        secret: String,
        answer: impl AsyncFnOnce(&Secret, &Places, Site<'_>) -> Response,
    ) -> Response {
        let Ok(secret) = secret.parse::<Secret>() else { return incomplete_link(&self.base_path) };
        match self.service.volunteers().places(&secret).await {
            Ok(found) => {
                let path = format!("/signups/{}", secret.reveal());
                let url = format!("{}{path}", self.base_url);
                let path = format!("{}{path}", self.base_path);
                let (base_path, sends_mail, now) = (&self.base_path, self.sends_mail, self.service.now());
                let texts = places::texts_of(&found);
                let site = Site { path: &path, url: &url, base_path, sends_mail, now, texts };
                answer(&secret, &found, site).await
            }
            Err(error) => self.error_page(&error),
        }
    }

    /// Returns the URL of the page of the event, if it is public.
    fn url_of(&self, found: &SignupInFull) -> Option<String> {
        found.event.is_published.then(|| self.event_url(&found.event.slug))
    }
}

/// The place that a request is about.
enum Choice<'p> {
    Place(&'p SignupInFull),
    /// The request names no place, and none can be cancelled.
    Nothing,
    /// The request names no place, and several can be cancelled.
    Several,
    /// The request names none of the places.
    Unknown,
}

/// Returns the place in the field `signup_id` of a query or a form.
fn choice<'p>(found: &'p Places, site: Site<'_>, form: &[u8]) -> Choice<'p> {
    if let Some(id) = Typed::parse(form).get("signup_id") {
        let id: Option<SignupId> = id.parse().ok();
        let named = found.signups.iter().find(|found| Some(found.signup.id) == id);
        return named.map_or(Choice::Unknown, Choice::Place);
    }
    match found.to_come(site.now)[..] {
        [] => Choice::Nothing,
        [only] => Choice::Place(only),
        _ => Choice::Several,
    }
}
