//! Tests of the files with the texts.

use std::collections::BTreeMap;

use super::messages::{Message, messages};
use super::*;

const TRANSLATIONS: [(&str, &str); 3] = [("de", GERMAN), ("fr", FRENCH), ("es", SPANISH)];

/// Returns the arguments of each message, in alphabetical order.
fn arguments(file: &str) -> BTreeMap<&str, Vec<&str>> {
    let sorted = messages(file).into_iter().map(|Message { id, mut arguments, .. }| {
        arguments.sort_unstable();
        (id, arguments)
    });
    sorted.collect()
}

#[test]
fn each_language_has_the_texts_and_the_arguments_of_english() {
    let english = arguments(ENGLISH);
    for (language, file) in TRANSLATIONS {
        let mut missing = english.clone();
        for (id, arguments) in arguments(file) {
            assert_eq!(Some(arguments), missing.remove(id), "{language}: {id}");
        }
        assert!(missing.is_empty(), "{language}: {missing:?}");
    }
    for (id, arguments) in arguments(AMERICAN) {
        assert_eq!(english.get(id), Some(&arguments), "en-US: {id}");
    }
}

#[test]
fn every_file_is_without_faults_and_names_each_text_once() {
    for (language, files) in FILES {
        for file in files {
            let parsed = FluentResource::try_new((*file).to_owned());
            assert!(parsed.is_ok(), "{language}: {:?}", parsed.err());
            let all = messages(file);
            assert_eq!(all.len(), arguments(file).len(), "{language}");
            for Message { id, arguments, .. } in all {
                let values: FluentArgs<'_> =
                    arguments.into_iter().map(|name| (name, FluentValue::from(1))).collect();
                let text = Texts::of(language).format(id, &values);
                assert!(text != id && !text.contains('{') && !text.is_empty(), "{language}: {id}");
            }
        }
    }
}

/// Returns the arguments that a text shows if its counts are `count`, apart from the counts themselves.
fn shown(language: Language, message: &Message<'_>, count: u8) -> Vec<String> {
    let is_count = |name: &str| message.text.contains(&format!("${name} ->"));
    let values = message.arguments.iter().map(|name| {
        let value = if is_count(name) { FluentValue::from(count) } else { format!("<{name}>").into() };
        (*name, value)
    });
    let text = Texts::of(language).format(message.id, &values.collect());
    let names = message.arguments.iter().map(|name| format!("<{name}>"));
    names.filter(|name| text.contains(name)).collect()
}

#[test]
fn each_variant_of_a_text_shows_the_arguments_that_the_english_one_shows() {
    for english in messages(ENGLISH) {
        for (language, _) in FILES {
            for count in [1, 2, 5] {
                let expected = shown(Language::En, &english, count);
                assert_eq!(
                    shown(language, &english, count),
                    expected,
                    "{language}: {} for {count}",
                    english.id
                );
            }
        }
    }
}

/// So no translation loses a link, and no other text looks like markup.
#[test]
fn only_the_texts_that_say_so_have_elements_and_translations_have_the_same_ones() {
    let elements = regex::Regex::new("<[^>]*>").unwrap();
    let of = |text: &str| {
        let mut all: Vec<_> = elements.find_iter(text).map(|found| found.as_str().to_owned()).collect();
        all.sort();
        all
    };
    let english: BTreeMap<_, _> =
        messages(ENGLISH).into_iter().map(|message| (message.id, of(message.text))).collect();
    for (language, file) in TRANSLATIONS.into_iter().chain([("en", ENGLISH), ("en-US", AMERICAN)]) {
        for Message { id, text, .. } in messages(file) {
            if id.ends_with("-html") {
                assert_eq!(of(text), english[id], "{language}: {id}");
                assert!(!text.contains('&'), "{language}: {id}");
            } else {
                assert!(!text.contains(['<', '&']), "{language}: {id}");
            }
        }
    }
}

#[test]
fn french_has_no_line_break_before_its_punctuation_and_inside_its_quotes() {
    let wrong = regex::Regex::new("[^\u{202f}][;!?»]|« |\\p{L}:(?: |$)| :").unwrap();
    for Message { id, text, .. } in messages(FRENCH) {
        let shown = text.replace("{ $", "").replace(" ->", "");
        assert!(!wrong.is_match(&shown), "{id}: {text}");
    }
}

#[test]
fn an_argument_is_escaped_in_html_and_nowhere_else() {
    let texts = Texts::ENGLISH;
    assert_eq!(texts.shifts_on("<b>&").to_string(), "Shifts on <b>&");
    let html = texts.looking_for_volunteers_html("<a>&");
    assert_eq!(html.to_string(), "&#60;a&#62;&#38; is looking for volunteers");
    let html = texts.looking_for_volunteers_html(Html::typed("<a>"));
    assert_eq!(html.to_string(), "<span dir=\"auto\">&#60;a&#62;</span> is looking for volunteers");
}

#[test]
fn texts_are_joined_as_in_a_sentence() {
    let joined = |language, texts: &[&str]| {
        Texts::of(language).joined(texts.iter().map(|text| (*text).to_owned()).collect())
    };
    assert_eq!(joined(Language::En, &[]), "");
    assert_eq!(joined(Language::En, &["Ada", "Ben", "Ida"]), "Ada, Ben and Ida");
    assert_eq!(joined(Language::De, &["Ada", "Ben"]), "Ada und Ben");
    assert_eq!(joined(Language::Es, &["Ada", "Ben"]), "Ada y Ben");
    for (name, joined_name) in [("Inés", "Ada e Inés"), ("Hilda", "Ada e Hilda"), ("Hielo", "Ada y Hielo")]
    {
        assert_eq!(joined(Language::Es, &["Ada", name]), joined_name);
        let of_page =
            Texts::of(Language::Es).joined_names(&["Ada".to_owned(), name.to_owned()], None).to_string();
        let word = joined_name.split(' ').nth(1).unwrap();
        assert!(of_page.contains(&format!("Ada</span> {word} <span")), "{of_page}");
    }
}
