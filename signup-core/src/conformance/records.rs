//! Records for tests. Ids are made from small numbers, so that a failure prints the same ids each time.

mod people;

use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

pub use self::people::*;
use crate::*;

/// The present time of the tests, in Unix seconds: 2027-01-15T08:00:00Z.
pub const NOW_S: i64 = 1_800_000_000;

/// Returns the time `seconds` after [`NOW_S`].
pub fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(NOW_S + seconds).unwrap()
}

/// Returns the UUID of `number`. UUIDs sort like their numbers.
pub fn uuid(number: u32) -> Uuid {
    Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 | u128::from(number))
}

/// Returns the id of the organization `number`.
pub fn organization_id(number: u32) -> OrganizationId {
    OrganizationId::new(uuid(number))
}

/// Returns an organization with every field set.
pub fn organization(number: u32) -> Organization {
    Organization {
        id: organization_id(number),
        name: Name::new("Riverside Food Bank").unwrap(),
        slug: format!("organization-{number}"),
        sport: Some(Name::new("rowing").unwrap()),
        public_url: Some(WebAddress::new("https://riverside.example.org/?a=b&c").unwrap()),
        contact: Some(EmailAddress::new("Help@riverside.example.org").unwrap()),
        privacy_url: Some(WebAddress::new("https://riverside.example.org/privacy#volunteers").unwrap()),
        plan: Plan::Starter,
        version: 1,
        gate: 1,
        created_at: at(0),
    }
}

/// Returns a token with every scope.
pub fn token(organization: u32, number: u32) -> Token {
    Token {
        id: TokenId::new(uuid(number)),
        organization: organization_id(organization),
        name: Name::new("nightly import").unwrap(),
        digest: Digest::of(&format!("token {number}")),
        scopes: Scopes::all(),
        version: 1,
        created_at: at(0),
        created_by: Actor::Operator,
        last_used_at: None,
        expires_at: at(86_400),
        revoked_at: None,
    }
}

/// Returns a published event on `date` without optional fields.
pub fn event_on(organization: u32, number: u32, date: &str, zone: &str) -> Event {
    Event {
        id: EventId::new(uuid(number)),
        organization: organization_id(organization),
        title: Title::new("Food drive").unwrap(),
        slug: format!("food-drive-{number}"),
        description: None,
        instructions: None,
        location: None,
        is_virtual: false,
        latitude: None,
        longitude: None,
        dates: EventDates { first: Day::new(date.parse().unwrap(), zone.parse().unwrap()), last: None },
        language: Language::En,
        is_published: true,
        reminders_enabled: true,
        theme: None,
        badge_label: None,
        external_id: None,
        signups_open_at: None,
        signups_close_at: None,
        waitlist_enabled: false,
        cancelled_at: None,
        cancellation_reason: None,
        version: 1,
        gate: 1,
        deleted_at: None,
        created_at: at(0),
        updated_at: at(0),
    }
}

/// Returns a published event on a day after [`NOW_S`].
pub fn event(organization: u32, number: u32) -> Event {
    event_on(organization, number, "2027-06-05", "America/New_York")
}

/// Returns a shift of `event` from 09:00 to 12:00.
pub fn shift(event: &Event, number: u32, capacity: u32) -> Shift {
    let (id, title) = (ShiftId::new(uuid(number)), Title::new("Morning").unwrap());
    let new = Shift::new(id, event.organization, event.id, title, Capacity::new(capacity).unwrap(), at(0));
    let hours = Hours::parse(Some("09:00"), Some("12:00")).unwrap();
    Shift { hours, ends_at: event.dates.first.interval(hours).end, position: number, ..new }
}

/// Returns an activity of the organization itself, with each form of text.
pub fn activity(organization: u32, number: u32) -> Activity {
    Activity::new(
        ActivityId::new(uuid(number)),
        organization_id(organization),
        ActivityType::ORGANIZATION_UPDATED,
        at(0),
        Actor::Token { id: TokenId::new(uuid(number)), name: Name::new("“nightly” import").unwrap() },
        Subject::default(),
        vec!["name".into(), "privacy_url".into()],
    )
}

/// Returns a secret of a webhook.
pub fn signing_secret(number: u32) -> SigningSecret {
    format!("whsec_{number:0>42}A=").parse().unwrap()
}

/// Returns an enabled webhook that receives every type.
pub fn webhook(organization: u32, number: u32) -> Webhook {
    Webhook {
        id: WebhookId::new(uuid(number)),
        organization: organization_id(organization),
        url: "https://example.org/hooks?key=a".parse().unwrap(),
        description: Some(WebhookDescription::new("“Calendar”").unwrap()),
        types: vec![TypeFilter::every()],
        secret: Some(signing_secret(number)),
        former_secret: None,
        disabled: None,
        last_success_at: None,
        failing_since: None,
        version: 1,
        created_at: at(0),
        updated_at: at(0),
    }
}

/// Returns a delivery to a webhook that is due at once.
pub fn delivery(webhook: &Webhook, number: u32) -> Delivery {
    let activity = Activity { organization: webhook.organization, ..activity(1, number) };
    Delivery::new(DeliveryId::new(uuid(number)), webhook.id, activity, at(0))
}

/// Returns a required question of `event` with two options.
pub fn question(event: &Event, number: u32, position: u32) -> Question {
    Question {
        id: QuestionId::new(uuid(number)),
        organization: event.organization,
        event: event.id,
        label: Label::new("T-shirt size").unwrap(),
        kind: QuestionKind::Select,
        options: vec![Label::new("S").unwrap(), Label::new("“M”").unwrap()],
        required: true,
        position,
        version: 1,
    }
}

/// Returns an answer to the question `number`.
pub fn answer(number: u32, value: &str) -> Answer {
    let (question_id, label) = (QuestionId::new(uuid(number)), Label::new("T-shirt size").unwrap());
    Answer { question_id, label, value: AnswerText::new(value).unwrap() }
}

/// Returns a confirmed sign-up for `shift` without answers.
pub fn signup(shift: &Shift, number: u32) -> Signup {
    Signup {
        id: SignupId::new(uuid(number)),
        organization: shift.organization,
        event: shift.event,
        shift: shift.id,
        name: PersonName::new("Ada").unwrap(),
        email: EmailAddress::new(&format!("ada{number}@example.org")).unwrap(),
        told: told(shift),
        answers: vec![],
        state: SignupState::Confirmed,
        attendance: None,
        changed_at: None,
        has_waited: false,
        promoted_at: None,
        reason: None,
        is_silent: false,
        version: 1,
        created_at: at(1),
        repeated_at: None,
    }
}

/// Returns the secret `number`.
pub fn secret(number: u32) -> Secret {
    format!("{number:0>42}A").parse().unwrap()
}

/// Returns the link with the secret `number` of the address of a sign-up. It expires a year after [`NOW_S`].
pub fn link(signup: &Signup, number: u32) -> Link {
    let expires_at = at(365 * 86_400);
    let path = (signup.organization, signup.event);
    Link::new(secret(number).digest(), path, signup.email.clone(), expires_at)
}

/// Returns the opt-out from reminders of the address of the person `number`.
pub fn opt_out(organization: u32, number: u32) -> OptOut {
    let mailbox = format!("ada{number}@example.org").parse().unwrap();
    OptOut::new(organization_id(organization), mailbox, Subscription::Reminders, at(4))
}

/// Returns the sign-up as one that waits for a place.
pub fn waiting(signup: Signup) -> Signup {
    Signup { state: SignupState::Waitlisted, ..signup }
}

/// Returns the sign-up after its volunteer cancelled it.
pub fn cancelled(signup: Signup, at: Timestamp) -> Signup {
    Signup { version: signup.version + 1, ..signup.cancelled(at, CancelledBy::Volunteer) }
}

/// Returns a time and a place, with every field set.
pub fn time_and_place() -> TimeAndPlace {
    TimeAndPlace {
        interval: Interval { start: at(3600), end: at(7200) },
        zone: "America/New_York".parse().unwrap(),
        location: Some(ShiftLocation::new("Hall B").unwrap()),
        event_location: Some(EventLocation::new("12 Harbor Street").unwrap()),
    }
}

/// Returns what the address of a sign-up was told, with every field set.
pub fn told(shift: &Shift) -> Told {
    Told {
        status: Some(SignupStatus::Confirmed),
        shift: shift.id,
        title: shift.title.clone(),
        at: time_and_place(),
        announced: 1,
        sequence: 2,
        sent_at: Some(at(3)),
    }
}

/// Returns a notice that `shift` has changed.
pub fn notice(shift: &Shift, number: u32) -> Notice {
    let cause =
        NoticeCause::EventChanged(EventChange { shift: Some(shift.id), first_at: at(2), covered_to: None });
    Notice::new(NoticeId::new(uuid(number)), shift.organization, Some(shift.event), cause, at(2))
}

/// Returns the recipient with the address of a sign-up.
pub fn recipient(signup: &Signup, number: u32) -> Notice {
    let cause = NoticeCause::News(Recipient::new(signup.email.clone(), at(2)));
    Notice::new(NoticeId::new(uuid(number)), signup.organization, Some(signup.event), cause, at(2))
}

/// Returns the cause of a notice with a code to sign in.
pub fn code_asked_for(number: u32) -> NoticeCause {
    let SignInCode { browser, digest, .. } = sign_in_code(number);
    let email = format!("ada{number}@example.org").parse().unwrap();
    NoticeCause::SignInCode { email, code: "abcd2345".parse().unwrap(), browser, digest }
}

/// Returns the receipt key of creating an event by the caller 1 of `organization`.
pub fn receipt_key(organization: u32, key: &str) -> ReceiptKey {
    ReceiptKey {
        organization: organization_id(organization),
        caller: CallerId::new(uuid(1)),
        operation: OperationKind::CreateEvent.into(),
        key: key.parse().unwrap(),
    }
}

/// Returns a receipt that is live for a day after [`NOW_S`].
pub fn receipt(key: ReceiptKey, event: &Event, shifts: &[Shift]) -> Receipt {
    let shifts = ScheduledShift::in_running_order(shifts.to_vec(), event);
    let outcome = EventWithShifts::new(event.clone(), shifts);
    let input = Some(Digest::of("input"));
    Receipt { key, outcome: outcome.into(), mails_queued: 3, input, expires_at: at(86_400) }
}

/// Returns the write that puts `after` in place of `before`.
pub fn put(before: impl Into<Record>, after: impl Into<Record>) -> Write {
    Write::Put { before: Some(before.into()), after: after.into() }
}

/// Returns a change set that inserts records.
pub fn insert<R: Into<Record>>(records: impl IntoIterator<Item = R>) -> ChangeSet {
    ChangeSet { requires: vec![], writes: records.into_iter().map(Write::insert).collect() }
}

/// Returns the requirement that the record is as it was read.
pub fn unchanged(record: &impl Entity) -> Requirement {
    Requirement::unchanged(record).unwrap()
}

/// Returns the requirement that the gate of the record is as it was read.
pub fn gate_unchanged(record: &impl Entity) -> Requirement {
    Requirement::gate_unchanged(record).unwrap()
}

/// Returns the requirement that no record live at [`NOW_S`] has the value.
pub fn absent(unique: Unique) -> Requirement {
    Requirement::Absent { unique, now: at(0) }
}

/// Returns the requirement that no confirmed sign-up for the shift is of the person of `signup`.
pub fn has_no_place(signup: &Signup) -> Requirement {
    absent(Unique::place(signup.organization, signup.shift, &signup.email, &signup.name))
}

/// Returns the requirement that the shift has room.
pub fn has_room(shift: &Shift) -> Requirement {
    let total = Total::Filled(shift.organization, shift.id);
    Requirement::Below { total, bound: shift.occupancy.capacity.volunteers(), now: at(0) }
}

/// Returns the requirement that none of these shifts of the event has a confirmed sign-up.
pub fn are_empty(event: &Event, shifts: &[ShiftId]) -> Requirement {
    let totals = shifts.iter().map(|shift| Total::Filled(event.organization, *shift)).collect();
    Requirement::AllZero { parent: event.key(), totals }
}

/// Returns the event at its next version, with its gate raised.
pub fn next(event: &Event) -> Event {
    Event { version: event.version + 1, gate: event.gate + 1, ..event.clone() }
}

/// Returns the shift at its next version, with its gate raised.
pub fn next_shift(shift: &Shift) -> Shift {
    Shift { version: shift.version + 1, gate: shift.gate + 1, ..shift.clone() }
}

/// Returns the event as deleted at `deleted_at`.
pub fn deleted(event: &Event, deleted_at: Timestamp) -> Event {
    Event { deleted_at: Some(deleted_at), ..next(event) }
}

/// Returns the shift as closed at `at`.
pub fn closed(shift: &Shift, at: Timestamp, by: CancelledBy) -> Shift {
    Shift { closing: Some(Closing { at, by, reason: None, is_silent: false }), ..next_shift(shift) }
}

/// Commits a change set that must not be refused.
pub async fn commit(store: &dyn Store, change: ChangeSet) {
    store.commit(change).await.unwrap();
}

/// Commits a change set.
///
/// # Errors
/// Returns the refusal of the store.
pub async fn try_commit(store: &dyn Store, change: ChangeSet) -> Result<(), Refusal> {
    match store.commit(change).await {
        Ok(()) => Ok(()),
        Err(CommitError::Refused(refusal)) => Err(refusal),
        Err(CommitError::Failed(error)) => panic!("the store failed: {error:?}"),
    }
}

/// Commits all change sets at the same time, each in its own task. Returns the refusals of the store in the order of the change
/// sets.
pub async fn all_at_once(store: &Arc<dyn Store>, changes: Vec<ChangeSet>) -> Vec<Result<(), Refusal>> {
    let start = Arc::new(tokio::sync::Barrier::new(changes.len()));
    let tasks = changes.into_iter().map(|change| {
        let (store, start) = (Arc::clone(store), Arc::clone(&start));
        tokio::spawn(async move {
            start.wait().await;
            try_commit(&*store, change).await
        })
    });
    let mut results = vec![];
    for task in tasks.collect::<Vec<_>>() {
        results.push(task.await.unwrap());
    }
    results
}

/// Commits requirements without writes.
///
/// # Errors
/// Returns the refusal of the store.
pub async fn check(store: &dyn Store, requires: Vec<Requirement>) -> Result<(), Refusal> {
    try_commit(store, ChangeSet { requires, writes: vec![] }).await
}

/// Commits writes without requirements.
pub async fn write(store: &dyn Store, writes: Vec<Write>) {
    commit(store, ChangeSet { requires: vec![], writes }).await;
}

/// Inserts the organization 1, and an event with one shift of `capacity`. Returns the event and the shift.
pub async fn with_shift(store: &Arc<dyn Store>, capacity: u32) -> (Event, Shift) {
    let event = event(1, 1);
    let shift = shift(&event, 1, capacity);
    let records: [Record; 3] = [organization(1).into(), event.clone().into(), shift.clone().into()];
    commit(&**store, insert(records)).await;
    (event, shift)
}

/// Returns the change set of signing up for `shift`.
pub fn sign_up(shift: &Shift, signup: &Signup) -> ChangeSet {
    let requires = vec![gate_unchanged(shift), has_no_place(signup), has_room(shift)];
    ChangeSet { requires, writes: vec![Write::insert(signup.clone())] }
}

/// Reads the record with the key of `record`.
pub async fn stored<R: Entity + TryFrom<Record>>(store: &dyn Store, record: &R) -> Option<R> {
    store.get(record.key()).await.unwrap()
}

/// Returns a message to the volunteers of an event.
pub fn message(event: &Event, number: u32) -> Message {
    let place = (event.organization, event.id, Some(ShiftId::new(uuid(1))));
    let (subject, text) = ("Bring “gloves”".parse().unwrap(), " It will\nbe cold. ".parse().unwrap());
    let sender = (PersonId::new(uuid(1)), PersonName::new("Grace “Admiral” Hopper").unwrap());
    let message = Message::new(MessageId::new(uuid(number)), place, subject, text, sender, at(0));
    Message { audience: Audience::Waiting, includes_past: true, recipients: 7, ..message }
}

/// Returns the location data of the event.
pub fn location_data(event: &Event, data: LocationData) -> EventLocationData {
    EventLocationData { organization: event.organization, event: event.id, data }
}
