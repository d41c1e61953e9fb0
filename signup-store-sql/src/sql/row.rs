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
    Column, EVENT, LOCATION_DATA, NOTICE, ORGANIZATION, QUESTION, QUEUE_POSITION, RECEIPT, SHIFT, SIGNUP,
    TOKEN,
};

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use signup_core::{
    Answer, Capacity, Day, EmailAddress, Event, EventDate, EventDates, EventId, Hours, LocationData, Notice,
    NoticeFailure, NoticeId, Organization, OrganizationId, Question, QuestionId, Receipt, ReceiptKey, Shift,
    ShiftId, Signup, SignupId, StoreError, Token, TokenId,
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
}

/// The last day that was read. The rows of a list share a zone, and shifts a day: to find a zone, and out whether its clocks
/// change on a day, takes longer than to read all else of a row.
#[derive(Debug, Default)]
struct Days(Option<Day>);

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

pub(crate) fn organization(row: &[Cell<'_>]) -> Result<Organization, StoreError> {
    let mut columns = Columns::new(row, "organizations", ORGANIZATION);
    let id = OrganizationId::new(columns.id()?);
    let (name, slug) = (columns.read(text)?, columns.text()?.to_owned());
    let (sport, public_url) = (columns.read_if_any(text)?, columns.read_if_any(text)?);
    let plan = columns.read(parsed)?;
    let mut organization = Organization::new(id, name, slug, columns.instant()?);
    organization.sport = sport;
    organization.public_url = public_url;
    organization.plan = plan;
    Ok(organization)
}

pub(crate) fn token(row: &[Cell<'_>]) -> Result<Token, StoreError> {
    let mut columns = Columns::new(row, "tokens", TOKEN);
    let mut token = Token::new(
        TokenId::new(columns.id()?),
        OrganizationId::new(columns.id()?),
        columns.read(text)?,
        columns.read(parsed)?,
        columns.read(parsed)?,
        columns.instant()?,
    );
    token.expires_at = columns.instant()?;
    token.revoked_at = columns.instant_if_any()?;
    Ok(token)
}

/// Returns a function that reads one event at a time.
pub(crate) fn events() -> impl FnMut(&[Cell<'_>]) -> Result<Event, StoreError> {
    let mut days = Days::default();
    move |row| event(row, &mut days)
}

fn event(row: &[Cell<'_>], days: &mut Days) -> Result<Event, StoreError> {
    let mut columns = Columns::new(row, "events", EVENT);
    let (id, organization) = (EventId::new(columns.id()?), OrganizationId::new(columns.id()?));
    let (title, slug) = (columns.read(text)?, columns.text()?.to_owned());
    let (description, location) = (columns.read_if_any(text)?, columns.read_if_any(text)?);
    let is_virtual = columns.flag()?;
    let (latitude, longitude) = (columns.read_if_any(parsed)?, columns.read_if_any(parsed)?);
    let date = columns.read(parsed)?;
    let last = columns.read_if_any(parsed)?;
    let dates = EventDates { first: columns.day(date, days)?, last };
    let is_published = columns.flag()?;
    let (theme, badge_label) = (columns.read_if_any(parsed)?, columns.read_if_any(text)?);
    let mut event = Event::new(id, organization, title, slug, dates, columns.instant()?);
    event.updated_at = columns.instant()?;
    event.description = description;
    event.location = location;
    event.is_virtual = is_virtual;
    event.latitude = latitude;
    event.longitude = longitude;
    event.is_published = is_published;
    event.theme = theme;
    event.badge_label = badge_label;
    Ok(event)
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

/// Returns a function that reads one shift at a time.
pub(crate) fn shifts() -> impl FnMut(&[Cell<'_>]) -> Result<Shift, StoreError> {
    let mut days = Days::default();
    move |row| shift(row, &mut days)
}

fn shift(row: &[Cell<'_>], days: &mut Days) -> Result<Shift, StoreError> {
    let mut columns = Columns::new(row, "shifts", SHIFT);
    let id = ShiftId::new(columns.id()?);
    let (organization, event) = (OrganizationId::new(columns.id()?), EventId::new(columns.id()?));
    let (title, location) = (columns.read(text)?, columns.read_if_any(text)?);
    let minutes = (columns.number::<u16>()?, columns.number::<u16>()?);
    let hours = columns.checked(Hours::try_from(minutes))?;
    let capacity = columns.number()?;
    let capacity = columns.checked(Capacity::new(capacity))?;
    let filled = columns.number()?;
    let (position, version) = (columns.number()?, columns.number()?);
    let (created_at, updated_at) = (columns.instant()?, columns.instant()?);
    let date = columns.read(parsed)?;
    let day = columns.day(date, days)?;
    let mut shift = Shift::new(id, organization, event, title, capacity, day, created_at);
    shift.location = location;
    shift.hours = hours;
    shift.occupancy.filled = filled;
    shift.position = position;
    shift.version = version;
    shift.updated_at = updated_at;
    shift.is_virtual = columns.flag()?;
    Ok(shift)
}

pub(crate) fn question(row: &[Cell<'_>]) -> Result<Question, StoreError> {
    let mut columns = Columns::new(row, "questions", QUESTION);
    let mut question = Question::new(
        QuestionId::new(columns.id()?),
        OrganizationId::new(columns.id()?),
        EventId::new(columns.id()?),
        columns.read(text)?,
        columns.read(parsed)?,
    );
    question.options = columns.read(json)?;
    question.required = columns.flag()?;
    question.position = columns.number()?;
    Ok(question)
}

pub(crate) fn signup(row: &[Cell<'_>]) -> Result<Signup, StoreError> {
    let mut columns = Columns::new(row, "signups", SIGNUP);
    let id = SignupId::new(columns.id()?);
    let (organization, event) = (OrganizationId::new(columns.id()?), EventId::new(columns.id()?));
    let shift = ShiftId::new(columns.id()?);
    let shift_version = columns.number()?;
    let (name, email) = (columns.read(text)?, columns.read(email)?);
    let answers = columns.read(json::<Vec<Answer>>)?;
    let (status, secret) = (columns.read(parsed)?, columns.read(parsed)?);
    let place = (organization, event, shift);
    let mut signup = Signup::new(id, place, name, email, secret, columns.instant()?);
    signup.mailed_at = columns.instant()?;
    signup.cancelled_at = columns.instant_if_any()?;
    signup.shift_version = shift_version;
    signup.answers = answers;
    signup.status = status;
    Ok(signup)
}

/// The receipt that was found by `key`.
pub(crate) fn receipt(row: &[Cell<'_>], key: &ReceiptKey) -> Result<Receipt, StoreError> {
    let mut columns = Columns::new(row, "receipts", RECEIPT);
    columns.id()?;
    Ok(Receipt::new(key.clone(), columns.read(json)?, columns.instant()?))
}

/// The due time of a notice, in whole seconds, and its id.
pub(crate) fn queue_position(row: &[Cell<'_>]) -> Result<(i64, NoticeId), StoreError> {
    let mut columns = Columns::new(row, "notices", QUEUE_POSITION);
    let id = NoticeId::new(columns.id()?);
    Ok((columns.number()?, id))
}

pub(crate) fn notice(row: &[Cell<'_>]) -> Result<Notice, StoreError> {
    let mut columns = Columns::new(row, "notices", NOTICE);
    let id = NoticeId::new(columns.id()?);
    let (organization, event) = (OrganizationId::new(columns.id()?), EventId::new(columns.id()?));
    let shift = ShiftId::new(columns.id()?);
    let cause = columns.read(json)?;
    let mut notice = Notice::new(id, (organization, event, shift), cause, columns.instant()?);
    notice.version = columns.number()?;
    notice.attempts = columns.number()?;
    notice.due_at = columns.instant()?;
    let at = columns.instant_if_any()?;
    let reason = columns.read_if_any(|text| Ok(text.to_owned()))?;
    notice.failure = at.zip(reason).map(|(at, reason)| NoticeFailure { at, reason });
    Ok(notice)
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
