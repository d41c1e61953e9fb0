//! Text from users on one line and without control characters: for the headers and the plain text of a mail, for calendar
//! entries, and for the metadata of a page.

/// Puts a text on one line, so that the text cannot end a header or imitate another line of a mail.
pub(crate) fn one_line(text: &str) -> String {
    let plain = |character: char| if character.is_control() { ' ' } else { character };
    let text: String = text.chars().map(plain).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Puts a text on one line of at most `max` characters. A longer text is cut, and ends with an ellipsis.
pub(crate) fn shorten(text: &str, max: usize) -> String {
    let text = one_line(text);
    if text.chars().count() <= max {
        return text;
    }
    let cut: String = text.chars().take(max - 1).collect();
    format!("{}…", cut.trim_end())
}

/// Returns the lines of a text, for the body of a mail. A line has no control characters.
pub(crate) fn lines(text: &str) -> Vec<String> {
    text.trim().replace("\r\n", "\n").split(['\n', '\r']).map(one_line).collect()
}
