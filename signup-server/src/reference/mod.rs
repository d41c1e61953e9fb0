//! The pages for programmers: the reference at `/docs`, made from the API description, and the start page at `/`.
//!
//! Both pages are rendered once at start, and served from memory. They have the style and the security headers of all
//! pages. The description is read by the rules of OpenAPI 3.1: nothing here depends on the operations that it contains.
//!
//! **Invariant:** text of the description is escaped. Only [`markdown`] turns a description into HTML.

mod content;
mod curl;
mod description;
mod document;
mod entry;
mod markdown;
mod operation;
mod schema;
mod words;

use askama::Template;
use bytes::Bytes;
use warp::http::StatusCode;
use warp::reply::Response;

use self::content::Content;
use self::description::Description;
use self::document::{DocumentError, Node};
use self::entry::{Entry, EntryList};
use crate::page::{self, Head};

/// Why the pages could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReferenceError {
    #[error(transparent)]
    Syntax(#[from] serde_norway::Error),
    #[error(transparent)]
    Document(#[from] DocumentError),
    #[error(transparent)]
    Template(#[from] askama::Error),
}

/// The rendered pages.
#[derive(Debug)]
pub(crate) struct Reference {
    docs: Bytes,
    start: Bytes,
}

impl Reference {
    /// Makes the pages from the text of the API description in YAML, for a server at `base_url`.
    ///
    /// # Errors
    /// Fails if the text is not YAML, or not a description that the pages can show.
    pub(crate) fn new(document: &str, base_url: &str) -> Result<Self, ReferenceError> {
        let document = serde_norway::from_str(document)?;
        let description = Description::read(&Node::root(&document), base_url)?;
        let base_path = page::base_path(base_url);
        let docs = DocsTemplate {
            head: Head::private(&format!("{} API reference", description.title), None),
            api: &description,
            base_url,
            base_path: &base_path,
        };
        let start = StartTemplate {
            head: Head::private(description.title, None),
            title: description.title,
            summary: description.summary,
            base_path: &base_path,
        };
        Ok(Self { docs: docs.render()?.into(), start: start.render()?.into() })
    }

    /// `GET /docs`
    pub(crate) fn docs(&self) -> Response {
        page::html_text(StatusCode::OK, self.docs.clone())
    }

    /// `GET /`
    pub(crate) fn start(&self) -> Response {
        page::html_text(StatusCode::OK, self.start.clone())
    }
}

#[derive(Debug, Template)]
#[template(path = "docs.html")]
struct DocsTemplate<'a> {
    head: Head,
    api: &'a Description<'a>,
    base_url: &'a str,
    base_path: &'a str,
}

impl DocsTemplate<'_> {
    /// Returns a list of entries as a template.
    #[expect(clippy::unused_self, reason = "templates reach it through the page")]
    fn list<'e>(&self, entries: &'e [Entry]) -> EntryList<'e> {
        EntryList { entries }
    }

    /// Returns the fields of a body as a template. `None` if they are shown elsewhere.
    #[expect(clippy::unused_self, reason = "templates reach it through the page")]
    fn fields<'e>(&self, content: &'e Content<'_>) -> Option<EntryList<'e>> {
        content.schema.as_ref().map(|schema| EntryList { entries: std::slice::from_ref(schema) })
    }
}

#[derive(Debug, Template)]
#[template(path = "start.html")]
struct StartTemplate<'a> {
    head: Head,
    title: &'a str,
    summary: Option<&'a str>,
    base_path: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r"
openapi: 3.1.0
info: {title: 'A <b>', version: '1', description: '<i>x</i>'}
components:
  securitySchemes: {token: {type: http, scheme: bearer}}
  schemas:
    Node: {type: object, properties: {'<next>': {$ref: '#/components/schemas/Node'}}}
paths:
  /a/{id}:
    parameters:
    - {name: id, in: path, required: true, schema: {type: string, enum: ['<x>']}}
    get:
      operationId: readA
      summary: <u>Read</u>
      security: [{token: ['a:<read>']}]
      responses:
        '200':
          description: <s>Fine</s>
          content: {application/json: {schema: {$ref: '#/components/schemas/Node'}, example: {a: </pre>}}}
";

    fn docs(document: &str) -> String {
        let reference = Reference::new(document, "http://a.example").unwrap();
        String::from_utf8(reference.docs.to_vec()).unwrap()
    }

    #[test]
    fn text_of_the_description_is_escaped() {
        let page = docs(SMALL);
        for (element, words) in
            [("<b>", "A "), ("<i>", "x"), ("<next>", "next"), ("<x>", "x"), ("<u>", "Read"), ("<s>", "Fine")]
        {
            assert!(!page.contains(&format!("{element}{words}")) && !page.contains(element), "{element}");
            assert!(page.contains(words), "{words}");
        }
        assert!(!page.contains("a:<read>") && !page.contains("\"</pre>"), "{page}");
    }

    #[test]
    fn a_record_that_contains_itself_links_to_itself() {
        let page = docs(SMALL);
        assert!(page.contains("id=\"record-Node\""), "{page}");
        assert!(page.contains("href=\"#record-Node\""), "{page}");
    }

    #[test]
    fn a_broken_description_is_refused_with_the_place_of_the_fault() {
        for (from, to, message) in [
            ("3.1.0", "3.0.3", "#/openapi: only OpenAPI 3.1 is supported"),
            ("operationId: readA", "x-id: a", "#/paths/~1a~1{id}/get: lacks `operationId`"),
            ("operationId: readA", "operationId: main", "#: two parts have the anchor `main`"),
            (
                "operationId: readA",
                "operationId: a b",
                "#/paths/~1a~1{id}/get: an operationId has only letters",
            ),
            ("in: path", "in: query", "#/paths/~1a~1{id}/get: lacks the path parameter `id`"),
            ("in: path", "in: body", "#/paths/~1a~1{id}/parameters/0: `in` must be"),
            ("description: <s>Fine</s>", "x: 1", "#/paths/~1a~1{id}/get/responses/200: lacks `description`"),
            ("type: http", "type: oauth2", "#/components/securitySchemes/token: only security schemes"),
            (
                "schema: {$ref: '#/components/schemas/Node'}",
                "schema: {$ref: '#/x'}",
                "schema/$ref: #/x does not exist",
            ),
            ("[{token", "[{other", "#/components/securitySchemes: lacks `other`"),
            ("paths:", "paths: [", "did not find expected"),
        ] {
            let broken = SMALL.replace(from, to);
            assert_ne!(broken, SMALL, "{from}");
            let error = Reference::new(&broken, "http://a.example").unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
