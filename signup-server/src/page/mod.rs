//! The pages for volunteers: HTML rendered by the server, without scripts and cookies. A page loads no other resource.
//! The pages for programmers, in [`reference`](crate::reference), have the same head, style and security headers.
//!
//! Templates escape text from users. Only the addresses in such a text become links ([`LinkedText`]). Paths in a page
//! start with the path of the base URL, so links work from every page.
//!
//! [`LinkedText`]: crate::linked_text::LinkedText
//!
//! **Invariant:** no rule is decided here. The library decides what a shift is, whether it has room, and what is wrong
//! with an input.

mod event;
mod handlers;
mod signup;
mod style;
pub(crate) mod times;

#[cfg(test)]
mod cancelled_tests;

pub(crate) use handlers::Pages;

use askama::Template;
use bytes::Bytes;
use signup_core::{Error, Theme};
use warp::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, RETRY_AFTER,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use crate::reply::{BodyError, RETRY_AFTER_S, WithSources};

/// The head of a page.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) title: String,
    pub(crate) description: String,
    /// The canonical URL for search engines and messengers. `None` for a private page.
    pub(crate) url: Option<String>,
    pub(crate) theme: Theme,
}

impl Head {
    /// Creates the head of a private page, which search engines do not index.
    pub(crate) fn private(title: &str, theme: Option<Theme>) -> Self {
        Self {
            title: title.to_owned(),
            description: String::new(),
            url: None,
            theme: theme.unwrap_or(style::DEFAULT_THEME),
        }
    }

    #[expect(clippy::unused_self, reason = "templates reach it through the head")]
    pub(crate) fn stylesheet(&self) -> &'static str {
        &style::STYLESHEET
    }

    /// Returns the colour of the theme, for the browser's own user interface.
    pub(crate) fn colour(&self) -> &'static str {
        style::band(self.theme)
    }
}

/// A page that shows only a message.
#[derive(Debug, Template)]
#[template(path = "message.html")]
struct MessageTemplate<'a> {
    head: Head,
    heading: &'a str,
    text: &'a str,
    link: Option<Link<'a>>,
}

#[derive(Debug)]
struct Link<'a> {
    href: &'a str,
    text: &'a str,
}

/// Renders a page into a response with security headers.
///
/// The headers forbid scripts, other resources, framing, forms that submit to other origins, and caching.
fn html(status: StatusCode, page: &impl Template) -> Response {
    let (status, text) = match page.render() {
        Ok(text) => (status, text),
        // Rendering into memory fails only because of a bug.
        Err(error) => {
            tracing::error!(%error, "a page could not be rendered");
            (StatusCode::INTERNAL_SERVER_ERROR, "The page could not be shown.".to_owned())
        }
    };
    html_text(status, text.into())
}

/// Returns a rendered page as a response with the headers that [`html`] describes.
pub(crate) fn html_text(status: StatusCode, text: Bytes) -> Response {
    let mut response = Response::new(text.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, style::POLICY.clone());
    for (name, value) in [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    for (name, value) in [
        ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=()"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Returns the path of a base URL, without a slash at the end.
pub(crate) fn base_path(base_url: &str) -> String {
    let url: Option<warp::http::Uri> = base_url.parse().ok();
    url.as_ref().map_or("", |url| url.path()).trim_end_matches('/').to_owned()
}

fn message(status: StatusCode, heading: &str, text: &str, link: Option<Link<'_>>) -> Response {
    themed_message(status, None, heading, text, link)
}

/// Returns a message page in the theme of an event.
fn themed_message(
    status: StatusCode,
    theme: Option<Theme>,
    heading: &str,
    text: &str,
    link: Option<Link<'_>>,
) -> Response {
    html(status, &MessageTemplate { head: Head::private(heading, theme), heading, text, link })
}

/// Returns 404, for a page that does not exist or is not public.
pub(crate) fn not_found() -> Response {
    message(
        StatusCode::NOT_FOUND,
        "This page does not exist",
        "The link may be mistyped, or what it led to is not open to the public any more.",
        None,
    )
}

/// Returns 405, for a method that the page does not support.
pub(crate) fn method_not_allowed() -> Response {
    message(
        StatusCode::METHOD_NOT_ALLOWED,
        "That does not work here",
        "The page cannot be asked for in this way.",
        None,
    )
}

/// Returns 503, for a store that is unreachable or a task that panicked.
pub(crate) fn unavailable() -> Response {
    let mut response = message(
        StatusCode::SERVICE_UNAVAILABLE,
        "Please try again in a moment",
        "The service is out of reach just now. Nothing is lost: go back and send the form again. Signing up twice takes \
         one place only.",
        None,
    );
    response.headers_mut().insert(RETRY_AFTER, RETRY_AFTER_S);
    response
}

/// Returns the page for an error. Details for operators are only logged.
pub(crate) fn error_page(error: &Error) -> Response {
    match error {
        Error::Store(error) => {
            tracing::error!(error = %WithSources(error), "the store failed");
            unavailable()
        }
        Error::NotFound => not_found(),
        Error::Contended => {
            tracing::warn!(%error, "a write was given up");
            unavailable()
        }
        error => {
            tracing::error!(error = %WithSources(error), "the library returned an unexpected error");
            unavailable()
        }
    }
}

fn body_error(error: BodyError) -> Response {
    let (status, text) = match error {
        BodyError::TooLarge => {
            (StatusCode::PAYLOAD_TOO_LARGE, "What was sent is larger than any form can be.")
        }
        BodyError::UnsupportedMediaType => {
            (StatusCode::UNSUPPORTED_MEDIA_TYPE, "Please use the form on the event's page.")
        }
        BodyError::Timeout => {
            (StatusCode::REQUEST_TIMEOUT, "What was sent did not arrive in time. Please try again.")
        }
        BodyError::Broken => (StatusCode::BAD_REQUEST, "What was sent could not be read. Please try again."),
    };
    message(status, "The form was not taken", text, None)
}
