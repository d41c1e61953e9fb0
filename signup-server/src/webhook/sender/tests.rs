//! The sender against endpoints and networks of the tests.

use rcgen::{CertificateParams, DnType, KeyPair, date_time_ymd};
use tokio::io::AsyncWriteExt as _;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use signup_core::Actor;

use super::endpoint::{Endpoint, TestNetwork, Then, at, delivery, webhook};
use super::*;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
/// A public address. No test connects to it: a [`TestNetwork`] leads every connection to this machine.
const PUBLIC: &str = "93.184.215.14";

impl Sender {
    /// Creates a sender on a network of a test, with a short timeout.
    pub(super) fn on(network: Arc<TestNetwork>, allowed: &str) -> Self {
        let timeout = Duration::from_millis(700);
        Self { allowed: allowed.parse().unwrap(), network, timeout, tls: None }
    }

    /// Trusts this root certificate and no other.
    fn trusting(self, certificate: CertificateDer<'static>) -> Self {
        let mut roots = RootCertStore::empty();
        roots.add(certificate).unwrap();
        Self { tls: tls::with_roots(roots), ..self }
    }

    pub(super) async fn attempt(&self, url: &str) -> Attempt {
        self.send(&webhook(url), &delivery(Actor::System), at(0)).await
    }

    /// Makes an attempt that fails without a response, and returns why.
    pub(super) async fn fault(&self, url: &str) -> String {
        match self.attempt(url).await {
            Attempt::Failed { status: None, error, retry_after: None } => error,
            attempt => panic!("{url}: {attempt:?}"),
        }
    }
}

/// Makes an attempt at an endpoint without TLS that answers like this.
async fn attempt_at(answer: &str, then: Then) -> Attempt {
    let endpoint = Endpoint::start(answer, then, None).await;
    let sender = Sender::on(Arc::new(TestNetwork::new(Some(endpoint.address))), "127.0.0.0/8");
    let attempt = sender.attempt("http://127.0.0.1/").await;
    assert_eq!(endpoint.accepted(), 1, "{attempt:?}");
    attempt
}

fn failed(status: u16, error: &str, retry_after: Option<i64>) -> Attempt {
    let retry_after = retry_after.map(SignedDuration::from_secs);
    Attempt::Failed { status: Some(status), error: error.to_owned(), retry_after }
}

#[tokio::test]
async fn only_a_status_of_success_is_a_success() {
    for (answer, expected) in [
        ("200 OK", Attempt::Succeeded { status: 200 }),
        ("299 Fine", Attempt::Succeeded { status: 299 }),
        ("410 Gone", Attempt::Gone),
        ("400 Bad", failed(400, "status 400", None)),
        ("500 Oops", failed(500, "status 500", None)),
        ("304 Same", failed(304, "redirect", None)),
        ("503 Busy\r\nRetry-After: 120", failed(503, "status 503", Some(120))),
        ("429 Busy\r\nRetry-After: 99999999999999999999999", failed(429, "status 429", Some(i64::MAX))),
        ("503 Busy\r\nRetry-After: Fri, 15 Jan 2027 08:10:00 GMT", failed(503, "status 503", Some(600))),
        ("503 Busy\r\nRetry-After: soon", failed(503, "status 503", None)),
        ("503 Busy\r\nRetry-After: -1", failed(503, "status 503", None)),
    ] {
        let answer = format!("HTTP/1.1 {answer}\r\nContent-Length: 0\r\n\r\n");
        assert_eq!(attempt_at(&answer, Then::Close).await, expected, "{answer}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let target = Endpoint::start(OK, Then::Close, None).await;
    for status in [301, 302, 303, 307, 308] {
        let answer = format!(
            "HTTP/1.1 {status} Moved\r\nLocation: http://{}/\r\nContent-Length: 0\r\n\r\n",
            target.address
        );
        let endpoint = Endpoint::start(&answer, Then::Close, None).await;
        let sender = Sender::new("127.0.0.0/8".parse().unwrap());
        let attempt = sender.attempt(&format!("http://{}/", endpoint.address)).await;
        assert_eq!(attempt, failed(status, "redirect", None));
    }
    assert_eq!(target.accepted(), 0);
}

#[tokio::test]
async fn the_head_of_a_response_has_to_arrive_in_time_and_its_body_makes_no_difference() {
    let began = Instant::now();
    for head in ["", "HTTP/1.1 200 OK\r\nContent-", "HTTP/1.1 100 Continue\r\n\r\n"] {
        let timeout = Attempt::Failed { status: None, error: "timeout".to_owned(), retry_after: None };
        assert_eq!(attempt_at(head, Then::Hold).await, timeout, "{head}");
    }
    let success = Attempt::Succeeded { status: 200 };
    let slow = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf";
    assert_eq!(attempt_at(slow, Then::Hold).await, success);
    assert_eq!(attempt_at(slow, Then::Close).await, success);
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_response_without_end_is_not_read_to_its_end() {
    for (answer, error) in [
        ("HTTP/1.1 200 OK\r\n\r\n", None),
        ("HTTP/1.1 200 OK\r\nX-Long: ", Some("response headers too large")),
    ] {
        let endpoint = Endpoint::start(answer, Then::Repeat, None).await;
        let network = Arc::new(TestNetwork::new(Some(endpoint.address)));
        let sender = Sender { timeout: Duration::from_secs(600), ..Sender::on(network, "127.0.0.0/8") };
        let attempt = timeout(Duration::from_secs(20), sender.attempt("http://127.0.0.1/")).await;
        let expected = match error {
            None => Attempt::Succeeded { status: 200 },
            Some(error) => Attempt::Failed { status: None, error: error.to_owned(), retry_after: None },
        };
        assert_eq!(attempt, Ok(expected));
    }
}

#[tokio::test]
async fn at_most_64_kib_of_a_body_are_read() {
    const BUFFER: usize = 4096;
    let (client, mut server) = tokio::io::duplex(BUFFER);
    let endpoint = tokio::spawn(async move {
        server.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        let mut written = 0;
        while let Ok(length) = server.write(&[b'x'; 1024]).await {
            written += length;
        }
        written
    });
    let url = Url::parse("https://example.org/").unwrap();
    let request = request::signed(&url, &webhook(url.as_str()), &delivery(Actor::System), at(0)).unwrap();
    let response = post(client, request, Instant::now() + Duration::from_secs(20), at(0)).await;
    assert_eq!(response.map(|response| response.status), Ok(200));
    let written = endpoint.await.unwrap();
    assert!(written <= 64 * 1024 + BUFFER, "{written}");
}

#[test]
fn an_attempt_takes_at_most_15_seconds_which_is_half_a_lease() {
    let timeout = Sender::new(Networks::default()).timeout;
    assert_eq!(timeout, Duration::from_secs(15));
    assert!(2 * timeout.as_secs() <= Delivery::LEASE.as_secs().unsigned_abs());
}

#[tokio::test]
async fn an_answer_that_is_not_http_or_not_complete_has_a_fixed_error_text() {
    for (answer, expected) in [
        ("", "connection closed before the response"),
        ("HTTP/1.1 200 OK\r\nX-Half", "connection closed before the response"),
        ("220 mail.example.org ESMTP\r\n", "not an HTTP response"),
        ("HTTP/1.1 999999 No\r\n\r\n", "not an HTTP response"),
    ] {
        match attempt_at(answer, Then::Close).await {
            Attempt::Failed { status: None, error, .. } => assert_eq!(error, expected, "{answer}"),
            attempt => panic!("{answer}: {attempt:?}"),
        }
    }
    let closed = Sender::on(Arc::new(TestNetwork::new(None)), "127.0.0.0/8");
    assert_eq!(closed.fault("http://127.0.0.1/").await, "connection refused");
    assert_eq!(closed.fault("https://unknown.example/").await, "host name not found");
}

/// Returns the configuration of a server with a new certificate for a name, and the certificate.
fn certificate(name: &str, is_expired: bool) -> (Arc<ServerConfig>, CertificateDer<'static>) {
    let mut params = CertificateParams::new([name.to_owned()]).unwrap();
    // The library finds the issuer by its name.
    params.distinguished_name.push(DnType::CommonName, name);
    if is_expired {
        params.not_after = date_time_ymd(2020, 1, 1);
    }
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap().der().clone();
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    (Arc::new(builder.with_single_cert(vec![certificate.clone()], key).unwrap()), certificate)
}

#[tokio::test]
async fn only_a_valid_certificate_for_the_name_gets_a_request() {
    let (_, other) = certificate("another.example", false);
    for (name, is_expired, trusted, expected) in [
        ("hooks.example", false, true, None),
        ("hooks.example", false, false, Some("TLS: certificate of an unknown issuer")),
        ("hooks.example", true, true, Some("TLS: certificate expired")),
        ("other.example", false, true, Some("TLS: certificate is for another name")),
    ] {
        let (config, certificate) = certificate(name, is_expired);
        let endpoint = Endpoint::start(OK, Then::Close, Some(config)).await;
        let network = TestNetwork::new(Some(endpoint.address)).name("hooks.example", &[&[PUBLIC]]);
        let root = if trusted { certificate } else { other.clone() };
        let sender = Sender::on(Arc::new(network), "").trusting(root);
        match expected {
            None => {
                assert_eq!(
                    sender.attempt("https://hooks.example/").await,
                    Attempt::Succeeded { status: 200 }
                );
            }
            Some(fault) => assert_eq!(sender.fault("https://hooks.example/").await, fault),
        }
        assert_eq!(endpoint.requests().len(), usize::from(expected.is_none()), "{expected:?}");
    }
    for (answer, fault) in [(OK, "TLS: the server does not speak TLS"), ("", "timeout")] {
        let plain = Endpoint::start(answer, Then::Hold, None).await;
        let network = TestNetwork::new(Some(plain.address)).name("hooks.example", &[&[PUBLIC]]);
        let sender = Sender::on(Arc::new(network), "").trusting(other.clone());
        assert_eq!(sender.fault("https://hooks.example/").await, fault);
    }
}

#[tokio::test]
async fn a_request_has_the_headers_of_http_and_of_the_standard_and_no_other() {
    let endpoint = Endpoint::start(OK, Then::Close, None).await;
    let port = endpoint.address.port();
    let sender = Sender::new("127.0.0.1".parse().unwrap());
    let webhook = webhook(&format!("http://127.0.0.1:{port}/hooks/a%20b?key=1&x={{}}"));
    let delivery = delivery(Actor::System);
    assert_eq!(sender.send(&webhook, &delivery, at(5)).await, Attempt::Succeeded { status: 200 });
    let request = endpoint.requests().remove(0);
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let (signature, others): (Vec<_>, Vec<_>) =
        head.split("\r\n").partition(|line| line.starts_with("webhook-signature: v1,"));
    assert_eq!(signature.len(), 1, "{head}");
    let expected = [
        "POST /hooks/a%20b?key=1&x={} HTTP/1.1".to_owned(),
        format!("host: 127.0.0.1:{port}"),
        "content-type: application/json".to_owned(),
        "user-agent: Signup/1.0.0".to_owned(),
        "webhook-id: 00000000-0000-0000-0000-000000000009".to_owned(),
        "webhook-timestamp: 1800000005".to_owned(),
        format!("content-length: {}", body.len()),
    ];
    assert_eq!(others, expected);
    let data = r#""created_at":"2027-01-15T08:00:00+00:00","actor":{"type":"system","id":null,"name":null}"#;
    assert!(
        body.starts_with(r#"{"type":"event.created","timestamp":"2027-01-15T08:00:00+00:00","data":{"id":"#)
    );
    assert!(body.contains(data), "{body}");
}

#[tokio::test]
async fn each_attempt_looks_the_name_up_anew_and_has_a_connection_of_its_own() {
    let endpoint = Endpoint::start(OK, Then::Hold, None).await;
    let (first, second): (&[&str], &[&str]) = (&["10.0.0.1"], &["10.0.0.2"]);
    let network = TestNetwork::new(Some(endpoint.address)).name("hooks.internal", &[first, second]);
    let network = Arc::new(network);
    let sender = Sender::on(Arc::clone(&network), "10.0.0.0/8");
    for _ in 0..2 {
        assert_eq!(sender.attempt("http://hooks.internal:81/").await, Attempt::Succeeded { status: 200 });
    }
    assert_eq!(endpoint.accepted(), 2);
    let connected = network.connected();
    assert_eq!(connected.iter().map(ToString::to_string).collect::<Vec<_>>(), ["10.0.0.1:81", "10.0.0.2:81"]);
}
