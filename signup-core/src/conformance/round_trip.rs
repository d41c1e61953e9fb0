//! Round trips: records are read as they were written.

use std::sync::Arc;

use super::family::assert_found;
use super::records::*;
use crate::*;

fn data(json: &str) -> LocationData {
    LocationData::new(serde_json::from_str(json).unwrap()).unwrap()
}

/// Every field of every record comes back as it was written.
pub async fn every_field_comes_back_as_it_was(store: Arc<dyn Store>) {
    let organization = Organization { version: 5, gate: 3, ..organization(1) };
    let event = Event {
        description: Some(Description::new(" two\nlines, 'quoted' ").unwrap()),
        instructions: "Ring twice.\nCode: 4711".parse().ok(),
        location: Some(EventLocation::new("1 Main St").unwrap()),
        is_virtual: true,
        latitude: Some(Latitude::new(40.712_776).unwrap()),
        longitude: Some(Longitude::new(-74.005_974).unwrap()),
        dates: EventDates { last: Some("2027-06-07".parse().unwrap()), ..event(1, 1).dates },
        language: Language::EnUs,
        is_published: false,
        reminders_enabled: false,
        theme: Some(Theme::GoldenHour),
        badge_label: Some(BadgeLabel::new("Families").unwrap()),
        external_id: "!drive'7~".parse().ok(),
        signups_open_at: "2027-03-01T18:00".parse().ok(),
        signups_close_at: "2027-06-04T00:00".parse().ok(),
        waitlist_enabled: true,
        cancelled_at: Some(at(7)),
        cancellation_reason: Some(CancellationReason::new("Flood,\n“high water”").unwrap()),
        version: 12,
        gate: 6,
        updated_at: at(9),
        ..event(1, 1)
    };
    let data = data(r#"{"place_id": "x\"y\\z", "nested": [1, 2.5, {"é": null}]}"#);
    let shift = Shift {
        description: Some(ShiftDescription::new(" Bring gloves.\nLift “20 kg”. ").unwrap()),
        location: Some(ShiftLocation::new("Dock 4").unwrap()),
        hours: Hours::overnight("22:30".parse().unwrap(), "00:00".parse().unwrap())
            .unwrap()
            .on_day(3)
            .unwrap(),
        occupancy: Occupancy { capacity: Capacity::new(1_000_000).unwrap(), filled: 1, waitlisted: 0 },
        minimum: Some(Minimum::new(1_000_000).unwrap()),
        external_id: "\"shift\\".parse().ok(),
        position: 3,
        announced: 3,
        version: 7,
        gate: 4,
        updated_at: at(8),
        ..shift(&event, 1, 1_000_000)
    };
    let question = Question { version: 3, ..question(&event, 1, 4) };
    let answers = vec![Answer {
        question_id: question.id,
        label: question.label.clone(),
        value: AnswerText::new("“M”").unwrap(),
    }];
    let signup = Signup {
        answers,
        repeated_at: Some(at(3)),
        attendance: Some(Attendance::Absent),
        changed_at: Some(at(4)),
        has_waited: true,
        promoted_at: Some(at(2)),
        version: 2,
        ..signup(&shift, 1)
    };
    let creator = Actor::Person { id: PersonId::new(uuid(1)), name: PersonName::new("“Ada”").unwrap() };
    let token = Token {
        created_by: creator,
        last_used_at: Some(at(4)),
        revoked_at: Some(at(5)),
        scopes: "events:read,slots:write".parse().unwrap(),
        version: 2,
        ..token(1, 1)
    };
    let mut notices = notices_of_every_cause(&shift, &signup);
    notices[0].last_reason = Some("450 “busy”\r\n".to_owned());
    let failure = Some(NoticeFailure::new(at(99), "550 “no such user”\r\n"));
    let failed = Notice { due_at: None, failure, ..notice(&shift, 99) };
    let receipt = receipt(receipt_key(1, "!~key"), &event, std::slice::from_ref(&shift));
    let records: Vec<Record> = vec![
        organization.clone().into(),
        token.clone().into(),
        event.clone().into(),
        location_data(&event, data.clone()).into(),
        shift.clone().into(),
        question.clone().into(),
        signup.clone().into(),
        Link { unsubscribes_from: Some(Subscription::Messages), ..link(&signup, 1) }.into(),
        message(&event, 1).into(),
        receipt.into(),
        failed.clone().into(),
    ];
    commit(&*store, insert(records.clone())).await;
    commit(&*store, insert(notices.clone())).await;

    assert_found(&*store, &records).await;
    let owner = organization.id;
    assert_eq!(store.tokens(owner).await.unwrap(), vec![token], "tokens");
    assert_eq!(store.owner(Kind::Event, event.id.uuid()).await.unwrap(), Some(owner), "owner");
    let with_event = Some((shift.clone(), event.clone()));
    assert_eq!(store.shift_with_event(owner, shift.id).await.unwrap(), with_event, "shift with event");
    let shifts = vec![ScheduledShift::of(shift.clone(), &event)];
    assert_eq!(store.shifts(owner, event.id).await.unwrap().as_ref(), Some(&shifts), "shifts");
    let in_full = SignupInFull::new(organization, event.clone(), shift, signup.clone());
    assert_eq!(store.signup_in_full(owner, signup.id).await.unwrap(), Some(in_full), "sign-up in full");
    let page = Page::new(vec![signup], None, None);
    assert_eq!(store.signups(owner, &SignupQuery::new()).await.unwrap(), page, "sign-ups");
    let slug = event.slug.clone();
    let full = EventInFull { event, location_data: Some(data), shifts, questions: vec![question] };
    for record in records {
        let is_of_event = !matches!(
            record.kind(),
            Kind::Organization | Kind::Token | Kind::Link | Kind::OptOut | Kind::Receipt
        );
        let (key, expected) = (record.entity().key(), is_of_event.then(|| full.clone()));
        assert_eq!(store.event_in_full(&key).await.unwrap(), expected, "event in full by {key:?}");
    }
    assert_eq!(store.event_by_slug(&slug).await.unwrap(), Some(full), "event by slug");
    assert_eq!(store.notices(NoticeQuery::Queued(None), 99).await.unwrap(), notices, "notices");
    assert_eq!(store.notices(NoticeQuery::Failed(None), 9).await.unwrap(), [failed], "failed notices");
}

/// Returns a notice of each cause, with every field set.
fn notices_of_every_cause(shift: &Shift, signup: &Signup) -> Vec<Notice> {
    let causes = [
        NoticeCause::EventChanged(EventChange {
            shift: Some(shift.id),
            first_at: at(5),
            covered_to: Some(signup.id),
        }),
        NoticeCause::News(Recipient {
            email: signup.email.clone(),
            sent: 4,
            claimed_at: Some(at(4)),
            unreported_at: Some(at(3)),
            is_asked: true,
            was_asked: true,
            again_at: Some(at(6)),
            remind_at: Some(at(7)),
            requests: Requests { since: at(3), count: 2 },
        }),
        NoticeCause::MessageSent { message: MessageId::new(uuid(1)), covered_to: Some(Digest::of("a")) },
        NoticeCause::Message { message: MessageId::new(uuid(1)), email: signup.email.clone() },
    ];
    let to_people = [
        (OrganizationId::NONE, code_asked_for(1)),
        (
            shift.organization,
            NoticeCause::Invited { invitation: InvitationId::new(uuid(1)), secret: secret(1) },
        ),
    ];
    let about_shift =
        causes.map(|cause| Notice::new(NoticeId::NONE, shift.organization, Some(shift.event), cause, at(2)));
    let to_people =
        to_people.map(|(organization, cause)| Notice::new(NoticeId::NONE, organization, None, cause, at(2)));
    let all = (1..).zip(about_shift.into_iter().chain(to_people)).map(|(number, notice)| Notice {
        id: NoticeId::new(uuid(number)),
        version: 3,
        attempts: 2,
        due_at: Some(at(77)),
        ..notice
    });
    all.collect()
}

/// The fields of a deletion, a closing and a cancellation come back, in reads that include deleted records.
pub async fn deletions_and_closings_come_back(store: Arc<dyn Store>) {
    let open = shift(&event(1, 1), 1, 5);
    let by = CancelledBy::EventCancellation;
    let reason = Some(CancellationReason::new("Flood,\n“high water”").unwrap());
    let closing = Some(Closing { at: at(6), by, reason, is_silent: true });
    let shift = Shift { deleted_at: Some(at(7)), closing, ..closed(&open, at(6), by) };
    let gone = cancelled(signup(&open, 1), at(5));
    let event = Event { external_id: "drive-7".parse().ok(), ..deleted(&event(1, 1), at(8)) };
    let records: Vec<Record> =
        vec![organization(1).into(), event.clone().into(), shift.clone().into(), gone.clone().into()];
    commit(&*store, insert(records.clone())).await;
    for record in records {
        let found = store.record(&record.entity().key(), Deleted::Included).await.unwrap();
        assert_eq!(found, Some(record));
    }
    assert_eq!(store.deleted_events(event.organization, None, 9).await.unwrap(), vec![event.clone()]);
    let in_full = SignupInFull::new(organization(1), event, shift, gone.clone());
    assert_eq!(store.signup_in_full(gone.organization, gone.id).await.unwrap(), Some(in_full));
}

/// Null fields come back null, and an event without shifts and questions comes back without them.
pub async fn null_fields_come_back_null(store: Arc<dyn Store>) {
    let organization =
        Organization { sport: None, public_url: None, contact: None, privacy_url: None, ..organization(1) };
    let event = event(1, 1);
    commit(&*store, insert::<Record>([organization.clone().into(), event.clone().into()])).await;
    assert_eq!(stored(&*store, &organization).await.as_ref(), Some(&organization));
    assert_eq!(store.shifts(organization.id, event.id).await.unwrap(), Some(vec![]));
    let full = EventInFull { event: event.clone(), location_data: None, shifts: vec![], questions: vec![] };
    assert_eq!(store.event_in_full(&event.key()).await.unwrap(), Some(full));
}

/// Texts of any script, texts with SQL or escape characters, long texts and exact numbers come back.
pub async fn unusual_texts_and_numbers_come_back(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
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
        commit(&*store, insert::<Record>([event.clone().into(), shift.clone().into()])).await;
        assert_eq!(stored(&*store, &event).await, Some(event));
        assert_eq!(stored(&*store, &shift).await, Some(shift));
    }
}

/// Numbers in location data and in a receipt come back exactly: the largest and the smallest doubles of both signs,
/// subnormal ones, negative zero, and integers that a double cannot represent.
pub async fn every_double_comes_back_exactly(store: Arc<dyn Store>) {
    let data = data(
        r#"{"doubles": [1.7976931348623157e308, -1.7976931348623157e308, 2.2250738585072014e-308,
            -2.2250738585072014e-308, 2.225073858507201e-308, -2.225073858507201e-308, 5e-324, -5e-324, -0.0, 0.1,
            123456789.12345679, 4.35, 1e23, 8.5e-5],
            "integers": [18446744073709551615, -9223372036854775808, 9007199254740993]}"#,
    );
    let latitudes =
        [5e-324, -5e-324, 2.225_073_858_507_201e-308, -2.225_073_858_507_201_4e-308, 0.1 + 0.2, 90.0];
    commit(&*store, insert([organization(1)])).await;
    for (number, latitude) in (1..).zip(latitudes) {
        let event = Event { latitude: Some(Latitude::new(latitude).unwrap()), ..event(1, number) };
        let receipt = receipt(receipt_key(1, &format!("key-{number}")), &event, &[]);
        let located = location_data(&event, data.clone());
        let records: [Record; 3] = [event.clone().into(), located.into(), receipt.clone().into()];
        commit(&*store, insert(records)).await;
        let found = store.event_in_full(&event.key()).await.unwrap().unwrap();
        // Compares texts, because zero and negative zero are equal as numbers.
        assert_eq!(found.location_data.map(|data| data.to_json()), Some(data.to_json()));
        assert_eq!(found.event, event, "{latitude:e}");
        assert_eq!(stored(&*store, &receipt).await, Some(receipt), "{latitude:e}");
    }
}

/// The first and the last date, zones that are links, and days that a zone skipped come back.
pub async fn unusual_dates_and_zones_come_back(store: Arc<dyn Store>) {
    commit(&*store, insert([organization(1)])).await;
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
        let [evening, night] = [1, 2].map(|row| shift(&event, 2 * number + row, 1));
        let (ten, six) = ("22:00".parse().unwrap(), "06:00".parse().unwrap());
        let evening = Shift { hours: Hours::new(Some(ten), None).unwrap(), ..evening };
        let night = Shift { hours: Hours::overnight(ten, six).unwrap(), ..night };
        let shifts = [evening, night];
        commit(&*store, insert([event.clone()])).await;
        commit(&*store, insert(shifts.clone())).await;
        assert_eq!(stored(&*store, &event).await.as_ref(), Some(&event), "{date} {zone}");
        let listed = store.shifts(event.organization, event.id).await.unwrap().unwrap();
        let expected = ScheduledShift::in_running_order(shifts, &event);
        assert_eq!(listed, expected, "{date} {zone}");
    }
}

/// Location data of the maximum depth comes back.
pub async fn the_deepest_location_data_comes_back(store: Arc<dyn Store>) {
    let event = event(1, 1);
    let data = location_data(&event, nested(LocationData::MAX_DEPTH).parse().unwrap());
    let records: [Record; 3] = [organization(1).into(), event.clone().into(), data.clone().into()];
    commit(&*store, insert(records)).await;
    let full = store.event_in_full(&event.key()).await.unwrap().unwrap();
    assert_eq!(full.location_data, Some(data.data));
}

/// An address comes back in the spelling in which it was given, and every spelling finds it.
pub async fn an_address_keeps_its_spelling_and_is_found_by_every_other(store: Arc<dyn Store>) {
    const GIVEN: &str = "Ada@MÜLLER.example";
    let (_, shift) = with_shift(&store, 1).await;
    let signup = Signup { email: GIVEN.parse().unwrap(), ..signup(&shift, 1) };
    let person = Person { email: GIVEN.parse().unwrap(), ..person(1) };
    commit(&*store, sign_up(&shift, &signup)).await;
    commit(&*store, insert([person])).await;
    for spelling in ["ada@xn--mller-kva.example", "ADA@ｍüller.example"] {
        let email: EmailAddress = spelling.parse().unwrap();
        let unique = Unique::PersonEmail(email.key().to_owned());
        let person: Option<Person> = store.find(unique).await.unwrap();
        assert_eq!(person.unwrap().email.as_str(), GIVEN);
        let found = store.signups(shift.organization, &SignupQuery::new().email(email)).await.unwrap();
        let texts: Vec<_> = found.items.iter().map(|signup| signup.email.as_str()).collect();
        assert_eq!(texts, [GIVEN]);
    }
}

/// Returns JSON of `levels` nested objects.
fn nested(levels: usize) -> String {
    format!("{}{{}}{}", r#"{"a":"#.repeat(levels - 1), "}".repeat(levels - 1))
}
