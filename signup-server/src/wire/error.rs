//! Errors on the wire: every shape holds `message`.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use signup_core::Faults;

/// An error that needs no more than a sentence.
#[derive(Debug, Serialize)]
pub(crate) struct Message<'a> {
    pub(crate) message: &'a str,
}

/// An input with faults: the first of them, how many more, and all of them by field.
#[derive(Debug, Serialize)]
pub(crate) struct Validation<'a> {
    message: String,
    errors: ByField<'a>,
}

impl<'a> Validation<'a> {
    pub(crate) fn new(faults: &'a Faults) -> Self {
        Self { message: faults.to_string(), errors: ByField(faults) }
    }
}

#[derive(Debug)]
struct ByField<'a>(&'a Faults);

impl Serialize for ByField<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Faults of one field are found one after the other.
        let faults: Vec<_> = self.0.iter().collect();
        let mut map = serializer.serialize_map(None)?;
        for same_field in faults.chunk_by(|a, b| a.field == b.field) {
            let messages: Vec<_> = same_field.iter().map(|fault| &fault.message).collect();
            map.serialize_entry(&same_field[0].field, &messages)?;
        }
        map.end()
    }
}

/// The plan allows no more active events.
#[derive(Debug, Serialize)]
pub(crate) struct PlanLimit {
    message: String,
    error: &'static str,
    limit: Limit,
}

#[derive(Debug, Serialize)]
struct Limit {
    limit_type: &'static str,
    current_count: u32,
    max_allowed: u32,
}

impl PlanLimit {
    pub(crate) fn new(current_count: u32, max_allowed: u32) -> Self {
        Self {
            message: format!("The plan allows {max_allowed} active events, and {current_count} are active."),
            error: "plan_limit_reached",
            limit: Limit { limit_type: "active_events", current_count, max_allowed },
        }
    }
}
