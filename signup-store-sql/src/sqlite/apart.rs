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
            Write::InsertEvent { event, .. } => {
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

#[cfg(test)]
mod tests {
    use signup_core::Plan;
    use signup_core::conformance::records::{at, event, receipt, receipt_key, shift};

    use super::*;

    /// A create as the service makes it, in an organization, with a key.
    fn create(number: u32, organization: u32, is_published: bool, key: &str) -> ChangeSet {
        let mut event = event(organization, number);
        event.is_published = is_published;
        let shifts = vec![shift(&event, number * 10, 5)];
        let receipt = receipt(receipt_key(organization, key), &event, &shifts);
        let mut requires = vec![
            Requirement::NoReceipt { key: receipt.key.clone(), now: at(0) },
            Requirement::EventSlugFree(event.slug.clone()),
        ];
        if is_published {
            let organization = event.organization;
            requires.push(Requirement::ActiveEventsBelow { organization, limit: 5, now: at(0) });
        }
        let writes = vec![
            Write::InsertEvent { event: Box::new(event), location_data: None },
            Write::InsertShifts(shifts),
            Write::InsertReceipt(Box::new(receipt)),
        ];
        ChangeSet { requires, writes }
    }

    /// What one of them writes is what the other was checked for.
    #[test]
    fn creates_are_apart_unless_they_share_a_slug_a_key_or_a_limit() {
        let draft = create(1, 1, false, "a");
        assert!(are_apart([&draft, &create(2, 1, false, "b"), &create(3, 2, true, "a")]));
        assert!(are_apart([&draft, &create(2, 1, true, "b")]), "a draft is no active event");
        assert!(!are_apart([&draft, &create(1, 1, false, "b")]), "a slug");
        assert!(!are_apart([&draft, &create(2, 1, false, "a")]), "a key");
        assert!(!are_apart([&create(1, 1, true, "a"), &create(2, 1, true, "b")]), "a limit");
        let mut unlimited = create(1, 1, true, "a");
        unlimited.requires.pop();
        assert!(!are_apart([&unlimited, &create(2, 1, true, "b")]), "the other's limit");
    }

    #[test]
    fn what_is_no_create_is_not_known_to_be_apart() {
        let create = create(1, 1, false, "a");
        let organization = receipt_key(2, "a").organization;
        let writes = vec![Write::SetPlan { organization, plan: Plan::Free }];
        assert!(!are_apart([&create, &ChangeSet { requires: vec![], writes }]));
        let requires = vec![Requirement::NoOrganization];
        assert!(!are_apart([&create, &ChangeSet { requires, writes: vec![] }]));
    }
}
