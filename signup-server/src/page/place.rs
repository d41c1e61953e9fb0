//! Locations and names as pages show them, with a link where the text is a web address.

use signup_core::{Event, EventLocation, ShiftLocation};

/// The text of a location or a name, and its link, if there is a web address.
#[derive(Debug)]
pub(super) struct Place<'a> {
    pub(super) text: &'a str,
    pub(super) link: Option<&'a str>,
}

impl<'a> Place<'a> {
    /// Returns a name that links to `address`, if that is a web address.
    pub(super) fn named(text: &'a str, address: &'a str) -> Self {
        Self { text, link: web_address(address) }
    }

    /// Returns a text that links to itself, if it is a web address. Other schemes get no link, because they could run a
    /// script.
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, link: web_address(text) }
    }
}

fn web_address(text: &str) -> Option<&str> {
    let text = text.trim();
    let scheme = ["https://", "http://"]
        .into_iter()
        .find(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))?;
    let is_one_word = !text.contains(|character: char| character.is_whitespace() || character.is_control());
    (is_one_word && text.len() > scheme.len()).then_some(text)
}

/// Returns the location of a shift: its own, or else that of the event.
pub(crate) fn shift_location<'a>(own: Option<&'a ShiftLocation>, event: &'a Event) -> Option<&'a str> {
    own.map(ShiftLocation::as_str).or_else(|| event.location.as_ref().map(EventLocation::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_web_address_is_a_link() {
        for link in ["https://example.org/a?b=c", "HTTP://example.org", " https://example.org "] {
            assert_eq!(web_address(link), Some(link.trim()), "{link}");
        }
        for text in [
            "javascript:alert(1)",
            "data:text/html,x",
            "//example.org",
            "https://",
            "https://a b",
            "1 Main St",
            "jAvAsCrIpT:https://x",
            "https://a\njavascript:x",
            "",
        ] {
            assert_eq!(web_address(text), None, "{text}");
        }
    }
}
