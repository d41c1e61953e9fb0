//! Plans of the lists of sign-ups.

use rstest::rstest;
use signup_core::{
    CancelledBy, EmailAddress, EventId, OrganizationId, Position, ShiftId, Side, SignupId, SignupQuery,
    SignupStatus,
};

use super::{filled, plan_of};
use crate::sql::Dialect;
use crate::sql::read::signup_page_query;
use crate::test_cluster::Cluster;

/// A page reads one range of the index of its scope: the organization, the event or the shift. The plan is the same with and without
/// statistics of the table. A fan-out, which also reads sign-ups for deleted events, has the same range. The shift of each sign-up is
/// looked up by its key. Only deleted events are looked up.
#[rstest]
#[tokio::test]
async fn a_page_of_sign_ups_costs_the_same_wherever_it_is(#[values(false, true)] is_analyzed: bool) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = filled(cluster, is_analyzed).await;
    let of_live_events = SignupQuery::new().status(SignupStatus::Cancelled);
    let fan_out = SignupQuery::new().with_deleted().cancelled_by(CancelledBy::EventCancellation);
    for (all, looks_up_events) in [(of_live_events, true), (fan_out, false)] {
        for (query, index) in [
            (all.clone(), "signups_pkey"),
            (all.clone().of_event(EventId::NONE), "signups_by_event"),
            (all.of_shift(ShiftId::NONE), "signups_by_shift"),
        ] {
            for side in [None, Some(Side::Below), Some(Side::Above)] {
                let mut wanted = query.clone();
                wanted.position = side.map(|side| Position { key: SignupId::NONE, side });
                let page = signup_page_query(Dialect::Postgres, OrganizationId::NONE, &wanted);
                let plan = plan_of(&mut connection, page).await;
                let is_range = |line: &&str| line.contains(&format!(" using {index} on signups u"));
                let ranges = plan.lines().filter(is_range).count();
                assert_eq!(ranges, 1 + usize::from(side.is_some()), "{plan}");
                assert_eq!(plan.matches(" on signups").count(), ranges, "{plan}");
                assert_eq!(plan.matches("using shifts_pkey on shifts").count(), ranges, "{plan}");
                // The only filter is the status, which depends on the shift. All other conditions are in the range of the index.
                let filters = plan.matches(" Filter: ((($2 IS NULL) OR (CASE WHEN (shifts").count();
                assert_eq!(filters, ranges, "{plan}");
                let events = plan.matches("using deleted_events on events d").count();
                assert_eq!(events, if looks_up_events { ranges } else { 0 }, "{plan}");
                assert_eq!(plan.matches(" Filter: ((SubPlan").count(), events, "{plan}");
                assert!(!["Sort", "Seq Scan"].iter().any(|step| plan.contains(step)), "{plan}");
            }
        }
    }
}

/// A search looks at the sign-ups of its event or of its shift.
#[rstest]
#[tokio::test]
async fn a_search_reads_the_sign_ups_of_its_scope(#[values(false, true)] is_analyzed: bool) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = filled(cluster, is_analyzed).await;
    let all = SignupQuery::new().search("ada".parse().unwrap());
    for (query, index) in [
        (all.clone().of_event(EventId::NONE), "signups_by_event"),
        (all.of_shift(ShiftId::NONE), "signups_by_shift"),
    ] {
        let wanted = query.at(Position { key: SignupId::NONE, side: Side::Below });
        let page = signup_page_query(Dialect::Postgres, OrganizationId::NONE, &wanted);
        let plan = plan_of(&mut connection, page).await;
        assert_eq!(plan.matches(&format!(" using {index} on signups u")).count(), 2, "{plan}");
        assert_eq!(plan.matches(" on signups").count(), 2, "{plan}");
        assert!(!["Sort", "Seq Scan"].iter().any(|step| plan.contains(step)), "{plan}");
    }
}

#[rstest]
#[tokio::test]
async fn sign_ups_of_an_event_and_a_shift_are_the_range_of_the_shift(
    #[values(false, true)] is_analyzed: bool,
) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = filled(cluster, is_analyzed).await;
    let of_both = SignupQuery::new().of_event(EventId::NONE).of_shift(ShiftId::NONE);
    let wanted = of_both.at(Position { key: SignupId::NONE, side: Side::Below });
    let page = signup_page_query(Dialect::Postgres, OrganizationId::NONE, &wanted);
    let plan = plan_of(&mut connection, page).await;
    assert_eq!(plan.matches(" using signups_by_shift on signups u").count(), 2, "{plan}");
    assert_eq!(plan.matches(" on signups").count(), 2, "{plan}");
    assert!(!["Sort", "Seq Scan"].iter().any(|step| plan.contains(step)), "{plan}");
}

#[rstest]
#[tokio::test]
async fn sign_ups_of_an_address_are_found_by_the_address(#[values(false, true)] is_analyzed: bool) {
    let Some(cluster) = Cluster::shared() else { return };
    let mut connection = filled(cluster, is_analyzed).await;
    let all = SignupQuery::new().email(EmailAddress::new("ada@example.org").unwrap());
    for query in [all.clone(), all.clone().of_event(EventId::NONE), all.of_shift(ShiftId::NONE)] {
        let wanted = query.at(Position { key: SignupId::NONE, side: Side::Below });
        let page = signup_page_query(Dialect::Postgres, OrganizationId::NONE, &wanted);
        let plan = plan_of(&mut connection, page).await;
        assert!(plan.contains("using signups_by_address on signups"), "{plan}");
        assert_eq!(plan.matches(" on signups").count(), 1, "{plan}");
    }
}
