//! Processes that listen, and end with this one.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// Runs the rest of its arguments as a program, says which process that is, and kills it when standard input ends, which
/// comes when the benchmark ends, however that happens.
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
    lines: std::io::Lines<BufReader<ChildStdout>>,
    pub(crate) id: u32,
    /// On 127.0.0.1.
    pub(crate) port: u16,
}

impl Process {
    /// Starts a program that says where it listens by a line that begins with `listens`, and then the port. Also gives what
    /// each of the lines before it said that begin with one of `others`, in their order.
    pub(crate) fn start<const N: usize>(
        program: &Path,
        arguments: &[&str],
        others: [&str; N],
        listens: &str,
    ) -> (Self, [String; N]) {
        let mut keeper = Command::new("sh");
        keeper.args(["-c", KEEPER, "keeper"]).arg(program).args(arguments);
        keeper.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut keeper = keeper.spawn().unwrap();
        let lines = BufReader::new(keeper.stdout.take().unwrap()).lines();
        let mut process = Self { keeper, lines, id: 0, port: 0 };
        process.id = process.line("pid ").parse().unwrap();
        let others = others.map(|other| process.line(other));
        process.port = process.line(listens).parse().unwrap();
        (process, others)
    }

    /// A bare program, which is this one in another role.
    pub(crate) fn bare(arguments: &[&str]) -> Self {
        let program = std::env::current_exe().unwrap();
        Self::start(&program, &[&["bare"], arguments].concat(), [], "port ").0
    }

    /// The next line that begins so, without its beginning.
    fn line(&mut self, beginning: &str) -> String {
        let found = self.lines.find_map(|line| Some(line.unwrap().strip_prefix(beginning)?.to_owned()));
        found.unwrap_or_else(|| panic!("a process ended before it said {beginning:?}"))
    }

    /// Megabytes that are resident.
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
