//! Operations: what each does, who may call it, its parameters, its body, and a command to paste.

use pulldown_cmark::HeadingLevel;

use super::content::{Answer, Content, contents, described};
use super::curl::CurlRequest;
use super::document::{Node, Result};
use super::entry::{Entry, EntryWriter, Links, Nested};
use super::markdown;
use super::schema::Shape;
use super::words::{self, Fact};

/// The methods of OpenAPI, in the order of the page.
pub(super) const METHODS: [&str; 8] = ["get", "post", "put", "patch", "delete", "head", "options", "trace"];
/// The level of headings within the description of an operation.
const HEADING: HeadingLevel = HeadingLevel::H4;

/// An operation of the API.
#[derive(Debug)]
pub(super) struct Operation<'a> {
    /// The `operationId`, which is the anchor of the operation.
    pub(super) id: &'a str,
    pub(super) method: String,
    pub(super) path: &'a str,
    pub(super) summary: &'a str,
    /// The description as HTML.
    pub(super) description: Option<String>,
    pub(super) is_deprecated: bool,
    pub(super) access: Access<'a>,
    pub(super) parameters: Vec<Entry>,
    pub(super) body: Option<Body<'a>>,
    pub(super) command: String,
    pub(super) answers: Vec<Answer<'a>>,
}

/// The body of a request.
#[derive(Debug)]
pub(super) struct Body<'a> {
    pub(super) is_required: bool,
    /// The description as HTML.
    pub(super) description: Option<String>,
    pub(super) contents: Vec<Content<'a>>,
}

/// The credentials that an operation accepts.
#[derive(Debug)]
pub(super) struct Access<'a> {
    /// One of these is needed.
    pub(super) credentials: Vec<Credential<'a>>,
    /// The operation also accepts requests without credentials.
    pub(super) is_optional: bool,
}

/// A scheme of the header `Authorization`, and the scopes that the credentials must have.
#[derive(Debug)]
pub(super) struct Credential<'a> {
    pub(super) scheme: String,
    pub(super) scopes: Vec<&'a str>,
}

/// Reads operations, and collects the names of the records and answers that they link to.
#[derive(Debug)]
pub(super) struct OperationReader<'a> {
    pub(super) root: Node<'a>,
    pub(super) base_url: &'a str,
    pub(super) records: Links<'a>,
    pub(super) shared_answers: Links<'a>,
}

impl<'a> OperationReader<'a> {
    pub(super) fn read(
        &mut self,
        path: &'a str,
        item: &Node<'a>,
        method: &str,
        operation: &Node<'a>,
    ) -> Result<Operation<'a>> {
        let id = operation.require("operationId")?.text()?;
        if !id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte)) {
            return Err(operation.fault("an operationId has only letters, digits, `-`, `.` and `_`"));
        }
        let method = method.to_ascii_uppercase();
        let parameters = Parameter::all(path, item, operation)?;
        let access = self.access(operation)?;
        let body = self.body(operation)?;
        let command = CurlRequest {
            method: &method,
            base_url: self.base_url,
            path,
            path_values: values(&parameters, "path"),
            query_values: values(&parameters, "query"),
            header_values: values(&parameters, "header"),
            authorization: access.credentials.first().map(|credential| credential.scheme.as_str()),
            body: body.as_ref().and_then(Body::sample),
        }
        .command();
        let mut writer = EntryWriter { nested: Nested::Here, links: &mut self.records };
        let parameters = parameters.into_iter().map(|parameter| parameter.entry(&mut writer)).collect();
        let mut answers = Vec::new();
        for (status, response) in operation.find_members("responses")? {
            if !status.starts_with("x-") {
                let answer = Answer::read(status, &response, &mut self.records, &mut self.shared_answers)?;
                answers.push(answer);
            }
        }
        let description = operation.find_text("description")?;
        Ok(Operation {
            id,
            method,
            path,
            summary: operation.find_text("summary")?.unwrap_or(id),
            description: description.map(|text| markdown::render(text, HEADING)),
            is_deprecated: operation.is_set("deprecated")?,
            access,
            parameters,
            body,
            command,
            answers,
        })
    }

    /// Reads the security requirements of an operation, or those of the whole document.
    fn access(&self, operation: &Node<'a>) -> Result<Access<'a>> {
        let owner = if operation.find("security")?.is_some() { operation } else { &self.root };
        let alternatives = owner.find_elements("security")?;
        let mut access = Access { credentials: Vec::new(), is_optional: alternatives.is_empty() };
        for alternative in alternatives {
            match alternative.members()?.as_slice() {
                [] => access.is_optional = true,
                [(name, scopes)] => {
                    let components = self.root.require("components")?;
                    let scheme = components.require("securitySchemes")?.require(name)?;
                    let scopes = scopes.elements()?.iter().map(Node::text).collect::<Result<_>>()?;
                    access.credentials.push(Credential { scheme: authorization(&scheme)?, scopes });
                }
                _ => return Err(alternative.fault("a request has only one header `Authorization`")),
            }
        }
        Ok(access)
    }

    fn body(&mut self, operation: &Node<'a>) -> Result<Option<Body<'a>>> {
        let Some(body) = operation.find("requestBody")? else { return Ok(None) };
        let mut writer = EntryWriter { nested: Nested::Here, links: &mut self.records };
        let description = body.find_text("description")?;
        Ok(Some(Body {
            is_required: body.is_set("required")?,
            description: description.map(|text| markdown::render(text, HEADING)),
            contents: contents(&body, Some(&mut writer))?,
        }))
    }
}

impl<'a> Body<'a> {
    /// Returns the media type and the text of a body for the command: the first example, or the name of a file to write.
    ///
    /// Returns `None` if the request needs no body and the document has no example.
    fn sample(&self) -> Option<(&'a str, String)> {
        let content = self.contents.first()?;
        let text = content.examples.first().map(|example| example.text.clone());
        let file = self.is_required.then(|| "@body".to_owned());
        Some((content.media_type, text.or(file)?))
    }
}

/// Returns the scheme of the header `Authorization`, such as `Bearer`.
pub(super) fn authorization(scheme: &Node<'_>) -> Result<String> {
    if scheme.require("type")?.text()? != "http" {
        return Err(scheme.fault("only security schemes of the type `http` are supported"));
    }
    let name = scheme.require("scheme")?.text()?;
    let first = name.get(..1).unwrap_or_default().to_ascii_uppercase();
    Ok(format!("{first}{}", name.get(1..).unwrap_or_default()))
}

/// A parameter of an operation.
#[derive(Debug)]
struct Parameter<'a> {
    name: &'a str,
    /// The part of the request that has the parameter: `path`, `query`, `header` or `cookie`.
    place: &'a str,
    is_required: bool,
    shape: Shape<'a>,
    facts: Vec<Fact>,
}

impl<'a> Parameter<'a> {
    /// Reads the parameters of a path and of its operation. Those of the operation take precedence.
    fn all(path: &str, item: &Node<'a>, operation: &Node<'a>) -> Result<Vec<Self>> {
        let mut all: Vec<Self> = Vec::new();
        for node in [item.find_elements("parameters")?, operation.find_elements("parameters")?].concat() {
            let parameter = Self::read(&node)?;
            let is_same = |other: &&mut Self| (other.name, other.place) == (parameter.name, parameter.place);
            match all.iter_mut().find(is_same) {
                Some(found) => *found = parameter,
                None => all.push(parameter),
            }
        }
        for part in path.split('{').skip(1) {
            let name = part.split('}').next().unwrap_or_default();
            if !all.iter().any(|parameter| (parameter.name, parameter.place) == (name, "path")) {
                return Err(operation.fault(format!("lacks the path parameter `{name}`")));
            }
        }
        Ok(all)
    }

    fn read(node: &Node<'a>) -> Result<Self> {
        let place = node.require("in")?.text()?;
        let place_words = match place {
            "path" => "in the path",
            "query" => "in the query",
            "header" => "header",
            "cookie" => "cookie",
            _ => return Err(node.fault("`in` must be path, query, header or cookie")),
        };
        let (shape, mut facts) = described(node)?;
        facts.insert(0, Fact::new(place_words));
        let name = node.require("name")?.text()?;
        Ok(Self { name, place, is_required: node.is_set("required")?, shape, facts })
    }

    fn entry(self, writer: &mut EntryWriter<'a, '_>) -> Entry {
        writer.named(self.name, &self.shape, self.facts)
    }
}

/// Returns the examples of the required parameters in a part of the request.
fn values<'a>(parameters: &[Parameter<'a>], place: &str) -> Vec<(&'a str, Option<String>)> {
    let required = parameters.iter().filter(|parameter| parameter.place == place && parameter.is_required);
    required.map(|parameter| (parameter.name, parameter.shape.example.map(words::text))).collect()
}
