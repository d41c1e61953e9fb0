//! Which of several servers takes writes.

use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Executor as _};

use crate::postgres::options::server_name;
use crate::sql::error::OpenError;

/// Returns `yes` on a server that takes writes.
pub(super) const TAKES_WRITES: &str = "SELECT CASE WHEN pg_is_in_recovery() \
     OR current_setting('transaction_read_only') = 'on' THEN 'no' ELSE 'yes' END";
/// Gives the history that a server which takes writes is on: each promotion begins a new one, so of two servers that both
/// take writes the one with the higher number is not the one that was replaced.
const TIMELINE: &str =
    "SELECT CAST(('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32) AS bigint)";
/// How long the other servers are waited for once one is found that takes writes.
const OTHERS: Duration = Duration::from_millis(250);

/// Connects to the server that takes writes; of several that do, to the one that was promoted last. Servers that do not
/// answer soon after one was found are not waited for.
pub(super) async fn find(
    servers: &[PgConnectOptions],
    timeout: Duration,
) -> Result<(PgConnectOptions, PgConnection), OpenError> {
    let is_only = servers.len() == 1;
    let mut asked: FuturesUnordered<_> = servers
        .iter()
        .map(|server| async move {
            let found = tokio::time::timeout(timeout, ask(server, is_only)).await;
            (server, found.unwrap_or_else(|_| Err(sqlx::Error::PoolTimedOut)))
        })
        .collect();
    let mut end = pin!(tokio::time::sleep(timeout));
    let (mut found, mut failure): (Option<(i64, PgConnectOptions, PgConnection)>, _) = (None, None);
    loop {
        let (server, answer) = tokio::select! {
            next = asked.next() => match next {
                Some(next) => next,
                None => break,
            },
            () = &mut end, if found.is_some() => break,
        };
        match answer {
            Ok(Some((timeline, connection))) => {
                if found.is_none() {
                    end.as_mut().reset(tokio::time::Instant::now() + OTHERS);
                }
                if found.as_ref().is_none_or(|(best, ..)| timeline > *best) {
                    found = Some((timeline, server.clone(), connection));
                }
            }
            Ok(None) => {}
            Err(source) => failure = Some(OpenError::Connect { server: server_name(server), source }),
        }
    }
    match (found, failure) {
        (Some((_, server, connection)), _) => Ok((server, connection)),
        (None, Some(failure)) => Err(failure),
        (None, None) => Err(OpenError::NoPrimary),
    }
}

/// A connection and its server's timeline, if the server takes writes.
async fn ask(server: &PgConnectOptions, is_only: bool) -> sqlx::Result<Option<(i64, PgConnection)>> {
    let mut connection = server.connect().await?;
    // Simple queries, which PgBouncer takes like any other.
    let answer: String = sqlx::Row::try_get(&connection.fetch_one(TAKES_WRITES).await?, 0)?;
    if answer != "yes" {
        return Ok(None);
    }
    // Not every engine that speaks PostgreSQL's protocol has timelines; with one server it does not matter.
    let timeline = if is_only {
        0
    } else {
        sqlx::Row::try_get_unchecked::<String, _>(&connection.fetch_one(TIMELINE).await?, 0)?
            .parse()
            .unwrap_or(0)
    };
    Ok(Some((timeline, connection)))
}
