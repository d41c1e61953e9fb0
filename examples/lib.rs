//! Example programs. Run one with `cargo run -p signup-examples --example create_event`.
//!
//! - `create_event` creates an event from a JSON file, or prints every fault of the file.
//! - `duplicate_season` copies an event to twelve Saturdays.
//! - `season` copies a template to twelve Saturdays, publishes them, moves one, cancels one, and prints the coverage.
//! - `list_events` reads all pages of events over HTTP, with a typed client to copy.
//! - `volunteers` signs volunteers up, and delivers the queued mails.
//! - `webhook_receiver` receives webhooks, verifies them and prints them.
//! - `embed_in_tests` uses the memory store and a fixed clock in the tests of another program.
//! - `own_store` implements a store that passes the conformance suite, and a wrapper that injects faults.

/// Compiles and runs the programs in the repository's README as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::{Command, Output};

    /// Returns the command of an example. `cargo test` builds the examples before it runs these tests.
    fn command(example: &str) -> Command {
        let test = std::env::current_exe().unwrap();
        let examples = test.parent().and_then(Path::parent).unwrap().join("examples");
        let mut command = Command::new(examples.join(example));
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        command
    }

    fn run(example: &str, arguments: &[&Path]) -> Output {
        let output = command(example).args(arguments).output();
        output.unwrap_or_else(|error| panic!("{example}, which `cargo test` builds: {error}"))
    }

    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// Runs each example without arguments and checks its output. `embed_in_tests` and `own_store` are missing here:
    /// `cargo test` builds them as tests, and each has a test that runs its `main`. A test of the server runs
    /// `webhook_receiver`, which needs deliveries.
    #[test]
    fn every_example_runs() {
        for (example, expected) in [
            ("create_event", "Packing"),
            ("duplicate_season", "12 copies"),
            ("season", "2027-05-22: needs 3 of 3: 2 for Packing, 1 for Loading"),
            ("list_events", "7 events on 4 pages"),
            ("volunteers", "A mail to eve@example.org tells of a changed time or place."),
        ] {
            let output = run(example, &[]);
            let (out, err) = (text(&output.stdout), text(&output.stderr));
            assert!(output.status.success(), "{example}: {err}");
            assert!(out.contains(expected), "{example} printed: {out}");
        }
    }

    #[test]
    fn a_faulty_or_missing_file_ends_create_event_with_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let (faulty, missing) = (folder.path().join("faulty.json"), folder.path().join("missing.json"));
        std::fs::write(&faulty, r#"{"title": "A", "start_date": "soon", "timezone": "UTC"}"#).unwrap();
        for (file, says) in [(&faulty, "start_date"), (&faulty, "faulty.json"), (&missing, "missing.json")] {
            let output = run("create_event", &[file]);
            let error = text(&output.stderr);
            assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(1), ""), "{error}");
            assert!(error.contains(says), "{error}");
        }
    }

    /// Compares the output of two runs. A second event would have a slug with another random end.
    #[test]
    fn a_second_run_of_create_event_creates_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("event.json");
        let database = folder.path().join("signup.db");
        let [first, second] = [(); 2].map(|()| run("create_event", &[&file, &database]));
        assert!(first.status.success(), "{}", text(&first.stderr));
        let (first, second) = (text(&first.stdout), text(&second.stdout));
        assert!(second.starts_with("Created already: "), "{second}");
        assert_eq!(second.replace("Created already: ", "Created: "), first);
    }

    #[test]
    fn an_edited_file_with_the_same_name_creates_another_event() {
        let folder = tempfile::tempdir().unwrap();
        let (file, database) = (folder.path().join("event.json"), folder.path().join("signup.db"));
        for title in ["Packing", "Loading"] {
            let json = format!(r#"{{"title": "{title}", "start_date": "2027-03-13", "timezone": "UTC"}}"#);
            std::fs::write(&file, json).unwrap();
            let output = run("create_event", &[&file, &database]);
            let (out, err) = (text(&output.stdout), text(&output.stderr));
            assert!(out.starts_with(&format!("Created: {title} (")), "{out}{err}");
        }
    }

    #[test]
    fn a_file_that_was_broken_after_its_first_run_ends_create_event_with_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let (file, database) = (folder.path().join("event.json"), folder.path().join("signup.db"));
        std::fs::write(&file, r#"{"title": "A", "start_date": "2027-03-13", "timezone": "UTC"}"#).unwrap();
        assert!(run("create_event", &[&file, &database]).status.success());
        std::fs::write(&file, r#"{"title": "A", "start_date": "2027-03-13", "#).unwrap();
        let output = run("create_event", &[&file, &database]);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
        assert!(text(&output.stderr).contains("no event was created"), "{}", text(&output.stderr));
    }

    #[test]
    fn one_variable_of_list_events_without_the_other_is_an_error() {
        for (set, missing) in [("SIGNUP_URL", "SIGNUP_TOKEN"), ("SIGNUP_TOKEN", "SIGNUP_URL")] {
            let output = command("list_events").env(set, "value").env_remove(missing).output().unwrap();
            let error = text(&output.stderr);
            assert!(!output.status.success(), "{}", text(&output.stdout));
            assert!(error.contains(missing), "{error}");
        }
    }
}
