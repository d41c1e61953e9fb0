//! The whole description: operations grouped by tag, and the records and answers that they link to.

use std::collections::BTreeSet;

use pulldown_cmark::HeadingLevel;

use super::content::SharedAnswer;
use super::document::{Node, Result};
use super::entry::{Entry, EntryWriter, Label, Links, Nested};
use super::markdown;
use super::operation::{METHODS, Operation, OperationReader, authorization};
use super::schema::Shape;

/// The level of headings within the description of the API or of a tag.
const HEADING: HeadingLevel = HeadingLevel::H3;
/// The anchors of the page that do not depend on the description.
const ANCHORS: [&str; 5] = ["main", "contents", "access", "records", "answers"];

/// The API as its description says, ready for the templates.
#[derive(Debug)]
pub(super) struct Description<'a> {
    pub(super) title: &'a str,
    pub(super) version: &'a str,
    pub(super) summary: Option<&'a str>,
    /// The description as HTML.
    pub(super) description: Option<String>,
    pub(super) schemes: Vec<Scheme>,
    pub(super) groups: Vec<Group<'a>>,
    pub(super) records: Vec<Record<'a>>,
    pub(super) shared_answers: Vec<SharedAnswer<'a>>,
}

/// A way to prove who sends a request.
#[derive(Debug)]
pub(super) struct Scheme {
    /// The scheme of the header `Authorization`.
    pub(super) name: String,
    /// The description as HTML.
    pub(super) description: Option<String>,
}

/// The operations of a tag.
#[derive(Debug)]
pub(super) struct Group<'a> {
    pub(super) anchor: String,
    pub(super) name: &'a str,
    /// The description as HTML.
    pub(super) description: Option<String>,
    pub(super) operations: Vec<Operation<'a>>,
}

/// A named schema that fields link to.
#[derive(Debug)]
pub(super) struct Record<'a> {
    pub(super) name: &'a str,
    pub(super) entry: Entry,
}

impl<'a> Description<'a> {
    /// Reads a document of OpenAPI 3.1. Commands contain `base_url` instead of the server URL of the document.
    ///
    /// # Errors
    /// Fails if the document has another version, lacks a part, has a part of a wrong type, refers to a part that does
    /// not exist, or gives two parts the same anchor.
    pub(super) fn read(root: &Node<'a>, base_url: &'a str) -> Result<Self> {
        let version = root.require("openapi")?;
        if !version.text()?.starts_with("3.1.") {
            return Err(version.fault("only OpenAPI 3.1 is supported"));
        }
        let info = root.require("info")?;
        let mut reader = OperationReader {
            root: root.clone(),
            base_url,
            records: Links::default(),
            shared_answers: Links::default(),
        };
        let groups = groups(root, &mut reader)?;
        let OperationReader { mut records, shared_answers, .. } = reader;
        let components =
            |folder: &str, name: &str| root.require("components")?.require(folder)?.require(name);
        let shared_answers: Result<Vec<_>> = shared_answers
            .0
            .into_iter()
            .map(|name| SharedAnswer::read(name, &components("responses", name)?, &mut records))
            .collect();
        let shared_answers = shared_answers?;
        let records = read_records(records, |name| components("schemas", name))?;
        let description = Self {
            title: info.require("title")?.text()?,
            version: info.require("version")?.text()?,
            summary: info.find_text("summary")?,
            description: render(&info)?,
            schemes: schemes(root)?,
            groups,
            records,
            shared_answers,
        };
        description.check_anchors(root)?;
        Ok(description)
    }

    fn check_anchors(&self, root: &Node<'a>) -> Result<()> {
        let groups = self.groups.iter().map(|group| group.anchor.clone());
        let operations = self.groups.iter().flat_map(|group| &group.operations);
        let operations = operations.map(|operation| operation.id.to_owned());
        let records = self.records.iter().map(|record| format!("record-{}", record.name));
        let answers = self.shared_answers.iter().map(|answer| format!("answer-{}", answer.name));
        let mut taken: BTreeSet<String> = ANCHORS.into_iter().map(str::to_owned).collect();
        for anchor in groups.chain(operations).chain(records).chain(answers) {
            if taken.contains(&anchor) {
                return Err(root.fault(format!("two parts have the anchor `{anchor}`")));
            }
            taken.insert(anchor);
        }
        Ok(())
    }
}

/// Reads all operations. The groups are in the order of the declared tags. Further tags follow in the order of their
/// operations. An operation with several tags belongs to the first.
fn groups<'a>(root: &Node<'a>, reader: &mut OperationReader<'a>) -> Result<Vec<Group<'a>>> {
    let mut groups = Vec::new();
    for tag in root.find_elements("tags")? {
        groups.push(Group { description: render(&tag)?, ..Group::new(tag.require("name")?.text()?) });
    }
    for (path, item) in root.find_members("paths")? {
        if !path.starts_with('/') {
            continue;
        }
        for method in METHODS {
            let Some(operation) = item.find(method)? else { continue };
            let tags = operation.find_elements("tags")?;
            let tag = tags.first().map_or(Ok("Other operations"), Node::text)?;
            let operation = reader.read(path, &item, method, &operation)?;
            match groups.iter_mut().find(|group| group.name == tag) {
                Some(group) => group.operations.push(operation),
                None => groups.push(Group { operations: vec![operation], ..Group::new(tag) }),
            }
        }
    }
    groups.retain(|group| !group.operations.is_empty());
    Ok(groups)
}

impl<'a> Group<'a> {
    fn new(name: &'a str) -> Self {
        let letter = |character: char| if character.is_alphanumeric() { character } else { '-' };
        let anchor = format!("tag-{}", name.chars().map(letter).collect::<String>());
        Self { anchor, name, description: None, operations: Vec::new() }
    }
}

/// Reads the linked records, and the records that these link to.
fn read_records<'a>(
    mut links: Links<'a>,
    find: impl Fn(&str) -> Result<Node<'a>>,
) -> Result<Vec<Record<'a>>> {
    let mut records = Vec::new();
    while let Some(&name) = links.0.get(records.len()) {
        let shape = Shape::of_component(&find(name)?)?;
        let mut writer = EntryWriter { nested: Nested::Linked, links: &mut links };
        records.push(Record { name, entry: writer.whole(Label::Words("record"), &shape) });
    }
    Ok(records)
}

fn schemes(root: &Node<'_>) -> Result<Vec<Scheme>> {
    let Some(components) = root.find("components")? else { return Ok(Vec::new()) };
    let schemes = components.find_members("securitySchemes")?;
    let read = |(_, scheme): (_, Node<'_>)| {
        Ok(Scheme { name: authorization(&scheme)?, description: render(&scheme)? })
    };
    schemes.into_iter().map(read).collect()
}

fn render(node: &Node<'_>) -> Result<Option<String>> {
    Ok(node.find_text("description")?.map(|text| markdown::render(text, HEADING)))
}
