//! What the benchmarks share: one event, rounds that alternate, and one table of all that was found.
//!
//! Figures mean something only as ratios of one run on one machine. So whatever is compared is measured in turn, a round of
//! each at a time, and what counts is the median: a machine that is busy for a while is equally unfair to both.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
#![expect(clippy::missing_panics_doc, reason = "a benchmark that cannot go on ends")]

pub mod event;
mod growth;
mod report;
mod rounds;

pub use growth::{Curve, Growth};
pub use report::{Asked, Latencies, Line, Report, Unit, folder};
pub use rounds::{ROUNDS, in_turn, median, per_call};
