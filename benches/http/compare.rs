//! Comparison of a load on the server with loads on its limits, in alternating rounds.

use signup_benches::{Goal, Latencies, Line, ROUNDS, Report, Unit, in_turn, median};

use crate::load::{Figures, Load};
use crate::process::Process;
use crate::request::Request;
use crate::times::Times;

/// The figure that a comparison uses. The figure of a side is the median of its rounds.
#[derive(Clone, Copy)]
pub(crate) enum By {
    /// Answers per second.
    Rate,
    /// The 99th percentile of the latency.
    P99,
}

impl By {
    const fn unit(self) -> Unit {
        match self {
            Self::Rate => Unit::PerSecond,
            Self::P99 => Unit::Milliseconds,
        }
    }

    fn of(self, round: &Figures) -> f64 {
        match self {
            Self::Rate => round.per_second,
            Self::P99 => round.times.milliseconds(0.99),
        }
    }
}

/// The rounds of one load.
pub(crate) struct Side(Vec<Figures>);

/// Runs alternating rounds of the loads, for callers that make several lines of the same rounds.
pub(crate) fn sides<const N: usize>(loads: [Load; N]) -> [Side; N] {
    let mut rounds = in_turn(ROUNDS, &loads, Load::for_a_round).into_iter();
    loads.map(|_| Side(rounds.next().unwrap()))
}

impl Side {
    fn figure(&self, by: By) -> f64 {
        median(self.0.iter().map(|round| by.of(round)).collect(), |figure| *figure)
    }

    /// Returns the latencies of all rounds together. A single round has too few answers for the highest percentiles.
    fn latencies(&self) -> Latencies {
        let mut times = Times::none();
        for round in &self.0 {
            times.add(&round.times);
        }
        times.latencies()
    }

    /// Returns a line that compares this side with `limit`, which `what` describes.
    pub(crate) fn beside(&self, limit: &Self, work: &str, by: By, what: &str, goal: Option<Goal>) -> Line {
        Line {
            work: work.to_owned(),
            limit: what.to_owned(),
            unit: by.unit(),
            ours: self.figure(by),
            theirs: Some(limit.figure(by)),
            goal,
            latencies: Some(self.latencies()),
        }
    }
}

/// A limit: its description, the goal of the ratio if there is one, and the load that measures the limit.
pub(crate) struct Limit<'a> {
    what: &'a str,
    goal: Option<Goal>,
    load: Load,
    /// The bare program that answers the load. `None` if a site answers.
    _process: Option<Process>,
}

impl<'a> Limit<'a> {
    pub(crate) const fn new(what: &'a str, goal: Option<Goal>, load: Load) -> Self {
        Self { what, goal, load, _process: None }
    }

    /// Starts a bare program, which answers the requests.
    pub(crate) fn bare(
        what: &'a str,
        goal: Option<Goal>,
        arguments: &[&str],
        requests: Vec<Request>,
    ) -> Self {
        let process = Process::bare(arguments);
        Self { what, goal, load: Load::new(process.port, requests), _process: Some(process) }
    }

    pub(crate) fn with_connections(self, connections: usize) -> Self {
        Self { load: self.load.with_connections(connections), ..self }
    }
}

/// The report, and the filter that selects its lines.
pub(crate) struct Bench {
    report: Report,
    filter: Option<String>,
}

impl Bench {
    pub(crate) fn new(filter: Option<String>) -> Self {
        Self { report: Report::begin("http"), filter }
    }

    /// Returns whether the filter selects any of these lines.
    pub(crate) fn wants(&self, works: &[&str]) -> bool {
        self.filter.as_ref().is_none_or(|filter| works.iter().any(|work| work.contains(filter.as_str())))
    }

    /// Adds a line if the filter selects it. Lines of the same rounds have different names, so the filter may reject one.
    pub(crate) fn add(&mut self, line: Line) {
        if self.wants(&[&line.work]) {
            self.report.add(line);
        }
    }

    /// Measures a load and its limits if the filter selects `work`. Otherwise `sides` is not called.
    pub(crate) fn compare<'a>(&mut self, work: &str, by: By, sides: impl FnOnce() -> (Load, Vec<Limit<'a>>)) {
        if !self.wants(&[work]) {
            return;
        }
        let (ours, limits) = sides();
        let mut loads = vec![ours];
        loads.extend(limits.iter().map(|limit| limit.load.clone()));
        let mut sides = in_turn(ROUNDS, &loads, Load::for_a_round).into_iter().map(Side);
        let ours = sides.next().unwrap();
        for (limit, theirs) in limits.iter().zip(sides) {
            self.add(ours.beside(&theirs, work, by, limit.what, limit.goal));
        }
    }

    /// Ends the part. The results of a filtered run are not saved, because the final table shows complete parts only.
    pub(crate) fn end(self) {
        if self.filter.is_none() {
            self.report.end();
        }
    }
}
