//! The limits of the plans: active events and days, under a fixed clock.

use jiff::ToSpan as _;
use jiff::civil::Date;
use signup_core::*;
use signup_store_memory::MemoryStore;

/// A service whose clock shows 06:00 of 5 June 2027 in UTC.
fn service() -> Service {
    Service::new(MemoryStore::new()).with_clock(FixedClock::at("2027-06-05T06:00:00Z".parse().unwrap()))
}

/// Returns the session of a new organization.
async fn session(service: &Service, plan: Plan) -> Session {
    let organization = NewOrganization::new("Riverside".parse().unwrap()).plan(plan);
    let organization = service.admin().create_organization(organization).await.unwrap();
    service.session_for(organization.id, Scopes::all()).await.unwrap()
}

/// Returns a published event in UTC.
fn published(first: Date) -> NewEvent {
    NewEvent::new("A".parse().unwrap(), first, "UTC".parse().unwrap()).published()
}

async fn create(session: &Session, new: NewEvent) -> Result<Event> {
    Ok(session.create_event(new).await?.event)
}

#[tokio::test]
async fn each_plan_limits_the_days_of_an_event_and_the_number_of_active_events() {
    let service = service();
    let first = date(2028, 1, 1);
    for (plan, active_events, days) in
        [(Plan::Free, 5, 7), (Plan::Calendar, 25, 31), (Plan::Starter, 100, 92), (Plan::Pro, 1000, 366)]
    {
        let session = session(&service, plan).await;
        let of_days = |days: i64| published(first).end_date(first + (days - 1).days());
        let refused = create(&session, of_days(days + 1)).await;
        assert!(matches!(refused, Err(Error::Invalid(_))), "{plan:?}: {refused:?}");
        for _ in 0..active_events {
            create(&session, of_days(days)).await.unwrap();
        }
        let full = Error::PlanLimit { current_count: active_events, max_allowed: active_events };
        assert_eq!(create(&session, published(first)).await, Err(full), "{plan:?}");
    }
}

/// The clock shows 06:00 of 5 June in UTC. An event of 4 June in UTC has been over for six hours.
#[tokio::test]
async fn every_edit_that_makes_an_event_active_is_checked_against_the_limit() {
    let plans = PlanTable::uniform(PlanLimits::unlimited().active_events(1));
    let session = session(&service().with_plans(plans), Plan::Free).await;
    let active = create(&session, published(date(2027, 6, 5))).await.unwrap();
    let over = create(&session, published(date(2027, 6, 4))).await.unwrap();
    let edits = [
        ("a later day", EventPatch::new().start_date(date(2027, 6, 5))),
        ("a last day that has not ended", EventPatch::new().end_date(date(2027, 6, 5))),
        (
            "a zone in which the day has not ended",
            EventPatch::new().zone("Pacific/Pago_Pago".parse().unwrap()),
        ),
    ];
    let full = Error::PlanLimit { current_count: 1, max_allowed: 1 };
    for (what, patch) in &edits {
        let refused = session.patch_event(over.id, patch.clone()).await.map(|found| found.event);
        assert_eq!(refused, Err(full.clone()), "{what}");
        assert_eq!(session.event(over.id).await.unwrap().event, over, "{what}");
    }
    session.patch_event(over.id, EventPatch::new().zone("Asia/Tokyo".parse().unwrap())).await.unwrap();
    session.patch_event(active.id, EventPatch::new().published(false)).await.unwrap();
    for (what, patch) in edits {
        let event = create(&session, published(date(2027, 6, 4))).await.unwrap();
        let edited = session.patch_event(event.id, patch).await.unwrap().event;
        assert!(edited.is_active("2027-06-05T06:00:00Z".parse().unwrap()), "{what}");
        session.patch_event(event.id, EventPatch::new().published(false)).await.unwrap();
    }
}

#[tokio::test]
async fn an_edit_of_an_active_event_is_not_checked_against_the_limit() {
    let plans = PlanTable::uniform(PlanLimits::unlimited().active_events(1));
    let session = session(&service().with_plans(plans), Plan::Free).await;
    let active = create(&session, published(date(2027, 6, 5))).await.unwrap();
    for (what, patch) in [
        ("a later day", EventPatch::new().start_date(date(2027, 6, 6))),
        ("a last day", EventPatch::new().end_date(date(2027, 6, 7))),
        ("a zone", EventPatch::new().zone("Pacific/Pago_Pago".parse().unwrap())),
    ] {
        let edited = session.patch_event(active.id, patch).await;
        assert!(edited.as_ref().is_ok_and(|found| found.event != active), "{what}: {edited:?}");
    }
}

/// The limits become lower after the source was created.
#[tokio::test]
async fn the_longest_event_of_the_plan_is_not_checked_for_a_copy() {
    let service = service();
    let organization = NewOrganization::new("Riverside".parse().unwrap()).plan(Plan::Pro);
    let organization = service.admin().create_organization(organization).await.unwrap();
    let before = service.session_for(organization.id, Scopes::all()).await.unwrap();
    let of_30_days = published(date(2027, 6, 1)).end_date(date(2027, 6, 30));
    let source = create(&before, of_30_days.clone()).await.unwrap();
    let lower = PlanTable::uniform(PlanLimits::unlimited().event_days(7));
    let session = service.with_plans(lower).session_for(organization.id, Scopes::all()).await.unwrap();
    assert!(matches!(create(&session, of_30_days).await, Err(Error::Invalid(_))), "the limit is lower");
    let copy = session.duplicate_event(source.id, date(2027, 8, 1)).await.unwrap().event;
    assert_eq!(copy.dates.days(), 30);
}
