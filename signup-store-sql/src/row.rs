//! From rows to records. A value that this version did not write is reported by table, column and id.

use std::fmt::Display;
use std::str::FromStr;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use signup_core::{
    Answer, Capacity, Day, Digest, Event, EventDates, EventId, Hours, Latitude, Longitude, Notice, NoticeId,
    Occupancy, Organization, OrganizationId, Question, QuestionId, Receipt, ReceiptKey, Shift, ShiftId,
    Signup, SignupId, StoreError, Token, TokenId,
};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, ValueRef as _};
use uuid::Uuid;

pub(crate) const ORGANIZATION: &str = "o.id, o.name, o.slug, o.sport, o.public_url, o.plan, o.created_at";
pub(crate) const TOKEN: &str =
    "t.id, t.organization_id, t.name, t.digest, t.scopes, t.created_at, t.expires_at, t.revoked_at";
pub(crate) const EVENT: &str = "e.id, e.organization_id, e.title, e.slug, e.description, e.location, e.is_virtual, \
     e.latitude, e.longitude, e.location_data, e.start_date, e.end_date, e.timezone, e.is_published, e.theme, \
     e.badge_label, e.created_at, e.updated_at";
pub(crate) const SHIFT: &str = "s.id, s.organization_id, s.event_id, s.title, s.location, s.start_minute, \
     s.end_minute, s.capacity, s.filled, s.position, s.version, s.created_at, s.updated_at, e.start_date, e.timezone, \
     e.is_virtual";
pub(crate) const QUESTION: &str =
    "q.id, q.organization_id, q.event_id, q.label, q.kind, q.options, q.required, q.position";
pub(crate) const SIGNUP: &str = "u.id, u.organization_id, u.event_id, u.shift_id, u.name, u.email, u.answers, \
     u.status, u.secret, u.created_at, u.cancelled_at";
pub(crate) const NOTICE: &str = "n.id, n.organization_id, n.event_id, n.shift_id, n.cause, n.created_at";

/// Reads the columns of one record from left to right.
pub(crate) struct Columns<'r> {
    row: &'r SqliteRow,
    table: &'static str,
    next: usize,
    id: Uuid,
}

impl<'r> Columns<'r> {
    /// The record of `table` whose columns begin at `first`, its id in the first of them.
    pub(crate) fn new(row: &'r SqliteRow, table: &'static str, first: usize) -> Self {
        Self { row, table, next: first, id: row.try_get(first).unwrap_or_default() }
    }

    /// Whether there is a record at all, in the row of an outer join.
    pub(crate) fn is_there(&self) -> bool {
        self.row.try_get_raw(self.next).is_ok_and(|value| !value.is_null())
    }

    fn raw<T: sqlx::Decode<'r, sqlx::Sqlite> + sqlx::Type<sqlx::Sqlite>>(&mut self) -> Result<T, StoreError> {
        let at = self.next;
        self.next += 1;
        self.row.try_get(at).map_err(|error| self.corrupt(at, error))
    }

    fn read<T>(&mut self, read: impl FnOnce(&str) -> Result<T, String>) -> Result<T, StoreError> {
        let (at, text) = (self.next, self.raw::<&str>()?);
        read(text).map_err(|error| self.corrupt(at, error))
    }

    fn read_if_any<T>(
        &mut self,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, StoreError> {
        let (at, text) = (self.next, self.raw::<Option<&str>>()?);
        text.map(read).transpose().map_err(|error| self.corrupt(at, error))
    }

    fn checked<T, E: Display>(&mut self, checked: Result<T, E>) -> Result<T, StoreError> {
        let at = self.next - 1;
        checked.map_err(|error| self.corrupt(at, error.to_string()))
    }

    fn corrupt(&self, at: usize, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
        let column = sqlx::Column::name(self.row.column(at)).to_owned();
        StoreError::corrupt(self.table, &column, self.id, error)
    }

    fn id(&mut self) -> Result<Uuid, StoreError> {
        self.raw()
    }

    fn instant(&mut self) -> Result<Timestamp, StoreError> {
        let second = self.raw()?;
        self.checked(Timestamp::from_second(second))
    }

    fn instant_if_any(&mut self) -> Result<Option<Timestamp>, StoreError> {
        let second = self.raw::<Option<i64>>()?;
        self.checked(second.map(Timestamp::from_second).transpose())
    }

    fn digest(&mut self) -> Result<Digest, StoreError> {
        let bytes = self.raw::<&[u8]>()?;
        self.checked(bytes.try_into().map(Digest::from_bytes))
    }

    fn count(&mut self) -> Result<u32, StoreError> {
        let number = self.raw::<i64>()?;
        self.checked(u32::try_from(number))
    }
}

fn text<T: TryFrom<String, Error: Display>>(text: &str) -> Result<T, String> {
    T::try_from(text.to_owned()).map_err(|error| error.to_string())
}

fn parsed<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

fn json<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// A name that serde knows: the text of a plain enum.
fn named<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    use serde::de::value::{Error, StrDeserializer};
    T::deserialize(StrDeserializer::<Error>::new(text)).map_err(|error| error.to_string())
}

pub(crate) fn organization(row: &SqliteRow, first: usize) -> Result<Organization, StoreError> {
    let mut columns = Columns::new(row, "organizations", first);
    Ok(Organization {
        id: OrganizationId::new(columns.id()?),
        name: columns.read(text)?,
        slug: columns.raw()?,
        sport: columns.read_if_any(text)?,
        public_url: columns.read_if_any(text)?,
        plan: columns.read(parsed)?,
        created_at: columns.instant()?,
    })
}

pub(crate) fn token(row: &SqliteRow) -> Result<Token, StoreError> {
    let mut columns = Columns::new(row, "tokens", 0);
    Ok(Token {
        id: TokenId::new(columns.id()?),
        organization: OrganizationId::new(columns.id()?),
        name: columns.read(text)?,
        digest: columns.digest()?,
        scopes: columns.read(parsed)?,
        created_at: columns.instant()?,
        expires_at: columns.instant()?,
        revoked_at: columns.instant_if_any()?,
    })
}

pub(crate) fn event(row: &SqliteRow, first: usize) -> Result<Event, StoreError> {
    let mut columns = Columns::new(row, "events", first);
    Ok(Event {
        id: EventId::new(columns.id()?),
        organization: OrganizationId::new(columns.id()?),
        title: columns.read(text)?,
        slug: columns.raw()?,
        description: columns.read_if_any(text)?,
        location: columns.read_if_any(text)?,
        is_virtual: columns.raw()?,
        latitude: {
            let degrees = columns.raw::<Option<f64>>()?;
            columns.checked(degrees.map(Latitude::new).transpose())?
        },
        longitude: {
            let degrees = columns.raw::<Option<f64>>()?;
            columns.checked(degrees.map(Longitude::new).transpose())?
        },
        location_data: columns.read_if_any(json)?,
        dates: {
            let date = columns.read(parsed)?;
            let last = columns.read_if_any(parsed)?;
            EventDates { first: Day { date, zone: columns.read(parsed)? }, last }
        },
        is_published: columns.raw()?,
        theme: columns.read_if_any(parsed)?,
        badge_label: columns.read_if_any(text)?,
        created_at: columns.instant()?,
        updated_at: columns.instant()?,
    })
}

pub(crate) fn shift(row: &SqliteRow, first: usize) -> Result<Shift, StoreError> {
    let mut columns = Columns::new(row, "shifts", first);
    Ok(Shift {
        id: ShiftId::new(columns.id()?),
        organization: OrganizationId::new(columns.id()?),
        event: EventId::new(columns.id()?),
        title: columns.read(text)?,
        location: columns.read_if_any(text)?,
        hours: {
            let minutes = (columns.raw::<u16>()?, columns.raw::<u16>()?);
            columns.checked(Hours::try_from(minutes))?
        },
        occupancy: {
            let capacity = columns.count()?;
            let capacity = columns.checked(Capacity::new(capacity))?;
            Occupancy { capacity, filled: columns.count()? }
        },
        position: columns.count()?,
        version: columns.count()?,
        created_at: columns.instant()?,
        updated_at: columns.instant()?,
        day: Day { date: columns.read(parsed)?, zone: columns.read(parsed)? },
        is_virtual: columns.raw()?,
    })
}

pub(crate) fn question(row: &SqliteRow, first: usize) -> Result<Question, StoreError> {
    let mut columns = Columns::new(row, "questions", first);
    Ok(Question {
        id: QuestionId::new(columns.id()?),
        organization: OrganizationId::new(columns.id()?),
        event: EventId::new(columns.id()?),
        label: columns.read(text)?,
        kind: columns.read(parsed)?,
        options: columns.read(json)?,
        required: columns.raw()?,
        position: columns.count()?,
    })
}

pub(crate) fn signup(row: &SqliteRow) -> Result<Signup, StoreError> {
    let mut columns = Columns::new(row, "signups", 0);
    Ok(Signup {
        id: SignupId::new(columns.id()?),
        organization: OrganizationId::new(columns.id()?),
        event: EventId::new(columns.id()?),
        shift: ShiftId::new(columns.id()?),
        name: columns.read(text)?,
        email: columns.read(text)?,
        answers: columns.read(json::<Vec<Answer>>)?,
        status: columns.read(named)?,
        secret: columns.digest()?,
        created_at: columns.instant()?,
        cancelled_at: columns.instant_if_any()?,
    })
}

/// A row of `outcome, expires_at`, found by `key`.
pub(crate) fn receipt(row: &SqliteRow, key: &ReceiptKey) -> Result<Receipt, StoreError> {
    let mut columns = Columns { row, table: "receipts", next: 0, id: key.token.uuid() };
    Ok(Receipt { key: key.clone(), outcome: columns.read(json)?, expires_at: columns.instant()? })
}

pub(crate) fn notice(row: &SqliteRow) -> Result<Notice, StoreError> {
    let mut columns = Columns::new(row, "notices", 0);
    Ok(Notice {
        id: NoticeId::new(columns.id()?),
        organization: OrganizationId::new(columns.id()?),
        event: EventId::new(columns.id()?),
        shift: ShiftId::new(columns.id()?),
        cause: columns.read(json)?,
        created_at: columns.instant()?,
    })
}
