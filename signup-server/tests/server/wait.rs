//! Waits with a deadline. A wait that fails says what did not happen.
//!
//! Tests wait for a condition with [`wait_until`], and for the exit of a process with [`wait_for_exit`].

use std::io::Write as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The pause between two checks of a condition.
const PAUSE: Duration = Duration::from_millis(20);

/// The time that a process may take to exit. A server waits up to 10 seconds for requests in flight.
const EXIT_DEADLINE: Duration = Duration::from_secs(60);

/// Runs `check` until it returns `Ok`, with a pause of 20 ms between two runs. Returns the value of the `Ok`.
///
/// An `Err` says what has not happened yet: "the mail was not sent". Panics after `limit` with the last `Err`, even if
/// a check is still running.
pub(crate) async fn wait_until<T>(limit: Duration, mut check: impl AsyncFnMut() -> Result<T, String>) -> T {
    let mut missing = "the first check did not end".to_owned();
    let checks = async {
        loop {
            match check().await {
                Ok(value) => return value,
                Err(sentence) => missing = sentence,
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    let found = tokio::time::timeout(limit, checks).await;
    found.unwrap_or_else(|_| panic!("{missing} within {limit:?}"))
}

/// Returns whether a test may wait for a timeout of half a minute: the environment variable `LONG_WAITS` is set. If it is not,
/// says that the test is skipped.
pub(crate) fn long_waits() -> bool {
    let is_set = std::env::var_os("LONG_WAITS").is_some();
    if !is_set {
        let skipped = b"skipped: set LONG_WAITS to wait for the timeouts of the server\n";
        std::io::stderr().write_all(skipped).unwrap();
    }
    is_set
}

/// Waits for longer than a server's interval between two reads of a queue.
///
/// Time is meant: nothing but a wait shows that no further mail and no further request arrives.
pub(crate) async fn wait_for_anything_more() {
    tokio::time::sleep(Duration::from_millis(2500)).await;
}

/// Waits until the process exits. Kills it and panics after 60 seconds.
pub(crate) fn wait_for_exit(child: &mut Child) -> ExitStatus {
    wait_for_exit_within(EXIT_DEADLINE, child)
}

fn wait_for_exit_within(limit: Duration, child: &mut Child) -> ExitStatus {
    let end = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if Instant::now() >= end {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the process did not exit within {limit:?}");
        }
        std::thread::sleep(PAUSE);
    }
}

#[tokio::test]
#[should_panic(expected = "mail 3 was not sent within 100ms")]
async fn a_condition_that_never_holds_fails_its_test_with_the_last_reason() {
    let mut number = 0;
    let check = async || {
        number = 3.min(number + 1);
        Err::<(), _>(format!("mail {number} was not sent"))
    };
    wait_until(Duration::from_millis(100), check).await;
}

#[tokio::test]
#[should_panic(expected = "the first check did not end within 100ms")]
async fn a_check_that_never_ends_fails_its_test() {
    wait_until(Duration::from_millis(100), async || std::future::pending::<Result<(), String>>().await).await;
}

#[test]
#[should_panic(expected = "the process did not exit within 100ms")]
fn a_process_that_does_not_exit_fails_its_test() {
    let mut endless = Command::new("sleep").arg("600").stdout(Stdio::null()).spawn().unwrap();
    wait_for_exit_within(Duration::from_millis(100), &mut endless);
}
