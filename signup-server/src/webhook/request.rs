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
/// Its headers are those of HTTP, and those of Standard Webhooks. Returns `None` if the URL cannot be the target of a request, or
/// if the webhook has no secret.
pub(super) fn signed(
    url: &Url,
    webhook: &Webhook,
    delivery: &Delivery,
    now: Timestamp,
) -> Option<Request<Full<Bytes>>> {
    let body = body(delivery);
    let (id, second) = (delivery.id.to_string(), now.as_second());
    let signatures: Vec<_> =
        webhook.secrets(now).map(|secret| signature(secret, &id, second, &body)).collect::<Option<_>>()?;
    if signatures.is_empty() {
        return None;
    }
    let request = Request::post(&url[Position::BeforePath..])
        .header(HOST, &url[Position::BeforeHost..Position::AfterPort])
        .header(CONTENT_TYPE, "application/json")
        .header(USER_AGENT, AGENT)
        .header("webhook-id", id)
        .header("webhook-timestamp", second)
        .header("webhook-signature", signatures.join(" "))
        .body(Full::new(body));
    request.ok()
}

/// Returns the body: the same in every attempt.
fn body(delivery: &Delivery) -> Bytes {
    let mut body = Vec::with_capacity(INITIAL_CAPACITY);
    // A write into memory cannot fail.
    drop(serde_json::to_writer(&mut body, &WebhookPayload::new(&delivery.activity)));
    body.into()
}

/// Signs `id.timestamp.body`. Never returns `None`, because a key of HMAC may have any length.
fn signature(secret: &SigningSecret, id: &str, second: i64, body: &[u8]) -> Option<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?;
    mac.update(format!("{id}.{second}.").as_bytes());
    mac.update(body);
    Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
}

#[cfg(test)]
mod tests {
    use signup_core::uuid::Uuid;
    use signup_core::{
        Activity, ActivityId, ActivityType, Actor, DeliveryId, FormerSecret, Name, OrganizationId, PersonId,
        SignedDuration, Subject, SystemClock, TokenId, WebhookId,
    };

    use super::*;

    fn delivery(activity: Activity) -> Delivery {
        let now = activity.created_at;
        Delivery::new(DeliveryId::new(Uuid::from_u128(9)), WebhookId::new(Uuid::from_u128(7)), activity, now)
    }

    fn activity(actor: Actor, subject: Subject, changes: &[&'static str], now: Timestamp) -> Activity {
        let changes = changes.iter().map(|change| (*change).into()).collect();
        let (id, owner) = (ActivityId::new(Uuid::from_u128(3)), OrganizationId::new(Uuid::from_u128(1)));
        Activity::new(id, owner, ActivityType::ORGANIZATION_CREATED, now, actor, subject, changes)
    }

    #[tokio::test]
    async fn the_published_library_accepts_each_signature_for_a_day_after_a_rotation() {
        use signup_core::Clock as _;

        let now = SystemClock.now();
        let url: Url = "https://example.org/hooks".parse().unwrap();
        let [old, new] = [(); 2].map(|()| SigningSecret::generate());
        let (id, owner) = (WebhookId::new(Uuid::from_u128(7)), OrganizationId::new(Uuid::from_u128(1)));
        let mut webhook =
            Webhook::new(id, owner, "https://example.org/hooks".parse().unwrap(), new.clone(), now);
        let delivery = delivery(activity(Actor::System, Subject::default(), &[], now));
        for (until, count) in [(now + SignedDuration::from_secs(1), 2), (now, 1)] {
            webhook.former_secret = Some(FormerSecret { secret: old.clone(), until });
            let request = signed(&url, &webhook, &delivery, now).unwrap();
            let headers = request.headers();
            let accepts = |secret: &SigningSecret| {
                let library = standardwebhooks::Webhook::new(&secret.reveal()).unwrap();
                library.verify(&body(&delivery), headers).is_ok()
            };
            assert!(accepts(&new));
            assert_eq!(accepts(&old), count == 2);
            let signatures = headers["webhook-signature"].to_str().unwrap();
            assert_eq!(signatures.split(' ').count(), count);
            let mut first = headers.clone();
            first.insert("webhook-signature", signatures.split(' ').next().unwrap().parse().unwrap());
            let library = standardwebhooks::Webhook::new(&new.reveal()).unwrap();
            assert!(library.verify(&body(&delivery), &first).is_ok(), "the new secret signs first");
        }
    }

    /// Every id is set, the name is the longest one in bytes, and `changes` has every field of an event and of an organization.
    #[test]
    fn the_longest_body_has_at_most_2_kib() {
        let every: &[&str] = &[
            "title",
            "description",
            "instructions",
            "location",
            "is_virtual",
            "location_lat",
            "location_lng",
            "location_data",
            "start_date",
            "end_date",
            "timezone",
            "language",
            "reminders_enabled",
            "theme",
            "badge_label",
            "external_id",
            "signups_open_at",
            "signups_close_at",
            "name",
            "contact",
            "privacy_url",
            "sport",
            "public_url",
            "plan",
        ];
        let id = Uuid::max();
        let mut subject = Subject::default();
        subject.event = Some(signup_core::EventId::new(id));
        subject.shift = Some(signup_core::ShiftId::new(id));
        subject.signup = Some(signup_core::SignupId::new(id));
        subject.question = Some(signup_core::QuestionId::new(id));
        subject.token = Some(TokenId::new(id));
        subject.webhook = Some(WebhookId::new(id));
        subject.person = Some(PersonId::new(id));
        let longest = ["😀", "\"", "\\"].map(|character| {
            let name = Name::new(&character.repeat(Name::MAX)).unwrap();
            let actor = Actor::Token { id: TokenId::new(id), name };
            body(&delivery(activity(actor, subject, every, Timestamp::UNIX_EPOCH))).len()
        });
        assert!(longest.iter().all(|length| (1000..=2048).contains(length)), "{longest:?}");
    }
}
