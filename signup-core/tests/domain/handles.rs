//! The handles as an embedding program uses them: typed input, sessions, keys, pages, and the operator's handle.

use signup_core::*;
use signup_store_memory::MemoryStore;

fn ada() -> NewSignup {
    NewSignup::new("Ada".parse().unwrap(), "ada@example.org".parse().unwrap())
}

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
    faults.iter().map(|fault| fault.path.to_string()).collect()
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

#[tokio::test]
async fn a_typed_event_has_at_most_500_shifts() {
    let (_, session) = session(Plan::Free).await;
    let shift = NewShift::new("Packing".parse().unwrap(), Capacity::new(2).unwrap());
    let many = (0..500).fold(event(date(2027, 7, 3)), |event, _| event.shift(shift.clone()));
    assert_eq!(fields(session.create_event(many).await.unwrap_err()), ["shifts"]);
}

#[tokio::test]
async fn a_page_limit_out_of_range_is_clamped() {
    let (_, session) = session(Plan::Free).await;
    for day in 1..=2 {
        session.create_event(event(date(2027, 7, day))).await.unwrap();
    }
    for (limit, length) in [(0, 1), (1, 1), (u32::MAX, 2)] {
        let query = EventQuery::new().limit(limit);
        assert_eq!(session.events(query).await.unwrap().items.len(), length, "{limit}");
    }
}

#[tokio::test]
async fn sessions_without_a_token_share_a_rate_only_within_their_organization() {
    let (service, here) = session(Plan::Free).await;
    let other = NewOrganization::new("Hillside".parse().unwrap());
    let other = service.admin().create_organization(other).await.unwrap();
    let elsewhere = service.session_for(other.id, Scopes::all()).await.unwrap();
    let address = std::net::Ipv4Addr::LOCALHOST.into();
    for _ in 0..31 {
        service.count_request(Some(&here), address).await.unwrap();
    }
    assert!(!service.count_request(Some(&here), address).await.unwrap().is_allowed);
    assert!(service.count_request(Some(&elsewhere), address).await.unwrap().is_allowed);
}

#[test]
fn hours_with_seconds_or_without_length_are_refused() {
    assert_eq!(Hours::between(time(9, 0, 1, 0), time(12, 0, 0, 0)), Err(TimeError::Seconds));
    assert_eq!(Hours::between(time(12, 0, 0, 0), time(12, 0, 0, 0)), Err(TimeError::Order));
}

#[tokio::test]
async fn a_replay_is_returned_even_if_the_input_is_wrong() {
    let (_, session) = session(Plan::Free).await;
    let keyed = session.with_key("key".parse().unwrap());
    let first = keyed.create_event(event(date(2027, 7, 3))).await.unwrap();
    let again = keyed.create_event(event(date(9999, 1, 1))).await.unwrap();
    assert!(keyed.is_replay());
    assert_eq!(again, first);
}

#[tokio::test]
async fn a_patch_clears_the_location_only_on_request() {
    let (_, session) = session(Plan::Free).await;
    let shift = session.create_event(event(date(2027, 7, 3))).await.unwrap().shifts.remove(0);
    let renamed = ShiftPatch::new().title("Sorting".parse().unwrap());
    let shift = session.patch_shift(shift.id, renamed).await.unwrap();
    assert_eq!(shift.location.as_ref().unwrap().as_str(), "Dock 4");
    let cleared = session.patch_shift(shift.id, ShiftPatch::new().clear_location()).await.unwrap();
    assert_eq!((&cleared.location, cleared.title.as_str()), (&None, "Sorting"));
}

#[tokio::test]
async fn a_walk_through_the_pages_returns_every_event_and_ends() {
    let (_, session) = session(Plan::Free).await;
    for day in 1..=7 {
        session.create_event(event(date(2027, 7, day))).await.unwrap();
    }
    let mut pages = session.event_pages(EventQuery::new().limit(3));
    let mut lengths = Vec::new();
    while let Some(page) = pages.next().await.unwrap() {
        lengths.push(page.items.len());
        assert!(lengths.len() <= 3, "7 events make 3 pages");
    }
    assert_eq!(lengths, [3, 3, 1]);
    assert_eq!(pages.next().await.unwrap(), None);
}

#[tokio::test]
async fn a_new_sign_up_comes_with_the_secret_to_cancel_it() {
    let (service, session) = session(Plan::Free).await;
    let created = session.create_event(event(date(2027, 7, 3)).published()).await.unwrap();
    let (organization, shift) = (session.organization_id(), created.shifts[0].id);
    let volunteers = service.volunteers();
    let form = volunteers.form_of(organization, shift).await.unwrap();
    let sign_up = || form.sign_up(ada());
    let secret = sign_up().await.unwrap().secret.unwrap();
    assert_eq!(sign_up().await.unwrap().secret, None, "the secret is for the first caller only");
    let cancelled = volunteers.cancel(&secret).await.unwrap();
    assert_eq!(cancelled.status(), SignupStatus::Cancelled);
}

#[tokio::test]
async fn an_operator_cancels_a_sign_up_by_its_id() {
    let (service, session) = session(Plan::Free).await;
    let created = session.create_event(event(date(2027, 7, 3)).published()).await.unwrap();
    let (organization, shift) = (session.organization_id(), created.shifts[0].id);
    let form = service.volunteers().form_of(organization, shift).await.unwrap();
    let signup = form.sign_up(ada()).await.unwrap().signup;
    let cancelled = service.admin().cancel_signup(organization, signup.id).await.unwrap();
    assert_eq!(cancelled.status(), SignupStatus::Cancelled);
    assert_eq!(session.shifts(created.event.id).await.unwrap()[0].occupancy.filled, 0);
    let elsewhere = service.admin().cancel_signup(OrganizationId::NONE, signup.id).await;
    assert!(elsewhere.unwrap_err().is_not_found());
}

/// A server can run every write in its own task.
#[test]
fn the_future_of_a_write_can_be_spawned() {
    fn spawnable<T: Send>(_: impl FnOnce(&'static Service, &'static Session) -> T) {}
    spawnable(|service, session| async {
        drop(session.create_event(event(date(2027, 7, 3))).await);
        drop(session.duplicate_event(EventId::NONE, date(2027, 7, 3)).await);
        drop(session.patch_shift(ShiftId::NONE, ShiftPatch::new()).await);
        let form = service.volunteers().form("food-drive", ShiftId::NONE).await.unwrap();
        drop(form.sign_up(ada()).await);
    });
}

#[tokio::test]
async fn a_patch_moves_the_end_back_to_midnight() {
    let (_, session) = session(Plan::Free).await;
    let shift = session.create_event(event(date(2027, 7, 3))).await.unwrap().shifts.remove(0);
    let patch = ShiftPatch::new().hours(Hours::ALL_DAY);
    assert_eq!(session.patch_shift(shift.id, patch).await.unwrap().hours, Hours::ALL_DAY);
}

#[tokio::test]
async fn an_absent_value_in_an_untyped_patch_changes_nothing() {
    let (_, session) = session(Plan::Free).await;
    let shift = session.create_event(event(date(2027, 7, 3))).await.unwrap().shifts.remove(0);
    let location: Option<&str> = None;
    let patch = ShiftPatchInput { location: location.into(), ..ShiftPatchInput::default() };
    assert_eq!(patch.check().unwrap(), ShiftPatch::new());
    assert_eq!(session.patch_shift(shift.id, patch.check().unwrap()).await.unwrap().location, shift.location);
}

/// A clock with fractions of a second.
#[derive(Debug)]
struct PreciseClock;

#[async_trait]
impl Clock for PreciseClock {
    fn now(&self) -> Timestamp {
        "2027-06-05T12:00:00.75Z".parse().unwrap()
    }

    async fn pause(&self, duration: std::time::Duration) {
        SystemClock.pause(duration).await;
    }
}

#[tokio::test]
async fn stored_times_are_whole_seconds_with_any_clock() {
    let service = Service::new(MemoryStore::new()).with_clock(PreciseClock);
    let new = NewOrganization::new("Riverside".parse().unwrap());
    let organization = service.admin().create_organization(new).await.unwrap();
    assert_eq!(organization.created_at.to_string(), "2027-06-05T12:00:00Z");
}

#[tokio::test]
async fn an_expired_session_has_the_rate_of_an_address() {
    let clock = std::sync::Arc::new(FixedClock::at("2027-06-05T12:00:00Z".parse().unwrap()));
    let service = Service::new(MemoryStore::new()).with_clock(std::sync::Arc::clone(&clock));
    let new = NewOrganization::new("Riverside".parse().unwrap()).plan(Plan::Pro);
    let organization = service.admin().create_organization(new).await.unwrap();
    let token = NewToken::new("One day".parse().unwrap(), Scopes::all()).expires_in_days(1);
    let (_, text) = service.admin().create_token(organization.id, token).await.unwrap();
    let session = service.authenticate(text.reveal()).await.unwrap();
    assert_eq!(service.requests_per_minute(Some(&session)), 300);
    clock.advance(86_400);
    assert_eq!(service.requests_per_minute(Some(&session)), 30);
}
