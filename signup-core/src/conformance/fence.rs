//! Tenant isolation: an organization reads and requires only its own records.

use std::sync::Arc;

use super::family::{Family, read_all, seen, with_family};
use super::records::*;
use super::totals::count;
use crate::*;

/// Returns records of the organization 2 with the ids of the records of the organization 1.
fn foreign() -> (Family, Vec<Record>) {
    let foreign = Family::new(2, 1);
    let mut records = foreign.records();
    records.retain(|record| record.kind() != Kind::Organization);
    (foreign, records)
}

/// No read that names an organization returns another organization's records, deleted or not.
pub async fn no_read_sees_another_organizations_records(store: Arc<dyn Store>) {
    let family = with_family(&*store).await;
    let (foreign, records) = foreign();
    let other = foreign.organization.id;
    commit(&*store, insert([foreign.organization.clone()])).await;
    for what in ["an event", "a deleted event"] {
        assert_eq!(read_all(&*store, &records).await, [], "no record of {what} of another organization");
        for (read, records) in seen(&*store, &foreign).await {
            assert_eq!(records, [], "{read} of {what} of another organization");
        }
        assert_eq!(store.tokens(other).await.unwrap(), []);
        assert_eq!(store.webhooks(other).await.unwrap(), []);
        let deliveries = store.deliveries(other, foreign.webhook.id, &DeliveryQuery::new()).await.unwrap();
        assert_eq!(deliveries.items, []);
        assert_eq!(store.deleted_events(other, None, 9).await.unwrap(), []);
        assert_eq!(store.signup_in_full(other, foreign.signups[0].id).await.unwrap(), None);
        assert_eq!(store.links(other, &foreign.links[0].mailbox).await.unwrap(), []);
        let all = SignupQuery::new().with_deleted();
        for query in [
            all.clone(),
            all.clone().of_event(foreign.full.event.id),
            all.clone().of_shift(foreign.full.shifts[0].id),
            all.clone().email(foreign.signups[0].email.clone()),
            all.status(SignupStatus::Cancelled),
        ] {
            assert_eq!(store.signups_in_full(other, &query).await.unwrap(), [], "in full: {query:?}");
            let found = store.signups(other, &query).await.unwrap().items;
            assert_eq!(found, [], "no sign-ups of another organization: {query:?}");
        }
        let event = &family.full.event;
        write(&*store, vec![put(event.clone(), deleted(event, at(5)))]).await;
    }
}

/// A requirement that names an organization treats records of others as missing, and does not count them.
pub async fn no_requirement_sees_another_organizations_records(store: Arc<dyn Store>) {
    let family = with_family(&*store).await;
    let (foreign, records) = foreign();
    commit(&*store, insert([foreign.organization.clone()])).await;
    for record in &records {
        let (key, entity) = (record.entity().key(), record.entity());
        let version = Requirement::unchanged(entity);
        let gate = entity.gate().map(|gate| Requirement::GateUnchanged { key: key.clone(), gate });
        for requirement in version.into_iter().chain(gate) {
            let refused = check(&*store, vec![requirement.clone()]).await;
            assert_eq!(refused, Err(Refusal::Changed(key.clone())), "{requirement:?}");
        }
        for share in entity.shares() {
            assert_eq!(count(&*store, &share.total, at(0)).await, 0, "{:?}", share.total);
        }
        for unique in entity.uniques() {
            if matches!(unique, Unique::Place(..) | Unique::Receipt(_)) {
                assert_eq!(check(&*store, vec![absent(unique)]).await, Ok(()), "{record:?}");
            }
        }
    }
    let shifts = family.full.shifts.iter().map(|shift| shift.id).collect::<Vec<_>>();
    let empty = are_empty(&foreign.full.event, &shifts);
    assert_eq!(check(&*store, vec![empty]).await, Ok(()), "only its own sign-ups count");
}
