//! Request bodies, shared between the service, which reads the body, and the connection, which discards the rest.
//!
//! The next request on a connection starts where the body of the previous request ends. If the service responds before
//! it has read the whole body, hyper closes the connection after the response, and the response does not announce that.
//! A client that has already sent its next request cannot know whether that request took effect. So the connection
//! reads and discards the rest of the body before it sends the response.
//!
//! **Invariant:** a response that leaves a part of the request body unread has the header `Connection: close`.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::Request;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::{Instant, timeout, timeout_at};
use warp::http::StatusCode;
use warp::http::header::EXPECT;

/// How long a client may take to send a body, including the rest that is discarded.
pub(crate) const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// How long the connection reads the rest of a body.
const REST_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the connection waits for more of the rest, unless the response is a 413. A client that sends nothing for longer gets
/// its response at once.
const REST_PAUSE: Duration = Duration::from_secs(3);
/// The maximum size of the rest that is read, in bytes: the maximum size of a body.
const MAX_REST_BYTES: u64 = 1024 * 1024;
/// The maximum size of the rest that is read before a 413 response, in bytes.
///
/// The client may still be sending a body that is too large. If the connection were closed meanwhile, the client might
/// not receive the response.
const MAX_REST_BYTES_TOO_LARGE: u64 = 32 * 1024 * 1024;

/// The service's handle to a body. Dropping the handle leaves the unread rest to the connection.
#[derive(Debug)]
pub(crate) struct RequestBody(Option<SharedBody>);

/// The connection's handle to the same body. Reads the rest that the service has left unread.
#[derive(Debug)]
pub(crate) struct Rest {
    body: SharedBody,
    /// The deadline of the whole body.
    deadline: Instant,
    /// Whether the client waits for `100 Continue`, which hyper sends when the body is first read.
    expects_continue: bool,
}

#[derive(Debug, Clone)]
struct SharedBody(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    /// `None` after the end of the body.
    incoming: Option<Incoming>,
    was_read: bool,
}

/// Splits the body of a request into the service's handle and the connection's handle.
///
/// The connection's handle is `None` if the body is empty.
pub(crate) fn share(request: Request<Incoming>) -> (Request<RequestBody>, Option<Rest>) {
    let (head, incoming) = request.into_parts();
    if incoming.is_end_stream() {
        return (Request::from_parts(head, RequestBody(None)), None);
    }
    let expects = head.headers.get(EXPECT);
    let expects_continue =
        expects.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"100-continue"));
    let body = SharedBody(Arc::new(Mutex::new(State { incoming: Some(incoming), was_read: false })));
    let rest = Rest { body: body.clone(), deadline: Instant::now() + BODY_TIMEOUT, expects_continue };
    (Request::from_parts(head, RequestBody(Some(body))), Some(rest))
}

impl Rest {
    /// Reads and discards the rest of the body before a response with `status` is sent.
    ///
    /// Returns whether the end of the body was reached. Only then can the connection be reused. Nothing is read if the
    /// client still waits for `100 Continue`, because a read would request a body only to discard the body. Nothing is
    /// read either if the declared rest is longer than the bound, except before a 413.
    pub(crate) async fn read_to_end(self, status: StatusCode) -> bool {
        let is_too_large = status == StatusCode::PAYLOAD_TOO_LARGE;
        let max_bytes = if is_too_large { MAX_REST_BYTES_TOO_LARGE } else { MAX_REST_BYTES };
        {
            let state = self.body.state();
            let declared = state.incoming.as_ref().map_or(0, |incoming| incoming.size_hint().lower());
            if (self.expects_continue && !state.was_read) || (declared > max_bytes && !is_too_large) {
                return false;
            }
        }
        let deadline = self.deadline.min(Instant::now() + REST_TIMEOUT);
        let pause = if is_too_large { REST_TIMEOUT } else { REST_PAUSE };
        timeout_at(deadline, self.read(max_bytes, pause)).await.unwrap_or(false)
    }

    async fn read(&self, max_bytes: u64, pause: Duration) -> bool {
        let mut bytes = 0;
        loop {
            let frame = std::future::poll_fn(|context| self.body.poll_frame(context));
            let frame = match timeout(pause, frame).await {
                Ok(None) => return true,
                Ok(Some(Ok(frame))) => frame,
                Ok(Some(Err(_))) | Err(_) => return false,
            };
            bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
            if bytes > max_bytes {
                return false;
            }
        }
    }
}

impl SharedBody {
    fn state(&self) -> MutexGuard<'_, State> {
        // A panic cannot leave the state inconsistent, so a poisoned lock is usable.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn poll_frame(&self, context: &mut Context<'_>) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        let mut state = self.state();
        state.was_read = true;
        let Some(incoming) = &mut state.incoming else { return Poll::Ready(None) };
        let frame = Pin::new(incoming).poll_frame(context);
        if matches!(frame, Poll::Ready(None)) {
            state.incoming = None;
        }
        frame
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<hyper::Result<Frame<Bytes>>>> {
        self.0.as_ref().map_or(Poll::Ready(None), |body| body.poll_frame(context))
    }

    fn is_end_stream(&self) -> bool {
        let has_ended = |body: &SharedBody| body.state().incoming.as_ref().is_none_or(Body::is_end_stream);
        self.0.as_ref().is_none_or(has_ended)
    }

    fn size_hint(&self) -> SizeHint {
        let hint = |body: &SharedBody| body.state().incoming.as_ref().map(Body::size_hint);
        self.0.as_ref().and_then(hint).unwrap_or_else(|| SizeHint::with_exact(0))
    }
}
