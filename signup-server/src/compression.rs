//! Compression of responses with gzip, for clients that accept it.
//!
//! The length of a compressed response depends on what its parts have in common. So an attacker who can put text into a response
//! and see its length can guess a secret in it, letter by letter (BREACH). The table of [routes](crate::routes) therefore says
//! which responses may be compressed: those of the API whose routes have no secret, and those of the other routes that say that
//! they have none.
//!
//! **Invariant:** a response that can hold a secret is not compressed.

use std::io::{self, Write as _};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body_util::BodyExt as _;
use hyper::body::Body as _;
use warp::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, VARY};
use warp::http::{HeaderMap, HeaderValue};
use warp::reply::Response;

/// The minimum length of a body that is compressed, in bytes. A shorter one fits into one packet as it is.
const MIN_BYTES: u64 = 1024;
/// The length from which a body is compressed on a thread of its own, in bytes: it takes some milliseconds.
const LONG_BYTES: usize = 64 * 1024;

/// Compresses a response of a route that says it may be, if the client accepts gzip and the body is long enough.
pub(crate) async fn compress(mut response: Response, accepts_gzip: bool) -> Response {
    response.headers_mut().append(VARY, HeaderValue::from_static("accept-encoding"));
    if !accepts_gzip || response.body().size_hint().lower() < MIN_BYTES {
        return response;
    }
    let (mut head, body) = response.into_parts();
    // Never an error: the body is in memory.
    let text = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let compressed = if text.len() < LONG_BYTES {
        Some(gzip(&text))
    } else {
        let text = text.clone();
        tokio::task::spawn_blocking(move || gzip(&text)).await.ok()
    };
    // A task that panicked leaves the response as it is.
    let Some(compressed) = compressed else { return Response::from_parts(head, text.into()) };
    head.headers.remove(CONTENT_LENGTH);
    head.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    Response::from_parts(head, compressed.into())
}

fn gzip(text: &[u8]) -> Bytes {
    let compress = || -> io::Result<Vec<u8>> {
        let mut encoder = GzEncoder::new(Vec::with_capacity(text.len() / 4), Compression::default());
        encoder.write_all(text)?;
        encoder.finish()
    };
    // Never an error: a write into memory cannot fail.
    compress().unwrap_or_default().into()
}

/// Returns whether the client accepts gzip, and does not prefer the body as it is.
pub(crate) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let (mut gzip, mut identity, mut any) = (None, None, None);
    let lists = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    for coding in lists.flat_map(|list| list.split(',')) {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, "q=1"));
        let weight = weight.trim().strip_prefix(['q', 'Q']).and_then(|rest| rest.trim().strip_prefix('='));
        // A weight that cannot be read is the one of a coding that the client does not accept.
        let weight: f32 = weight.and_then(|number| number.trim().parse().ok()).unwrap_or_default();
        match name.trim().to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => gzip = Some(weight),
            "identity" => identity = Some(weight),
            "*" => any = Some(weight),
            _ => {}
        }
    }
    let gzip = gzip.or(any).unwrap_or_default();
    gzip > 0.0 && gzip >= identity.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;

    fn accepts(values: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(ACCEPT_ENCODING, value.parse().unwrap());
        }
        accepts_gzip(&headers)
    }

    #[test]
    fn a_client_accepts_gzip_by_name_or_by_any_unless_it_prefers_the_body_as_it_is() {
        for values in [
            &["gzip"][..],
            &["deflate, gzip;q=1.0, *;q=0.5"],
            &["br", "x-gzip"],
            &["*"],
            &["GZIP ; Q=0.001"],
            &["gzip, identity"],
            &["*;q=0, gzip;q=0.2"],
        ] {
            assert!(accepts(values), "{values:?}");
        }
        for values in [
            &[][..],
            &[""],
            &["identity"],
            &["br, deflate"],
            &["gzip;q=0"],
            &["*, gzip;q=0.000"],
            &["gzip;q=0.5, identity;q=1"],
            &["gzip;q=x"],
            &["gzip;level=9"],
            &["gzipped"],
        ] {
            assert!(!accepts(values), "{values:?}");
        }
    }

    #[tokio::test]
    async fn a_long_body_is_compressed_and_a_short_one_stays_as_it_is() {
        for (length, is_compressed) in [(1023, false), (1024, true), (200_000, true)] {
            let text = "volunteers ".repeat(length)[..length].to_owned();
            let response = compress(Response::new(text.clone().into()), true).await;
            let headers = response.headers();
            assert_eq!(headers[VARY], "accept-encoding");
            assert_eq!(headers.get(CONTENT_ENCODING).is_some(), is_compressed, "{length}");
            let body = response.into_body().collect().await.unwrap().to_bytes();
            let mut found = String::new();
            if is_compressed {
                assert!(body.len() < length / 4);
                GzDecoder::new(&*body).read_to_string(&mut found).unwrap();
            } else {
                found = String::from_utf8(body.to_vec()).unwrap();
            }
            assert!(found == text, "{length}");
        }
    }
}
