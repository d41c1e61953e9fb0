//! Example programs. Run one with `cargo run -p signup-examples --example create_event`.
//!
//! - `create_event` creates an event from a JSON file, or prints every fault of the file.
//! - `duplicate_season` copies an event to twelve Saturdays.
//! - `season` copies a template to twelve Saturdays, publishes them, moves one, cancels one, and prints the coverage.
//! - `import_schedule` imports the shifts of several days from a CSV file over HTTP, and can be run every night.
//! - `list_events` reads all pages of events over HTTP, with a typed client to copy.
//! - `volunteers` signs volunteers up, and delivers the queued mails.
//! - `webhook_receiver` receives webhooks, verifies them and prints them.
//! - `embed_in_tests` uses the memory store and a fixed clock in the tests of another program.
//! - `wrapped_store` logs the calls of any store, and injects faults.

/// Compiles and runs the programs in the repository's README as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::process::{Command, Output};

    /// Returns the command of an example. `cargo test` builds the examples before it runs these tests.
    fn command(example: &str) -> Command {
        let test = std::env::current_exe().unwrap();
        let examples = test.parent().and_then(Path::parent).unwrap().join("examples");
        let mut command = Command::new(examples.join(example));
        command.current_dir(env!("CARGO_MANIFEST_DIR")).env_remove("SIGNUP_URL").env_remove("SIGNUP_TOKEN");
        command
    }

    fn run(example: &str, arguments: &[&Path]) -> Output {
        let output = command(example).args(arguments).output();
        output.unwrap_or_else(|error| panic!("{example}, which `cargo test` builds: {error}"))
    }

    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }

    /// Runs each example without arguments and checks its output. `embed_in_tests` and `wrapped_store` are missing here:
    /// `cargo test` builds them as tests, and each has a test that runs its `main`. A test of the server runs
    /// `webhook_receiver`, which needs deliveries.
    #[test]
    fn every_example_runs() {
        for (example, expected) in [
            ("create_event", "Packing"),
            ("duplicate_season", "12 copies"),
            ("season", "2027-05-22: needs 3 of 3: 2 for Packing, 1 for Loading"),
            ("import_schedule", "schedule.csv: 60 new, 0 changed, 0 unchanged"),
            ("import_schedule", "schedule.csv: 0 new, 0 changed, 60 unchanged"),
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

    /// Imports CSV files with these names and lines into the event of one server. Returns the lines of both outputs, without
    /// the folders of the files, and checks that there were faults or none.
    fn import(files: &[(&str, &[&str])], has_faults: bool) -> [Vec<String>; 2] {
        let folder = tempfile::tempdir().unwrap();
        let paths: Vec<_> = files.iter().map(|(name, _)| folder.path().join(name)).collect();
        for (path, (_, lines)) in paths.iter().zip(files) {
            let header = "\u{feff}day,start,end,title,place,places,minimum,description,id\r\n";
            std::fs::write(path, format!("{header}{}\r\n", lines.join("\r\n"))).unwrap();
        }
        let output = run("import_schedule", &paths.iter().map(PathBuf::as_path).collect::<Vec<_>>());
        let prefix = format!("{}/", folder.path().display());
        let outputs = [&output.stdout, &output.stderr].map(|bytes| {
            text(bytes).lines().filter_map(|line| line.strip_prefix(&prefix)).map(str::to_owned).collect()
        });
        assert_eq!(output.status.code(), Some(has_faults.into()), "{}", text(&output.stderr));
        outputs
    }

    #[test]
    fn import_schedule_changes_only_what_another_file_says() {
        let friday = "2027-07-02,16:00,20:00,Gate,,6,3,,fri";
        let night =
            "2027-07-03,22:00,06:00,Night watch,Pier 3,2,,\"Bring a torch,\nand a \"\"coat\"\".\",night";
        let saturday = "2027-07-03,09:00,12:00,Bar,,4,,,sat";
        let more = "2027-07-03,09:00,12:00,Bar,,5,,,sat";
        let sunday = "2027-07-04,09:00,24:00, Clean-up ,,20,,,sun";
        let earlier = "2027-07-03,09:00,24:00,Clean-up,,20,,,sun";
        let [out, _] = import(
            &[
                ("all", &[friday, night, saturday, sunday]),
                ("again", &[sunday, night, "", saturday, friday]),
                ("changed", &[friday, night, more, sunday]),
                ("no last day", &[friday, night, more]),
                ("no first day", &[night, more, sunday]),
                ("moved", &[friday, night, more, earlier]),
                ("moved again", &[friday, night, more, earlier]),
            ],
            false,
        );
        assert_eq!(
            out,
            [
                "all: 4 new, 0 changed, 0 unchanged",
                "all: the event now ends on 2027-07-04",
                "again: 0 new, 0 changed, 4 unchanged",
                "changed: 0 new, 1 changed, 3 unchanged",
                "no last day: 0 new, 0 changed, 3 unchanged",
                "no last day: no line for sun (Clean-up)",
                "no first day: 0 new, 0 changed, 3 unchanged",
                "no first day: no line for fri (Gate)",
                "moved: 0 new, 1 changed, 3 unchanged",
                "moved: the event now ends on 2027-07-03",
                "moved again: 0 new, 0 changed, 4 unchanged",
            ]
        );
    }

    #[test]
    fn import_schedule_shows_every_fault_with_its_line() {
        let gate = "2027-07-02,16:00,20:00,Gate,,6,3,,fri";
        let long = format!("2027-07-02,16:00,20:00,{},,6,3,,long", "x".repeat(256));
        let [out, err] = import(
            &[
                (
                    "file",
                    &[
                        "tomorrow,9:00,25:00,,,many,few,,a",
                        "",
                        "2027-07-01,09:00,10:00,B,,1,,,a",
                        "2027-07-02,09:00,10:00,C,,1,,d",
                        "2027-07-02,,,C,,,,,",
                        "2027-07-02T12:00,09:00,10:00,D,,1,,,e",
                    ],
                ),
                (
                    "quotes",
                    &[gate, "2027-07-02,09:00,10:00,B,,1,,\"one,b", "2027-07-02,09:00,10:00,C,,1,,\"two,c"],
                ),
                ("no lines", &[]),
                ("valid", &[gate]),
                ("server", &[gate, &long, "2027-07-02,16:00,20:00,Bar,,6,0,,bar"]),
                ("too far", &[gate, "2072-07-02,16:00,20:00,Bar,,6,,,bar"]),
                (
                    "server in part",
                    &["2027-07-02,16:00,20:00,Gate,,6,0,,fri", "2027-07-02,16:00,20:00,Bar,,6,,,bar"],
                ),
            ],
            true,
        );
        assert_eq!(
            err,
            [
                "file: line 2: title is empty",
                "file: line 2: day \"tomorrow\" is not a date such as 2027-07-02",
                "file: line 2: start \"9:00\" is not a time such as 09:00",
                "file: line 2: end \"25:00\" is not a time such as 09:00",
                "file: line 2: places \"many\" is not a whole number",
                "file: line 2: minimum \"few\" is not a whole number",
                "file: line 4: day 2027-07-01 is before the first day of the event, 2027-07-02",
                "file: line 4: the id \"a\" is that of line 2, too",
                "file: line 5: 8 values instead of 9",
                "file: line 6: id is empty",
                "file: line 6: start \"\" is not a time such as 09:00",
                "file: line 6: end \"\" is not a time such as 09:00",
                "file: line 6: places \"\" is not a whole number",
                "file: line 7: day \"2027-07-02T12:00\" is not a date such as 2027-07-02",
                "quotes: line 3: a value begins with a quotation mark and does not end with one",
                "no lines: line 2: no shift follows the names of the columns",
                "server: line 3: The shifts.0.title field must not be longer than 255 characters.",
                "server: line 4: The shifts.1.minimum field must be a whole number from 1 to 1000000.",
                "too far: line 3: The end_date field must not make the event longer than 366 days, the most that the plan allows.",
                "server in part: line 2: The minimum field must be a whole number from 1 to 1000000.",
            ]
        );
        assert_eq!(
            out,
            [
                "file: 0 new, 0 changed, 0 unchanged",
                "quotes: 0 new, 0 changed, 0 unchanged",
                "no lines: 0 new, 0 changed, 0 unchanged",
                "valid: 1 new, 0 changed, 0 unchanged",
                "server: 0 new, 0 changed, 1 unchanged",
                "too far: 0 new, 0 changed, 1 unchanged",
                "server in part: 1 new, 0 changed, 0 unchanged",
            ]
        );
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
