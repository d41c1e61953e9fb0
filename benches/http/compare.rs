//! A load on the server beside loads on its limits, a round of each in turn.

use signup_benches::{Asked, Line, Report, Unit, in_turn, median};

use crate::load::{Figures, Load};
use crate::process::Process;
use crate::request::Request;

/// What a comparison is about.
#[derive(Clone, Copy)]
pub(crate) enum By {
    /// Answers a second.
    Rate,
    /// How long all but one in a hundred waited at most.
    P99,
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

    pub(crate) fn add(&mut self, line: Line) {
        self.report.add(line);
    }

    /// Measures a work beside its limits, which are made only if the work is wanted.
    pub(crate) fn compare<'a>(&mut self, work: &str, by: By, sides: impl FnOnce() -> (Load, Vec<Limit<'a>>)) {
        if !self.wants(&[work]) {
            return;
        }
        let (ours, limits) = sides();
        let mut loads = vec![ours];
        loads.extend(limits.iter().map(|limit| limit.load.clone()));
        let (unit, figure): (_, fn(&Figures) -> f64) = match by {
            By::Rate => (Unit::PerSecond, |figures| figures.per_second),
            By::P99 => (Unit::Milliseconds, |figures| figures.latencies.p99),
        };
        let mut figures = in_turn(&loads, Load::for_a_round).into_iter().map(|rounds| median(rounds, figure));
        let ours = figures.next().unwrap();
        for (limit, theirs) in limits.iter().zip(figures) {
            self.add(Line {
                work: work.to_owned(),
                limit: limit.what.to_owned(),
                unit,
                ours: figure(&ours),
                theirs: Some(figure(&theirs)),
                asked: limit.asked,
                latencies: Some(ours.latencies),
            });
        }
    }

    /// Ends the part. What a filter left over is not kept: it would stand in the table for the whole.
    pub(crate) fn end(self) {
        if self.filter.is_none() {
            self.report.end();
        }
    }
}
