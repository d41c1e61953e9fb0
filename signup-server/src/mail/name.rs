//! Names and answers in mails, which a stranger may have typed.
//!
//! Anyone can sign up any address under any name, and a member of an organization can invite any address. If a mail program showed
//! the name as a link, a stranger could send a link to that address. A name with format characters could look like other text.
//! Such names and answers are left out. The joiners that a script or an emoji needs are no such characters.
//!
//! **Invariant:** every name of a volunteer or a member in a mail comes from [`safe_name`], and every answer from [`safe_answer`].
//! The name of an organization comes from [`safe_organization`] in an invitation, and from [`sender_name`] in every other mail and
//! in every calendar entry.

use signup_core::{Name, PersonName};
use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{
    GeneralCategory, GeneralCategoryGroup, UnicodeEmoji as _, UnicodeGeneralCategory as _,
};
use url::Host;

use crate::plain::{one_line, shorten};

/// The maximum length of a name in a mail, in characters.
const MAX_CHARACTERS: usize = 80;
/// Characters that occur in URLs and mail addresses, and two characters that look like a slash.
const ADDRESS_CHARACTERS: [char; 5] = ['/', '\\', '@', '\u{2044}', '\u{2215}'];
/// Characters that separate the labels of a host name or follow a scheme. The ideographic full stop counts as a dot in
/// host names.
const SEPARATORS: [char; 3] = ['.', '\u{3002}', ':'];
const ZERO_WIDTH_JOINER: char = '\u{200d}';
const JOINERS: [char; 2] = ['\u{200c}', ZERO_WIDTH_JOINER];
/// The variation selector that asks for the colored form of an emoji.
const EMOJI_STYLE: char = '\u{fe0f}';

/// Returns the name on one line, or `None` if the name must be left out.
pub(crate) fn safe_name(name: &PersonName) -> Option<String> {
    safe(name.as_str())
}

/// Returns the name of an organization on one line, cut if it is long, or `None` if the name must be left out.
pub(super) fn safe_organization(name: &Name) -> Option<String> {
    safe(&shorten(name.as_str(), MAX_CHARACTERS))
}

/// Returns the name of an organization that sends a mail, on one line, cut if it is long. `None` if the name must be left out: it
/// has format characters or an `@`, with which it could pass for the address of another sender.
///
/// Only volunteers of the organization get such a mail, so a dot as in `St.Mary’s` is kept.
pub(crate) fn sender_name(name: &Name) -> Option<String> {
    let name = shorten(name.as_str(), MAX_CHARACTERS);
    let has_at_sign = name.nfkc().any(|character| character == '@');
    (!has_at_sign && !has_format_characters(&name)).then_some(name)
}

fn safe(name: &str) -> Option<String> {
    let name = one_line(name);
    let is_safe =
        name.chars().count() <= MAX_CHARACTERS && !has_format_characters(&name) && !could_be_link(&name);
    is_safe.then_some(name)
}

/// Returns an answer on one line, or `None` if the answer must be left out.
///
/// An answer may be longer than a name, and it may have slashes, times and decimals: none of them alone makes a link. Two
/// separators between digits do, as in the IP address of a host.
pub(super) fn safe_answer(answer: &str) -> Option<String> {
    let answer = one_line(answer);
    let folded: String = answer.nfkc().collect();
    let has_address = folded.contains(['@', '\\']) || folded.contains("//");
    let could_be_link = has_address || joins_words(&folded) || joins_digits(&folded, 3);
    let is_safe = !could_be_link && !has_format_characters(&answer);
    is_safe.then_some(answer)
}

/// Returns whether the name has bidirectional controls or other invisible characters that change how text is shown.
fn has_format_characters(name: &str) -> bool {
    let characters: Vec<char> = name.chars().collect();
    let is_format = |character: char| character.general_category() == GeneralCategory::Format;
    characters
        .iter()
        .enumerate()
        .any(|(at, character)| is_format(*character) && !is_needed_joiner(&characters, at))
}

/// Returns whether the character is a joiner that its neighbours need.
///
/// Within a word, they are those that a host name may have (RFC 5892, A.1 and A.2): after a virama, and without joining between
/// letters that would join.
fn is_needed_joiner(characters: &[char], at: usize) -> bool {
    let (before, after) = (&characters[..at], &characters[at + 1..]);
    let is_emoji = |character: &char| !character.is_ascii() && character.is_emoji_char();
    let is_in_emoji = before.iter().rfind(|character| **character != EMOJI_STYLE).is_some_and(is_emoji)
        && after.first().is_some_and(is_emoji);
    let is_in_word = |character: &&char| {
        let group = character.general_category_group();
        matches!(group, GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark)
            || JOINERS.contains(character)
    };
    let start = before.iter().rev().take_while(is_in_word).count();
    let end = after.iter().take_while(is_in_word).count();
    let word: String = characters[at - start..=at + end].iter().collect();
    match characters[at] {
        ZERO_WIDTH_JOINER if is_in_emoji => true,
        joiner => JOINERS.contains(&joiner) && Host::parse(&word).is_ok(),
    }
}

/// Returns whether a mail program could show a part of the name as a link.
///
/// The name is normalized like a host name (NFKC), which turns full-width and other compatibility characters into plain
/// ones. A separator between two words makes a link. A separator at the end of a word, as in "J. R. R.", does not. Nor does a dot
/// before one letter, as in "J.R.R.": no top-level domain has one letter.
fn could_be_link(name: &str) -> bool {
    let folded: String = name.nfkc().collect();
    folded.contains(ADDRESS_CHARACTERS) || joins_words(&folded) || joins_digits(&folded, 2)
}

/// Returns whether a separator is between two words, and neither between two digits, as in a time or a decimal, nor before an
/// initial.
fn joins_words(folded: &str) -> bool {
    let characters: Vec<char> = folded.chars().collect();
    characters.windows(3).enumerate().any(|(at, three)| {
        let &[before, separator, after] = three else { return false };
        let are_digits = before.is_ascii_digit() && after.is_ascii_digit();
        // A host parser takes other characters after the letter, such as a bracket, for a part of the last label.
        let is_last =
            characters.get(at + 3).is_none_or(|next| next.is_whitespace() || SEPARATORS.contains(next));
        let is_initial = separator != ':' && after.is_alphabetic() && is_last;
        let is_apart = before.is_whitespace() || ends_word(after) || are_digits || is_initial;
        SEPARATORS.contains(&separator) && !is_apart
    })
}

/// Returns whether separators join `count` numbers or more.
fn joins_digits(folded: &str, count: usize) -> bool {
    let is_apart = |character: char| !character.is_ascii_digit() && !SEPARATORS.contains(&character);
    let numbers = |run: &str| run.split(SEPARATORS).filter(|number| !number.is_empty()).count();
    folded.split(is_apart).any(|run| numbers(run) >= count)
}

/// Returns whether the character after a separator ends the word. Then the separator does not join two words.
fn ends_word(character: char) -> bool {
    character.is_whitespace() || character.general_category_group() == GeneralCategoryGroup::Punctuation
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str) -> Option<String> {
        safe_name(&PersonName::new(name).unwrap())
    }

    #[test]
    fn the_name_of_a_sender_is_no_address_and_has_no_format_characters() {
        let sender = |name: &str| sender_name(&Name::new(name).unwrap());
        for name in
            ["Riverside Food Bank", "St.Mary’s, Inc.", "می\u{200c}خواهم", "Food 👨\u{200d}👩\u{200d}👧 Bank"]
        {
            assert_eq!(sender(name).as_deref(), Some(name));
        }
        for name in [
            "help@bank.example",
            "Riverside @ Dock",
            "help\u{ff20}bank.example",
            "help\u{fe6b}bank.example",
            "River\u{202e}side",
            "River\u{200b}side",
            "River\u{200d}side",
        ] {
            assert_eq!(sender(name), None, "{}", name.escape_unicode());
        }
        assert_eq!(sender(&"Food bank ".repeat(20)).map(|name| name.chars().count()), Some(80));
    }

    #[test]
    fn an_ordinary_name_is_kept() {
        for name in [
            "Ada",
            "Dr. Ada Lovelace",
            "J. R. R. Tolkien",
            "J.R.R. Tolkien",
            "A.J.",
            "Tolkien, J.R.R.",
            "(J.R.)",
            "É.Z. Curie",
            "А.С. Пушкин",
            "J.-P. Sartre",
            "Sammy Davis, Jr.",
            "Anne-Marie O'Neill",
            "Jean d’Ormesson",
            "Zoë (Team B)",
            "Ada & Bob",
            "Nuñez y Domínguez",
            "李小龍",
            "山田 太郎。",
            "レオナルド・ダ・ヴィンチ",
            "Лев Толстой",
            "محمد علي",
            "Gal·la Ⅳ",
            "...",
        ] {
            assert_eq!(shown(name).as_deref(), Some(name));
        }
        assert_eq!(shown("Ada\u{a0}\u{2003}  Lovelace").as_deref(), Some("Ada Lovelace"), "on one line");
    }

    #[test]
    fn a_name_that_could_be_read_as_a_link_is_left_out() {
        for name in [
            "bit.ly/abc",
            "Verify now at evil.example/x",
            "evil.example",
            "EVIL.EXAMPLE",
            "Go to evil.example.",
            "www.evil",
            "1.2.3.4",
            "St.John",
            "J.R.Tolkien",
            "a.b.example",
            "x.y-z",
            "x.y_z",
            "x.y1",
            "x.1",
            "a:b",
            "пример.рф",
            "例え。テスト",
            "evil\u{ff0e}example",
            "evil\u{ff61}example",
            "evil\u{2024}example",
            "evil\u{fe52}example",
            "evil\u{2026}example",
            "evil.\u{fe0f}example",
            "❤.ws",
            "http://evil",
            "a/b",
            "a\\b",
            "a\u{ff0f}b",
            "a\u{ff3c}b",
            "a\u{2044}b",
            "a\u{2215}b",
            "\u{2105} Ada",
            "ada@evil",
            "ada\u{ff20}evil",
            "ada\u{fe6b}evil",
            "tel:0900",
            "javascript\u{ff1a}x",
        ] {
            assert_eq!(shown(name), None, "{name}");
        }
        assert_eq!(shown(&"x".repeat(MAX_CHARACTERS)).map(|name| name.len()), Some(MAX_CHARACTERS));
        assert_eq!(shown(&"x".repeat(MAX_CHARACTERS + 1)), None);
    }

    #[test]
    fn an_answer_is_left_out_only_if_it_could_be_read_as_a_link() {
        for answer in [
            "M",
            "yes",
            "vegan/gluten-free",
            "from 07:30",
            "1.5 hours",
            "07:30",
            "3/4",
            "12.50",
            "07:30-09:00, 3.5",
            "No nuts, please. Thanks!",
            "J.R.R. Tolkien",
            "می‌خواهم",
            &"x".repeat(500),
        ] {
            assert_eq!(safe_answer(answer).as_deref(), Some(answer));
        }
        for answer in [
            "evil.example",
            "see bit.ly/abc",
            "http://evil",
            "//evil",
            "ada@evil",
            "tel:0900",
            "a\\b",
            "1.2.3.4/login",
            "1.2.3.4:8080",
            "at 1.2.3",
            "1\u{ff0e}2\u{ff0e}3\u{ff0e}4",
            "a\u{202e}b",
        ] {
            assert_eq!(safe_answer(answer), None, "{answer}");
        }
        assert_eq!(safe_answer("one\r\ntwo").as_deref(), Some("one two"), "on one line");
    }

    #[test]
    fn a_name_with_format_characters_is_left_out() {
        for character in [
            '\u{ad}',
            '\u{61c}',
            '\u{180e}',
            '\u{200b}',
            '\u{200c}',
            '\u{200d}',
            '\u{200e}',
            '\u{200f}',
            '\u{202a}',
            '\u{202b}',
            '\u{202c}',
            '\u{202d}',
            '\u{202e}',
            '\u{2060}',
            '\u{2066}',
            '\u{2067}',
            '\u{2068}',
            '\u{2069}',
            '\u{feff}',
            '\u{fff9}',
            '\u{e0041}',
        ] {
            let name = format!("Ada{character}Lovelace");
            assert_eq!(shown(&name), None, "{}", name.escape_unicode());
        }
    }

    #[test]
    fn a_joiner_is_kept_only_where_a_script_or_an_emoji_needs_it() {
        for name in [
            "می\u{200c}خواهم",
            "علی\u{200c}رضا",
            "නිශ්\u{200d}ශංක",
            "ශ්\u{200d}රී ලංකා",
            "क्\u{200d}ष",
            "क्\u{200c}ष",
            "Ada 👨\u{200d}👩\u{200d}👧",
            "👩\u{1f3fd}\u{200d}⚕\u{fe0f}",
            "❤\u{fe0f}\u{200d}🔥",
        ] {
            assert_eq!(shown(name).as_deref(), Some(name));
        }
        for name in [
            "دا\u{200c}د",
            "علی\u{200d}رضا",
            "شرا\u{200c}",
            "می\u{200c}",
            "\u{200c}می",
            "可\u{200d}能",
            "क\u{200d}ष",
            "👨\u{200c}👩",
            "👨\u{200d}",
            "\u{200d}👨",
            "👨\u{200d}Ada",
            "1\u{200d}2",
            "👨\u{200d}\u{200d}👩",
            "می\u{200c}خواهم.example",
        ] {
            assert_eq!(shown(name), None, "{}", name.escape_unicode());
        }
    }
}
