//! Programs to read and to run: `create_event` makes an event from a JSON file, `duplicate_season` copies one to twelve
//! Saturdays, `list_events` walks through pages over HTTP, and `embed_in_tests` shows the memory store and a fixed clock in
//! someone else's test. Run one with `cargo run -p signup-examples --example create_event`.

/// The programs of the repository's README, which the documentation tests compile and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    /// Each example runs with no argument and shows what it is there to show. `cargo test` has built them, next to this test;
    /// `embed_in_tests` it has built as the test that it is, which runs the program as well.
    #[test]
    fn every_example_runs() {
        let test = std::env::current_exe().unwrap();
        let examples = test.parent().and_then(Path::parent).unwrap().join("examples");
        for (example, shows) in [
            ("create_event", "Packing"),
            ("duplicate_season", "12 copies"),
            ("list_events", "7 events on 4 pages"),
        ] {
            let output =
                Command::new(examples.join(example)).current_dir(env!("CARGO_MANIFEST_DIR")).output();
            let output =
                output.unwrap_or_else(|error| panic!("{example}, which `cargo test` builds: {error}"));
            let (out, err) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success(), "{example}: {err}");
            assert!(out.contains(shows), "{example} shows: {out}");
        }
    }
}
