//! Standard output: plain lines for people and scripts. The log goes elsewhere.

use std::io::{self, Write as _};

/// Prints a line, and sees that it arrives at once: a script may be waiting for it.
pub(crate) fn line(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}

/// Prints a line to standard error. Where even that fails there is nobody left to tell.
pub(crate) fn error_line(text: &str) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    drop(writeln!(io::stderr().lock(), "{text}"));
}
