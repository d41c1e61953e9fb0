//! Copies of events.

use jiff::civil::Date;

use super::Input;
use super::change::setters;
use super::fields::Fields;
use crate::fault::Faults;
use crate::hours::EventDate;
use crate::text::Title;

/// How an event is copied. A [`Date`] alone converts into a copy with the title of its source.
///
/// ```
/// use signup_core::{DuplicateEvent, date};
///
/// let copy = DuplicateEvent::on(date(2027, 6, 12)).title("Summer drive".parse()?);
/// assert_eq!(copy.start_date, date(2027, 6, 12));
/// # Ok::<(), signup_core::TextError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DuplicateEvent {
    /// The first day of the copy.
    pub start_date: Date,
    /// The title of the copy, from which its slug follows. `None`: the title of the source.
    pub title: Option<Title>,
}

impl DuplicateEvent {
    /// Makes it of an untyped input: `start_date`, and optionally `title`.
    ///
    /// # Errors
    /// Returns every fault, in the order of the fields.
    pub fn from_input(input: Input<'_>) -> Result<Self, Faults> {
        let mut fields = Fields::new(input);
        let first = fields.text::<EventDate>("start_date").required();
        let title = fields.text("title").kept();
        fields.finish(first.map(|first| Self { start_date: first.date(), title }))
    }

    /// Copies the event to another first day.
    pub const fn on(start_date: Date) -> Self {
        Self { start_date, title: None }
    }

    setters! {
        /// Sets the title of the copy.
        title: Title;
    }
}

impl From<Date> for DuplicateEvent {
    fn from(start_date: Date) -> Self {
        Self::on(start_date)
    }
}
