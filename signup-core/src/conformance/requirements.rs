//! Requirements: when each one holds or is refused, and that a change set is applied completely or not at all.

use std::sync::Arc;

use super::family::{Family, read_all, with_family};
use super::records::*;
use crate::*;

/// Returns the requirements that a record is at a version, and that its gate is at that version. A kind may lack either.
fn at_version(record: &Record, version: u32) -> Vec<Requirement> {
    let (key, entity) = (record.entity().key(), record.entity());
    let unchanged = entity.version().map(|_| Requirement::Unchanged { key: key.clone(), version });
    let gate_unchanged = entity.gate().map(|_| Requirement::GateUnchanged { key, gate: version });
    unchanged.into_iter().chain(gate_unchanged).collect()
}

/// One failed requirement refuses the whole change set: no record of any kind is inserted, replaced or removed.
pub async fn a_refused_change_leaves_no_trace(store: Arc<dyn Store>) {
    let family = with_family(&*store).await;
    let (records, others) = (family.records(), Family::new(2, 2).records());
    let mut writes: Vec<_> = others.iter().cloned().map(Write::insert).collect();
    for after in family.edited() {
        let before = records.iter().find(|record| record.entity().key() == after.entity().key());
        writes.push(put(before.unwrap().clone(), after));
    }
    writes.push(Write::Remove(family.signups[2].clone().into()));
    let key = family.full.shifts[0].key();
    let stale = Requirement::Unchanged { key: key.clone(), version: 2 };
    let requires = vec![unchanged(&family.full.event), stale];
    let refused = try_commit(&*store, ChangeSet { requires, writes }).await;
    assert_eq!(refused, Err(Refusal::Changed(key)));
    assert_eq!(read_all(&*store, &records).await, records, "nothing is replaced or removed");
    assert_eq!(read_all(&*store, &others).await, [], "nothing is inserted");
    assert_eq!(store.statistics().await.unwrap().notices, NoticeCounts { queued: 2, failed: 0 });
}

/// Requirements are checked in their order, also without writes. If several do not hold, the refusal is that of the first.
pub async fn the_first_requirement_that_fails_is_the_refusal(store: Arc<dyn Store>) {
    let Family { full: EventInFull { event, shifts, .. }, .. } = with_family(&*store).await;
    let (key, gate_key, total) = (shifts[0].key(), shifts[1].key(), Total::ActiveEvents(event.organization));
    let filled = Total::Filled(event.organization, shifts[0].id);
    let mut failing = [
        (Requirement::Unchanged { key: key.clone(), version: 2 }, Refusal::Changed(key)),
        (Requirement::GateUnchanged { key: gate_key.clone(), gate: 2 }, Refusal::Changed(gate_key)),
        (absent(Unique::EventSlug(event.slug.clone())), Refusal::Taken(Box::new(event.clone().into()))),
        (
            Requirement::Below { total: total.clone(), bound: 1, now: at(0) },
            Refusal::NotBelow { total, count: 1 },
        ),
        (are_empty(&event, &[shifts[0].id]), Refusal::NotBelow { total: filled.clone(), count: 1 }),
        (
            Requirement::AtLeast { total: filled.clone(), bound: 2, now: at(0) },
            Refusal::NotAtLeast { total: filled, count: 1 },
        ),
    ];
    for _ in 0..failing.len() {
        failing.rotate_left(1);
        let holds = [unchanged(&event), has_room(&shifts[0])];
        let requires = holds.into_iter().chain(failing.iter().map(|(requirement, _)| requirement.clone()));
        assert_eq!(check(&*store, requires.collect()).await, Err(failing[0].1.clone()));
    }
}

/// A requirement of a version or of a gate is refused if the record is at another one, or is missing. It holds again for a
/// change set that read the record after the change. A change of the version alone keeps the gate.
pub async fn a_stale_version_or_gate_is_refused(store: Arc<dyn Store>) {
    let family = with_family(&*store).await;
    let records = family.records();
    let assert_refused = async |record: &Record, version| {
        for requirement in at_version(record, version) {
            let refused = check(&*store, vec![requirement.clone()]).await;
            assert_eq!(refused, Err(Refusal::Changed(record.entity().key())), "{requirement:?}");
        }
    };
    for record in &records {
        let version = record.entity().version().unwrap_or(1);
        assert_eq!(check(&*store, at_version(record, version)).await, Ok(()), "{record:?}");
        assert_refused(record, version - 1).await;
        assert_refused(record, version + 1).await;
    }
    for missing in Family::new(2, 2).records() {
        assert_refused(&missing, 1).await;
    }
    for after in family.edited() {
        let key = after.entity().key();
        let before = records.iter().find(|record| record.entity().key() == key).unwrap();
        let version = Requirement::unchanged(before.entity()).unwrap();
        let requires = vec![version.clone()];
        commit(&*store, ChangeSet { requires, writes: vec![put(before.clone(), after.clone())] }).await;
        assert_eq!(check(&*store, vec![version]).await, Err(Refusal::Changed(key.clone())));
        let mut requires = vec![Requirement::unchanged(after.entity()).unwrap()];
        requires.extend(before.entity().gate().map(|gate| Requirement::GateUnchanged { key, gate }));
        assert_eq!(check(&*store, requires).await, Ok(()), "the gate is kept: {after:?}");
        let raised: Record = match after.clone() {
            Record::Organization(owner) => {
                Organization { version: owner.version + 1, gate: owner.gate + 1, ..*owner }.into()
            }
            Record::Event(event) => next(&event).into(),
            Record::Shift(shift) => next_shift(&shift).into(),
            _ => continue,
        };
        write(&*store, vec![put(after, raised.clone())]).await;
        assert_refused(&raised, 1).await;
        assert_refused(&raised, 4).await;
    }
}
