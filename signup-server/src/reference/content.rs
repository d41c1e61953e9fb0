//! The contents of requests and answers: media types, with schemas and examples.

use pulldown_cmark::HeadingLevel;
use serde_norway::Value;
use warp::http::StatusCode;

use super::document::{Node, Result};
use super::entry::{Entry, EntryWriter, Label, Links, Nested};
use super::markdown;
use super::schema::Shape;
use super::words::Fact;

/// The folder of the answers that several operations share.
const SHARED: &str = "#/components/responses/";
/// The level of headings within the description of an answer or example.
const HEADING: HeadingLevel = HeadingLevel::H5;

/// A body in one media type.
#[derive(Debug)]
pub(super) struct Content<'a> {
    pub(super) media_type: &'a str,
    /// The fields of the body. `None` if they are shown elsewhere.
    pub(super) schema: Option<Entry>,
    pub(super) examples: Vec<Example<'a>>,
}

/// An example of a body.
#[derive(Debug)]
pub(super) struct Example<'a> {
    pub(super) title: Option<&'a str>,
    /// The description as HTML.
    pub(super) description: Option<String>,
    pub(super) text: String,
}

/// An answer of an operation.
#[derive(Debug)]
pub(super) struct Answer<'a> {
    /// The status, such as "404 Not Found".
    pub(super) status: String,
    pub(super) is_success: bool,
    /// The description as HTML.
    pub(super) description: String,
    /// The name of the shared answer that has the headers and fields.
    pub(super) shared: Option<&'a str>,
    pub(super) headers: Vec<Entry>,
    pub(super) contents: Vec<Content<'a>>,
}

/// An answer that several operations share.
#[derive(Debug)]
pub(super) struct SharedAnswer<'a> {
    pub(super) name: &'a str,
    /// The description as HTML.
    pub(super) description: String,
    pub(super) headers: Vec<Entry>,
    pub(super) contents: Vec<Content<'a>>,
}

impl<'a> Answer<'a> {
    /// Reads an answer of an operation. A shared error is counted as linked, and its headers and fields are left out,
    /// because they are the same for many operations.
    pub(super) fn read(
        status: &'a str,
        response: &Node<'a>,
        records: &mut Links<'a>,
        shared: &mut Links<'a>,
    ) -> Result<Self> {
        let is_success = status.starts_with('2');
        let reference = response.target()?.and_then(|(reference, _)| reference.strip_prefix(SHARED));
        let name = reference.filter(|name| !is_success && !name.contains('/'));
        if let Some(name) = name {
            shared.add(name);
        }
        let mut writer = EntryWriter { nested: Nested::Linked, links: records };
        let headers = if name.is_none() { headers(response, &mut writer)? } else { Vec::new() };
        let contents = contents(response, if name.is_none() { Some(&mut writer) } else { None })?;
        let code: Option<u16> = status.parse().ok();
        let reason = code.and_then(|code| StatusCode::from_u16(code).ok()?.canonical_reason());
        let status_words = match (status, reason) {
            (_, Some(reason)) => format!("{status} {reason}"),
            ("default", None) => "Any other status".to_owned(),
            (status, None) => status.to_owned(),
        };
        Ok(Self {
            status: status_words,
            is_success,
            description: description(response)?,
            shared: name,
            headers,
            contents,
        })
    }
}

impl<'a> SharedAnswer<'a> {
    /// Reads the headers and fields of a shared answer. Its operations show the examples.
    pub(super) fn read(name: &'a str, response: &Node<'a>, records: &mut Links<'a>) -> Result<Self> {
        let mut writer = EntryWriter { nested: Nested::Linked, links: records };
        let mut contents = contents(response, Some(&mut writer))?;
        for content in &mut contents {
            content.examples.clear();
        }
        let headers = headers(response, &mut writer)?;
        Ok(Self { name, description: description(response)?, headers, contents })
    }
}

/// Reads the contents of a request or answer. Without a writer, reads only the examples.
pub(super) fn contents<'a>(
    message: &Node<'a>,
    mut writer: Option<&mut EntryWriter<'a, '_>>,
) -> Result<Vec<Content<'a>>> {
    let mut contents = Vec::new();
    for (media_type, content) in message.find_members("content")? {
        let shape = content.find("schema")?.map(|schema| Shape::of(&schema)).transpose()?;
        let examples = examples(&content, media_type, shape.as_ref())?;
        let schema = match (&mut writer, &shape) {
            (Some(writer), Some(shape)) => Some(writer.whole(Label::Words("body"), shape)),
            _ => None,
        };
        contents.push(Content { media_type, schema, examples });
    }
    Ok(contents)
}

fn examples<'a>(content: &Node<'a>, media_type: &str, shape: Option<&Shape<'a>>) -> Result<Vec<Example<'a>>> {
    let plain = |value: &Value| {
        let text = example_text(media_type, value).map_err(|problem| content.fault(problem))?;
        Ok(Example { title: None, description: None, text })
    };
    if let Some(example) = content.find("example")? {
        return Ok(vec![plain(example.value())?]);
    }
    let mut examples = Vec::new();
    for (name, example) in content.find_members("examples")? {
        // An example with an `externalValue` has no text here.
        let Some(value) = example.find("value")? else { continue };
        let description = example.find_text("description")?;
        examples.push(Example {
            title: Some(example.find_text("summary")?.unwrap_or(name)),
            description: description.map(|text| markdown::render(text, HEADING)),
            ..plain(value.value())?
        });
    }
    if examples.is_empty()
        && let Some(example) = shape.and_then(|shape| shape.example)
    {
        examples.push(plain(example)?);
    }
    Ok(examples)
}

/// Returns an example as the text of a body: a string is the text, and any other value is YAML or JSON.
fn example_text(media_type: &str, value: &Value) -> std::result::Result<String, String> {
    match value {
        Value::String(text) if !media_type.ends_with("json") => Ok(text.clone()),
        value if media_type.ends_with("yaml") => {
            let text = serde_norway::to_string(value).map_err(|error| error.to_string())?;
            Ok(text.trim_end().to_owned())
        }
        value => serde_json::to_string_pretty(value).map_err(|error| error.to_string()),
    }
}

fn headers<'a>(response: &Node<'a>, writer: &mut EntryWriter<'a, '_>) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for (name, header) in response.find_members("headers")? {
        let (shape, facts) = described(&header)?;
        entries.push(writer.named(name, &shape, facts));
    }
    Ok(entries)
}

/// Returns the shape of a parameter or header, and the facts that its object adds to the schema.
pub(super) fn described<'a>(described: &Node<'a>) -> Result<(Shape<'a>, Vec<Fact>)> {
    let schema = match described.find("schema")? {
        Some(schema) => Some(schema),
        None => match described.find_members("content")?.into_iter().next() {
            Some((_, content)) => content.find("schema")?,
            None => return Err(described.fault("has neither `schema` nor `content`")),
        },
    };
    let mut shape = schema.map(|schema| Shape::of(&schema)).transpose()?.unwrap_or_default();
    shape.description = described.find_text("description")?.or(shape.description);
    if let Some(example) = described.find("example")? {
        shape.example = Some(example.value());
    } else if let Some((_, example)) = described.find_members("examples")?.into_iter().next()
        && let Some(value) = example.find("value")?
    {
        shape.example = Some(value.value());
    }
    let is_required = described.is_set("required")?;
    let mut facts = vec![Fact::new(if is_required { "required" } else { "optional" })];
    if described.is_set("deprecated")? {
        facts.push(Fact::new("deprecated"));
    }
    Ok((shape, facts))
}

fn description(response: &Node<'_>) -> Result<String> {
    Ok(markdown::render(response.require("description")?.text()?, HEADING))
}
