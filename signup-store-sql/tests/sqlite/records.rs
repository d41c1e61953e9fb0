//! Records to store, each valid and each its own.

use std::path::{Path, PathBuf};
use std::slice::from_ref;

use signup_core::conformance::records;
pub(crate) use signup_core::conformance::records::{at, organization, uuid};
use signup_core::{
    ChangeSet, EmailAddress, Event, Notice, Organization, Question, Receipt, ReceiptKey, Shift, Signup,
    Store, Token, Write,
};
use signup_store_sql::SqliteStore;
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

pub(crate) fn writes(writes: impl IntoIterator<Item = Write>) -> ChangeSet {
    ChangeSet { requires: vec![], writes: writes.into_iter().collect() }
}

/// The organization to which everything here belongs.
pub(crate) const ORGANIZATION: u32 = 1;

pub(crate) fn event(number: u32, date: &str) -> Event {
    records::event_on(ORGANIZATION, number, date, "America/New_York")
}

pub(crate) fn shift(number: u32, event: &Event, position: u32) -> Shift {
    Shift { position, ..records::shift(event, number, 3) }
}

pub(crate) fn signup(number: u32, shift: &Shift, email: &str) -> Signup {
    Signup { email: EmailAddress::new(email).unwrap(), ..records::signup(shift, number) }
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
            token: records::token(ORGANIZATION, 2),
            question: records::question(&event, 40, 0),
            signup: signup(30, &shifts[0], "Ada@example.org"),
            receipt: receipt("key", &event),
            notice: records::notice(&shifts[0], 50),
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
