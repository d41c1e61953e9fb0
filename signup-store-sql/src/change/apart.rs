//! Which change sets have nothing to do with each other.

use std::collections::HashMap;

use signup_core::{ChangeSet, OrganizationId, ReceiptKey, Requirement, Write};

/// A fact that one change set may rely on, and another may change.
#[derive(PartialEq, Eq, Hash)]
enum Fact<'a> {
    EventSlug(&'a str),
    Receipt(&'a ReceiptKey),
    ActiveEvents(OrganizationId),
}

/// Whether none of these can change what another relies on, so that it is the same whether all of them are checked before the
/// first is written, or each before its own writes. That is looked at for those that create events; of others it is not known.
pub(crate) fn are_apart<'a>(changes: impl IntoIterator<Item = &'a ChangeSet>) -> bool {
    let mut owners = HashMap::new();
    changes.into_iter().enumerate().all(|(owner, change)| {
        facts(change)
            .is_some_and(|facts| facts.into_iter().all(|fact| *owners.entry(fact).or_insert(owner) == owner))
    })
}

/// What the change set relies on and what it changes, if all of that is known.
fn facts(change: &ChangeSet) -> Option<Vec<Fact<'_>>> {
    let mut facts = Vec::with_capacity(change.requires.len() + change.writes.len());
    for requirement in &change.requires {
        facts.push(match requirement {
            Requirement::EventSlugFree(slug) => Fact::EventSlug(slug),
            Requirement::NoReceipt { key, .. } => Fact::Receipt(key),
            Requirement::ActiveEventsBelow { organization, .. } => Fact::ActiveEvents(*organization),
            _ => return None,
        });
    }
    for write in &change.writes {
        match write {
            Write::InsertEvent(event) => {
                facts.push(Fact::EventSlug(&event.slug));
                if event.is_published {
                    facts.push(Fact::ActiveEvents(event.organization));
                }
            }
            Write::InsertShifts(_) => {}
            Write::InsertReceipt(receipt) => facts.push(Fact::Receipt(&receipt.key)),
            _ => return None,
        }
    }
    Some(facts)
}
