//! The headers of a mail (RFC 5322): text and names from users, encoded where they have to be, in lines that are not too long.
//!
//! **Invariant:** every text that a header shows comes from [`Headers::text`] or [`Headers::mailbox`], so a reader decodes exactly
//! what was given. A text that only looks encoded is encoded, too.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The maximum length of a line with encoded words, in octets (RFC 2047, 2). The other lines keep to it as well, unless they
/// consist of one address.
const MAX_LINE: usize = 76;
/// The maximum length of an encoded word, in octets (RFC 2047, 2).
const MAX_WORD: usize = 75;
/// The start of an encoded word, and of a text that looks like one.
const WORD_START: &str = "=?utf-8?b?";
const WORD_END: &str = "?=";

/// The headers of a mail, in order.
#[derive(Debug, Default)]
pub(super) struct Headers {
    written: String,
    /// The length of the last line.
    column: usize,
}

impl Headers {
    /// Adds a header whose value is ASCII and needs no encoding.
    pub(super) fn plain(&mut self, name: &str, value: &str) {
        self.begin(name);
        self.push(value);
        self.end();
    }

    /// Adds a header that shows a text.
    pub(super) fn text(&mut self, name: &str, text: &str) {
        self.begin(name);
        let first_line = MAX_LINE - self.column;
        if is_ascii_text(text) && text.split(' ').all(|word| word.len() <= first_line) {
            for (number, word) in text.split(' ').enumerate() {
                if number > 0 {
                    self.space_before(word.len());
                }
                self.push(word);
            }
        } else {
            self.encoded(text);
        }
        self.end();
    }

    /// Adds a header with an address, and with the name of its owner.
    pub(super) fn mailbox(&mut self, name: &str, shown: Option<&str>, address: &str) {
        self.begin(name);
        match shown {
            Some(shown) => {
                match phrase(shown).filter(|phrase| self.column + phrase.len() <= MAX_LINE) {
                    Some(phrase) => self.push(&phrase),
                    None => self.encoded(shown),
                }
                self.space_before(address.len() + 2);
                self.push(&format!("<{address}>"));
            }
            None => self.push(address),
        }
        self.end();
    }

    /// Returns the headers, each with a line break at its end.
    pub(super) fn into_text(self) -> String {
        self.written
    }

    fn begin(&mut self, name: &str) {
        self.push(name);
        self.push(": ");
    }

    fn end(&mut self) {
        self.written.push_str("\r\n");
        self.column = 0;
    }

    fn push(&mut self, text: &str) {
        self.written.push_str(text);
        self.column += text.len();
    }

    /// Adds a space, with a line break before it if the line has no room for `length` octets after it.
    fn space_before(&mut self, length: usize) {
        if self.column + 1 + length > MAX_LINE {
            self.end();
        }
        self.push(" ");
    }

    /// Adds a text as encoded words, of which each is on a line of its own. Readers drop the white space between them.
    fn encoded(&mut self, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            if rest.len() < text.len() {
                self.end();
                self.push(" ");
            }
            let room = MAX_WORD.min(MAX_LINE - self.column) - WORD_START.len() - WORD_END.len();
            // Each three octets are encoded as four. No character is cut.
            let (word, after) = rest.split_at(rest.floor_char_boundary(room / 4 * 3));
            self.push(WORD_START);
            self.push(&STANDARD.encode(word));
            self.push(WORD_END);
            rest = after;
        }
    }
}

/// Returns whether a text may stand in a header as it is: printable ASCII that does not look encoded. Spaces at its ends and
/// between other spaces would be lost.
fn is_ascii_text(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
        && !text.contains("=?")
        && text.split(' ').all(|word| !word.is_empty())
}

/// Returns a name as words or as a quoted string (RFC 5322, 3.2.5), or `None` if the name has to be encoded.
fn phrase(name: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'_' | b'\'');
    if !is_ascii_text(name) {
        None
    } else if name.bytes().all(is_plain) {
        Some(name.to_owned())
    } else {
        Some(format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")))
    }
}

#[cfg(test)]
mod tests;
