//! The client of the mail server: each mail under way has a connection of its own, which the next mail uses again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::SendError;
use super::connection::{Connection, Envelope};
use super::smtp::{HelloName, SmtpUrl};

/// How long an idle connection is kept open for the next mail.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// A client of one mail server. Its clones share the idle connections.
#[derive(Debug, Clone)]
pub(super) struct Client {
    url: SmtpUrl,
    /// The name of this client in `EHLO`. Without it, the client gives its address.
    hello: Option<HelloName>,
    /// The connections that wait for the next mail; the one used last is the last.
    idle: Arc<Mutex<Vec<Idle>>>,
}

#[derive(Debug)]
struct Idle {
    connection: Connection,
    since: Instant,
}

impl Client {
    pub(super) fn new(url: SmtpUrl, hello: Option<HelloName>) -> Self {
        Self { url, hello, idle: Arc::default() }
    }

    /// Sends a mail. Each line of `content` ends with CRLF.
    pub(super) async fn send(&self, envelope: Envelope<'_>, content: &str) -> Result<(), SendError> {
        let mut connection = match self.alive().await {
            Some(connection) => connection,
            None => Connection::open(&self.url, self.hello.as_ref()).await?,
        };
        match connection.send(envelope, content).await {
            Ok(()) => {
                self.idle().push(Idle { connection, since: Instant::now() });
                Ok(())
            }
            Err(error) => {
                connection.quit().await;
                Err(error)
            }
        }
    }

    /// Closes the connections that no mail has used for [`IDLE_TIMEOUT`]. Does not wait for the server.
    pub(super) fn close_idle(&self) {
        for idle in self.idle().extract_if(.., |idle| idle.since.elapsed() >= IDLE_TIMEOUT) {
            drop(tokio::spawn(idle.connection.quit()));
        }
    }

    /// Takes the idle connection that was used last, unless the server has closed it meanwhile.
    async fn alive(&self) -> Option<Connection> {
        let mut connection = self.idle().pop()?.connection;
        connection.is_alive().await.then_some(connection)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
