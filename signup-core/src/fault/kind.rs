//! What is wrong with a value, with the bounds that it breaks.

use std::fmt;

use thiserror::Error;

use crate::cursor::CursorError;
use crate::event::{CoordinateError, Theme, ThemeError};
use crate::hours::TimeError;
use crate::occupancy::{Capacity, CapacityError};
use crate::question::{QuestionKind, QuestionKindError};
use crate::receipt::IdempotencyKeyError;
use crate::signup::{SignupStatus, SignupStatusError};
use crate::text::{Label, LocationDataError, TextError};

/// What is wrong with a value.
///
/// [`Display`](fmt::Display) prints the predicate of a sentence, such as "must not be empty". The errors of the checked
/// types convert into a kind, so [`Faults::check`](super::Faults::check) takes the result of such a check.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// A required value is omitted, null or blank. A blank name or address of a sign-up is [`Text`](Self::Text), not
    /// this kind.
    #[error("is required")]
    Required,
    /// The value has another type, or is null or blank in a field that takes neither.
    #[error("must be {expected}")]
    WrongType {
        /// The type that the field takes.
        expected: ValueType,
    },
    /// A value that may be given only once is given several times.
    #[error("must be given once")]
    Repeated,
    /// The input could not be converted, although no field has a fault.
    #[error("could not be read")]
    Unreadable,
    /// The text is not JSON.
    #[error("must be valid JSON ({reason})")]
    NotJson {
        /// The message of the parser, with line and column.
        reason: String,
    },
    /// The text is JSON, but not an object.
    #[error("must be a JSON object")]
    NotAnObject,
    /// The text breaks a bound of its type.
    #[error(transparent)]
    Text(#[from] TextError),
    /// The text is not a date, a time or a zone, or the end is not after the start.
    #[error(transparent)]
    Time(#[from] TimeError),
    /// The last day of an event is before its first day.
    #[error("must not be before the first day")]
    LastDayBeforeFirst,
    /// The event has more days than the plan allows.
    #[error("must not make the event longer than {max} days, the most that the plan allows")]
    TooManyDays {
        /// The maximum number of days, the first and the last included.
        max: u32,
    },
    /// The new first day of a copy or of a moved event would move its last day out of the range of dates.
    #[error("moves the last day out of range: each day {}", TimeError::Date)]
    LastDayOutOfRange,
    /// The object is refused as location data.
    #[error(transparent)]
    LocationData(#[from] LocationDataError),
    /// Not a number of degrees in range.
    #[error("must be between {min} and {max}")]
    Degrees {
        /// The smallest number of degrees.
        min: f64,
        /// The largest number of degrees.
        max: f64,
    },
    /// Not a whole number in range.
    #[error("must be a whole number {}", Range(*min, *max))]
    WholeNumber {
        /// The smallest number.
        min: u32,
        /// The largest number; `None` if any larger number is accepted.
        max: Option<u32>,
    },
    /// Not one of a fixed set of names.
    #[error("must be one of {}", names.join(", "))]
    NotOneOf {
        /// The names that are accepted.
        names: Vec<&'static str>,
    },
    /// More shifts than one request, or an event, may have.
    #[error("must not have more than {max} items")]
    TooManyShifts {
        /// The maximum number of shifts.
        max: usize,
    },
    /// Not a cursor that this service created.
    #[error(transparent)]
    Cursor(#[from] CursorError),
    /// Not an idempotency key.
    #[error(transparent)]
    IdempotencyKey(#[from] IdempotencyKeyError),
    /// A token without a scope.
    #[error("must name at least one scope")]
    NoScope,
    /// A select without options, or with too many.
    #[error("must have 1 to {max} items for a select")]
    OptionCount {
        /// The maximum number of options.
        max: usize,
    },
    /// Options of a question that is not a select.
    #[error("must be left out for a {kind}")]
    OptionsNotAllowed {
        /// The kind of the question.
        kind: QuestionKind,
    },
    /// The event has as many questions as are allowed.
    #[error("cannot be added: the event has {max} questions, the most that are allowed")]
    TooManyQuestions {
        /// The maximum number of questions of an event.
        max: usize,
    },
    /// The answer to a select is not one of its options.
    #[error("must be one of the options")]
    NotAnOption {
        /// The options of the select.
        options: Vec<Label>,
    },
    /// A required checkbox is not ticked.
    #[error("has to be ticked")]
    NotTicked,
    /// The answer does not fit the kind of the question, such as a tick for a question that asks for a text.
    #[error("must be answered as a {question}")]
    WrongAnswer {
        /// The kind of the question.
        question: QuestionKind,
    },
    /// Two options of a question are the same.
    #[error("must differ from the other options")]
    RepeatedOption,
    /// The event would have more shifts than are allowed.
    #[error("must not give the event more than {max} shifts: it has {present}")]
    TooManyShiftsOfEvent {
        /// The maximum number of shifts of an event.
        max: usize,
        /// The number of shifts that the event has.
        present: usize,
    },
    /// The kind of a question that a volunteer has answered.
    #[error("cannot change once a volunteer has answered the question")]
    Answered,
    /// The event has no such question.
    #[error("is not a question of this event")]
    UnknownQuestion,
}

impl From<ValueType> for FaultKind {
    fn from(expected: ValueType) -> Self {
        Self::WrongType { expected }
    }
}

impl From<CapacityError> for FaultKind {
    fn from(_: CapacityError) -> Self {
        Self::WholeNumber { min: 1, max: Some(Capacity::MAX) }
    }
}

impl From<CoordinateError> for FaultKind {
    fn from(error: CoordinateError) -> Self {
        Self::Degrees { min: -error.bound(), max: error.bound() }
    }
}

/// A text that is not one of the names of a type becomes [`FaultKind::NotOneOf`].
macro_rules! not_one_of {
    ($($error:ty => $type:ty;)*) => {$(
        impl From<$error> for FaultKind {
            fn from(_: $error) -> Self {
                Self::NotOneOf { names: <$type>::ALL.iter().map(|value| value.name()).collect() }
            }
        }
    )*};
}

not_one_of! {
    ThemeError => Theme;
    SignupStatusError => SignupStatus;
    QuestionKindError => QuestionKind;
}

/// The type of value that a field takes. `Display` prints it with an article, such as "a string".
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
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "a string",
            Self::Number => "a number",
            Self::Flag => "true or false",
            Self::FlagText => "true, false, 1 or 0",
            Self::Object => "an object",
            Self::ObjectList => "a list of objects",
            Self::TextList => "a list of texts",
        })
    }
}

/// Prints the range of a whole number.
struct Range(u32, Option<u32>);

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self(min, Some(max)) => write!(f, "from {min} to {max}"),
            Self(min, None) => write!(f, "of at least {min}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Latitude, Longitude};

    #[test]
    fn a_kind_has_the_bounds_and_prints_a_predicate() {
        let latitude = FaultKind::from(Latitude::new(91.0).unwrap_err());
        assert_eq!(latitude, FaultKind::Degrees { min: -90.0, max: 90.0 });
        let longitude = FaultKind::from(Longitude::new(f64::NAN).unwrap_err());
        let theme = FaultKind::from("neon".parse::<Theme>().unwrap_err());
        for (kind, predicate) in [
            (latitude, "must be between -90 and 90"),
            (longitude, "must be between -180 and 180"),
            (CapacityError.into(), "must be a whole number from 1 to 1000000"),
            (FaultKind::WholeNumber { min: 1, max: None }, "must be a whole number of at least 1"),
            (TextError::TooLong { max: 255 }.into(), "must not be greater than 255 characters"),
            (TimeError::Order.into(), "must be after the start, on the same day"),
            (CursorError.into(), "must be a cursor of an earlier page, unaltered"),
            (ValueType::Flag.into(), "must be true or false"),
            (
                FaultKind::TooManyDays { max: 7 },
                "must not make the event longer than 7 days, the most that the plan allows",
            ),
        ] {
            assert_eq!(kind.to_string(), predicate);
        }
        assert_eq!(theme.to_string(), ThemeError.to_string());
    }
}
