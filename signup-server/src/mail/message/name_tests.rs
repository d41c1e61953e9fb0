//! Tests that no mail contains a name that could be read as a link.

use mailparse::{MailAddr, MailHeaderMap as _, ParsedMail};
use proptest::prelude::*;
use signup_core::PersonName;
use url::Host;

use super::super::name::safe_name;
use super::delivered::{Sample, about};
use super::*;

/// Returns the decoded headers and bodies of the mail and of its parts.
fn texts(mail: &ParsedMail<'_>) -> Vec<String> {
    let headers = mail.headers.iter().map(mailparse::MailHeader::get_value);
    let body = mail.subparts.is_empty().then(|| mail.get_body().unwrap());
    headers.chain(body).chain(mail.subparts.iter().flat_map(texts)).collect()
}

/// Returns the volunteer's name as the mail shows it: in the header, in the text, and in HTML.
fn names(mail: &ParsedMail<'_>) -> Vec<String> {
    let between = |text: &str, end: &str| {
        let (_, rest) = text.split_once("Hello").unwrap();
        rest.split_once(end).unwrap().0.trim().to_owned()
    };
    let to = mail.headers.get_first_header("To").unwrap();
    let to = match mailparse::addrparse_header(to).unwrap().into_inner().remove(0) {
        MailAddr::Single(to) => to.display_name.unwrap_or_default(),
        MailAddr::Group(group) => panic!("{group:?}"),
    };
    let [text, html] = [0, 1].map(|part| mail.subparts[0].subparts[part].get_body().unwrap());
    vec![to, between(&text, ",\r\n"), between(&html, ",</p>")]
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

    /// A name in a mail contains no word that a browser reads as a host, no character of addresses, and no invisible
    /// character but a joiner between two emoji. A name that is left out occurs nowhere in the mail.
    #[test]
    fn no_mail_contains_a_name_that_could_be_a_link(name in suspicious_names()) {
        static DELIVERY: std::sync::LazyLock<Mail> = std::sync::LazyLock::new(|| {
            tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async { Sample::create().await.delivery().await })
        });
        let Ok(name) = PersonName::new(&name) else { return Ok(()) };
        let mut mail = DELIVERY.clone();
        about(&mut mail).signup.name = name.clone();
        let from = "Riverside <help@example.org>".parse().unwrap();
        let mail = write(&mail, &from, "https://example.org", mail.notice.created_at).unwrap();
        let parsed = mailparse::parse_mail(mail.content.as_bytes()).unwrap();
        for shown in names(&parsed) {
            prop_assert!(!shown.split_whitespace().any(is_host), "{shown:?}");
            prop_assert!(!shown.contains(['/', '\\', '@', '\u{ff0f}', '\u{ff20}']), "{shown:?}");
            prop_assert!(!shown.contains(['\u{202e}', '\u{200b}', '\u{ad}']), "{shown:?}");
            for (at, joiner) in shown.match_indices('\u{200d}') {
                let before = shown[..at].trim_end_matches('\u{fe0f}');
                let is_in_emoji = before.ends_with('❤') && shown[at + joiner.len()..].starts_with('❤');
                prop_assert!(is_in_emoji, "{shown:?}");
            }
        }
        if safe_name(&name).is_none() {
            let texts = texts(&parsed);
            prop_assert!(!texts.iter().any(|text| text.contains(MARK)), "{texts:?}");
        }
    }
}
