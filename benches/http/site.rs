//! Processes: the real server with an organization to ask about, and the bare programs.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::load::Load;

/// Builds the server that is measured, with the options of this benchmark.
pub(crate) fn build() {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "--quiet", "-p", "signup-server", "--manifest-path"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml"))
        .status()
        .unwrap();
    assert!(built.success(), "the server could not be built");
}

fn server() -> PathBuf {
    // This program is in target/release/deps.
    std::env::current_exe().unwrap().parent().unwrap().parent().unwrap().join("signup-server")
}

/// A process that listens. It ends with the benchmark.
pub(crate) struct Process {
    child: Child,
    pub(crate) port: u16,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Process {
    fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, port: 0, lines }
    }

    /// The next line that begins so, without its beginning.
    fn line(&mut self, beginning: &str) -> String {
        self.lines.find_map(|line| Some(line.unwrap().strip_prefix(beginning)?.to_owned())).unwrap()
    }

    /// A bare program, which is this one in another role.
    pub(crate) fn bare(arguments: &[&str]) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("bare").args(arguments);
        let mut process = Self::start(command);
        process.port = process.line("port ").parse().unwrap();
        process
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The server, with an event of ten shifts among a page of events.
pub(crate) struct Site {
    process: Process,
    token: String,
    pub(crate) organization: String,
    pub(crate) event: String,
    /// The path of the shifts of that event, and of the list.
    pub(crate) slots: String,
    pub(crate) list: String,
    _folder: TempDir,
}

impl Site {
    pub(crate) fn start(database: &str, arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let limits =
            json!({"requests_per_minute": 4_000_000_000_u32, "active_events": 1000, "event_days": 366});
        let plans = folder.path().join("plans.json");
        let all = json!({"free": limits, "calendar": limits, "starter": limits, "pro": limits});
        std::fs::write(&plans, all.to_string()).unwrap();
        let mut command = Command::new(server());
        command
            .args(["--database", database, "--listen", "127.0.0.1:0", "--plans"])
            .arg(plans)
            .args(arguments);
        let mut process = Process::start(command);
        let token = process.line("token: ");
        process.port = process.line("listening on http://127.0.0.1:").parse().unwrap();
        let mut event = String::new();
        for number in 0..25 {
            let request = Load::post(process.port, "/v1/events", Some(&token), &event_body());
            let created: Value = serde_json::from_str(&request.once(number)).unwrap();
            created["data"]["id"].as_str().unwrap().clone_into(&mut event);
        }
        let team = Load::get(process.port, "/v1/team", Some(&token)).once(0);
        let organization =
            serde_json::from_str::<Value>(&team).unwrap()["data"]["id"].as_str().unwrap().to_owned();
        let slots = format!("/v1/events/{event}/slots");
        Self { process, token, organization, event, slots, list: "/v1/events".to_owned(), _folder: folder }
    }

    pub(crate) fn get(&self, path: &str) -> Load {
        Load::get(self.process.port, path, Some(&self.token))
    }

    pub(crate) fn create(&self) -> Load {
        Load::post(self.process.port, "/v1/events", Some(&self.token), &event_body())
    }

    /// What is answered at this path.
    pub(crate) fn body(&self, path: &str) -> String {
        self.get(path).once(0)
    }
}

/// A draft with ten shifts.
pub(crate) fn event_body() -> String {
    let shift = |number: u32| json!({"title": format!("Shift {number}"), "start_time": "09:00", "end_time": "12:00", "capacity": 8});
    json!({
        "title": "Food drive",
        "description": "We pack boxes for 400 families.",
        "location": "12 Long Street, Springfield",
        "start_date": "2099-06-05",
        "timezone": "America/New_York",
        "shifts": (0..10).map(shift).collect::<Vec<_>>(),
    })
    .to_string()
}
