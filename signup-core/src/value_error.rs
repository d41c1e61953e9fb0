//! The error of values that are written in one fixed way: ids, keys, digests, cursors, numbers, and the names of an
//! enum.

use thiserror::Error;

/// The reason why a text or a number is not a value of a type. The message is the predicate of a sentence, and does not
/// contain the text, which can be a secret.
///
/// ```
/// use signup_core::{EventId, Minimum, Theme, ValueError};
///
/// let error = "neon".parse::<Theme>().unwrap_err();
/// assert!(matches!(error, ValueError::NotOneOf { names } if names.contains(&"midnight")));
/// assert_eq!(Minimum::new(0), Err(ValueError::WholeNumber { min: 1, max: Some(Minimum::MAX) }));
/// let error = "42".parse::<EventId>().unwrap_err();
/// assert_eq!(error.to_string(), "must be an id as this service writes it: a UUID in lower case with hyphens");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum ValueError {
    /// Not one of a fixed set of names.
    #[error("must be one of {}", names.join(", "))]
    NotOneOf {
        /// The names that are accepted.
        names: &'static [&'static str],
    },
    /// Not a whole number in range.
    #[error("must be a whole number {}", range(*min, *max))]
    WholeNumber {
        /// The smallest number.
        min: u32,
        /// The largest number; `None` if any larger number is accepted.
        max: Option<u32>,
    },
    /// Not a number of degrees in range.
    #[error("must be between {min} and {max}")]
    Degrees {
        /// The smallest number of degrees.
        min: f64,
        /// The largest number of degrees.
        max: f64,
    },
    /// Not written as the type is written.
    #[error("must be {expected}")]
    Malformed {
        /// A description of the form, such as "64 hexadecimal digits".
        expected: &'static str,
    },
}

fn range(min: u32, max: Option<u32>) -> String {
    match max {
        Some(max) => format!("from {min} to {max}"),
        None => format!("of at least {min}"),
    }
}
