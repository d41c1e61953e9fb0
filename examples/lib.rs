//! Programs to read and to run: `create_event` makes an event from a JSON file, `duplicate_season` copies one to twelve
//! Saturdays, `list_events` walks through pages over HTTP, and `embed_in_tests` shows the memory store and a fixed clock in
//! someone else's test. Run one with `cargo run -p signup-examples --example create_event`.

#[cfg(test)]
mod tests {
    use std::process::Command;

    /// Each example runs with no argument and shows what it is there to show.
    #[test]
    fn every_example_runs() {
        for (example, shows) in [
            ("create_event", "Packing"),
            ("duplicate_season", "12 events"),
            ("list_events", "7 events on 4 pages"),
            ("embed_in_tests", "still room"),
        ] {
            let output = Command::new(env!("CARGO"))
                .args(["run", "-q", "-p", "signup-examples", "--example", example])
                .output()
                .unwrap();
            let (out, err) =
                (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success(), "{example}: {err}");
            assert!(out.contains(shows), "{example} shows: {out}");
        }
    }
}
