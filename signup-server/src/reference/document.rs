//! The API description as a tree. Each value has its place, which error messages name.

use percent_encoding::percent_decode_str;
use serde_norway::Value;

/// The maximum number of references in a chain, so that a chain that returns to itself ends.
const MAX_REFERENCES: usize = 32;

/// A fault of the description, with its place as a JSON pointer.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub(crate) struct DocumentError {
    place: String,
    problem: String,
}

pub(super) type Result<T> = std::result::Result<T, DocumentError>;

/// A value of the description, and its place.
#[derive(Debug, Clone)]
pub(super) struct Node<'a> {
    document: &'a Value,
    value: &'a Value,
    place: String,
}

impl<'a> Node<'a> {
    /// Returns the whole document.
    pub(super) fn root(document: &'a Value) -> Self {
        Self { document, value: document, place: "#".to_owned() }
    }

    pub(super) fn value(&self) -> &'a Value {
        self.value
    }

    /// Returns the place as a URL fragment, such as `#/components/schemas/Event`.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// Returns an error at this place.
    pub(super) fn fault(&self, problem: impl Into<String>) -> DocumentError {
        DocumentError { place: self.place.clone(), problem: problem.into() }
    }

    /// Returns a member of this object. Follows no reference.
    pub(super) fn own(&self, name: &str) -> Result<Option<Self>> {
        let members = self.value.as_mapping().ok_or_else(|| self.fault("must be an object"))?;
        Ok(members.get(name).map(|value| self.child(name, value)))
    }

    /// Returns a member of this object or, if the object lacks the member, of the object that its `$ref` refers to.
    ///
    /// So a description beside a `$ref` replaces the description of the target, as OpenAPI 3.1 prescribes. A schema has
    /// other rules: see [`Shape`](super::schema::Shape).
    pub(super) fn find(&self, name: &str) -> Result<Option<Self>> {
        let mut node = self.clone();
        for _ in 0..MAX_REFERENCES {
            if let Some(found) = node.own(name)? {
                return Ok(Some(found));
            }
            match node.target()? {
                Some((_, target)) => node = target,
                None => return Ok(None),
            }
        }
        Err(self.fault("refers to itself"))
    }

    /// Returns a member as [`find`](Self::find) does.
    ///
    /// # Errors
    /// Fails if there is no such member.
    pub(super) fn require(&self, name: &str) -> Result<Self> {
        self.find(name)?.ok_or_else(|| self.fault(format!("lacks `{name}`")))
    }

    /// Returns the text of a member that [`find`](Self::find) returns.
    pub(super) fn find_text(&self, name: &str) -> Result<Option<&'a str>> {
        self.find(name)?.map(|found| found.text()).transpose()
    }

    /// Returns whether a member that [`find`](Self::find) returns is `true`.
    pub(super) fn is_set(&self, name: &str) -> Result<bool> {
        let Some(found) = self.find(name)? else { return Ok(false) };
        found.value.as_bool().ok_or_else(|| found.fault("must be true or false"))
    }

    /// Returns the members of an object in a member that [`find`](Self::find) returns, in the order of the document.
    pub(super) fn find_members(&self, name: &str) -> Result<Vec<(&'a str, Self)>> {
        self.find(name)?.map_or_else(|| Ok(Vec::new()), |found| found.members())
    }

    /// Returns the elements of an array in a member that [`find`](Self::find) returns.
    pub(super) fn find_elements(&self, name: &str) -> Result<Vec<Self>> {
        self.find(name)?.map_or_else(|| Ok(Vec::new()), |found| found.elements())
    }

    /// Returns the text of this reference and its target. Returns `None` if this object is no reference.
    pub(super) fn target(&self) -> Result<Option<(&'a str, Self)>> {
        let Some(reference) = self.own("$ref")? else { return Ok(None) };
        let text = reference.text()?;
        let pointer = text
            .strip_prefix('#')
            .ok_or_else(|| reference.fault(format!("{text} is not within the document")))?;
        let mut target = Self::root(self.document);
        for step in pointer.split('/').skip(1) {
            let step = percent_decode_str(step).decode_utf8_lossy().replace("~1", "/").replace("~0", "~");
            let value = match target.value {
                Value::Sequence(elements) => step.parse().ok().and_then(|at: usize| elements.get(at)),
                value => value.get(&step),
            };
            let value = value.ok_or_else(|| reference.fault(format!("{text} does not exist")))?;
            target = target.child(&step, value);
        }
        Ok(Some((text, target)))
    }

    pub(super) fn text(&self) -> Result<&'a str> {
        self.value.as_str().ok_or_else(|| self.fault("must be a string"))
    }

    /// Returns the members of this object, in the order of the document.
    pub(super) fn members(&self) -> Result<Vec<(&'a str, Self)>> {
        let members = self.value.as_mapping().ok_or_else(|| self.fault("must be an object"))?;
        let member = |(key, value): (&'a Value, &'a Value)| {
            let key = key.as_str().ok_or_else(|| self.fault("has a key that is not a string"))?;
            Ok((key, self.child(key, value)))
        };
        members.iter().map(member).collect()
    }

    /// Returns the elements of this array.
    pub(super) fn elements(&self) -> Result<Vec<Self>> {
        let elements = self.value.as_sequence().ok_or_else(|| self.fault("must be an array"))?;
        Ok(elements.iter().enumerate().map(|(at, value)| self.child(&at.to_string(), value)).collect())
    }

    fn child(&self, step: &str, value: &'a Value) -> Self {
        let step = step.replace('~', "~0").replace('/', "~1");
        Self { document: self.document, value, place: format!("{}/{step}", self.place) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_beside_a_reference_replaces_the_member_of_the_target() {
        let document = serde_norway::from_str(
            "{a/b: {summary: S, description: D}, c: {$ref: '#/a~1b', description: own}, d: {$ref: '#/c'}}",
        )
        .unwrap();
        let c = Node::root(&document).require("c").unwrap();
        assert_eq!(c.find_text("summary"), Ok(Some("S")));
        assert_eq!(c.find_text("description"), Ok(Some("own")));
        let d = Node::root(&document).require("d").unwrap();
        assert_eq!(d.find_text("description"), Ok(Some("own")));
        assert_eq!(d.find_text("title"), Ok(None));
    }

    #[test]
    fn a_fault_names_its_place() {
        let document = serde_norway::from_str(
            "{a/b: [{$ref: '#/nowhere'}, {$ref: 'other.yaml'}, {$ref: '#/a~1b/2'}, 7]}",
        )
        .unwrap();
        let elements = Node::root(&document).find_elements("a/b").unwrap();
        let fault = |at: usize| elements[at].find_text("x").unwrap_err().to_string();
        assert_eq!(fault(0), "#/a~1b/0/$ref: #/nowhere does not exist");
        assert_eq!(fault(1), "#/a~1b/1/$ref: other.yaml is not within the document");
        assert_eq!(fault(2), "#/a~1b/2: refers to itself");
        assert_eq!(fault(3), "#/a~1b/3: must be an object");
    }
}
