//! Entries: the shapes of the fields of a value as nested lists, for templates.
//!
//! In an answer, a field whose schema has a name and parts is a link to the record of that name. In a request, such a
//! field shows its parts, so that a request can be written without following links.

use askama::Template;
use pulldown_cmark::HeadingLevel;

use super::markdown;
use super::schema::Shape;
use super::words::{self, Fact};

/// The level of headings within the description of an entry.
const HEADING: HeadingLevel = HeadingLevel::H5;

/// A field, parameter, header or element, in words.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) label: Label,
    /// The type, such as "array of".
    pub(super) kind: String,
    /// The name of the record that has the fields.
    pub(super) record: Option<String>,
    pub(super) facts: Vec<Fact>,
    /// The description as HTML.
    pub(super) description: Option<String>,
    pub(super) children: Vec<Entry>,
}

impl Entry {
    fn nested(&self) -> EntryList<'_> {
        EntryList { entries: &self.children }
    }
}

/// What an entry is about.
#[derive(Debug)]
pub(super) enum Label {
    Name(String),
    /// All fields whose names match a pattern.
    Matching(String),
    Words(&'static str),
}

/// A list of entries as HTML. An entry with children contains a list.
#[derive(Debug, Template)]
#[template(path = "docs_entries.html")]
pub(super) struct EntryList<'e> {
    pub(super) entries: &'e [Entry],
}

/// Where the parts of nested named schemas are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nested {
    /// In place.
    Here,
    /// In the record of that name.
    Linked,
}

/// Names of records, each once, in the order in which they were first linked.
#[derive(Debug, Default)]
pub(super) struct Links<'a>(pub(super) Vec<&'a str>);

impl<'a> Links<'a> {
    pub(super) fn add(&mut self, name: &'a str) {
        if !self.0.contains(&name) {
            self.0.push(name);
        }
    }
}

/// Writes shapes as entries, and collects the names of the linked records.
#[derive(Debug)]
pub(super) struct EntryWriter<'a, 'l> {
    pub(super) nested: Nested,
    pub(super) links: &'l mut Links<'a>,
}

impl<'a> EntryWriter<'a, '_> {
    /// Returns the entry of a whole value. The value shows its parts in place.
    pub(super) fn whole(&mut self, label: Label, shape: &Shape<'a>) -> Entry {
        self.entry(label, shape, None, Vec::new())
    }

    /// Returns the entry of a parameter or header. The facts of the shape follow `facts`.
    pub(super) fn named(&mut self, name: &str, shape: &Shape<'a>, facts: Vec<Fact>) -> Entry {
        let record = self.record(shape);
        self.entry(Label::Name(name.to_owned()), shape, record, facts)
    }

    fn entry(
        &mut self,
        label: Label,
        shape: &Shape<'a>,
        record: Option<&'a str>,
        mut facts: Vec<Fact>,
    ) -> Entry {
        let mut kind = type_words(shape);
        if shape.is_nullable() && kind != "null" {
            facts.insert(0, Fact::new("nullable"));
        }
        facts.extend(shape.facts.iter().cloned());
        // An object is easier to read as an example of the whole body.
        if let Some(example) = shape.example.filter(|_| !shape.has_parts()) {
            facts.push(Fact::of("for example", [words::text(example)]));
        }
        let mut shown_record = record;
        let mut children = Vec::new();
        if record.is_none() {
            if shape.is_closed {
                facts.push(Fact::new("no other fields"));
            }
            children = self.fields(shape);
            if let Some(element) = &shape.element {
                let record = self.record(element);
                let is_plain = element.facts.is_empty()
                    && element.description.is_none()
                    && !element.has_parts()
                    && !element.is_nullable();
                if record.is_some() || is_plain {
                    kind = match (record, type_words(element).as_str()) {
                        (Some(_), "object") => format!("{kind} of"),
                        (_, types) => format!("{kind} of {types}"),
                    };
                    shown_record = record;
                } else {
                    children.push(self.entry(Label::Words("each element"), element, None, Vec::new()));
                }
            }
            for shapes in &shape.choices {
                for (at, shape) in shapes.iter().enumerate() {
                    let label = Label::Words(if at == 0 { "either" } else { "or" });
                    let record = self.record(shape);
                    children.push(self.entry(label, shape, record, Vec::new()));
                }
            }
        }
        Entry {
            label,
            kind,
            record: shown_record.map(str::to_owned),
            facts,
            description: shape.description.map(|text| markdown::render(text, HEADING)),
            children,
        }
    }

    fn fields(&mut self, shape: &Shape<'a>) -> Vec<Entry> {
        let any = Shape::default();
        let is_described = |name: &str| shape.fields.iter().any(|(found, _)| *found == name);
        let described = shape.fields.iter().map(|(name, field)| (*name, field));
        let others = shape.required.iter().filter(|name| !is_described(name)).map(|name| (*name, &any));
        let mut entries = Vec::new();
        for (name, field) in described.chain(others) {
            let is_required = shape.required.contains(&name);
            let requirement = Fact::new(if is_required { "required" } else { "optional" });
            entries.push(self.named(name, field, vec![requirement]));
        }
        for (pattern, field) in &shape.others {
            let label = match pattern {
                Some(pattern) => Label::Matching((*pattern).to_owned()),
                None => Label::Words("each other field"),
            };
            let record = self.record(field);
            entries.push(self.entry(label, field, record, Vec::new()));
        }
        entries
    }

    /// Returns the name of the record that shows the parts of a nested shape, and counts the record as linked. Returns
    /// `None` if the parts are shown in place.
    fn record(&mut self, shape: &Shape<'a>) -> Option<&'a str> {
        let is_linked = shape.is_cut || (self.nested == Nested::Linked && shape.has_parts());
        let name = shape.name.filter(|_| is_linked)?;
        self.links.add(name);
        Some(name)
    }
}

/// Returns the types of a value, without `null` if there are others.
fn type_words(shape: &Shape<'_>) -> String {
    let Some(types) = &shape.types else { return "any type".to_owned() };
    let words: Vec<_> = types.iter().copied().filter(|name| *name != "null").collect();
    match (words.as_slice(), types.as_slice()) {
        ([], []) => "no value".to_owned(),
        ([], _) => "null".to_owned(),
        (words, _) => words.join(" or "),
    }
}
