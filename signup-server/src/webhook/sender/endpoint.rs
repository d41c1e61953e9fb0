//! An endpoint of a test, and a network whose names and connections the test decides.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use signup_core::uuid::Uuid;
use signup_core::{
    Activity, ActivityId, ActivityType, Actor, Delivery, DeliveryId, OrganizationId, SigningSecret, Subject,
    Timestamp, Webhook, WebhookId,
};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;

use crate::webhook::network::Network;

/// A listener on this machine that gives every connection the same answer.
pub(super) struct Endpoint {
    pub(super) address: SocketAddr,
    accepted: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
}

/// What an endpoint does after the bytes of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    Close,
    /// Keeps the connection open and sends nothing.
    Hold,
    /// Sends bytes as long as the client reads.
    Repeat,
}

impl Endpoint {
    /// Starts an endpoint that sends `answer` to each request.
    pub(super) async fn start(answer: &str, then: Then, tls: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let endpoint = Self { address, accepted: Arc::default(), requests: Arc::default() };
        let (accepted, requests) = (Arc::clone(&endpoint.accepted), Arc::clone(&endpoint.requests));
        let answer: Arc<str> = answer.into();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                accepted.fetch_add(1, Ordering::SeqCst);
                let (answer, requests) = (Arc::clone(&answer), Arc::clone(&requests));
                match tls.clone().map(TlsAcceptor::from) {
                    None => tokio::spawn(serve(stream, answer, then, requests)),
                    Some(tls) => tokio::spawn(async move {
                        // A client that refuses the certificate ends the handshake.
                        serve(tls.accept(stream).await?, answer, then, requests).await
                    }),
                };
            }
        });
        endpoint
    }

    /// Returns the number of connections.
    pub(super) fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }

    /// Returns the bytes of the requests.
    pub(super) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    answer: Arc<str>,
    then: Then,
    requests: Arc<Mutex<Vec<String>>>,
) -> io::Result<()> {
    let mut request = String::new();
    // The body is an object with an object at its end. A request of TLS is not UTF-8.
    while !request.ends_with("}}") && !request.contains('\u{fffd}') {
        let mut buffer = [0; 4096];
        match stream.read(&mut buffer).await? {
            0 => return Ok(()),
            length => request.push_str(&String::from_utf8_lossy(&buffer[..length])),
        }
    }
    requests.lock().unwrap().push(request);
    stream.write_all(answer.as_bytes()).await?;
    match then {
        Then::Close => stream.shutdown().await,
        Then::Hold => std::future::pending().await,
        Then::Repeat => loop {
            stream.write_all(&[b'x'; 1024]).await?;
        },
    }
}

/// A network with the names of a test. It records what a sender asks for.
#[derive(Debug, Default)]
pub(super) struct TestNetwork {
    /// The addresses of each name. Each list is used once; the last one repeats.
    names: Mutex<HashMap<String, Vec<Vec<IpAddr>>>>,
    /// Where every connection goes, whatever its address. Without it, each is refused.
    target: Option<SocketAddr>,
    connected: Mutex<Vec<SocketAddr>>,
}

impl TestNetwork {
    /// Creates a network whose connections go to `target`.
    pub(super) fn new(target: Option<SocketAddr>) -> Self {
        Self { target, ..Self::default() }
    }

    /// Gives a name these lists of addresses, one for each time that it is looked up.
    pub(super) fn name(self, name: &str, lists: &[&[&str]]) -> Self {
        let list = |list: &&[&str]| list.iter().map(|address| address.parse().unwrap()).collect();
        self.names.lock().unwrap().insert(name.to_owned(), lists.iter().map(list).collect());
        self
    }

    /// Returns the addresses that connections were asked for.
    pub(super) fn connected(&self) -> Vec<SocketAddr> {
        self.connected.lock().unwrap().clone()
    }
}

impl Network for TestNetwork {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
        let mut names = self.names.lock().unwrap();
        let found = names.get_mut(host).map(|lists| match lists.len() {
            1 => lists[0].clone(),
            _ => lists.remove(0),
        });
        let found = found.ok_or_else(|| io::Error::other("no such name"));
        let found =
            found.map(|found| found.into_iter().map(|address| SocketAddr::new(address, port)).collect());
        Box::pin(std::future::ready(found))
    }

    fn connect(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
        self.connected.lock().unwrap().push(address);
        match self.target {
            Some(target) => Box::pin(TcpStream::connect(target)),
            None => Box::pin(std::future::ready(Err(io::ErrorKind::ConnectionRefused.into()))),
        }
    }
}

/// Returns an instant of the tests.
pub(super) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

/// Returns a webhook with this URL.
pub(super) fn webhook(url: &str) -> Webhook {
    let (id, organization) = (WebhookId::new(Uuid::from_u128(7)), OrganizationId::new(Uuid::from_u128(1)));
    Webhook::new(id, organization, url.parse().unwrap(), SigningSecret::generate(), at(0))
}

/// Returns a delivery of an activity of this actor.
pub(super) fn delivery(actor: Actor) -> Delivery {
    let (id, organization) = (ActivityId::new(Uuid::from_u128(3)), OrganizationId::new(Uuid::from_u128(1)));
    let kind = ActivityType::EVENT_CREATED;
    let activity = Activity::new(id, organization, kind, at(0), actor, Subject::default(), vec![]);
    Delivery::new(DeliveryId::new(Uuid::from_u128(9)), WebhookId::new(Uuid::from_u128(7)), activity, at(0))
}
