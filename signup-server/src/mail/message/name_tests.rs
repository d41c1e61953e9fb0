//! Tests that no mail contains a name that could be read as a link.

use mailparse::ParsedMail;
use proptest::prelude::*;
use signup_core::{PersonName, PlaceChange};
use url::Host;

use super::sample::{EARLY, LATE, Sample};
use crate::mail::name::safe_name;

/// Returns the decoded headers and bodies of the mail and of its parts.
fn texts(mail: &ParsedMail<'_>) -> Vec<String> {
    let headers = mail.headers.iter().map(mailparse::MailHeader::get_value);
    let body = mail.subparts.is_empty().then(|| mail.get_body().unwrap());
    headers.chain(body).chain(mail.subparts.iter().flat_map(texts)).collect()
}

/// Returns whether a browser could read a word as a host name of at least two labels. The last label must begin with a
/// letter or digit, and have another character: no top-level domain has one letter.
fn is_host(word: &str) -> bool {
    let word = word.trim_matches(|character: char| character.is_ascii_punctuation());
    let Ok(Host::Domain(domain)) = Host::parse(word) else { return false };
    let dots = ['.', '\u{3002}', '\u{ff0e}', '\u{ff61}', '\u{2024}', '\u{2026}'];
    let last = word.trim_end_matches(dots).rsplit(dots).next().unwrap();
    let is_label = last.starts_with(char::is_alphanumeric) && last.chars().count() > 1;
    domain.trim_matches('.').contains('.') && is_label
}

/// The start of each generated name. The mark occurs nowhere else in a mail: random parts, such as the boundary of the
/// parts, contain no space.
const MARK: &str = "Mallory M";

/// Generates names from words, characters that join words into a link, and invisible characters.
fn suspicious_names() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "evil", "example", "ada", "com", "1", "é", "李", "❤", " ", "\u{a0}", "-", "_", "(", ")", "'", ",",
        ".", ".", "\u{3002}", "\u{ff0e}", "\u{ff61}", "\u{2024}", "\u{2026}", "/", "\\", "\u{ff0f}", "@",
        "\u{ff20}", ":", "\u{202e}", "\u{200b}", "\u{200d}", "\u{ad}", "\u{fe0f}",
    ];
    prop::collection::vec(prop::sample::select(PIECES), 1..8)
        .prop_map(|pieces| format!("{MARK}{}", pieces.concat()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(1000), ..ProptestConfig::default() })]

    /// A name that a mail may show contains no word that a browser reads as a host, no character of addresses, and no invisible
    /// character but a joiner between two emoji. Any other name occurs nowhere in a mail, be it of one person or of several.
    #[test]
    fn no_mail_contains_a_name_that_could_be_a_link(name in suspicious_names()) {
        static SAMPLE: std::sync::LazyLock<Sample> = std::sync::LazyLock::new(|| {
            tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(Sample::create())
        });
        let Ok(person) = PersonName::new(&name) else { return Ok(()) };
        if let Some(shown) = safe_name(&person) {
            prop_assert!(!shown.split_whitespace().any(is_host), "{shown:?}");
            prop_assert!(!shown.contains(['/', '\\', '@', '\u{ff0f}', '\u{ff20}']), "{shown:?}");
            prop_assert!(!shown.contains(['\u{202e}', '\u{200b}', '\u{ad}']), "{shown:?}");
            for (at, joiner) in shown.match_indices('\u{200d}') {
                let before = shown[..at].trim_end_matches('\u{fe0f}');
                let is_in_emoji = before.ends_with('❤') && shown[at + joiner.len()..].starts_with('❤');
                prop_assert!(is_in_emoji, "{shown:?}");
            }
        } else {
            let mut sample = SAMPLE.clone();
            for (shift, other) in [(EARLY, &name), (LATE, &name), (LATE, &"Ada".to_owned())] {
                sample.place(shift, other, PlaceChange::New);
                let mail = sample.written();
                let texts = texts(&mailparse::parse_mail(mail.content.as_bytes()).unwrap());
                prop_assert!(!texts.iter().any(|text| text.contains(MARK)), "{texts:?}");
            }
        }
    }
}
