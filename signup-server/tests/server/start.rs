//! The start of a process: waits, within a deadline, for the lines that say where the process listens.
//!
//! A server prints its URL, and chromedriver its port. Both choose a free port, because a port that the test chooses can be
//! taken before the process listens on it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// The time that a server may take until it listens.
const START_DEADLINE: Duration = Duration::from_secs(60);

/// The lines that a server prints at its start.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) url: String,
    /// The token of the starter organization; empty if the server created none.
    pub(crate) token: String,
    /// The link of the first owner of the starter organization; empty if the server created none.
    pub(crate) console: String,
}

/// Waits until a server listens. Its standard output must be piped.
///
/// Kills the process and panics if it exits, prints anything else, or does not listen within [`START_DEADLINE`].
pub(crate) fn wait_until_listening(child: &mut Child) -> Started {
    wait_until(child, START_DEADLINE)
}

fn wait_until(child: &mut Child, deadline: Duration) -> Started {
    let (mut token, mut console) = (String::new(), String::new());
    wait_for_line(child, "the server", deadline, |line| {
        if let Some(text) = line.strip_prefix("token: ") {
            text.clone_into(&mut token);
            Ok(None)
        } else if let Some(link) = line.strip_prefix("console: ") {
            link.clone_into(&mut console);
            Ok(None)
        } else if let Some(url) = line.strip_prefix("listening on ") {
            let (token, console) = (std::mem::take(&mut token), std::mem::take(&mut console));
            Ok(Some(Started { url: url.to_owned(), token, console }))
        } else {
            Err(format!("unexpected on standard output: {line}"))
        }
    })
}

/// Waits until chromedriver listens, and returns its port. Its standard output must be piped.
///
/// Chromedriver takes a free port of `[::1]`, and exits if `127.0.0.1` has a listener on the port of this number. Then the
/// result is `None`. Kills the process and panics if it exits for another reason, or does not listen within [`START_DEADLINE`].
pub(crate) fn chromedriver_port(child: &mut Child) -> Option<u16> {
    wait_for_line(child, "chromedriver", START_DEADLINE, |line| {
        if line.contains("IPv4 port not available") {
            return Ok(Some(None));
        }
        let port =
            line.split_once("started successfully on port ").map(|(_, port)| port.trim_end_matches('.'));
        port.map(|port| port.parse().map(Some).map_err(|_| format!("no port: {line}"))).transpose()
    })
}

/// Waits until the process prints a line for which `read` returns a value.
///
/// Kills the process and panics if it exits, if `read` returns an error, or after the deadline.
fn wait_for_line<T>(
    child: &mut Child,
    process: &str,
    deadline: Duration,
    mut read: impl FnMut(&str) -> Result<Option<T>, String>,
) -> T {
    let out = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = mpsc::channel();
    // A read of a pipe has no timeout, so a thread reads. It reads until the process closes the pipe, so that no write of the
    // process fails.
    std::thread::spawn(move || out.lines().map_while(Result::ok).for_each(|line| drop(sender.send(line))));
    let end = Instant::now() + deadline;
    let mut next = || match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
        Ok(line) => read(&line),
        Err(RecvTimeoutError::Timeout) => Err(format!("{process} did not listen within {deadline:?}")),
        Err(RecvTimeoutError::Disconnected) => Err(format!("{process} exited before it listened")),
    };
    let reason = loop {
        match next() {
            Ok(Some(value)) => return value,
            Ok(None) => {}
            Err(reason) => break reason,
        }
    };
    // Fails if the process has already exited.
    drop(child.kill());
    drop(child.wait());
    panic!("{reason}")
}

#[test]
#[should_panic(expected = "the server did not listen within 100ms")]
fn a_server_that_prints_nothing_fails_its_test() {
    let mut silent = Command::new("sleep").arg("600").stdout(Stdio::piped()).spawn().unwrap();
    wait_until(&mut silent, Duration::from_millis(100));
}

#[test]
#[should_panic(expected = "the server exited before it listened")]
fn a_server_that_exits_fails_its_test() {
    let mut exited = Command::new("true").stdout(Stdio::piped()).spawn().unwrap();
    wait_until(&mut exited, START_DEADLINE);
}
