//! What a part found: printed line by line, and kept as JSON under `target/`, so that the last part can print one table.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use signup_core::{Clock as _, SystemClock};

use crate::growth::Growth;

/// In what a line is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Calls a second: more is better.
    PerSecond,
    /// Microseconds a call: less is better.
    Microseconds,
    /// Milliseconds: less is better.
    Milliseconds,
    /// Megabytes of memory: less is better.
    Megabytes,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::PerSecond => "/s",
            Self::Microseconds => "µs",
            Self::Milliseconds => "ms",
            Self::Megabytes => "MB",
        })
    }
}

/// What is asked of a ratio.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Asked {
    /// So much of the limit, or more.
    AtLeast(f64),
    /// So many times the limit, or fewer.
    AtMost(f64),
}

impl Asked {
    fn is_met(self, ratio: f64) -> bool {
        match self {
            Self::AtLeast(least) => ratio >= least,
            Self::AtMost(most) => ratio <= most,
        }
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self {
            Self::AtLeast(least) => format!("≥ {least}"),
            Self::AtMost(most) => format!("≤ {most}"),
        })
    }
}

/// How long callers waited, in milliseconds, of all rounds together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Latencies {
    /// Half of them no longer than this.
    pub p50: f64,
    /// All but one in a hundred.
    pub p99: f64,
    /// All but one in a thousand, if they were many enough to say so.
    pub p999: Option<f64>,
}

/// A figure beside its limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// What was done.
    pub work: String,
    /// What it is compared with, measured in the same run.
    pub limit: String,
    /// Of both figures.
    pub unit: Unit,
    /// The service's figure: the median of its rounds, if there were any.
    pub ours: f64,
    /// The limit's, if there is one.
    pub theirs: Option<f64>,
    /// What is asked of the one divided by the other, if anything.
    pub asked: Option<Asked>,
    /// Of the service's callers, if they were many.
    pub latencies: Option<Latencies>,
}

impl Line {
    fn ratio(&self) -> Option<f64> {
        self.theirs.map(|theirs| self.ours / theirs)
    }

    /// Whether it falls short of what is asked.
    pub fn is_missed(&self) -> bool {
        self.asked.zip(self.ratio()).is_some_and(|(asked, ratio)| !asked.is_met(ratio))
    }

    /// Prints what stands above the columns.
    pub fn print_heading() {
        println!(
            "{:<46} {:<36} {:>9} {:>9}    {:>6} {:>6}   {:>9} {:>8} {:>8}",
            "work", "limit", "ours", "limit", "ratio", "asked", "ours: p50", "p99", "p99.9 ms"
        );
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { work, limit, unit, ours, theirs, asked, latencies } = self;
        // Rates are large; times and sizes may be small.
        let digits = match unit {
            Unit::PerSecond => 0,
            Unit::Microseconds | Unit::Milliseconds => 2,
            Unit::Megabytes => 1,
        };
        let theirs = theirs.map(|theirs| format!("{theirs:.digits$}")).unwrap_or_default();
        let ratio = self.ratio().map(|ratio| format!("{ratio:.2}")).unwrap_or_default();
        let asked = asked.map(|asked| asked.to_string()).unwrap_or_default();
        let mark = if self.is_missed() { '!' } else { ' ' };
        write!(
            f,
            "{work:<46} {limit:<36} {ours:>9.digits$} {theirs:>9} {unit} {ratio:>6} {asked:>6} {mark}"
        )?;
        match latencies {
            Some(Latencies { p50, p99, p999 }) => {
                let p999 = p999.map_or("-".to_owned(), |p999| format!("{p999:.2}"));
                write!(f, "  {p50:>8.2} {p99:>8.2} {p999:>8}")
            }
            None => Ok(()),
        }
    }
}

/// Where results are kept: a folder of its own in the build's target folder.
pub fn folder() -> PathBuf {
    // This program is `target/release/deps/…`.
    let target = std::env::current_exe().unwrap().ancestors().nth(3).unwrap().to_owned();
    let folder = target.join("signup-benches");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// What a part of the benchmarks found.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// The part's name, which is its target's.
    pub part: String,
    /// Its lines.
    pub lines: Vec<Line>,
    /// How costs grow, if the part says so.
    pub growth: Vec<Growth>,
    /// When it began.
    pub began_at: Timestamp,
    /// How long it ran.
    pub seconds: f64,
    #[serde(skip)]
    began: Option<Instant>,
}

impl Report {
    /// The parts in the order in which they run: cargo goes by the names of its targets.
    pub const PARTS: [&str; 4] = ["http", "load", "rules", "store"];

    /// Begins a part.
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

    /// Prints a line, and keeps it.
    pub fn add(&mut self, line: Line) {
        if self.lines.is_empty() {
            println!("\n{}", self.part);
            Line::print_heading();
        }
        println!("{line}");
        self.lines.push(line);
    }

    /// Ends the part, and keeps what it found in place of what an earlier run had found.
    pub fn end(mut self) {
        self.seconds = self.began.map_or(0.0, |began| began.elapsed().as_secs_f64());
        println!("{} took {:.0} s", self.part, self.seconds);
        std::fs::write(Self::file(&self.part), serde_json::to_vec_pretty(&self).unwrap()).unwrap();
    }

    /// What a part found when it last ran to its end. What an older program has left and this one cannot read is nothing.
    pub fn read(part: &str) -> Option<Self> {
        let json = std::fs::read(Self::file(part)).ok()?;
        serde_json::from_slice(&json).ok()
    }

    fn file(part: &str) -> PathBuf {
        folder().join(format!("{part}.json"))
    }
}
