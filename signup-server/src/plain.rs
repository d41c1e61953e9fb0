//! Text from users on one line and without control characters: for the headers and the plain text of a mail, for calendar
//! entries, and for the metadata of a page.

use std::borrow::Cow;

use crate::texts::Texts;

/// Puts a text on one line, so that the text cannot end a header or imitate another line of a mail.
pub(crate) fn one_line(text: &str) -> String {
    let plain = |character: char| if character.is_control() { ' ' } else { character };
    let text: String = text.chars().map(plain).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Puts a text on one line of at most `max` characters. A longer text is cut between two words, and ends with an ellipsis.
/// Only a first word that is too long is cut itself.
pub(crate) fn shorten(text: &str, max: usize) -> String {
    let text = one_line(text);
    if text.chars().count() <= max {
        return text;
    }
    // With the character after the cut, a whole word at the end is followed by its space.
    let cut: String = text.chars().take(max).collect();
    let kept = match cut.rsplit_once(' ') {
        Some((words, _)) => words.to_owned(),
        None => text.chars().take(max - 1).collect(),
    };
    format!("{kept}…")
}

/// Returns the value of an answer as people read it. A ticked checkbox has the value `yes`.
pub(crate) fn answer_in_words(value: &str, texts: Texts) -> Cow<'_, str> {
    if value == "yes" { texts.answer_yes().into() } else { value.into() }
}

/// Returns the lines of a text, for the body of a mail. A line has no control characters.
pub(crate) fn lines(text: &str) -> Vec<String> {
    text.trim().replace("\r\n", "\n").split(['\n', '\r']).map(one_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_words_and_never_within_an_address() {
        for (text, shown) in [
            ("Food drive", "Food drive"),
            ("Food driver s", "Food…"),
            ("See https://example.org/a", "See…"),
            ("Food dri s ab", "Food dri…"),
            ("Donaudampfschiff", "Donaudamp…"),
        ] {
            assert_eq!(shorten(text, 10), shown);
        }
    }
}
