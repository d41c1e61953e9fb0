//! The name of a volunteer, as it may stand in a mail.
//!
//! Anyone can sign up anyone else's address, under any name. A name that a mail program shows as a link would carry a stranger's
//! message to that address, and a name with format characters could show other words than it holds. Such a name is left out.
//!
//! **Invariant:** no other module puts a volunteer's name into a mail.

use signup_core::PersonName;
use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory as _};

use super::message::one_line;

/// The longest name in a mail, in characters.
const LONGEST: usize = 80;
/// Characters of addresses, and two signs that look like a slash.
const OF_ADDRESSES: [char; 5] = ['/', '\\', '@', '\u{2044}', '\u{2215}'];
/// Characters that join the parts of a host name or follow a scheme. Host names take the ideographic full stop for a dot, too.
const JOINTS: [char; 3] = ['.', '\u{3002}', ':'];

/// The name on one line; `None` if it is left out.
pub(super) fn for_mail(name: &PersonName) -> Option<String> {
    let name = one_line(name.as_str());
    let is_harmless =
        name.chars().count() <= LONGEST && !has_format_characters(&name) && !could_be_link(&name);
    is_harmless.then_some(name)
}

/// Whether there are bidirectional controls, joiners, or other characters that are not seen and change what is seen.
fn has_format_characters(name: &str) -> bool {
    name.chars().any(|character| character.general_category() == GeneralCategory::Format)
}

/// Whether a mail program could read part of the name as a link.
///
/// The name is folded as host names are (NFKC), which turns full-width and other look-alikes into plain characters. A joint
/// between two words makes a link; one at the end of a word, as in "J. R. R.", does not.
fn could_be_link(name: &str) -> bool {
    let folded: Vec<char> = name.nfkc().collect();
    let joins_words = |three: &[char]| {
        matches!(three, [before, joint, after]
            if JOINTS.contains(joint) && !before.is_whitespace() && !ends_word(*after))
    };
    folded.iter().any(|character| OF_ADDRESSES.contains(character)) || folded.windows(3).any(joins_words)
}

/// Whether a character before which there is a joint ends the word: then the joint joins nothing.
fn ends_word(character: char) -> bool {
    character.is_whitespace() || character.general_category_group() == GeneralCategoryGroup::Punctuation
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str) -> Option<String> {
        for_mail(&PersonName::new(name).unwrap())
    }

    #[test]
    fn an_ordinary_name_stays() {
        for name in [
            "Ada",
            "Dr. Ada Lovelace",
            "J. R. R. Tolkien",
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
        assert_eq!(shown("Ada\u{a0}\u{2028}  Lovelace").as_deref(), Some("Ada Lovelace"), "on one line");
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
        assert_eq!(shown(&"x".repeat(LONGEST)).map(|name| name.len()), Some(LONGEST));
        assert_eq!(shown(&"x".repeat(LONGEST + 1)), None);
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
}
