//! The accept loop: serves a bounded number of connections, and drains them at shutdown.
//!
//! Each connection has a timeout for idle time and the request head, a timeout for a client that does not read, and a
//! limit on the size of the head.
//!
//! hyper responds 400 to bytes that are not HTTP, and 431 to a head that is too large. hyper has no hook for these
//! responses, so they carry neither `X-Request-Id` nor the headers of the rate limit. hyper then closes the connection.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutWriter;
use warp::Filter;
use warp::http::header::CONNECTION;
use warp::http::{HeaderValue, Uri};
use warp::reply::Response;

use crate::request_body::{self, RequestBody};

/// How long a client may take to send the head of a request, and how long a connection may be idle.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// The maximum number of headers of a request.
const MAX_HEADERS: usize = 100;
/// The maximum size of the head of a request, in bytes.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// How long a write may make no progress. If a client does not read, the client's receive buffer fills, and then the
/// server's send buffer.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// The size of a connection's send buffer, in bytes.
///
/// Linux makes a full buffer writable again after a third of the buffer was sent. Without a fixed size, Linux lets the
/// buffer grow to some MiB. A client that reads slowly but steadily would then need longer than the write timeout to
/// receive a third.
const SEND_BUFFER_BYTES: u32 = 128 * 1024;
/// The maximum number of connections that wait in the kernel's queue to be accepted.
const BACKLOG: u32 = 1024;
/// The pause after a failed accept.
const ACCEPT_PAUSE: Duration = Duration::from_millis(500);
/// How long a shutdown waits for requests in flight.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// The remote address of a connection. Every request has this value among its extensions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// Binds `address`, but accepts no connection yet. Accepted connections inherit the size of the send buffer.
///
/// # Errors
/// Returns one line for the operator. `option` is the option that names the address.
pub(crate) fn bind(address: SocketAddr, option: &str) -> Result<TcpSocket, String> {
    try_bind(address).map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!("Another program uses {address}. Stop it, or choose another address with {option}")
        }
        _ => format!("cannot listen on {address}: {error}. Choose another address with {option}"),
    })
}

fn try_bind(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Allows a restart while connections of the previous process are in TIME_WAIT.
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    socket.bind(address)?;
    Ok(socket)
}

/// Listens on a bound socket.
pub(crate) fn listen(socket: TcpSocket) -> io::Result<TcpListener> {
    socket.listen(BACKLOG)
}

/// Serves until `shutdown` completes, then drains the requests in flight and returns.
///
/// At most `connections` connections are open at once. Further connections wait in the kernel's queue until an open one
/// is closed. An idle connection is closed after [`HEAD_TIMEOUT`].
pub(crate) async fn serve<F>(
    listener: TcpListener,
    filter: F,
    connections: usize,
    shutdown: impl Future<Output = ()>,
) where
    F: Filter<Extract = (Response,), Error = Infallible> + Clone + Send + Sync + 'static,
    F::Future: Send,
{
    let graceful = GracefulShutdown::new();
    let permits = Arc::new(Semaphore::new(connections));
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_headers(MAX_HEADERS)
        .max_header_size(MAX_HEAD_BYTES)
        .max_buf_size(MAX_HEAD_BYTES);
    tokio::pin!(shutdown);
    loop {
        let accepted = async {
            // Fails only if the semaphore is closed, which never happens.
            let permit = Arc::clone(&permits).acquire_owned().await.ok();
            (permit, accept(&listener).await)
        };
        let (permit, (stream, peer)) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut shutdown => break,
        };
        let service = with_peer(warp::service(filter.clone()), peer);
        let mut stream = TimeoutWriter::new(stream);
        stream.set_timeout(Some(WRITE_TIMEOUT));
        let connection = builder.serve_connection(TokioIo::new(Box::pin(stream)), service);
        let connection = graceful.watch(connection);
        drop(tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended with an error");
            }
            drop(permit);
        }));
    }
    drop(listener);
    if tokio::time::timeout(DRAIN_TIMEOUT, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests were still in flight after {DRAIN_TIMEOUT:?}");
    }
}

async fn accept(listener: &TcpListener) -> (TcpStream, Peer) {
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "TCP_NODELAY could not be set on a connection");
                }
                return (stream, Peer(address));
            }
            Err(error) => {
                // The usual cause is a lack of descriptors or memory, which may be freed during the pause.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Wraps the service: adds the peer's address to each request, and reads the rest of the body before the response is
/// sent.
fn with_peer<S>(
    service: S,
    peer: Peer,
) -> impl Service<
    Request<Incoming>,
    Response = Response,
    Error = Infallible,
    Future = impl Future<Output = Result<Response, Infallible>> + Send,
>
where
    TowerToHyperService<S>:
        Service<Request<RequestBody>, Response = Response, Error = Infallible, Future: Send>,
{
    let service = TowerToHyperService::new(service);
    service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(peer);
        if request.uri().path_and_query().is_none() {
            // `CONNECT host:port` has no path, and warp panics without a path. The path `/` leads to 404.
            *request.uri_mut() = Uri::from_static("/");
        }
        let (request, rest) = request_body::share(request);
        let response = service.call(request);
        async move {
            let mut response = response.await?;
            if let Some(rest) = rest
                && !rest.read_to_end(response.status()).await
            {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok(response)
        }
    })
}
