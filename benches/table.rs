//! Prints one table of the last complete run of each part. Runs at the end of `cargo bench -p signup-benches`.
//!
//! Cargo runs bench targets by name, and this name sorts last. Parts can run alone on different days, so the table contains
//! the time of each part's run.

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
        println!("no complete run of {part}");
    }
    match reports.iter().flat_map(|report| &report.lines).filter(|line| line.is_missed()).count() {
        0 => println!("all goals are met"),
        missed => println!("missed goals: {missed}, marked with !"),
    }
}
