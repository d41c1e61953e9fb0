//! Records for tests. Ids are made from small numbers, so that a failure prints the same ids each time.

use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

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
        plan: Plan::Starter,
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
        created_at: at(0),
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
        location: None,
        is_virtual: false,
        latitude: None,
        longitude: None,
        dates: EventDates { first: Day::new(date.parse().unwrap(), zone.parse().unwrap()), last: None },
        is_published: true,
        theme: None,
        badge_label: None,
        cancelled_at: None,
        cancellation_reason: None,
        version: 1,
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
    Shift {
        id: ShiftId::new(uuid(number)),
        organization: event.organization,
        event: event.id,
        title: Title::new("Morning").unwrap(),
        location: None,
        hours: Hours::parse(Some("09:00"), Some("12:00")).unwrap(),
        occupancy: Occupancy::empty(Capacity::new(capacity).unwrap()),
        position: number,
        version: 1,
        created_at: at(0),
        updated_at: at(0),
        day: event.dates.first.clone(),
        is_virtual: event.is_virtual,
    }
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
        shift_version: shift.version,
        name: PersonName::new("Ada").unwrap(),
        email: EmailAddress::new(&format!("ada{number}@example.org")).unwrap(),
        answers: vec![],
        status: SignupStatus::Confirmed,
        secret: Digest::of(&format!("signup {number}")),
        created_at: at(1),
        mailed_at: at(2),
        cancelled_at: None,
        cancelled_by: None,
    }
}

/// Returns the sign-up after its volunteer cancelled it.
pub fn cancelled(signup: Signup, at: Timestamp) -> Signup {
    Signup {
        status: SignupStatus::Cancelled,
        cancelled_at: Some(at),
        cancelled_by: Some(CancelledBy::Volunteer),
        ..signup
    }
}

/// Returns a notice that the location of `shift` has changed.
pub fn notice(shift: &Shift, number: u32) -> Notice {
    let before = TimeAndPlace { interval: shift.interval(), location: None, event_location: None };
    let after = TimeAndPlace { location: Some(ShiftLocation::new("Hall B").unwrap()), ..before.clone() };
    let change = ShiftChange { before, after, shift_version: 2, with_event: false };
    let cause = NoticeCause::ShiftChanged { change, fanned_out_to: None };
    let shift_path = (shift.organization, shift.event, shift.id);
    Notice::new(NoticeId::new(uuid(number)), shift_path, cause, at(2))
}

/// Returns the receipt key of creating an event with the token 1 of `organization`.
pub fn receipt_key(organization: u32, key: &str) -> ReceiptKey {
    ReceiptKey {
        organization: organization_id(organization),
        token: TokenId::new(uuid(1)),
        operation: Operation::CreateEvent,
        key: key.parse().unwrap(),
    }
}

/// Returns a receipt that is live for a day after [`NOW_S`].
pub fn receipt(key: ReceiptKey, event: &Event, shifts: &[Shift]) -> Receipt {
    let outcome = EventWithShifts { event: event.clone(), shifts: shifts.to_vec() };
    Receipt { key, outcome: outcome.into(), expires_at: at(86_400) }
}

/// Returns the write that inserts `event` without location data.
pub fn insert_event(event: &Event) -> Write {
    Write::InsertEvent { event: Box::new(event.clone()), location_data: None }
}

/// Returns the write with which the volunteer cancels `signup`.
pub fn cancel(signup: &Signup, at: Timestamp) -> Write {
    let Signup { organization, shift, id: signup, .. } = *signup;
    Write::CancelSignup { organization, shift, signup, at, by: CancelledBy::Volunteer }
}

/// Returns the write that erases `signup`.
pub fn erase(signup: &Signup) -> Write {
    let Signup { organization, event, shift, id: signup, .. } = *signup;
    Write::EraseSignup { organization, event, shift, signup }
}

/// Returns the requirement that `signup` is confirmed.
pub fn is_confirmed(signup: &Signup) -> Requirement {
    let Signup { organization, shift, id: signup, .. } = *signup;
    Requirement::SignupConfirmed { organization, shift, signup }
}

/// Returns the requirement that `signup` is confirmed and has `secret`.
pub fn has_secret(signup: &Signup, secret: Digest) -> Requirement {
    let Signup { organization, shift, id: signup, .. } = *signup;
    Requirement::SignupHasSecret { organization, shift, signup, secret }
}

/// Commits writes without requirements.
pub async fn write(store: &dyn Store, writes: Vec<Write>) {
    store.commit(ChangeSet { requires: vec![], writes }).await.unwrap();
}

/// Commits requirements and writes.
///
/// # Errors
/// Returns the refusal of the store.
pub async fn try_write(
    store: &dyn Store,
    requires: Vec<Requirement>,
    writes: Vec<Write>,
) -> Result<(), Refusal> {
    match store.commit(ChangeSet { requires, writes }).await {
        Ok(()) => Ok(()),
        Err(CommitError::Refused(refusal)) => Err(refusal),
        Err(CommitError::Failed(error)) => panic!("the store failed: {error:?}"),
    }
}

/// Inserts the organization 1, and an event with one shift of `capacity`. Returns the event and the shift.
pub async fn with_shift(store: &Arc<dyn Store>, capacity: u32) -> (Event, Shift) {
    let event = event(1, 1);
    let shift = shift(&event, 1, capacity);
    let writes = vec![
        Write::InsertOrganization(organization(1)),
        insert_event(&event),
        Write::InsertShifts(vec![shift.clone()]),
    ];
    write(&**store, writes).await;
    (event, shift)
}

/// Returns the requirement that none of these shifts of the event has a confirmed sign-up.
pub fn are_empty(event: &Event, shifts: &[ShiftId]) -> Requirement {
    Requirement::ShiftsAreEmpty { organization: event.organization, event: event.id, shifts: shifts.to_vec() }
}

/// Returns the requirements and the writes of signing up for `shift`.
pub fn sign_up(shift: &Shift, signup: &Signup) -> ChangeSet {
    let (organization, shift) = (shift.organization, shift.id);
    ChangeSet {
        requires: vec![
            Requirement::AddressNotOnShift { organization, shift, email: signup.email.clone() },
            Requirement::ShiftHasRoom { organization, shift },
        ],
        writes: vec![Write::InsertSignup(Box::new(signup.clone()))],
    }
}
