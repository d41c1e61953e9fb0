//! Texts whose addresses are links: descriptions, places and reasons, on pages and in HTML mails.
//!
//! The template macro `show::linked` shows the parts of a text. It escapes them, because they are text that people typed.
//!
//! **Invariant:** only addresses of the web (`http`, `https`) and of mail become links. Other schemes could run a script.

use std::borrow::Cow;

use linkify::{LinkFinder, LinkKind};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters of a mail address that are encoded in its link. A `?` would begin the header fields of a new mail.
const ENCODED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'@').remove(b'.').remove(b'-').remove(b'_').remove(b'~').remove(b'+');

/// A part of a text, and the address that it links to, if any.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LinkedText<'a> {
    pub(crate) text: &'a str,
    pub(crate) link: Option<Cow<'a, str>>,
}

impl<'a> LinkedText<'a> {
    /// Splits a text into its addresses and the parts between them. The parts together are the text, unchanged.
    pub(crate) fn parts(text: &'a str) -> Vec<Self> {
        let spans = LinkFinder::new().spans(text).map(|span| {
            let text = span.as_str();
            let link = match span.kind() {
                Some(LinkKind::Url) if is_of_web(text) => Some(Cow::Borrowed(text)),
                Some(LinkKind::Email) => return Self::mail_address(text),
                _ => None,
            };
            Self { text, link }
        });
        spans.collect()
    }

    /// Returns a mail address as a link.
    pub(crate) fn mail_address(text: &'a str) -> Self {
        Self { text, link: Some(format!("mailto:{}", utf8_percent_encode(text, ENCODED)).into()) }
    }
}

/// Returns whether the scheme of a URL is `http` or `https`.
fn is_of_web(url: &str) -> bool {
    let scheme = url.split("://").next().unwrap_or_default();
    ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
}

/// Returns the link that begins a mail to an address, for a template of a mail.
pub(crate) fn mailto(address: &str) -> String {
    LinkedText::mail_address(address).link.unwrap_or_default().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text with each link in brackets, followed by its target.
    fn shown(text: &str) -> String {
        let parts = LinkedText::parts(text);
        assert_eq!(parts.iter().map(|part| part.text).collect::<String>(), text);
        let show = |part: &LinkedText<'_>| match &part.link {
            Some(link) => format!("[{}]({link})", part.text),
            None => part.text.to_owned(),
        };
        parts.iter().map(show).collect()
    }

    #[test]
    fn addresses_of_the_web_and_of_mail_are_links() {
        for (text, expected) in [
            ("https://example.org/a?b=c", "[https://example.org/a?b=c](https://example.org/a?b=c)"),
            ("HTTP://example.org", "[HTTP://example.org](HTTP://example.org)"),
            (
                "Map: https://example.org/map.\nAsk (ada@example.org), or come.",
                "Map: [https://example.org/map](https://example.org/map).\nAsk ([ada@example.org](mailto:ada@example.org)), or come.",
            ),
            ("ada+drive@example.org", "[ada+drive@example.org](mailto:ada+drive@example.org)"),
        ] {
            assert_eq!(shown(text), expected);
        }
    }

    #[test]
    fn a_link_of_a_mail_address_cannot_add_header_fields_to_a_mail() {
        assert_eq!(
            shown("x?bcc=all&a=b@example.org"),
            "[x?bcc=all&a=b@example.org](mailto:x%3Fbcc%3Dall%26a%3Db@example.org)"
        );
    }

    #[test]
    fn other_text_is_no_link() {
        for text in [
            "javascript:alert(1)",
            "javascript://example.org/%0aalert(1)",
            "data:text/html,x",
            "ftp://example.org/",
            "//example.org",
            "https://",
            "1 Main St",
            "example.org",
            "",
        ] {
            assert_eq!(shown(text), text);
        }
    }
}
