//! The texts that volunteers read, in each language.
//!
//! They are in `templates/*.ftl`, in the syntax of [Fluent](https://projectfluent.org). The build script makes a method of
//! [`Texts`] from each text in `en.ftl`, with a parameter for each argument. A text whose id ends in `-html` has elements of HTML.
//! Its method returns [`Html`], and escapes the arguments.
//!
//! **Invariant:** an argument is never markup, unless it is [`Html`] itself.

mod html;
#[cfg(test)]
mod messages;

use std::borrow::Cow;
use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use signup_core::Language;

pub(crate) use html::Html;

const ENGLISH: &str = include_str!("../templates/en.ftl");
const AMERICAN: &str = include_str!("../templates/en-US.ftl");
const GERMAN: &str = include_str!("../templates/de.ftl");
const FRENCH: &str = include_str!("../templates/fr.ftl");
const SPANISH: &str = include_str!("../templates/es.ftl");

/// The files of each language. A text of a later file replaces the one of an earlier file.
const FILES: [(Language, &[&str]); 5] = [
    (Language::En, &[ENGLISH]),
    (Language::EnUs, &[ENGLISH, AMERICAN]),
    (Language::De, &[GERMAN]),
    (Language::Fr, &[FRENCH]),
    (Language::Es, &[SPANISH]),
];

static BUNDLES: LazyLock<[FluentBundle<FluentResource>; FILES.len()]> = LazyLock::new(|| FILES.map(bundle));

fn bundle((language, files): (Language, &[&str])) -> FluentBundle<FluentResource> {
    // Cannot fail: the name of a language is a language tag.
    let locale = language.name().parse().unwrap_or_default();
    let mut bundle = FluentBundle::new_concurrent(vec![locale]);
    // An argument is not put between marks of its direction. Such marks would be in the subjects of mails, too.
    bundle.set_use_isolating(false);
    if language == Language::EnUs {
        bundle.set_transform(Some(american));
    }
    for file in files {
        // No file has errors: see the tests.
        let resource = FluentResource::try_new((*file).to_owned()).unwrap_or_else(|(resource, _)| resource);
        bundle.add_resource_overriding(resource);
    }
    bundle
}

/// Returns a text in American spelling.
fn american(text: &str) -> Cow<'_, str> {
    text.replace("ancelled", "anceled").into()
}

/// The texts in one language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Texts(Language);

include!(concat!(env!("OUT_DIR"), "/texts.rs"));

impl Texts {
    /// The texts of the console, and of pages that belong to no event.
    pub(crate) const ENGLISH: Self = Self(Language::En);

    pub(crate) const fn of(language: Language) -> Self {
        Self(language)
    }

    pub(crate) const fn language(self) -> Language {
        self.0
    }

    /// Joins texts as a sentence does: `Ada`, `Ada and Ben`, `Ada, Ben and Cy`.
    pub(crate) fn joined(self, texts: Vec<String>) -> String {
        let last = texts.last().cloned().unwrap_or_default();
        self.joined_before(texts, &last)
    }

    /// Joins texts whose last one is read as `sound`.
    fn joined_before(self, mut texts: Vec<String>, sound: &str) -> String {
        match texts.pop() {
            Some(last) if !texts.is_empty() => {
                let before = texts.join(", ");
                if begins_with_i(sound) { self.and_before_i(before, last) } else { self.and(before, last) }
            }
            last => last.unwrap_or_default(),
        }
    }

    /// Joins names that people typed, and words for further people, as a sentence does.
    pub(crate) fn joined_names(self, names: &[String], others: Option<String>) -> Html {
        let last = others.as_ref().or(names.last()).cloned().unwrap_or_default();
        // The words have no markup.
        let names = names.iter().map(|name| Html::typed(name).to_string());
        Html::of_escaped(self.joined_before(names.chain(others).collect(), &last))
    }

    fn text(self, id: &str, arguments: &[(&'static str, &dyn Argument)]) -> String {
        self.format(id, &arguments.iter().map(|(name, argument)| (*name, argument.value())).collect())
    }

    fn html(self, id: &str, arguments: &[(&'static str, &dyn Argument)]) -> Html {
        let arguments = arguments.iter().map(|(name, argument)| (*name, argument.html()));
        Html::of_escaped(self.format(id, &arguments.collect()))
    }

    fn format(self, id: &str, arguments: &FluentArgs<'_>) -> String {
        let at = FILES.iter().position(|(language, _)| *language == self.0).unwrap_or_default();
        let bundle = &BUNDLES[at];
        let mut errors = vec![];
        let pattern = bundle.get_message(id).and_then(|message| message.value());
        let text = pattern.map(|pattern| bundle.format_pattern(pattern, Some(arguments), &mut errors));
        match text {
            Some(text) if errors.is_empty() => text.into_owned(),
            // Cannot happen: see the tests.
            text => {
                tracing::error!(id, language = self.0.name(), ?errors, "a text is missing or has faults");
                text.map_or_else(|| id.to_owned(), Cow::into_owned)
            }
        }
    }
}

/// Returns whether the text begins with the sound of an `i`, before which the Spanish `y` becomes `e`.
fn begins_with_i(text: &str) -> bool {
    let text = text.to_lowercase();
    let text = text.strip_prefix('h').filter(|rest| !rest.starts_with("ie")).unwrap_or(&text);
    text.starts_with(['i', 'í'])
}

/// Returns the text with its first letter in upper case, as at the beginning of a line.
pub(crate) fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// An argument of a text.
pub(crate) trait Argument {
    fn value(&self) -> FluentValue<'_>;

    /// Returns the value for a text with elements of HTML.
    fn html(&self) -> FluentValue<'_> {
        match self.value() {
            FluentValue::String(text) => html::escaped(&text).into(),
            value => value,
        }
    }
}

impl Argument for str {
    fn value(&self) -> FluentValue<'_> {
        self.into()
    }
}

impl Argument for String {
    fn value(&self) -> FluentValue<'_> {
        self.as_str().into()
    }
}

impl Argument for Html {
    fn value(&self) -> FluentValue<'_> {
        self.as_str().into()
    }

    fn html(&self) -> FluentValue<'_> {
        self.value()
    }
}

impl<T: Argument + ?Sized> Argument for &T {
    fn value(&self) -> FluentValue<'_> {
        (**self).value()
    }

    fn html(&self) -> FluentValue<'_> {
        (**self).html()
    }
}

macro_rules! number_arguments {
    ($($number:ty),+) => {$(
        impl Argument for $number {
            fn value(&self) -> FluentValue<'_> {
                self.into()
            }
        }
    )+};
}

number_arguments!(i8, i16, u32, u64, usize);

#[cfg(test)]
mod tests;
