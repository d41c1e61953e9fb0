//! Writers whose server is killed while they write.

use crate::harness::Server;

/// Returns the number of kills: that of the environment variable `CRASH_KILLS`, or `default`.
pub(crate) fn kills(default: usize) -> usize {
    std::env::var("CRASH_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(default)
}

/// Runs writers side by side, and kills the server while they write, after some writes have succeeded. Returns
/// what each has written.
///
/// A writer calls `write` with its number and with 0, 1, 2 and so on. The second value of the result is whether the server
/// was still alive at the end of the call; after the first `false` the writer stops.
pub(crate) async fn until_killed<W: Send + 'static, F: Future<Output = (W, bool)> + Send>(
    server: &mut Server,
    writers: usize,
    round: usize,
    write: impl Fn(usize, usize) -> F + Clone + Send + 'static,
) -> Vec<W> {
    let (succeeded, mut count) = tokio::sync::watch::channel(0);
    let start = |writer| {
        let (write, succeeded) = (write.clone(), succeeded.clone());
        tokio::spawn(async move {
            let mut written = vec![];
            for number in 0.. {
                let (one, is_alive) = write(writer, number).await;
                written.push(one);
                if !is_alive {
                    break;
                }
                succeeded.send_modify(|count| *count += 1);
            }
            written
        })
    };
    let tasks: Vec<_> = (0..writers).map(start).collect();
    drop(succeeded);
    // The number differs by round, so that the kills hit different moments of the writes.
    let before_kill = 1 + writers * (1 + round % 4);
    assert!(
        count.wait_for(|count| *count >= before_kill).await.is_ok(),
        "the writers stopped before the kill"
    );
    server.kill();
    let mut written = vec![];
    for task in tasks {
        written.extend(task.await.unwrap());
    }
    written
}
