use super::*;

#[test]
fn a_title_is_trimmed_and_bounded_in_characters() {
    assert_eq!(Title::new("  Food drive\n").unwrap().as_str(), "Food drive");
    assert!(Title::new(&"é".repeat(255)).is_ok());
    assert_eq!(Title::new(&"é".repeat(256)), Err(TextError::TooLong { max: 255 }));
    assert_eq!(Title::new(" \u{2003}\t"), Err(TextError::Blank));
}

#[test]
fn a_text_of_several_lines_is_stored_as_given_with_its_tabs_and_line_breaks() {
    for text in ["  two\nlines ", "\ta\r\nb\rc\u{2028}d\t"] {
        assert_eq!(Description::new(text).unwrap().as_str(), text);
    }
}

#[test]
fn every_other_control_character_is_refused_and_named() {
    let is_other = |character: &char| character.is_control() && !['\t', '\n', '\r'].contains(character);
    for character in (0..=0x9f_u8).map(char::from).filter(is_other) {
        for text in [format!("a{character}b"), format!("{character}ab"), format!("ab{character}")] {
            let refused = TextError::Control { character };
            assert_eq!(Description::new(&text), Err(refused), "{text:?}");
            // U+000B, U+000C, U+0085 and others are trimmed at the ends of a title.
            let trimmed = text.trim();
            assert_eq!(Title::new(&text).err(), trimmed.contains(character).then_some(refused), "{text:?}");
        }
    }
    for (character, message) in
        [('\t', "must not contain a tab"), ('\u{1b}', "must not contain the control character U+001B")]
    {
        assert_eq!(TextError::Control { character }.to_string(), message);
    }
}

#[test]
fn a_text_of_one_line_has_no_line_break_and_no_tab_inside() {
    for line_break in ["\n", "\r", "\r\n", "\u{2028}", "\u{2029}"] {
        let text = format!("a{line_break}b");
        assert_eq!(Title::new(&text), Err(TextError::LineBreak), "{text:?}");
        assert_eq!(EventLocation::new(&text), Err(TextError::LineBreak), "{text:?}");
        assert_eq!(ShiftLocation::new(&format!("a{line_break}")).err(), Some(TextError::LineBreak));
        assert_eq!(BadgeLabel::new(&format!("{line_break} a")).unwrap().as_str(), "a");
    }
    assert_eq!(Label::new("a\tb"), Err(TextError::Control { character: '\t' }));
    assert_eq!(Label::new("\ta b\t").unwrap().as_str(), "a b");
    assert_eq!(ShiftLocation::new(" a b ").unwrap().as_str(), " a b ");
}

#[test]
fn a_text_has_at_least_one_visible_character() {
    let shapeless = [
        "\u{ad}",
        "\u{34f}",
        "\u{115f}",
        "\u{180e}",
        "\u{200b}",
        "\u{200d}",
        "\u{202e}",
        "\u{2060}",
        "\u{2800}",
        "\u{3164}",
        "\u{fe0f}",
        "\u{feff}",
        "\u{ffa0}",
        "\u{fffb}",
        "\u{e0041}",
        "\u{200b} \u{3164}",
    ];
    for text in shapeless {
        assert_eq!(PersonName::new(text), Err(TextError::Invisible), "{text:?}");
        assert_eq!(AnswerText::new(text), Err(TextError::Invisible), "{text:?}");
        let visible = format!("{text}a");
        assert_eq!(PersonName::new(&visible).unwrap().as_str(), visible);
    }
    for text in ["-", "。", "ı", "👩\u{200d}🚒", "❤\u{fe0f}", "नि", "\u{627}", "\u{e000}"] {
        assert_eq!(Title::new(text).unwrap().as_str(), text);
    }
}

#[test]
fn a_web_address_has_the_scheme_http_or_https_and_a_host() {
    for good in [
        "https://example.org",
        "HTTP://example.org:8080/a?b=c&d=%20#e",
        "https://example.org/?next=file:///a",
        "https://bücher.example/straße",
        "http://[::1]/",
    ] {
        assert_eq!(WebAddress::new(&format!(" {good}\n")).unwrap().as_str(), good);
    }
    for bad in [
        "example.org",
        "//example.org",
        "https://",
        "https:///example.org",
        "https:example.org",
        "https:/example.org",
        "https:\\\\example.org",
        "https://exa mple.org",
        "https://example.org/a b",
        "https://exam<ple.org",
        "https://example.org:99999",
        "https://?q",
        "ftp://example.org",
        "mailto:ada@example.org",
        "javascript:alert(1)",
    ] {
        assert_eq!(WebAddress::new(bad), Err(TextError::WebAddress), "{bad}");
    }
    let longest = format!("https://example.org/{}", "é".repeat(2_028));
    assert!(WebAddress::new(&longest).is_ok());
    assert_eq!(WebAddress::new(&format!("{longest}é")), Err(TextError::TooLong { max: 2_048 }));
}

#[test]
fn an_address_is_searched_for_as_it_reads_and_any_other_text_without_case_and_accents() {
    for (text, key) in [
        ("Ada@Müller.example", "ada@muller.example"),
        ("Ada@ｍüller.example", "ada@muller.example"),
        ("Ada@ｅxample.org", "ada@example.org"),
        ("Ada@XN--MLLER-KVA.ex", "ada@xn--mller-kva.ex"),
        ("MÜLLER.example", "muller.example"),
        ("Ada@Mül", "ada@mul"),
        ("ada@почта.р", "ada@почта.р"),
        ("E\u{301}va J\u{30C}", "eva j"),
        ("Ada@Mu\u{308}l", "ada@mul"),
        ("mi\u{212A}e@riverside.example", "miKe@riverside.example"),
        ("ΟΔΥΣΣΕΎΣ Π", "οδυσσευσ π"),
        ("Οδυσσεύς", "οδυσσευσ"),
        ("Əliyev Ɓ Ǿ", "əliyev ɓ o"),
        ("\u{301}", "\u{301}"),
        ("Łukasz Øyvind Groß Æsa Đặng İnci", "lukasz oyvind gross aesa dang inci"),
        ("בְּרָכָה", "ברכה"),
        ("कि", "कि"),
        ("กุ", "กุ"),
        ("がく", "がく"),
        ("한", "한"),
    ] {
        assert_eq!(SearchText::new(text).unwrap().key(), key);
    }
}

#[test]
fn a_search_finds_the_beginnings_of_the_words_of_a_name() {
    for (text, name, is_found) in [
        ("ANG", "José Ángel", true),
        ("brien", "Sean O'Brien", true),
        ("O’Brien", "Sean O'Brien", true),
        ("bob st", "Robert \"Bob\" Stone", true),
        ("lena", "Anna\u{2011}Lena Ortíz", true),
        ("st bob", "Bob Stone", true),
        ("one", "Bob Stone", false),
        ("bob x", "Bob Stone", false),
        ("мар", "Анна Мария", true),
        ("की", "की", true),
        ("-", "Bob Stone", true),
    ] {
        assert_eq!(SearchText::new(text).unwrap().begins_words_of(name), is_found, "{text} {name}");
    }
}

#[test]
fn names_are_in_the_order_of_the_root_collation() {
    let mut names = [
        "Zoë",
        "Otto",
        "Øyvind",
        "anna",
        "Émile",
        "Ángel",
        "Emil",
        "Anna",
        "Ana María",
        "Anabel",
        "Яна",
        "Ωmega",
        "李",
    ];
    names.sort_by_cached_key(|name| name_order(name));
    let expected = [
        "Ana María",
        "Anabel",
        "Ángel",
        "anna",
        "Anna",
        "Emil",
        "Émile",
        "Otto",
        "Øyvind",
        "Zoë",
        "Ωmega",
        "Яна",
        "李",
    ];
    assert_eq!(names, expected);
}

#[test]
fn the_name_of_a_person_cannot_start_a_new_mail_header() {
    assert_eq!(PersonName::new("Ada\r\nBcc: all@example.org"), Err(TextError::LineBreak));
}

#[test]
fn the_spellings_of_a_name_have_one_key() {
    let key = |name: &str| PersonName::new(name).unwrap().key();
    for (expected, spellings) in [
        ("ada lovelace", &["Ada Lovelace", "  ADA \u{2003} lovelace ", "Ａｄａ\u{a0}Lovelace"][..]),
        ("zoë", &["Zoë", "ZOE\u{308}"]),
        ("strasse", &["Straße", "STRASSE", "STRA\u{1e9e}E"]),
        ("οδυσσευσ", &["ΟΔΥΣΣΕΥΣ", "Οδυσσευς"]),
        ("k", &["K", "\u{212a}"]),
        ("ǰo", &["\u{1f0}O", "J\u{30c}o"]),
    ] {
        for name in spellings {
            assert_eq!(key(name), expected, "{name}");
        }
    }
    assert_ne!(key("Ada"), key("Ada L"));
    assert_ne!(key("AdaLovelace"), key("Ada Lovelace"));
    assert_ne!(key("İpek"), key("Ipek"));
}

/// The compatible form of U+FDFA has 18 characters.
#[test]
fn the_key_of_a_name_is_at_most_as_long_as_the_longest_name() {
    let longest = |end: &str| PersonName::new(&("\u{fdfa}".repeat(254) + end)).unwrap().key();
    assert_eq!(longest("a").len(), 64, "a digest");
    assert_eq!(longest("a"), longest("A"));
    assert_ne!(longest("a"), longest("b"));
    assert_eq!(PersonName::new(&"\u{10400}".repeat(255)).unwrap().key().len(), 1020);
}
