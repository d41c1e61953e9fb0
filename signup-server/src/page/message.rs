//! Pages that show only a message: what happened, and what to do next.

use askama::Template;
use signup_core::Error;
use warp::http::header::{LOCATION, RETRY_AFTER};
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use super::{DEFAULT_THEME, Head, html};
use crate::reply::{BodyError, RETRY_AFTER_S, log_failure};
use crate::texts::Texts;

#[derive(Debug, Template)]
#[template(path = "message.html")]
struct MessageTemplate<'a> {
    head: Head,
    heading: &'a str,
    text: &'a str,
    retry: Option<Retry<'a>>,
    /// The path and the text of a link.
    link: Option<(&'a str, String)>,
}

/// The page of a redirect. A browser shows the next page at once, so this page omits the stylesheet, which is most of a page.
#[derive(Debug, Template)]
#[template(path = "redirect.html")]
struct RedirectTemplate<'a> {
    location: &'a str,
}

/// A form that sends again what was typed.
#[derive(Debug)]
pub(super) struct Retry<'a> {
    pub(super) action: &'a str,
    pub(super) fields: &'a [(String, String)],
}

/// What a page says: a heading and a sentence.
type Message = (String, String);

fn message(
    status: StatusCode,
    (heading, text): Message,
    retry: Option<Retry<'_>>,
    link: Option<(&str, String)>,
    texts: Texts,
) -> Response {
    let head = Head { texts, ..Head::private(&heading, DEFAULT_THEME) };
    html(status, &MessageTemplate { head, heading: &heading, text: &text, retry, link })
}

/// Returns a page with a link to the start page of a server whose base URL has this path.
fn with_start(status: StatusCode, message_of: Message, base_path: &str, texts: Texts) -> Response {
    message(status, message_of, None, Some((&format!("{base_path}/"), texts.to_start_page())), texts)
}

/// Returns 404, for a page that does not exist or is not public.
pub(super) fn not_found(base_path: &str, texts: Texts) -> Response {
    let text = (texts.page_not_found(), texts.page_not_found_text());
    with_start(StatusCode::NOT_FOUND, text, base_path, texts)
}

/// Returns 404, for a secret link that is not whole.
pub(crate) fn incomplete_link(base_path: &str) -> Response {
    let texts = Texts::ENGLISH;
    let text = "This link isn’t complete. Open it again from where you got it, or copy the whole link.";
    with_start(StatusCode::NOT_FOUND, (texts.page_not_found(), text.to_owned()), base_path, texts)
}

/// Returns 405, for a method that the page does not support.
pub(super) fn method_not_allowed(base_path: &str) -> Response {
    let text = ("Sorry, that didn’t work", "Go back to the page you came from and use the buttons on it.");
    let text = (text.0.to_owned(), text.1.to_owned());
    with_start(StatusCode::METHOD_NOT_ALLOWED, text, base_path, Texts::ENGLISH)
}

/// Returns 503, for a store that is unreachable or a task that panicked.
pub(crate) fn unavailable() -> Response {
    unavailable_with(None, Texts::ENGLISH)
}

fn unavailable_with(retry: Option<Retry<'_>>, texts: Texts) -> Response {
    let text = (texts.service_problem(), texts.service_problem_text());
    let mut response = message(StatusCode::SERVICE_UNAVAILABLE, text, retry, None, texts);
    response.headers_mut().insert(RETRY_AFTER, RETRY_AFTER_S);
    response
}

/// Returns the page for an error. Details for operators are only logged.
pub(super) fn error_page(error: &Error, base_path: &str, retry: Option<Retry<'_>>, texts: Texts) -> Response {
    if *error == Error::NotFound {
        return not_found(base_path, texts);
    }
    log_failure(error);
    unavailable_with(retry, texts)
}

/// Returns 429, for a client address with too many attempts to sign up.
pub(super) fn too_many(retry_after_s: i64, retry: Option<Retry<'_>>, texts: Texts) -> Response {
    let text = (texts.too_many_attempts(), texts.too_many_attempts_text());
    let mut response = message(StatusCode::TOO_MANY_REQUESTS, text, retry, None, texts);
    response.headers_mut().insert(RETRY_AFTER, retry_after_s.into());
    response
}

/// Returns the page for a form whose fields could not be read.
pub(super) fn body_error(error: BodyError, event_path: &str, texts: Texts) -> Response {
    let text = match error {
        BodyError::TooLarge => texts.form_too_large(),
        BodyError::UnsupportedMediaType | BodyError::Encoded => texts.form_of_another_kind(),
        BodyError::NoRoom => texts.too_many_forms(),
        BodyError::Timeout => texts.form_too_slow(),
        BodyError::Broken => texts.form_incomplete(),
    };
    let link = Some((event_path, texts.to_event()));
    let mut response = message(error.status(), (texts.form_not_received(), text), None, link, texts);
    response.headers_mut().extend(error.header());
    response
}

/// Returns 303: the browser asks for `location` next.
pub(crate) fn see_other(location: &str) -> Response {
    redirect(StatusCode::SEE_OTHER, location)
}

/// Returns 308: the page has moved to `location` for good.
pub(super) fn moved(location: &str) -> Response {
    redirect(StatusCode::PERMANENT_REDIRECT, location)
}

fn redirect(status: StatusCode, location: &str) -> Response {
    // A path may have characters beyond ASCII.
    let Ok(value) = HeaderValue::from_bytes(location.as_bytes()) else { return unavailable() };
    let mut response = html(status, &RedirectTemplate { location });
    response.headers_mut().insert(LOCATION, value);
    response
}
