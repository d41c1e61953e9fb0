//! The people of a mail by name. Several people can share an address.

use std::collections::HashSet;

use signup_core::PersonName;

use super::name::safe_name;

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
    pub(super) fn greeting(&self) -> Option<String> {
        let all = self.names.iter().cloned().collect::<Option<Vec<_>>>()?;
        (all.len() <= MAX_NAMES && is_short(&all)).then(|| joined(all))
    }

    /// Returns the people for a heading, such as `Ada and Ben`, `Ada, Ben and 2 more`, or `2 people`.
    pub(super) fn in_words(&self) -> String {
        let shown: Vec<_> = self.names.iter().flatten().take(MAX_NAMES).cloned().collect();
        if is_short(&shown) { self.and_more(shown) } else { self.and_more(vec![]) }
    }

    /// Returns every name that the mail may show, and the number of the other people.
    pub(super) fn all(&self) -> String {
        self.and_more(self.names.iter().flatten().cloned().collect())
    }

    fn and_more(&self, mut shown: Vec<String>) -> String {
        match (self.names.len() - shown.len(), shown.is_empty()) {
            (0, _) => {}
            (1, true) => return "1 person".to_owned(),
            (count, true) => return format!("{count} people"),
            (more, false) => shown.push(format!("{more} more")),
        }
        joined(shown)
    }
}

fn is_short(names: &[String]) -> bool {
    names.iter().map(|name| name.chars().count()).sum::<usize>() <= MAX_CHARACTERS
}

/// Joins texts as a sentence does: `Ada`, `Ada and Ben`, `Ada, Ben and Cy`.
pub(super) fn joined(mut texts: Vec<String>) -> String {
    match texts.pop() {
        Some(last) if !texts.is_empty() => format!("{} and {last}", texts.join(", ")),
        last => last.unwrap_or_default(),
    }
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
            assert_eq!(people.greeting().as_deref(), greeting, "{names:?}");
            assert_eq!((&*people.in_words(), &*people.all()), (heading, all), "{names:?}");
        }
    }
}
