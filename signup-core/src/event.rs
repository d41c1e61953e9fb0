//! Events: the record that shifts belong to, its days, its place and its public page.

use std::fmt;
use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::caller_key::ExternalId;
use crate::hours::{Day, EventDate, LocalDateTime};
use crate::id::{EventId, OrganizationId};
use crate::language::Language;
use crate::text::{BadgeLabel, CancellationReason, Description, EventLocation, Instructions, Title};
use crate::text_form::{from_text, names};
use crate::value_error::ValueError;
use crate::zone::Zone;

/// An event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Event {
    /// The id.
    pub id: EventId,
    /// The organization that owns the event.
    pub organization: OrganizationId,
    /// The title.
    pub title: Title,
    /// The name in URLs: unique over all organizations, and hard to guess.
    pub slug: String,
    /// The description.
    pub description: Option<Description>,
    /// What volunteers get to know once they have a place. No public page shows it.
    pub instructions: Option<Instructions>,
    /// A street address, or a URL for a virtual event.
    pub location: Option<EventLocation>,
    /// Whether the event takes place online.
    pub is_virtual: bool,
    /// Degrees north of the equator, if known.
    pub latitude: Option<Latitude>,
    /// Degrees east of Greenwich, if known.
    pub longitude: Option<Longitude>,
    /// The days of the event.
    pub dates: EventDates,
    /// The language of the pages and mails for volunteers.
    pub language: Language,
    /// Whether the public page is shown. An event that is not published is a draft.
    pub is_published: bool,
    /// Whether volunteers are reminded of their shifts on the day before, while the event is published.
    pub reminders_enabled: bool,
    /// The colours of the public page.
    pub theme: Option<Theme>,
    /// The text of a badge on the public page.
    pub badge_label: Option<BadgeLabel>,
    /// The id in the organizer's own system: unique among the organization's events that are not deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id: Option<ExternalId>,
    /// When sign-ups open. `None` if they are open from the start.
    pub signups_open_at: Option<LocalDateTime>,
    /// When sign-ups close; after they open. `None` if they stay open.
    pub signups_close_at: Option<LocalDateTime>,
    /// Whether people can join the waiting list of a full shift. Without it, those who wait keep waiting.
    #[serde(default)]
    pub waitlist_enabled: bool,
    /// When the organizer cancelled the event; `None` while it is not cancelled. A cancelled event stays cancelled.
    pub cancelled_at: Option<Timestamp>,
    /// The organizer's reason for the cancellation, if one was given.
    pub cancellation_reason: Option<CancellationReason>,
    /// The version, from 1. Each change of the event, of the set of its shifts or of its questions adds 1. Edits of one
    /// shift and sign-ups do not change it.
    pub version: u32,
    /// The gate, from 1: a second version. Each change that affects whether and how volunteers may sign up adds 1: that of the
    /// days, the zone, the questions, or the opening and closing of sign-ups, and each publication, cancellation and deletion, or
    /// its reverse.
    pub gate: u32,
    /// When the event was deleted; `None` while it is not deleted. A deleted event is kept for [30 days](Self::RETENTION).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// When the event was created.
    pub created_at: Timestamp,
    /// When the event was last changed. Changes of its shifts, questions and sign-ups do not count.
    pub updated_at: Timestamp,
}

impl Event {
    /// How long a deleted event is kept, with all that belongs to it: 30 days. So is a deleted shift.
    pub const RETENTION: SignedDuration = SignedDuration::from_hours(30 * 24);
    /// How long after its deletion a purge may begin to remove an event: 5 minutes after the [retention](Self::RETENTION). So no
    /// commit restores an event that is removed in part, even if it is slow, or if the clocks of two servers differ.
    pub const PURGED_AFTER: SignedDuration = SignedDuration::from_mins(30 * 24 * 60 + 5);

    /// The maximum number of shifts in one request that creates an event or adds shifts.
    pub const MAX_NEW_SHIFTS: usize = 500;
    /// The maximum number of shifts of an event.
    pub const MAX_SHIFTS: usize = 1000;

    /// Creates the record of a draft. The other fields are public and can be set afterwards.
    pub const fn new(
        id: EventId,
        organization: OrganizationId,
        title: Title,
        slug: String,
        dates: EventDates,
        created_at: Timestamp,
    ) -> Self {
        Self {
            id,
            organization,
            title,
            slug,
            description: None,
            instructions: None,
            location: None,
            is_virtual: false,
            latitude: None,
            longitude: None,
            dates,
            language: Language::En,
            is_published: false,
            reminders_enabled: true,
            theme: None,
            badge_label: None,
            external_id: None,
            signups_open_at: None,
            signups_close_at: None,
            waitlist_enabled: false,
            cancelled_at: None,
            cancellation_reason: None,
            version: 1,
            gate: 1,
            deleted_at: None,
            created_at,
            updated_at: created_at,
        }
    }

    /// Returns whether the event counts against the plan's limit at `now`: it is published and not cancelled, and its
    /// last day has not ended.
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.is_published && !self.is_cancelled() && !self.is_over(now)
    }

    /// Returns whether the event is deleted, and was deleted less than [30 days](Self::RETENTION) ago.
    pub fn is_restorable(&self, now: Timestamp) -> bool {
        self.deleted_at.is_some_and(|deleted_at| now.duration_since(deleted_at) < Self::RETENTION)
    }

    /// Returns whether the organizer cancelled the event.
    pub const fn is_cancelled(&self) -> bool {
        self.cancelled_at.is_some()
    }

    /// Returns the instant at which sign-ups open, if a time is set.
    pub fn signups_open(&self) -> Option<Timestamp> {
        Some(self.signups_open_at?.instant(self.dates.first.zone()))
    }

    /// Returns the instant at which sign-ups close, if a time is set. If a clock change would make that the opening or before, they
    /// close as long after the opening as by the wall clock.
    pub fn signups_close(&self) -> Option<Timestamp> {
        let closes_at = self.signups_close_at?;
        let closes = closes_at.instant(self.dates.first.zone());
        match self.signups_open().zip(self.signups_open_at) {
            Some((opens, opens_at)) if closes <= opens => Some(opens + closes_at.since(opens_at)),
            _ => Some(closes),
        }
    }

    /// Returns whether sign-ups are open at `now`, for a published event that is not cancelled.
    pub fn signup_phase(&self, now: Timestamp) -> SignupPhase {
        let has_passed = |at: Timestamp| at <= now;
        if self.signups_close().is_some_and(has_passed) {
            SignupPhase::Closed
        } else if self.signups_open().is_none_or(has_passed) {
            SignupPhase::Open
        } else {
            SignupPhase::Ahead
        }
    }

    /// Returns the event with the opening and the closing of sign-ups as many days later as its first day moves. Returns `None` if
    /// a date would be out of range.
    pub(crate) fn with_signups_moved(self, days: i64) -> Option<Self> {
        let moved = |at: Option<LocalDateTime>| match at {
            Some(at) => at.plus_days(days).map(Some),
            None => Some(None),
        };
        let (opens, closes) = (moved(self.signups_open_at)?, moved(self.signups_close_at)?);
        Some(Self { signups_open_at: opens, signups_close_at: closes, ..self })
    }

    /// Returns whether the last day of the event has ended at `now`. A night shift may still go on: see
    /// [`is_over_with`](Self::is_over_with).
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.dates.ends_at() <= now
    }
}

/// Whether an event takes sign-ups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignupPhase {
    /// Sign-ups are not open yet.
    Ahead,
    /// Volunteers can sign up.
    Open,
    /// Sign-ups are closed.
    Closed,
}

/// The days of an event: a first day in a time zone, and optionally a later last day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventDates {
    /// The first day, with the zone.
    pub first: Day,
    /// The last day, if one was given; never before the first.
    pub last: Option<EventDate>,
}

impl EventDates {
    /// Returns the first instant of the first day. Lists of events are sorted by it.
    pub fn starts_at(&self) -> Timestamp {
        self.first.first_instant()
    }

    /// Returns the first instant of the last day, if one was given.
    pub fn last_day_at(&self) -> Option<Timestamp> {
        self.last.map(|date| Day::new(date, self.first.zone().clone()).first_instant())
    }

    /// Returns the first instant after the last day. The event is over from this instant on.
    pub fn ends_at(&self) -> Timestamp {
        match self.last {
            Some(date) => Day::new(date, self.first.zone().clone()).end(),
            None => self.first.end(),
        }
    }

    /// Returns the number of days, the first and the last included; at least 1.
    pub fn days(&self) -> u32 {
        let first = self.first.date();
        first.days_through(self.last.unwrap_or(first))
    }

    /// Returns the days moved so that `date` is the first, or `None` if the last day would be out of range.
    pub fn moved_to(&self, date: EventDate) -> Option<Self> {
        let days = date.days_since(self.first.date());
        let last = match self.last {
            Some(last) => Some(last.plus_days(days)?),
            None => None,
        };
        Some(Self { first: Day::new(date, self.first.zone().clone()), last })
    }

    /// Returns the same dates in another zone.
    #[must_use]
    pub fn in_zone(self, zone: Zone) -> Self {
        Self { first: Day::new(self.first.date(), zone), ..self }
    }
}

macro_rules! coordinates {
    ($($(#[$doc:meta])* $name:ident: $bound:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
        #[serde(try_from = "f64", into = "f64")]
        pub struct $name(f64);

        impl $name {
            /// Checks `degrees`.
            ///
            /// # Errors
            /// Fails if `degrees` is out of range or NaN.
            pub fn new(degrees: f64) -> Result<Self, ValueError> {
                let bound = $bound;
                (-bound..=bound).contains(&degrees).then_some(Self(degrees)).ok_or(ValueError::Degrees {
                    min: -bound,
                    max: bound,
                })
            }

            /// Returns the value in degrees.
            pub const fn degrees(self) -> f64 {
                self.0
            }
        }

        impl FromStr for $name {
            type Err = ValueError;

            /// Parses a decimal number of degrees.
            fn from_str(text: &str) -> Result<Self, ValueError> {
                Self::new(text.parse().unwrap_or(f64::NAN))
            }
        }

        impl fmt::Display for $name {
            /// Writes the fewest digits that read back as the same number.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        from_text!($name);

        impl TryFrom<f64> for $name {
            type Error = ValueError;

            fn try_from(degrees: f64) -> Result<Self, ValueError> {
                Self::new(degrees)
            }
        }

        impl From<$name> for f64 {
            fn from(degrees: $name) -> Self {
                degrees.0
            }
        }
    )*};
}

coordinates! {
    /// Degrees north of the equator: -90 to 90.
    Latitude: 90.0;
    /// Degrees east of Greenwich: -180 to 180.
    Longitude: 180.0;
}

/// The colour scheme of a public page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Theme {
    /// `purple-indigo`
    PurpleIndigo,
    /// `ocean-blue`
    OceanBlue,
    /// `sunset-orange`
    SunsetOrange,
    /// `forest-green`
    ForestGreen,
    /// `rose-pink`
    RosePink,
    /// `slate-charcoal`
    SlateCharcoal,
    /// `golden-hour`
    GoldenHour,
    /// `midnight`
    Midnight,
}

names! {
    /// Every theme.
    Theme {
        PurpleIndigo => "purple-indigo",
        OceanBlue => "ocean-blue",
        SunsetOrange => "sunset-orange",
        ForestGreen => "forest-green",
        RosePink => "rose-pink",
        SlateCharcoal => "slate-charcoal",
        GoldenHour => "golden-hour",
        Midnight => "midnight",
    }
}
