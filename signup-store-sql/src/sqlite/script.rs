//! Change sets as a script for SQLite. Its first row is a requirement that does not hold: whoever runs it stops there.
//!
//! Change sets that are written by the same statements go one after the other, or together: first the checks of all of them,
//! then table by table the new rows of all of them. That is a few statements for however many, and right only if none of them
//! can change what another relies on ([`are_apart`](super::apart::are_apart)).

use std::iter;

use signup_core::{ChangeSet, StoreError};

use crate::sql::require;
use crate::sql::write::{Statement, Writer};
use crate::sql::{Dialect, Sql, values};

const UNION_ALL: &str = "\nUNION ALL ";

/// What checks a change set, and what writes it.
#[derive(Debug)]
pub(crate) struct Parts {
    /// A query for what does not hold; empty if nothing is required.
    checks: Sql,
    writes: Vec<Statement>,
}

impl Parts {
    pub(crate) fn of(change: &ChangeSet) -> Result<Self, StoreError> {
        let mut checks = Sql::new(Dialect::Sqlite);
        for (number, requirement) in change.requires.iter().enumerate() {
            checks.push(if number == 0 { "" } else { UNION_ALL });
            require::check(&mut checks, number, requirement);
        }
        let writer = Writer { dialect: Dialect::Sqlite, when: "TRUE" };
        let mut writes = Vec::with_capacity(change.writes.len());
        for write in &change.writes {
            // What the checks found free is free: this writer is alone.
            writes.append(&mut writer.statements(write, None)?);
        }
        Ok(Self { checks, writes })
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        iter::once(self.checks.text()).chain(self.writes.iter().map(|write| write.text.as_str()))
    }

    /// Whether the same statements check and write both.
    pub(crate) fn are_like(&self, other: &Self) -> bool {
        self.texts().eq(other.texts())
    }

    /// How long the texts are, in bytes.
    pub(crate) fn length(&self) -> usize {
        self.texts().map(str::len).sum()
    }

    /// Whether all that is written is rows of which a statement takes any number.
    pub(crate) fn take_rows_of_many(&self) -> bool {
        self.writes.iter().all(|write| write.rows.is_some())
    }

    /// Appends it to a script of change sets that go one after the other. Its row is the first requirement that does not hold,
    /// behind the label.
    pub(crate) fn add_to(self, script: &mut Sql, label: &str) {
        if !self.checks.text().is_empty() {
            script.add("SELECT ?, * FROM (", values![label]);
            append(script, self.checks);
            script.push(");\n");
        }
        for Statement { text, values, .. } in self.writes {
            script.add(&text, values);
            script.push(";\n");
        }
    }
}

/// The script that writes all of them together, or nothing. They are alike, and [`take_rows_of_many`](Parts::take_rows_of_many).
pub(crate) fn together(all: Vec<Parts>) -> Sql {
    let mut script = Sql::new(Dialect::Sqlite);
    let mut writes = Vec::with_capacity(all.len());
    for parts in all {
        script.push(if script.text().is_empty() { "" } else { UNION_ALL });
        append(&mut script, parts.checks);
        writes.push(parts.writes.into_iter());
    }
    script.push(if script.text().is_empty() { "" } else { ";\n" });
    while let Some(statements) = writes.iter_mut().map(Iterator::next).collect::<Option<Vec<_>>>() {
        add_rows(&mut script, statements);
    }
    script
}

/// Appends a script.
fn append(script: &mut Sql, Sql { text, values, .. }: Sql) {
    script.text.push_str(&text);
    script.values.extend(values);
}

/// Appends one statement that does what all of these do.
fn add_rows(script: &mut Sql, statements: Vec<Statement>) {
    let mut end = String::new();
    for (place, Statement { text, values, rows, .. }) in statements.into_iter().enumerate() {
        let rows = rows.unwrap_or_default();
        script.push(if place == 0 { &text[..rows.start] } else { UNION_ALL });
        script.add(&text[rows.clone()], values);
        if place == 0 {
            text[rows.end..].clone_into(&mut end);
        }
    }
    script.push(&end);
    script.push(";\n");
}

#[cfg(test)]
mod tests {
    use signup_core::Write;
    use signup_core::conformance::records::{event, receipt, receipt_key, shift};

    use super::*;

    /// However many: one query for all checks, and one statement for each table.
    #[test]
    fn creates_that_go_together_are_as_many_statements_as_one() {
        let create = |number: u32| {
            let event = event(1, number);
            let shifts = vec![shift(&event, number * 10, 5), shift(&event, number * 10 + 1, 5)];
            let receipt = receipt(receipt_key(1, &format!("key-{number}")), &event, &shifts);
            let requires = vec![signup_core::Requirement::EventSlugFree(event.slug.clone())];
            let writes = vec![
                Write::InsertEvent { event: Box::new(event), location_data: None },
                Write::InsertShifts(shifts),
                Write::InsertReceipt(Box::new(receipt)),
            ];
            Parts::of(&ChangeSet { requires, writes }).unwrap()
        };
        let all: Vec<_> = (1..=8).map(create).collect();
        assert!(all.iter().all(|parts| parts.take_rows_of_many() && parts.are_like(&all[0])));
        let script = together(all);
        assert_eq!(script.text().matches(";\n").count(), 4, "{}", script.text());
        assert_eq!(script.text().matches("INSERT INTO").count(), 3, "{}", script.text());
    }
}
