//! The search for the server that accepts writes.

use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Executor as _};

use crate::postgres::options::server_name;
use crate::sql::error::OpenError;
use crate::sql::runner::texts;

/// Returns `yes` on a server that accepts writes.
pub(super) const TAKES_WRITES: &str = "SELECT CASE WHEN pg_is_in_recovery() \
     OR current_setting('transaction_read_only') = 'on' THEN 'no' ELSE 'yes' END";
/// Returns the timeline of a server that accepts writes. Each promotion increases the timeline. If two servers accept
/// writes, the one with the higher timeline has replaced the other.
const TIMELINE: &str =
    "SELECT CAST(('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint AS text)";
/// How long to wait for the other servers once a server that accepts writes is found.
const WAIT_FOR_OTHERS: Duration = Duration::from_millis(250);

/// Connects to the server that accepts writes. If several servers do, connects to the one with the highest timeline.
///
/// # Errors
/// If no server is found, returns [`OpenError::Connect`] for the last connection that failed or exceeded `timeout`. Returns
/// [`OpenError::NoPrimary`] if all servers refuse writes.
pub(super) async fn find(
    servers: &[PgConnectOptions],
    timeout: Duration,
) -> Result<(PgConnectOptions, PgConnection), OpenError> {
    let is_only = servers.len() == 1;
    let mut answers: FuturesUnordered<_> = servers
        .iter()
        .map(|server| async move {
            let found = tokio::time::timeout(timeout, connect(server, is_only)).await;
            (server, found.unwrap_or_else(|_| Err(sqlx::Error::PoolTimedOut)))
        })
        .collect();
    // Starts when the first server is found.
    let mut wait_for_others = pin!(tokio::time::sleep(WAIT_FOR_OTHERS));
    let (mut found, mut failure): (Option<(i64, PgConnectOptions, PgConnection)>, _) = (None, None);
    loop {
        let (server, answer) = tokio::select! {
            next = answers.next() => match next {
                Some(next) => next,
                None => break,
            },
            () = &mut wait_for_others, if found.is_some() => break,
        };
        match answer {
            Ok(Some((timeline, connection))) => {
                if found.is_none() {
                    wait_for_others.as_mut().reset(tokio::time::Instant::now() + WAIT_FOR_OTHERS);
                }
                if found.as_ref().is_none_or(|(best, ..)| timeline > *best) {
                    found = Some((timeline, server.clone(), connection));
                }
            }
            Ok(None) => {}
            Err(source) => failure = Some(OpenError::Connect { server: server_name(server), source }),
        }
    }
    let (_, server, connection) = found.ok_or_else(|| failure.unwrap_or(OpenError::NoPrimary))?;
    Ok((server, connection))
}

/// Connects to a server that accepts writes, and returns its timeline. Returns `None` for a server that refuses writes.
async fn connect(server: &PgConnectOptions, is_only: bool) -> sqlx::Result<Option<(i64, PgConnection)>> {
    let mut connection = server.connect().await?;
    // Simple queries, which work behind PgBouncer, too.
    let [answer] = texts(&connection.fetch_one(TAKES_WRITES).await?)?;
    if answer != "yes" {
        return Ok(None);
    }
    // With one server the timeline does not matter. Some databases with the protocol of PostgreSQL have no timelines.
    if is_only {
        return Ok(Some((0, connection)));
    }
    let [timeline] = texts(&connection.fetch_one(TIMELINE).await?)?;
    Ok(Some((timeline.parse().unwrap_or(0), connection)))
}
