//! The accept loop: a bounded number of connections, each with bounds on its idle time, on the head of a request, and on the
//! time that the client takes to read, and an end that lets requests in flight finish.
//!
//! hyper answers 400 to bytes that are no request, and 431 to a head that is too large, before there is a request. It has no
//! hook for these answers, so they carry neither `X-Request-Id` nor the rate. hyper closes the connection after them.

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

use crate::app::Peer;
use crate::request_body::{self, RequestBody};

/// How long the head of a request may take, and how long a connection may be idle.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// The most headers of a request.
const MAX_HEADERS: usize = 100;
/// The largest head of a request, in bytes.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// How long a write may take no byte. A client that reads nothing fills its receive buffer and then the send buffer.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// The send buffer of a connection, in bytes. Linux lets a full buffer take bytes again after a third of it was sent. A buffer
/// that Linux sizes by itself grows to some MiB, so a client that reads slowly but steadily would exceed the write timeout.
const SEND_BUFFER_BYTES: u32 = 128 * 1024;
/// How many connections the system keeps until they are accepted.
const BACKLOG: u32 = 1024;
/// The pause after a connection could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(500);
/// How long requests in flight may take when the server ends.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// Listens on `address`. Connections inherit the size of the send buffer.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Else a server that is started again waits until the system has forgotten the connections of the former one.
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves until `end` is done, then answers what is in flight and returns.
///
/// At most so many `connections` are open at once. Later ones wait in the system's queue until one of those is closed, which
/// for an idle one is at the head timeout.
pub(crate) async fn serve<F>(
    listener: TcpListener,
    filter: F,
    connections: usize,
    end: impl Future<Output = ()>,
) where
    F: Filter<Extract = (Response,), Error = Infallible> + Clone + Send + Sync + 'static,
    F::Future: Send,
{
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(connections));
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_headers(MAX_HEADERS)
        .max_header_size(MAX_HEAD_BYTES)
        .max_buf_size(MAX_HEAD_BYTES);
    tokio::pin!(end);
    loop {
        let accepted = async {
            // A closed semaphore is the only error, and this one is never closed.
            let place = Arc::clone(&places).acquire_owned().await.ok();
            (place, accept(&listener).await)
        };
        let (place, (stream, peer)) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut end => break,
        };
        let service = with_peer(warp::service(filter.clone()), peer);
        let mut stream = TimeoutWriter::new(stream);
        stream.set_timeout(Some(WRITE_TIMEOUT));
        let connection = builder.serve_connection(TokioIo::new(Box::pin(stream)), service);
        let connection = graceful.watch(connection);
        drop(tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(place);
        }));
    }
    drop(listener);
    if tokio::time::timeout(DRAIN_TIMEOUT, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests were not answered in time");
    }
}

async fn accept(listener: &TcpListener) -> (TcpStream, Peer) {
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "a connection could not be told not to wait");
                }
                return (stream, Peer(address));
            }
            Err(error) => {
                // Most likely the machine is out of descriptors or memory, until others give some back.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Tells the service the address of the peer, and reads what it leaves of a request's body.
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
            // `CONNECT host:port` names no path, and warp panics without one. The path `/` is answered 404.
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
