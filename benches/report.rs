//! The results of a part. They are printed line by line, and saved as JSON under `target/` for the final table.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use signup_core::{Clock as _, SystemClock};

use crate::growth::Growth;

/// The unit of both figures of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Calls per second: more is better.
    PerSecond,
    /// Microseconds per call: less is better.
    Microseconds,
    /// Milliseconds: less is better.
    Milliseconds,
    /// Megabytes of memory: less is better.
    Megabytes,
    /// Standard deviations of a statistic: less is closer to what chance explains.
    StandardDeviations,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::PerSecond => "/s",
            Self::Microseconds => "µs",
            Self::Milliseconds => "ms",
            Self::Megabytes => "MB",
            Self::StandardDeviations => "σ",
        })
    }
}

/// The goal of a ratio.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Goal {
    /// The minimum of the ratio.
    AtLeast(f64),
    /// The maximum of the ratio.
    AtMost(f64),
}

impl Goal {
    fn is_met(self, ratio: f64) -> bool {
        match self {
            Self::AtLeast(least) => ratio >= least,
            Self::AtMost(most) => ratio <= most,
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self {
            Self::AtLeast(least) => format!("≥ {least}"),
            Self::AtMost(most) => format!("≤ {most}"),
        })
    }
}

/// Percentiles of the latencies of all rounds together, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Latencies {
    /// The median.
    pub p50: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The 99.9th percentile. `None` if there are too few answers.
    pub p999: Option<f64>,
}

/// A figure of the service and its limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// The operation that is measured, which is the name of the line.
    pub work: String,
    /// The name of the limit, which is measured in the same run.
    pub limit: String,
    /// The unit of both figures.
    pub unit: Unit,
    /// The figure of the service: the median of its rounds if the part has rounds.
    pub ours: f64,
    /// The figure of the limit, if there is a limit.
    pub theirs: Option<f64>,
    /// The goal of `ours` divided by `theirs`, if there is a goal.
    pub goal: Option<Goal>,
    /// The latencies of the service's answers, if the part measures them.
    pub latencies: Option<Latencies>,
}

impl Line {
    fn ratio(&self) -> Option<f64> {
        self.theirs.map(|theirs| self.ours / theirs)
    }

    /// Returns whether the ratio misses its goal.
    pub fn is_missed(&self) -> bool {
        self.goal.zip(self.ratio()).is_some_and(|(goal, ratio)| !goal.is_met(ratio))
    }

    /// Prints the heading of the columns.
    pub fn print_heading() {
        println!(
            "{:<54} {:<36} {:>9} {:>9}    {:>6} {:>6}   {:>9} {:>8} {:>8}",
            "work", "limit", "ours", "limit", "ratio", "goal", "ours: p50", "p99", "p99.9 ms"
        );
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { work, limit, unit, ours, theirs, goal, latencies } = self;
        // Rates are large, so they need no decimals.
        let digits = match unit {
            Unit::PerSecond => 0,
            Unit::Microseconds | Unit::Milliseconds | Unit::StandardDeviations => 2,
            Unit::Megabytes => 1,
        };
        let theirs = theirs.map(|theirs| format!("{theirs:.digits$}")).unwrap_or_default();
        let ratio = self.ratio().map(|ratio| format!("{ratio:.2}")).unwrap_or_default();
        let goal = goal.map(|goal| goal.to_string()).unwrap_or_default();
        let mark = if self.is_missed() { '!' } else { ' ' };
        write!(f, "{work:<54} {limit:<36} {ours:>9.digits$} {theirs:>9} {unit} {ratio:>6} {goal:>6} {mark}")?;
        match latencies {
            Some(Latencies { p50, p99, p999 }) => {
                let p999 = p999.map_or("-".to_owned(), |p999| format!("{p999:.2}"));
                write!(f, "  {p50:>8.2} {p99:>8.2} {p999:>8}")
            }
            None => Ok(()),
        }
    }
}

/// Returns the folder of the results in the build's target folder, and creates the folder.
pub fn folder() -> PathBuf {
    // The path of this program is `target/release/deps/…`.
    let target = std::env::current_exe().unwrap().ancestors().nth(3).unwrap().to_owned();
    let folder = target.join("signup-benches");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The results of a part of the benchmarks.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// The name of the part and of its bench target.
    pub part: String,
    /// The lines of the part.
    pub lines: Vec<Line>,
    /// The growth of costs, if the part measures growth.
    pub growth: Vec<Growth>,
    /// The start of the run.
    pub began_at: Timestamp,
    /// The duration of the run.
    pub seconds: f64,
    #[serde(skip)]
    began: Option<Instant>,
}

impl Report {
    /// The names of the parts in the order of execution. Cargo sorts bench targets by name.
    pub const PARTS: [&str; 5] = ["contention", "http", "load", "rules", "store"];

    /// Starts the report of a part.
    pub fn begin(part: &str) -> Self {
        Self {
            part: part.to_owned(),
            lines: vec![],
            growth: vec![],
            began_at: SystemClock.now(),
            seconds: 0.0,
            began: Some(Instant::now()),
        }
    }

    /// Prints a line and adds it to the report.
    pub fn add(&mut self, line: Line) {
        if self.lines.is_empty() {
            println!("\n{}", self.part);
            Line::print_heading();
        }
        println!("{line}");
        self.lines.push(line);
    }

    /// Saves the report, in place of the report of an earlier run.
    pub fn end(mut self) {
        self.seconds = self.began.map_or(0.0, |began| began.elapsed().as_secs_f64());
        println!("{} took {:.0} s", self.part, self.seconds);
        std::fs::write(Self::file(&self.part), serde_json::to_vec_pretty(&self).unwrap()).unwrap();
    }

    /// Reads the report of the last complete run of a part. `None` if there is none, or if its format is that of another
    /// version.
    pub fn read(part: &str) -> Option<Self> {
        let json = std::fs::read(Self::file(part)).ok()?;
        serde_json::from_slice(&json).ok()
    }

    fn file(part: &str) -> PathBuf {
        folder().join(format!("{part}.json"))
    }
}
