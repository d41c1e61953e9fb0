//! The pages for volunteers: HTML rendered by the server, without scripts. A page loads no other resource. Only the page
//! after signing up has a cookie.
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
mod mail_choice;
mod message;
mod places;
mod sign_up;
mod signed_up;
mod style;
pub(crate) mod times;
mod typed;

#[cfg(test)]
mod cancelled_tests;
#[cfg(test)]
mod language_tests;
#[cfg(test)]
mod places_tests;
#[cfg(test)]
mod waiting_tests;

pub(crate) use handlers::PublicPages;
pub(crate) use message::{incomplete_link, see_other, unavailable};
pub(crate) use style::{DEFAULT_THEME, token};

use askama::Template;
use bytes::Bytes;
use signup_core::{Event, TextError, Theme};
use warp::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;

use crate::texts::Texts;

/// Returns the sentence about a text with a control character or a line break that its field does not take.
pub(crate) fn unusable_characters(field: &str, error: &TextError, texts: Texts) -> String {
    match error {
        TextError::LineBreak => texts.has_line_break(field),
        TextError::Control { character: '\t' } => texts.has_tab(field),
        _ => texts.has_unusable_characters(field),
    }
}

/// Returns the sentence about a text that has only characters without a shape.
pub(crate) fn invisible(field: &str, may_be_empty: bool, texts: Texts) -> String {
    if may_be_empty { texts.is_invisible_but_optional(field) } else { texts.is_invisible(field) }
}

/// The head of a page.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    pub(crate) title: String,
    /// `None` for a private page, which search engines do not index.
    pub(crate) preview: Option<LinkPreview>,
    pub(crate) theme: Theme,
    /// The texts in the language of the page.
    pub(crate) texts: Texts,
}

/// A bar of the filled places of a shift, or of all shifts of an event. It means the same on every page, for volunteers and for
/// organizers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bar {
    pub(crate) filled: u64,
    pub(crate) capacity: u64,
}

/// What the pages say about the server, known when the process starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts<'a> {
    pub(crate) base_url: &'a str,
    /// The mail address of the sender of mails.
    pub(crate) sender: &'a str,
    /// Whether a mail server is configured. Without one, no page promises a mail.
    pub(crate) sends_mail: bool,
}

/// What search engines and messengers show of a page, besides its title.
#[derive(Debug, Clone)]
pub(crate) struct LinkPreview {
    /// The canonical URL.
    pub(crate) url: String,
    pub(crate) description: String,
    /// The name of the organization whose page this is.
    pub(crate) site_name: String,
}

impl Head {
    /// Creates the head of a private page in English.
    pub(crate) fn private(title: &str, theme: Theme) -> Self {
        Self { title: title.to_owned(), preview: None, theme, texts: Texts::ENGLISH }
    }

    /// Creates the head of a private page about an event, in its language.
    fn of_event(title: String, event: &Event) -> Self {
        let (theme, texts) = (style::theme_of(event), Texts::of(event.language));
        Self { title, preview: None, theme, texts }
    }

    #[expect(clippy::unused_self, reason = "templates reach it through the head")]
    pub(crate) fn stylesheet(&self) -> &'static str {
        &style::STYLESHEET
    }

    #[expect(clippy::unused_self, reason = "templates reach it through the head")]
    pub(crate) fn icon(&self) -> &'static str {
        &style::ICON_URL
    }

    /// Returns the colour of the theme, for the browser's own user interface.
    pub(crate) fn colour(&self) -> &'static str {
        style::band(self.theme)
    }
}

/// Renders a page into a response with security headers.
///
/// The headers forbid scripts, other resources, framing, forms that submit to other origins, and caching.
pub(crate) fn html(status: StatusCode, page: &impl Template) -> Response {
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

/// `GET /favicon.ico`: returns the icon of the pages, for a program that asks for it by its usual name.
pub(crate) fn icon() -> Response {
    let mut response = Response::new(style::ICON.into());
    for (name, value) in [
        (CONTENT_TYPE, "image/svg+xml"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CACHE_CONTROL, "public, max-age=86400"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
