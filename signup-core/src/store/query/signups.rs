//! Queries of lists of sign-ups.

use super::{Position, Side, paged};
use crate::id::{EventId, ShiftId, SignupId};
use crate::signup::{Signup, SignupStatus};
use crate::store::Deleted;
use crate::text::{EmailAddress, SearchText};

/// Selects a page of a list of sign-ups.
///
/// ```
/// use signup_core::{SignupQuery, SignupStatus};
///
/// let query = SignupQuery::new().status(SignupStatus::Confirmed).limit(50);
/// assert_eq!((query.status, query.limit), (Some(SignupStatus::Confirmed), 50));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignupQuery {
    /// Only the sign-up with this id.
    pub id: Option<SignupId>,
    /// Only sign-ups of this event, those for deleted shifts included.
    pub event: Option<EventId>,
    /// Only sign-ups for this shift.
    #[doc(alias = "slot")]
    pub shift: Option<ShiftId>,
    /// Only sign-ups with this status. `None`: both.
    pub status: Option<SignupStatus>,
    /// Only sign-ups of this address, in any spelling.
    pub email: Option<EmailAddress>,
    /// Only sign-ups whose name or address contains this text, compared without case and accents: the [key](SearchText::key) of the
    /// text is a part of the [key of the sign-up](Signup::search_key).
    ///
    /// A store looks at each sign-up of the event or the shift, so the cost grows with their number.
    pub search: Option<SearchText>,
    /// Whether the sign-ups of deleted events are listed, too.
    pub deleted: Deleted,
    /// The page lies directly beside this position, on its [side](Position::side). `None` selects the page at the
    /// top of the list.
    pub position: Option<Position<SignupId>>,
    /// The maximum number of sign-ups in the page; at least 1.
    pub limit: u32,
}

impl SignupQuery {
    /// Selects the newest [`DEFAULT_LIMIT`](Self::DEFAULT_LIMIT) sign-ups of the organization, confirmed and cancelled.
    pub const fn new() -> Self {
        Self {
            id: None,
            event: None,
            shift: None,
            status: None,
            email: None,
            search: None,
            deleted: Deleted::Excluded,
            position: None,
            limit: Self::DEFAULT_LIMIT,
        }
    }

    /// Selects the sign-up with this id only.
    #[must_use]
    pub fn only(self, id: SignupId) -> Self {
        Self { id: Some(id), ..self }
    }

    /// Selects sign-ups of this event only.
    #[must_use]
    pub fn of_event(self, event: EventId) -> Self {
        Self { event: Some(event), ..self }
    }

    /// Selects sign-ups for this shift only.
    #[doc(alias = "of_slot")]
    #[must_use]
    pub fn of_shift(self, shift: ShiftId) -> Self {
        Self { shift: Some(shift), ..self }
    }

    /// Selects sign-ups with this status only.
    #[must_use]
    pub fn status(self, status: SignupStatus) -> Self {
        Self { status: Some(status), ..self }
    }

    /// Selects sign-ups of this address only, in any spelling.
    #[must_use]
    pub fn email(self, email: EmailAddress) -> Self {
        Self { email: Some(email), ..self }
    }

    /// Selects sign-ups whose name or address contains this text. Texts are compared without case and accents.
    ///
    /// ```
    /// use signup_core::SignupQuery;
    ///
    /// let query = SignupQuery::new().search("LOVELACE".parse()?);
    /// assert_eq!(query.search.map(|text| text.key()), Some("lovelace".to_owned()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn search(self, text: SearchText) -> Self {
        Self { search: Some(text), ..self }
    }

    /// Selects the sign-ups of deleted events, too.
    #[must_use]
    pub fn with_deleted(self) -> Self {
        Self { deleted: Deleted::Included, ..self }
    }

    /// Selects the first `limit` sign-ups above `after`, counted from the lowest id. `None` starts at the lowest id of all.
    /// The page has the highest id first, like every page.
    #[must_use]
    pub fn above(self, after: Option<SignupId>, limit: u32) -> Self {
        let position = Position { key: after.unwrap_or(SignupId::NONE), side: Side::Above };
        self.at(position).limit(limit)
    }

    /// Selects the page beside `position`, on the side that the position names.
    #[must_use]
    pub fn at(self, position: Position<SignupId>) -> Self {
        Self { position: Some(position), ..self }
    }

    /// Returns whether the query selects a sign-up, apart from the position, the limit and the deletion of the event.
    pub fn selects(&self, signup: &Signup) -> bool {
        let is_found = |text: &SearchText| signup.search_key().contains(&text.key());
        self.id.is_none_or(|id| signup.id == id)
            && self.event.is_none_or(|event| signup.event == event)
            && self.shift.is_none_or(|shift| signup.shift == shift)
            && self.status.is_none_or(|status| signup.status() == status)
            && self.email.as_ref().is_none_or(|email| signup.email == *email)
            && self.search.as_ref().is_none_or(is_found)
    }
}

paged!(SignupQuery);
