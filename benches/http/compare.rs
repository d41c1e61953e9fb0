//! A load on the server beside loads on its limits, a round of each in turn.

use signup_benches::{Asked, Latencies, Line, ROUNDS, Report, Unit, in_turn, median};

use crate::load::{Figures, Load};
use crate::process::Process;
use crate::request::Request;
use crate::times::Times;

/// What a comparison is about: of each side the median of its rounds.
#[derive(Clone, Copy)]
pub(crate) enum By {
    /// Answers a second.
    Rate,
    /// How long all but one in a hundred waited at most.
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

/// The rounds of a load.
pub(crate) struct Side(Vec<Figures>);

/// Rounds of each load in turn, for whoever makes several lines of them.
pub(crate) fn sides<const N: usize>(loads: [Load; N]) -> [Side; N] {
    let mut rounds = in_turn(ROUNDS, &loads, Load::for_a_round).into_iter();
    loads.map(|_| Side(rounds.next().unwrap()))
}

impl Side {
    fn figure(&self, by: By) -> f64 {
        median(self.0.iter().map(|round| by.of(round)).collect(), |figure| *figure)
    }

    /// Of all rounds together: one has too few answers to say something of the slowest.
    fn latencies(&self) -> Latencies {
        let mut times = Times::none();
        for round in &self.0 {
            times.add(&round.times);
        }
        times.latencies()
    }

    /// A line: this beside its limit, which is `what`.
    pub(crate) fn beside(&self, limit: &Self, work: &str, by: By, what: &str, asked: Option<Asked>) -> Line {
        Line {
            work: work.to_owned(),
            limit: what.to_owned(),
            unit: by.unit(),
            ours: self.figure(by),
            theirs: Some(limit.figure(by)),
            asked,
            latencies: Some(self.latencies()),
        }
    }
}

/// A limit: what it is, what is asked of the ratio if anything, and the load that finds it.
pub(crate) struct Limit<'a> {
    what: &'a str,
    asked: Option<Asked>,
    load: Load,
    /// What listens for the load, if it is no site.
    _process: Option<Process>,
}

impl<'a> Limit<'a> {
    pub(crate) const fn new(what: &'a str, asked: Asked, load: Load) -> Self {
        Self { what, asked: Some(asked), load, _process: None }
    }

    /// What a bare program makes of a request.
    pub(crate) fn bare(what: &'a str, asked: Option<Asked>, arguments: &[&str], request: Request) -> Self {
        let process = Process::bare(arguments);
        Self { what, asked, load: Load::new(process.port, vec![request]), _process: Some(process) }
    }
}

/// The lines that are wanted, and what was found.
pub(crate) struct Bench {
    report: Report,
    filter: Option<String>,
}

impl Bench {
    pub(crate) fn new(filter: Option<String>) -> Self {
        Self { report: Report::begin("http"), filter }
    }

    /// Whether any of these works is wanted.
    pub(crate) fn wants(&self, works: &[&str]) -> bool {
        self.filter.as_ref().is_none_or(|filter| works.iter().any(|work| work.contains(filter.as_str())))
    }

    /// Adds a line, if it is wanted: those that were measured along with it may not be.
    pub(crate) fn add(&mut self, line: Line) {
        if self.wants(&[&line.work]) {
            self.report.add(line);
        }
    }

    /// Measures a work beside its limits, which are made only if the work is wanted.
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
            self.add(ours.beside(&theirs, work, by, limit.what, limit.asked));
        }
    }

    /// Ends the part. What a filter left over is not kept: it would stand in the table for the whole.
    pub(crate) fn end(self) {
        if self.filter.is_none() {
            self.report.end();
        }
    }
}
