//! Text from users on one line, for the headers and the plain text of a mail.

/// Puts a text on one line, so that the text cannot end a header or imitate another line of the mail.
pub(super) fn one_line(text: &str) -> String {
    let plain = |character: char| if character.is_control() { ' ' } else { character };
    let text: String = text.chars().map(plain).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
