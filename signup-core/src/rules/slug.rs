//! Slugs: a title as part of a URL.

use deunicode::deunicode_char;

/// The maximum length of a slug before its tail, in characters.
const MAX_BASE: usize = 60;

/// Returns the words of `title` in lower-case ASCII, joined by single `-`, at most 60 characters. Letters of other
/// scripts are transliterated. Returns `None` if the title has no letter or digit.
pub(crate) fn slug_base(title: &str) -> Option<String> {
    let mut slug = String::with_capacity(MAX_BASE);
    for character in title.chars().flat_map(transliterated) {
        if slug.len() == MAX_BASE {
            break;
        }
        if character.is_ascii_alphanumeric() {
            slug.push(character.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    (!slug.is_empty()).then_some(slug)
}

/// Returns a letter or digit in ASCII, a space for a separator of words, and nothing for an apostrophe or a combining
/// mark.
///
/// Only letters and digits are transliterated. `deunicode` also has words for signs and emoji, but a slug must not
/// contain these words.
fn transliterated(character: char) -> std::str::Chars<'static> {
    let ascii = deunicode_char(character);
    let is_part_of_word = matches!(character, '\'' | '’') || ascii == Some("");
    match ascii {
        Some(ascii) if character.is_alphanumeric() => ascii.chars(),
        _ if is_part_of_word => "".chars(),
        _ => " ".chars(),
    }
}

/// Returns the slug base of `title`, or `fallback` if it has none, followed by `-` and `tail`.
pub(crate) fn slug_with_tail(title: &str, fallback: &str, tail: &str) -> String {
    format!("{}-{tail}", slug_base(title).as_deref().unwrap_or(fallback))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_has_the_words_of_the_title() {
        for (title, slug) in [
            ("Saturday Food Drive", "saturday-food-drive"),
            ("  Déjà vu -- 2nd   try! ", "deja-vu-2nd-try"),
            ("Мир", "mir"),
            ("北京 help", "bei-jing-help"),
            ("cafe\u{301} au lait", "cafe-au-lait"),
            ("St. Mary's picnic", "st-marys-picnic"),
        ] {
            assert_eq!(slug_base(title).as_deref(), Some(slug));
        }
    }

    #[test]
    fn a_title_without_a_letter_or_digit_gives_the_fallback() {
        assert_eq!(slug_base("!!! —"), None);
        assert_eq!(slug_base("🎉 & 🎊"), None);
        assert_eq!(slug_with_tail("!!! —", "event", "abcdefgh"), "event-abcdefgh");
    }

    #[test]
    fn a_truncated_slug_does_not_end_with_a_dash() {
        let slug = slug_base(&format!("{} b", "a".repeat(59))).unwrap();
        assert_eq!(slug, "a".repeat(59));
        assert_eq!(slug_base(&"ab ".repeat(100)).unwrap().len(), 59);
    }
}
