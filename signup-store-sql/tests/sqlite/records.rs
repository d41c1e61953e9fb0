//! Records to store, each valid and each its own.

use std::path::{Path, PathBuf};
use std::slice::from_ref;

use jiff::Timestamp;
use signup_core::{
    Answer, AnswerText, Capacity, ChangeSet, Day, Digest, EmailAddress, Event, EventDates, EventId,
    EventWithShifts, Hours, Interval, Label, Name, Notice, NoticeCause, NoticeId, Occupancy, Operation,
    Organization, OrganizationId, Outcome, PersonName, Plan, Question, QuestionId, QuestionKind, Receipt,
    ReceiptKey, Scopes, Shift, ShiftId, Signup, SignupId, SignupStatus, Store, TimeAndPlace, Title, Token,
    TokenId, Write,
};
use signup_store_sql::SqliteStore;
use sqlx::types::Uuid;
use sqlx::{Connection as _, SqliteConnection};
use tempfile::TempDir;

/// A database of its own, gone with the test.
pub(crate) struct Database {
    folder: TempDir,
    pub(crate) store: SqliteStore,
}

impl Database {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(&folder.path().join("signup.db")).await.unwrap();
        Self { folder, store }
    }

    /// With an organization, an event of two shifts and a question, a sign-up, and a receipt and a notice of them.
    pub(crate) async fn filled() -> (Self, Records) {
        let database = Self::new().await;
        let records = Records::new();
        database.store.commit(records.writes()).await.unwrap();
        (database, records)
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("signup.db")
    }

    /// A connection as any other program would make it.
    pub(crate) async fn stranger(&self) -> SqliteConnection {
        stranger(&self.path()).await
    }

    pub(crate) async fn reopened(self) -> Self {
        self.store.close().await;
        let store = SqliteStore::open(&self.path()).await.unwrap();
        Self { store, ..self }
    }
}

pub(crate) async fn stranger(path: &Path) -> SqliteConnection {
    SqliteConnection::connect(&format!("sqlite:{}", path.display())).await.unwrap()
}

pub(crate) fn uuid(number: u128) -> Uuid {
    Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0000 + number)
}

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

pub(crate) fn writes(writes: impl IntoIterator<Item = Write>) -> ChangeSet {
    ChangeSet { requires: vec![], writes: writes.into_iter().collect() }
}

pub(crate) const ORGANIZATION: u128 = 1;

pub(crate) fn organization(number: u128) -> Organization {
    Organization {
        id: OrganizationId::new(uuid(number)),
        name: Name::new("Riverside \"Food\" Bank ☃").unwrap(),
        slug: format!("riverside-{number}"),
        sport: Some(Name::new("rowing").unwrap()),
        public_url: None,
        plan: Plan::Pro,
        created_at: at(0),
    }
}

pub(crate) fn token(number: u128) -> Token {
    Token {
        id: TokenId::new(uuid(number)),
        organization: OrganizationId::new(uuid(ORGANIZATION)),
        name: Name::new("import").unwrap(),
        digest: Digest::of(&format!("token {number}")),
        scopes: Scopes::all(),
        created_at: at(0),
        expires_at: at(86_400),
        revoked_at: None,
    }
}

pub(crate) fn event(number: u128, date: &str) -> Event {
    Event {
        id: EventId::new(uuid(number)),
        organization: OrganizationId::new(uuid(ORGANIZATION)),
        title: Title::new("Food drive").unwrap(),
        slug: format!("food-drive-{number}"),
        description: None,
        location: None,
        is_virtual: false,
        latitude: None,
        longitude: None,
        location_data: None,
        dates: EventDates {
            first: Day { date: date.parse().unwrap(), zone: "America/New_York".parse().unwrap() },
            last: None,
        },
        is_published: true,
        theme: None,
        badge_label: None,
        created_at: at(1),
        updated_at: at(1),
    }
}

pub(crate) fn shift(number: u128, event: &Event, position: u32) -> Shift {
    Shift {
        id: ShiftId::new(uuid(number)),
        organization: event.organization,
        event: event.id,
        title: Title::new("Sorting").unwrap(),
        location: None,
        hours: Hours::parse(Some("09:00"), Some("12:30")).unwrap(),
        occupancy: Occupancy::empty(Capacity::new(3).unwrap()),
        position,
        version: 1,
        created_at: at(1),
        updated_at: at(1),
        day: event.dates.first.clone(),
        is_virtual: event.is_virtual,
    }
}

pub(crate) fn question(number: u128, event: &Event, position: u32) -> Question {
    Question {
        id: QuestionId::new(uuid(number)),
        organization: event.organization,
        event: event.id,
        label: Label::new("T-shirt size").unwrap(),
        kind: QuestionKind::Select,
        options: vec![Label::new("S").unwrap(), Label::new("\"M\", or L").unwrap()],
        required: true,
        position,
    }
}

pub(crate) fn signup(number: u128, shift: &Shift, email: &str) -> Signup {
    Signup {
        id: SignupId::new(uuid(number)),
        organization: shift.organization,
        event: shift.event,
        shift: shift.id,
        name: PersonName::new("Ada").unwrap(),
        email: EmailAddress::new(email).unwrap(),
        answers: vec![Answer {
            question_id: QuestionId::new(uuid(40)),
            label: Label::new("T-shirt size").unwrap(),
            value: AnswerText::new("S").unwrap(),
        }],
        status: SignupStatus::Confirmed,
        secret: Digest::of(&format!("secret {number}")),
        created_at: at(2),
        cancelled_at: None,
    }
}

pub(crate) fn receipt_key(key: &str) -> ReceiptKey {
    ReceiptKey {
        organization: OrganizationId::new(uuid(ORGANIZATION)),
        token: TokenId::new(uuid(2)),
        operation: Operation::CreateEvent,
        key: key.parse().unwrap(),
    }
}

pub(crate) fn receipt(key: &str, event: &Event) -> Receipt {
    Receipt {
        key: receipt_key(key),
        outcome: Outcome::Event(Box::new(EventWithShifts { event: event.clone(), shifts: vec![] })),
        expires_at: at(0) + Receipt::LIFE,
    }
}

pub(crate) fn notice(number: u128, shift: &Shift) -> Notice {
    let place = |second| TimeAndPlace {
        interval: Interval { start: at(second), end: at(second + 3600) },
        location: None,
    };
    Notice {
        id: NoticeId::new(uuid(number)),
        organization: shift.organization,
        event: shift.event,
        shift: shift.id,
        cause: NoticeCause::ShiftChanged { before: place(0), after: place(60) },
        created_at: at(3),
    }
}

/// One of each.
pub(crate) struct Records {
    pub(crate) organization: Organization,
    pub(crate) token: Token,
    pub(crate) event: Event,
    pub(crate) shifts: Vec<Shift>,
    pub(crate) question: Question,
    pub(crate) signup: Signup,
    pub(crate) receipt: Receipt,
    pub(crate) notice: Notice,
}

impl Records {
    fn new() -> Self {
        let event = event(10, "2027-03-14");
        let shifts = vec![shift(20, &event, 0), shift(21, &event, 1)];
        Self {
            organization: organization(ORGANIZATION),
            token: token(2),
            question: question(40, &event, 0),
            signup: signup(30, &shifts[0], "Ada@example.org"),
            receipt: receipt("key", &event),
            notice: notice(50, &shifts[0]),
            event,
            shifts,
        }
    }

    fn writes(&self) -> ChangeSet {
        writes([
            Write::InsertOrganization(self.organization.clone()),
            Write::InsertToken(self.token.clone()),
            Write::InsertEvent(Box::new(self.event.clone())),
            Write::InsertShifts(self.shifts.clone()),
            Write::InsertQuestions(vec![self.question.clone()]),
            Write::InsertSignup(Box::new(self.signup.clone())),
            Write::InsertReceipt(Box::new(self.receipt.clone())),
            Write::InsertNotice(Box::new(self.notice.clone())),
        ])
    }

    /// Everything is in the store as it was written, and nothing else.
    pub(crate) async fn assert_stored(&self, store: &SqliteStore) {
        let (organization, event) = (self.organization.id, self.event.id);
        let mut shifts = self.shifts.clone();
        shifts[0].occupancy.filled = 1;
        let full = store.event_in_full(organization, event).await.unwrap().unwrap();
        assert_eq!((&full.event, &full.shifts), (&self.event, &shifts));
        assert_eq!(full.questions, from_ref(&self.question));
        assert_eq!(store.organizations(None, 10).await.unwrap(), from_ref(&self.organization));
        assert_eq!(store.tokens(organization).await.unwrap(), from_ref(&self.token));
        assert_eq!(store.signups(organization, event, None, 10).await.unwrap(), from_ref(&self.signup));
        assert_eq!(store.receipt(&self.receipt.key, at(0)).await.unwrap().as_ref(), Some(&self.receipt));
        assert_eq!(store.notices(None, 10).await.unwrap(), from_ref(&self.notice));
    }
}
