//! Output of the command line: results on standard output, and the final error on standard error.

use std::io::{self, Write as _};

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
    drop(writeln!(io::stderr().lock(), "{text}"));
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
