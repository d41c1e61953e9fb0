//! One table of what all parts found, each when it last ran to its end: the last part of `cargo bench -p signup-benches`.
//!
//! Cargo runs bench targets by name, and this name comes last. Parts that ran by themselves may be of different days, so
//! each says when it was measured.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use signup_benches::{Line, Report, folder};

fn main() {
    let reports: Vec<_> = Report::PARTS.into_iter().filter_map(Report::read).collect();
    println!();
    Line::print_heading();
    for Report { part, lines, began_at, seconds, .. } in &reports {
        println!("{part}, measured {} in {seconds:.0} s", began_at.strftime("%F %T UTC"));
        for line in lines {
            println!("{line}");
        }
    }
    for growth in reports.iter().flat_map(|report| &report.growth) {
        println!("\n{growth}");
    }
    println!("\nfigures and plots are in {}", folder().display());
    let total = reports.iter().fold(0.0, |total, report| total + report.seconds);
    println!("{total:.0} s in all");
    for part in Report::PARTS.into_iter().filter(|part| reports.iter().all(|report| report.part != *part)) {
        println!("{part} has not run to its end");
    }
    match reports.iter().flat_map(|report| &report.lines).filter(|line| line.is_missed()).count() {
        0 => println!("all that is asked is met"),
        missed => println!("missed: {missed}, marked with !"),
    }
}
