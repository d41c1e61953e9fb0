//! How a mail server is spoken to: with a login, over TLS, or not at all.

use rstest::rstest;
use signup_store_sql::throwaway::free_port;

use crate::harness::Server;
use crate::mailbox::{Mailbox, Security, certificate};
use crate::mails::{SOON, to};
use crate::pages::{Page, published};

/// What a server tells of one mail that could not be sent.
const NOT_SENT: &str = r#"signup_mails_total{fate="put_back"} 1"#;

/// A password goes over TLS or not at all, except to this machine.
#[rstest]
#[tokio::test]
async fn a_login_is_not_sent_to_another_machine_in_the_clear(
    #[values("smtp", "SMTP")] scheme: &str,
    #[values("", "?notls=1", "?tls=required")] query: &str,
) {
    let mailbox = Mailbox::start_with(0, &Security::ClearWithLogin);
    let smtp = |host: &str| format!("{scheme}://riverside:a%20pass%3Aword@{host}:{}{query}", mailbox.port());
    let listen = format!("127.0.0.1:{}", free_port());
    let server = Server::start(&["--smtp", &smtp("127.0.0.2"), "--metrics-listen", &listen]);
    let page = Page::of(&server, &published()).await;
    page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    Server::wait_for_metric(&listen, NOT_SENT).await;
    assert_eq!((mailbox.logins(), mailbox.begun(), mailbox.count()), (0, 0, 0));
    if query != "?tls=required" {
        let server = Server::start(&["--smtp", &smtp("127.0.0.1")]);
        let page = Page::of(&server, &published()).await;
        page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
        mailbox.wait_for(1, SOON).await;
        assert_eq!(mailbox.logins(), 1, "here it may");
    }
}

/// A connection is used for the next mail, unless the server does not want it any more.
#[rstest]
#[tokio::test]
async fn mails_that_follow_each_other_share_a_connection_as_long_as_it_holds(
    #[values(None, Some(("NOOP", "421 too long without a mail")))] refusal: Option<(
        &'static str,
        &'static str,
    )>,
) {
    let mailbox = Mailbox::start_with(0, &Security::ClearWithLogin);
    mailbox.refuse(refusal);
    let smtp = format!("smtp://riverside:a%20pass%3Aword@127.0.0.1:{}", mailbox.port());
    let server = Server::start(&["--smtp", &smtp]);
    let page = Page::of(&server, &published()).await;
    for (number, name) in ["ada", "bob", "cyd"].into_iter().enumerate() {
        page.sign_up(&server, &page.slot("Early"), name, &format!("{name}@example.org")).await;
        mailbox.wait_for(number + 1, SOON).await;
    }
    assert_eq!(mailbox.logins(), if refusal.is_some() { 3 } else { 1 });
}

#[derive(Debug, Clone, Copy)]
enum Way {
    StartTls,
    Tls,
}

/// With STARTTLS, which a login asks for by itself or which is asked for, and with TLS from the start.
#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mail_goes_over_tls_with_a_login(#[values(Way::StartTls, Way::Tls)] way: Way) {
    let (config, trusted) = certificate();
    let (security, scheme, query) = match way {
        Way::StartTls => (Security::StartTls(config), "smtp", "?tls=required"),
        Way::Tls => (Security::Tls(config), "smtps", ""),
    };
    let mailbox = Mailbox::start_with(0, &security);
    let login = "riverside:a%20pass%3Aword";
    let smtp = |login: &str| format!("{scheme}://{login}@localhost:{}{query}", mailbox.port());
    let trust = [("SSL_CERT_FILE", trusted.path())];
    for (login, trust, count) in [("riverside:wrong", &trust[..], 0), (login, &[], 0), (login, &trust[..], 1)]
    {
        let listen = format!("127.0.0.1:{}", free_port());
        let server = Server::start_in(
            trust,
            &["--database", "memory:", "--smtp", &smtp(login), "--metrics-listen", &listen],
        );
        let page = Page::of(&server, &published()).await;
        page.sign_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
        if count == 0 {
            Server::wait_for_metric(&listen, NOT_SENT).await;
            assert_eq!(mailbox.count(), 0, "with {login} and trust in {trust:?}");
        } else {
            assert_eq!(to(&mailbox.wait_for(count, SOON).await), ["ada@example.org"]);
        }
    }
}
