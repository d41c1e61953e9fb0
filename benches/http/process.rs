//! Server processes, which end when this process ends.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use tempfile::TempDir;

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
    /// The folder for the temporary files of the program, which is killed and so removes none.
    _files: TempDir,
    lines: std::io::Lines<BufReader<ChildStdout>>,
    pub(crate) id: u32,
    /// The port on 127.0.0.1.
    pub(crate) port: u16,
}

impl Process {
    /// Starts a program and waits for the line of its output that begins with `listens` and ends with the port.
    ///
    /// Earlier lines must begin with the texts of `others`, in this order. Returns the rest of each of these lines.
    pub(crate) fn start<const N: usize>(
        program: &Path,
        arguments: &[&str],
        others: [&str; N],
        listens: &str,
    ) -> (Self, [String; N]) {
        let mut keeper = Command::new("sh");
        let files = tempfile::tempdir().unwrap();
        keeper.args(["-c", KEEPER, "keeper"]).arg(program).args(arguments).env("TMPDIR", files.path());
        keeper.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut keeper = keeper.spawn().unwrap();
        let lines = BufReader::new(keeper.stdout.take().unwrap()).lines();
        let mut process = Self { keeper, _files: files, lines, id: 0, port: 0 };
        process.id = process.line("pid ").parse().unwrap();
        let others = others.map(|other| process.line(other));
        process.port = process.line(listens).parse().unwrap();
        (process, others)
    }

    /// Starts a bare program, which is a process of this program with other arguments.
    pub(crate) fn bare(arguments: &[&str]) -> Self {
        let program = std::env::current_exe().unwrap();
        Self::start(&program, &[&["bare"], arguments].concat(), [], "port ").0
    }

    /// Returns the rest of the next line that has this beginning.
    fn line(&mut self, beginning: &str) -> String {
        let found = self.lines.find_map(|line| Some(line.unwrap().strip_prefix(beginning)?.to_owned()));
        found.unwrap_or_else(|| panic!("a process ended before it said {beginning:?}"))
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
