//! File descriptors: how many the process may open, and how many of them client connections may use.
//!
//! Descriptors are reserved for the store, the mail connection, the requests to webhooks, the metrics listener and the process
//! itself. Client connections get the rest, so they never exhaust the descriptors that a response needs.

use rlimit::Resource;

use crate::webhook::{Sender, WebhookQueue};
use crate::worker::WorkQueue as _;

/// The maximum number of client connections.
const MAX_CONNECTIONS: u64 = 10_000;
/// The server does not start if fewer client connections fit.
const MIN_CONNECTIONS: u64 = 8;
/// The number of descriptors reserved for everything except client connections and the store.
///
/// These are the standard streams, the runtime, signals, the listeners, the lock of an SQLite file, metrics
/// connections, the mail connection with its name lookup, and inherited descriptors.
const OTHER_DESCRIPTORS: u64 = 32;
/// The number of descriptors reserved for requests to webhooks: a connection or a name lookup for each.
const WEBHOOK_DESCRIPTORS: u64 = WebhookQueue::<Sender>::AT_ONCE as u64;

/// The number of client connections that the process accepts, and the descriptor limit that it was computed from.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ConnectionLimit {
    pub(crate) connections: usize,
    pub(crate) open_files: u64,
}

/// Raises the soft limit of open descriptors to the hard limit. Returns how many client connections fit beside a store
/// that needs `store` descriptors.
///
/// # Errors
/// Returns one line for the operator if the limit cannot be read, or if fewer than [`MIN_CONNECTIONS`] fit.
pub(crate) fn connections_beside(store: u64) -> Result<ConnectionLimit, String> {
    let limit = rlimit::increase_nofile_limit(u64::MAX).or_else(|error| {
        tracing::warn!(%error, "the limit of open files could not be raised");
        Resource::NOFILE.get_soft()
    });
    let limit = limit.map_err(|error| format!("cannot read the limit of open files: {error}"))?;
    let connections = connections(limit, store)?;
    let connections = usize::try_from(connections).map_err(|error| error.to_string())?;
    Ok(ConnectionLimit { connections, open_files: limit })
}

fn connections(limit: u64, store: u64) -> Result<u64, String> {
    let reserve = OTHER_DESCRIPTORS + WEBHOOK_DESCRIPTORS + store;
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
    fn client_connections_get_the_descriptors_after_the_reserve_and_at_most_10_000() {
        assert_eq!(connections(u64::MAX, 16), Ok(10_000));
        assert_eq!(connections(1024, 16), Ok(912));
        assert_eq!(connections(120, 16), Ok(8));
        let error = connections(119, 16).unwrap_err();
        assert!(error.contains("119 open files") && error.contains("120 or more"), "{error}");
        assert!(connections(0, 0).is_err());
    }
}
