//! A form of the console: the values that were typed, and the faults of these values.
//!
//! A field has the name of the member that it becomes, such as `shifts.0.title`. [`Form::json`] makes the JSON of the API from
//! the fields, so a form is checked as the body of a request to the API is checked, and the faults have the fields' names.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value};
use signup_core::{Digest, Error, Faults, IdempotencyKey, Input, PendingWrite, Reply, Timestamp, new_uuid};

use super::{DoneBefore, words};
use crate::wire::field_name;

/// The maximum number of fields that are read from a form.
const MAX_FIELDS: usize = 2_000;
/// The name of the hidden field with the idempotency key of a form that creates something.
const KEY: &str = "idempotency_key";
/// The parameter of a page with the idempotency key of its form.
const KEY_OF_PAGE: &str = "key";
/// The name of the field that says which of several forms of a page was sent.
pub(crate) const ACTION: &str = "action";
/// The name of the hidden field that marks a form as confirmed, by a page that said what will happen.
pub(crate) const CONFIRMED: &str = "confirmed";
/// The action of the button that leads from a page that asks back to the form.
pub(crate) const CHANGE: &str = "change";

/// The values of a form by the name of the field, in the order of the form, and what is wrong with these values.
#[derive(Clone, Default)]
pub(crate) struct Form {
    values: Vec<(String, String)>,
    /// The sentences about faults, each after the name of its field.
    mistakes: Vec<(String, String)>,
    /// What the same form has done before, when it had other values.
    pub(crate) done_before: Option<DoneBefore>,
}

impl fmt::Debug for Form {
    /// Leaves out the values, which can be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Form(…)")
    }
}

/// How the text of a field becomes a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum As {
    /// A string. A field that the form lacks is omitted.
    Text,
    /// A number. Other text stays a string, which the check refuses.
    Number,
    /// A checkbox: `true` if the form has the field, and else `false`.
    Flag,
    /// A list with each value of the field, such as those of several checkboxes with one name.
    List,
    /// A list with each line of the text that is not blank.
    Lines,
}

impl Form {
    /// Creates the form of a page for a new record. The form has the idempotency key in the `query` of the page, so a form that is
    /// sent twice creates one record, also after a browser has gone back and fetched the page again.
    ///
    /// # Errors
    /// Returns the query with a new key if `query` has none. The page is at the URL with this query.
    pub(crate) fn of_page(query: &str, now: Timestamp) -> Result<Self, String> {
        let parameters = Self::parse(query.as_bytes());
        let key = parameters.value(KEY_OF_PAGE);
        if key.parse::<IdempotencyKey>().is_ok() {
            return Ok(Self::default().with(KEY, key));
        }
        let others = parameters.fields().filter(|(name, _)| *name != KEY_OF_PAGE);
        let mut query = form_urlencoded::Serializer::new(String::new());
        Err(query.extend_pairs(others).append_pair(KEY_OF_PAGE, &new_uuid(now).to_string()).finish())
    }

    /// Creates a form without values and with a new idempotency key, for a page on which the same action is carried out again and
    /// again: a browser that goes back fetches the page, and gets another key.
    pub(crate) fn new(now: Timestamp) -> Self {
        Self::default().with(KEY, new_uuid(now).to_string())
    }

    /// Creates a form without values for the page that answers this form. Its idempotency key follows from this form, so a browser
    /// that sends this form again gets the same page, and what is sent from that page is done once.
    pub(crate) fn next(&self) -> Self {
        Self::default().with(KEY, Digest::of(&format!("{} {}", self.value(KEY), self.digest())).to_string())
    }

    /// Parses the body of a form.
    pub(crate) fn parse(body: &[u8]) -> Self {
        let fields = form_urlencoded::parse(body).take(MAX_FIELDS);
        let values = fields.map(|(name, value)| (name.into_owned(), with_line_feeds(value)));
        Self { values: values.collect(), ..Self::default() }
    }

    /// Adds a value.
    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.values.push((name.to_owned(), value.into()));
        self
    }

    /// Removes each value of a field.
    pub(crate) fn remove(&mut self, name: &str) {
        self.values.retain(|(found, _)| found != name);
    }

    /// Adds the faults of the values. The page shows each beside its field.
    #[must_use]
    pub(crate) fn refused(mut self, faults: &Faults) -> Self {
        for fault in faults {
            let name = field_name(&fault.path);
            let sentence = words::mistake(&name, fault);
            // A fault of an element, such as an option, belongs to the field of the whole list.
            let field = match name.rsplit_once('.') {
                Some((list, index)) if index.parse::<usize>().is_ok() => list,
                _ => &name,
            };
            self = self.mistaken(field, sentence);
        }
        self
    }

    /// Adds a sentence about the value of a field. A field has one sentence: the first.
    #[must_use]
    pub(crate) fn mistaken(mut self, name: &str, sentence: impl Into<String>) -> Self {
        if self.mistake(name).is_none() {
            self.mistakes.push((name.to_owned(), sentence.into()));
        }
        self
    }

    /// Returns the last value of a field, or the empty text if the form has no such field.
    pub(crate) fn value(&self, name: impl AsRef<str>) -> &str {
        let mut values = self.values.iter().rev();
        values.find(|(found, _)| found == name.as_ref()).map_or("", |(_, value)| value)
    }

    /// Returns every value of a field.
    pub(crate) fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.values.iter().filter(move |(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// Returns whether a field has this value.
    pub(crate) fn has(&self, name: impl AsRef<str>, value: impl AsRef<str>) -> bool {
        self.values.iter().any(|(found, present)| found == name.as_ref() && present == value.as_ref())
    }

    /// Returns whether a checkbox is ticked: the form has the field.
    pub(crate) fn is_ticked(&self, name: impl AsRef<str>) -> bool {
        self.values.iter().any(|(found, _)| found == name.as_ref())
    }

    /// Returns whether the form comes from a page that said what will happen.
    pub(crate) fn is_confirmed(&self) -> bool {
        self.is_ticked(CONFIRMED)
    }

    /// Returns whether the form comes from a page that asked first, to be changed.
    pub(crate) fn is_to_change(&self) -> bool {
        self.action() == CHANGE
    }

    /// Returns the name of the form that was sent, if its page has several forms.
    pub(crate) fn action(&self) -> &str {
        self.value(ACTION)
    }

    /// Returns every field, for a page that asks first and sends the form again.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Returns the numbers of the rows of a list, such as `shifts`, in their order.
    pub(crate) fn rows(&self, list: &str) -> Vec<usize> {
        let mut rows: Vec<usize> = self.values.iter().filter_map(|(name, _)| row_of(list, name)).collect();
        rows.sort_unstable();
        rows.dedup();
        rows
    }

    /// Returns the numbers of the rows of a list in which one of the members has text, in their order.
    pub(crate) fn rows_with_text(&self, list: &str, members: &[&str]) -> BTreeSet<usize> {
        let rows = self.values.iter().filter(|(_, value)| !value.trim().is_empty());
        let is_member = |name: &str| name.rsplit('.').next().is_some_and(|member| members.contains(&member));
        rows.filter(|(name, _)| is_member(name)).filter_map(|(name, _)| row_of(list, name)).collect()
    }

    /// Runs a write with the idempotency key of the form, and with the digest of what was typed.
    pub(crate) async fn write<T>(&self, write: PendingWrite<'_, T>) -> Result<Reply<T>, Error> {
        let write = write.with_input(self.digest());
        match self.value(KEY).parse() {
            Ok(key) => write.with_key(key).reply().await,
            Err(_) => write.reply().await,
        }
    }

    /// Returns the digest of what was typed. Pages that ask and buttons add fields of their own, which are left out.
    fn digest(&self) -> Digest {
        let typed = self.fields().filter(|(name, _)| ![KEY, CONFIRMED, ACTION].contains(name));
        Digest::of(&form_urlencoded::Serializer::new(String::new()).extend_pairs(typed).finish())
    }

    /// Returns the form for a page that says what the same form has done before. Its key is that of the [next](Self::next) form, so
    /// the person can send the present values as a form of their own.
    #[must_use]
    pub(crate) fn done_before(mut self, before: DoneBefore) -> Self {
        let next = self.next();
        self.remove(KEY);
        Self { done_before: Some(before), ..self.with(KEY, next.value(KEY)) }
    }

    /// Reads an input from the named fields as [`json`](Self::json) makes it.
    ///
    /// # Errors
    /// Returns the faults of `read`.
    pub(crate) fn checked<V>(
        &self,
        fields: &[(impl AsRef<str>, As)],
        read: impl FnOnce(Input<'_>) -> Result<V, Faults>,
    ) -> Result<V, Faults> {
        Input::from_json(&self.json(fields)).and_then(read)
    }

    /// Makes the JSON of an input from the named fields. Other fields are ignored.
    ///
    /// `*` in a name stands for the number of a row: `shifts.*.title`. Rows keep their order. A list without any row is
    /// omitted. Row 3 is the third element only if the form also has rows 0 to 2.
    fn json(&self, fields: &[(impl AsRef<str>, As)]) -> Vec<u8> {
        let mut object = Map::new();
        for (name, kind) in fields {
            let name = name.as_ref();
            match name.split_once(".*.") {
                None => object.extend(self.json_value(name, *kind).map(|value| (name.to_owned(), value))),
                Some((list, member)) => {
                    let rows = self.rows(list);
                    if rows.is_empty() {
                        continue;
                    }
                    let elements = object.entry(list).or_insert_with(|| Value::Array(Vec::new()));
                    let Value::Array(elements) = elements else { continue };
                    elements.resize_with(rows.len(), || Value::Object(Map::new()));
                    for (element, row) in elements.iter_mut().zip(rows) {
                        if let Some(value) = self.json_value(&format!("{list}.{row}.{member}"), *kind) {
                            element[member] = value;
                        }
                    }
                }
            }
        }
        Value::Object(object).to_string().into_bytes()
    }

    fn json_value(&self, name: &str, kind: As) -> Option<Value> {
        let texts = |texts: Vec<&str>| Value::Array(texts.into_iter().map(Value::from).collect());
        match kind {
            As::Flag => return Some(self.is_ticked(name).into()),
            As::List => return Some(texts(self.values(name).collect())),
            _ if !self.is_ticked(name) => return None,
            _ => {}
        }
        let text = self.value(name);
        Some(match kind {
            As::Number => match text.trim().parse::<f64>() {
                Ok(number) if number.is_finite() => number.into(),
                _ => text.into(),
            },
            As::Lines => texts(text.lines().filter(|line| !line.trim().is_empty()).collect()),
            _ => text.into(),
        })
    }

    /// Returns the id of a field's element.
    pub(crate) fn id(&self, name: impl AsRef<str>) -> String {
        name.as_ref().replace(['.', ':'], "-")
    }

    /// Returns the label of a field.
    pub(crate) fn label(&self, name: impl AsRef<str>) -> &'static str {
        words::label(name.as_ref())
    }

    /// Returns the number of the shift whose line has the field, from 1. `None` for a field outside the lines of shifts.
    pub(crate) fn line(&self, name: impl AsRef<str>) -> Option<usize> {
        row_of("shifts", name.as_ref()).map(|row| row + 1)
    }

    /// Returns what is wrong with the value of a field, and what to do.
    pub(crate) fn mistake(&self, name: impl AsRef<str>) -> Option<&str> {
        let mut mistakes = self.mistakes.iter();
        mistakes.find(|(found, _)| found == name.as_ref()).map(|(_, sentence)| sentence.as_str())
    }

    /// Returns each sentence about a fault, after the id of the element of its field. The sentence about a field of a row names the
    /// row.
    pub(crate) fn mistakes(&self) -> impl Iterator<Item = (String, String)> {
        self.mistakes.iter().map(|(name, sentence)| match row_of("shifts", name) {
            Some(row) => (self.id(name), format!("Shift {}: {sentence}", row + 1)),
            None => (self.id(name), sentence.clone()),
        })
    }

    /// Returns whether a value has a fault.
    pub(crate) const fn is_refused(&self) -> bool {
        !self.mistakes.is_empty()
    }
}

/// Returns the number of the row of a list that a field belongs to, from 0. `None` for another field, and for a number that no form
/// can have.
fn row_of(list: &str, name: &str) -> Option<usize> {
    let (index, _) = name.strip_prefix(list)?.strip_prefix('.')?.split_once('.')?;
    index.parse().ok().filter(|row| *row < MAX_FIELDS)
}

/// Returns a text with line feeds. A browser sends each line break of a form as a carriage return and a line feed.
fn with_line_feeds(text: Cow<'_, str>) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n") } else { text.into_owned() }
}

#[cfg(test)]
mod tests {
    use signup_core::{NewEvent, PlanTable};

    use super::*;

    const EVENT: &[(&str, As)] = &[
        ("title", As::Text),
        ("is_virtual", As::Flag),
        ("start_date", As::Text),
        ("timezone", As::Text),
        ("shifts.*.title", As::Text),
        ("shifts.*.capacity", As::Number),
    ];

    fn json(body: &str, fields: &[(&str, As)]) -> String {
        String::from_utf8(Form::parse(body.as_bytes()).json(fields)).unwrap()
    }

    #[test]
    fn fields_become_the_json_of_the_api() {
        let body = "title=Food+drive&is_virtual=yes&shifts.1.title=B&shifts.1.capacity=two&shifts.0.title=A\
                    &shifts.0.capacity=5&action=create";
        let expected = r#"{"is_virtual":true,"shifts":[{"capacity":5.0,"title":"A"},{"capacity":"two","title":"B"}],"title":"Food drive"}"#;
        let (text, expected): (Value, Value) =
            (serde_json::from_str(&json(body, EVENT)).unwrap(), serde_json::from_str(expected).unwrap());
        assert_eq!(text, expected);
    }

    #[test]
    fn a_list_has_each_ticked_value_or_each_line() {
        assert_eq!(json("s=a&s=b", &[("s", As::List)]), r#"{"s":["a","b"]}"#);
        assert_eq!(json("", &[("s", As::List)]), r#"{"s":[]}"#);
        assert_eq!(json("s=a%0D%0A%0D%0A+b", &[("s", As::Lines)]), r#"{"s":["a"," b"]}"#);
    }

    /// The number of the next row would overflow.
    #[test]
    fn a_row_with_a_number_that_no_form_can_have_is_left_out() {
        let form = Form::parse(format!("shifts.{}.title=A&shifts.1.title=B", usize::MAX).as_bytes());
        assert_eq!(form.rows("shifts"), [1]);
    }

    #[test]
    fn a_fault_stands_beside_the_field_that_it_is_about() {
        let form =
            Form::parse(b"title=&start_date=2027-06-05&timezone=UTC&shifts.0.title=A&shifts.0.capacity=-1");
        let limits = PlanTable::default().free;
        let faults = form.checked(EVENT, |input| NewEvent::from_input(input, limits)).unwrap_err();
        let form = form.refused(&faults);
        assert_eq!(form.mistake("title"), Some("Enter a title"));
        assert!(form.mistake("shifts.0.capacity").is_some());
        assert_eq!(form.mistake("start_date"), None);
        let (ids, sentences): (Vec<_>, Vec<_>) = form.mistakes().unzip();
        assert_eq!(ids, ["title", "shifts-0-capacity"]);
        assert_eq!(sentences[0], "Enter a title");
        assert!(sentences[1].starts_with("Shift 1: Number of volunteers"), "{sentences:?}");
    }

    #[test]
    fn the_digest_of_a_form_is_that_of_what_was_typed() {
        let digest = |body: &str| Form::parse(body.as_bytes()).digest();
        let typed = digest("idempotency_key=a&title=A&shifts.0.title=B");
        assert_eq!(digest("idempotency_key=b&title=A&shifts.0.title=B&confirmed=yes&action=create"), typed);
        for other in ["title=A&shifts.0.title=C", "title=A", "title=A%26shifts.0.title%3DB"] {
            assert_ne!(digest(other), typed, "{other}");
        }
    }

    #[test]
    fn the_form_of_a_page_has_the_key_of_its_query() {
        let now = Timestamp::UNIX_EPOCH;
        let query = Form::of_page("slot_id=a%26b&key=", now).unwrap_err();
        assert!(query.starts_with("slot_id=a%26b&key="), "{query}");
        let form = Form::of_page(&query, now).unwrap();
        assert_eq!(query, format!("slot_id=a%26b&key={}", form.value(KEY)));
    }

    #[test]
    fn the_key_of_the_next_form_follows_from_the_key_and_what_was_typed() {
        let next = |body: &str| Form::parse(body.as_bytes()).next().value(KEY).to_owned();
        let key = next("idempotency_key=a&title=A");
        assert_eq!(next("idempotency_key=a&title=A&confirmed=yes"), key);
        assert!(key.parse::<IdempotencyKey>().is_ok() && key != "a");
        for other in ["idempotency_key=b&title=A", "idempotency_key=a&title=B"] {
            assert_ne!(next(other), key, "{other}");
        }
    }

    #[test]
    fn a_new_form_has_a_key_of_its_own() {
        let now = Timestamp::UNIX_EPOCH;
        assert_ne!(Form::new(now).value(KEY), Form::new(now).value(KEY));
    }
}
