//! Pages that show only a message: what happened, and what to do next.

use askama::Template;
use signup_core::Error;
use warp::http::header::{LOCATION, RETRY_AFTER};
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use super::{DEFAULT_THEME, Head, html};
use crate::reply::{BodyError, RETRY_AFTER_S, log_failure};

#[derive(Debug, Template)]
#[template(path = "message.html")]
struct MessageTemplate<'a> {
    head: Head,
    heading: &'a str,
    text: &'a str,
    retry: Option<Retry<'a>>,
    link: Option<LinkView<'a>>,
}

/// The page of a redirect. A browser shows the next page at once, so this page omits the stylesheet, which is most of a page.
#[derive(Debug, Template)]
#[template(path = "redirect.html")]
struct RedirectTemplate<'a> {
    location: &'a str,
}

#[derive(Debug)]
pub(super) struct LinkView<'a> {
    pub(super) href: &'a str,
    pub(super) text: &'a str,
}

/// A form that sends again what was typed.
#[derive(Debug)]
pub(super) struct Retry<'a> {
    pub(super) action: &'a str,
    pub(super) fields: &'a [(String, String)],
}

fn message(status: StatusCode, heading: &str, text: &str, link: Option<LinkView<'_>>) -> Response {
    message_with(status, heading, text, None, link)
}

fn message_with(
    status: StatusCode,
    heading: &str,
    text: &str,
    retry: Option<Retry<'_>>,
    link: Option<LinkView<'_>>,
) -> Response {
    let head = Head::private(heading, DEFAULT_THEME);
    html(status, &MessageTemplate { head, heading, text, retry, link })
}

/// Returns a link to the start page of a server whose base URL has this path.
fn to_start(base_path: &str) -> String {
    format!("{base_path}/")
}

/// Returns 404, for a page that does not exist or is not public.
pub(super) fn not_found(base_path: &str) -> Response {
    message(
        StatusCode::NOT_FOUND,
        "Page not found",
        "If you typed the web address, check it is correct. If you followed a link, the page may no longer be \
         available. Ask the person who sent you the link.",
        Some(LinkView { href: &to_start(base_path), text: "Go to the start page" }),
    )
}

/// Returns 404, for a secret link that is not whole.
pub(crate) fn incomplete_link(base_path: &str) -> Response {
    message(
        StatusCode::NOT_FOUND,
        "Page not found",
        "This link isn’t complete. Open it again from where you got it, or copy the whole link.",
        Some(LinkView { href: &to_start(base_path), text: "Go to the start page" }),
    )
}

/// Returns 405, for a method that the page does not support.
pub(super) fn method_not_allowed(base_path: &str) -> Response {
    message(
        StatusCode::METHOD_NOT_ALLOWED,
        "Sorry, that didn’t work",
        "Go back to the page you came from and use the buttons on it.",
        Some(LinkView { href: &to_start(base_path), text: "Go to the start page" }),
    )
}

/// Returns 503, for a store that is unreachable or a task that panicked.
pub(crate) fn unavailable() -> Response {
    unavailable_with(None)
}

fn unavailable_with(retry: Option<Retry<'_>>) -> Response {
    let mut response = message_with(
        StatusCode::SERVICE_UNAVAILABLE,
        "Sorry, there is a problem with the service",
        "Please try again in a moment. If you were signing up, it’s safe to send the form again: you’ll only get \
         one place.",
        retry,
        None,
    );
    response.headers_mut().insert(RETRY_AFTER, RETRY_AFTER_S);
    response
}

/// Returns the page for an error. Details for operators are only logged.
pub(super) fn error_page(error: &Error, base_path: &str, retry: Option<Retry<'_>>) -> Response {
    if *error == Error::NotFound {
        return not_found(base_path);
    }
    log_failure(error);
    unavailable_with(retry)
}

/// Returns 429, for a client address with too many attempts to sign up.
pub(super) fn too_many(retry_after_s: i64, retry: Option<Retry<'_>>) -> Response {
    let mut response = message_with(
        StatusCode::TOO_MANY_REQUESTS,
        "Please wait a minute",
        "Too many attempts. Please try again in a minute.",
        retry,
        None,
    );
    response.headers_mut().insert(RETRY_AFTER, retry_after_s.into());
    response
}

/// Returns the page for a form whose fields could not be read.
pub(super) fn body_error(error: BodyError, event_path: &str) -> Response {
    let text = match error {
        BodyError::TooLarge => "Your answers are too long. Go back and shorten them.",
        BodyError::UnsupportedMediaType | BodyError::Encoded => "Please use the form on the event’s page.",
        BodyError::NoRoom => {
            "The server got too many large forms at once. Go back and try again in a moment."
        }
        BodyError::Timeout => "Your form took too long to arrive. Go back and try again.",
        BodyError::Broken => "Only part of your form arrived. Go back and try again.",
    };
    let link = LinkView { href: event_path, text: "Go to the event" };
    let mut response = message(error.status(), "Sorry, we didn’t get your form", text, Some(link));
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
