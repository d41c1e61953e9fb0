//! The keywords of a schema in words, such as "1 to 255 characters".

use serde_norway::Value;

use super::document::{Node, Result};

/// A statement about a value: words, and values of the document after them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) words: String,
    pub(super) values: Vec<String>,
}

impl Fact {
    pub(super) fn new(words: impl Into<String>) -> Self {
        Self { words: words.into(), values: Vec::new() }
    }

    pub(super) fn of(words: &str, values: impl IntoIterator<Item = String>) -> Self {
        Self { words: words.to_owned(), values: values.into_iter().collect() }
    }
}

/// Returns the facts that the keywords of a schema state. The keywords of referenced and combined schemas are not read.
///
/// The facts contain no type, no field and no example.
pub(super) fn facts(schema: &Node<'_>) -> Result<Vec<Fact>> {
    let value = |keyword: &str| Ok(schema.own(keyword)?.map(|found| text(found.value())));
    let range = |low: &str, high: &str, one: &str, many: &str| {
        Ok(range(value(low)?, value(high)?, one, many).map(Fact::new))
    };
    let mut facts = Vec::new();
    facts.extend(range("minLength", "maxLength", " character", " characters")?);
    facts.extend(range("minimum", "maximum", "", "")?);
    facts.extend(range("minItems", "maxItems", " element", " elements")?);
    facts.extend(range("minProperties", "maxProperties", " field", " fields")?);
    for (keyword, words) in [
        ("exclusiveMinimum", "greater than"),
        ("exclusiveMaximum", "less than"),
        ("format", "format"),
        ("pattern", "matches"),
        ("const", "always"),
    ] {
        facts.extend(value(keyword)?.map(|value| Fact::of(words, [value])));
    }
    facts.extend(value("multipleOf")?.map(|number| match number.as_str() {
        "1" => Fact::new("a whole number"),
        _ => Fact::of("a multiple of", [number]),
    }));
    if let Some(values) = schema.own("enum")? {
        // The type says whether the value may be null.
        let values = values.elements()?.into_iter().map(|value| value.value());
        facts.push(Fact::of("one of", values.filter(|value| !value.is_null()).map(text)));
    }
    facts.extend(value("default")?.map(|value| Fact::of("default", [value])));
    for (keyword, words) in [
        ("uniqueItems", "no element twice"),
        ("readOnly", "only in answers"),
        ("writeOnly", "only in requests"),
        ("deprecated", "deprecated"),
    ] {
        if schema.own(keyword)?.is_some_and(|found| found.value() == &Value::Bool(true)) {
            facts.push(Fact::new(words));
        }
    }
    Ok(facts)
}

/// Returns the first example that the keywords of a schema give.
pub(super) fn example<'a>(schema: &Node<'a>) -> Result<Option<&'a Value>> {
    if let Some(examples) = schema.own("examples")? {
        return Ok(examples.elements()?.first().map(Node::value));
    }
    Ok(schema.own("example")?.map(|example| example.value()))
}

fn range(low: Option<String>, high: Option<String>, one: &str, many: &str) -> Option<String> {
    let unit = |number: &str| if number == "1" { one } else { many };
    match (low, high) {
        (Some(low), Some(high)) if low == high => Some(format!("exactly {low}{}", unit(&low))),
        (Some(low), Some(high)) => Some(format!("{low} to {high}{}", unit(&high))),
        (Some(low), None) => Some(format!("at least {low}{}", unit(&low))),
        (None, Some(high)) => Some(format!("at most {high}{}", unit(&high))),
        (None, None) => None,
    }
}

/// Returns a value as text: a string without quotation marks, unless it is empty, and any other value as JSON.
pub(super) fn text(value: &Value) -> String {
    match value.as_str() {
        Some(text) if !text.is_empty() => text.to_owned(),
        // Only a map whose key is no scalar has no JSON.
        _ => serde_json::to_string(value).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_words(schema: &str) -> Vec<String> {
        let schema = serde_norway::from_str(schema).unwrap();
        let facts = facts(&Node::root(&schema)).unwrap();
        facts.into_iter().map(|Fact { words, values }| format!("{words} {}", values.join("|"))).collect()
    }

    #[test]
    fn keywords_become_words() {
        for (schema, words) in [
            ("{minLength: 1, maxLength: 255}", "1 to 255 characters "),
            ("{minLength: 1}", "at least 1 character "),
            ("{maximum: 1000000}", "at most 1000000 "),
            ("{minimum: -90, maximum: 90.5}", "-90 to 90.5 "),
            ("{minItems: 2, maxItems: 2}", "exactly 2 elements "),
            ("{enum: [a, '', null, 1, true]}", "one of a|\"\"|1|true"),
            ("{const: 'true'}", "always true"),
            ("{multipleOf: 1}", "a whole number "),
            ("{multipleOf: 0.5}", "a multiple of 0.5"),
            ("{default: false}", "default false"),
            ("{default: null}", "default null"),
            ("{const: {a: 1}}", "always {\"a\":1}"),
            ("{pattern: '^a|b$'}", "matches ^a|b$"),
        ] {
            assert_eq!(in_words(schema), [words], "{schema}");
        }
        assert_eq!(in_words("{type: string, description: D}"), [""; 0]);
        assert_eq!(in_words("{deprecated: true, uniqueItems: false}"), ["deprecated "]);
    }
}
