//! Why an attempt failed, in the words of a delivery's `last_error`.
//!
//! **Invariant:** a message is a text of this program. It has no text of the response, and no URL.

use std::error::Error;
use std::fmt;
use std::io;

use tokio_rustls::rustls::{self, AlertDescription, CertificateError};

/// Why no response arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoResponse {
    /// An address of the host is neither public nor allowed by the operator.
    NotAllowed,
    /// The host name has no address.
    Unresolved,
    /// The attempt took too long.
    Timeout,
    /// The connection could not be opened, or it broke.
    Connection(io::ErrorKind),
    /// The connection could not be encrypted, or the certificate is not valid.
    Tls(&'static str),
    /// The response is not HTTP, or not complete.
    Response(&'static str),
    /// The URL or a header cannot be sent.
    Request,
}

impl fmt::Display for NoResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAllowed => f.write_str("address not allowed"),
            Self::Unresolved => f.write_str("host name not found"),
            Self::Timeout => f.write_str("timeout"),
            Self::Connection(io::ErrorKind::TimedOut) => f.write_str("timeout"),
            Self::Connection(
                kind @ (io::ErrorKind::ConnectionRefused
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
                | io::ErrorKind::BrokenPipe
                | io::ErrorKind::HostUnreachable
                | io::ErrorKind::NetworkUnreachable
                | io::ErrorKind::UnexpectedEof),
            ) => write!(f, "{kind}"),
            Self::Connection(_) => f.write_str("connection failed"),
            Self::Tls(what) => write!(f, "TLS: {what}"),
            Self::Response(what) => f.write_str(what),
            Self::Request => f.write_str("the URL cannot be requested"),
        }
    }
}

impl NoResponse {
    /// Returns the fault of a TLS handshake.
    pub(super) fn of_handshake(error: &io::Error) -> Self {
        let Some(fault) = source::<rustls::Error>(error) else { return Self::Connection(error.kind()) };
        Self::Tls(match fault {
            rustls::Error::InvalidCertificate(error) => match error {
                CertificateError::Expired | CertificateError::ExpiredContext { .. } => "certificate expired",
                CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                    "certificate not valid yet"
                }
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                    "certificate is for another name"
                }
                CertificateError::UnknownIssuer => "certificate of an unknown issuer",
                CertificateError::Revoked => "certificate revoked",
                _ => "invalid certificate",
            },
            rustls::Error::AlertReceived(AlertDescription::HandshakeFailure) => "no common cipher suite",
            rustls::Error::AlertReceived(AlertDescription::ProtocolVersion)
            | rustls::Error::PeerIncompatible(_) => "no common version",
            rustls::Error::AlertReceived(_) => "refused by the server",
            rustls::Error::InvalidMessage(_) => "the server does not speak TLS",
            _ => "handshake failed",
        })
    }

    /// Returns the fault of a request that was sent over an open connection.
    pub(super) fn of_exchange(error: &hyper::Error) -> Self {
        if error.is_parse_too_large() {
            Self::Response("response headers too large")
        } else if error.is_parse() {
            Self::Response("not an HTTP response")
        } else if error.is_incomplete_message() {
            Self::Response("connection closed before the response")
        } else if error.is_user() {
            Self::Request
        } else {
            let error = source::<io::Error>(error);
            Self::Connection(error.map_or(io::ErrorKind::Other, io::Error::kind))
        }
    }
}

/// Finds an error of a type in a chain of sources.
fn source<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        // An `io::Error` that wraps another error is skipped by `source`, which returns the source of the wrapped error.
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if let Some(found) = wrapped.and_then(|error| error.downcast_ref()) {
            return Some(found);
        }
        next = error.source();
    }
    None
}
