//! The service with the memory store: properties of whole operations, and behaviour that the HTTP API does not show.

use std::sync::Arc;

use proptest::prelude::*;
use signup_core::*;
use signup_store_memory::MemoryStore;

struct World {
    service: Service,
    clock: Arc<FixedClock>,
    organization: OrganizationId,
    session: Session,
}

const NOW: &str = "2027-06-05T12:00:00Z";

async fn world() -> World {
    let clock = Arc::new(FixedClock::at(NOW.parse().unwrap()));
    let service = Service::new(MemoryStore::new()).with_clock(Arc::clone(&clock));
    let name = Name::new("Riverside").unwrap();
    let new = NewOrganization::new(name.clone()).plan(Plan::Pro);
    let (organization, token) = service
        .admin()
        .create_first_organization(new, NewToken::new(name, Scopes::all()))
        .await
        .unwrap()
        .unwrap();
    let session = service.authenticate(token.reveal()).await.unwrap();
    World { service, clock, organization: organization.id, session }
}

impl World {
    async fn event(&self, json: &str) -> EventWithShifts {
        let input: EventInput<'_> = from_json(json.as_bytes()).unwrap();
        self.session.create_event(input.check(self.session.limits()).unwrap()).await.unwrap()
    }

    /// Creates a published event in UTC on `date` with one shift from 09:00 to 12:00.
    async fn event_on(&self, date: &str, capacity: u32) -> (Event, ScheduledShift) {
        let json = format!(
            r#"{{"title": "A", "start_date": "{date}", "timezone": "UTC", "is_published": true, "shifts":
               [{{"title": "S", "start_time": "09:00", "end_time": "12:00", "capacity": {capacity}}}]}}"#
        );
        let EventWithShifts { event, mut shifts, .. } = self.event(&json).await;
        (event, shifts.remove(0))
    }

    async fn patch(&self, shift: &Shift, json: &str) -> Result<ScheduledShift> {
        let input: ShiftPatchInput<'_> = from_json(json.as_bytes()).unwrap();
        self.session.patch_shift(shift.id, input.check()?).await
    }

    async fn sign_up(&self, shift: &Shift, email: &str) -> Result<SignedUp> {
        let new = NewSignup::new("Ada".parse().unwrap(), email.parse().unwrap());
        self.service.volunteers().form_of(self.organization, shift.id).await?.sign_up(new).await
    }

    /// Returns the secret in the latest confirmation.
    async fn last_secret(&self) -> Secret {
        let notices = self.service.admin().notices(false, None, 999).await.unwrap();
        notices
            .iter()
            .rev()
            .find_map(|notice| match &notice.cause {
                NoticeCause::SignedUp { secret, .. } => Some(secret.clone()),
                _ => None,
            })
            .unwrap()
    }

    async fn queued_changes(&self) -> usize {
        let notices = self.service.admin().notices(false, None, 999).await.unwrap();
        let is_change = |cause: &_| matches!(cause, NoticeCause::ShiftChanged { .. });
        notices.iter().filter(|notice| is_change(&notice.cause)).count()
    }
}

fn faults(error: Error) -> Vec<String> {
    match error {
        Error::Invalid(faults) => faults.iter().map(|fault| fault.path.to_string()).collect(),
        error => panic!("{error:?}"),
    }
}

#[tokio::test]
async fn only_a_change_of_time_or_place_queues_a_notice() {
    let world = world().await;
    let (_, shift) = world.event_on("2027-06-06", 3).await;
    for quiet in [
        r#"{"title": "Other", "capacity": 9}"#,
        r#"{"start_time": "09:00", "location": null}"#,
        r#"{"start_time": "08:00", "location": "Hall", "notify_volunteers": false}"#,
        "{}",
    ] {
        world.patch(&shift, quiet).await.unwrap();
        assert_eq!(world.queued_changes().await, 0, "{quiet}");
    }
    for (number, patch) in [r#"{"start_time": "08:30"}"#, r#"{"location": "Dock"}"#].iter().enumerate() {
        world.patch(&shift, patch).await.unwrap();
        assert_eq!(world.queued_changes().await, number + 1, "{patch}");
    }
}

#[tokio::test]
async fn a_change_of_a_past_shift_queues_no_notice() {
    let world = world().await;
    let (_, shift) = world.event_on("2027-06-05", 3).await;
    world.patch(&shift, r#"{"start_time": "08:00"}"#).await.unwrap();
    assert_eq!(world.queued_changes().await, 0, "the shift is over by its old and its new hours");
    world.patch(&shift, r#"{"end_time": "13:00"}"#).await.unwrap();
    assert_eq!(world.queued_changes().await, 1, "the new hours are not over");
}

#[tokio::test]
async fn a_full_shift_refuses_sign_ups_until_one_is_cancelled() {
    let world = world().await;
    let (_, shift) = world.event_on("2027-06-06", 1).await;
    assert!(world.sign_up(&shift, "ada@example.org").await.unwrap().is_new());
    assert!(matches!(world.sign_up(&shift, "bob@example.org").await, Err(Error::ShiftFull)));
    assert!(matches!(world.sign_up(&shift, "ADA@example.org").await, Err(Error::ShiftFull)));
    let secret = world.last_secret().await;
    assert_eq!(world.service.volunteers().cancel(&secret).await.unwrap().status(), SignupStatus::Cancelled);
    assert_eq!(
        world.service.volunteers().cancel(&secret).await.unwrap().status(),
        SignupStatus::Cancelled,
        "a repeated cancellation changes nothing"
    );
    assert!(world.sign_up(&shift, "bob@example.org").await.unwrap().is_new());
    assert!(matches!(world.service.volunteers().signup(&Secret::generate()).await, Err(Error::NotFound)));
}

#[tokio::test]
async fn an_over_full_shift_keeps_its_sign_ups_and_refuses_new_ones() {
    let world = world().await;
    let (_, shift) = world.event_on("2027-06-06", 3).await;
    for name in ["a", "b", "c"] {
        world.sign_up(&shift, &format!("{name}@example.org")).await.unwrap();
    }
    let over_full = world.patch(&shift, r#"{"capacity": 1}"#).await.unwrap().occupancy;
    assert!(over_full.is_over_full());
    assert_eq!((over_full.filled, over_full.remaining()), (3, 0));
    assert!(matches!(world.sign_up(&shift, "d@example.org").await, Err(Error::ShiftFull)));
}

#[tokio::test]
async fn a_past_shift_and_a_draft_refuse_sign_ups() {
    let world = world().await;
    let (_, over) = world.event_on("2027-06-05", 3).await;
    assert!(matches!(world.sign_up(&over, "ada@example.org").await, Err(Error::ShiftOver)));
    world.clock.advance(-7200);
    world.sign_up(&over, "ada@example.org").await.unwrap();
    world.clock.advance(7200);
    assert!(
        matches!(world.sign_up(&over, "ada@example.org").await, Err(Error::ShiftOver)),
        "the error does not reveal an existing sign-up"
    );
    let draft = world.event(r#"{"title": "D", "start_date": "2027-06-06", "timezone": "UTC", "shifts": [{"title": "S", "capacity": 1}]}"#).await;
    assert!(matches!(world.sign_up(&draft.shifts[0], "ada@example.org").await, Err(Error::NotFound)));
}

#[tokio::test]
async fn answers_are_checked_against_the_events_questions() {
    let world = world().await;
    let (event, shift) = world.event_on("2027-06-06", 3).await;
    let label = |text| Label::new(text).unwrap();
    let mut ids = vec![];
    for (kind, options, required) in [
        (QuestionKind::Select, vec![label("S"), label("M")], true),
        (QuestionKind::Checkbox, vec![], true),
        (QuestionKind::Text, vec![], false),
    ] {
        let mut new = NewQuestion::new(label("?"), kind);
        (new.options, new.required) = (options, required);
        ids.push(world.service.admin().add_question(event.id, new).await.unwrap().id.to_string());
    }
    let sign_up = async |answers: &[(usize, &'static str)], name: &'static str| {
        let answers =
            answers.iter().map(|(number, answer)| (ids[*number].clone().into(), (*answer).into())).collect();
        let input = SignUpInput { name: name.into(), email: "ada@example.org".into(), answers };
        let form = world.service.volunteers().form_of(world.organization, shift.id).await?;
        form.sign_up(input.check(form.questions())?).await
    };
    let field = |number: usize| format!("answers[{}]", ids[number]);
    assert_eq!(faults(sign_up(&[], " ").await.unwrap_err()), ["name".to_owned(), field(0), field(1)]);
    assert_eq!(faults(sign_up(&[(0, "XL"), (1, "on")], "Ada").await.unwrap_err()), [field(0)]);
    assert_eq!(faults(sign_up(&[(0, "M"), (1, "off")], "Ada").await.unwrap_err()), [field(1)]);
    let signup = sign_up(&[(0, "M"), (1, "on"), (2, " hello ")], "Ada").await.unwrap().signup;
    let values: Vec<_> = signup.answers.iter().map(|answer| answer.value.as_str()).collect();
    assert_eq!(values, ["M", "yes", "hello"]);
    let text_with_options = NewQuestion::new(label("?"), QuestionKind::Text).option(label("A"));
    assert_eq!(
        faults(world.service.admin().add_question(event.id, text_with_options).await.unwrap_err()),
        ["options"]
    );
}

#[tokio::test]
async fn a_token_is_valid_until_it_expires_or_is_revoked() {
    let world = world().await;
    let new = NewToken::new(Name::new("t").unwrap(), Scopes::all()).expires_in_days(1);
    let (_, first) = world.service.admin().create_token(world.organization, new.clone()).await.unwrap();
    let (second_record, second) =
        world.service.admin().create_token(world.organization, new.clone()).await.unwrap();
    world.clock.advance(86_399);
    assert!(world.service.authenticate(first.reveal()).await.is_ok());
    assert!(world.service.authenticate(second.reveal()).await.is_ok());
    world.service.admin().revoke_token(second_record.id).await.unwrap();
    assert!(
        matches!(world.service.authenticate(second.reveal()).await, Err(Error::Unauthenticated)),
        "revocation takes effect at once"
    );
    world.clock.advance(1);
    assert!(
        matches!(world.service.authenticate(first.reveal()).await, Err(Error::Unauthenticated)),
        "expiry is exact to the second"
    );
    for days in [0, 366] {
        let new = new.clone().expires_in_days(days);
        assert_eq!(
            faults(world.service.admin().create_token(world.organization, new.clone()).await.unwrap_err()),
            ["expires_in_days"]
        );
    }
}

#[tokio::test]
async fn a_session_whose_token_has_expired_is_refused_at_each_use() {
    let world = world().await;
    let World { service, clock, organization, .. } = &world;
    let name = Name::new("nightly").unwrap();
    let new = NewToken::new(name, Scopes::all()).expires_in_days(1);
    let (_, token) = service.admin().create_token(*organization, new).await.unwrap();
    let session = service.authenticate(token.reveal()).await.unwrap();

    let json = br#"{"title": "A", "start_date": "2027-06-05", "timezone": "UTC", "shifts": [{"title": "S", "capacity": 1}]}"#;
    let event = from_json::<EventInput<'_>>(json).unwrap().check(session.limits()).unwrap();
    let mut faulty = event.clone();
    faulty.start_date = date(9999, 1, 1);
    let patch = ShiftPatch::new().capacity(Capacity::new(2).unwrap());
    let key: IdempotencyKey = "key".parse().unwrap();
    let keyed = session.with_key(key);
    let created = keyed.create_event(event.clone()).await.unwrap();
    let (event_id, shift_id) = (created.event.id, created.shifts[0].id);
    let list = EventQuery::new();
    let uses = async || {
        [
            ("create", session.create_event(event.clone()).await.err()),
            ("replay", keyed.create_event(event.clone()).await.err()),
            ("replay before a fault", keyed.create_event(faulty.clone()).await.err()),
            ("stored outcome", keyed.stored_outcome(Operation::CreateEvent).await.err()),
            ("duplicate", session.duplicate_event(event_id, date(2027, 6, 12)).await.err()),
            ("patch", session.patch_shift(shift_id, patch.clone()).await.err()),
            ("list events", session.events(list).await.err()),
            ("list shifts", session.shifts(event_id).await.err()),
            ("organization", session.organization().await.err()),
        ]
    };
    clock.advance(86_399);
    for (name, error) in uses().await {
        assert!(error.is_none(), "{name}: {error:?}");
    }
    let address = std::net::Ipv4Addr::LOCALHOST.into();
    let rate = async || service.count_request(Some(&session), address).await.unwrap().limit;
    assert_eq!(rate().await, PlanTable::default().pro.requests_per_minute);
    let events = world.session.events(list).await.unwrap().items;
    clock.advance(1);
    for (name, error) in uses().await {
        assert!(matches!(error, Some(Error::Unauthenticated)), "{name}: {error:?}");
    }
    assert_eq!(rate().await, PlanTable::default().free.requests_per_minute, "as without a token");
    assert_eq!(world.session.events(list).await.unwrap().items, events, "nothing was written");
}

#[tokio::test]
async fn a_key_runs_its_operation_again_after_24_hours() {
    let world = world().await;
    let key: IdempotencyKey = "key".parse().unwrap();
    let input: EventInput<'_> =
        from_json(br#"{"title": "A", "start_date": "2027-06-05", "timezone": "UTC"}"#).unwrap();
    let create = async || {
        let keyed = world.session.with_key(key.clone());
        let event = keyed.create_event(input.check(keyed.limits()).unwrap()).await.unwrap().event;
        (event, keyed.is_replay())
    };
    let (first, _) = create().await;
    world.clock.advance(86_399);
    assert_eq!(create().await, (first.clone(), true));
    world.clock.advance(1);
    let (second, is_replay) = create().await;
    assert!(!is_replay && second.id != first.id);
    assert_eq!(world.service.admin().purge(9).await.unwrap(), 0, "the new receipt replaced the old one");
}

/// An operation on one shift.
#[derive(Debug, Clone)]
enum Action {
    SignUp(u8),
    Cancel(u8),
    Capacity(u32),
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let action = prop_oneof![
        4 => (0..8_u8).prop_map(Action::SignUp),
        2 => (0..8_u8).prop_map(Action::Cancel),
        1 => (1..6_u32).prop_map(Action::Capacity),
    ];
    prop::collection::vec(action, 1..30)
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn cases() -> ProptestConfig {
    ProptestConfig { cases: ProptestConfig::default().cases.max(1000), ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases())]

    /// For every sequence of sign-ups, cancellations and capacity changes, no sign-up takes `filled` above the
    /// capacity, and `filled` is the number of confirmed sign-ups.
    #[test]
    fn filled_counts_confirmed_sign_ups_and_no_sign_up_exceeds_the_capacity(capacity in 1..6_u32, actions in actions()) {
        block_on(async {
            let world = world().await;
            let (event, shift) = world.event_on("2027-06-06", capacity).await;
            let mut secrets = std::collections::HashMap::new();
            for action in actions {
                let before = world.session.shifts(event.id).await.unwrap()[0].occupancy;
                match action {
                    Action::SignUp(person) => match world.sign_up(&shift, &format!("p{person}@example.org")).await {
                        Ok(SignedUp { secret: Some(_), .. }) => {
                            prop_assert!(before.has_room());
                            secrets.insert(person, world.last_secret().await);
                        }
                        Ok(SignedUp { secret: None, signup, .. }) => prop_assert_eq!(signup.status(), SignupStatus::Confirmed),
                        Err(error) => {
                            prop_assert!(matches!(error, Error::ShiftFull));
                            prop_assert!(!before.has_room());
                        }
                    },
                    Action::Cancel(person) => {
                        if let Some(secret) = secrets.get(&person) {
                            world.service.volunteers().cancel(secret).await.unwrap();
                        }
                    }
                    Action::Capacity(capacity) => {
                        world.patch(&shift, &format!(r#"{{"capacity": {capacity}}}"#)).await.unwrap();
                    }
                }
                let after = world.session.shifts(event.id).await.unwrap()[0].occupancy;
                prop_assert!(after.filled <= before.filled || after.filled <= after.capacity.volunteers());
                let signups = world.service.admin().signups(world.organization, event.id, None, 999).await.unwrap();
                let confirmed = signups.iter().filter(|signup| signup.status() == SignupStatus::Confirmed).count();
                prop_assert_eq!(after.filled as usize, confirmed);
            }
            Ok(())
        })?;
    }

    /// `remaining` is the capacity minus `filled`, at least 0. A shift is over-full exactly if `filled` is above the
    /// capacity.
    #[test]
    fn remaining_and_over_full_follow_from_the_counts(capacity in 1..=Capacity::MAX, filled in 0..=2 * Capacity::MAX) {
        let occupancy = Occupancy { capacity: Capacity::new(capacity).unwrap(), filled };
        prop_assert_eq!(i64::from(occupancy.remaining()), (i64::from(capacity) - i64::from(filled)).max(0));
        prop_assert_eq!(occupancy.is_over_full(), filled > capacity);
        prop_assert_eq!(occupancy.has_room(), filled < capacity);
    }

    /// A walk through pages of any size returns each event once, in order, under any filter. A copy keeps its hours.
    #[test]
    fn a_walk_returns_each_event_once_and_copies_keep_their_hours(
        days in prop::collection::vec((1..20_u32, any::<bool>()), 1..25), per_page in 1..7_u32, filter in any::<Option<bool>>(), copy in 1..28_i8,
    ) {
        block_on(async {
            let world = world().await;
            let mut expected = vec![];
            for (day, is_published) in days {
                let created = world.event(&format!(
                    r#"{{"title": "A", "start_date": "2027-03-{day:02}", "timezone": "America/New_York", "is_published": {is_published},
                        "shifts": [{{"title": "S", "start_time": "02:30", "end_time": "03:00", "capacity": 1}}]}}"#
                )).await;
                if filter.is_none_or(|filter| filter == is_published) {
                    expected.push((created.event.dates.starts_at(), created.event.id));
                }
                let start_date = date(2027, 3, copy);
                let copied = world.session.duplicate_event(created.event.id, start_date).await.unwrap();
                prop_assert_eq!(copied.shifts[0].hours, created.shifts[0].hours);
                if filter != Some(true) {
                    expected.push((copied.event.dates.starts_at(), copied.event.id));
                }
            }
            expected.sort_by(|a, b| b.cmp(a));
            let (mut walked, mut cursor) = (vec![], None::<String>);
            loop {
                let input = EventListInput {
                    is_published: filter.map(|filter| filter.to_string().into()),
                    per_page: Some(per_page.to_string().into()),
                    cursor: cursor.map(Into::into),
                };
                let list = world.session.events(input.check().unwrap()).await.unwrap();
                walked.extend(list.items.iter().map(|event| (event.dates.starts_at(), event.id)));
                cursor = list.next.map(|next| next.to_string());
                if cursor.is_none() { break }
            }
            prop_assert_eq!(walked, expected);
            Ok(())
        })?;
    }
}
