//! Round trips: records are read as they were written.

use std::sync::Arc;

use super::records::*;
use crate::*;

fn location_data(json: &str) -> LocationData {
    LocationData::new(serde_json::from_str(json).unwrap()).unwrap()
}

/// Every field of every record comes back as it was written.
pub async fn every_field_comes_back_as_it_was(store: Arc<dyn Store>) {
    let data = location_data(r#"{"place_id": "x\"y\\z", "nested": [1, 2.5, {"é": null}]}"#);
    let event = Event {
        description: Some(Description::new(" two\nlines, 'quoted' ").unwrap()),
        location: Some(EventLocation::new("1 Main St").unwrap()),
        is_virtual: true,
        latitude: Some(Latitude::new(40.712_776).unwrap()),
        longitude: Some(Longitude::new(-74.005_974).unwrap()),
        dates: EventDates { last: Some("2027-06-07".parse().unwrap()), ..event(1, 1).dates },
        is_published: false,
        theme: Some(Theme::GoldenHour),
        badge_label: Some(BadgeLabel::new("Families").unwrap()),
        cancelled_at: Some(at(7)),
        cancellation_reason: Some(CancellationReason::new("Flood,\n“high water”").unwrap()),
        version: 12,
        updated_at: at(9),
        ..event(1, 1)
    };
    let shift = Shift {
        location: Some(ShiftLocation::new("Dock 4").unwrap()),
        hours: Hours::parse(Some("00:00"), None).unwrap(),
        position: 3,
        version: 7,
        updated_at: at(8),
        ..shift(&event, 1, 1_000_000)
    };
    let question = question(&event, 1, 4);
    let answers = vec![Answer {
        question_id: question.id,
        label: question.label.clone(),
        value: AnswerText::new("“M”").unwrap(),
    }];
    let signup = Signup { answers, ..signup(&shift, 1) };
    let token =
        Token { revoked_at: Some(at(5)), scopes: "events:read,slots:write".parse().unwrap(), ..token(1, 1) };
    let shift_path = (shift.organization, shift.event, shift.id);
    let change = ShiftChange {
        before: TimeAndPlace::of(&shift, &event),
        after: TimeAndPlace {
            location: None,
            event_location: event.location.clone(),
            ..TimeAndPlace::of(&shift, &event)
        },
        shift_version: 8,
        with_event: true,
    };
    let causes = [
        NoticeCause::ShiftChanged { change: change.clone(), fanned_out_to: Some(signup.id) },
        NoticeCause::SignedUp { signup: signup.id, secret: Secret::generate() },
        NoticeCause::Cancelled { signup: signup.id },
        NoticeCause::EventCancelled { fanned_out_to: Some(signup.id) },
        NoticeCause::ShiftDeleted { fanned_out_to: None },
        NoticeCause::ShiftMoved { signup: signup.id, change },
    ];
    let notices: Vec<_> = (1..)
        .zip(causes)
        .map(|(number, cause)| Notice {
            version: 3,
            attempts: 2,
            due_at: at(77),
            ..Notice::new(NoticeId::new(uuid(number)), shift_path, cause, at(2))
        })
        .collect();
    let failure = Some(NoticeFailure::new(at(99), "550 “no such user”\r\n"));
    let failed = Notice { failure, ..notice(&shift, 99) };
    let receipt = receipt(receipt_key(1, "!~key"), &event, std::slice::from_ref(&shift));
    let mut writes = vec![
        Write::InsertOrganization(organization(1)),
        Write::InsertToken(token.clone()),
        Write::InsertEvent { event: Box::new(event.clone()), location_data: Some(data.clone()) },
        Write::InsertShifts(vec![shift.clone()]),
        Write::InsertQuestions(vec![question.clone()]),
        Write::InsertSignup(Box::new(signup.clone())),
        Write::InsertReceipt(Box::new(receipt.clone())),
    ];
    writes.push(Write::InsertNotices([notices.clone(), vec![failed.clone()]].concat()));
    write(&*store, writes).await;

    let owner = organization_id(1);
    let shift = Shift { occupancy: Occupancy { filled: 1, ..shift.occupancy }, ..shift };
    assert_eq!(store.organization(owner).await.unwrap(), Some(organization(1)), "organization");
    assert_eq!(store.organization_by_slug("organization-1").await.unwrap(), Some(organization(1)), "by slug");
    assert_eq!(
        store.token_by_digest(&token.digest).await.unwrap(),
        Some((token.clone(), organization(1))),
        "by digest"
    );
    assert_eq!(store.token(token.id).await.unwrap(), Some(token.clone()), "token");
    assert_eq!(store.tokens(owner).await.unwrap(), vec![token], "tokens");
    assert_eq!(store.event_owner(event.id).await.unwrap(), Some(owner), "owner");
    assert_eq!(store.event(owner, event.id).await.unwrap(), Some(event.clone()), "event");
    assert_eq!(store.shift(owner, shift.id).await.unwrap(), Some(shift.clone()), "shift");
    let with_event = Some((shift.clone(), event.clone()));
    assert_eq!(store.shift_with_event(owner, shift.id).await.unwrap(), with_event, "shift with event");
    assert_eq!(store.shifts(owner, event.id).await.unwrap(), Some(vec![shift.clone()]), "shifts");
    assert_eq!(store.questions(owner, event.id).await.unwrap(), Some(vec![question.clone()]), "questions");
    assert_eq!(store.question(owner, question.id).await.unwrap(), Some(question.clone()), "question");
    let in_full = SignupInFull::new(organization(1), event.clone(), shift.clone(), signup.clone());
    assert_eq!(store.signup_in_full(owner, signup.id).await.unwrap(), Some(in_full), "sign-up in full");
    let page = SignupPage::new(vec![signup.clone()]);
    assert_eq!(store.signup_page(owner, &SignupQuery::new()).await.unwrap(), page, "page of sign-ups");
    let full = EventInFull {
        event: event.clone(),
        location_data: Some(data),
        shifts: vec![shift],
        questions: vec![question],
    };
    assert_eq!(store.event_in_full(owner, event.id).await.unwrap(), Some(full.clone()), "event in full");
    assert_eq!(store.event_by_slug(&event.slug).await.unwrap(), Some(full), "event by slug");
    assert_eq!(store.signup(owner, signup.id).await.unwrap(), Some(signup.clone()), "sign-up");
    assert_eq!(store.signups(owner, event.id, None, 9).await.unwrap(), vec![signup.clone()], "sign-ups");
    assert_eq!(store.signup_by_secret(&signup.secret).await.unwrap(), Some(signup), "by secret");
    assert_eq!(store.receipt(&receipt.key, at(0)).await.unwrap(), Some(receipt), "receipt");
    assert_eq!(store.notices(false, None, 9).await.unwrap(), notices, "notices");
    assert_eq!(store.notices(true, None, 9).await.unwrap(), vec![failed.clone()], "failed notices");
    assert_eq!(store.notice(failed.id).await.unwrap(), Some(failed), "notice");
}

/// Null fields come back null, and an event without shifts and questions comes back without them.
pub async fn null_fields_come_back_null(store: Arc<dyn Store>) {
    let organization = Organization { sport: None, public_url: None, ..organization(1) };
    let event = event(1, 1);
    let writes = vec![
        Write::InsertOrganization(organization.clone()),
        Write::InsertEvent { event: Box::new(event.clone()), location_data: None },
    ];
    write(&*store, writes).await;
    assert_eq!(store.organization(organization.id).await.unwrap(), Some(organization.clone()));
    assert_eq!(store.shifts(organization.id, event.id).await.unwrap(), Some(vec![]));
    assert_eq!(store.questions(organization.id, event.id).await.unwrap(), Some(vec![]));
    let full = EventInFull { event: event.clone(), location_data: None, shifts: vec![], questions: vec![] };
    assert_eq!(store.event_in_full(organization.id, event.id).await.unwrap(), Some(full));
}

/// Texts of any script, texts with SQL or escape characters, long texts and exact numbers come back.
pub async fn unusual_texts_and_numbers_come_back(store: Arc<dyn Store>) {
    write(&*store, vec![Write::InsertOrganization(organization(1))]).await;
    let texts = [
        "🧑‍🌾",
        "'; DROP TABLE events; --",
        "\\u0041 \" ' ` %s $1 ?1",
        "שלום",
        "\u{202e}right",
        &"é".repeat(255),
    ];
    for (number, text) in (1..).zip(texts) {
        let event = Event {
            title: Title::new(text).unwrap(),
            description: Some(Description::new(&text.repeat(200)).unwrap()),
            latitude: Some(Latitude::new(-0.1 - 0.2).unwrap()),
            longitude: Some(Longitude::new(179.999_999_999_999_97).unwrap()),
            ..event(1, number)
        };
        let shift = Shift { title: event.title.clone(), ..shift(&event, number, 1) };
        let writes = vec![
            Write::InsertEvent { event: Box::new(event.clone()), location_data: None },
            Write::InsertShifts(vec![shift.clone()]),
        ];
        write(&*store, writes).await;
        assert_eq!(store.event(event.organization, event.id).await.unwrap(), Some(event));
        assert_eq!(store.shift(shift.organization, shift.id).await.unwrap(), Some(shift));
    }
}

/// Numbers in location data and in a receipt come back exactly: the largest and the smallest doubles of both signs,
/// subnormal ones, negative zero, and integers that a double cannot represent.
pub async fn every_double_comes_back_exactly(store: Arc<dyn Store>) {
    let data = location_data(
        r#"{"doubles": [1.7976931348623157e308, -1.7976931348623157e308, 2.2250738585072014e-308,
            -2.2250738585072014e-308, 2.225073858507201e-308, -2.225073858507201e-308, 5e-324, -5e-324, -0.0, 0.1,
            123456789.12345679, 4.35, 1e23, 8.5e-5],
            "integers": [18446744073709551615, -9223372036854775808, 9007199254740993]}"#,
    );
    let latitudes =
        [5e-324, -5e-324, 2.225_073_858_507_201e-308, -2.225_073_858_507_201_4e-308, 0.1 + 0.2, 90.0];
    write(&*store, vec![Write::InsertOrganization(organization(1))]).await;
    for (number, latitude) in (1..).zip(latitudes) {
        let event = Event { latitude: Some(Latitude::new(latitude).unwrap()), ..event(1, number) };
        let receipt = receipt(receipt_key(1, &format!("key-{number}")), &event, &[]);
        let writes = vec![
            Write::InsertEvent { event: Box::new(event.clone()), location_data: Some(data.clone()) },
            Write::InsertReceipt(Box::new(receipt.clone())),
        ];
        write(&*store, writes).await;
        let found = store.event_in_full(event.organization, event.id).await.unwrap().unwrap();
        // Compares texts, because zero and negative zero are equal as numbers.
        assert_eq!(found.location_data.map(|data| data.to_json()), Some(data.to_json()));
        assert_eq!(found.event, event, "{latitude:e}");
        assert_eq!(store.receipt(&receipt.key, at(0)).await.unwrap(), Some(receipt), "{latitude:e}");
    }
}

/// The first and the last date, zones that are links, and days that a zone skipped come back.
pub async fn unusual_dates_and_zones_come_back(store: Arc<dyn Store>) {
    write(&*store, vec![Write::InsertOrganization(organization(1))]).await;
    let days = [
        ("1970-01-01", "Pacific/Kiritimati"),
        ("9998-12-31", "Etc/GMT+12"),
        ("2011-12-30", "Pacific/Apia"),
        ("2026-03-08", "US/Eastern"),
        ("2026-03-08", "UTC"),
    ];
    for (number, (date, zone)) in (1..).zip(days) {
        let event = event_on(1, number, date, zone);
        let event =
            Event { dates: EventDates { last: Some(event.dates.first.date()), ..event.dates }, ..event };
        let shift = shift(&event, number, 1);
        let writes = vec![
            Write::InsertEvent { event: Box::new(event.clone()), location_data: None },
            Write::InsertShifts(vec![shift.clone()]),
        ];
        write(&*store, writes).await;
        assert_eq!(store.event(event.organization, event.id).await.unwrap(), Some(event), "{date} {zone}");
        let found = store.shift(shift.organization, shift.id).await.unwrap().unwrap();
        assert_eq!(found.interval(), shift.interval(), "{date} {zone}");
    }
}

/// Location data of the maximum depth comes back.
pub async fn the_deepest_location_data_comes_back(store: Arc<dyn Store>) {
    write(&*store, vec![Write::InsertOrganization(organization(1))]).await;
    let (event, data) = (event(1, 1), Some(nested(LocationData::MAX_DEPTH).parse().unwrap()));
    let insert = Write::InsertEvent { event: Box::new(event.clone()), location_data: data.clone() };
    write(&*store, vec![insert]).await;
    let full = store.event_in_full(event.organization, event.id).await.unwrap().unwrap();
    assert_eq!(full.location_data, data);
}

/// Records with values that an earlier version accepted and this one refuses can be read.
pub async fn values_accepted_by_an_earlier_version_come_back(store: Arc<dyn Store>) {
    let (event, data) = (event(1, 1), Some(LocationData::stored(&nested(110)).unwrap()));
    let shift = shift(&event, 1, 1);
    let email = EmailAddress::stored("e@1.2.3.4.5").unwrap();
    let signup = Signup { email: email.clone(), ..signup(&shift, 1) };
    let writes = vec![
        Write::InsertOrganization(organization(1)),
        Write::InsertEvent { event: Box::new(event.clone()), location_data: data.clone() },
        Write::InsertShifts(vec![shift]),
        Write::InsertSignup(Box::new(signup.clone())),
    ];
    write(&*store, writes).await;
    let owner = event.organization;
    assert_eq!(store.signup(owner, signup.id).await.unwrap(), Some(signup.clone()));
    assert_eq!(store.signups_of_address(owner, &email, 9).await.unwrap(), vec![signup]);
    assert_eq!(store.event_in_full(owner, event.id).await.unwrap().unwrap().location_data, data);
}

/// Returns JSON of `levels` nested objects.
fn nested(levels: usize) -> String {
    format!("{}{{}}{}", r#"{"a":"#.repeat(levels - 1), "}".repeat(levels - 1))
}

/// Each lookup returns the record of its key among others, and none for an unknown key.
pub async fn each_lookup_returns_the_record_of_its_key(store: Arc<dyn Store>) {
    for number in 1..4 {
        let event = event(number, number);
        let shift = shift(&event, number, 5);
        let writes = vec![
            Write::InsertOrganization(organization(number)),
            Write::InsertToken(token(number, number)),
            Write::InsertEvent { event: Box::new(event), location_data: None },
            Write::InsertShifts(vec![shift.clone()]),
            Write::InsertSignup(Box::new(signup(&shift, number))),
            Write::InsertNotices(vec![notice(&shift, number)]),
        ];
        write(&*store, writes).await;
    }
    for number in 0..5 {
        let is_there = (1..4).contains(&number);
        let (owner, event) = (organization(number), event(number, number));
        let (token, shift) = (token(number, number), shift(&event, number, 5));
        let (signup, notice) = (signup(&shift, number), notice(&shift, number));
        let filled = Shift { occupancy: Occupancy { filled: 1, ..shift.occupancy }, ..shift.clone() };
        let owned = is_there.then(|| owner.clone());
        assert_eq!(store.organization(owner.id).await.unwrap(), owned);
        assert_eq!(
            store.organization_by_slug(&owner.slug).await.unwrap(),
            owned,
            "organization by slug {number}"
        );
        let with_owner = is_there.then(|| (token.clone(), owner.clone()));
        assert_eq!(store.token_by_digest(&token.digest).await.unwrap(), with_owner);
        assert_eq!(store.token(token.id).await.unwrap(), is_there.then_some(token));
        assert_eq!(store.event_owner(event.id).await.unwrap(), is_there.then_some(owner.id));
        let by_slug = store.event_by_slug(&event.slug).await.unwrap();
        assert_eq!(by_slug.map(|full| full.event), is_there.then(|| event.clone()));
        assert_eq!(store.event(owner.id, event.id).await.unwrap(), is_there.then_some(event));
        assert_eq!(store.shift(owner.id, shift.id).await.unwrap(), is_there.then_some(filled));
        assert_eq!(store.signup(owner.id, signup.id).await.unwrap(), is_there.then(|| signup.clone()));
        let by_secret = store.signup_by_secret(&signup.secret).await.unwrap();
        assert_eq!(by_secret, is_there.then_some(signup), "sign-up by secret {number}");
        assert_eq!(store.notice(notice.id).await.unwrap(), is_there.then_some(notice));
    }
}

/// A fresh store answers, and accepts commits.
pub async fn a_fresh_store_passes_its_check(store: Arc<dyn Store>) {
    assert!(store.check().await.is_ok(), "a fresh store passes its check");
}

/// A missing record is `None` or an empty list, and not an error.
pub async fn a_missing_record_is_none(store: Arc<dyn Store>) {
    let (owner, event, shift) = (organization_id(1), EventId::new(uuid(1)), ShiftId::new(uuid(1)));
    assert_eq!(store.organization(owner).await.unwrap(), None);
    assert_eq!(store.organization_by_slug("organization-1").await.unwrap(), None);
    assert_eq!(store.organizations(None, 9).await.unwrap(), vec![]);
    assert_eq!(store.token_by_digest(&Digest::of("x")).await.unwrap(), None);
    assert_eq!(store.token(TokenId::NONE).await.unwrap(), None);
    assert_eq!(store.tokens(owner).await.unwrap(), vec![]);
    assert_eq!(store.event_owner(event).await.unwrap(), None);
    assert_eq!(store.event(owner, event).await.unwrap(), None);
    assert_eq!(store.event_in_full(owner, event).await.unwrap(), None);
    assert_eq!(store.shifts(owner, event).await.unwrap(), None);
    assert_eq!(store.shift(owner, shift).await.unwrap(), None);
    assert_eq!(store.shift_with_event(owner, shift).await.unwrap(), None);
    assert_eq!(store.questions(owner, event).await.unwrap(), None);
    assert_eq!(store.question(owner, QuestionId::new(uuid(1))).await.unwrap(), None);
    assert_eq!(store.deleted_events(owner, None, 9).await.unwrap(), vec![]);
    assert_eq!(store.deleted_event(owner, event).await.unwrap(), None);
    for query in [SignupQuery::new(), SignupQuery::new().of_event(event), SignupQuery::new().of_shift(shift)]
    {
        assert_eq!(store.signup_page(owner, &query).await.unwrap(), SignupPage::new(vec![]));
    }
    for scope in [SignupScope::Event(event), SignupScope::Shift(shift)] {
        let cancelled = store.signups_cancelled_by(owner, scope, CancelledBy::Operator, None, 9);
        assert_eq!(cancelled.await.unwrap(), vec![]);
    }
    assert_eq!(store.signup_in_full(owner, SignupId::new(uuid(1))).await.unwrap(), None);
    assert_eq!(store.purge_deleted(at(9), 9).await.unwrap(), 0);
    assert_eq!(store.signups(owner, event, None, 9).await.unwrap(), vec![]);
    assert_eq!(store.signup_by_secret(&Digest::of("x")).await.unwrap(), None);
    assert_eq!(store.receipt(&receipt_key(1, "key"), at(0)).await.unwrap(), None);
    assert_eq!(store.notices(false, None, 9).await.unwrap(), vec![]);
    let query = EventQuery { is_published: None, position: None, limit: 9 };
    let page = EventPage { events: vec![], above: None, below: None };
    assert_eq!(store.events(owner, &query).await.unwrap(), page);
    let writes = vec![Write::RevokeToken { token: TokenId::NONE, at: at(0) }];
    assert_eq!(
        try_write(&*store, vec![], writes).await,
        Ok(()),
        "a change of a missing record changes nothing"
    );
}
