//! Faults as a program reads them: paths, kinds with their bounds, and the order of the fields.

use signup_core::*;

use crate::scene::Scene;

fn faults(error: Error) -> Vec<(String, FaultKind)> {
    let Error::Invalid(faults) = error else { panic!("{error:?}") };
    faults.into_iter().map(|fault| (fault.path.to_string(), fault.kind)).collect()
}

/// Returns the faults of an event in JSON, on the free plan.
fn event_faults(json: &str) -> Vec<(String, FaultKind)> {
    let input = from_json::<EventInput<'_>>(json.as_bytes());
    let checked = input.and_then(|input| input.check(PlanTable::default().free));
    faults(checked.unwrap_err().into())
}

#[test]
fn every_fault_of_an_event_has_a_path_and_a_kind_with_its_bounds() {
    let json = r#"{
        "description": 5, "location": "a\u0000b", "is_virtual": null, "location_lat": 91, "location_lng": "west",
        "location_data": {"a": "\u0000"}, "start_date": "2027-06-05", "end_date": "2027-06-12", "timezone": "Mars/Base",
        "theme": "neon", "shifts": [{"title": "A", "start_time": "9:00", "capacity": "3"},
        {"title": "B", "start_time": "12:00", "end_time": "09:00", "capacity": 0}, 7]
    }"#;
    let wrong_type = |expected| FaultKind::WrongType { expected };
    let capacity = FaultKind::from(ValueError::WholeNumber { min: 1, max: Some(Capacity::MAX) });
    let expected = [
        ("title", FaultKind::Required),
        ("description", wrong_type(ValueType::Text)),
        ("location", TextError::Nul.into()),
        ("is_virtual", wrong_type(ValueType::Flag)),
        ("location_lat", ValueError::Degrees { min: -90.0, max: 90.0 }.into()),
        ("location_lng", wrong_type(ValueType::Number)),
        ("location_data", LocationDataError::Nul.into()),
        ("end_date", FaultKind::TooManyDays { max: 7 }),
        ("timezone", TimeError::Zone.into()),
        ("theme", "neon".parse::<Theme>().unwrap_err().into()),
        ("shifts[0].start_time", TimeError::WallTime.into()),
        ("shifts[0].capacity", capacity.clone()),
        ("shifts[1].end_time", TimeError::Order.into()),
        ("shifts[1].capacity", capacity),
        ("shifts[2]", wrong_type(ValueType::Object)),
    ];
    assert_eq!(event_faults(json), expected.map(|(path, kind)| (path.to_owned(), kind)));
}

#[test]
fn the_number_of_shifts_and_the_order_of_the_days_are_bounded() {
    let shifts = vec![r#"{"title": "A", "capacity": 1}"#; 501].join(",");
    let json = format!(
        r#"{{"title": "A", "start_date": "2027-06-05", "end_date": "2027-06-04", "timezone": "UTC", "shifts": [{shifts}]}}"#
    );
    assert_eq!(
        event_faults(&json),
        [
            ("end_date".to_owned(), TimeError::DayOrder.into()),
            ("shifts".to_owned(), FaultKind::TooMany { max: 500, present: 0 })
        ]
    );
}

#[test]
fn an_input_that_is_not_a_json_object_has_a_fault_of_the_whole_input() {
    assert_eq!(event_faults("[]"), [(String::new(), ValueType::Object.into())]);
    let [(path, FaultKind::NotJson { reason })] = &*event_faults("{\"title\":") else { panic!("one fault") };
    assert_eq!((&**path, &**reason), ("", "EOF while parsing a value at line 1 column 9"));
    assert!(FaultPath::new().is_whole_input());
}

#[test]
fn the_faults_of_a_list_query_have_kinds_with_their_bounds() {
    let text = |text: &'static str| Some(text.into());
    let query = EventListInput { is_published: text("yes"), per_page: text("0"), cursor: text("abc") };
    let expected = [
        ("is_published", FaultKind::WrongType { expected: ValueType::FlagText }),
        ("per_page", ValueError::WholeNumber { min: 1, max: None }.into()),
        ("cursor", "abc".parse::<Position<SignupId>>().unwrap_err().into()),
    ];
    let found = faults(query.check().unwrap_err().into());
    assert_eq!(found, expected.map(|(path, kind)| (path.to_owned(), kind)));
}

#[tokio::test]
async fn the_faults_of_a_token_have_their_bounds() {
    let Scene { service, session, .. } = Scene::start().await;
    for days in [0, 366] {
        let token = NewToken::new("import".parse().unwrap(), Scopes::default()).expires_in_days(days);
        let error = service.admin().create_token(session.organization_id(), token).await.unwrap_err();
        let life = ValueError::WholeNumber { min: 1, max: Some(365) };
        let expected = [("scopes", FaultKind::Required), ("expires_in_days", life.into())];
        assert_eq!(faults(error), expected.map(|(path, kind)| (path.to_owned(), kind)));
    }
}
