//! Events: what volunteers are wanted for, on which days, and where.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::hours::{Day, EventDate};
use crate::id::{EventId, OrganizationId};
use crate::plan::PlanLimits;
use crate::text::{BadgeLabel, Description, EventLocation, Title};

/// An event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Its id.
    pub id: EventId,
    /// To whom it belongs.
    pub organization: OrganizationId,
    /// Its name for people.
    pub title: Title,
    /// Its URL-friendly name: unique over the whole service, and not to be guessed.
    pub slug: String,
    /// What it is about.
    pub description: Option<Description>,
    /// A street address, or a URL for a virtual event.
    pub location: Option<EventLocation>,
    /// Whether it takes place online.
    pub is_virtual: bool,
    /// Degrees north of the equator, if known.
    pub latitude: Option<Latitude>,
    /// Degrees east of Greenwich, if known.
    pub longitude: Option<Longitude>,
    /// On which days it is.
    pub dates: EventDates,
    /// Whether its public page is shown; if not, it is a draft.
    pub is_published: bool,
    /// The colours of its public page.
    pub theme: Option<Theme>,
    /// A word or two on its public page.
    pub badge_label: Option<BadgeLabel>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

impl Event {
    /// The most shifts that one event may be created with.
    pub const MAX_NEW_SHIFTS: usize = 500;

    /// Whether it counts against the plan's limit at `now`: it is published, and its last day has not ended.
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.is_published && now < self.dates.ends_at()
    }
}

/// The days of an event: a first day, perhaps a later last one, and the zone whose wall clock they go by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventDates {
    /// The first day, and the zone.
    pub first: Day,
    /// The last day, if one was given; not before the first.
    pub last: Option<EventDate>,
}

impl EventDates {
    /// The first instant of the first day: by it events are ordered.
    pub fn starts_at(&self) -> Timestamp {
        self.first.first_instant()
    }

    /// The first instant of the last day, if one was given.
    pub fn last_day_at(&self) -> Option<Timestamp> {
        self.last.map(|date| Day::new(date, self.first.zone().clone()).first_instant())
    }

    /// The first instant after the last day: until then the event is not over.
    pub fn ends_at(&self) -> Timestamp {
        match self.last {
            Some(date) => Day::new(date, self.first.zone().clone()).end(),
            None => self.first.end(),
        }
    }

    /// How many days it lasts, the first and the last included; at least 1.
    pub fn days(&self) -> u32 {
        let last = self.last.unwrap_or(self.first.date());
        u32::try_from(last.days_since(self.first.date()) + 1).unwrap_or(1)
    }

    /// The same days, moved so that the first is `date`; `None` if the last would leave the calendar.
    pub fn moved_to(&self, date: EventDate) -> Option<Self> {
        let days = date.days_since(self.first.date());
        let last = match self.last {
            Some(last) => Some(last.plus_days(days)?),
            None => None,
        };
        Some(Self { first: Day::new(date, self.first.zone().clone()), last })
    }
}

/// Checks the last day of an event: not before the first, and no more days than the plan allows.
pub(crate) fn check_last_day(
    start_date: EventDate,
    end_date: EventDate,
    limits: PlanLimits,
) -> Result<(), String> {
    let days = end_date.days_since(start_date) + 1;
    if days < 1 {
        Err("must not be before start_date".to_owned())
    } else if days > i64::from(limits.event_days) {
        Err(format!(
            "must not make the event longer than {} days, the most that the plan allows",
            limits.event_days
        ))
    } else {
        Ok(())
    }
}

/// Checks how many shifts one event is created with.
pub(crate) fn check_shift_count(count: usize) -> Result<(), String> {
    let most = Event::MAX_NEW_SHIFTS;
    if count > most { Err(format!("must not have more than {most} items")) } else { Ok(()) }
}

/// The number is not a coordinate of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("must be between -{bound} and {bound}")]
pub struct CoordinateError {
    bound: f64,
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
            /// If it is out of bounds, or not a number.
            pub fn new(degrees: f64) -> Result<Self, CoordinateError> {
                let bound = $bound;
                (-bound..=bound).contains(&degrees).then_some(Self(degrees)).ok_or(CoordinateError { bound })
            }

            /// The value in degrees.
            pub const fn degrees(self) -> f64 {
                self.0
            }
        }

        impl TryFrom<f64> for $name {
            type Error = CoordinateError;

            fn try_from(degrees: f64) -> Result<Self, CoordinateError> {
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

/// The colours of a public page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
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

/// The name is not a theme's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "must be one of purple-indigo, ocean-blue, sunset-orange, forest-green, rose-pink, slate-charcoal, golden-hour, midnight"
)]
pub struct ThemeError;

impl Theme {
    /// Every theme.
    pub const ALL: [Self; 8] = [
        Self::PurpleIndigo,
        Self::OceanBlue,
        Self::SunsetOrange,
        Self::ForestGreen,
        Self::RosePink,
        Self::SlateCharcoal,
        Self::GoldenHour,
        Self::Midnight,
    ];

    /// The theme's name, as it is stored and written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PurpleIndigo => "purple-indigo",
            Self::OceanBlue => "ocean-blue",
            Self::SunsetOrange => "sunset-orange",
            Self::ForestGreen => "forest-green",
            Self::RosePink => "rose-pink",
            Self::SlateCharcoal => "slate-charcoal",
            Self::GoldenHour => "golden-hour",
            Self::Midnight => "midnight",
        }
    }
}

impl FromStr for Theme {
    type Err = ThemeError;

    fn from_str(name: &str) -> Result<Self, ThemeError> {
        Self::ALL.into_iter().find(|theme| theme.name() == name).ok_or(ThemeError)
    }
}

impl TryFrom<String> for Theme {
    type Error = ThemeError;

    fn try_from(name: String) -> Result<Self, ThemeError> {
        name.parse()
    }
}

impl From<Theme> for String {
    fn from(theme: Theme) -> Self {
        theme.name().to_owned()
    }
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
