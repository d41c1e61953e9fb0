//! The commands for people, and the link of the first owner.

use rstest::rstest;
use serde_json::{Value, json};

use crate::command_line::{assert_fails, text};
use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, Server, run};

/// Invites an address to the starter organization, and returns what the command printed.
fn invite(server: &Server, email: &str, role: &str) -> Value {
    let organization = ["person", "invite", "--organization", "starter", "--name", "Ada Lovelace"];
    server.manage(&[&organization[..], &["--email", email, "--role", role]].concat())
}

/// Opens a link as a browser does that is not signed in, and sends its form.
pub(crate) async fn accept(server: &Server, link: &str, form: &[(&str, &str)]) {
    let path = link.strip_prefix(&server.url).unwrap();
    let request = server.request("POST", path).header("sec-fetch-site", "same-origin");
    let accepted = request.form(form).send().await.unwrap();
    assert_eq!(accepted.status(), 303, "{}", accepted.text().await.unwrap());
}

fn on(server: &Server, arguments: &[&str]) -> std::process::Output {
    run(&[&["--database", &server.database()], arguments].concat())
}

/// Returns the address and the role of each member of the starter organization.
fn members(server: &Server, organization: &str) -> Vec<[String; 2]> {
    let list = on(server, &["person", "list", "--organization", organization]);
    assert!(list.status.success(), "{}", text(&list.stderr));
    let member = |line: &str| {
        let member: Value = serde_json::from_str(line).unwrap();
        ["email", "role"].map(|name| member[name].as_str().unwrap().to_owned())
    };
    text(&list.stdout).lines().map(member).collect()
}

#[tokio::test]
async fn the_first_start_prints_a_link_that_makes_the_first_owner() {
    let server = Server::start_on_sqlite();
    let secret = server.console.strip_prefix(&format!("{}/invitations/", server.url)).unwrap();
    assert_eq!(secret.len(), 43);
    let form = [
        ("name", "Ada Lovelace"),
        ("email", "ada@example.org"),
        ("organization_name", "Riverside Food Bank"),
        ("contact", "help@riverside.example"),
    ];
    accept(&server, &server.console, &form).await;
    let expected = [["ada@example.org", "owner"].map(str::to_owned)];
    assert_eq!(members(&server, "riverside-food-bank"), expected);
    assert_eq!(server.get("/v1/team").await.data()["name"], "Riverside Food Bank");
    let another = server.restart_with(&[]);
    assert_eq!(another.console, "", "the store has an organization");
}

#[test]
fn the_link_of_the_first_owner_begins_with_the_base_url() {
    let server = Server::start(&["--base-url", "https://signup.example.org/base"]);
    let link = &server.console;
    assert!(link.starts_with("https://signup.example.org/base/invitations/"), "{link}");
}

#[rstest]
#[tokio::test]
async fn people_are_invited_listed_signed_out_and_removed(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let base_url = ["--base-url", server.url.as_str()];
    let organization = ["person", "invite", "--organization", "starter", "--name", "Ada Lovelace"];
    let ada = ["--email", "Ada@example.org", "--role", "owner"];
    let invited = server.manage(&[&organization[..], &ada, &base_url].concat());
    assert_eq!(members(&server, "starter"), [[""; 2]; 0]);
    accept(&server, invited["link"].as_str().unwrap(), &[("name", "Ada")]).await;
    let again = invite(&server, "ada@example.org", "organizer");
    assert_eq!(
        (&again["role"], &again["name"], &again["link"]),
        (&json!("owner"), &json!("Ada"), &Value::Null),
        "a member stays as they are"
    );
    let bo = invite(&server, "bo@example.org", "admin");
    assert_eq!(bo["name"], "Ada Lovelace", "an invitation that is open");
    assert_eq!(members(&server, "starter"), [["Ada@example.org", "owner"]]);

    let signed_out = server.manage(&["person", "sign-out", "--email", "ada@example.org"]);
    assert_eq!(signed_out["email"], "Ada@example.org");
    let remove = |email| ["person", "remove", "--organization", "starter", "--email", email];
    assert_fails(&on(&server, &remove("ada@example.org")), 1, "ada@example.org is the only owner");
    let cy = ["--email", "cy@example.org", "--role", "owner"];
    let cy = server.manage(&[&organization[..], &cy, &base_url].concat());
    accept(&server, cy["link"].as_str().unwrap(), &[("name", "Cy")]).await;
    assert_eq!(server.manage(&remove("ADA@example.org"))["name"], "Ada");
    assert_eq!(members(&server, "starter"), [["cy@example.org", "owner"]]);
    assert_fails(&on(&server, &remove("ada@example.org")), 1, "to see the members, run \"person list\"");
    let sign_out = ["person", "sign-out", "--email", "ada@example.org"];
    assert_fails(&on(&server, &sign_out), 1, "nobody has the address ada@example.org");
}

#[test]
fn a_role_that_does_not_exist_is_a_wrong_value() {
    let invite = ["person", "invite", "--organization", "a", "--email", "a@example.org", "--name", "A"];
    let output = run(&[&["--database", "memory:"], &invite[..], &["--role", "boss"]].concat());
    assert_fails(&output, 2, "must be one of organizer, admin, owner");
}
