//! Records to store, each valid and each its own.

use std::path::{Path, PathBuf};
use std::slice::from_ref;
use std::sync::Arc;

use signup_core::conformance::records;
pub(crate) use signup_core::conformance::records::{insert, organization, uuid};
use signup_core::{
    ChangeSet, Delivery, DeliveryQuery, EmailAddress, Event, EventLocationData, Invitation, Link, Membership,
    Message, Notice, NoticeQuery, Organization, Person, Question, Receipt, ReceiptKey, Record, Role, Shift,
    SignIn, SignInCode, SignInInFull, Signup, SignupQuery, Store, StoreError, Token, Webhook,
};
use signup_store_sql::OpenError;
#[cfg(feature = "sqlite")]
use signup_store_sql::SqliteStore;
#[cfg(feature = "postgres")]
use signup_store_sql::{PostgresOptions, PostgresStore, test_cluster::Cluster};
#[cfg(feature = "postgres")]
use sqlx::PgConnection;
#[cfg(feature = "sqlite")]
use sqlx::SqliteConnection;
use sqlx::{AssertSqlSafe, Connection as _};
#[cfg(feature = "sqlite")]
use tempfile::TempDir;

/// Which database a store is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

/// A database of its own, gone with the test.
pub(crate) struct Database {
    pub(crate) store: Arc<dyn Store>,
    opened: Opened,
    address: Address,
}

/// Where a database is.
pub(crate) enum Address {
    /// The folder of the file.
    #[cfg(feature = "sqlite")]
    File(TempDir),
    #[cfg(feature = "postgres")]
    Url(String),
}

/// An open store, as its engine makes it.
enum Opened {
    #[cfg(feature = "sqlite")]
    Sqlite(SqliteStore),
    #[cfg(feature = "postgres")]
    Postgres(PostgresStore),
}

impl Opened {
    fn store(&self) -> Arc<dyn Store> {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(store) => Arc::new(store.clone()),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => Arc::new(store.clone()),
        }
    }
}

impl Address {
    /// One of a database that has not even tables, until it is opened. `None` where the engine is not among the crate's features,
    /// or not installed.
    pub(crate) fn without_tables(engine: Engine) -> Option<Self> {
        match engine {
            #[cfg(feature = "sqlite")]
            Engine::Sqlite => Some(Self::File(tempfile::tempdir().unwrap())),
            #[cfg(feature = "postgres")]
            Engine::Postgres => Cluster::shared().map(|cluster| Self::Url(cluster.empty_database())),
            #[cfg(not(all(feature = "postgres", feature = "sqlite")))]
            _ => None,
        }
    }

    async fn with_tables(engine: Engine) -> Option<Self> {
        #[cfg(feature = "postgres")]
        if engine == Engine::Postgres {
            // Copying a database is faster than making its tables.
            return Some(Self::Url(Cluster::shared()?.database().await));
        }
        Self::without_tables(engine)
    }

    /// The path of the file, or the URL.
    fn path(&self) -> PathBuf {
        match self {
            #[cfg(feature = "sqlite")]
            Self::File(folder) => folder.path().join("signup.db"),
            #[cfg(feature = "postgres")]
            Self::Url(url) => url.into(),
        }
    }

    async fn opened(&self) -> Result<Opened, OpenError> {
        Ok(match self {
            #[cfg(feature = "sqlite")]
            Self::File(_) => Opened::Sqlite(SqliteStore::open(self.path()).await?),
            #[cfg(feature = "postgres")]
            Self::Url(url) => {
                let url = url.parse().unwrap();
                Opened::Postgres(PostgresStore::open(&url, PostgresOptions::default()).await?)
            }
        })
    }

    /// Opens the database.
    pub(crate) async fn open(&self) -> Result<Arc<dyn Store>, OpenError> {
        Ok(self.opened().await?.store())
    }
}

impl Database {
    /// An empty one. `None` where the engine is not among the crate's features, or not installed.
    pub(crate) async fn new(engine: Engine) -> Option<Self> {
        Some(Self::at(Address::with_tables(engine).await?).await)
    }

    async fn at(address: Address) -> Self {
        let opened = address.opened().await.unwrap();
        Self { store: opened.store(), opened, address }
    }

    /// With an organization, an event of two shifts and a question, a sign-up, a receipt, a notice and a message of them, a webhook
    /// with a delivery, and a member who is signed in, with a code and an invitation.
    pub(crate) async fn filled(engine: Engine) -> Option<(Self, Records)> {
        let database = Self::new(engine).await?;
        let records = Records::new();
        database.store.commit(records.inserts()).await.unwrap();
        Some((database, records))
    }

    /// The path of the file, or the URL.
    pub(crate) fn path(&self) -> PathBuf {
        self.address.path()
    }

    /// Runs SQL as any other program would, and gives how many rows it changed, or found.
    pub(crate) async fn run(&self, sql: &str) -> sqlx::Result<u64> {
        let query = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
        match &self.address {
            #[cfg(feature = "sqlite")]
            Address::File(_) => Ok(query.execute(&mut stranger(&self.path()).await).await?.rows_affected()),
            #[cfg(feature = "postgres")]
            Address::Url(url) => {
                Ok(query.execute(&mut PgConnection::connect(url).await?).await?.rows_affected())
            }
        }
    }

    /// Returns the rows of a query with one column of texts, as any other program would read them.
    pub(crate) async fn texts(&self, sql: &str) -> Vec<String> {
        let sql = AssertSqlSafe(sql.to_owned());
        match &self.address {
            #[cfg(feature = "sqlite")]
            Address::File(_) => {
                sqlx::query_scalar(sql).fetch_all(&mut stranger(&self.path()).await).await.unwrap()
            }
            #[cfg(feature = "postgres")]
            Address::Url(url) => {
                let mut stranger = PgConnection::connect(url).await.unwrap();
                sqlx::query_scalar(sql).fetch_all(&mut stranger).await.unwrap()
            }
        }
    }

    pub(crate) async fn close(&self) {
        match &self.opened {
            #[cfg(feature = "sqlite")]
            Opened::Sqlite(store) => store.close().await,
            #[cfg(feature = "postgres")]
            Opened::Postgres(store) => store.close().await,
        }
    }

    pub(crate) async fn reopened(self) -> Self {
        self.close().await;
        Self::at(self.address).await
    }

    /// Opens it once more.
    pub(crate) async fn open(&self) -> Result<Arc<dyn Store>, OpenError> {
        self.address.open().await
    }

    /// Opens it once more, as a management command does.
    pub(crate) async fn open_for_management(&self) -> Result<Arc<dyn Store>, OpenError> {
        Ok(match &self.address {
            #[cfg(feature = "sqlite")]
            Address::File(_) => Arc::new(SqliteStore::open_for_management(self.path()).await?),
            #[cfg(feature = "postgres")]
            Address::Url(url) => {
                let (url, options) = (url.parse().unwrap(), PostgresOptions::default());
                Arc::new(PostgresStore::open_for_management(&url, options).await?)
            }
        })
    }

    /// The store, of an SQLite database.
    #[cfg(feature = "sqlite")]
    pub(crate) fn sqlite_store(&self) -> &SqliteStore {
        match &self.opened {
            Opened::Sqlite(store) => store,
            #[cfg(feature = "postgres")]
            Opened::Postgres(_) => panic!("this is no SQLite database"),
        }
    }
}

/// A connection to an SQLite file as any other program would make it.
#[cfg(feature = "sqlite")]
pub(crate) async fn stranger(path: &Path) -> SqliteConnection {
    SqliteConnection::connect(&format!("sqlite:{}", path.display())).await.unwrap()
}

/// Returns the folder with the migrations of `engine`.
pub(crate) fn migrations_folder(engine: Engine) -> PathBuf {
    let name = match engine {
        Engine::Sqlite => "sqlite",
        Engine::Postgres => "postgres",
    };
    Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations").join(name)
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
            self.link.clone().into(),
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
        assert_eq!(store.links(organization, &self.link.mailbox).await.unwrap(), from_ref(&self.link));
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
