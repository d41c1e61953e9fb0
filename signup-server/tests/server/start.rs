//! The start of a server process: the URL and the token that it prints, within a deadline.

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
}

/// Waits until a server listens. Its standard output must be piped.
///
/// Kills the process and panics if it exits, prints anything else, or does not listen within [`START_DEADLINE`].
pub(crate) fn wait_until_listening(child: &mut Child) -> Started {
    wait_until(child, START_DEADLINE)
}

fn wait_until(child: &mut Child, deadline: Duration) -> Started {
    read_start(child, deadline).unwrap_or_else(|reason| {
        // Fails if the process has already exited.
        drop(child.kill());
        drop(child.wait());
        panic!("{reason}")
    })
}

fn read_start(child: &mut Child, deadline: Duration) -> Result<Started, String> {
    let out = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = mpsc::channel();
    // A read of a pipe has no timeout, so a thread reads. It exits when the process closes the pipe.
    std::thread::spawn(move || out.lines().try_for_each(|line| sender.send(line)));
    let end = Instant::now() + deadline;
    let mut token = String::new();
    loop {
        let line = match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => line.unwrap(),
            Err(RecvTimeoutError::Timeout) => {
                return Err(format!("the server did not listen within {deadline:?}"));
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err("the server exited before it listened".to_owned());
            }
        };
        if let Some(text) = line.strip_prefix("token: ") {
            text.clone_into(&mut token);
        } else if let Some(url) = line.strip_prefix("listening on ") {
            return Ok(Started { url: url.to_owned(), token });
        } else {
            return Err(format!("unexpected on standard output: {line}"));
        }
    }
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
