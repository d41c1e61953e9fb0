//! Checked strings: each type has its own bounds, and a value is checked once, where it is created.

mod email;
mod location_data;

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use deunicode::deunicode_char;
pub use email::{EmailAddress, is_host_name};
use icu_collator::options::CollatorOptions;
use icu_collator::{CollatorBorrowed, CollatorPreferences};
pub use location_data::{LocationData, LocationDataError};
use serde::{Deserialize, Serialize};
use thiserror::Error;
use unicase::UniCase;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::canonical_combining_class;

use crate::secret::Digest;

/// Why a text is refused. The message is the predicate of a sentence.
///
/// Lengths count Unicode scalar values, not bytes. Control characters are refused, because a terminal, a mail program or a
/// spreadsheet may obey them. U+0000 is one of them, which PostgreSQL cannot store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TextError {
    /// Nothing but white space.
    #[error("must not be empty")]
    Blank,
    /// Longer than allowed.
    #[error("must not be longer than {max} characters")]
    TooLong {
        /// The maximum number of characters.
        max: usize,
    },
    /// Contains a control character. A text of several lines may have tabs and line breaks.
    #[error("must not contain {}", named(*character))]
    Control {
        /// The first control character that is refused.
        character: char,
    },
    /// Contains a line break in a field of one line.
    #[error("must be one line, without line breaks")]
    LineBreak,
    /// Has only characters without a shape, such as U+200B.
    #[error("must have at least one visible character")]
    Invisible,
    /// Not an email address.
    #[error("must be an email address, such as ada@example.org")]
    Email,
    /// An email address with a letter or another character before the `@` that is not ASCII.
    #[error(
        "must be an email address with only the letters a to z, digits and signs such as . + - _ before the @"
    )]
    EmailUser,
    /// Not a web address.
    #[error("must be a web address that begins with http:// or https://, such as https://example.org")]
    WebAddress,
}

fn named(control: char) -> String {
    match control {
        '\t' => "a tab".to_owned(),
        control => format!("the control character U+{:04X}", u32::from(control)),
    }
}

/// The characters that begin a new line. U+0085, a further one, is a control character, and refused as such.
const LINE_BREAKS: [char; 4] = ['\n', '\r', '\u{2028}', '\u{2029}'];

/// Returns whether a text is empty or only white space. Such a text counts as null in a nullable field.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

/// Returns whether a reader sees the character. The invisible ones besides white space and controls are those with the property
/// `Default_Ignorable_Code_Point` of Unicode, the anchors of annotations, and the Braille pattern without dots.
fn is_visible(character: char) -> bool {
    let is_shapeless = matches!(
        character,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    );
    !(is_shapeless || character.is_whitespace() || character.is_control())
}

/// Checks a text of several lines.
fn check(text: &str, max: usize) -> Result<(), TextError> {
    if is_blank(text) {
        return Err(TextError::Blank);
    }
    let is_refused = |character: &char| character.is_control() && !matches!(character, '\t' | '\n' | '\r');
    if let Some(character) = text.chars().find(is_refused) {
        return Err(TextError::Control { character });
    }
    // A text has at most as many characters as bytes, so most texts need no count.
    if text.len() > max && text.chars().count() > max {
        return Err(TextError::TooLong { max });
    }
    if text.chars().any(is_visible) { Ok(()) } else { Err(TextError::Invisible) }
}

/// Checks a text of one line. It has no tab either.
pub(crate) fn check_line(text: &str, max: usize) -> Result<(), TextError> {
    check(text, max)?;
    match text.chars().find(|character| *character == '\t' || LINE_BREAKS.contains(character)) {
        Some(character @ '\t') => Err(TextError::Control { character }),
        Some(_) => Err(TextError::LineBreak),
        None => Ok(()),
    }
}

/// Checks the address of a web page. URL parsers repair many faulty addresses, such as `https:example.org`. Mails and pages
/// contain an address as it was given, so an address that needs a repair is refused.
fn check_web_address(text: &str, max: usize) -> Result<(), TextError> {
    check_line(text, max)?;
    let (scheme, rest) = text.split_once("://").unwrap_or_default();
    let has_scheme = ["http", "https"].iter().any(|name| scheme.eq_ignore_ascii_case(name));
    let needs_repair = rest.starts_with('/')
        || rest.contains(|c: char| c.is_whitespace() || matches!(c, '\\' | '"' | '<' | '>'));
    let is_address = has_scheme && !needs_repair && url::Url::parse(text).is_ok_and(|url| url.has_host());
    if is_address { Ok(()) } else { Err(TextError::WebAddress) }
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident: $max:literal, $normal:expr, $check:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The maximum length in characters.
            pub const MAX: usize = $max;

            /// Checks `text`.
            ///
            /// # Errors
            /// Fails if `text` has no visible character, is longer than [`MAX`](Self::MAX) characters, or contains a
            /// character that is not allowed.
            pub fn new(text: &str) -> Result<Self, TextError> {
                Ok(Self(Self::checked(text)?.to_owned()))
            }

            /// Checks `text` and returns the part that is stored.
            fn checked(text: &str) -> Result<&str, TextError> {
                let normal: fn(&str) -> &str = $normal;
                let text = normal(text);
                $check(text, Self::MAX)?;
                Ok(text)
            }

            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = TextError;

            fn from_str(text: &str) -> Result<Self, TextError> {
                Self::new(text)
            }
        }

        impl TryFrom<&str> for $name {
            type Error = TextError;

            fn try_from(text: &str) -> Result<Self, TextError> {
                Self::new(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = TextError;

            fn try_from(text: String) -> Result<Self, TextError> {
                let stored_length = Self::checked(&text)?.len();
                if stored_length == text.len() { Ok(Self(text)) } else { Self::new(&text) }
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

texts! {
    /// The title of an event or a shift: 1 to 255 characters on one line, trimmed.
    Title: 255, str::trim, check_line;
    /// The description of an event: 1 to 65,535 characters, stored as given. Never rendered as Markdown.
    Description: 65_535, |text| text, check;
    /// What volunteers of an event get to know once they have a place, such as a door code: 1 to 5,000 characters, stored as given.
    Instructions: 5_000, |text| text, check;
    /// The location of an event: a street address or, for a virtual event, a URL; 1 to 2,048 characters on one line, stored
    /// as given.
    EventLocation: 2_048, |text| text, check_line;
    /// The location of a shift: 1 to 255 characters on one line, stored as given.
    ShiftLocation: 255, |text| text, check_line;
    /// What a volunteer does on a shift, brings and must be able to do: 1 to 2,000 characters, stored as given.
    ShiftDescription: 2_000, |text| text, check;
    /// The text of a badge on the public page: 1 to 255 characters on one line, trimmed.
    BadgeLabel: 255, str::trim, check_line;
    /// What a webhook is for: 1 to 255 characters, stored as given.
    WebhookDescription: 255, |text| text, check;
    /// Why the organizer cancelled an event: 1 to 1,000 characters, stored as given.
    CancellationReason: 1_000, |text| text, check;
    /// The subject of a message to volunteers: 1 to 150 characters on one line, trimmed. Safe in the header of a mail.
    MessageSubject: 150, str::trim, check_line;
    /// The text of a message to volunteers: 1 to 5,000 characters, stored as given.
    MessageText: 5_000, |text| text, check;
    /// The name of an organization, a token, or a sport: 1 to 255 characters on one line, trimmed.
    Name: 255, str::trim, check_line;
    /// The name of a volunteer: 1 to 255 characters on one line, trimmed. Safe in the header of a mail.
    PersonName: 255, str::trim, check_line;
    /// The text of a question or of an option: 1 to 255 characters on one line, trimmed.
    Label: 255, str::trim, check_line;
    /// The address of a web page: `http` or `https`, with a host; 1 to 2,048 characters, trimmed.
    WebAddress: 2_048, str::trim, check_web_address;
    /// A volunteer's answer: 1 to 2,048 characters, trimmed.
    AnswerText: 2_048, str::trim, check;
    /// A part of a name or of an address to search for: 1 to 255 characters on one line, trimmed.
    SearchText: 255, str::trim, check_line;
}

impl PersonName {
    /// Returns the text by which people with one address are told apart: the name with compatible characters unified (NFKC), with
    /// its case folded, trimmed, and with single spaces.
    ///
    /// A key is at most as long as the longest name, so that an index can hold it. A longer one is replaced by its digest.
    ///
    /// ```
    /// use signup_core::PersonName;
    ///
    /// let key = |name: &str| PersonName::new(name).map(|name| name.key());
    /// assert_eq!(key("Ada  LOVELACE"), key("ａｄａ Lovelace"));
    /// assert_ne!(key("Ada Lovelace"), key("Ada L."));
    /// ```
    pub fn key(&self) -> String {
        const MAX_BYTES: usize = 4 * PersonName::MAX;
        let compatible: String = self.0.nfkc().collect();
        let folded = UniCase::unicode(compatible).to_folded_case();
        // Folding can leave letters decomposed.
        let key: String = folded.nfkc().collect();
        let key = key.split_whitespace().collect::<Vec<_>>().join(" ");
        if key.len() > MAX_BYTES { Digest::of(&key).to_string() } else { key }
    }

    /// Returns the text by which volunteers are sorted, the same for names with the same [key](Self::key): the beginning of the
    /// sort key in the root collation of Unicode, in hexadecimal digits.
    pub fn sort_key(&self) -> String {
        const MAX_BYTES: usize = 48;
        name_order(&self.key()).iter().take(MAX_BYTES).map(|byte| format!("{byte:02x}")).collect()
    }
}

impl SearchText {
    /// Returns the text as it is looked for in a [`search_key`](crate::Signup::search_key): without regard to case and accents, and
    /// an address with characters beyond ASCII as it reads. The beginning of an address can itself be an address, so its ASCII form
    /// would not be found in that of the whole address. A text of nothing but accents stays as it is.
    pub fn key(&self) -> String {
        let address = if self.0.is_ascii() { None } else { EmailAddress::new(&self.0).ok() };
        let text = address.map_or_else(|| self.0.clone(), |address| address.readable_key());
        let form = search_form(&text);
        if form.is_empty() { text } else { form }
    }
}

impl SearchText {
    /// Returns whether each word of the text begins a word of another text, such as a name, without regard to case and accents.
    /// Whatever is no letter and no digit separates words.
    ///
    /// ```
    /// use signup_core::SearchText;
    ///
    /// assert!(SearchText::new("brien an")?.begins_words_of("Anna-Lena O’Brien"));
    /// assert!(!SearchText::new("ena")?.begins_words_of("Anna-Lena O’Brien"));
    /// # Ok::<_, signup_core::TextError>(())
    /// ```
    pub fn begins_words_of(&self, other: &str) -> bool {
        let others = words(&search_form(other));
        self.words().iter().all(|word| others.iter().any(|other| other.starts_with(word)))
    }

    /// Returns the words of the text, in the form in which they are looked for.
    pub fn words(&self) -> Vec<String> {
        words(&search_form(&self.0))
    }

    /// Returns what a [`search_key`](crate::Signup::search_key) contains if each word of the text begins a word of the name or of
    /// the address.
    pub fn line_beginnings(&self) -> Vec<String> {
        self.words().iter().map(|word| format!("\n{word}")).collect()
    }
}

/// Returns the words of a text. Whatever is no letter and no digit separates words.
pub(crate) fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && canonical_combining_class(c) == 0);
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Returns a text in the form in which it is searched: in lower case, without accents, and with the strokes and ligatures of Latin
/// letters resolved. So `Łukasz Ångström` is found by `lukasz angstrom`. Each character is changed by itself, so that a part of a
/// text is also a part of the result. Marks of other scripts than Latin, Greek, Cyrillic, Hebrew and Arabic stay: many of them are
/// vowels.
///
/// A KELVIN SIGN, whose lower case is an ASCII `k`, becomes the only `K` of the result: in an address it is no `k`.
pub(crate) fn search_form(text: &str) -> String {
    /// Returns whether a character is an accent, or a point of the Hebrew or the Arabic script.
    fn is_accent(c: char) -> bool {
        matches!(canonical_combining_class(c), 10..=36 | 200..)
    }
    let mut form = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\u{212A}' {
            form.push(c);
            continue;
        }
        for c in c.to_lowercase().nfd().filter(|c| !is_accent(*c)) {
            match c {
                'ς' => form.push('σ'),
                'ß'..='\u{17F}' if c.is_alphabetic() => form.push_str(deunicode_char(c).unwrap_or_default()),
                c => form.push(c),
            }
        }
    }
    form.nfc().collect()
}

/// Returns a key by which names are sorted: in the root collation of Unicode (CLDR), in which `Ángel` stands beside `Anna`.
pub(crate) fn name_order(name: &str) -> Vec<u8> {
    static COLLATOR: LazyLock<Option<CollatorBorrowed<'static>>> = LazyLock::new(|| {
        CollatorBorrowed::try_new(CollatorPreferences::default(), CollatorOptions::default()).ok()
    });
    // The data of the root collation is a part of the program, so there always is a collator.
    COLLATOR.as_ref().map_or_else(
        || name.as_bytes().to_vec(),
        |collator| {
            let mut key = Vec::new();
            let Ok(()) = collator.write_sort_key_to(name, &mut key);
            key
        },
    )
}

#[cfg(test)]
mod tests;
