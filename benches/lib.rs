//! What the benchmarks share: rounds that alternate, and one table of all that was found.
//!
//! Figures mean something only as ratios of one run on one machine. So whatever is compared is measured in turn, a round of
//! each at a time, and what counts is the median: a machine that is busy for a while is equally unfair to both.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::missing_panics_doc, reason = "a benchmark that cannot go on ends")]

mod growth;
mod report;
mod rounds;

pub use growth::{Curve, Growth};
pub use report::{Asked, Latencies, Line, Report, Unit, folder};
pub use rounds::{ROUNDS, in_turn, median, per_call};

use signup_core::{EventInput, ShiftInput};

/// A draft with ten shifts for so many volunteers each.
pub fn draft(capacity: u32) -> EventInput<'static> {
    let shift = || ShiftInput {
        title: "Packing".into(),
        start_time: "09:00".into(),
        end_time: "12:00".into(),
        capacity: capacity.into(),
        ..ShiftInput::default()
    };
    EventInput {
        title: "Food drive".into(),
        start_date: "2099-06-05".into(),
        timezone: "America/New_York".into(),
        shifts: (0..10).map(|_| shift()).collect::<Vec<_>>().into(),
        ..EventInput::default()
    }
}
