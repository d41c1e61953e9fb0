use mailparse::{MailAddr, MailHeaderMap as _};
use proptest::prelude::*;

use super::*;

fn text(text: &str) -> String {
    let mut headers = Headers::default();
    headers.text("Subject", text);
    headers.into_text()
}

fn mailbox(name: &str, address: &str) -> String {
    let mut headers = Headers::default();
    headers.mailbox("To", Some(name), address);
    headers.into_text()
}

/// Returns the text that a reader shows for a `Subject`.
fn shown(header: &str) -> String {
    mailparse::parse_headers(header.as_bytes()).unwrap().0.get_first_value("Subject").unwrap()
}

#[test]
fn plain_text_stands_as_it_is() {
    for plain in ["Cancelled: Food drive", "a = b? c", "100 %", "?=", "\"a\" <b>"] {
        assert_eq!(text(plain), format!("Subject: {plain}\r\n"));
    }
    let words = "word ".repeat(20);
    let folded = format!("Subject:{}\r\n{}\r\n", " word".repeat(13), " word".repeat(7));
    assert_eq!(text(words.trim()), folded, "a long text is folded between words");
}

#[test]
fn a_text_that_looks_encoded_is_encoded() {
    for given in
        ["=?utf-8?q?Verify_now=3A_evil=2Eexample=2Fx?=", "a =?utf-8?b?YQ==?=", "=?x", "Zoë", "a  b", "a\tb"]
    {
        let header = text(given);
        assert!(header.starts_with("Subject: =?utf-8?b?"), "{header}");
        assert_eq!(shown(&header), given);
        let name = mailbox(given, "ada@example.org");
        assert!(name.starts_with("To: =?utf-8?b?"), "{name}");
    }
}

#[test]
fn a_name_is_words_or_quoted_or_encoded() {
    for (name, phrase) in [
        ("Ada", "Ada"),
        ("Ada Lovelace-King", "Ada Lovelace-King"),
        ("Anne O'Neill", "Anne O'Neill"),
        ("Ada.", "\"Ada.\""),
        (".", "\".\""),
        ("J. R. R. Tolkien", "\"J. R. R. Tolkien\""),
        ("Lovelace, Ada", "\"Lovelace, Ada\""),
        ("a@b", "\"a@b\""),
        ("The \"Old\\Hall\"", "\"The \\\"Old\\\\Hall\\\"\""),
        ("Zoë", "=?utf-8?b?Wm/Dqw==?="),
    ] {
        assert_eq!(mailbox(name, "ada@example.org"), format!("To: {phrase} <ada@example.org>\r\n"));
    }
    let mut headers = Headers::default();
    headers.mailbox("Reply-To", None, "ada@example.org");
    assert_eq!(headers.into_text(), "Reply-To: ada@example.org\r\n");
}

/// Generates texts of every length with characters of one to four octets, and with those that headers use themselves.
fn texts() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "a",
        "word",
        "é",
        "李",
        "🦀",
        " ",
        " ",
        ".",
        ",",
        ";",
        ":",
        "@",
        "<",
        ">",
        "(",
        ")",
        "[",
        "]",
        "\"",
        "\\",
        "=?",
        "?=",
        "=?utf-8?q?a?=",
        "_",
        "=",
        "\u{301}",
    ];
    let pieces = prop::collection::vec(prop::sample::select(PIECES), 1..120);
    pieces
        .prop_map(|pieces| crate::plain::one_line(&pieces.concat()))
        .prop_filter("blank", |text| !text.is_empty())
}

proptest! {
    #[test]
    fn no_line_is_longer_than_76_octets(given in texts(), user in "[a-z]{1,64}") {
        let address = format!("{user}@example.org");
        for header in [text(&given), mailbox(&given, &address)] {
            for line in header.split("\r\n") {
                let is_address = line.trim_start().strip_prefix('<') == Some(&format!("{address}>"));
                prop_assert!(line.len() <= MAX_LINE || is_address, "{}: {}", line.len(), line);
                prop_assert!(line.is_empty() || !line.trim().is_empty(), "a blank line ends the headers");
                prop_assert!(line.split(' ').all(|word| !word.starts_with("=?") || word.len() <= MAX_WORD));
            }
            prop_assert!(header.ends_with("\r\n") && header.is_ascii());
        }
    }

    #[test]
    fn a_reader_sees_what_was_given(given in texts()) {
        let mut headers = Headers::default();
        headers.mailbox("To", Some(&given), "ada@example.org");
        headers.text("Subject", &given);
        let headers = headers.into_text();
        let (parsed, _) = mailparse::parse_headers(headers.as_bytes()).unwrap();
        prop_assert_eq!(parsed.get_first_value("Subject").unwrap(), given.as_str());
        let to = mailparse::addrparse_header(parsed.get_first_header("To").unwrap()).unwrap().into_inner();
        let [MailAddr::Single(to)] = to.as_slice() else { return Err(TestCaseError::fail(format!("{to:?}"))) };
        prop_assert_eq!((to.display_name.as_deref(), to.addr.as_str()), (Some(given.as_str()), "ada@example.org"));
    }
}
