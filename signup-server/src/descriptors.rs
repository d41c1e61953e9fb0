//! File descriptors: how many the process may open, and how many of those are for connections of clients.
//!
//! The store, the mail server and the metrics need descriptors, too. They have a reserve, and clients get the rest, so no
//! number of clients takes the descriptor that an answer needs.

use rlimit::Resource;

/// The most connections of clients.
const MAX_CONNECTIONS: u64 = 10_000;
/// The fewest connections of clients with which the server starts.
const MIN_CONNECTIONS: u64 = 8;
/// Descriptors beside those of clients and the store: standard streams, the runtime, signals, the listeners, the lock of an
/// SQLite file, the connections to the metrics, the mail server with the lookup of its name, and some that were inherited.
const OTHERS: u64 = 32;

/// How many connections of clients the process takes, and the limit of open descriptors that allows them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ConnectionLimit {
    pub(crate) connections: usize,
    pub(crate) open_files: u64,
}

/// Raises the soft limit of open descriptors to the hard one. Returns how many connections of clients fit beside a store that
/// needs `store` descriptors.
///
/// # Errors
/// One line that says what to mend, if that is fewer than [`MIN_CONNECTIONS`].
pub(crate) fn connections_beside(store: u64) -> Result<ConnectionLimit, String> {
    let limit = rlimit::increase_nofile_limit(u64::MAX).or_else(|error| {
        tracing::warn!(%error, "the limit of open files was not raised");
        Resource::NOFILE.get_soft()
    });
    let limit = limit.map_err(|error| format!("cannot read the limit of open files: {error}"))?;
    let connections = connections(limit, store)?;
    let connections = usize::try_from(connections).map_err(|error| error.to_string())?;
    Ok(ConnectionLimit { connections, open_files: limit })
}

fn connections(limit: u64, store: u64) -> Result<u64, String> {
    let reserve = OTHERS + store;
    let connections = limit.saturating_sub(reserve).min(MAX_CONNECTIONS);
    if connections < MIN_CONNECTIONS {
        let least = reserve + MIN_CONNECTIONS;
        return Err(format!(
            "{limit} open files are too few: raise the limit to {least} or more (ulimit -n)"
        ));
    }
    Ok(connections)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_get_what_the_reserve_leaves_and_10_000_at_most() {
        assert_eq!(connections(u64::MAX, 16), Ok(10_000));
        assert_eq!(connections(1024, 16), Ok(976));
        assert_eq!(connections(56, 16), Ok(8));
        let error = connections(55, 16).unwrap_err();
        assert!(error.contains("55 open files") && error.contains("56 or more"), "{error}");
        assert!(connections(0, 0).is_err());
    }
}
