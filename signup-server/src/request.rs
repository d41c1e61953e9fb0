//! The request that handlers receive: token, idempotency key, client address, and a body that is read on demand.
//!
//! A handler reads the body last: whatever decides without the body is decided before the body takes memory. There are two
//! exceptions. A form for a sign-up is read although the store fails, so that the page can keep what was typed. The stored
//! answer of an idempotency key depends on the body, so that answer comes after the body.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use bytes::{Buf, Bytes};
use futures_util::{Stream, StreamExt as _};
use ipnet::IpNet;
use signup_core::{FaultKind, Faults, IdempotencyKey, Input, PathStep};
use warp::http::header::{ACCEPT, AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use warp::http::{HeaderMap, HeaderValue};

use crate::body_memory::BodyRoom;
use crate::reply::{ApiError, BodyError};
use crate::request_body::BODY_TIMEOUT;
use crate::similar::closest;
use crate::wire::{Deletion, Slot};

/// The maximum size of a body, in bytes.
const MAX_BODY_BYTES: usize = 1024 * 1024;

/// The mark that some programs write before UTF-8 text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The chunks of a body, as they arrive. The mutex makes a request `Sync`, so that a handler can lend it across an await. It is
/// never locked: only the owner of a request reads the body.
pub(crate) type BodyStream = Mutex<Pin<Box<dyn Stream<Item = Result<Bytes, warp::Error>> + Send>>>;

/// The buffer of a body that was read, with its room, which is given back when the buffer is dropped.
struct Buffer(Vec<u8>, #[expect(dead_code, reason = "gives the room back when dropped")] Option<BodyRoom>);

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// A request to the API or for a page, without its method and path.
pub(crate) struct Request {
    pub(crate) headers: HeaderMap,
    pub(crate) query: String,
    pub(crate) body: BodyStream,
    /// Whether a write only answers what it would do. The API has no such request; a tool for agents has.
    pub(crate) is_preview: bool,
    /// The names of the arguments of the tool for agents that makes this request. Empty for a request of the API, where only the
    /// parameters of the query have names that are close to an unknown one.
    pub(crate) arguments: Vec<&'static str>,
    /// The memory for the body, until the body is read. `None` for a body that is in memory already.
    room: Option<BodyRoom>,
}

impl Request {
    /// Creates a request. `room` is `None` for a body that is in memory already.
    pub(crate) const fn new(
        headers: HeaderMap,
        query: String,
        body: BodyStream,
        room: Option<BodyRoom>,
    ) -> Self {
        Self { headers, query, body, is_preview: false, arguments: Vec::new(), room }
    }

    /// Returns the token of `Authorization: Bearer …`. The form of the token is not checked.
    pub(crate) fn bearer(&self) -> Option<&str> {
        let (scheme, token) = self.headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_matches(' '))
    }

    /// Returns whether the client is a browser: whether it accepts HTML by name.
    pub(crate) fn accepts_html(&self) -> bool {
        let lists = self.headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let mut types = lists.flat_map(|list| list.split(','));
        types.any(|accepted| {
            let name = accepted.split(';').next().unwrap_or_default();
            name.trim().eq_ignore_ascii_case("text/html")
        })
    }

    /// Returns the idempotency key. An empty header counts as no key.
    ///
    /// # Errors
    /// Returns a fault if the header is repeated or malformed.
    pub(crate) fn idempotency_key(&self) -> Result<Option<IdempotencyKey>, Faults> {
        const FIELD: &str = "idempotency_key";
        let mut values = self.headers.get_all("idempotency-key").iter();
        let Some(value) = values.next() else { return Ok(None) };
        if values.next().is_some() {
            return Err(Faults::one(FIELD, FaultKind::Repeated));
        }
        if value.is_empty() {
            return Ok(None);
        }
        // A value with bytes other than visible ASCII becomes the empty string, which is not a valid key.
        let key = value.to_str().unwrap_or_default().parse::<IdempotencyKey>();
        key.map(Some).map_err(|error| Faults::one(FIELD, error))
    }

    /// Reads the JSON body, and converts it with `read`. The fields of the answer, which has those of `record`, are ignored, so
    /// that a client may send back what it has read.
    ///
    /// # Errors
    /// Fails like [`json`](Self::json). Returns the faults of `read`, and then a fault for each query parameter.
    pub(crate) async fn input<V>(
        &mut self,
        record: &'static [&'static str],
        read: impl FnOnce(Input<'_>) -> Result<V, Faults>,
    ) -> Result<V, ApiError> {
        let body = self.json().await?;
        self.read_input(&body, record, read)
    }

    /// Reads a JSON body that may be omitted, and converts it with `read`. An empty body is `{}`, whatever its
    /// `Content-Type` is.
    ///
    /// # Errors
    /// Fails like [`input`](Self::input).
    pub(crate) async fn optional_input<V>(
        &mut self,
        record: &'static [&'static str],
        read: impl FnOnce(Input<'_>) -> Result<V, Faults>,
    ) -> Result<V, ApiError> {
        let body = self.optional_json().await?;
        self.read_input(&body, record, read)
    }

    fn read_input<V>(
        &self,
        body: &[u8],
        record: &'static [&'static str],
        read: impl FnOnce(Input<'_>) -> Result<V, Faults>,
    ) -> Result<V, ApiError> {
        let input = json_input(body, record).and_then(read);
        let input = input.map_err(|faults| with_closest(faults, &self.arguments));
        Ok(both(input, self.no_query()).map(|(value, ())| value)?)
    }

    /// Reads the input of a deletion: the query string, and a body without members, which may be omitted.
    ///
    /// # Errors
    /// Fails like [`json`](Self::json). Returns the faults of the body, and then those of [`query`](Self::query).
    pub(crate) async fn deletion<V>(
        &mut self,
        read: impl FnOnce(Input<'_>) -> Result<V, Faults>,
    ) -> Result<V, ApiError> {
        let body = self.optional_json().await?;
        let input = json_input(&body, Deletion::FIELDS).and_then(no_fields);
        Ok(both(input, self.query(read)).map(|((), value)| value)?)
    }

    /// Converts the query string with `read`. The last value of a repeated parameter counts.
    ///
    /// # Errors
    /// Returns the faults of `read`. A name that is close to a known one is shown with it.
    pub(crate) fn query<V>(&self, read: impl FnOnce(Input<'_>) -> Result<V, Faults>) -> Result<V, Faults> {
        let input = Input::from_texts(form_urlencoded::parse(self.query.as_bytes()));
        if self.arguments.is_empty() {
            read(input.meaning(closest))
        } else {
            read(input).map_err(|faults| with_closest(faults, &self.arguments))
        }
    }

    /// Checks that the query string has no parameters.
    ///
    /// # Errors
    /// Returns a fault for each parameter.
    pub(crate) fn no_query(&self) -> Result<(), Faults> {
        self.query(no_fields)
    }

    /// Reads a JSON body that may be omitted. An empty body is `{}`, whatever its `Content-Type` is.
    async fn optional_json(&mut self) -> Result<Bytes, BodyError> {
        let read = self.json().await;
        let read = self.or_empty(read).await;
        read.map(|body| if body.is_empty() { Bytes::from_static(b"{}") } else { body })
    }

    /// Reads a form that may be omitted. An empty body has no fields, whatever its `Content-Type` is.
    ///
    /// # Errors
    /// Fails like [`form`](Self::form).
    pub(crate) async fn optional_form(&mut self) -> Result<Bytes, BodyError> {
        let read = self.form().await;
        self.or_empty(read).await
    }

    /// Returns what was read, or an empty body if it was not read because of its head.
    async fn or_empty(&mut self, read: Result<Bytes, BodyError>) -> Result<Bytes, BodyError> {
        match read {
            // Nothing was read yet.
            Err(error @ (BodyError::UnsupportedMediaType | BodyError::Encoded)) => {
                self.read(0).await.map_err(|other| if other == BodyError::TooLarge { error } else { other })
            }
            read => read,
        }
    }

    /// Reads the body, without a byte order mark. The `Content-Type` must be JSON or absent. The body has its room until it is
    /// dropped, so the caller drops the body as soon as it is parsed.
    ///
    /// # Errors
    /// Returns an error if the body is longer than 1 MiB, has a `Content-Encoding`, takes longer than 30 seconds, breaks off, or
    /// finds no room, or if the `Content-Type` is not JSON. What the head says is checked before the body is read.
    pub(crate) async fn json(&mut self) -> Result<Bytes, BodyError> {
        let mut body = self.body_of(self.is_json()).await?;
        if body.starts_with(BYTE_ORDER_MARK) {
            body.advance(BYTE_ORDER_MARK.len());
        }
        Ok(body)
    }

    /// Reads the body. The `Content-Type` must be `application/x-www-form-urlencoded`.
    ///
    /// # Errors
    /// Fails like [`json`](Self::json), but an absent `Content-Type` is an error, too.
    pub(crate) async fn form(&mut self) -> Result<Bytes, BodyError> {
        let is_form = self.media_type().as_deref() == Some("application/x-www-form-urlencoded");
        self.body_of(is_form).await
    }

    async fn body_of(&mut self, has_media_type: bool) -> Result<Bytes, BodyError> {
        self.check_length(MAX_BODY_BYTES)?;
        if self.is_encoded() {
            return Err(BodyError::Encoded);
        }
        if !has_media_type {
            return Err(BodyError::UnsupportedMediaType);
        }
        self.read(MAX_BODY_BYTES).await
    }

    fn check_length(&self, max_bytes: usize) -> Result<(), BodyError> {
        let is_longer = self.declared_length().is_some_and(|length| length > max_bytes);
        if is_longer { Err(BodyError::TooLarge) } else { Ok(()) }
    }

    async fn read(&mut self, max_bytes: usize) -> Result<Bytes, BodyError> {
        self.check_length(max_bytes)?;
        tokio::time::timeout(BODY_TIMEOUT, self.buffer(max_bytes)).await.map_err(|_| BodyError::Timeout)?
    }

    /// Reads the body into a buffer that grows with what has arrived, and takes the room for each growth.
    async fn buffer(&mut self, max_bytes: usize) -> Result<Bytes, BodyError> {
        let most = self.declared_length().unwrap_or(MAX_BODY_BYTES);
        let mut body = Vec::new();
        let mut room = self.room.take();
        let chunks = self.body.get_mut().unwrap_or_else(PoisonError::into_inner);
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk.map_err(|_| BodyError::Broken)?;
            let length = body.len() + chunk.len();
            if length > max_bytes {
                return Err(BodyError::TooLarge);
            }
            if length > body.capacity() {
                let capacity = (2 * body.capacity()).min(most).max(length);
                if room.as_mut().is_some_and(|room| !room.grow(capacity - body.capacity())) {
                    return Err(BodyError::NoRoom);
                }
                body.reserve_exact(capacity - body.len());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Bytes::from_owner(Buffer(body, room)))
    }

    /// Returns the length of the body, if the head declares it.
    fn declared_length(&self) -> Option<usize> {
        self.headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
    }

    /// Returns whether the body is encoded, such as compressed. The encoding `identity` is none.
    fn is_encoded(&self) -> bool {
        let is_identity = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
        self.headers.get_all(CONTENT_ENCODING).iter().any(|value| !value.is_empty() && !is_identity(value))
    }

    /// Returns the `Content-Type` without parameters, in lower case.
    fn media_type(&self) -> Option<String> {
        let value = self.headers.get(CONTENT_TYPE)?.to_str().ok()?;
        Some(value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
    }

    fn is_json(&self) -> bool {
        if !self.headers.contains_key(CONTENT_TYPE) {
            return true;
        }
        let Some(media_type) = self.media_type() else { return false };
        let Some(subtype) = media_type.strip_prefix("application/") else { return false };
        subtype == "json" || (subtype.len() > "+json".len() && subtype.ends_with("+json"))
    }
}

/// Adds to the fault of each unknown name the one in `known` that is close to it.
fn with_closest(faults: Faults, known: &[&'static str]) -> Faults {
    faults.with_meant(|path| match path.steps() {
        [PathStep::Member(name)] => closest(known, name),
        _ => None,
    })
}

/// Returns both values, or the faults of both.
fn both<A, B>(first: Result<A, Faults>, second: Result<B, Faults>) -> Result<(A, B), Faults> {
    match (first, second) {
        (Ok(first), Ok(second)) => Ok((first, second)),
        (Err(mut faults), Err(more)) => {
            faults.append(more);
            Err(faults)
        }
        (Err(faults), Ok(_)) | (Ok(_), Err(faults)) => Err(faults),
    }
}

/// Checks an input that takes no field.
pub(crate) fn no_fields(input: Input<'_>) -> Result<(), Faults> {
    input.check_empty()
}

/// Checks the input of a write that sends no mail: `notify_volunteers` is taken, without an effect.
pub(crate) fn no_mail(input: Input<'_>) -> Result<(), Faults> {
    input.check_no_mail()
}

/// Reads a body. `record` has the fields of the record that the request is about. They are ignored where the request does not take
/// them, and so are those of a [`Slot`] in an element of `shifts`.
fn json_input<'a>(body: &'a [u8], record: &'static [&'static str]) -> Result<Input<'a>, Faults> {
    Ok(Input::from_json(body)?.ignoring(record, Slot::FIELDS))
}

/// Converts warp's stream of buffers into a [`BodyStream`].
pub(crate) fn body_stream<B: Buf>(
    chunks: impl Stream<Item = Result<B, warp::Error>> + Send + 'static,
) -> BodyStream {
    let chunks = chunks.map(|chunk| chunk.map(|mut chunk| chunk.copy_to_bytes(chunk.remaining())));
    Mutex::new(Box::pin(chunks))
}

/// Returns the address of the client: the peer, or the forwarded address if the peer is a trusted proxy.
///
/// Each proxy appends the address of its own peer to `X-Forwarded-For`. So the client is the rightmost address that is
/// not a trusted proxy; the addresses to its left could be forged. If all addresses are trusted, the client is the
/// leftmost one.
pub(crate) fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let is_trusted =
        |address: &IpAddr| trusted.iter().any(|network| network.contains(&address.to_canonical()));
    let mut client = peer.to_canonical();
    if !is_trusted(&client) {
        return client;
    }
    let lists = headers.get_all("x-forwarded-for").iter().rev().filter_map(|value| value.to_str().ok());
    for address in lists.flat_map(|list| list.rsplit(',')) {
        // A trusted proxy appends only addresses, so a malformed entry and all entries to its left are not trusted.
        let Some(address) = forwarded_address(address.trim()) else { return client };
        client = address;
        if !is_trusted(&client) {
            return client;
        }
    }
    client
}

/// Parses an entry of `X-Forwarded-For`: an address, with or without a port.
fn forwarded_address(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse::<std::net::SocketAddr>().ok().map(|address| address.ip());
    let address: Option<IpAddr> = text.parse().ok();
    address.or_else(with_port).map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use warp::http::HeaderName;

    use super::*;
    use crate::body_memory::BodyMemory;

    fn client(peer: &str, forwarded: &[&str], trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", value.parse().unwrap());
        }
        let trusted: Vec<IpNet> = trusted.iter().map(|network| network.parse().unwrap()).collect();
        client_address(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    /// Reads a body of which these bytes arrive, with room for 8 KiB.
    async fn read(headers: &[(&'static str, &'static str)], chunks: &[&str]) -> Result<String, BodyError> {
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        let chunks: Vec<_> = chunks
            .iter()
            .map(|chunk| Ok::<_, warp::Error>(Bytes::copy_from_slice(chunk.as_bytes())))
            .collect();
        let (memory, client) = (BodyMemory::new(8192), IpAddr::from([192, 0, 2, 1]));
        let body = body_stream(futures_util::stream::iter(chunks));
        let mut request = Request::new(headers.collect(), String::new(), body, Some(memory.room(client)));
        let read = request.optional_json().await.map(|body| String::from_utf8(body.to_vec()).unwrap());
        assert!(memory.room(client).grow(8192), "the room is given back before the request is dropped");
        read
    }

    #[tokio::test]
    async fn a_body_takes_room_for_what_has_arrived_and_not_for_what_its_head_declares() {
        let declared = [("content-length", "1000000")];
        assert_eq!(read(&declared, &["{", "}"]).await, Ok("{}".into()));
        let half: &str = &" ".repeat(4096);
        assert_eq!(read(&[], &[half, half]).await.map(|body| body.len()), Ok(8192));
        assert_eq!(read(&[], &[half, half, " "]).await, Err(BodyError::NoRoom));
    }

    #[tokio::test]
    async fn an_optional_body_that_is_empty_is_an_object_whatever_its_head_says() {
        for headers in [("content-type", "text/plain"), ("content-encoding", "gzip"), ("content-length", "0")]
        {
            assert_eq!(read(&[headers], &["", ""]).await, Ok("{}".into()), "{headers:?}");
        }
        assert_eq!(
            read(&[("content-type", "text/plain")], &["", "x"]).await,
            Err(BodyError::UnsupportedMediaType)
        );
        assert_eq!(read(&[("content-encoding", "gzip")], &["x"]).await, Err(BodyError::Encoded));
        assert_eq!(read(&[("content-encoding", "Identity")], &["\u{feff}{}"]).await, Ok("{}".into()));
        assert_eq!(read(&[], &["\u{feff}"]).await, Ok("{}".into()), "only a byte order mark");
    }

    #[test]
    fn the_client_is_the_rightmost_address_that_is_not_a_trusted_proxy() {
        let trusted = ["10.0.0.0/8"];
        assert_eq!(
            client("192.0.2.9", &["198.51.100.1"], &trusted),
            "192.0.2.9",
            "the header of an untrusted peer is ignored"
        );
        assert_eq!(client("10.0.0.1", &["203.0.113.7, 198.51.100.1, 10.0.0.2"], &trusted), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["203.0.113.7", "198.51.100.1"], &trusted), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["198.51.100.1:4711"], &trusted), "198.51.100.1");
        assert_eq!(client("10.0.0.1", &["198.51.100.1, nonsense"], &trusted), "10.0.0.1");
        assert_eq!(client("10.0.0.1", &[], &trusted), "10.0.0.1");
        assert_eq!(client("::ffff:10.0.0.1", &["198.51.100.1"], &trusted), "198.51.100.1");
    }
}
