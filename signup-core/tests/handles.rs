//! The handles as an embedding program uses them: typed input, sessions, keys, pages, and the operator's handle.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use signup_core::store::EventQuery;
use signup_core::*;
use signup_store_memory::MemoryStore;

async fn session(plan: Plan) -> (Service, Session) {
    let service =
        Service::new(MemoryStore::new()).with_clock(FixedClock::at("2027-06-05T12:00:00Z".parse().unwrap()));
    let new = NewOrganization::new("Riverside".parse().unwrap()).plan(plan);
    let organization = service.admin().create_organization(new).await.unwrap();
    let session = service.session_for(organization.id, Scopes::all()).await.unwrap();
    (service, session)
}

fn event(start: Date) -> NewEvent {
    let packing = NewShift::new("Packing".parse().unwrap(), Capacity::new(2).unwrap())
        .hours(Hours::between(time(9, 0, 0, 0), time(12, 0, 0, 0)).unwrap())
        .location("Dock 4".parse().unwrap());
    NewEvent::new("Food drive".parse().unwrap(), start, "America/New_York".parse().unwrap()).shift(packing)
}

fn fields(error: Error) -> Vec<String> {
    let Error::Invalid(faults) = error else { panic!("{error:?}") };
    faults.iter().map(|fault| fault.field.clone()).collect()
}

#[tokio::test]
async fn a_session_for_an_unknown_organization_is_not_found() {
    let (service, _) = session(Plan::Free).await;
    let error = service.session_for(OrganizationId::NONE, Scopes::all()).await.unwrap_err();
    assert!(error.is_not_found());
}

#[tokio::test]
async fn a_session_is_limited_to_its_scopes() {
    let (service, all) = session(Plan::Free).await;
    let readers = Scopes::from_iter([Scope::EventsRead]);
    let reader = service.session_for(all.organization_id(), readers).await.unwrap();
    assert!(reader.events(EventQuery::default()).await.is_ok());
    let error = reader.create_event(event(date(2027, 7, 3))).await.unwrap_err();
    assert!(matches!(error, Error::MissingScope(Scope::EventsWrite)), "{error:?}");
}

#[tokio::test]
async fn the_dates_of_a_typed_event_are_checked() {
    let (_, session) = session(Plan::Free).await;
    for (start, end, field) in [
        (date(1969, 12, 31), None, "start_date"),
        (date(2027, 7, 3), Some(date(2027, 7, 2)), "end_date"),
        (date(2027, 7, 3), Some(date(9999, 1, 1)), "end_date"),
        (date(2027, 7, 3), Some(date(2027, 7, 10)), "end_date"),
    ] {
        let event = event(start);
        let event = if let Some(end) = end { event.end_date(end) } else { event };
        assert_eq!(fields(session.create_event(event).await.unwrap_err()), [field], "{start} {end:?}");
    }
    let week = event(date(2027, 7, 3)).end_date(date(2027, 7, 9));
    assert!(session.create_event(week).await.is_ok(), "the free plan allows seven days");
}

#[test]
fn hours_with_seconds_or_without_length_are_refused() {
    assert_eq!(Hours::between(time(9, 0, 1, 0), time(12, 0, 0, 0)), Err(TimeError::WallTime));
    assert_eq!(Hours::between(time(12, 0, 0, 0), time(12, 0, 0, 0)), Err(TimeError::Order));
}

#[tokio::test]
async fn a_malformed_key_is_a_fault_of_the_write_after_the_scope_was_checked() {
    let (service, session) = session(Plan::Free).await;
    let malformed = Err(Faults::one("Idempotency-Key", "must be given once"));
    let error = session.with_checked_key(malformed.clone()).create_event(event(date(2027, 7, 3))).await;
    assert_eq!(fields(error.unwrap_err()), ["Idempotency-Key"]);
    let none = service.session_for(session.organization_id(), Scopes::default()).await.unwrap();
    let error = none.with_checked_key(malformed).create_event(event(date(2027, 7, 3))).await.unwrap_err();
    assert!(matches!(error, Error::MissingScope(_)), "{error:?}");
}

#[tokio::test]
async fn a_replay_is_returned_even_if_the_input_is_wrong() {
    let (_, session) = session(Plan::Free).await;
    let keyed = session.with_key("key".parse().unwrap());
    let first = keyed.create_event(event(date(2027, 7, 3))).await.unwrap();
    let again = keyed.create_event(&EventInput::default()).await.unwrap();
    assert!(again.is_replay);
    assert_eq!(again.outcome, first.outcome);
}

#[tokio::test]
async fn a_patch_clears_the_location_only_on_request() {
    let (_, session) = session(Plan::Free).await;
    let shift = session.create_event(event(date(2027, 7, 3))).await.unwrap().outcome.shifts.remove(0);
    let renamed = ShiftPatch::new().title("Sorting".parse().unwrap());
    let shift = session.patch_shift(shift.id, renamed).await.unwrap().outcome;
    assert_eq!(shift.location.unwrap().as_str(), "Dock 4");
    let cleared = session.patch_shift(shift.id, ShiftPatch::new().clear_location()).await.unwrap().outcome;
    assert_eq!((cleared.location, cleared.title.as_str()), (None, "Sorting"));
}

#[tokio::test]
async fn a_walk_through_the_pages_returns_every_event_and_ends() {
    let (_, session) = session(Plan::Free).await;
    for day in 1..=7 {
        session.create_event(event(date(2027, 7, day))).await.unwrap();
    }
    let mut pages = session.event_pages(EventQuery { limit: 3, ..EventQuery::default() });
    let mut lengths = Vec::new();
    while let Some(page) = pages.next().await.unwrap() {
        lengths.push(page.events.len());
        assert!(lengths.len() <= 3, "7 events make 3 pages");
    }
    assert_eq!(lengths, [3, 3, 1]);
    assert_eq!(pages.next().await.unwrap(), None);
}

#[tokio::test]
async fn an_operator_cancels_a_sign_up_by_its_id() {
    let (service, session) = session(Plan::Free).await;
    let created = session.create_event(event(date(2027, 7, 3)).published()).await.unwrap().outcome;
    let (organization, shift) = (session.organization_id(), created.shifts[0].id);
    let ada = SignUpInput { name: "Ada".into(), email: "ada@example.org".into(), ..SignUpInput::default() };
    let signup = service.public().sign_up(organization, created.event.id, shift, &ada).await.unwrap().signup;
    let cancelled = service.admin().cancel_signup(organization, signup.id).await.unwrap();
    assert_eq!(cancelled.status, SignupStatus::Cancelled);
    assert_eq!(session.shifts(created.event.id).await.unwrap()[0].occupancy.filled, 0);
    let elsewhere = service.admin().cancel_signup(OrganizationId::NONE, signup.id).await;
    assert!(elsewhere.unwrap_err().is_not_found());
}

/// A server can run every write in its own task.
#[test]
fn the_future_of_a_write_can_be_spawned() {
    fn spawnable<T: Send>(_: impl FnOnce(&'static Service, &'static Session) -> T) {}
    spawnable(|service, session| async {
        drop(session.create_event(&EventInput::default()).await);
        drop(session.create_event(event(date(2027, 7, 3))).await);
        drop(session.duplicate_event(EventId::NONE, date(2027, 7, 3)).await);
        drop(session.patch_shift(ShiftId::NONE, ShiftPatch::new()).await);
        let (public, volunteer) = (service.public(), SignUpInput::default());
        drop(public.sign_up(OrganizationId::NONE, EventId::NONE, ShiftId::NONE, &volunteer).await);
    });
}
