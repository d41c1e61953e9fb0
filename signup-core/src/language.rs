//! The language that volunteers read.

use crate::text_form::names;

/// The language of the pages and mails for volunteers, and how they write dates and times.
///
/// ```
/// use signup_core::Language;
///
/// assert_eq!("de".parse(), Ok(Language::De));
/// let error = "nl".parse::<Language>().unwrap_err();
/// assert_eq!(error.to_string(), "must be one of en, en-US, de, fr, es");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Language {
    /// `en`: English, with a 24-hour clock.
    #[default]
    En,
    /// `en-US`: English, with a 12-hour clock and the month before the day.
    EnUs,
    /// `de`: German.
    De,
    /// `fr`: French.
    Fr,
    /// `es`: Spanish.
    Es,
}

names! {
    /// Every language.
    Language {
        En => "en",
        EnUs => "en-US",
        De => "de",
        Fr => "fr",
        Es => "es",
    }
}
