//! Forms that change a record which others may change at the same time.
//!
//! Such a form has each value twice: as it is typed, and as it was when the form was loaded, in a hidden field with the prefix
//! `was.`. So the library can keep what others changed in between, and the page can show both values of a field in conflict.

use jiff::civil::Date;
use signup_core::{Faults, LocalDateTime, Zone};

use super::form::CONFIRMED;
use super::{As, Form, words};
use crate::page::times;
use crate::texts::Texts;

/// The prefix of the hidden fields with the values that were read.
const WAS: &str = "was.";
/// What a ticked checkbox sends.
const TICKED: &str = "yes";

/// A value of each field of a record, by the name of the field.
pub(crate) type Values = Vec<(&'static str, String)>;

pub(crate) fn ticked(flag: bool) -> String {
    if flag { TICKED.to_owned() } else { String::new() }
}

pub(crate) fn text(value: Option<&(impl ToString + ?Sized)>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}

/// Returns whether the form sends the field: an unticked checkbox sends nothing.
fn is_sent(fields: &[(&str, As)], name: &str, value: &str) -> bool {
    !value.is_empty() || !fields.contains(&(name, As::Flag))
}

/// Returns the form that changes a record with these values.
pub(crate) fn loaded(fields: &[(&str, As)], values: Values) -> Form {
    let sent = values.into_iter().filter(|(name, value)| is_sent(fields, name, value));
    sent.fold(Form::default(), |form, (name, value)| {
        form.with(&format!("{WAS}{name}"), value.clone()).with(name, value)
    })
}

/// Returns a form on the present values of its record. The page also shows both values of each field in conflict. A field that the
/// person changed has the typed value, and every other field has the present value, also one that the page did not have. The form
/// is not confirmed yet.
pub(crate) fn reloaded(form: &Form, fields: &[(&str, As)], present: Values) -> Form {
    let is_value = |name: &str| name.starts_with(WAS) || present.iter().any(|(present, _)| *present == name);
    let others = form.fields().filter(|(name, _)| !is_value(name) && *name != CONFIRMED);
    let mut new = others.fold(Form::default(), |form, (name, value)| form.with(name, value));
    for (name, now) in present {
        let typed = form.value(name);
        let is_typed = form.is_ticked(name) || fields.contains(&(name, As::Flag));
        let is_kept = !is_typed || typed == form.value(format!("{WAS}{name}"));
        let value = if is_kept { now.clone() } else { typed.to_owned() };
        for (name, value, field) in [(format!("{WAS}{name}"), now, name), (name.to_owned(), value, name)] {
            if is_sent(fields, field, &value) {
                new = new.with(&name, value);
            }
        }
    }
    new
}

/// Replaces each value that differs from the `present` one only in its line breaks with the present one. The person did not change
/// such a value: a browser sends line breaks in its own form, and a text from the API can have another form.
pub(crate) fn as_stored(form: &Form, present: &Values) -> Form {
    let line_feeds = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
    form.fields().fold(Form::default(), |stored, (name, value)| {
        let field = name.strip_prefix(WAS).unwrap_or(name);
        let now = present.iter().find(|(found, now)| *found == field && line_feeds(now) == value);
        stored.with(name, now.map_or(value, |(_, now)| now))
    })
}

/// Returns the hidden fields with the values that were read.
pub(crate) fn read_fields(form: &Form) -> Vec<(&str, &str)> {
    form.fields().filter(|(name, _)| name.starts_with(WAS)).collect()
}

/// Checks the form of a record that exists. `with_read` adds the values that were read to the patch.
pub(crate) fn patch<P>(
    form: &Form,
    check: impl Fn(&Form) -> Result<P, Faults>,
    with_read: impl FnOnce(P, P) -> P,
) -> Result<P, Faults> {
    let patch = check(form)?;
    match as_read(form).map(|read| check(&read)) {
        Some(Ok(read)) => Ok(with_read(patch, read)),
        // Values that were read can only have faults if the person altered the page.
        Some(Err(_)) | None => Ok(patch),
    }
}

/// Returns the values that were read, as a form. `None` if the form has none.
fn as_read(form: &Form) -> Option<Form> {
    let read = read_fields(form);
    let fields = read.iter().filter_map(|(name, value)| Some((name.strip_prefix(WAS)?, *value)));
    (!read.is_empty()).then(|| fields.fold(Form::default(), |form, (name, value)| form.with(name, value)))
}

/// The present value of a field and the one that the person typed, in words.
#[derive(Debug)]
pub(crate) struct FieldValues {
    pub(crate) id: String,
    pub(crate) label: &'static str,
    pub(crate) now: String,
    pub(crate) typed: String,
}

/// Returns the present and the typed value of each field in `names`.
pub(crate) fn both_values(form: &Form, names: &[&'static str], present: &Values) -> Vec<FieldValues> {
    let language = value_of(present, "language").parse();
    let texts = Texts::of(language.unwrap_or_default());
    let values = |name: &&'static str| FieldValues {
        id: form.id(name),
        label: form.label(name),
        now: in_words(name, value_of(present, name), texts),
        typed: in_words(name, form.value(name), texts),
    };
    names.iter().map(values).collect()
}

/// Returns both values of each field in `names` that the form changes. A field that the person left as it was read keeps its
/// present value, so it is not listed. A form without the values that were read sets every field.
pub(crate) fn changes(form: &Form, names: &[&'static str], present: &Values) -> Vec<FieldValues> {
    let has_read = !read_fields(form).is_empty();
    let is_typed = |name: &&str| !has_read || form.value(name) != form.value(format!("{WAS}{name}"));
    let typed: Vec<_> = names.iter().copied().filter(is_typed).collect();
    let mut values = both_values(form, &typed, present);
    values.retain(|values| values.now != values.typed);
    values
}

fn value_of<'a>(values: &'a Values, name: &str) -> &'a str {
    values.iter().find(|(found, _)| *found == name).map_or("", |(_, value)| value)
}

/// Returns the value of a field in the words of the pages, with dates and times as the language of the event writes them. An empty
/// time of a shift is midnight.
fn in_words(name: &str, value: &str, texts: Texts) -> String {
    match name {
        "start_time" if value.is_empty() => "00:00".to_owned(),
        "end_time" if value.is_empty() => "24:00".to_owned(),
        "start_date" | "end_date" => {
            value.parse::<Date>().map_or_else(|_| or_empty(value), |date| times::day(date, texts))
        }
        "signups_open_at" | "signups_close_at" => {
            value.parse::<LocalDateTime>().map_or_else(|_| or_empty(value), |at| times::local(at, texts))
        }
        "timezone" => {
            value.parse::<Zone>().map_or_else(|_| or_empty(value), |zone| times::zone_in_words(&zone, texts))
        }
        "theme" => words::theme(value),
        "language" => words::language(value).to_owned(),
        "type" => words::QUESTION_KINDS
            .iter()
            .find(|(kind, ..)| *kind == value)
            .map_or_else(|| or_empty(value), |(_, words, _)| (*words).to_owned()),
        "is_virtual" | "is_published" | "reminders_enabled" | "waitlist_enabled" | "required"
        | "ends_next_day" => if value == TICKED { "Ticked" } else { "Not ticked" }.to_owned(),
        _ => or_empty(value),
    }
}

fn or_empty(value: &str) -> String {
    if value.is_empty() { "Empty".to_owned() } else { value.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &[(&str, As)] = &[("title", As::Text), ("badge_label", As::Text), ("is_virtual", As::Flag)];

    #[test]
    fn a_reloaded_form_keeps_what_was_changed_and_shows_what_others_changed() {
        let values = |title: &str, badge: &str, flag: bool| {
            vec![("title", title.to_owned()), ("badge_label", badge.to_owned()), ("is_virtual", ticked(flag))]
        };
        let mut form = loaded(FIELDS, values("A", "", true));
        assert!(form.is_ticked("is_virtual") && form.is_ticked("was.badge_label"));
        form.remove("title");
        let form = reloaded(&form.with("title", "B"), FIELDS, values("C", "New", false));
        let shown = |name: &str| form.value(name).to_owned();
        assert_eq!([shown("title"), shown("was.title")], ["B", "C"]);
        assert_eq!([shown("badge_label"), shown("was.badge_label")], ["New", "New"]);
        assert!(!form.is_ticked("is_virtual") && !form.is_ticked("was.is_virtual"));
        let mut without_badge = loaded(FIELDS, values("A", "Old", true));
        without_badge.remove("badge_label");
        let form = reloaded(&without_badge, FIELDS, values("A", "New", true));
        assert_eq!(form.value("badge_label"), "New", "the page did not have the field");
    }

    #[test]
    fn the_changes_of_a_form_are_the_fields_that_the_person_changed_in_words() {
        const NAMES: &[&str] =
            &["start_date", "timezone", "start_time", "end_time", "location", "is_virtual", "title"];
        let values =
            |values: [&str; 7]| -> Values { NAMES.iter().copied().zip(values.map(str::to_owned)).collect() };
        let present = values(["2027-06-05", "America/New_York", "00:00", "", "Theirs", "", "A"]);
        let read = values(["2027-06-05", "America/New_York", "00:00", "", "Hall", "", "A"]);
        let typed = values(["2027-06-06", "UTC", "", "17:00", "Hall", "yes", ""]);
        let form = typed.into_iter().fold(Form::default(), |form, (name, value)| form.with(name, value));
        let form =
            read.into_iter().fold(form, |form, (name, value)| form.with(&format!("{WAS}{name}"), value));
        let changes = changes(&form, NAMES, &present);
        let shown: Vec<_> =
            changes.iter().map(|change| [change.id.as_str(), &change.now, &change.typed]).collect();
        assert_eq!(
            shown,
            [
                ["start_date", "Saturday 5 June 2027", "Sunday 6 June 2027"],
                ["timezone", "New York time", "UTC"],
                ["end_time", "24:00", "17:00"],
                ["is_virtual", "Not ticked", "Ticked"],
                ["title", "A", "Empty"],
            ]
        );

        let without_read = Form::default().with("location", "");
        let cleared = super::changes(&without_read, &["location"], &present).remove(0);
        assert_eq!((cleared.now.as_str(), cleared.typed.as_str()), ("Theirs", "Empty"));
    }

    #[test]
    fn a_value_whose_line_breaks_only_a_browser_has_changed_is_the_stored_one() {
        let present = vec![("description", "A\r\nB\rC".to_owned()), ("location", "Hall".to_owned())];
        let form =
            Form::parse(b"was.description=A%0D%0AB%0AC&description=A%0AB%0D%0AC&location=Pier&title=A");
        let stored = as_stored(&form, &present);
        for (name, value) in [
            ("was.description", "A\r\nB\rC"),
            ("description", "A\r\nB\rC"),
            ("location", "Pier"),
            ("title", "A"),
        ] {
            assert_eq!(stored.value(name), value, "{name}");
        }
    }
}
