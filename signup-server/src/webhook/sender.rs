//! The sender: checks the addresses of a webhook, connects to one of them, and sends one request.
//!
//! **Invariant:** each address that the sender connects to has been checked in the same attempt. An attempt looks the name up
//! anew and has a connection of its own, which is closed afterwards. So no earlier check, and no pooled connection, counts.

use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::{Arc, Once};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{Either, select};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::Request;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::RETRY_AFTER;
use hyper_util::rt::TokioIo;
use jiff::fmt::rfc2822::DateTimeParser;
use signup_core::{Attempt, Delivery, Networks, SignedDuration, Timestamp, Webhook, WebhookUrl};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;
use url::{Host, Url};

use super::fault::NoResponse;
use super::network::{Network, SystemNetwork};
use super::{SendDelivery, request};
use crate::tls;

#[cfg(test)]
mod endpoint;
#[cfg(test)]
mod ssrf_tests;
#[cfg(test)]
mod tests;

/// The timeout of an attempt: lookup, connection, TLS, request and response. Half of [`Delivery::LEASE`], so that the lease lasts
/// until the report.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(15);
/// The timeout of a connection to an address, if another address follows.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The size of the read buffer of a connection, in bytes, and so of the longest head of a response.
const BUFFER_BYTES: usize = 32 * 1024;
/// The number of bytes of a response's body that are dropped before the connection is closed. An endpoint that is still writing
/// might otherwise see an error. With the buffer, at most 64 KiB of a body are read.
const DROPPED_BYTES: usize = 32 * 1024;

/// Sends requests to webhooks.
#[derive(Debug)]
pub(crate) struct Sender {
    /// The networks that the operator allows besides public addresses.
    allowed: Networks,
    network: Arc<dyn Network>,
    timeout: Duration,
    /// The configuration of TLS, unless it is [the one of the system](tls::with_system_roots).
    tls: Option<Arc<ClientConfig>>,
}

/// The part of a response that counts.
struct Response {
    status: u16,
    retry_after: Option<SignedDuration>,
}

impl SendDelivery for Sender {
    async fn send(&self, webhook: &Webhook, delivery: &Delivery, now: Timestamp) -> Attempt {
        match self.exchange(webhook, delivery, now).await {
            Ok(Response { status: status @ 200..=299, .. }) => Attempt::Succeeded { status },
            Ok(Response { status: 410, .. }) => Attempt::Gone,
            Ok(Response { status, retry_after }) => {
                let error = match status {
                    300..=399 => "redirect".to_owned(),
                    _ => format!("status {status}"),
                };
                Attempt::Failed { status: Some(status), error, retry_after }
            }
            Err(fault) => Attempt::Failed { status: None, error: fault.to_string(), retry_after: None },
        }
    }
}

impl Sender {
    /// Creates a sender. Besides public addresses it reaches those in `allowed`.
    pub(crate) fn new(allowed: Networks) -> Self {
        Self { allowed, network: Arc::new(SystemNetwork), timeout: ATTEMPT_TIMEOUT, tls: None }
    }

    async fn exchange(
        &self,
        webhook: &Webhook,
        delivery: &Delivery,
        now: Timestamp,
    ) -> Result<Response, NoResponse> {
        let deadline = Instant::now() + self.timeout;
        let url = Url::parse(webhook.url.as_str()).map_err(|_| NoResponse::Request)?;
        let request = request::signed(&url, webhook, delivery, now).ok_or(NoResponse::Request)?;
        let opened = timeout_at(deadline, self.open(&webhook.url, &url)).await;
        match opened.map_err(|_| NoResponse::Timeout)?? {
            (stream, None) => post(stream, request, deadline, now).await,
            (stream, Some(name)) => {
                let connecting = TlsConnector::from(self.tls()?).connect(name, stream);
                let stream = timeout_at(deadline, connecting).await.map_err(|_| NoResponse::Timeout)?;
                post(stream.map_err(|error| NoResponse::of_handshake(&error))?, request, deadline, now).await
            }
        }
    }

    /// Connects to the host of a webhook. Also returns the name that its certificate must have, unless the scheme is `http`.
    ///
    /// If any address of the host is not allowed, connects to none.
    async fn open(
        &self,
        webhook: &WebhookUrl,
        url: &Url,
    ) -> Result<(TcpStream, Option<ServerName<'static>>), NoResponse> {
        let port = url.port_or_known_default().ok_or(NoResponse::Request)?;
        let (addresses, name) = match url.host().ok_or(NoResponse::Request)? {
            Host::Ipv4(address) => {
                (vec![SocketAddr::from((address, port))], ServerName::from(IpAddr::V4(address)))
            }
            Host::Ipv6(address) => {
                (vec![SocketAddr::from((address, port))], ServerName::from(IpAddr::V6(address)))
            }
            Host::Domain(host) => {
                let name = ServerName::try_from(host.to_owned()).map_err(|_| NoResponse::Request)?;
                (self.network.resolve(host, port).await.map_err(|_| NoResponse::Unresolved)?, name)
            }
        };
        if !addresses.iter().all(|address| webhook.may_reach(address.ip(), &self.allowed)) {
            return Err(NoResponse::NotAllowed);
        }
        let stream = self.connect(&addresses).await?;
        Ok((stream, webhook.is_https().then_some(name)))
    }

    /// Connects to the first of these addresses that accepts a connection. The last one has the rest of the attempt's time.
    async fn connect(&self, addresses: &[SocketAddr]) -> Result<TcpStream, NoResponse> {
        let (last, others) = addresses.split_last().ok_or(NoResponse::Unresolved)?;
        for address in others {
            if let Ok(Ok(stream)) = timeout(CONNECT_TIMEOUT, self.network.connect(*address)).await {
                return Ok(stream);
            }
        }
        self.network.connect(*last).await.map_err(|error| NoResponse::Connection(error.kind()))
    }

    /// Returns the configuration of TLS.
    fn tls(&self) -> Result<Arc<ClientConfig>, NoResponse> {
        let config = self.tls.clone().or_else(tls::with_system_roots);
        config.ok_or_else(|| {
            static WARNING: Once = Once::new();
            WARNING.call_once(|| {
                tracing::warn!("the system has no root certificates, so no https webhook can be reached");
            });
            NoResponse::Tls("no root certificates")
        })
    }
}

/// Sends a request over a connection, and returns the response. Reads a part of its body, and closes the connection.
///
/// The head of the response decides. A body that is slow, broken or too long makes no difference.
async fn post<S>(
    stream: S,
    request: Request<Full<Bytes>>,
    deadline: Instant,
    now: Timestamp,
) -> Result<Response, NoResponse>
where
    S: AsyncRead + AsyncWrite + Send + Unpin,
{
    let mut client = http1::Builder::new();
    client.max_buf_size(BUFFER_BYTES);
    let (mut sender, connection) =
        client.handshake(TokioIo::new(stream)).await.map_err(|error| NoResponse::of_exchange(&error))?;
    let exchange = async {
        let response = timeout_at(deadline, sender.send_request(request)).await;
        let response =
            response.map_err(|_| NoResponse::Timeout)?.map_err(|error| NoResponse::of_exchange(&error))?;
        let status = response.status().as_u16();
        let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = retry_after.and_then(|text| pause(text, now));
        drop(timeout_at(deadline, skip(response.into_body())).await);
        Ok(Response { status, retry_after })
    };
    // hyper moves the bytes of the connection while the second future is polled.
    match select(pin!(exchange), pin!(connection)).await {
        Either::Left((response, _)) => response,
        Either::Right((_, exchange)) => exchange.await,
    }
}

/// Reads a body to its end, to [`DROPPED_BYTES`] or to an error.
async fn skip(body: Incoming) {
    let mut body = Limited::new(body, DROPPED_BYTES);
    while let Some(Ok(_)) = body.frame().await {}
}

/// Returns the pause that a `Retry-After` asks for, in seconds or as a date. The library bounds it.
fn pause(text: &str, now: Timestamp) -> Option<SignedDuration> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(SignedDuration::from_secs(text.parse().unwrap_or(i64::MAX)));
    }
    let date = DateTimeParser::new().parse_timestamp(text).ok()?;
    Some(date.duration_since(now))
}
