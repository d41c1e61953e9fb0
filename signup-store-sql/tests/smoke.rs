//! smoke
#[tokio::test]
async fn smoke() {
    use signup_core::*;
    use std::sync::Arc;
    let folder = tempfile::tempdir().unwrap();
    let store = signup_store_sql::SqliteStore::open(&folder.path().join("a.db")).await.unwrap();
    let service = Service::new(Arc::new(store));
    let name = Name::try_from("Starter".to_owned()).unwrap();
    let (org, token) = service
        .create_first_organization(
            NewOrganization { name: name.clone(), plan: Plan::Pro, sport: None, public_url: None },
            NewToken::with_every_scope(name),
        )
        .await
        .unwrap()
        .unwrap();
    let call = service.authenticate(token.reveal()).await.unwrap();
    let key = "abc".parse().unwrap();
    let input: EventInput = from_json(br#"{"title":"A","start_date":"2027-03-14","timezone":"america/new_york","is_published":true,"shifts":[{"title":"s","start_time":"02:30","end_time":"03:00","capacity":3.0}]}"#).unwrap();
    let a = service.create_event(&call, Some(&key), &input).await.unwrap();
    let b = service.create_event(&call, Some(&key), &input).await.unwrap();
    assert!(b.is_replay);
    assert_eq!(a.outcome, b.outcome);
    let shift = &a.outcome.shifts[0];
    assert_eq!(service.list_shifts(&call, a.outcome.event.id).await.unwrap(), a.outcome.shifts);
    assert_eq!(
        service.list_events(&call, &EventListInput::default()).await.unwrap().events,
        vec![a.outcome.event.clone()]
    );
    let patch: ShiftPatchInput = from_json(br#"{"start_time":"01:00","capacity":1}"#).unwrap();
    let p = service.patch_shift(&call, None, shift.id, &patch).await.unwrap();
    println!("{:?} {:?}", p.outcome.interval(), org);
    let s = service
        .sign_up(
            org.id,
            a.outcome.event.id,
            shift.id,
            &SignUpInput { name: "Ada".into(), email: "ada@example.org".into(), ..Default::default() },
        )
        .await
        .unwrap();
    assert!(s.is_new);
    let d: DuplicateInput = from_json(br#"{"start_date":"2027-03-21"}"#).unwrap();
    let d = service.duplicate_event(&call, None, a.outcome.event.id, &d).await.unwrap();
    println!("{:?}", d.outcome.shifts[0].interval());
    assert_eq!(service.notices(None, 10).await.unwrap().len(), 2);
}
