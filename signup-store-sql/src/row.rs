//! From rows to records. A value that this version did not write is reported by table, column and id.
//!
//! SQLite gives records as one row: a JSON array of the arrays of their columns. What costs time there is the hand-off of a row
//! from the thread that it runs on, not the SQL. From PostgreSQL they come as rows with types, which cost it half as much as
//! JSON; but what stands beside other things in a row is JSON there, too. Digests go as hexadecimal digits, and so do ids in
//! JSON; coordinates with all the digits that tell two numbers apart.

mod cells;
mod columns;

use std::fmt::Display;
use std::str::FromStr;

use cells::Record;
pub(crate) use cells::{Cell, Records};
pub(crate) use columns::{
    Column, EVENT, LOCATION_DATA, NOTICE, ORGANIZATION, PLACE, QUESTION, RECEIPT, SHIFT, SIGNUP, TOKEN,
};

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use signup_core::{
    Answer, Capacity, Day, Digest, EmailAddress, Event, EventDate, EventDates, EventId, Hours, Latitude,
    LocationData, Longitude, Notice, NoticeFailure, NoticeId, Occupancy, Organization, OrganizationId,
    Question, QuestionId, Receipt, ReceiptKey, Shift, ShiftId, Signup, SignupId, StoreError, Token, TokenId,
};
use sqlx::Row;
use uuid::Uuid;

/// The first `N` columns of a row, which are texts.
pub(crate) fn texts<'r, R: Row, const N: usize>(row: &'r R) -> sqlx::Result<[String; N]>
where
    String: sqlx::Decode<'r, R::Database> + sqlx::Type<R::Database>,
    usize: sqlx::ColumnIndex<R>,
{
    let mut texts = std::array::from_fn(|_| String::new());
    for (column, text) in texts.iter_mut().enumerate() {
        *text = row.try_get(column)?;
    }
    Ok(texts)
}

/// Reads a record that is JSON: one array of its columns.
pub(crate) fn one<T>(
    json: &str,
    read: impl FnOnce(&[Cell<'_>]) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let Record(row) = sonic_rs::from_str(json).map_err(unreadable)?;
    read(&row)
}

/// Reads a list that is JSON: one array of records.
pub(crate) fn all<T>(
    json: &str,
    mut read: impl FnMut(&[Cell<'_>]) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let rows: Vec<Record<'_>> = sonic_rs::from_str(json).map_err(unreadable)?;
    rows.iter().map(|Record(row)| read(row)).collect()
}

pub(crate) fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError::failed("reading what a statement gave", error)
}

/// Reads the columns of one record from left to right.
struct Columns<'r> {
    row: &'r [Cell<'r>],
    table: &'static str,
    columns: &'static [Column],
    next: usize,
}

impl<'r> Columns<'r> {
    /// A record of `table`, its id in the first of the columns.
    const fn new(row: &'r [Cell<'r>], table: &'static str, columns: &'static [Column]) -> Self {
        Self { row, table, columns, next: 0 }
    }

    fn cell(&mut self) -> &'r Cell<'r> {
        self.next += 1;
        self.row.get(self.next - 1).unwrap_or(&Cell::Null)
    }

    fn text_if_any(&mut self) -> Result<Option<&'r str>, StoreError> {
        match self.cell() {
            Cell::Null => Ok(None),
            Cell::Text(text) => Ok(Some(text)),
            Cell::Integer(_) | Cell::Flag(_) => Err(self.corrupt("a number where a text is meant")),
            Cell::Id(_) => Err(self.corrupt("an id where a text is meant")),
        }
    }

    fn text(&mut self) -> Result<&'r str, StoreError> {
        self.text_if_any()?.ok_or_else(|| self.corrupt("nothing where a text is meant"))
    }

    fn number_if_any(&mut self) -> Result<Option<i64>, StoreError> {
        match self.cell() {
            Cell::Null => Ok(None),
            Cell::Integer(number) => Ok(Some(*number)),
            Cell::Flag(flag) => Ok(Some((*flag).into())),
            Cell::Text(_) | Cell::Id(_) => Err(self.corrupt("a text where a number is meant")),
        }
    }

    fn number<T: TryFrom<i64, Error: Display>>(&mut self) -> Result<T, StoreError> {
        let number = self.number_if_any()?.ok_or_else(|| self.corrupt("nothing where a number is meant"))?;
        self.checked(T::try_from(number))
    }

    fn flag(&mut self) -> Result<bool, StoreError> {
        Ok(self.number::<i64>()? != 0)
    }

    fn read<T>(&mut self, read: impl FnOnce(&str) -> Result<T, String>) -> Result<T, StoreError> {
        let text = self.text()?;
        self.checked(read(text))
    }

    fn read_if_any<T>(
        &mut self,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, StoreError> {
        let text = self.text_if_any()?;
        self.checked(text.map(read).transpose())
    }

    /// Blames the column that was read last.
    fn checked<T, E: Display>(&self, checked: Result<T, E>) -> Result<T, StoreError> {
        checked.map_err(|error| self.corrupt(&error.to_string()))
    }

    fn corrupt(&self, error: &str) -> StoreError {
        let column = self.columns.get(self.next - 1).map_or("?", |column| column.name());
        let id = match self.row.first() {
            Some(Cell::Id(id)) => id.to_string(),
            Some(Cell::Text(id)) => Uuid::try_parse(id).map_or_else(|_| id.to_string(), |id| id.to_string()),
            _ => "an unknown id".to_owned(),
        };
        StoreError::corrupt(self.table, column, id, error)
    }

    fn id(&mut self) -> Result<Uuid, StoreError> {
        if let Cell::Id(id) = self.cell() {
            return Ok(*id);
        }
        self.next -= 1;
        let digits = self.text()?;
        self.checked(Uuid::try_parse(digits))
    }

    fn instant(&mut self) -> Result<Timestamp, StoreError> {
        let second = self.number()?;
        self.checked(Timestamp::from_second(second))
    }

    fn instant_if_any(&mut self) -> Result<Option<Timestamp>, StoreError> {
        let second = self.number_if_any()?;
        self.checked(second.map(Timestamp::from_second).transpose())
    }

    /// A zone, which makes a day of `date`.
    fn day(&mut self, date: EventDate, days: &mut Days) -> Result<Day, StoreError> {
        let name = self.text()?;
        let day = match days.0.take().filter(|last| last.zone().name() == name) {
            Some(last) if last.date() == date => last,
            Some(last) => Day::new(date, last.zone().clone()),
            None => Day::new(date, self.checked(parsed(name))?),
        };
        Ok(days.0.insert(day).clone())
    }

    fn digest(&mut self) -> Result<Digest, StoreError> {
        let digits = self.text()?;
        digest(digits).ok_or_else(|| self.corrupt("not 32 bytes"))
    }
}

/// The last day that was read. The rows of a list share a zone, and shifts a day: to find a zone, and out whether its clocks
/// change on a day, takes longer than to read all else of a row.
#[derive(Debug, Default)]
pub(crate) struct Days(Option<Day>);

/// A digest from 64 hexadecimal digits.
fn digest(digits: &str) -> Option<Digest> {
    let mut bytes = [0; 32];
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    if pairs.len() != bytes.len() || !rest.is_empty() {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(pairs) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(Digest::from_bytes(bytes))
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

fn email(text: &str) -> Result<EmailAddress, String> {
    EmailAddress::stored(text).map_err(|error| error.to_string())
}

fn degrees<T, E: Display>(text: &str, check: impl FnOnce(f64) -> Result<T, E>) -> Result<T, String> {
    check(parsed(text)?).map_err(|error| error.to_string())
}

/// A name that serde knows: the text of a plain enum.
fn named<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    use serde::de::value::{Error, StrDeserializer};
    T::deserialize(StrDeserializer::<Error>::new(text)).map_err(|error| error.to_string())
}

pub(crate) fn organization(row: &[Cell<'_>]) -> Result<Organization, StoreError> {
    let mut columns = Columns::new(row, "organizations", ORGANIZATION);
    Ok(Organization {
        id: OrganizationId::new(columns.id()?),
        name: columns.read(text)?,
        slug: columns.text()?.to_owned(),
        sport: columns.read_if_any(text)?,
        public_url: columns.read_if_any(text)?,
        plan: columns.read(parsed)?,
        created_at: columns.instant()?,
    })
}

pub(crate) fn token(row: &[Cell<'_>]) -> Result<Token, StoreError> {
    let mut columns = Columns::new(row, "tokens", TOKEN);
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

pub(crate) fn event(row: &[Cell<'_>], days: &mut Days) -> Result<Event, StoreError> {
    let mut columns = Columns::new(row, "events", EVENT);
    Ok(Event {
        id: EventId::new(columns.id()?),
        organization: OrganizationId::new(columns.id()?),
        title: columns.read(text)?,
        slug: columns.text()?.to_owned(),
        description: columns.read_if_any(text)?,
        location: columns.read_if_any(text)?,
        is_virtual: columns.flag()?,
        latitude: columns.read_if_any(|text| degrees(text, Latitude::new))?,
        longitude: columns.read_if_any(|text| degrees(text, Longitude::new))?,
        dates: {
            let date = columns.read(parsed)?;
            let last = columns.read_if_any(parsed)?;
            EventDates { first: columns.day(date, days)?, last }
        },
        is_published: columns.flag()?,
        theme: columns.read_if_any(parsed)?,
        badge_label: columns.read_if_any(text)?,
        created_at: columns.instant()?,
        updated_at: columns.instant()?,
    })
}

/// The location data of an event.
pub(crate) fn location_data(row: &[Cell<'_>]) -> Result<Option<LocationData>, StoreError> {
    let mut columns = Columns::new(row, "events", LOCATION_DATA);
    columns.id()?;
    columns.read_if_any(|text| LocationData::stored(text).map_err(|error| error.to_string()))
}

/// The start by which an event of a page is sorted: the last column of `page`.
pub(crate) fn stored_start(page: &[Cell<'_>]) -> Result<Timestamp, StoreError> {
    match page.last() {
        Some(Cell::Integer(second)) => Timestamp::from_second(*second).map_err(unreadable),
        _ => Err(StoreError::failed("listing events", "a row without the start of its event")),
    }
}

pub(crate) fn shift(row: &[Cell<'_>], days: &mut Days) -> Result<Shift, StoreError> {
    let mut columns = Columns::new(row, "shifts", SHIFT);
    Ok(Shift {
        id: ShiftId::new(columns.id()?),
        organization: OrganizationId::new(columns.id()?),
        event: EventId::new(columns.id()?),
        title: columns.read(text)?,
        location: columns.read_if_any(text)?,
        hours: {
            let minutes = (columns.number::<u16>()?, columns.number::<u16>()?);
            columns.checked(Hours::try_from(minutes))?
        },
        occupancy: {
            let capacity = columns.number()?;
            let capacity = columns.checked(Capacity::new(capacity))?;
            Occupancy { capacity, filled: columns.number()? }
        },
        position: columns.number()?,
        version: columns.number()?,
        created_at: columns.instant()?,
        updated_at: columns.instant()?,
        day: {
            let date = columns.read(parsed)?;
            columns.day(date, days)?
        },
        is_virtual: columns.flag()?,
    })
}

pub(crate) fn question(row: &[Cell<'_>]) -> Result<Question, StoreError> {
    let mut columns = Columns::new(row, "questions", QUESTION);
    Ok(Question {
        id: QuestionId::new(columns.id()?),
        organization: OrganizationId::new(columns.id()?),
        event: EventId::new(columns.id()?),
        label: columns.read(text)?,
        kind: columns.read(parsed)?,
        options: columns.read(json)?,
        required: columns.flag()?,
        position: columns.number()?,
    })
}

pub(crate) fn signup(row: &[Cell<'_>]) -> Result<Signup, StoreError> {
    let mut columns = Columns::new(row, "signups", SIGNUP);
    Ok(Signup {
        id: SignupId::new(columns.id()?),
        organization: OrganizationId::new(columns.id()?),
        event: EventId::new(columns.id()?),
        shift: ShiftId::new(columns.id()?),
        shift_version: columns.number()?,
        name: columns.read(text)?,
        email: columns.read(email)?,
        answers: columns.read(json::<Vec<Answer>>)?,
        status: columns.read(named)?,
        secret: columns.digest()?,
        created_at: columns.instant()?,
        mailed_at: columns.instant()?,
        cancelled_at: columns.instant_if_any()?,
    })
}

/// The receipt that was found by `key`.
pub(crate) fn receipt(row: &[Cell<'_>], key: &ReceiptKey) -> Result<Receipt, StoreError> {
    let mut columns = Columns::new(row, "receipts", RECEIPT);
    columns.id()?;
    Ok(Receipt { key: key.clone(), outcome: columns.read(json)?, expires_at: columns.instant()? })
}

/// The due time of a notice, in whole seconds, and its id.
pub(crate) fn place(row: &[Cell<'_>]) -> Result<(i64, NoticeId), StoreError> {
    let mut columns = Columns::new(row, "notices", PLACE);
    let id = NoticeId::new(columns.id()?);
    Ok((columns.number()?, id))
}

pub(crate) fn notice(row: &[Cell<'_>]) -> Result<Notice, StoreError> {
    let mut columns = Columns::new(row, "notices", NOTICE);
    Ok(Notice {
        id: NoticeId::new(columns.id()?),
        organization: OrganizationId::new(columns.id()?),
        event: EventId::new(columns.id()?),
        shift: ShiftId::new(columns.id()?),
        cause: columns.read(json)?,
        created_at: columns.instant()?,
        version: columns.number()?,
        attempts: columns.number()?,
        due_at: columns.instant()?,
        failure: {
            let at = columns.instant_if_any()?;
            let reason = columns.read_if_any(|text| Ok(text.to_owned()))?;
            at.zip(reason).map(|(at, reason)| NoticeFailure { at, reason })
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corrupt_column_is_named_by_its_place() {
        let id = "01920000000070008000000000000001";
        let json = format!(r#"["{id}", "{id}", "import", "00", "events:read", 1, 2, null]"#);
        let error = one(&json, token).unwrap_err().to_string();
        assert!(error.contains("tokens.digest of 01920000-0000-7000-8000-000000000001"), "{error}");
    }
}
