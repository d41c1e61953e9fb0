//! Output of the command line: results on standard output, and the final error on standard error.

use std::io::{self, Write as _};

/// Prints a line to standard output and flushes it, because a script may be waiting for the line.
pub(crate) fn print_line(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}

/// Prints a text to standard error, on one line. Ignores a failure to print, because no other output is left.
pub(crate) fn print_error(text: &str) {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    drop(writeln!(io::stderr().lock(), "{text}"));
}
