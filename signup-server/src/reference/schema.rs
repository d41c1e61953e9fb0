//! Schemas: what a JSON Schema says about a value, with references and combinations resolved.
//!
//! All parts of a schema apply at once: the target of `$ref`, each schema of `allOf`, and the schema's own keywords. So
//! [`Shape::and`] is the only way in which parts are combined. A part of `oneOf` or `anyOf` that is only `null` makes the
//! value nullable; if one other part is left, it applies as in `allOf`.

use serde_norway::Value;

use super::document::{Node, Result};
use super::words::{self, Fact};

/// The folder of the schemas that have names.
const NAMED: &str = "#/components/schemas/";

/// What a schema says about a value.
#[derive(Debug, Clone, Default)]
pub(super) struct Shape<'a> {
    /// The name of the schema under `components/schemas` that describes the fields.
    pub(super) name: Option<&'a str>,
    /// The fields are left out, because this shape is within the schema of the same name.
    pub(super) is_cut: bool,
    /// The types that the value may have. `None` allows every type.
    pub(super) types: Option<Vec<&'a str>>,
    pub(super) facts: Vec<Fact>,
    pub(super) description: Option<&'a str>,
    pub(super) example: Option<&'a Value>,
    /// The described fields of an object, in the order of the document.
    pub(super) fields: Vec<(&'a str, Shape<'a>)>,
    /// The names of the fields that an object must have.
    pub(super) required: Vec<&'a str>,
    /// The object has no fields but the described ones.
    pub(super) is_closed: bool,
    /// The shapes of further fields: of those that match a pattern, or without a pattern of all others.
    pub(super) others: Vec<(Option<&'a str>, Shape<'a>)>,
    /// The shape of each element of an array.
    pub(super) element: Option<Box<Shape<'a>>>,
    /// Groups of shapes. One shape of each group applies.
    pub(super) choices: Vec<Vec<Shape<'a>>>,
}

impl<'a> Shape<'a> {
    /// Reads a schema.
    pub(super) fn of(schema: &Node<'a>) -> Result<Self> {
        Reader::default().read(schema)
    }

    /// Reads a schema under `components/schemas`.
    pub(super) fn of_component(schema: &Node<'a>) -> Result<Self> {
        Reader { open: vec![schema.place().to_owned()] }.read(schema)
    }

    pub(super) fn is_nullable(&self) -> bool {
        self.types.as_ref().is_some_and(|types| types.contains(&"null"))
    }

    /// Returns whether the shape has parts that have shapes of their own.
    pub(super) fn has_parts(&self) -> bool {
        let Self { fields, required, others, element, choices, .. } = self;
        !fields.is_empty()
            || !required.is_empty()
            || !others.is_empty()
            || element.is_some()
            || !choices.is_empty()
    }

    fn is_only_null(&self) -> bool {
        self.types.as_deref() == Some(&["null"]) && self.facts.is_empty() && !self.has_parts()
    }

    /// Returns the shape of the values that both shapes allow. The description and the example of `other` take precedence.
    fn and(self, other: Self) -> Self {
        let name = match (self.has_parts(), other.has_parts()) {
            // No named schema has the parts of both.
            (true, true) => None,
            (true, false) => self.name,
            (false, true) => other.name,
            (false, false) => self.name.or(other.name),
        };
        let mut fields = self.fields;
        for (name, shape) in other.fields {
            match fields.iter_mut().find(|(found, _)| *found == name) {
                Some((_, found)) => *found = std::mem::take(found).and(shape),
                None => fields.push((name, shape)),
            }
        }
        Self {
            name,
            is_cut: self.is_cut || other.is_cut,
            types: both(self.types, other.types),
            facts: union(self.facts, other.facts),
            description: other.description.or(self.description),
            example: other.example.or(self.example),
            fields,
            required: union(self.required, other.required),
            is_closed: self.is_closed || other.is_closed,
            others: [self.others, other.others].concat(),
            element: match (self.element, other.element) {
                (Some(one), Some(two)) => Some(Box::new(one.and(*two))),
                (one, two) => one.or(two),
            },
            choices: [self.choices, other.choices].concat(),
        }
    }
}

/// Returns the types that both lists allow.
fn both<'a>(one: Option<Vec<&'a str>>, two: Option<Vec<&'a str>>) -> Option<Vec<&'a str>> {
    let (Some(one), Some(two)) = (&one, &two) else { return one.or(two) };
    let allows = |types: &[&str], name: &str| {
        types.contains(&name) || (name == "integer" && types.contains(&"number"))
    };
    let of_one = one.iter().filter(|name| allows(two, name));
    let of_two = two.iter().filter(|name| allows(one, name));
    Some(union(of_one.copied().collect(), of_two.copied().collect()))
}

fn union<T: PartialEq>(mut one: Vec<T>, two: Vec<T>) -> Vec<T> {
    for item in two {
        if !one.contains(&item) {
            one.push(item);
        }
    }
    one
}

#[derive(Default)]
struct Reader {
    /// The places of the schemas that are being read, outermost first.
    open: Vec<String>,
}

impl Reader {
    fn read<'a>(&mut self, schema: &Node<'a>) -> Result<Shape<'a>> {
        match schema.value() {
            Value::Bool(true) => return Ok(Shape::default()),
            Value::Bool(false) => return Ok(Shape { types: Some(Vec::new()), ..Shape::default() }),
            _ => {}
        }
        let mut shape = Shape::default();
        if let Some((reference, target)) = schema.target()? {
            shape = self.read_target(schema, reference, &target)?;
        }
        for part in elements(schema, "allOf")? {
            shape = shape.and(self.read(&part)?);
        }
        for keyword in ["oneOf", "anyOf"] {
            let parts = elements(schema, keyword)?;
            if !parts.is_empty() {
                let parts: Result<_> = parts.iter().map(|part| self.read(part)).collect();
                shape = shape.and(one_of(parts?));
            }
        }
        Ok(shape.and(self.read_keywords(schema)?))
    }

    fn read_target<'a>(
        &mut self,
        schema: &Node<'a>,
        reference: &'a str,
        target: &Node<'a>,
    ) -> Result<Shape<'a>> {
        let name = reference.strip_prefix(NAMED).filter(|name| !name.contains('/'));
        let place = target.place().to_owned();
        if !self.open.contains(&place) {
            self.open.push(place);
            let mut shape = self.read(target)?;
            self.open.pop();
            shape.name = name.or(shape.name);
            return Ok(shape);
        }
        match name {
            Some(_) => Ok(Shape { name, is_cut: true, types: types(target)?, ..Shape::default() }),
            None => Err(schema.fault("contains itself, and has no name under components/schemas")),
        }
    }

    /// Reads the keywords that do not combine schemas.
    fn read_keywords<'a>(&mut self, schema: &Node<'a>) -> Result<Shape<'a>> {
        let mut shape = Shape {
            types: types(schema)?,
            facts: words::facts(schema)?,
            description: schema.own("description")?.map(|found| found.text()).transpose()?,
            example: words::example(schema)?,
            ..Shape::default()
        };
        for (name, field) in members(schema, "properties")? {
            shape.fields.push((name, self.read(&field)?));
        }
        for name in elements(schema, "required")? {
            shape.required.push(name.text()?);
        }
        for (pattern, field) in members(schema, "patternProperties")? {
            shape.others.push((Some(pattern), self.read(&field)?));
        }
        for keyword in ["additionalProperties", "unevaluatedProperties"] {
            match schema.own(keyword)? {
                Some(field) if field.value() == &Value::Bool(false) => shape.is_closed = true,
                Some(field) if field.value() != &Value::Bool(true) => {
                    shape.others.push((None, self.read(&field)?));
                }
                _ => {}
            }
        }
        if let Some(element) = schema.own("items")? {
            shape.element = Some(Box::new(self.read(&element)?));
        }
        Ok(shape)
    }
}

/// Returns the shape of values to which one of the shapes applies.
fn one_of(mut shapes: Vec<Shape<'_>>) -> Shape<'_> {
    let count = shapes.len();
    shapes.retain(|shape| !shape.is_only_null());
    let is_nullable = shapes.len() < count;
    let mut combined = if shapes.len() == 1 {
        shapes.remove(0)
    } else {
        let mut types = Some(Vec::new());
        for shape in &shapes {
            types = types.zip(shape.types.clone()).map(|(all, some)| union(all, some));
        }
        let choices = if shapes.is_empty() { Vec::new() } else { vec![shapes] };
        Shape { types, choices, ..Shape::default() }
    };
    if is_nullable && let Some(types) = combined.types {
        combined.types = Some(union(types, vec!["null"]));
    }
    combined
}

/// Returns the types that the keywords of a schema allow. Without `type`, a `const` or an `enum` decides.
fn types<'a>(schema: &Node<'a>) -> Result<Option<Vec<&'a str>>> {
    if let Some(types) = schema.own("type")? {
        return match types.value() {
            Value::Sequence(_) => types.elements()?.iter().map(Node::text).collect::<Result<_>>().map(Some),
            _ => Ok(Some(vec![types.text()?])),
        };
    }
    if let Some(value) = schema.own("const")? {
        return Ok(Some(vec![type_of(value.value())]));
    }
    let Some(values) = schema.own("enum")? else { return Ok(None) };
    let types = values.elements()?.into_iter().map(|value| type_of(value.value()));
    Ok(Some(types.fold(Vec::new(), |all, name| union(all, vec![name]))))
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Sequence(_) => "array",
        Value::Mapping(_) | Value::Tagged(_) => "object",
    }
}

fn members<'a>(schema: &Node<'a>, keyword: &str) -> Result<Vec<(&'a str, Node<'a>)>> {
    schema.own(keyword)?.map_or_else(|| Ok(Vec::new()), |found| found.members())
}

fn elements<'a>(schema: &Node<'a>, keyword: &str) -> Result<Vec<Node<'a>>> {
    schema.own(keyword)?.map_or_else(|| Ok(Vec::new()), |found| found.elements())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "
components:
  schemas:
    Id: {type: string, description: An id., examples: [x]}
    Base:
      type: object
      required: [id]
      properties:
        id: {$ref: '#/components/schemas/Id'}
        parent: {anyOf: [{$ref: '#/components/schemas/Base'}, {type: 'null'}], description: The parent.}
    Full:
      allOf:
      - $ref: '#/components/schemas/Base'
      - properties:
          id: {maxLength: 36}
          size: {type: [integer, 'null']}
    Endless: {properties: {again: {$ref: '#/components/schemas/Endless/properties/again'}}}
";

    fn with_shape<T>(schema: &str, check: impl FnOnce(Result<Shape<'_>>) -> T) -> T {
        let document = serde_norway::from_str(&format!("{DOCUMENT}\nschema: {schema}\n")).unwrap();
        check(Shape::of(&Node::root(&document).require("schema").unwrap()))
    }

    fn types_of(schema: &str) -> Option<Vec<String>> {
        with_shape(schema, |shape| {
            shape.unwrap().types.map(|types| types.into_iter().map(str::to_owned).collect())
        })
    }

    #[test]
    fn keywords_beside_a_reference_apply_as_well() {
        with_shape("{$ref: '#/components/schemas/Id', maxLength: 36, description: Own.}", |shape| {
            let shape = shape.unwrap();
            assert_eq!((shape.name, shape.description), (Some("Id"), Some("Own.")));
            assert_eq!(shape.types, Some(vec!["string"]));
            let facts: Vec<_> = shape.facts.iter().map(|fact| fact.words.as_str()).collect();
            assert_eq!(facts, ["at most 36 characters"]);
            assert_eq!(shape.example.and_then(Value::as_str), Some("x"));
        });
    }

    #[test]
    fn all_of_joins_fields_and_loses_the_name_of_a_part() {
        with_shape("{$ref: '#/components/schemas/Full'}", |shape| {
            let shape = shape.unwrap();
            assert_eq!(shape.name, Some("Full"));
            let names: Vec<_> = shape.fields.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, ["id", "parent", "size"]);
            assert_eq!(shape.required, ["id"]);
            assert_eq!(shape.fields[0].1.facts.len(), 1, "{:?}", shape.fields[0].1.facts);
            assert!(shape.fields[2].1.is_nullable());
        });
        with_shape("{allOf: [{$ref: '#/components/schemas/Base'}], properties: {x: true}}", |shape| {
            assert_eq!(shape.unwrap().name, None);
        });
        with_shape("{allOf: [{$ref: '#/components/schemas/Base'}], description: D.}", |shape| {
            assert_eq!(shape.unwrap().name, Some("Base"));
        });
    }

    #[test]
    fn a_schema_within_itself_is_cut_and_keeps_its_name() {
        with_shape("{$ref: '#/components/schemas/Base'}", |shape| {
            let shape = shape.unwrap();
            let (_, parent) = &shape.fields[1];
            assert_eq!((parent.name, parent.is_cut), (Some("Base"), true));
            assert_eq!(parent.types, Some(vec!["object", "null"]));
            assert_eq!(parent.description, Some("The parent."));
        });
        with_shape("{$ref: '#/components/schemas/Endless'}", |shape| {
            let error = shape.unwrap_err().to_string();
            assert!(error.contains("Endless/properties/again: contains itself"), "{error}");
        });
    }

    #[test]
    fn types_are_the_ones_that_every_part_allows() {
        for (schema, types) in [
            ("{type: string}", Some(vec!["string"])),
            ("{type: [string, 'null']}", Some(vec!["string", "null"])),
            ("{allOf: [{type: [number, 'null']}, {type: integer}]}", Some(vec!["integer"])),
            ("{oneOf: [{type: string}, {type: 'null'}]}", Some(vec!["string", "null"])),
            (
                "{anyOf: [{type: string}, {type: integer}, {type: 'null'}]}",
                Some(vec!["string", "integer", "null"]),
            ),
            ("{oneOf: [{type: string}, {}]}", None),
            ("{const: live}", Some(vec!["string"])),
            ("{enum: [a, null]}", Some(vec!["string", "null"])),
            ("true", None),
            ("false", Some(vec![])),
        ] {
            let types = types.map(|types| types.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(types_of(schema), types, "{schema}");
        }
    }

    #[test]
    fn alternatives_are_kept_unless_one_is_left() {
        let choices = |schema: &str| with_shape(schema, |shape| shape.unwrap().choices.len());
        assert_eq!(choices("{oneOf: [{type: string}, {type: integer}]}"), 1);
        assert_eq!(choices("{oneOf: [{type: string}, {type: 'null'}]}"), 0);
        with_shape("{oneOf: [{$ref: '#/components/schemas/Base'}, {type: 'null'}]}", |shape| {
            assert_eq!(shape.unwrap().name, Some("Base"));
        });
    }
}
