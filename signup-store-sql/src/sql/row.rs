//! Decoding of records. A value that no version of this crate can have written is an error that names its table, column and
//! id.
//!
//! SQLite returns the records of a statement as one row: a JSON array of arrays of columns. Passing a row from the thread of
//! the connection to the caller costs more than the JSON. PostgreSQL returns rows with types, which cost half as much as
//! JSON. On PostgreSQL, records are JSON only if one row has several of them.
//!
//! Digests are hexadecimal digits, and so are ids in JSON. Coordinates are decimal texts, with enough digits to read back the
//! same number.

mod cells;
mod columns;

use std::fmt::Display;
use std::str::FromStr;

pub(crate) use cells::{Cell, FetchedRows};
pub(crate) use columns::{
    Column, DELETION, EVENT, LOCATION_DATA, NOTICE, ORGANIZATION, QUESTION, QUEUE_POSITION, RECEIPT, SHIFT,
    SHIFT_DELETION, SHIFT_OF_EVENT, SIGNUP, TOKEN,
};

use columns::SHIFT_AND_EVENT;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use signup_core::{
    Capacity, Day, EmailAddress, Event, EventDates, EventId, Hours, LocationData, Notice, NoticeFailure,
    NoticeId, Organization, OrganizationId, Question, QuestionId, Receipt, ReceiptKey, Shift, ShiftId,
    Signup, SignupId, StoreError, Token, TokenId,
};
use uuid::Uuid;

/// Decodes a record in JSON: an array of its columns.
pub(crate) fn one<T>(
    json: &str,
    read: impl FnOnce(&[Cell<'_>]) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let row: Vec<Cell<'_>> = sonic_rs::from_str(json).map_err(unreadable)?;
    read(&row)
}

/// Decodes a list in JSON: an array of records.
pub(crate) fn all<T>(
    json: &str,
    mut read: impl FnMut(&[Cell<'_>]) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let rows: Vec<Vec<Cell<'_>>> = sonic_rs::from_str(json).map_err(unreadable)?;
    rows.iter().map(|row| read(row)).collect()
}

/// Returns the error for a result that cannot be decoded.
pub(crate) fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError::failed("decoding the result of a statement", error)
}

/// Decodes the columns of one record from left to right. An error names the column that was decoded last.
struct Decoder<'r> {
    row: &'r [Cell<'r>],
    table: &'static str,
    columns: &'static [Column],
    next: usize,
}

impl<'r> Decoder<'r> {
    /// Creates a decoder for a record of `table`. The first of the columns is the id.
    const fn new(row: &'r [Cell<'r>], table: &'static str, columns: &'static [Column]) -> Self {
        Self { row, table, columns, next: 0 }
    }

    fn cell(&mut self) -> &'r Cell<'r> {
        self.next += 1;
        self.row.get(self.next - 1).unwrap_or(&Cell::Null)
    }

    fn optional_text(&mut self) -> Result<Option<&'r str>, StoreError> {
        match self.cell() {
            Cell::Null => Ok(None),
            Cell::Text(text) => Ok(Some(text)),
            Cell::Integer(_) | Cell::Flag(_) => Err(self.corrupt("a number instead of a text")),
            Cell::Id(_) => Err(self.corrupt("an id instead of a text")),
        }
    }

    fn text(&mut self) -> Result<&'r str, StoreError> {
        self.optional_text()?.ok_or_else(|| self.corrupt("null instead of a text"))
    }

    fn optional_number(&mut self) -> Result<Option<i64>, StoreError> {
        match self.cell() {
            Cell::Null => Ok(None),
            Cell::Integer(number) => Ok(Some(*number)),
            Cell::Flag(flag) => Ok(Some((*flag).into())),
            Cell::Text(_) | Cell::Id(_) => Err(self.corrupt("a text instead of a number")),
        }
    }

    fn number<T: TryFrom<i64, Error: Display>>(&mut self) -> Result<T, StoreError> {
        let number = self.optional_number()?.ok_or_else(|| self.corrupt("null instead of a number"))?;
        self.checked(T::try_from(number))
    }

    fn flag(&mut self) -> Result<bool, StoreError> {
        Ok(self.number::<i64>()? != 0)
    }

    fn parse<T: FromStr<Err: Display>>(&mut self) -> Result<T, StoreError> {
        let text = self.text()?;
        self.checked(text.parse())
    }

    fn optional<T: FromStr<Err: Display>>(&mut self) -> Result<Option<T>, StoreError> {
        let text = self.optional_text()?;
        self.checked(text.map(str::parse).transpose())
    }

    fn json<T: DeserializeOwned>(&mut self) -> Result<T, StoreError> {
        let text = self.text()?;
        self.checked(serde_json::from_str(text))
    }

    /// Turns an error of a check into an error that names the column.
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

    fn id<T>(&mut self, new: impl FnOnce(Uuid) -> T) -> Result<T, StoreError> {
        if let Cell::Id(id) = self.cell() {
            return Ok(new(*id));
        }
        self.next -= 1;
        let digits = self.text()?;
        self.checked(Uuid::try_parse(digits)).map(new)
    }

    fn instant(&mut self) -> Result<Timestamp, StoreError> {
        let second = self.number()?;
        self.checked(Timestamp::from_second(second))
    }

    fn optional_instant(&mut self) -> Result<Option<Timestamp>, StoreError> {
        let second = self.optional_number()?;
        self.checked(second.map(Timestamp::from_second).transpose())
    }

    /// Decodes a date and a zone.
    fn day(&mut self, days: &mut Days) -> Result<Day, StoreError> {
        let (date, zone) = (self.parse()?, self.text()?);
        let day = match days.0.take().filter(|last| last.zone().name() == zone) {
            Some(last) if last.date() == date => last,
            Some(last) => Day::new(date, last.zone().clone()),
            None => Day::new(date, self.checked(zone.parse())?),
        };
        Ok(days.0.insert(day).clone())
    }
}

/// The last decoded day. The events of a list often share a zone, and the shifts of an event share a day. Finding a zone and
/// its clock changes on a day takes longer than decoding the rest of a row.
#[derive(Debug, Default)]
struct Days(Option<Day>);

pub(crate) fn organization(row: &[Cell<'_>]) -> Result<Organization, StoreError> {
    let mut columns = Decoder::new(row, "organizations", ORGANIZATION);
    let (id, name, slug) = (columns.id(OrganizationId::new)?, columns.parse()?, columns.text()?.to_owned());
    let mut organization = Organization::new(id, name, slug, columns.instant()?);
    organization.sport = columns.optional()?;
    organization.public_url = columns.optional()?;
    organization.plan = columns.parse()?;
    Ok(organization)
}

pub(crate) fn token(row: &[Cell<'_>]) -> Result<Token, StoreError> {
    let mut columns = Decoder::new(row, "tokens", TOKEN);
    let mut token = Token::new(
        columns.id(TokenId::new)?,
        columns.id(OrganizationId::new)?,
        columns.parse()?,
        columns.parse()?,
        columns.parse()?,
        columns.instant()?,
    );
    token.expires_at = columns.instant()?;
    token.revoked_at = columns.optional_instant()?;
    Ok(token)
}

/// Returns a function that decodes one event at a time.
pub(crate) fn events() -> impl FnMut(&[Cell<'_>]) -> Result<Event, StoreError> {
    let mut days = Days::default();
    move |row| {
        let mut columns = Decoder::new(row, "events", EVENT);
        let (id, organization) = (columns.id(EventId::new)?, columns.id(OrganizationId::new)?);
        let (title, slug) = (columns.parse()?, columns.text()?.to_owned());
        let dates = EventDates { first: columns.day(&mut days)?, last: columns.optional()? };
        let mut event = Event::new(id, organization, title, slug, dates, columns.instant()?);
        event.updated_at = columns.instant()?;
        event.description = columns.optional()?;
        event.location = columns.optional()?;
        event.is_virtual = columns.flag()?;
        event.latitude = columns.optional()?;
        event.longitude = columns.optional()?;
        event.is_published = columns.flag()?;
        event.theme = columns.optional()?;
        event.badge_label = columns.optional()?;
        event.cancelled_at = columns.optional_instant()?;
        event.cancellation_reason = columns.optional()?;
        event.version = columns.number()?;
        Ok(event)
    }
}

/// Decodes when an event was deleted; `None` if it is not deleted.
pub(crate) fn deletion(row: &[Cell<'_>]) -> Result<Option<Timestamp>, StoreError> {
    let mut columns = Decoder::new(row, "events", DELETION);
    columns.id(EventId::new)?;
    columns.optional_instant()
}

/// Decodes when a shift was deleted; `None` if it is not deleted.
pub(crate) fn shift_deletion(row: &[Cell<'_>]) -> Result<Option<Timestamp>, StoreError> {
    let mut columns = Decoder::new(row, "shifts", SHIFT_DELETION);
    columns.id(ShiftId::new)?;
    columns.optional_instant()
}

/// Decodes the location data of an event.
pub(crate) fn location_data(row: &[Cell<'_>]) -> Result<Option<LocationData>, StoreError> {
    let mut columns = Decoder::new(row, "events", LOCATION_DATA);
    columns.id(EventId::new)?;
    let json = columns.optional_text()?;
    columns.checked(json.map(LocationData::stored).transpose())
}

/// Decodes the start by which an event of a page is sorted: the last column of `page`.
pub(crate) fn stored_start(page: &[Cell<'_>]) -> Result<Timestamp, StoreError> {
    match page.last() {
        Some(Cell::Integer(second)) => Timestamp::from_second(*second).map_err(unreadable),
        _ => Err(StoreError::failed("listing events", "a row without the start of its event")),
    }
}

/// Returns a function that decodes one [`SHIFT`] at a time.
pub(crate) fn shifts() -> impl FnMut(&[Cell<'_>]) -> Result<Shift, StoreError> {
    let mut days = Days::default();
    move |row| {
        let (shift, event) = row.split_at(SHIFT_OF_EVENT.len().min(row.len()));
        let mut columns = Decoder::new(event, "events", SHIFT_AND_EVENT.1);
        let (event, organization) = (columns.id(EventId::new)?, columns.id(OrganizationId::new)?);
        let (day, is_virtual) = (columns.day(&mut days)?, columns.flag()?);
        self::shift(shift, (organization, event), day, is_virtual)
    }
}

/// Decodes a [`SHIFT_OF_EVENT`].
pub(crate) fn shift_of(event: &Event, row: &[Cell<'_>]) -> Result<Shift, StoreError> {
    shift(row, (event.organization, event.id), event.dates.first.clone(), event.is_virtual)
}

fn shift(
    row: &[Cell<'_>],
    (organization, event): (OrganizationId, EventId),
    day: Day,
    is_virtual: bool,
) -> Result<Shift, StoreError> {
    let mut columns = Decoder::new(row, "shifts", SHIFT_OF_EVENT);
    let (id, title, capacity) = (columns.id(ShiftId::new)?, columns.parse()?, columns.number()?);
    let capacity = columns.checked(Capacity::new(capacity))?;
    let mut shift = Shift::new(id, organization, event, title, capacity, day, columns.instant()?);
    shift.updated_at = columns.instant()?;
    shift.location = columns.optional()?;
    let minutes = (columns.number::<u16>()?, columns.number::<u16>()?);
    shift.hours = columns.checked(Hours::try_from(minutes))?;
    let is_closed = columns.optional_instant()?.is_some();
    let filled = columns.number()?;
    shift.occupancy.filled = if is_closed { 0 } else { filled };
    shift.position = columns.number()?;
    shift.version = columns.number()?;
    shift.is_virtual = is_virtual;
    Ok(shift)
}

pub(crate) fn question(row: &[Cell<'_>]) -> Result<Question, StoreError> {
    let mut columns = Decoder::new(row, "questions", QUESTION);
    let (id, organization, event) =
        (columns.id(QuestionId::new)?, columns.id(OrganizationId::new)?, columns.id(EventId::new)?);
    let mut question = Question::new(id, organization, event, columns.parse()?, columns.parse()?);
    question.options = columns.json()?;
    question.required = columns.flag()?;
    question.position = columns.number()?;
    Ok(question)
}

pub(crate) fn signup(row: &[Cell<'_>]) -> Result<Signup, StoreError> {
    let mut columns = Decoder::new(row, "signups", SIGNUP);
    let (id, place) = (
        columns.id(SignupId::new)?,
        (columns.id(OrganizationId::new)?, columns.id(EventId::new)?, columns.id(ShiftId::new)?),
    );
    let (name, email) = (columns.parse()?, columns.text()?);
    let email = columns.checked(EmailAddress::stored(email))?;
    let mut signup = Signup::new(id, place, name, email, columns.parse()?, columns.instant()?);
    signup.mailed_at = columns.instant()?;
    signup.cancelled_at = columns.optional_instant()?;
    signup.shift_version = columns.number()?;
    signup.answers = columns.json()?;
    signup.status = columns.parse()?;
    signup.cancelled_by = columns.optional()?;
    Ok(signup)
}

/// Decodes the receipt of `key`.
pub(crate) fn receipt(row: &[Cell<'_>], key: &ReceiptKey) -> Result<Receipt, StoreError> {
    let mut columns = Decoder::new(row, "receipts", RECEIPT);
    columns.id(TokenId::new)?;
    Ok(Receipt::new(key.clone(), columns.json()?, columns.instant()?))
}

/// Decodes the due time of a notice, in Unix seconds, and its id.
pub(crate) fn queue_position(row: &[Cell<'_>]) -> Result<(i64, NoticeId), StoreError> {
    let mut columns = Decoder::new(row, "notices", QUEUE_POSITION);
    let id = columns.id(NoticeId::new)?;
    Ok((columns.number()?, id))
}

pub(crate) fn notice(row: &[Cell<'_>]) -> Result<Notice, StoreError> {
    let mut columns = Decoder::new(row, "notices", NOTICE);
    let (id, place) = (
        columns.id(NoticeId::new)?,
        (columns.id(OrganizationId::new)?, columns.id(EventId::new)?, columns.id(ShiftId::new)?),
    );
    let mut notice = Notice::new(id, place, columns.json()?, columns.instant()?);
    notice.version = columns.number()?;
    notice.attempts = columns.number()?;
    notice.due_at = columns.instant()?;
    let at = columns.optional_instant()?;
    let reason = columns.optional_text()?.map(str::to_owned);
    notice.failure = at.zip(reason).map(|(at, reason)| NoticeFailure { at, reason });
    Ok(notice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corrupt_value_is_named_by_table_column_and_id() {
        let id = "01920000000070008000000000000001";
        let json = format!(r#"["{id}", "{id}", "import", "00", "events:read", 1, 2, null]"#);
        let error = one(&json, token).unwrap_err().to_string();
        assert!(error.contains("tokens.digest of 01920000-0000-7000-8000-000000000001"), "{error}");
    }
}
