//! The management commands that change an organization.

use rstest::rstest;
use serde_json::{Value, json};

use crate::harness::Engine::{Postgres, Sqlite};
use crate::harness::{Engine, PROGRAM, Server};

const UPDATE: [&str; 4] = ["organization", "update", "--organization", "starter"];

#[test]
fn an_update_changes_what_is_given_keeps_the_slug_and_clears_with_an_empty_value() {
    let server = Server::start_on_sqlite();
    let before = server.manage(&["organization", "list"]);
    let flags = [
        ("--name", "name", "Riverside Food Bank"),
        ("--contact", "contact", "Help@riverside.example"),
        ("--privacy-url", "privacy_url", "https://riverside.example/privacy"),
        ("--sport", "sport", "rowing"),
        ("--public-url", "public_url", "http://riverside.example"),
    ];
    let mut expected = before.clone();
    for (flag, field, value) in flags {
        expected[field] = value.into();
        assert_eq!(server.manage(&[&UPDATE[..], &[flag, value]].concat()), expected);
    }
    let id = before["id"].as_str().unwrap();
    for (flag, field, _) in &flags[1..] {
        expected[field] = Value::Null;
        let update = ["organization", "update", "--organization", id, flag, ""];
        assert_eq!(server.manage(&update), expected);
    }
    assert_eq!(server.manage(&UPDATE), expected, "without a field, nothing changes");
    assert_eq!((&expected["slug"], &expected["plan"]), (&json!("starter"), &json!("pro")));
}

#[rstest]
fn updates_at_the_same_time_keep_each_others_fields(#[values(Sqlite, Postgres)] engine: Engine) {
    let Some(server) = Server::start_with(engine) else { return };
    let database = server.database();
    for round in 0..3 {
        let fields = [
            ("--name", format!("Name {round}")),
            ("--contact", format!("help{round}@riverside.example")),
            ("--privacy-url", format!("https://riverside.example/{round}")),
            ("--sport", format!("sport {round}")),
        ];
        let commands = fields.each_ref().map(|(flag, value)| {
            let mut command = std::process::Command::new(PROGRAM);
            command.args(UPDATE).args(["--database", &database, flag, value]);
            command.stdout(std::process::Stdio::null()).spawn().unwrap()
        });
        for mut command in commands {
            assert!(command.wait().unwrap().success());
        }
        let updated = server.manage(&UPDATE);
        let [name, contact, privacy_url, sport] = fields.map(|(_, value)| Value::from(value));
        assert_eq!(
            [&updated["name"], &updated["contact"], &updated["privacy_url"], &updated["sport"]],
            [&name, &contact, &privacy_url, &sport]
        );
    }
}
