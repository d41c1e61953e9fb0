//! Queries of the list of volunteers.

use super::{Position, VolunteerKey, paged};
use crate::cursor::MALFORMED;
use crate::signup::Signup;
use crate::text::{EmailAddress, SearchText};
use crate::value_error::ValueError;

/// Selects a page of the [volunteers](crate::Volunteer) of an organization.
///
/// ```
/// use signup_core::VolunteerQuery;
///
/// let query = VolunteerQuery::new().search("lovel ad".parse()?).limit(50);
/// assert_eq!((query.search.unwrap().words(), query.limit), (vec!["lovel".to_owned(), "ad".to_owned()], 50));
/// # Ok::<(), signup_core::TextError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct VolunteerQuery {
    /// Only the volunteer with this address, in any spelling.
    pub email: Option<EmailAddress>,
    /// Only volunteers with a sign-up in which each word of this text begins a word of the name or of the address, compared without
    /// case and accents.
    ///
    /// A store looks at each sign-up of the organization, so the cost grows with their number.
    pub search: Option<SearchText>,
    /// Whether the list is sorted by the first [name](crate::Volunteer::names) of each volunteer, in the root collation of Unicode,
    /// and then by address. Names that begin alike for some twenty letters may be sorted by address. Otherwise the list is sorted
    /// by address.
    pub is_by_name: bool,
    /// The page lies directly beside this position, on its [side](Position::side). `None` selects the page at the top of the list.
    /// The position has the order of the query.
    pub position: Option<Position<VolunteerKey>>,
    /// The maximum number of volunteers in the page; at least 1.
    pub limit: u32,
}

impl VolunteerQuery {
    /// Selects the first [`DEFAULT_LIMIT`](Self::DEFAULT_LIMIT) volunteers by address.
    pub const fn new() -> Self {
        Self { email: None, search: None, is_by_name: false, position: None, limit: Self::DEFAULT_LIMIT }
    }

    /// Returns whether the query selects the volunteer of a sign-up because of it, apart from the position and the limit.
    pub fn selects(&self, signup: &Signup) -> bool {
        let has_words = |text: &SearchText| {
            let key = signup.search_key();
            text.line_beginnings().iter().all(|word| key.contains(word))
        };
        self.email.as_ref().is_none_or(|email| signup.email == *email)
            && self.search.as_ref().is_none_or(has_words)
    }

    /// Checks that the position has the order of the query.
    pub(crate) fn check_position(&self) -> Result<(), ValueError> {
        match &self.position {
            Some(Position { key, .. }) if key.name.is_some() != self.is_by_name => Err(MALFORMED),
            _ => Ok(()),
        }
    }

    /// Selects the volunteer with this address only, in any spelling.
    #[must_use]
    pub fn email(self, email: EmailAddress) -> Self {
        Self { email: Some(email), ..self }
    }

    /// Selects volunteers by the beginnings of the words of their names and addresses.
    #[must_use]
    pub fn search(self, text: SearchText) -> Self {
        Self { search: Some(text), ..self }
    }

    /// Sorts the list by name.
    #[must_use]
    pub fn by_name(self) -> Self {
        Self { is_by_name: true, ..self }
    }

    /// Selects the page beside `position`, on the side that the position names.
    #[must_use]
    pub fn at(self, position: Position<VolunteerKey>) -> Self {
        Self { position: Some(position), ..self }
    }
}

paged!(VolunteerQuery);
