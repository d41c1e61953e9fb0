//! The summary that a member gets by mail each day: what happened since the last one, and what is short.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::id::PersonId;
use crate::organization::Organization;
use crate::person::Person;
use crate::shift::ScheduledShift;
use crate::store::SignupInFull;
use crate::text::EmailAddress;

/// A member who gets the summary of an organization. Part of [`NoticeCause::Summary`](crate::NoticeCause::Summary): the notice
/// exists while the member wants the summary, and rests between two mails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    /// The member.
    pub person: PersonId,
    /// The end of the period of the last summary, or when the member chose to get it.
    pub since: Timestamp,
}

impl Summary {
    /// How far ahead the summary names shifts that are short: 7 days.
    pub const AHEAD: SignedDuration = SignedDuration::from_hours(7 * 24);
    /// How long before a shift a cancellation is late: 48 hours.
    pub const LATE: SignedDuration = SignedDuration::from_hours(48);
    /// The longest time that a summary covers: 7 days. An address that fails for weeks is not told of all of them.
    pub const LONGEST: SignedDuration = SignedDuration::from_hours(7 * 24);
    /// How long before its moment the period of a summary ends: 5 minutes, in which a commit that was under way is done.
    pub const SETTLED: SignedDuration = SignedDuration::from_mins(5);
    /// The time of the day in UTC: 06:00.
    const TIME_OF_DAY: i64 = 6 * 3_600;
    const DAY: SignedDuration = SignedDuration::from_hours(24);

    /// Creates the wish of a member who has got no summary yet.
    pub(crate) const fn new(person: PersonId, since: Timestamp) -> Self {
        Self { person, since }
    }

    /// Returns the last moment for summaries at or before `now`: 06:00 in UTC.
    pub(crate) fn last_moment(now: Timestamp) -> Timestamp {
        let since_moment = (now.as_second() - Self::TIME_OF_DAY).rem_euclid(Self::DAY.as_secs());
        Timestamp::from_second(now.as_second() - since_moment).unwrap_or(now)
    }

    /// Returns the next moment for summaries after `at`.
    pub(crate) fn next_moment(at: Timestamp) -> Timestamp {
        Self::last_moment(at).checked_add(Self::DAY).unwrap_or(Timestamp::MAX)
    }
}

/// The mail with a summary.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SummaryMail {
    /// The organization.
    pub organization: Organization,
    /// The member.
    pub person: Person,
    /// The moment of the summary: 06:00 in UTC. Its period ends [`Summary::SETTLED`] before.
    pub until: Timestamp,
    /// The cancellations at most [`Summary::LATE`] before the shift, by its start.
    pub late: Vec<SignupInFull>,
    /// The events at which something happened, or that have shifts with places left soon, by start.
    pub events: Vec<EventSummary>,
}

impl SummaryMail {
    /// Creates a mail that says nothing yet. The other fields are public and can be set afterwards.
    pub const fn new(organization: Organization, person: Person, until: Timestamp) -> Self {
        Self { organization, person, until, late: Vec::new(), events: Vec::new() }
    }
}

/// What a summary says about an event.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EventSummary {
    /// The event.
    pub event: Event,
    /// The number of new sign-ups, those that wait for a place included.
    pub joined: u32,
    /// The number of sign-ups that were cancelled one by one, late ones included.
    pub cancelled: u32,
    /// The volunteers whose mails failed for good.
    pub undelivered: Vec<EmailAddress>,
    /// The shifts within [`Summary::AHEAD`] that have places left, in running order.
    pub short: Vec<ScheduledShift>,
}

impl EventSummary {
    /// Creates the summary of an event at which nothing happened.
    pub const fn new(event: Event) -> Self {
        Self { event, joined: 0, cancelled: 0, undelivered: Vec::new(), short: Vec::new() }
    }

    /// Returns whether something happened at the event.
    pub(crate) const fn has_news(&self) -> bool {
        self.joined > 0 || self.cancelled > 0 || !self.undelivered.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_due_at_six_in_utc() {
        for (now, last, next) in [
            ("2027-03-06T05:59:59Z", "2027-03-05T06:00:00Z", "2027-03-06T06:00:00Z"),
            ("2027-03-06T06:00:00Z", "2027-03-06T06:00:00Z", "2027-03-07T06:00:00Z"),
            ("2027-12-31T23:00:00Z", "2027-12-31T06:00:00Z", "2028-01-01T06:00:00Z"),
            ("1969-12-31T23:00:00Z", "1969-12-31T06:00:00Z", "1970-01-01T06:00:00Z"),
        ] {
            let now: Timestamp = now.parse().unwrap();
            let moments = [Summary::last_moment(now), Summary::next_moment(now)];
            assert_eq!(moments.map(|at| at.to_string()), [last, next], "{now}");
        }
    }
}
