//! What is wrong with a value, with the bounds that it breaks.

use std::fmt;

use thiserror::Error;

use crate::hours::TimeError;
use crate::id::ShiftId;
use crate::question::QuestionKind;
use crate::text::{Label, LocationDataError, TextError};
use crate::value_error::ValueError;
use crate::webhook::url::WebhookUrlError;

/// What is wrong with a value.
///
/// [`Display`](fmt::Display) prints the predicate of a sentence, such as "must not be empty". The errors of the checked
/// types convert into a kind, so [`Faults::check`](super::Faults::check) takes the result of such a check.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// A required value is omitted, null or blank. As a fault of the whole input: there is no text at all. A blank name or address
    /// of a sign-up is [`Text`](Self::Text), not this kind.
    #[error("is required")]
    Required,
    /// The value has another type, or is null or blank in a field that takes neither. An answer does not fit the kind of
    /// its question, such as a tick for a question that asks for a text.
    ///
    /// A whole number, such as a capacity, has [`Value`](Self::Value) with [`ValueError::WholeNumber`] instead, which names
    /// the bounds.
    #[error("must be {expected}")]
    WrongType {
        /// The type that the field takes.
        expected: ValueType,
    },
    /// A value that may be given only once, such as a header, an option of a question or a person of a form, is given several
    /// times.
    #[error("must be given only once")]
    Repeated,
    /// The input does not take a member or a parameter of this name, or an answer to this question.
    #[error("is unknown")]
    Unknown {
        /// What the caller probably meant, in the words of the program that read the input.
        meant: Option<&'static str>,
    },
    /// The text is not JSON.
    #[error("is not JSON (line {line}, column {column})")]
    NotJson {
        /// The line of the mistake, from 1.
        line: usize,
        /// The column of the mistake in its line, in bytes.
        column: usize,
    },
    /// Not a name, a number or another value of the field's type.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// The text breaks a bound of its type.
    #[error(transparent)]
    Text(#[from] TextError),
    /// Not the address of a webhook.
    #[error(transparent)]
    WebhookUrl(#[from] WebhookUrlError),
    /// The text is not a date, a time or a zone, or an end is before its start.
    #[error(transparent)]
    Time(#[from] TimeError),
    /// The object is refused as location data.
    #[error(transparent)]
    LocationData(#[from] LocationDataError),
    /// The event has no day of this number.
    #[error("must be a day of the event, from 1 to {days}")]
    NoSuchDay {
        /// The number of days of the event.
        days: u32,
    },
    /// The last day of the event would be before a day that has shifts.
    #[error("must not leave out day {day}, which has shifts")]
    LeavesOutDay {
        /// The number of the latest day with shifts.
        day: u32,
    },
    /// The event has more days than the plan allows.
    #[error("must not make the event longer than {max} days, the most that the plan allows")]
    TooManyDays {
        /// The maximum number of days, the first and the last included.
        max: u32,
    },
    /// More items than one request, an event or an organization may have.
    #[error("must not have more than {max} {items}{}", Present(*present))]
    TooMany {
        /// What the items are, and what the maximum is one of, such as `shifts in one request`.
        items: &'static str,
        /// The maximum number of items.
        max: usize,
        /// The number of items that the event or the organization has already; 0 if the maximum is not one of these.
        present: usize,
    },
    /// The number of options does not fit the kind of the question: a select has 1 to `max` options, and every other kind
    /// has none.
    #[error("{}", OptionCount(*kind, *max))]
    OptionCount {
        /// The kind of the question.
        kind: QuestionKind,
        /// The maximum number of options of a select.
        max: usize,
    },
    /// The answer to a select is not one of its options.
    #[error("must be one of the options")]
    NotAnOption {
        /// The options of the select.
        options: Vec<Label>,
    },
    /// A required checkbox is not ticked.
    #[error("must be ticked")]
    NotTicked,
    /// Two shifts of a form overlap, which the form does not accept.
    #[error("must accept that the shifts {} and {} overlap", shifts[0], shifts[1])]
    Overlap {
        /// The shifts, the earlier one first.
        shifts: [ShiftId; 2],
    },
    /// Shifts of this length do not fill the time from the start to the end of their row.
    #[error("must divide the {minutes} minutes from start to end without a remainder")]
    Remainder {
        /// The time from the start to the end, in minutes.
        minutes: u16,
    },
    /// The kind of a question that a volunteer has answered.
    #[error("cannot change once a volunteer has answered the question")]
    Answered,
}

impl FaultKind {
    /// The kind of an unknown name of which nobody knows what the caller meant.
    pub const UNKNOWN: Self = Self::Unknown { meant: None };

    pub(super) const fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown { .. })
    }
}

impl From<ValueType> for FaultKind {
    fn from(expected: ValueType) -> Self {
        Self::WrongType { expected }
    }
}

/// The type of value that a field takes. `Display` prints the words after "must be", such as "a string".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ValueType {
    /// A string.
    Text,
    /// A number.
    Number,
    /// True or false.
    Flag,
    /// A flag in a query string: the text `true`, `false`, `1` or `0`.
    FlagText,
    /// An object.
    Object,
    /// A list of objects.
    ObjectList,
    /// A list of texts.
    TextList,
    /// An answer to a question of this kind.
    Answer(QuestionKind),
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Answer(kind) => return write!(f, "answered as a {kind}"),
            Self::Text => "a string",
            Self::Number => "a number",
            Self::Flag => "true or false",
            Self::FlagText => "true, false, 1 or 0",
            Self::Object => "an object",
            Self::ObjectList => "a list of objects",
            Self::TextList => "a list of strings",
        })
    }
}

/// Prints the number of items that there are already.
struct Present(usize);

impl fmt::Display for Present {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 > 0 { write!(f, " in all: there are {} already", self.0) } else { Ok(()) }
    }
}

/// Prints how many options a question of this kind has.
struct OptionCount(QuestionKind, usize);

impl fmt::Display for OptionCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            QuestionKind::Select => write!(f, "must have 1 to {} options for type select", self.1),
            kind => write!(f, "must be omitted for type {kind}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Latitude, Longitude, Theme};
    use crate::occupancy::Minimum;

    #[test]
    fn a_kind_prints_a_predicate_with_its_bounds() {
        let themes = "must be one of purple-indigo, ocean-blue, sunset-orange, forest-green, rose-pink, slate-charcoal, \
                      golden-hour, midnight";
        for (kind, predicate) in [
            (Latitude::new(91.0).unwrap_err().into(), "must be between -90 and 90"),
            (Longitude::new(f64::NAN).unwrap_err().into(), "must be between -180 and 180"),
            (Minimum::new(0).unwrap_err().into(), "must be a whole number from 1 to 1000000"),
            (
                FaultKind::Value(ValueError::WholeNumber { min: 1, max: None }),
                "must be a whole number of at least 1",
            ),
            ("neon".parse::<Theme>().unwrap_err().into(), themes),
            (TextError::TooLong { max: 255 }.into(), "must not be longer than 255 characters"),
            (TimeError::Order.into(), "must be after the start, on the same day"),
            (ValueType::Flag.into(), "must be true or false"),
            (ValueType::Answer(QuestionKind::Select).into(), "must be answered as a select"),
            (
                FaultKind::TooMany { items: "shifts in one request", max: 500, present: 0 },
                "must not have more than 500 shifts in one request",
            ),
            (
                FaultKind::TooMany { items: "shifts", max: 1000, present: 990 },
                "must not have more than 1000 shifts in all: there are 990 already",
            ),
            (
                FaultKind::OptionCount { kind: QuestionKind::Select, max: 100 },
                "must have 1 to 100 options for type select",
            ),
            (FaultKind::OptionCount { kind: QuestionKind::Text, max: 100 }, "must be omitted for type text"),
        ] {
            assert_eq!(kind.to_string(), predicate);
        }
    }
}
