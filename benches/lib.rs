//! Shared parts of the benchmarks: one event, alternating rounds, and the report.
//!
//! Absolute figures depend on the machine and on its other load. Ratios of one run are comparable. So the sides of a
//! comparison run in alternating rounds, and the figure of a side is the median of its rounds.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::missing_panics_doc, reason = "a benchmark that cannot go on ends")]

pub mod event;
mod growth;
mod report;
mod rounds;

pub use growth::{Curve, Growth};
pub use report::{Goal, Latencies, Line, Report, Unit, folder};
pub use rounds::{ROUNDS, in_turn, median, per_call};
