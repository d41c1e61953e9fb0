//! Mails: their recipients and their contents.

use std::time::Duration;

use crate::harness::Server;
use crate::mailbox::{Mail, Mailbox};
use crate::pages::{Page, published};

/// The deadline for a mail that is due at once.
pub(crate) const SOON: Duration = Duration::from_secs(20);

/// Starts a server with a mail server of its own.
pub(crate) fn with_mailbox(database: &str) -> (Server, Mailbox) {
    let mailbox = Mailbox::start();
    let server = Server::start_on(database, &["--smtp", &mailbox.url(), "--mail-from", FROM]);
    (server, mailbox)
}

/// Starts a server on a new SQLite file with a mail server of its own.
pub(crate) fn on_sqlite_with_mailbox() -> (Server, Mailbox) {
    let mailbox = Mailbox::start();
    let server = Server::start_on_sqlite_with(&["--smtp", &mailbox.url(), "--mail-from", FROM]);
    (server, mailbox)
}

const FROM: &str = "Signup <help@riverside.example.org>";

/// Returns the recipients of these mails.
pub(crate) fn to(mails: &[Mail]) -> Vec<&str> {
    mails.iter().map(|mail| mail.to.as_str()).collect()
}

#[tokio::test]
async fn an_internationalized_domain_is_sent_as_punycode() {
    let (server, mailbox) = with_mailbox("memory:");
    let page = Page::create(&server, &published()).await;
    page.signed_up(&server, &page.slot("Early"), "Jörg", "joerg@münchen.example").await;
    assert_eq!(to(&mailbox.wait_for(1, SOON).await), ["joerg@xn--mnchen-3ya.example"]);
}
