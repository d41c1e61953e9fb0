//! Faults as a program reads them: paths, kinds with their bounds, and the order of the fields.

use signup_core::*;
use signup_store_memory::MemoryStore;

async fn session() -> (Service, Session) {
    let service =
        Service::new(MemoryStore::new()).with_clock(FixedClock::at("2027-06-05T12:00:00Z".parse().unwrap()));
    let new = NewOrganization::new("Riverside".parse().unwrap());
    let organization = service.admin().create_organization(new).await.unwrap();
    let session = service.session_for(organization.id, Scopes::all()).await.unwrap();
    (service, session)
}

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
async fn an_end_before_the_stored_start_is_a_fault() {
    let (_, session) = session().await;
    let shift = NewShift::new("Packing".parse().unwrap(), Capacity::new(2).unwrap())
        .hours(Hours::between(time(9, 0, 0, 0), time(12, 0, 0, 0)).unwrap());
    let event = NewEvent::new("Food drive".parse().unwrap(), date(2027, 7, 3), "UTC".parse().unwrap());
    let shift = session.create_event(event.shift(shift)).await.unwrap().shifts[0].id;
    let patch = ShiftPatch::new().start_time("12:30".parse().unwrap());
    let error = session.patch_shift(shift, patch).await.unwrap_err();
    assert_eq!(faults(error), [("end_time".to_owned(), TimeError::Order.into())]);
}

#[tokio::test]
async fn a_copy_whose_last_day_is_out_of_range_is_refused() {
    let (_, session) = session().await;
    let event = NewEvent::new("Food drive".parse().unwrap(), date(2027, 7, 3), "UTC".parse().unwrap());
    let event = session.create_event(event.end_date(date(2027, 7, 4))).await.unwrap().event.id;
    let error = session.duplicate_event(event, date(9998, 12, 31)).await.unwrap_err();
    assert_eq!(faults(error), [("start_date".to_owned(), TimeError::LastDay.into())]);
}

#[tokio::test]
async fn faults_of_a_token_and_of_a_question_have_their_bounds() {
    let (service, session) = session().await;
    let admin = service.admin();
    let token = NewToken::new("import".parse().unwrap(), Scopes::default()).expires_in_days(366);
    let error = admin.create_token(session.organization_id(), token).await.unwrap_err();
    let life = ValueError::WholeNumber { min: 1, max: Some(365) };
    let expected = [("scopes", FaultKind::Required), ("expires_in_days", life.into())];
    assert_eq!(faults(error), expected.map(|(path, kind)| (path.to_owned(), kind)));

    let event = NewEvent::new("Food drive".parse().unwrap(), date(2027, 7, 3), "UTC".parse().unwrap());
    let event = session.create_event(event).await.unwrap().event.id;
    let label = || "Size".parse::<Label>().unwrap();
    for (kind, options) in [(QuestionKind::Select, vec![]), (QuestionKind::Text, vec![label()])] {
        let mut question = NewQuestion::new(label(), kind);
        question.options = options;
        let error = admin.add_question(event, question).await.unwrap_err();
        assert_eq!(faults(error), [("options".to_owned(), FaultKind::OptionCount { kind, max: 100 })]);
    }
    let question = NewQuestion::new(label(), QuestionKind::Text);
    for _ in 0..50 {
        admin.add_question(event, question.clone()).await.unwrap();
    }
    let error = admin.add_question(event, question).await.unwrap_err();
    assert_eq!(faults(error), [("label".to_owned(), FaultKind::TooMany { max: 50, present: 50 })]);
}
