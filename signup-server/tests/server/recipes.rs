//! The recipes of the reference at `/docs`: their programs and commands, run against a server.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use signup_store_sql::test_cluster::{free_port, installed};

use crate::harness::Server;
use crate::mailbox::Mailbox;
use crate::mails::SOON;
use crate::packages::{on_path, python, run};
use crate::pages::{self, published};
use crate::receiver::ALLOW;
use crate::receiving::Running;
use crate::reference_pages::{between, run_in_shell};
use crate::wait::wait_until;

/// Returns the programs and commands of the recipes.
async fn recipes(server: &Server) -> [String; 6] {
    let page = server.browse("GET", "/docs", None).await.text;
    let recipes = page.split("<section id=\"recipes\">").nth(1).unwrap().split("</section>").next().unwrap();
    between(recipes, "<pre><code>", "</code>").try_into().unwrap()
}

/// Creates a published event in the far future.
async fn create_page(server: &Server, shifts: Value) -> pages::Page {
    let mut event = published();
    (event["start_date"], event["shifts"]) = (json!("2097-06-05"), shifts);
    pages::Page::create(server, &event).await
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[tokio::test]
async fn the_nightly_program_copies_the_sign_ups_on_all_pages() {
    let Some(python) = installed("Python", on_path("python3")) else { return };
    let server = Server::start_on_sqlite();
    let page = create_page(&server, json!([{"title": "All", "capacity": 101}])).await;
    for number in 0..101 {
        let email = format!("v{number}@example.org");
        page.signed_up(&server, &page.slot("All"), "Ada", &email).await;
    }
    let [program, cron, ..] = recipes(&server).await;
    assert!(cron.ends_with(" python3 sync_signups.py"), "{cron}");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sync_signups.py"), program).unwrap();
    let mut command = Command::new(python);
    command.arg("sync_signups.py").current_dir(&folder);
    run(command.env("SIGNUP_TOKEN", server.token_with("signups:read")));
    let copied = read(&folder.path().join("signups.json"));
    let first = server.get("/v1/signups?per_page=100").await.json();
    let next = first["meta"]["next_cursor"].as_str().unwrap();
    let second = server.get(&format!("/v1/signups?cursor={next}")).await.data();
    let listed = [first["data"].as_array().unwrap(), second.as_array().unwrap()].map(Vec::as_slice).concat();
    assert_eq!((listed.len(), copied), (101, Value::from(listed)));
}

#[tokio::test]
async fn the_nightly_program_gives_up_if_the_server_stays_unavailable() {
    let Some(python) = installed("Python", on_path("python3")) else { return };
    let server = Server::start(&[]);
    let [program, ..] = recipes(&server).await;
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let unavailable = format!("http://{}/v1", listener.local_addr().unwrap());
    let own = format!("{}/v1", server.url);
    assert!(program.contains(&own), "{program}");
    std::fs::write(folder.path().join("sync_signups.py"), program.replace(&own, &unavailable)).unwrap();
    let answers = std::thread::spawn(move || {
        for answered in 0.. {
            let mut stream = listener.accept().unwrap().0;
            if stream.read(&mut [0; 4096]).unwrap() == 0 {
                return answered;
            }
            let answer = "HTTP/1.1 503 \r\nRetry-After: 0\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            stream.write_all(answer.as_bytes()).unwrap();
        }
        0
    });
    let mut command = Command::new(python);
    let output =
        command.arg("sync_signups.py").current_dir(&folder).env("SIGNUP_TOKEN", "t").output().unwrap();
    assert!(!output.status.success() && !folder.path().join("signups.json").exists());
    // The end of the answers.
    drop(TcpStream::connect(unavailable.trim_start_matches("http://").trim_end_matches("/v1")).unwrap());
    assert_eq!(answers.join().unwrap(), 5);
}

#[tokio::test]
async fn the_roster_follows_every_type_of_activity_that_changes_it() {
    let Some(python) = python() else { return };
    let data = tempfile::tempdir().unwrap();
    let mailbox = Mailbox::start();
    let database = format!("sqlite:{}", data.path().join("signup.db").display());
    let server = Server::start_on(&database, &[ALLOW.as_slice(), &["--smtp", &mailbox.url()]].concat());
    let shifts = ["Early", "Late"].map(|title| json!({"title": title, "capacity": 2}));
    let page = create_page(&server, json!(shifts)).await;
    let id = page.event["id"].as_str().unwrap();
    let event = format!("/v1/events/{id}");

    let [functions, _, program, create, start, _] = recipes(&server).await;
    let port = free_port();
    let address = "https://roster.example.org/";
    assert!(create.contains(address) && start.ends_with("\npython3 roster.py"), "{create}\n{start}");
    let create = create.replace(address, &format!("http://127.0.0.1:{port}/"));
    let Some(webhook) = run_in_shell(&server, &create) else { return };
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sync_signups.py"), functions).unwrap();
    std::fs::write(folder.path().join("roster.py"), program.replace("9000", &port.to_string())).unwrap();
    let mut command = Command::new(python);
    command.arg("roster.py").current_dir(&folder);
    command.env("SIGNUP_TOKEN", server.token_with("events:read,signups:read"));
    let secret = webhook["data"]["secret"].as_str().unwrap();
    let _running = Running::start(command, port, secret, folder.path()).await;

    // `expected` are the title of the event and the slots with their people, or null without the event.
    let file = folder.path().join("roster.json");
    let shows = async |id: &str, expected: Value| {
        wait_until(SOON, async || {
            let roster = if file.exists() { read(&file) } else { json!({}) };
            let event = &roster[id];
            let slots = event["slots"].as_array();
            let slots = slots.map(|slots| slots.iter().map(|slot| json!([slot["title"], slot["people"]])));
            let found = slots.map(|slots| json!([event["title"], slots.collect::<Vec<_>>()]));
            if json!(found) == expected { Ok(()) } else { Err(format!("{roster} and not {expected}")) }
        })
        .await;
    };
    let has = async |slots: Value| shows(id, json!([page.event["title"], slots])).await;
    let sign_up = async |slot: &str, name: &str| {
        let email = format!("{}@example.org", name.to_lowercase());
        page.signed_up(&server, slot, name, &email).await;
    };
    has(json!([["Early", []], ["Late", []]])).await;
    let (early, late) = (page.slot("Early"), page.slot("Late"));
    sign_up(&early, "Ada").await;
    sign_up(&late, "Bob").await;
    sign_up(&early, "Eve").await;
    has(json!([["Early", ["Eve", "Ada"]], ["Late", ["Bob"]]])).await;
    // No email goes to a person who is erased before.
    mailbox.wait_for(3, SOON).await;
    server.command("signup erase --organization starter --email eve@example.org");
    has(json!([["Early", ["Ada"]], ["Late", ["Bob"]]])).await;
    sign_up(&late, "Cyd").await;
    has(json!([["Early", ["Ada"]], ["Late", ["Cyd", "Bob"]]])).await;
    let mails = mailbox.wait_for(4, SOON).await;
    let of_cyd = mails.iter().find(|mail| mail.to == "cyd@example.org").unwrap();
    let cancel = format!("{}/cancel", of_cyd.signup_path().unwrap());
    assert_eq!(server.browse("POST", &cancel, None).await.status, 303);
    has(json!([["Early", ["Ada"]], ["Late", ["Bob"]]])).await;
    let slot =
        server.post(&format!("{event}/slots"), &json!({"shifts": [{"title": "Last", "capacity": 1}]})).await;
    assert_eq!(slot.status, 201, "{}", slot.text);
    has(json!([["Early", ["Ada"]], ["Late", ["Bob"]], ["Last", []]])).await;
    let delete = format!("/v1/slots/{}", slot.data()[0]["id"].as_str().unwrap());
    assert_eq!(server.send("DELETE", &delete, None).await.status, 200);
    has(json!([["Early", ["Ada"]], ["Late", ["Bob"]]])).await;
    let renamed = json!({"title": "Food march"});
    assert_eq!(server.patch(&event, &renamed).await.status, 200);
    shows(id, json!(["Food march", [["Early", ["Ada"]], ["Late", ["Bob"]]]])).await;
    assert_eq!(server.patch(&event, &json!({"title": page.event["title"]})).await.status, 200);
    let other = create_page(&server, json!([{"title": "Other", "capacity": 1}])).await;
    shows(other.event["id"].as_str().unwrap(), json!([other.event["title"], [["Other", []]]])).await;
    assert_eq!(server.patch(&format!("/v1/slots/{early}"), &json!({"title": "Dawn"})).await.status, 200);
    has(json!([["Dawn", ["Ada"]], ["Late", ["Bob"]]])).await;
    let delete = format!("/v1/slots/{late}?cancel_signups=true");
    assert_eq!(server.send("DELETE", &delete, None).await.status, 200);
    has(json!([["Dawn", ["Ada"]]])).await;
    assert_eq!(server.send("POST", &format!("{event}/cancel"), None).await.status, 200);
    has(json!([["Dawn", []]])).await;
    assert_eq!(server.send("DELETE", &event, None).await.status, 200);
    shows(id, Value::Null).await;
    server.manage(&["event", "restore", "--event", id]);
    has(json!([["Dawn", []]])).await;
}
