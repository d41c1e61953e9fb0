//! A server without a mail server: people sign in with what its log says.

use crate::console::{ADA, Organizer, code_in};
use crate::console_events::{ROOT, location};
use crate::harness::Server;
use crate::mails::SOON;
use crate::wait::wait_until;

#[tokio::test]
async fn without_a_mail_server_codes_and_invitations_are_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let server = Server::start_with_log("memory:", &log, &["--log", "info"]);
    let owner = Organizer::first_owner(&server).await;
    let browser = Organizer::new(&server);
    assert_eq!(browser.post("/sign-in", &[("email", ADA)]).await.status, 200);
    let code = wait_until(SOON, async || {
        let log = std::fs::read_to_string(&log).unwrap();
        code_in(&log).ok_or(format!("no code in {log}"))
    })
    .await;
    assert_eq!(location(&browser.post("/sign-in/code", &[("code", &code)]).await), "/console");

    let fields = [("action", "invite"), ("email", "grace@example.org"), ("name", "Grace"), ("role", "admin")];
    assert_eq!(owner.post(&format!("{ROOT}/settings/members"), &fields).await.status, 303);
    let start = format!("{}/invitations/", server.url);
    let link = wait_until(SOON, async || {
        let log = std::fs::read_to_string(&log).unwrap();
        let link = log.split_whitespace().find(|word| word.starts_with(&start)).map(str::to_owned);
        link.ok_or(format!("no link in {log}"))
    })
    .await;
    let grace = Organizer::new(&server);
    let joined = grace.post(link.strip_prefix(&server.url).unwrap(), &[("name", "Grace")]).await;
    assert_eq!(location(&joined), format!("{ROOT}/"));
}
