//! Queries of the list of activity.

use super::{Position, paged};
use crate::activity::{Activity, TypeFilter};
use crate::id::{ActivityId, EventId};

/// Selects a page of the activity of an organization.
///
/// ```
/// use signup_core::ActivityQuery;
///
/// let query = ActivityQuery::new().of_type("signup.*".parse()?).limit(50);
/// assert_eq!((query.kind.unwrap().as_str(), query.limit), ("signup.*", 50));
/// # Ok::<(), signup_core::ValueError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ActivityQuery {
    /// Only activity of this type, or of a type of this group.
    pub kind: Option<TypeFilter>,
    /// Only activity of this event, and of its shifts, questions and sign-ups.
    pub event: Option<EventId>,
    /// The page lies directly beside this position, on its [side](Position::side). `None` selects the page at the top of the
    /// list.
    pub position: Option<Position<ActivityId>>,
    /// The maximum number of activities in the page; at least 1.
    pub limit: u32,
}

impl ActivityQuery {
    /// Selects the latest [`DEFAULT_LIMIT`](Self::DEFAULT_LIMIT) activities.
    pub const fn new() -> Self {
        Self { kind: None, event: None, position: None, limit: Self::DEFAULT_LIMIT }
    }

    /// Returns whether the query selects an activity, apart from the position and the limit.
    pub fn selects(&self, activity: &Activity) -> bool {
        self.kind.as_ref().is_none_or(|kind| kind.selects(&activity.kind))
            && self.event.is_none_or(|event| activity.subject.event == Some(event))
    }

    /// Selects activity of a type, or of a group, only.
    #[must_use]
    pub fn of_type(self, kind: TypeFilter) -> Self {
        Self { kind: Some(kind), ..self }
    }

    /// Selects activity of an event, and of its shifts, questions and sign-ups, only.
    #[must_use]
    pub fn of_event(self, event: EventId) -> Self {
        Self { event: Some(event), ..self }
    }

    /// Selects the page beside `position`, on the side that the position names.
    #[must_use]
    pub fn at(self, position: Position<ActivityId>) -> Self {
        Self { position: Some(position), ..self }
    }
}

paged!(ActivityQuery);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::activity::ActivityType;
    use crate::conformance::records::{activity, event};

    #[test]
    fn a_query_selects_a_type_of_an_event() {
        let of_event =
            Activity { kind: ActivityType::EVENT_UPDATED, subject: (&event(1, 1)).into(), ..activity(1, 1) };
        let new = ActivityQuery::new;
        for (query, expected) in [
            (new(), true),
            (new().of_type("event.*".parse().unwrap()), true),
            (new().of_type("event.created".parse().unwrap()), false),
            (new().of_event(event(1, 1).id), true),
            (new().of_event(event(1, 2).id), false),
            (new().of_event(event(1, 1).id).of_type("signup.*".parse().unwrap()), false),
        ] {
            assert_eq!(query.selects(&of_event), expected, "{query:?}");
        }
        assert!(!new().of_event(event(1, 1).id).selects(&activity(1, 2)), "of the organization itself");
    }
}
