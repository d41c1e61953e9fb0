//! Plans: what an organization may do, and how much of it.
//!
//! A [`Plan`] is a name that is stored with the organization; a [`PlanTable`] gives each name its limits. The table
//! belongs to the process, so that an operator changes limits without touching records.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The plan of an organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Plan {
    /// For trying it out.
    Free,
    /// For a public calendar.
    Calendar,
    /// For a small organization.
    Starter,
    /// For a large one.
    Pro,
}

/// The name is not a plan's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be one of free, calendar, starter, pro")]
pub struct PlanError;

impl Plan {
    /// All plans, smallest first.
    pub const ALL: [Self; 4] = [Self::Free, Self::Calendar, Self::Starter, Self::Pro];

    /// The plan's name, as it is stored and written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Calendar => "calendar",
            Self::Starter => "starter",
            Self::Pro => "pro",
        }
    }
}

impl FromStr for Plan {
    type Err = PlanError;

    fn from_str(name: &str) -> Result<Self, PlanError> {
        Self::ALL.into_iter().find(|plan| plan.name() == name).ok_or(PlanError)
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a plan allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanLimits {
    /// Requests that one token may make in a minute; at least 1.
    pub requests_per_minute: u32,
    /// Events of an organization that may be active at once.
    pub active_events: u32,
    /// Days that one event may last, its first and last included; at least 1.
    pub event_days: u32,
}

/// The limits of every plan. In JSON: an object that names each plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanTable {
    /// Limits of [`Plan::Free`]; also the rate of callers without a valid token.
    pub free: PlanLimits,
    /// Limits of [`Plan::Calendar`].
    pub calendar: PlanLimits,
    /// Limits of [`Plan::Starter`].
    pub starter: PlanLimits,
    /// Limits of [`Plan::Pro`].
    pub pro: PlanLimits,
}

impl PlanTable {
    /// The limits of `plan`.
    pub const fn limits(&self, plan: Plan) -> PlanLimits {
        match plan {
            Plan::Free => self.free,
            Plan::Calendar => self.calendar,
            Plan::Starter => self.starter,
            Plan::Pro => self.pro,
        }
    }

    /// The first plan whose limits no request or no event could meet, if there is one.
    pub fn unusable(&self) -> Option<Plan> {
        Plan::ALL.into_iter().find(|&plan| {
            let limits = self.limits(plan);
            limits.requests_per_minute == 0 || limits.event_days == 0
        })
    }
}

impl Default for PlanTable {
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
