//! Server processes, which end when this process ends.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// Runs its arguments as a program, prints the process id, and kills the program when standard input ends. Standard input
/// ends with the benchmark, even if the benchmark is killed.
const KEEPER: &str = r#"
"$@" &
echo "pid $!"
trap '' INT HUP TERM
exec >&-
read -r _
kill -KILL $!
"#;

pub(crate) struct Process {
    keeper: Child,
    /// Kept open, because the server prints lines on it.
    _lines: std::io::Lines<BufReader<ChildStdout>>,
    id: String,
    /// The port on 127.0.0.1.
    pub(crate) port: u16,
}

impl Process {
    /// Starts a server and waits until it accepts requests.
    pub(crate) fn start(program: &Path, arguments: &[&str]) -> Self {
        let mut keeper = Command::new("sh");
        keeper.args(["-c", KEEPER, "keeper"]).arg(program).args(arguments);
        keeper.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut keeper = keeper.spawn().unwrap();
        let mut lines = BufReader::new(keeper.stdout.take().unwrap()).lines();
        let id = rest_of_line(&mut lines, "pid ");
        let port = rest_of_line(&mut lines, "listening on http://127.0.0.1:").parse().unwrap();
        Self { keeper, _lines: lines, id, port }
    }

    /// Stops the server until it may [go on](Self::go_on).
    pub(crate) fn stop(&self) {
        self.signal("-STOP");
    }

    pub(crate) fn go_on(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, name: &str) {
        assert!(Command::new("kill").args([name, &self.id]).status().unwrap().success());
    }

    /// Returns the resident memory in megabytes.
    pub(crate) fn resident_mb(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id)).unwrap();
        let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.strip_suffix("kB"));
        kilobytes.unwrap().trim().parse::<f64>().unwrap() / 1000.0
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        drop(self.keeper.wait());
    }
}

/// Returns the rest of the next line that has this beginning.
fn rest_of_line(lines: &mut impl Iterator<Item = std::io::Result<String>>, beginning: &str) -> String {
    let found = lines.find_map(|line| Some(line.unwrap().strip_prefix(beginning)?.to_owned()));
    found.unwrap_or_else(|| panic!("the server ended before it printed {beginning:?}"))
}
