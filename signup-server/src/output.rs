//! Output of the command line: results on standard output, and the final error on standard error.

use std::io::{self, Write as _};

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

use crate::plain::shorten;

/// The maximum length of a value that a message repeats, in characters.
const MAX_SHOWN: usize = 60;
/// The beginning of every API token.
const TOKEN_PREFIX: &str = "signup_";

/// Why a command ends early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A mistake or a fault: one line for the user.
    Line(String),
    /// An option or a value that cannot be used: one line for the user.
    Usage(String),
    /// The reader of standard output, such as `head`, has closed the pipe. The command ends as if it were complete.
    ClosedPipe,
}

impl From<String> for Failure {
    fn from(line: String) -> Self {
        Self::Line(line)
    }
}

impl From<Failure> for String {
    /// Describes the failure on one line, for a process that needs its standard output.
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Line(line) | Failure::Usage(line) => line,
            Failure::ClosedPipe => "cannot print to standard output: the pipe is closed".to_owned(),
        }
    }
}

impl From<io::Error> for Failure {
    /// Converts an error of standard output.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::ClosedPipe,
            _ => Self::Line(format!("cannot print the result: {error}")),
        }
    }
}

/// Prints a line to standard output and flushes it, because a script may be waiting for the line.
pub(crate) fn print_line(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}

/// Prints a text to standard error, on one line. Ignores a failure to print, because no other output is left.
pub(crate) fn print_error(text: &str) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    drop(writeln!(io::stderr().lock(), "{}", escaped(&text, |_| false)));
}

/// Returns a text that a terminal only shows. A control or format character that is not `kept` is written as in JSON, such as
/// `\u202e`, because a terminal would obey the character: it could move the cursor or reverse the text.
pub(crate) fn escaped(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let is_obeyed =
        |character: char| character.is_control() || character.general_category() == GeneralCategory::Format;
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_obeyed(character) && !is_kept(character) {
            let units = character
                .encode_utf16(&mut [0; 2])
                .iter()
                .map(|unit| format!("\\u{unit:04x}"))
                .collect::<String>();
            shown.push_str(&units);
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Returns whether a value from the command line contains an API token, or a part of one.
pub(crate) fn has_token(value: &str) -> bool {
    value.contains(TOKEN_PREFIX)
}

/// Returns a value from the command line as a message repeats it: on one line, shortened, and without the secret of an API token.
pub(crate) fn shown(value: &str) -> String {
    match value.split_once(TOKEN_PREFIX) {
        Some((before, _)) => shorten(&format!("{before}{TOKEN_PREFIX}…"), MAX_SHOWN),
        None => shorten(value, MAX_SHOWN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_a_terminal_would_obey_is_escaped_and_json_keeps_its_value() {
        for (character, escape) in [
            ('\u{7f}', "\\u007f"),
            ('\u{9b}', "\\u009b"),
            ('\u{ad}', "\\u00ad"),
            ('\u{200d}', "\\u200d"),
            ('\u{202e}', "\\u202e"),
            ('\u{2066}', "\\u2066"),
            ('\u{feff}', "\\ufeff"),
            ('\u{e0041}', "\\udb40\\udc41"),
        ] {
            let value = format!("é{character}李");
            let json = escaped(&serde_json::to_string(&value).unwrap(), |_| false);
            assert_eq!(json, format!("\"é{escape}李\""));
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), value);
        }
        assert_eq!(escaped("a\u{1b}[2J\r\nb", |character| character == '\n'), "a\\u001b[2J\\u000d\nb");
    }
}
