//! The handlers of the form and of the page after it.

use std::net::IpAddr;
use std::str::FromStr as _;
use std::time::Duration;

use headers::{Cookie, HeaderMapExt as _};
use signup_core::{Error, Faults, Language, NewSignup, PublicEvent, ScheduledShift, SignedUp};
use tokio::time::Instant;
use warp::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use warp::http::{HeaderMap, HeaderValue, StatusCode};
use warp::reply::Response;

use super::PublicPages;
use crate::page::event::{self, Focus, Notice};
use crate::page::message::{Retry, body_error, error_page, not_found, see_other, too_many};
use crate::page::sign_up;
use crate::page::signed_up::{self, COOKIE, Kept};
use crate::page::typed::Typed;
use crate::request::Request;
use crate::texts::Texts;

/// A form is answered after a multiple of this time. About a person with a place on a full shift, more is written, and more is read
/// for the page: this takes a millisecond longer than for anybody else. So the time of an answer does not tell who has a place.
const ANSWER_TICK: Duration = Duration::from_millis(20);

impl PublicPages {
    /// `GET /events/{slug}/signups`: returns the form for the shifts in the query parameters `slot_id`. If there is no form for
    /// them, returns the page of the event, which says why.
    pub(crate) async fn form(self, slug: String, query: String) -> Response {
        match self.service.volunteers().event(&slug).await {
            Ok(found) => self.form_for(&found, &Typed::parse(query.as_bytes()).only_shifts()).await,
            Err(error) => self.error_page(&error),
        }
    }

    /// Returns the form for the chosen shifts, with what was typed. If there is none, returns the page of the event, which keeps
    /// it: a form that was sent is refused, and a link leads to a page.
    async fn form_for(&self, found: &PublicEvent, typed: &Typed) -> Response {
        let (now, texts) = (self.service.now(), Texts::of(found.event.language));
        let takes = |shift: &ScheduledShift| event::takes(&found.event, shift, typed.joins_waitlist(), now);
        let (faulty, refused) = match typed.goes_to_form() {
            true => (StatusCode::UNPROCESSABLE_ENTITY, StatusCode::CONFLICT),
            false => (StatusCode::OK, StatusCode::OK),
        };
        match self.service.volunteers().form(&found.event.slug, typed.shifts()).await {
            Ok(_) if !event::has_open_signups(&found.event, now) => {
                self.page_of(refused, found, &Focus::default())
            }
            Ok(form) if !form.shifts().iter().any(takes) => {
                let shifts: Vec<_> = form.shifts().iter().collect();
                let notice = match shifts.is_empty() {
                    true => Notice::gone(texts),
                    false => Notice::not_open(&shifts, now, texts),
                };
                self.page_of(refused, found, &notice.keeping(typed))
            }
            Ok(_) => self.form_page(StatusCode::OK, found, typed, &Faults::new()),
            Err(Error::Invalid(_)) => self.choice(faulty, found, typed),
            Err(Error::EventCancelled) => self.page_of(refused, found, &Focus::default()),
            Err(Error::NotFound) => {
                self.page_of(StatusCode::NOT_FOUND, found, &Notice::gone(texts).keeping(typed))
            }
            Err(error) => self.error_page(&error),
        }
    }

    /// Returns the page of the event, which asks for shifts: none is chosen, or too many are.
    fn choice(&self, status: StatusCode, found: &PublicEvent, typed: &Typed) -> Response {
        let chosen = typed.shifts();
        let (now, texts) = (self.service.now(), Texts::of(found.event.language));
        if !found.shifts.iter().any(|shift| event::is_open(&found.event, shift, now)) {
            return self.page_of(status, found, &Focus::keeping(typed));
        }
        let notice = if chosen.is_empty() { Notice::choose(texts) } else { Notice::choose_fewer(texts) };
        let status = if chosen.is_empty() { status } else { StatusCode::UNPROCESSABLE_ENTITY };
        self.page_of(status, found, &Focus { chosen, ..notice.keeping(typed) })
    }

    fn form_page(&self, status: StatusCode, found: &PublicEvent, typed: &Typed, faults: &Faults) -> Response {
        let (path, url) = (self.event_path(&found.event.slug), self.event_url(&found.event.slug));
        sign_up::page(status, found, self.site(&path, &url), typed, faults, self.service.now())
    }

    /// `POST /events/{slug}/signups`: signs people up and redirects. If a shift is refused, returns the page of the event with the
    /// reason, which keeps what was typed for another shift. If the form has faults, or was sent to add a person or from that page,
    /// returns the form. If it was sent to choose other shifts, returns the page of the event.
    pub(crate) async fn sign_up(self, slug: String, client: IpAddr, mut request: Request) -> Response {
        let path = self.event_path(&slug);
        let action = event::form_action(&path);
        let volunteers = self.service.volunteers();
        let found = match volunteers.count_attempts(client, 1).await {
            Ok(allowance) if allowance.is_allowed => volunteers.event(&slug).await,
            Ok(allowance) => {
                let texts = texts_of(&volunteers.event(&slug).await);
                return too_many(allowance.retry_after_s(self.service.now()), None, texts);
            }
            Err(error) => Err(error),
        };
        let texts = texts_of(&found);
        if matches!(found, Err(Error::NotFound)) {
            return self.error_page(&Error::NotFound);
        }
        let body = match request.form().await {
            Ok(body) => body,
            Err(error) => return body_error(error, &path, texts),
        };
        // The ticks begin when the body has arrived: a client that chose their beginning could place it so that they tell apart
        // what takes a little longer.
        let began = Instant::now();
        let typed = Typed::sent(&body, &request.query);
        drop(body);
        let retry = || retry(&action, &typed);
        let found = match found {
            Ok(found) => found,
            Err(error) => return error_page(&error, &self.base_path, retry(), texts),
        };
        // The first place is counted already. A form that asks for too many takes none.
        let places = typed.places();
        let further = if places > NewSignup::MAX_PLACES { 0 } else { u32::try_from(places - 1).unwrap_or(0) };
        if typed.signs_up() && further > 0 {
            match volunteers.count_attempts(client, further).await {
                Ok(allowance) if allowance.is_allowed => {}
                Ok(allowance) => {
                    return too_many(allowance.retry_after_s(self.service.now()), retry(), texts);
                }
                Err(error) => return error_page(&error, &self.base_path, retry(), texts),
            }
        }
        let answer = self.answer(&slug, &found, &typed).await;
        let ticks = began.elapsed().as_millis() / ANSWER_TICK.as_millis() + 1;
        tokio::time::sleep_until(began + ANSWER_TICK * u32::try_from(ticks).unwrap_or(1)).await;
        answer
    }

    /// Signs people up, and returns the whole answer. `found` is the event as it was read before.
    async fn answer(&self, slug: &str, found: &PublicEvent, typed: &Typed) -> Response {
        if typed.changes_shifts() {
            return self.faulty(StatusCode::OK, slug, typed, &Faults::new()).await;
        }
        let mut signed_up = self.try_sign_up(slug, typed).await;
        for _ in 0..2 {
            // The questions changed after the form was checked. Checks what was typed against the present questions.
            if matches!(signed_up, Ok(Err(Error::Invalid(_)))) {
                signed_up = self.try_sign_up(slug, typed).await;
            }
        }
        let (path, texts) = (self.event_path(slug), Texts::of(found.event.language));
        match signed_up.and_then(|signed_up| signed_up) {
            Ok(Some((new, signed_up))) => match Notice::after(&new, &signed_up, self.sends_mail, texts) {
                None => self.kept(&path, &Kept::of(&new, &signed_up)),
                Some(notice) => self.refused(StatusCode::CONFLICT, slug, notice.keeping(typed)).await,
            },
            Ok(None) => self.faulty(StatusCode::OK, slug, typed, &Faults::new()).await,
            Err(Error::Invalid(faults)) => {
                self.faulty(StatusCode::UNPROCESSABLE_ENTITY, slug, typed, &faults).await
            }
            // The event may be unknown by now, too. Then its page is not found.
            Err(Error::NotFound) if found.event.is_cancelled() => {
                self.page_of(StatusCode::NOT_FOUND, found, &Focus::default())
            }
            Err(Error::NotFound) => {
                self.refused(StatusCode::NOT_FOUND, slug, Notice::gone(texts).keeping(typed)).await
            }
            Err(Error::EventCancelled) => {
                self.refused(StatusCode::CONFLICT, slug, Notice::cancelled(texts).into()).await
            }
            Err(error) => {
                let action = event::form_action(&path);
                error_page(&error, &self.base_path, retry(&action, typed), texts)
            }
        }
    }

    /// Signs up once. Returns `None` if the form was sent to add a person. The inner error is one of the commit.
    async fn try_sign_up(
        &self,
        slug: &str,
        typed: &Typed,
    ) -> Result<Result<Option<(NewSignup, SignedUp)>, Error>, Error> {
        let form = self.service.volunteers().form(slug, typed.shifts()).await?;
        if typed.adds_person() {
            return Ok(Ok(None));
        }
        let new = typed.input().check(form.questions(), form.shifts())?;
        Ok(form.sign_up(new.clone()).await.map(|signed_up| Some((new, signed_up))))
    }

    /// Returns the page of the event after a form was refused for a reason that is not in the form.
    async fn refused(&self, status: StatusCode, slug: &str, focus: Focus) -> Response {
        match self.service.volunteers().event(slug).await {
            Ok(found) => self.page_of(status, &found, &focus),
            Err(error) => self.error_page(&error),
        }
    }

    /// Returns the form again, or the shifts if it was sent to show them, with what was typed. If nobody can sign up now, returns
    /// the page of the event, which says so.
    async fn faulty(&self, status: StatusCode, slug: &str, typed: &Typed, faults: &Faults) -> Response {
        let found = match self.service.volunteers().event(slug).await {
            Ok(found) => found,
            Err(error) => return self.error_page(&error),
        };
        let (count, texts) = (typed.shifts().len(), Texts::of(found.event.language));
        if found.event.is_cancelled() {
            self.page_of(StatusCode::CONFLICT, &found, &Notice::cancelled(texts).into())
        } else if !event::has_open_signups(&found.event, self.service.now()) {
            self.page_of(StatusCode::CONFLICT, &found, &Notice::closed(texts).into())
        } else if typed.goes_to_shifts() {
            let (chosen, only_open) = (typed.shifts(), typed.wants_open());
            self.page_of(status, &found, &Focus { chosen, only_open, ..Focus::keeping(typed) })
        } else if typed.goes_to_form() {
            self.form_for(&found, typed).await
        } else if count == 0 || count > NewSignup::MAX_SHIFTS {
            self.choice(status, &found, typed)
        } else {
            self.form_page(status, &found, typed, faults)
        }
    }

    /// Redirects to the page after signing up, and lets the browser keep what this page shows.
    fn kept(&self, event_path: &str, kept: &Kept) -> Response {
        let path = format!("{event_path}/signed-up");
        let mut response = see_other(&path);
        let secure = if self.base_url.starts_with("https:") { "; Secure" } else { "" };
        let life_s = Kept::LIFE_S;
        let cookie =
            format!("{COOKIE}={kept}; Path={path}; Max-Age={life_s}; HttpOnly; SameSite=Lax{secure}");
        // Cannot fail unless the base URL has strange characters: the value is base64url.
        if let Ok(mut header) = HeaderValue::try_from(cookie) {
            header.set_sensitive(true);
            response.headers_mut().append(SET_COOKIE, header);
        }
        response
    }

    /// `GET /events/{slug}/signed-up`: returns the page after signing up. If the event is cancelled, returns the page of the event.
    pub(crate) async fn signed_up(self, slug: String, headers: HeaderMap) -> Response {
        match self.service.volunteers().event(&slug).await {
            Ok(found) if found.event.is_cancelled() => {
                self.page_of(StatusCode::OK, &found, &Focus::default())
            }
            Ok(found) => {
                let (path, url) = (self.event_path(&slug), self.event_url(&slug));
                signed_up::page(&found, self.site(&path, &url), read(&headers).as_ref())
            }
            Err(error) => self.error_page(&error),
        }
    }

    /// `GET /events/{slug}/signed-up/calendar.ics`: returns a calendar file with the shifts of the form.
    pub(crate) async fn calendar_of_form(self, slug: String, headers: HeaderMap) -> Response {
        let found = match self.service.volunteers().event(&slug).await {
            Ok(found) if !found.event.is_cancelled() => found,
            Ok(found) => return not_found(&self.base_path, Texts::of(found.event.language)),
            Err(error) => return self.error_page(&error),
        };
        let url = self.event_url(&slug);
        // A person who joined a waiting list may have no place.
        let kept = read(&headers).filter(|kept| !kept.joins_waitlist);
        let file = kept
            .and_then(|kept| signed_up::calendar(&found, &kept, (&self.sender, &url), self.service.now()));
        file.map_or_else(|| not_found(&self.base_path, Texts::of(found.event.language)), calendar_file)
    }
}

/// Returns the texts in the language of the event. They are English if there is none.
fn texts_of(found: &Result<PublicEvent, Error>) -> Texts {
    Texts::of(found.as_ref().map_or_else(|_| Language::default(), |found| found.event.language))
}

/// Returns the form that sends again what was typed, unless it is more than a page keeps.
fn retry<'a>(action: &'a str, typed: &'a Typed) -> Option<Retry<'a>> {
    typed.to_keep().map(|fields| Retry { action, fields })
}

/// Returns a calendar file to download.
fn calendar_file(text: String) -> Response {
    let mut response = Response::new(text.into());
    for (name, value) in [
        (CONTENT_TYPE, "text/calendar; charset=utf-8"),
        (CONTENT_DISPOSITION, "attachment; filename=\"shifts.ics\""),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CACHE_CONTROL, "no-store"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn read(headers: &HeaderMap) -> Option<Kept> {
    Kept::from_str(headers.typed_get::<Cookie>()?.get(COOKIE)?).ok()
}
