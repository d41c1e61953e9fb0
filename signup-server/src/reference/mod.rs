//! The pages for programmers: the reference at `/docs`, made from the API description, and the start page at `/`.
//!
//! Both pages are rendered once at start, and served from memory. They have the style and the security headers of all
//! pages. The main part of the reference is the template `docs.html.jinja`. Its engine, minijinja, takes values at run
//! time, so the members of the description need no types here. [`document`] adds what a template cannot derive.
//!
//! **Invariant:** text of the description is escaped. Only [`markdown`] turns a description into HTML.

mod document;
mod markdown;
mod shell;

use askama::Template;
use askama::filters::{Escaper as _, Html};
use bytes::Bytes;
use minijinja::value::Value;
use minijinja::{Environment, Error, ErrorKind, Output, UndefinedBehavior, context};
use serde::Deserialize;
use warp::http::StatusCode;
use warp::reply::Response;

use self::document::Document;
use crate::page::{self, Head};

/// The name of the template in errors.
const NAME: &str = "docs.html.jinja";
const SOURCE: &str = include_str!("docs.html.jinja");
/// The address of the server in the programs of the recipes.
const LOCAL: &str = "http://127.0.0.1:8080";

/// Why the pages could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReferenceError {
    #[error(transparent)]
    Render(#[from] Error),
    #[error(transparent)]
    Shell(#[from] askama::Error),
}

/// The rendered pages.
#[derive(Debug)]
pub(crate) struct Reference {
    docs: Bytes,
    start: Bytes,
    /// The start page for a person who is signed in.
    start_signed_in: Bytes,
}

impl Reference {
    /// Makes the pages from the API description, for a server at `base_url`. `sends_mail` says whether the server sends mails.
    ///
    /// # Errors
    /// Fails if the pages cannot show the description.
    pub(crate) fn new(
        document: &serde_json::Value,
        base_url: &str,
        sends_mail: bool,
    ) -> Result<Self, ReferenceError> {
        let document = Document::new(document, base_url)?;
        let info = Info::deserialize(&document.member("info")?)?;
        let base_path = &page::base_path(base_url);
        let docs = DocsTemplate {
            head: Head::private(&format!("{} API reference", info.title), page::DEFAULT_THEME),
            main: main_part(&document, base_url)?,
            info: &info,
        };
        let start = |is_signed_in| {
            let head = Head::private(&info.title, page::DEFAULT_THEME);
            StartTemplate { head, base_path, is_signed_in, sends_mail }.render().map(Bytes::from)
        };
        let docs = docs.render()?.into();
        Ok(Self { docs, start: start(false)?, start_signed_in: start(true)? })
    }

    /// `GET /docs`
    pub(crate) fn docs(&self) -> Response {
        page::html_text(StatusCode::OK, self.docs.clone())
    }

    /// `GET /`
    pub(crate) fn start(&self, is_signed_in: bool) -> Response {
        let page = if is_signed_in { &self.start_signed_in } else { &self.start };
        page::html_text(StatusCode::OK, page.clone())
    }
}

/// The API in a few words.
#[derive(Debug, Deserialize)]
struct Info {
    title: String,
    version: String,
    summary: String,
}

#[derive(Debug, Template)]
#[template(path = "docs.html")]
struct DocsTemplate<'a> {
    head: Head,
    info: &'a Info,
    /// HTML.
    main: String,
}

#[derive(Debug, Template)]
#[template(path = "start.html")]
struct StartTemplate<'a> {
    head: Head,
    base_path: &'a str,
    is_signed_in: bool,
    sends_mail: bool,
}

/// Renders the description as the main part of the reference.
///
/// # Errors
/// Fails if the description lacks a value that the template prints, and where [`Document`] fails.
fn main_part(document: &Document, base_url: &str) -> Result<String, Error> {
    let program = |source: &str| source.replace(LOCAL, base_url);
    let programs = context! {
        sync_signups => program(include_str!("sync_signups.py")),
        roster => program(include_str!("roster.py")),
    };
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.set_formatter(|out, _, value| write_html(out, value));
    environment.add_filter("markdown", |text: &str, level: usize| {
        Value::from_safe_string(markdown::render(text, level))
    });
    environment.add_filter("shell_word", |value: Value| Ok(shell::word(&text(&value)?)));
    environment.add_filter("examples", |content: Value| document::examples(&content));
    let resolver = document.clone();
    environment.add_filter("schema", move |schema: Value| resolver.schema(&schema));
    environment.add_template(NAME, SOURCE)?;
    let base_path = page::base_path(base_url);
    environment.get_template(NAME)?.render(context! { base_path, programs, ..document.variables()? })
}

/// Writes the text of a value, escaped as on all pages.
fn write_html(out: &mut Output, value: &Value) -> Result<(), Error> {
    let text = text(value)?;
    if value.is_safe() {
        return Ok(out.write_str(&text)?);
    }
    Ok(Html.write_escaped_str(out, &text)?)
}

/// Returns a string as it is, and any other value as indented JSON.
fn text(value: &Value) -> Result<String, Error> {
    match value.as_str() {
        Some(text) => Ok(text.to_owned()),
        None => serde_json::to_string_pretty(value)
            .map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r"
info: {title: 'A <b>', version: '1', summary: <em>, description: '<i>x</i>'}
tags: [{name: t, description: T.}]
security: [{token: []}]
components:
  securitySchemes: {token: {type: http, scheme: bearer, description: S.}}
  schemas:
    Id: {type: string, minLength: 1}
    Node: {type: object, properties: {'<next>': {$ref: '#/components/schemas/Node'}}}
paths:
  /a/{id}:
    get:
      operationId: readA
      tags: [t]
      summary: <u>Read</u>
      parameters:
      - {name: id, in: path, required: true, schema: {type: string, enum: ['<x>']}, example: '</'}
      responses:
        '200':
          description: <s>Fine</s>
          content: {application/json: {schema: {$ref: '#/components/schemas/Node'}, example: {a: </pre>}}}
";

    fn reference(document: &str) -> Result<Reference, ReferenceError> {
        Reference::new(&serde_norway::from_str(document).unwrap(), "http://a.example", true)
    }

    fn docs(document: &str) -> String {
        let reference = reference(document).unwrap();
        String::from_utf8(reference.docs.to_vec()).unwrap()
    }

    #[test]
    fn text_of_the_description_is_escaped() {
        let page = docs(SMALL);
        for (element, words) in
            [("<b>", "A "), ("<i>", "x"), ("<next>", "next"), ("<x>", "x"), ("<u>", "Read"), ("<s>", "Fine")]
        {
            assert!(!page.contains(element), "{element}");
            assert!(page.contains(words), "{words}");
        }
        assert!(!page.contains("\"</pre>") && !page.contains("<em>"), "{page}");
    }

    #[test]
    fn a_schema_is_shown_in_words() {
        for (schema, words) in [
            (
                "{type: string, minLength: 1, maxLength: 255}",
                "string, in the path, required, 1 to 255 characters,",
            ),
            (
                "{type: [string, 'null'], minLength: 1}",
                "string, nullable, in the path, required, at least 1 character,",
            ),
            ("{type: integer, minimum: 0, maximum: 90.5}", "required, 0 to 90.5,"),
            ("{type: array, items: {type: string}}", "array of string,"),
            ("{type: array, minItems: 2, maxItems: 2}", "array, in the path, required, exactly 2 elements,"),
            ("{type: boolean, const: true}", "always <code>true</code>"),
            ("{type: string, enum: [a, b]}", "one of <code>a</code>, <code>b</code>"),
            ("{oneOf: [{type: string}, {type: 'null'}]}", "string, nullable,"),
            ("{oneOf: [{type: string}, {type: integer}]}", "string or integer,"),
            ("{$ref: '#/components/schemas/Id', maxLength: 36}", "required, 1 to 36 characters,"),
        ] {
            let page = docs(&SMALL.replace("{type: string, enum: ['<x>']}", schema));
            assert!(page.contains(words), "{schema}: {page}");
        }
    }

    #[test]
    fn a_record_that_contains_itself_links_to_itself() {
        let page = docs(SMALL);
        assert!(page.contains("id=\"record-Node\""), "{page}");
        assert!(page.contains("href=\"#record-Node\""), "{page}");
    }

    #[test]
    fn a_description_that_the_page_cannot_show_is_refused() {
        for (from, to, message) in [
            ("operationId: readA", "x-id: a", "undefined value"),
            ("description: <s>Fine</s>", "x-text: a", "value is not a string"),
            ("in: path", "in: body", "undefined value"),
            (
                "{$ref: '#/components/schemas/Node'}, example",
                "{$ref: '#/x'}, example",
                "#/x refers to no component",
            ),
            ("Node'}, example", "Other'}, example", "#/components/schemas/Other does not exist"),
            ("{type: string, enum", "{type: string, not: {}, enum", "the keyword `not`"),
            ("{type: string, enum: ['<x>']}", "{$ref: '#/components/schemas/Node'}", "recursion limit"),
            ("name: id", "name: other", "the parameter `other`"),
            ("'200'", "'2XX'", "2XX is no status"),
        ] {
            let broken = SMALL.replace(from, to);
            assert_ne!(broken, SMALL, "{from}");
            let error = reference(&broken).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
