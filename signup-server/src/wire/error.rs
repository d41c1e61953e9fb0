//! Errors on the wire: every shape holds `message`.

use std::io::{self, Write};

use signup_core::Faults;
use simd_json_derive::Serialize;

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
    fn json_write<W: Write>(&self, writer: &mut W) -> io::Result<()> {
        // Faults of one field are found one after the other.
        let faults: Vec<_> = self.0.iter().collect();
        let mut before = "{";
        for same_field in faults.chunk_by(|a, b| a.field == b.field) {
            let messages: Vec<_> = same_field.iter().map(|fault| &fault.message).collect();
            writer.write_all(before.as_bytes())?;
            same_field[0].field.json_write(writer)?;
            writer.write_all(b":")?;
            messages.json_write(writer)?;
            before = ",";
        }
        writer.write_all(if faults.is_empty() { b"{}" } else { b"}" })
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
