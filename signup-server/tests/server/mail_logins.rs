//! SMTP connections: login, TLS and the reuse of connections.

use rstest::rstest;

use crate::harness::{Server, free_listen};
use crate::mailbox::{Mailbox, Security, certificate};
use crate::mails::{SOON, to};
use crate::pages::{Page, published};

/// The metric of a server that could not send one mail.
const NOT_SENT: &str = r#"signup_mails_total{fate="put_back"} 1"#;

/// Before each further mail the client checks its connection with `NOOP`. A refused connection is replaced.
#[rstest]
#[tokio::test]
async fn consecutive_mails_share_a_connection_until_the_server_closes_it(
    #[values(None, Some(("NOOP", "421 too long without a mail")))] refusal: Option<(
        &'static str,
        &'static str,
    )>,
) {
    let mailbox = Mailbox::start_with(0, &Security::ClearWithLogin);
    mailbox.refuse(refusal);
    let smtp = format!("smtp://riverside:a%20pass%3Aword@127.0.0.1:{}", mailbox.port());
    let mut options = vec!["--smtp", &smtp, "--base-url", "https://signup.example.org/app"];
    let hello = match refusal {
        None => "signup.example.org",
        Some(_) => {
            options.extend(["--mail-helo", "mx.example.org"]);
            "mx.example.org"
        }
    };
    let server = Server::start(&options);
    let page = Page::create(&server, &published()).await;
    for (number, name) in ["ada", "bob", "cyd"].into_iter().enumerate() {
        page.sign_up(&server, &page.slot("Early"), name, &format!("{name}@example.org")).await;
        mailbox.wait_for(number + 1, SOON).await;
    }
    assert_eq!(mailbox.logins(), if refusal.is_some() { 3 } else { 1 });
    assert!(mailbox.mails().iter().all(|mail| mail.hello == hello), "{:?}", mailbox.mails());
}

#[derive(Debug, Clone, Copy)]
enum TlsMode {
    StartTlsIfOffered,
    StartTls,
    Tls,
}

/// Covers STARTTLS and implicit TLS, each with a wrong password, an untrusted certificate, and neither.
#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mail_goes_over_tls_with_a_login(
    #[values(TlsMode::StartTlsIfOffered, TlsMode::StartTls, TlsMode::Tls)] mode: TlsMode,
) {
    let (config, trusted) = certificate();
    let (security, scheme, query) = match mode {
        TlsMode::StartTlsIfOffered => (Security::StartTls(config), "smtp", ""),
        TlsMode::StartTls => (Security::StartTls(config), "smtp", "?tls=required"),
        TlsMode::Tls => (Security::Tls(config), "smtps", ""),
    };
    let mailbox = Mailbox::start_with(0, &security);
    let login = "riverside:a%20pass%3Aword";
    let smtp = |login: &str| format!("{scheme}://{login}@localhost:{}{query}", mailbox.port());
    let trust = [("SSL_CERT_FILE", trusted.path())];
    for (login, trust, count) in [("riverside:wrong", &trust[..], 0), (login, &[], 0), (login, &trust[..], 1)]
    {
        let listen = free_listen();
        let server = Server::start_in(
            trust,
            &["--database", "memory:", "--smtp", &smtp(login), "--metrics-listen", &listen],
        );
        let page = Page::create(&server, &published()).await;
        page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
        if count == 0 {
            Server::wait_for_metric(&listen, NOT_SENT).await;
            assert_eq!(mailbox.count(), 0, "with {login} and trust in {trust:?}");
        } else {
            assert_eq!(to(&mailbox.wait_for(count, SOON).await), ["ada@example.org"]);
        }
    }
}
