//! Secrets of people and programs: none is in a log, and the database has only digests of them once their mails are sent.

use rstest::rstest;

use crate::console::{ADA, Organizer, wait_for_code, wait_for_text};
use crate::console_events::Fields;
use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server};
use crate::mailbox::{Mail, Mailbox};
use crate::mails::SOON;
use crate::pages::{Page, published};

const MEMBERS: &str = "/console/starter/settings/members";

/// Returns the bytes of an SQLite file, which can hold more than its tables, or the rows of every table of PostgreSQL. Texts are in
/// plain form there, also in columns of bytes.
async fn content(server: &Server) -> Vec<u8> {
    if let Some(path) = server.database().strip_prefix("sqlite:") {
        return std::fs::read(path).unwrap();
    }
    let rows = "query_to_xml(format('SELECT %I::text FROM %I', tablename, tablename), true, false, '')";
    let tables = "pg_tables WHERE schemaname = 'public'";
    server
        .sql(&format!("SET bytea_output = escape; SELECT string_agg({rows}::text, '') FROM {tables}"))
        .await
        .into_bytes()
}

fn contains(content: &[u8], secret: &str) -> bool {
    content.windows(secret.len()).any(|part| part == secret.as_bytes())
}

/// Returns the first text of a page that begins with `prefix`, with the `length` characters that follow.
fn secret_in<'a>(page: &'a str, prefix: &str, length: usize) -> &'a str {
    let (at, _) = page.match_indices(prefix).next().unwrap_or_else(|| panic!("no {prefix} in {page}"));
    &page[at..at + prefix.len() + length]
}

/// Invites an address, and returns the secret of the link in the mail.
async fn invite(owner: &Organizer<'_>, mailbox: &Mailbox, email: &str) -> String {
    let fields = [("action", "invite"), ("email", email), ("name", "Grace"), ("role", "organizer")];
    assert_eq!(owner.post(MEMBERS, &fields).await.status, 303);
    let text = wait_for_text(mailbox, email, "/invitations/").await;
    let (_, secret) = text.split_once("/invitations/").unwrap();
    secret.split_whitespace().next().unwrap().to_owned()
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_log_has_a_secret_and_the_database_only_digests(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(mut started) = Server::start_with(engine) else { return };
    started.kill();
    let (mailbox, folder) = (Mailbox::start(), tempfile::tempdir().unwrap());
    let log = folder.path().join("log");
    let arguments = ["--smtp", &mailbox.url(), "--log", "trace"];
    let mut server = Server::start_with_log(&started.database(), &log, &arguments);
    server.token.clone_from(&started.token);
    let mut secrets = vec![];

    // Cookies, a code, and links of invitations.
    let owner = Organizer::owner_of_starter(&server).await;
    secrets.push(owner.cookie("signup").unwrap());
    owner.post("/sign-in", &[("email", ADA)]).await;
    secrets.push(owner.cookie("signup-browser").unwrap());
    let code = wait_for_code(&mailbox, ADA, 0).await;
    assert_eq!(owner.post("/sign-in/code", &[("code", &code)]).await.status, 303);
    secrets.extend([owner.cookie("signup").unwrap(), code.replace(' ', ""), code]);
    let used = invite(&owner, &mailbox, "grace@example.org").await;
    let grace = Organizer::new(&server);
    let joined = grace.post(&format!("/invitations/{used}"), &[("name", "Grace Hopper")]).await;
    assert_eq!(joined.status, 303, "{}", joined.text);
    let open = invite(&owner, &mailbox, "bo@example.org").await;
    assert_eq!(grace.get(&format!("/invitations/{open}")).await.status, 409);
    secrets.extend([used, open, grace.cookie("signup").unwrap()]);

    // A token, which is used.
    let fields = [("action", "create"), ("name", "t"), ("scopes", "team:read"), ("expires_in_days", "30")];
    assert_eq!(owner.post("/console/starter/settings/tokens", &fields).await.status, 303);
    let created = owner.get("/console/starter/settings/tokens").await.text;
    let token = secret_in(&created, "signup_", 43);
    let used = server.answer(server.request("GET", "/v1/token").bearer_auth(token)).await;
    assert_eq!(used.status, 200, "{}", used.text);
    secrets.extend([token.to_owned(), server.token.clone()]);

    // The links of a sign-up and of a message.
    let page = Page::create(&server, &published()).await;
    page.sign_up(&server, &page.slot("Early"), "Ada", "volunteer@example.org").await;
    wait_for_text(&mailbox, "volunteer@example.org", "/signups/").await;
    let path = format!("/console/starter/events/{}/message", page.event["id"].as_str().unwrap());
    let fields = [("subject", "Gloves"), ("text", "It is cold."), ("confirmed", "yes")];
    assert_eq!(owner.post(&path, &fields).await.status, 303);
    wait_for_text(&mailbox, "volunteer@example.org", "It is cold.").await;
    let links: Vec<_> = mailbox.mails().iter().filter_map(Mail::signup_path).collect();
    assert_eq!(links.len(), 2);
    for link in links {
        for path in ["", "/cancel", "/calendar.ics"] {
            assert_eq!(server.browse("GET", &format!("{link}{path}"), None).await.status, 200);
        }
        server.browse("GET", &format!("{link}/unsubscribe"), None).await;
        secrets.push(link.strip_prefix("/signups/").unwrap().to_owned());
    }
    server
        .wait_for_sql("SELECT CAST(count(*) AS TEXT) FROM notices WHERE due_at IS NOT NULL", "0", SOON)
        .await;

    // The database has only digests of the secrets until here.
    let digested = secrets.len();

    // The secrets of a webhook are stored, because they sign. The second one is made by a rotation.
    let path = "/console/starter/settings/webhooks";
    let form = Fields::of(&owner.get(path).await).with("action", "create");
    let created = form.with("url", "https://hooks.example.org/in").post(&owner, path).await;
    let webhook = created.header("location").unwrap();
    secrets.push(secret_in(&owner.get(webhook).await.text, "whsec_", 43).to_owned());
    assert_eq!(owner.post(webhook, &[("action", "rotate")]).await.status, 303);
    let rotated = owner.get(webhook).await.text;
    secrets.push(secret_in(&rotated, "whsec_", 43).to_owned());

    server.terminate();
    let content = content(&server).await;
    assert!(contains(&content, "grace@example.org"), "the content of the database is read");
    for secret in &secrets[..digested] {
        assert!(!contains(&content, secret), "{secret} is stored");
    }
    let log = std::fs::read_to_string(&log).unwrap();
    let of_link =
        ["\"", "/cancel", "/calendar.ics", "/unsubscribe"].map(|path| format!("/signups/{{secret}}{path}"));
    let of_link = of_link.iter().map(String::as_str);
    for part in ["DEBUG", "/sign-in/code", "/invitations/{secret}"].into_iter().chain(of_link) {
        assert!(log.contains(part), "the log has {part}: {log}");
    }
    secrets.push(ADA.to_owned());
    for secret in secrets {
        assert!(!log.contains(&secret), "{}", log.lines().find(|line| line.contains(&secret)).unwrap());
    }
}
