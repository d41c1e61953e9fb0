//! The faults of the queries of lists: filters, periods, cursors and lengths.

use signup_core::*;

use crate::faults::faults_of;

#[test]
fn the_faults_of_a_list_query_have_kinds_with_their_bounds() {
    let query = Input::from_texts([
        ("is_published", "yes"),
        ("is_cancelled", "no"),
        ("from", "2027-6-5"),
        ("to", "2027-02-29"),
        ("external_id", "night shift"),
        ("order", "Latest"),
        ("per_page", "0"),
        ("cursor", "abc"),
    ]);
    let expected = [
        ("is_published", FaultKind::WrongType { expected: ValueType::FlagText }),
        ("is_cancelled", FaultKind::WrongType { expected: ValueType::FlagText }),
        ("from", TimeError::Date.into()),
        ("to", TimeError::Date.into()),
        ("order", ValueError::NotOneOf { names: &["latest", "soonest"] }.into()),
        ("per_page", ValueError::WholeNumber { min: 1, max: None }.into()),
        ("cursor", "abc".parse::<Position<SignupId>>().unwrap_err().into()),
    ];
    let found = faults_of(EventQuery::from_input(query));
    assert_eq!(found, expected.map(|(path, kind)| (path.to_owned(), kind)));
}

#[test]
fn a_period_ends_on_or_after_the_day_on_which_it_begins() {
    let period = |from: &'static str, to: &'static str| {
        let input = || Input::from_texts([("from", from), ("to", to)]);
        let both =
            [faults_of(EventQuery::from_input(input())), faults_of(CoverageQuery::from_input(input()))];
        assert_eq!(both[0], both[1]);
        both[0].clone()
    };
    for (from, to) in [("2027-06-05", "2027-06-05"), ("2027-06-05", ""), ("", "2027-06-05"), ("", "")] {
        assert_eq!(period(from, to), [], "{from} to {to}");
    }
    let reversed = [("to".to_owned(), TimeError::DayOrder.into())];
    assert_eq!(period("2027-06-06", "2027-06-05"), reversed);
    // A wrong first day says nothing about the order.
    assert_eq!(period("2027-06-31", "2027-06-05"), [("from".to_owned(), TimeError::Date.into())]);
}

#[test]
fn a_cursor_of_another_order_is_a_fault_and_goes_with_any_other_filter() {
    let key = |order| EventKey { order, starts_at: Timestamp::UNIX_EPOCH, id: EventId::NONE };
    let query = |cursor: EventOrder, order: &'static str| {
        let cursor = Position { key: key(cursor), side: Side::Below }.to_string();
        EventQuery::from_input(Input::from_texts([
            ("is_cancelled", "0"),
            ("from", "2027-06-05"),
            ("order", order),
            ("cursor", &cursor),
        ]))
    };
    for (cursor, order) in
        [(EventOrder::Latest, ""), (EventOrder::Latest, "latest"), (EventOrder::Soonest, "soonest")]
    {
        let query = query(cursor, order).unwrap();
        assert_eq!((query.order, query.position.map(|at| at.key)), (cursor, Some(key(cursor))));
    }
    for (cursor, order) in
        [(EventOrder::Soonest, ""), (EventOrder::Soonest, "latest"), (EventOrder::Latest, "soonest")]
    {
        let found = faults_of(query(cursor, order));
        assert_eq!(found.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(), ["cursor"], "{order}");
    }
    assert_eq!(faults_of(query(EventOrder::Soonest, "x"))[0].0, "order", "a wrong order is the only fault");
}

#[test]
fn a_page_length_is_a_whole_number_in_digits() {
    for per_page in ["0", "-1", "1.5", "+5", "five", "1e2", "0x10", " ", "000"] {
        let found = faults_of(EventQuery::from_input(Input::from_texts([("per_page", per_page)])));
        let expected = ValueError::WholeNumber { min: 1, max: None };
        assert_eq!(found, [("per_page".to_owned(), expected.into())], "{per_page}");
    }
}

#[test]
fn a_list_of_activity_has_every_fault_of_its_query() {
    let query = |text: &'static str| {
        ActivityQuery::from_input(Input::from_texts(["type", "per_page", "cursor"].map(|name| (name, text))))
    };
    let paths = faults_of(query("x")).into_iter().map(|(path, _)| path);
    assert_eq!(paths.collect::<Vec<_>>(), ["type", "per_page", "cursor"]);
    assert_eq!(query(""), Ok(ActivityQuery::new()), "an empty text counts as omitted");
    let above = ActivityQuery::from_input(Input::from_texts([("per_page", "101")])).unwrap();
    assert_eq!(above.limit, ActivityQuery::MAX_LIMIT);
}

#[test]
fn the_filters_of_a_list_of_sign_ups_that_are_no_status_and_no_address_are_named() {
    let query = |status: &'static str, email: &'static str| {
        SignupQuery::from_input(Input::from_texts([("status", status), ("email", email)]))
    };
    for (status, email) in
        [("Confirmed", "ada"), ("confirmed ", "@example.org"), ("all", "a@b@c"), ("waiting", "%")]
    {
        let paths: Vec<_> = faults_of(query(status, email)).into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["status", "email"], "{status} {email}");
    }
    assert_eq!(query("", ""), Ok(SignupQuery::new()), "an empty text counts as omitted");
}

#[test]
fn a_list_of_scopes_is_not_longer_than_there_are_scopes() {
    let of = |scopes: &[&str]| {
        let json = serde_json::json!({"name": "import", "scopes": scopes}).to_string();
        faults_of(Input::from_json(json.as_bytes()).and_then(NewToken::from_input))
    };
    let names: Vec<_> = Scope::ALL.iter().map(|scope| scope.name()).collect();
    assert_eq!(of(&names), []);
    let too_many = FaultKind::TooMany { items: "scopes", max: names.len(), present: 0 };
    assert_eq!(of(&[&names[..], &["events:all"]].concat()), [("scopes".to_owned(), too_many)]);
}

#[test]
fn the_last_value_of_a_repeated_parameter_counts() {
    let delete = |values: [&'static str; 2]| {
        let input = Input::from_texts(values.map(|value| ("cancel_signups", value)));
        DeleteShift::from_input(input).unwrap().cancel_signups
    };
    assert!(!delete(["true", "0"]));
    assert!(delete(["0", "true"]));
}

#[test]
fn a_flag_of_a_query_is_true_false_1_or_0() {
    let query = |text| EventQuery::from_input(Input::from_texts([("is_published", text)]));
    for (text, flag) in
        [("true", Some(true)), ("1", Some(true)), ("false", Some(false)), ("0", Some(false)), ("", None)]
    {
        assert_eq!(query(text).unwrap().is_published, flag, "{text}");
    }
    for text in ["yes", "TRUE", "2", "-1", "01", "true ", "null"] {
        assert!(query(text).is_err(), "{text}");
    }
}
