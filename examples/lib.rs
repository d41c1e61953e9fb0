//! Example programs. Run one with `cargo run -p signup-examples --example create_event`.
//!
//! - `create_event` creates an event from a JSON file.
//! - `duplicate_season` copies an event to twelve Saturdays.
//! - `list_events` reads all pages of events over HTTP.
//! - `embed_in_tests` uses the memory store and a fixed clock in the tests of another program.

/// The programs of the repository's README, which the documentation tests compile and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    /// Runs each example without arguments and checks its output.
    ///
    /// `cargo test` builds the examples before it runs this test. It builds `embed_in_tests` as a test, which runs
    /// `main` itself.
    #[test]
    fn every_example_runs() {
        let test = std::env::current_exe().unwrap();
        let examples = test.parent().and_then(Path::parent).unwrap().join("examples");
        for (example, expected) in [
            ("create_event", "Packing"),
            ("duplicate_season", "12 copies"),
            ("list_events", "7 events on 4 pages"),
            ("volunteers", "A mail to eve@example.org tells of other hours."),
        ] {
            let output =
                Command::new(examples.join(example)).current_dir(env!("CARGO_MANIFEST_DIR")).output();
            let output =
                output.unwrap_or_else(|error| panic!("{example}, which `cargo test` builds: {error}"));
            let (out, err) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success(), "{example}: {err}");
            assert!(out.contains(expected), "{example} printed: {out}");
        }
    }
}
