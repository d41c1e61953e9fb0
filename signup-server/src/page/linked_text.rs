//! Texts that pages show as links if there is a web address: locations, and the name of an organization.
//!
//! **Invariant:** only `http` and `https` addresses become links. Other schemes could run a script.

/// A text, and the web address that it links to, if any.
#[derive(Debug)]
pub(super) struct LinkedText<'a> {
    pub(super) text: &'a str,
    pub(super) link: Option<&'a str>,
}

impl<'a> LinkedText<'a> {
    /// Returns a text that links to itself, if it is a web address.
    pub(super) fn new(text: &'a str) -> Self {
        Self::to(text, text)
    }

    /// Returns a text that links to `address`, if `address` is a web address.
    pub(super) fn to(text: &'a str, address: &'a str) -> Self {
        Self { text, link: web_address(address) }
    }
}

/// Returns the text without surrounding whitespace, if it is a web address.
fn web_address(text: &str) -> Option<&str> {
    let text = text.trim();
    let scheme = ["https://", "http://"]
        .into_iter()
        .find(|scheme| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme)))?;
    let is_one_word = !text.contains(|character: char| character.is_whitespace() || character.is_control());
    (is_one_word && text.len() > scheme.len()).then_some(text)
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
