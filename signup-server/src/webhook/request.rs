//! The request of an attempt: its body, and the signature of Standard Webhooks.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http_body_util::Full;
use hyper::Request;
use sha2::Sha256;
use signup_core::{Delivery, SigningSecret, Timestamp, Webhook};
use url::{Position, Url};
use warp::http::header::{CONTENT_TYPE, HOST, USER_AGENT};

use crate::wire::WebhookPayload;

/// The value of `User-Agent`.
const AGENT: &str = concat!("Signup/", env!("CARGO_PKG_VERSION"));
/// The initial capacity of a body, in bytes: that of most activity.
const INITIAL_CAPACITY: usize = 512;

/// Writes the request that tells a webhook of an activity, for an attempt at `now`.
///
/// Its headers are those of HTTP, and those of Standard Webhooks. Returns `None` if the URL cannot be the target of a request.
pub(super) fn signed(
    url: &Url,
    webhook: &Webhook,
    delivery: &Delivery,
    now: Timestamp,
) -> Option<Request<Full<Bytes>>> {
    let body = body(delivery);
    let (id, second) = (delivery.id.to_string(), now.as_second());
    let signatures: Option<Vec<_>> =
        webhook.secrets(now).map(|secret| signature(secret, &id, second, &body)).collect();
    let request = Request::post(&url[Position::BeforePath..])
        .header(HOST, &url[Position::BeforeHost..Position::AfterPort])
        .header(CONTENT_TYPE, "application/json")
        .header(USER_AGENT, AGENT)
        .header("webhook-id", id)
        .header("webhook-timestamp", second)
        .header("webhook-signature", signatures?.join(" "))
        .body(Full::new(body));
    request.ok()
}

/// Returns the body: the same in every attempt.
fn body(delivery: &Delivery) -> Bytes {
    let mut body = Vec::with_capacity(INITIAL_CAPACITY);
    // A write into memory cannot fail.
    drop(sonic_rs::to_writer(&mut body, &WebhookPayload::new(&delivery.activity)));
    body.into()
}

/// Signs `id.timestamp.body`. Never returns `None`, because a key of HMAC may have any length.
fn signature(secret: &SigningSecret, id: &str, second: i64, body: &[u8]) -> Option<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?;
    mac.update(format!("{id}.{second}.").as_bytes());
    mac.update(body);
    Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
}
