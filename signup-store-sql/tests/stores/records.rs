//! Records to store, each valid and each its own.

#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;

use std::any::Any;
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use std::sync::Arc;

use async_trait::async_trait;
use signup_core::conformance::records;
pub(crate) use signup_core::conformance::records::{insert, organization, uuid};
use signup_core::{
    ChangeSet, Delivery, DeliveryQuery, EmailAddress, Event, EventLocationData, Invitation, Link, Membership,
    Message, Notice, NoticeQuery, Organization, Person, Question, Receipt, ReceiptKey, Record, Role, Shift,
    SignIn, SignInCode, SignInInFull, Signup, SignupQuery, Store, StoreError, Token, Webhook,
};
use signup_store_sql::OpenError;
use sqlx::AssertSqlSafe;

/// Which database a store is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

/// A database of its own, gone with the test.
pub(crate) struct Database {
    pub(crate) store: Arc<dyn Store>,
    place: Box<dyn Place>,
}

/// A database with a store on it, as its engine makes them.
#[async_trait]
trait Place: Any + Send + Sync {
    fn store(&self) -> Arc<dyn Store>;

    /// The same database with another store, after the store of this one was closed.
    async fn reopened(self: Box<Self>) -> Box<dyn Place>;

    /// A database without tables, and the store of this one, which was closed.
    async fn without_tables(self: Box<Self>) -> Box<dyn Place>;

    async fn close(&self);

    async fn open(&self) -> Result<Arc<dyn Store>, OpenError>;

    async fn open_for_management(&self) -> Result<Arc<dyn Store>, OpenError>;

    async fn run(&self, sql: AssertSqlSafe<String>) -> sqlx::Result<u64>;

    /// Returns the rows of a query with one column of texts.
    async fn texts(&self, sql: AssertSqlSafe<String>) -> Vec<String>;

    fn path(&self) -> PathBuf;
}

/// Returns the folder with the migrations of `engine`.
pub(crate) fn migrations_folder(engine: Engine) -> PathBuf {
    let name = match engine {
        Engine::Sqlite => "sqlite",
        Engine::Postgres => "postgres",
    };
    Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(name)
}

/// A place with an empty database. `None` where the engine is not among the crate's features, or not installed.
async fn place(engine: Engine) -> Option<Box<dyn Place>> {
    match engine {
        #[cfg(feature = "sqlite")]
        Engine::Sqlite => Some(sqlite::place().await),
        #[cfg(feature = "postgres")]
        Engine::Postgres => postgres::place().await,
        #[cfg(not(all(feature = "postgres", feature = "sqlite")))]
        _ => None,
    }
}

impl Database {
    /// An empty one. `None` where the engine is not among the crate's features, or not installed.
    pub(crate) async fn new(engine: Engine) -> Option<Self> {
        place(engine).await.map(Self::at)
    }

    fn at(place: Box<dyn Place>) -> Self {
        Self { store: place.store(), place }
    }

    /// One that has not even tables, until it is opened.
    pub(crate) async fn without_tables(engine: Engine) -> Option<Self> {
        let database = Self::new(engine).await?;
        database.close().await;
        Some(Self::at(database.place.without_tables().await))
    }

    /// With an organization, an event of two shifts and a question, a sign-up, a receipt, a notice and a message of them, a webhook
    /// with a delivery, and a member who is signed in, with a code and an invitation.
    pub(crate) async fn filled(engine: Engine) -> Option<(Self, Records)> {
        let database = Self::new(engine).await?;
        let records = Records::new();
        database.store.commit(records.inserts()).await.unwrap();
        Some((database, records))
    }

    /// Where it is: a file, or a URL.
    pub(crate) fn path(&self) -> PathBuf {
        self.place.path()
    }

    /// Runs SQL as any other program would, and gives how many rows it changed, or found.
    pub(crate) async fn run(&self, sql: &str) -> sqlx::Result<u64> {
        self.place.run(AssertSqlSafe(sql.to_owned())).await
    }

    /// Returns the rows of a query with one column of texts, as any other program would read them.
    pub(crate) async fn texts(&self, sql: &str) -> Vec<String> {
        self.place.texts(AssertSqlSafe(sql.to_owned())).await
    }

    pub(crate) async fn close(&self) {
        self.place.close().await;
    }

    pub(crate) async fn reopened(self) -> Self {
        self.close().await;
        Self::at(self.place.reopened().await)
    }

    /// Opens it once more, as a management command does.
    pub(crate) async fn open_for_management(&self) -> Result<Arc<dyn Store>, OpenError> {
        self.place.open_for_management().await
    }

    /// Opens it once more.
    pub(crate) async fn open(&self) -> Result<Arc<dyn Store>, OpenError> {
        self.place.open().await
    }
}

/// Lists the organizations of a store.
pub(crate) async fn organizations(store: &dyn Store) -> Result<Vec<Organization>, StoreError> {
    store.organizations(None, 100).await
}

/// Returns the record with a change.
pub(crate) fn with<T>(mut record: T, change: impl FnOnce(&mut T)) -> T {
    change(&mut record);
    record
}

/// The organization to which everything here belongs.
pub(crate) const ORGANIZATION: u32 = 1;

pub(crate) fn event(number: u32, date: &str) -> Event {
    records::event_on(ORGANIZATION, number, date, "America/New_York")
}

pub(crate) fn shift(number: u32, event: &Event, position: u32) -> Shift {
    with(records::shift(event, number, 3), |shift| shift.position = position)
}

pub(crate) fn signup(number: u32, shift: &Shift, email: &str) -> Signup {
    with(records::signup(shift, number), |signup| signup.email = EmailAddress::new(email).unwrap())
}

pub(crate) fn receipt_key(key: &str) -> ReceiptKey {
    records::receipt_key(ORGANIZATION, key)
}

pub(crate) fn receipt(key: &str, event: &Event) -> Receipt {
    records::receipt(receipt_key(key), event, &[])
}

/// One of each.
pub(crate) struct Records {
    pub(crate) organization: Organization,
    pub(crate) token: Token,
    pub(crate) event: Event,
    location_data: EventLocationData,
    pub(crate) shifts: Vec<Shift>,
    pub(crate) question: Question,
    pub(crate) signup: Signup,
    pub(crate) link: Link,
    pub(crate) receipt: Receipt,
    pub(crate) notice: Notice,
    pub(crate) webhook: Webhook,
    pub(crate) delivery: Delivery,
    person: Person,
    membership: Membership,
    pub(crate) invitation: Invitation,
    code: SignInCode,
    sign_in: SignIn,
    message: Message,
}

impl Records {
    fn new() -> Self {
        let event = event(10, "2027-03-14");
        let shifts = vec![shift(20, &event, 0), shift(21, &event, 1)];
        let signup = signup(30, &shifts[0], "Ada@example.org");
        let webhook = records::webhook(ORGANIZATION, 60);
        let person = records::person(1);
        Self {
            organization: organization(ORGANIZATION),
            token: records::token(ORGANIZATION, 2),
            location_data: records::location_data(&event, r#"{"floor": 2}"#.parse().unwrap()),
            question: records::question(&event, 40, 0),
            link: records::link(&signup, 31),
            signup,
            receipt: receipt("key", &event),
            notice: records::notice(&shifts[0], 50),
            delivery: records::delivery(&webhook, 61),
            webhook,
            membership: records::membership(ORGANIZATION, &person, Role::Owner),
            invitation: records::invitation(ORGANIZATION, 70),
            code: records::sign_in_code(71),
            sign_in: records::sign_in(&person, 72),
            person,
            message: records::message(&event, 73),
            event,
            shifts,
        }
    }

    fn inserts(&self) -> ChangeSet {
        let shifts = self.shifts.iter().cloned().map(Record::from);
        let before: [Record; 4] = [
            self.organization.clone().into(),
            self.token.clone().into(),
            self.event.clone().into(),
            self.location_data.clone().into(),
        ];
        let after: [Record; 13] = [
            self.question.clone().into(),
            self.signup.clone().into(),
            self.link.into(),
            self.receipt.clone().into(),
            self.notice.clone().into(),
            self.webhook.clone().into(),
            self.delivery.clone().into(),
            self.person.clone().into(),
            self.membership.into(),
            self.invitation.clone().into(),
            self.code.clone().into(),
            self.sign_in.into(),
            self.message.clone().into(),
        ];
        insert(before.into_iter().chain(shifts).chain(after))
    }

    /// Everything is in the store as it was written, and nothing else.
    pub(crate) async fn assert_stored(&self, store: &dyn Store) {
        let (organization, event) = (self.organization.id, self.event.id);
        let mut shifts = self.shifts.clone();
        shifts[0].occupancy.filled = 1;
        let full =
            store.event_in_full(&signup_core::RecordKey::Event(organization, event)).await.unwrap().unwrap();
        assert_eq!(full.event, self.event);
        assert_eq!(full.shifts.into_iter().map(|found| found.shift).collect::<Vec<_>>(), shifts);
        assert_eq!(full.questions, from_ref(&self.question));
        assert_eq!(full.location_data.as_ref(), Some(&self.location_data.data));
        assert_eq!(store.organizations(None, 10).await.unwrap(), from_ref(&self.organization));
        assert_eq!(store.tokens(organization).await.unwrap(), from_ref(&self.token));
        let signups = store.signups(organization, &SignupQuery::new()).await.unwrap().items;
        assert_eq!(signups, from_ref(&self.signup));
        assert_eq!(records::stored(store, &self.link).await, Some(self.link));
        assert_eq!(records::stored(store, &self.receipt).await.as_ref(), Some(&self.receipt));
        assert_eq!(store.notices(NoticeQuery::Queued(None), 10).await.unwrap(), from_ref(&self.notice));
        assert_eq!(store.webhooks(organization).await.unwrap(), from_ref(&self.webhook));
        let deliveries =
            store.deliveries(organization, self.webhook.id, &DeliveryQuery::new()).await.unwrap();
        assert_eq!(deliveries.items, from_ref(&self.delivery));
        let memberships = vec![(self.membership, self.organization.clone())];
        let signed_in = SignInInFull::new(self.sign_in, self.person.clone(), memberships);
        assert_eq!(store.signed_in(&self.sign_in.digest).await.unwrap(), Some(signed_in));
        assert_eq!(store.members(organization).await.unwrap(), [(self.membership, self.person.clone())]);
        assert_eq!(store.invitations(organization).await.unwrap(), from_ref(&self.invitation));
        assert_eq!(records::stored(store, &self.code).await.as_ref(), Some(&self.code));
        assert_eq!(records::stored(store, &self.message).await.as_ref(), Some(&self.message));
    }
}
