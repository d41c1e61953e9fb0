//! The client of the mail server: keeps a connection for mails in quick succession.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::SendError;
use super::connection::{Connection, Envelope};
use super::smtp::{HelloName, SmtpUrl};

/// How long an idle connection is kept open for the next mail.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// A client of one mail server. Mails in quick succession share a connection.
#[derive(Debug, Clone)]
pub(super) struct Client {
    url: SmtpUrl,
    /// The name of this client in `EHLO`. Without it, the client gives its address.
    hello: Option<HelloName>,
    idle: Arc<Mutex<Option<Idle>>>,
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
                let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
                *idle = Some(Idle { connection, since: Instant::now() });
                Ok(())
            }
            Err(error) => {
                connection.quit().await;
                Err(error)
            }
        }
    }

    /// Closes the connection if no mail has used it for [`IDLE_TIMEOUT`]. Does not wait for the server.
    pub(super) fn close_idle(&self) {
        if let Some(connection) = self.take_if(|idle| idle.since.elapsed() >= IDLE_TIMEOUT) {
            drop(tokio::spawn(connection.quit()));
        }
    }

    /// Takes the idle connection, unless the server has closed it meanwhile.
    async fn alive(&self) -> Option<Connection> {
        let mut connection = self.take_if(|_| true)?;
        connection.is_alive().await.then_some(connection)
    }

    fn take_if(&self, predicate: impl FnOnce(&Idle) -> bool) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.take_if(|idle| predicate(idle)).map(|idle| idle.connection)
    }
}
