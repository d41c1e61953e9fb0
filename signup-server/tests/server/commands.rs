//! The management commands: what each prints, and how a mistake is refused. The snapshots show every line.

use std::time::Duration;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::first_owner::accept;
use crate::harness::{Server, event, run};
use crate::lives::id;
use crate::mails::{SOON, on_sqlite_with_mailbox};
use crate::pages::{Page, published};
use crate::snapshots::stable;
use crate::wait::wait_until;
use crate::webhooks::new_webhook;

/// Commands on a database, and what they printed.
struct Terminal {
    database: String,
    text: String,
}

impl Terminal {
    fn new(database: &str) -> Self {
        Self { database: database.to_owned(), text: String::new() }
    }

    /// Runs a command, which is split at spaces, with one more argument for each of `texts`. Returns the JSON of its first line.
    fn run(&mut self, command: &str, texts: &[&str]) -> Value {
        let arguments: Vec<_> = command.split(' ').chain(texts.iter().copied()).collect();
        let output = run(&[&["--database", &self.database], &arguments[..]].concat());
        let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        let mut lines: Vec<_> = out.split_inclusive('\n').collect();
        if command.contains(" list") && !command.contains("--csv") {
            // Records of two processes have ids in any order.
            lines.sort_by_key(|line| stable(line));
        }
        assert!(output.status.success() || (out.is_empty() && err.lines().count() == 1), "{command}: {err}");
        let code = output.status.code().filter(|code| *code != 0);
        let code = code.map(|code| format!("exit code {code}: ")).unwrap_or_default();
        let typed: Vec<_> = texts.iter().map(|text| text.get(..100).unwrap_or(text)).collect();
        self.text += &format!("$ {command} {}\n{code}{err}{}", typed.join(" "), lines.concat());
        out.lines().next().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default()
    }

    /// Returns everything that was printed, with words in braces for what differs in each run.
    fn shown(&self) -> String {
        stable(&self.text)
    }
}

fn far() -> Value {
    let mut event = published();
    event["start_date"] = json!("2099-06-05");
    event
}

#[test]
fn organizations_and_tokens_are_printed() {
    let server = Server::start_on_sqlite();
    let mut terminal = Terminal::new(&server.database());
    let fields = "organization create --sport Rowing --public-url https://a.example/ --contact Help@a.example --privacy-url \
                  https://a.example/privacy --name";
    terminal.run(fields, &["A \"quoted\" Ä"]);
    terminal.run("organization create --name", &["A \"quoted\" Ä"]);
    terminal.run("organization plan --organization starter --plan calendar", &[]);
    let update = "organization update --organization starter";
    for flag in [
        "--name Food",
        "--contact A@b.example",
        "--privacy-url https://b.example/p",
        "--sport a",
        "--public-url http://b.example",
    ] {
        terminal.run(&format!("{update} {flag}"), &[]);
    }
    for flag in ["--contact", "--privacy-url", "--sport", "--public-url"] {
        terminal.run(&format!("{update} {flag}"), &[""]);
    }
    terminal.run(update, &[]);
    terminal.run(
        "token create --organization starter --scopes slots:read,events:read --name",
        &["nightly import"],
    );
    let made = terminal.run("token create --organization starter --name all --expires-in-days 3", &[]);
    terminal.run("token revoke --token-id", &[id(&made)]);
    terminal.run("token list --organization starter", &[]);
    terminal.run("organization list", &[]);
    assert_snapshot!(terminal.shown());
}

#[tokio::test]
async fn people_are_printed() {
    let server = Server::start_on_sqlite();
    let mut terminal = Terminal::new(&server.database());
    let invite = "person invite --organization starter --base-url https://signup.example.org";
    let link = |invited: &Value| {
        invited["link"].as_str().unwrap().replace("https://signup.example.org", &server.url)
    };
    let ada = terminal
        .run(&format!("{invite} --email Ada@example.org --role owner --name"), &["Ada \"the\" Countess"]);
    accept(&server, &link(&ada), &[("name", "Ada")]).await;
    terminal.run(&format!("{invite} --email ada@example.org --role organizer --name Ada"), &[]);
    let cy = terminal.run(&format!("{invite} --email cy@example.org --role admin --name Cy"), &[]);
    terminal.run("person list --organization starter", &[]);
    terminal.run("person sign-out --email ada@example.org", &[]);
    terminal.run("person remove --organization starter --email ADA@example.org", &[]);
    accept(&server, &link(&cy), &[("name", "Cy")]).await;
    let di = terminal.run(&format!("{invite} --email di@example.org --role owner --name Di"), &[]);
    accept(&server, &link(&di), &[("name", "Di")]).await;
    for _ in ["once", "again"] {
        terminal.run("person remove --organization starter --email ADA@example.org", &[]);
    }
    terminal.run("person sign-out --email ada@example.org", &[]);
    terminal.run("person list --organization starter", &[]);
    assert_snapshot!(terminal.shown());
}

/// The server is killed before the cancellations, so their mails stay queued.
#[tokio::test]
async fn an_event_is_printed_through_its_life() {
    let mut server = Server::start_on_sqlite();
    let pages = [Page::create(&server, &far()).await, Page::create(&server, &far()).await];
    for page in &pages {
        page.signed_up(&server, &page.slot("Early"), "Ada", "ada@example.org").await;
    }
    server
        .wait_for_sql("SELECT CAST(count(*) AS TEXT) FROM notices WHERE due_at IS NOT NULL", "0", SOON)
        .await;
    server.kill();
    let mut terminal = Terminal::new(&server.database());
    let [quiet, told] = pages.each_ref().map(|page| id(&page.event));
    let slug = pages[1].event["slug"].as_str().unwrap();
    terminal.run(
        &format!("question add --event {slug} --type select --option S --option M --required --label"),
        &["T-shirt size"],
    );
    terminal.run("question list --event", &[slug]);
    terminal.run("event show --base-url https://signup.example.org/ --event", &[slug]);
    terminal.run("event delete --event", &[slug]);
    terminal.run("event cancel --no-mail --event", &[quiet]);
    terminal.run("notice list", &[]);
    for reason in ["A \"flooded\" hall", "Another reason"] {
        terminal.run(&format!("event cancel --event {told} --reason"), &[reason]);
    }
    terminal.run("notice list", &[]);
    terminal.run("event list --organization starter", &[]);
    terminal.run("event delete --event", &[slug]);
    for command in ["delete", "cancel", "show"] {
        terminal.run(&format!("event {command} --event"), &[slug]);
    }
    terminal.run("signup list --event", &[slug]);
    terminal.run("event list --organization starter --deleted", &[]);
    for _ in ["once", "again"] {
        terminal.run("event restore --event", &[told]);
    }
    terminal.run("event list --organization starter --deleted", &[]);
    terminal.run("signup list --event", &[slug]);
    terminal.run("event list --organization nobody", &[]);
    terminal.run("event show --event nothing", &[]);
    assert_snapshot!(terminal.shown());
}

#[tokio::test]
async fn sign_ups_are_printed_in_lines_and_as_a_table_in_running_order() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &far()).await;
    let mut terminal = Terminal::new(&server.database());
    let size = terminal.run(&format!("question add --event {} --label", id(&page.event)), &["Größe, \"EU\""]);
    let size = format!("answer.{}", id(&size));
    for (title, name, email, answer) in [
        ("Late", "Zoë\u{202e}\u{200c}", "zoe@example.org", "M\r\nL"),
        ("Early", "bob", "bob@example.org", "=1+1"),
        ("Early", "Ada \"A\"", "ada@example.org", "M"),
    ] {
        let slot = page.slot(title);
        let form = [("slot_id", slot.as_str()), ("name", name), ("email", email), (&size, answer)];
        assert_eq!(page.post(&server, &form).await.status, 303);
    }
    // The sign-ups for a deleted slot stay in the table.
    let deleted = format!("/v1/slots/{}?cancel_signups=true", page.slot("Late"));
    assert_eq!(server.send("DELETE", &deleted, None).await.status, 200);
    for arguments in ["signup list --event", "signup list --csv --event"] {
        terminal.run(arguments, &[id(&page.event)]);
    }
    terminal.run("signup list --event x", &[]);
    // A terminal obeys nothing of a name, and the joiner, which belongs to words, is kept.
    assert_snapshot!(terminal.shown());
}

#[tokio::test]
async fn webhooks_and_their_operator_are_printed() {
    let server = Server::start_on_sqlite();
    let webhook = new_webhook(&server).await;
    let mut terminal = Terminal::new(&server.database());
    terminal.run("webhook list --organization starter", &[]);
    terminal.run("webhook disable --webhook-id", &[id(&webhook)]);
    terminal.run("webhook enable --webhook-id", &[id(&webhook)]);
    let activity = server.get("/v1/activity?type=webhook.updated").await.data();
    assert_eq!((activity.as_array().unwrap().len(), &activity[0]["actor"]["type"]), (2, &json!("operator")));
    assert_snapshot!(terminal.shown());
}

#[tokio::test]
async fn a_mail_that_waits_or_has_failed_is_printed_with_its_reason() {
    let (server, mailbox) = on_sqlite_with_mailbox();
    mailbox.answer("gone@example.org", &[(550, "no \"such\" user")]);
    mailbox.answer("busy@example.org", &[(450, "mailbox busy")]);
    let page = Page::create(&server, &far()).await;
    for name in ["gone", "busy"] {
        page.sign_up(&server, &page.slot("Early"), name, &format!("{name}@example.org")).await;
    }
    let tried = "SELECT CAST(COUNT(*) AS TEXT) FROM notices WHERE reason IS NOT NULL";
    server.wait_for_sql(tried, "2", SOON).await;
    let mut terminal = Terminal::new(&server.database());
    terminal.run("notice list", &[]);
    let failed = terminal.run("notice list --failed", &[]);
    terminal.run("notice retry --id", &[id(&failed)]);
    terminal.run("notice retry --id x", &[]);
    assert_snapshot!(terminal.shown());
}

#[tokio::test]
async fn a_person_is_erased_while_the_server_runs() {
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    for (title, name) in [("Early", "ada"), ("Late", "ada"), ("Early", "bob")] {
        page.sign_up(&server, &page.slot(title), name, &format!("{name}@example.org")).await;
    }
    assert_eq!(page.filled(&server, "Early").await, 2);
    let erase = ["signup", "erase", "--email", "ADA@example.org", "--organization", "starter"];
    let printed = server.manage(&erase);
    assert_eq!((printed.as_object().map(serde_json::Map::len), &printed["erased"]), (Some(2), &json!(2)));
    assert_eq!(server.manage(&erase)["erased"], 0);
    // The server may answer from its cache for a second.
    wait_until(Duration::from_secs(2), async || {
        let filled = [page.filled(&server, "Early").await, page.filled(&server, "Late").await];
        if filled == [1, 0] { Ok(()) } else { Err(format!("{filled:?}")) }
    })
    .await;
    let there = "SELECT CAST(COUNT(*) AS TEXT) FROM signups WHERE email LIKE 'ada%' OR email_key LIKE 'ada%'";
    assert_eq!(server.sql(there).await, "0");
    page.signed_up(&server, &page.slot("Late"), "Ada", "ada@example.org").await;
}

/// Usage errors have the exit code 2 and the words of clap, and any other mistake has the exit code 1.
#[tokio::test]
async fn a_mistake_is_told_on_one_line() {
    let server = Server::start_on_sqlite();
    let asked = server.create(&event()).await;
    for number in 0..50 {
        let question = json!({"label": format!("Question {number}")});
        let path = format!("/v1/events/{}/questions", id(&asked));
        assert_eq!(server.post(&path, &question).await.status, 201);
    }
    let mut terminal = Terminal::new(&server.database());
    for command in [
        "--nonsense",
        "organisation",
        "organization update",
        "notice retry",
        "organization create --privcy-url x",
        "organization create --name Riverside Food Bank",
        "--listen nowhere",
        "--log a=b=c",
        "--log-format jsn",
        "--trusted-proxies x",
        "--webhook-allow 10.0.0.0/33",
        "--base-url x",
        "--mail-from nobody",
        "--mail-helo vm",
        "--smtp smtp://u:hidden@host?tls=none",
        "token create --organization x --name n --expires-in-days 366",
        "token create --organization x --name n --expires-in-days 1.5",
        "question add --event x --label l --type essay",
        "organization create --name n --contact ada@localhost",
        "organization create --name n --privacy-url riverside.example",
        "organization update --organization x --public-url javascript:alert(1)",
        "person invite --organization a --email a@example.org --name A --role boss",
        "signup erase --organization starter --email ada",
        "question add --event EVENT --label Size --type select",
        "question add --event EVENT --label Size --type select --option S --option S",
        "question add --event EVENT --label Size --option S",
        "question add --event EVENT --label Another",
        "organization create --name n --plan gold",
        "token create --organization nobody --name n",
        "token create --organization starter --name n --scopes events:delete",
        "signup erase --organization nobody --email ada@example.org",
        "token revoke --token-id TOKEN",
        "notice retry --id TOKEN",
        "token revoke --token-id nothing",
        "webhook enable --webhook-id nothing",
    ] {
        let command = command.replace("EVENT", id(&asked)).replace("TOKEN", &server.token);
        terminal.run(&command, &[]);
    }
    for (command, text) in [
        ("organization create --name", " "),
        ("organization update --organization x --name", ""),
        ("organization create --name n --sport", "a\nb"),
        ("event cancel --event x --reason", " "),
        ("event cancel --event x --reason", &"x".repeat(1001)),
        ("token create --organization starter --name n --scopes", ""),
    ] {
        terminal.run(command, &[text]);
    }
    // The program refuses to print the token. The snapshot has what was typed.
    let said = terminal.text.lines().filter(|line| !line.starts_with('$'));
    assert!(
        said.clone().count() > 30 && said.clone().all(|line| !line.contains(&server.token[..20])),
        "{}",
        terminal.text
    );
    assert!(said.clone().all(|line| !line.contains("hidden")), "{}", terminal.text);
    assert_snapshot!(terminal.shown());
}

#[test]
fn a_server_that_cannot_start_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let partial = folder.path().join("partial.json");
    std::fs::write(&partial, r#"{"free": {"requests_per_minute": 1, "active_events": 1, "event_days": 1}}"#)
        .unwrap();
    let not_a_database = folder.path().join("text.db");
    std::fs::write(&not_a_database, "this is no database, but long enough to be mistaken for one".repeat(99))
        .unwrap();
    let mut text = String::new();
    for [option, value] in [
        ["--plans", partial.to_str().unwrap()],
        ["--plans", "/nowhere/plans.json"],
        ["--database", &format!("sqlite:{}", not_a_database.display())],
        ["--database", "sqlite:/nowhere/signup.db"],
        ["--database", "postgres://a:hidden@127.0.0.1:1/c"],
        ["--database", "mysql://x"],
    ] {
        // Another program may use the default port.
        let mut before = vec!["--listen", "127.0.0.1:0"];
        if option != "--database" {
            before.extend(["--database", "memory:"]);
        }
        let output = run(&[&before[..], &[option, value]].concat());
        assert_eq!(output.stdout, b"");
        text += &format!(
            "{option}\n{:?}: {}",
            output.status.code().unwrap(),
            String::from_utf8(output.stderr).unwrap()
        );
    }
    assert_snapshot!(text.replace(folder.path().to_str().unwrap(), "{folder}"));
}
