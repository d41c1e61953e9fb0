//! Races for an external id, each call in a process of its own. The calls go through the handles of a [`Service`], so the rules
//! and the locks of the store are tested together.

use std::sync::Arc;

use tokio::sync::Barrier;

use super::records::{commit, event, insert, organization, organization_id, shift, stored, uuid};
use crate::uuid::Uuid;
use crate::*;

/// Makes all calls at the same time: call `number` in process `number`, from 0. Asserts that one of them gets the id, and that
/// the others are refused with the record that has it. Returns that record.
async fn race<F>(store: &Arc<dyn Store>, count: u32, call: impl Fn(Session, ExternalId, u32) -> F) -> Uuid
where
    F: Future<Output = Result<Uuid>> + Send + 'static,
{
    let id: ExternalId = "roster/7".parse().unwrap();
    let start = Arc::new(Barrier::new(count as usize));
    let mut tasks = vec![];
    for number in 0..count {
        let process = Service::shared(Arc::clone(store)).with_clock(TokioClock);
        let session = process.session_for(organization_id(1), Scopes::all()).await.unwrap();
        let (call, start) = (call(session, id.clone(), number), Arc::clone(&start));
        tasks.push(tokio::spawn(async move {
            start.wait().await;
            call.await
        }));
    }
    let mut outcomes = vec![];
    for task in tasks {
        outcomes.push(task.await.unwrap());
    }
    let winners: Vec<_> = outcomes.iter().flatten().copied().collect();
    let [existing_id] = winners[..] else { panic!("{outcomes:?}") };
    let refused = Err(Error::ExternalIdTaken { existing_id });
    assert!(
        outcomes.iter().all(|outcome| *outcome == Ok(existing_id) || *outcome == refused),
        "{outcomes:?}"
    );
    existing_id
}

/// Of 16 simultaneous creates of events with one external id, one succeeds, and so of 16 additions of shifts. The others are
/// refused with the record that has the id.
pub async fn one_of_many_simultaneous_creates_gets_an_external_id(store: Arc<dyn Store>) {
    commit(&*store, insert::<Record>([organization(1).into(), event(1, 1).into()])).await;
    let created = race(&store, 16, |session, id, _| async move {
        let day = date(2027, 6, 5);
        let new = NewEvent::new("Food drive".parse().unwrap(), day, "UTC".parse().unwrap());
        Ok(session.create_event(new.external_id(id)).await?.event.id.uuid())
    })
    .await;
    let query = EventQuery::new().external_id("roster/7".parse().unwrap());
    let found = store.events(organization_id(1), &query).await.unwrap().items;
    assert_eq!(found.iter().map(|event| event.id.uuid()).collect::<Vec<_>>(), [created]);
    let event = EventId::new(uuid(1));
    let added = race(&store, 16, |session, id, _| async move {
        let new = NewShift::new("Packing".parse().unwrap(), Capacity::new(2).unwrap()).external_id(id);
        Ok(session.add_shifts(event, vec![new]).await?[0].id.uuid())
    })
    .await;
    let shifts = store.shifts(organization_id(1), event).await.unwrap().unwrap();
    assert_eq!(shifts.iter().map(|shift| shift.id.uuid()).collect::<Vec<_>>(), [added]);
}

/// Of 8 simultaneous patches of events that set one external id, one succeeds, and so of 4 patches of shifts of one event beside 4
/// additions of a shift. The others are refused with the record that has the id.
pub async fn one_of_many_simultaneous_patches_gets_an_external_id(store: Arc<dyn Store>) {
    let events = [0, 1, 2, 3, 4, 5, 6, 7].map(|number| event(1, number));
    let shifts = [0, 1, 2, 3, 4, 5, 6, 7].map(|number| shift(&events[0], number, 2));
    commit(&*store, insert([organization(1)])).await;
    commit(&*store, insert(events.clone())).await;
    commit(&*store, insert(shifts)).await;
    let patched = race(&store, 8, |session, id, number| async move {
        let patch = EventPatch::new().external_id(id);
        Ok(session.patch_event(EventId::new(uuid(number)), patch).await?.event.id.uuid())
    })
    .await;
    for event in &events {
        let has_id = stored(&*store, event).await.unwrap().external_id.is_some();
        assert_eq!(has_id, event.id.uuid() == patched);
    }
    let event = events[0].id;
    let holder = race(&store, 8, |session, id, number| async move {
        if number % 2 == 0 {
            let patch = ShiftPatch::new().external_id(id);
            return Ok(session.patch_shift(ShiftId::new(uuid(number)), patch).await?.id.uuid());
        }
        let new = NewShift::new("Packing".parse().unwrap(), Capacity::new(2).unwrap()).external_id(id);
        Ok(session.add_shifts(event, vec![new]).await?[0].id.uuid())
    })
    .await;
    let found = store.shifts(organization_id(1), event).await.unwrap().unwrap();
    let holders = found.iter().filter(|shift| shift.external_id.is_some());
    assert_eq!(holders.map(|shift| shift.id.uuid()).collect::<Vec<_>>(), [holder]);
}
