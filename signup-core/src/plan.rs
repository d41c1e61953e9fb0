//! Plans: the limits of an organization.

use serde::{Deserialize, Serialize};

use crate::text_form::names;

/// The plan of an organization. A [`PlanTable`] has the limits of each plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Plan {
    /// For evaluation.
    Free,
    /// For a public calendar.
    Calendar,
    /// For a small organization.
    Starter,
    /// For a large organization.
    Pro,
}

names! {
    /// Every plan, smallest first.
    Plan {
        Free => "free",
        Calendar => "calendar",
        Starter => "starter",
        Pro => "pro",
    }
}

/// The limits of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PlanLimits {
    /// The maximum number of requests of one token in a minute; at least 1.
    pub requests_per_minute: u32,
    /// The maximum number of active events of an organization.
    pub active_events: u32,
    /// The maximum number of days of an event, the first and the last included; at least 1.
    pub event_days: u32,
}

impl PlanLimits {
    /// Returns the highest limits. The other methods and the public fields set lower limits.
    ///
    /// ```
    /// use signup_core::{PlanLimits, PlanTable};
    ///
    /// let limits = PlanLimits::unlimited().requests_per_minute(600).event_days(31);
    /// let plans = PlanTable::uniform(limits);
    /// assert_eq!(plans.free.event_days, 31);
    /// ```
    pub const fn unlimited() -> Self {
        Self { requests_per_minute: u32::MAX, active_events: u32::MAX, event_days: u32::MAX }
    }

    /// Sets the maximum number of requests of one token in a minute.
    #[must_use]
    pub const fn requests_per_minute(self, requests: u32) -> Self {
        Self { requests_per_minute: requests, ..self }
    }

    /// Sets the maximum number of active events of an organization.
    #[must_use]
    pub const fn active_events(self, events: u32) -> Self {
        Self { active_events: events, ..self }
    }

    /// Sets the maximum number of days of an event.
    #[must_use]
    pub const fn event_days(self, days: u32) -> Self {
        Self { event_days: days, ..self }
    }
}

/// The limits of every plan. In JSON, an object with a field for each plan.
///
/// A [`Plan`] is a name that is stored with the organization. A [`PlanTable`] maps each name to limits. The table is
/// part of the process's configuration, so an operator can change limits without changing records.
///
/// These are the limits of [`PlanTable::default`], which a new [`Service`](crate::Service) has:
///
/// | plan | requests of a token in a minute | active events | days of an event |
/// |---|---|---|---|
/// | [`Free`](Plan::Free) | 30 | 5 | 7 |
/// | [`Calendar`](Plan::Calendar) | 30 | 25 | 31 |
/// | [`Starter`](Plan::Starter) | 120 | 100 | 92 |
/// | [`Pro`](Plan::Pro) | 300 | 1000 | 366 |
///
/// ```
/// use signup_core::{Plan, PlanTable};
///
/// let starter = PlanTable::default().limits(Plan::Starter);
/// assert_eq!((starter.requests_per_minute, starter.active_events, starter.event_days), (120, 100, 92));
/// ```
///
/// [`Service::with_plans`](crate::Service::with_plans) sets other limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PlanTable {
    /// Limits of [`Plan::Free`]. Its request rate also applies to callers without a valid token.
    pub free: PlanLimits,
    /// Limits of [`Plan::Calendar`].
    pub calendar: PlanLimits,
    /// Limits of [`Plan::Starter`].
    pub starter: PlanLimits,
    /// Limits of [`Plan::Pro`].
    pub pro: PlanLimits,
}

impl PlanTable {
    /// Creates a table with the same limits for every plan.
    pub const fn uniform(limits: PlanLimits) -> Self {
        Self { free: limits, calendar: limits, starter: limits, pro: limits }
    }

    /// Returns the limits of `plan`.
    pub const fn limits(&self, plan: Plan) -> PlanLimits {
        match plan {
            Plan::Free => self.free,
            Plan::Calendar => self.calendar,
            Plan::Starter => self.starter,
            Plan::Pro => self.pro,
        }
    }

    /// Returns the first plan that allows 0 requests a minute or 0 days, if there is one.
    pub fn unusable(&self) -> Option<Plan> {
        Plan::ALL.iter().copied().find(|&plan| {
            let limits = self.limits(plan);
            limits.requests_per_minute == 0 || limits.event_days == 0
        })
    }
}

impl Default for PlanTable {
    /// Returns the limits in the [table](PlanTable) of the type.
    fn default() -> Self {
        let limits = |requests_per_minute, active_events, event_days| PlanLimits {
            requests_per_minute,
            active_events,
            event_days,
        };
        Self {
            free: limits(30, 5, 7),
            calendar: limits(30, 25, 31),
            starter: limits(120, 100, 92),
            pro: limits(300, 1000, 366),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_plan_has_its_documented_limits() {
        let plans = PlanTable::default();
        for (plan, requests, events, days) in [
            (Plan::Free, 30, 5, 7),
            (Plan::Calendar, 30, 25, 31),
            (Plan::Starter, 120, 100, 92),
            (Plan::Pro, 300, 1000, 366),
        ] {
            let limits =
                PlanLimits { requests_per_minute: requests, active_events: events, event_days: days };
            assert_eq!(plans.limits(plan), limits, "{plan}");
        }
    }
}
