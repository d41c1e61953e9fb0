//! The people of a mail by name. Several people can share an address.

use std::collections::HashSet;

use signup_core::PersonName;

use super::name::safe_name;
use crate::texts::Texts;

/// The maximum number of names in a heading, a subject or a greeting.
const MAX_NAMES: usize = 3;
/// The maximum length of names together, in characters.
const MAX_CHARACTERS: usize = 60;

/// The people of a mail, or of a part of it, in order. Each person is in it once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct People {
    /// The name of each person, or `None` if the mail must leave the name out.
    names: Vec<Option<String>>,
}

impl People {
    pub(super) fn of<'a>(names: impl IntoIterator<Item = &'a PersonName>) -> Self {
        let mut keys = HashSet::new();
        let names = names.into_iter().filter(|name| keys.insert(name.key()));
        Self { names: names.map(safe_name).collect() }
    }

    pub(super) fn count(&self) -> usize {
        self.names.len()
    }

    /// Returns the names for `Hello Ada and Ben,`. `None` if the mail may not show all of them, or if there are many.
    pub(super) fn greeting(&self, texts: Texts) -> Option<String> {
        let all = self.names.iter().cloned().collect::<Option<Vec<_>>>()?;
        (all.len() <= MAX_NAMES && is_short(&all)).then(|| texts.joined(all))
    }

    /// Returns the people for a heading, such as `Ada and Ben`, `Ada, Ben and 2 more`, or `2 people`.
    pub(super) fn in_words(&self, texts: Texts) -> String {
        let shown: Vec<_> = self.names.iter().flatten().take(MAX_NAMES).cloned().collect();
        self.and_more(if is_short(&shown) { shown } else { vec![] }, texts)
    }

    /// Returns every name that the mail may show, and the number of the other people.
    pub(super) fn all(&self, texts: Texts) -> String {
        self.and_more(self.names.iter().flatten().cloned().collect(), texts)
    }

    fn and_more(&self, mut shown: Vec<String>, texts: Texts) -> String {
        match (self.names.len() - shown.len(), shown.is_empty()) {
            (0, _) => {}
            (count, true) => return texts.number_of_people(count),
            (more, false) => shown.push(texts.more_people(more)),
        }
        texts.joined(shown)
    }
}

fn is_short(names: &[String]) -> bool {
    names.iter().map(|name| name.chars().count()).sum::<usize>() <= MAX_CHARACTERS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_named_once_and_only_by_names_that_a_mail_may_show() {
        let long = "x".repeat(50);
        for (names, greeting, heading, all) in [
            (&["Ada"][..], Some("Ada"), "Ada", "Ada"),
            (&["Ada", "Ben", " ADA"], Some("Ada and Ben"), "Ada and Ben", "Ada and Ben"),
            (&["Ada", "Ben", "Cy"], Some("Ada, Ben and Cy"), "Ada, Ben and Cy", "Ada, Ben and Cy"),
            (&["A", "B", "C", "D", "E"], None, "A, B, C and 2 more", "A, B, C, D and E"),
            (&["Ada", "evil.example"], None, "Ada and 1 more", "Ada and 1 more"),
            (&["evil.example"], None, "1 person", "1 person"),
            (&["evil.example", "a@b"], None, "2 people", "2 people"),
            (&[&long, "Ada Lovelace"], None, "2 people", &format!("{long} and Ada Lovelace")),
        ] {
            let names: Vec<PersonName> = names.iter().map(|name| name.parse().unwrap()).collect();
            let people = People::of(&names);
            assert_eq!(people.greeting(Texts::ENGLISH).as_deref(), greeting, "{names:?}");
            assert_eq!(
                (&*people.in_words(Texts::ENGLISH), &*people.all(Texts::ENGLISH)),
                (heading, all),
                "{names:?}"
            );
        }
    }
}
