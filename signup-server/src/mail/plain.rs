//! Text from users without control characters, for the headers and the plain text of a mail.

/// Puts a text on one line, so that the text cannot end a header or imitate another line of the mail.
pub(super) fn one_line(text: &str) -> String {
    let plain = |character: char| if character.is_control() { ' ' } else { character };
    let text: String = text.chars().map(plain).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the lines of a text, for the body of a mail. A line has no control characters.
pub(super) fn lines(text: &str) -> Vec<String> {
    text.trim().replace("\r\n", "\n").split(['\n', '\r']).map(one_line).collect()
}
