//! HTML whose texts are escaped.

use std::fmt;

use askama::filters::{self, Escaper as _, HtmlSafe};
use signup_core::EmailAddress;

use crate::linked_text::mailto;

/// A part of a page or of a mail, as HTML. Its texts are escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Html(String);

impl Html {
    pub(super) const fn of_escaped(html: String) -> Self {
        Self(html)
    }

    /// Returns a text that people typed. It can be in another language than the page, so it has its own direction of writing.
    pub(crate) fn typed(text: &str) -> Self {
        Self(format!("<span dir=\"auto\">{}</span>", escaped(text)))
    }

    /// Returns a text that people typed as a link.
    pub(crate) fn typed_link(text: &str, url: &str) -> Self {
        let (text, url) = (escaped(text), escaped(url));
        Self(format!("<span dir=\"auto\"><a href=\"{url}\" rel=\"noopener\">{text}</a></span>"))
    }

    /// Returns a mail address as a link.
    pub(crate) fn mail_address(address: &EmailAddress) -> Self {
        let (text, link) = (address.as_str(), mailto(address.as_str()));
        Self(format!(
            "<a href=\"{}\" rel=\"noopener noreferrer nofollow ugc\">{}</a>",
            escaped(&link),
            escaped(text)
        ))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

impl HtmlSafe for Html {}

impl fmt::Display for Html {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    // Writing to a string does not fail.
    filters::Html.write_escaped_str(&mut escaped, text).unwrap_or_default();
    escaped
}
