//! Mistakes on the command line: exit codes, what the error says, and what it hides.

use serde_json::json;

use crate::command_line::{assert_fails, text};
use crate::harness::{Server, run};

#[test]
fn an_invalid_database_url_is_not_printed() {
    let output = run(&["--database", "postgres://a:hidden@b:port/c"]);
    assert_fails(&output, 2, "use postgres://USER:PASSWORD@HOST:PORT/NAME");
    assert!(!text(&output.stderr).contains("hidden"));
    let output = run(&["organization", "list", "--database", "postgres://a:hidden@127.0.0.1:1/c"]);
    assert_fails(&output, 1, "cannot reach the database 127.0.0.1:1/c");
    assert!(!text(&output.stderr).contains("hidden"));
}

#[test]
fn an_invalid_smtp_url_is_not_printed() {
    for address in ["smtps:u:hidden@host", "u:hidden@host:25", "smtp://u:hidden@host?tls=none"] {
        let output = run(&["--database", "memory:", "--smtp", address]);
        assert_fails(&output, 2, "tls=required");
        assert!(!text(&output.stderr).contains("hidden"), "{}", text(&output.stderr));
    }
    assert_fails(&run(&["--mail-from", "nobody"]), 2, "use an address such as");
    assert_fails(&run(&["--mail-helo", "vm"]), 2, "use a host name such as");
}

#[test]
fn an_incomplete_command_is_told_what_is_missing() {
    assert_fails(&run(&["token"]), 2, "the command is not complete");
    assert_fails(
        &run(&["organization", "update"]),
        2,
        "give --organization ID_OR_SLUG (try signup-server organization update --help)",
    );
}

#[test]
fn an_invalid_flag_or_value_ends_with_exit_code_2() {
    for arguments in [
        vec!["--nonsense"],
        vec!["--listen", "nowhere"],
        vec!["--database", "mysql://x"],
        vec!["--log", "a=b=c"],
        vec!["--log-format", "xml"],
        vec!["--trusted-proxies", "x"],
        vec!["--webhook-allow", "10.0.0.0/33"],
        vec!["--base-url", "x"],
        vec!["token"],
        vec!["token", "create", "--organization", "x", "--name", "n", "--expires-in-days", "366"],
        vec!["token", "create", "--organization", "x", "--name", "n", "--expires-in-days", "0"],
        vec!["question", "add", "--event", "x", "--label", "l", "--type", "essay"],
        vec!["event", "cancel", "--event", "x", "--reason", &"x".repeat(1001)],
        vec!["event", "cancel", "--event", "x", "--reason", " "],
        vec!["organization", "create", "--name", " "],
        vec!["organization", "update", "--organization", "x", "--name", ""],
    ] {
        assert_fails(
            &run(&[&["--database", "memory:"], arguments.as_slice()].concat()
                [if arguments.contains(&"--database") { 2 } else { 0 }..]),
            2,
            "",
        );
    }
}

#[test]
fn a_wrong_contact_or_web_address_ends_with_exit_code_2_and_says_what_is_right() {
    for command in [vec!["create", "--name", "n"], vec!["update", "--organization", "x"]] {
        for (flag, value, says) in [
            ("--contact", "ada@localhost", "must be an email address, such as ada@example.org"),
            (
                "--privacy-url",
                "riverside.example",
                "must be a web address that begins with http:// or https://",
            ),
            (
                "--public-url",
                "javascript:alert(1)",
                "must be a web address that begins with http:// or https://",
            ),
            ("--sport", "a\nb", "must be one line"),
        ] {
            let arguments = [&["--database", "memory:", "organization"], &*command, &[flag, value]].concat();
            let output = run(&arguments);
            assert_fails(&output, 2, says);
            assert!(text(&output.stderr).contains(flag), "{}", text(&output.stderr));
        }
    }
}

/// An organization and an event exist, so that the command reads its options.
#[tokio::test]
async fn options_that_do_not_go_together_end_with_exit_code_2_and_say_what_does() {
    let server = Server::start_on_sqlite();
    let event = server.create(&crate::harness::event()).await["id"].as_str().unwrap().to_owned();
    let add = ["question", "add", "--event", &event, "--label", "Size"];
    let create = ["token", "create", "--organization", "starter", "--name", "n"];
    for (command, options, says) in [
        (&add[..], &["--type", "select"][..], "--type select needs --option, once for each choice"),
        (&add, &["--type", "select", "--option", "S", "--option", "S"], "the option S is given twice"),
        (&add, &["--option", "S"], "--option only goes with --type select"),
        (&create, &["--scopes", ""], "--scopes must name at least one scope, or be left out for all of them"),
    ] {
        let output = run(&[&["--database", &server.database()], command, options].concat());
        assert_fails(&output, 2, says);
    }
}

#[tokio::test]
async fn a_question_too_many_names_the_limit_of_an_event() {
    let server = Server::start_on_sqlite();
    let event = server.create(&crate::harness::event()).await["id"].as_str().unwrap().to_owned();
    let questions = format!("/v1/events/{event}/questions");
    for number in 1..=50 {
        let added = server.post(&questions, &json!({"label": format!("Question {number}")})).await;
        assert_eq!(added.status, 201, "{}", added.text);
    }
    let refused = server.post(&questions, &json!({"label": "Another"})).await;
    let says = "The event already has 50 questions, which is the limit.";
    assert_eq!(refused.json()["errors"], json!({"label": [says]}));
    let add = ["question", "add", "--event", &event, "--label", "Another"];
    let output = run(&[&["--database", &server.database()][..], &add].concat());
    assert_fails(&output, 1, "already has 50 questions, which is the limit");
}

#[test]
fn a_token_in_place_of_its_id_is_not_printed() {
    let server = Server::start_on_sqlite();
    let token = server.token.clone();
    for arguments in [["token", "revoke", "--token-id", &token], ["notice", "retry", "--id", &token]] {
        let output = run(&[&["--database", &server.database()], &arguments[..]].concat());
        let says = if arguments[0] == "token" {
            "This is a token, not its id. Run \"token list\" to see the ids."
        } else {
            "signup_…"
        };
        assert_fails(&output, 1, says);
        assert!(!text(&output.stderr).contains(&token[..20]), "{}", text(&output.stderr));
    }
}

#[test]
fn an_error_at_run_time_ends_with_exit_code_1() {
    let folder = tempfile::tempdir().unwrap();
    let partial = folder.path().join("partial.json");
    std::fs::write(&partial, r#"{"free": {"requests_per_minute": 1, "active_events": 1, "event_days": 1}}"#)
        .unwrap();
    let not_a_database = folder.path().join("text.db");
    std::fs::write(&not_a_database, "this is no database, but long enough to be mistaken for one".repeat(99))
        .unwrap();
    let cases: [(&[&str], &str); 8] = [
        (&["--plans", partial.to_str().unwrap()], "calendar"),
        (&["--plans", "/nowhere/plans.json"], "/nowhere/plans.json"),
        (&["--database", &format!("sqlite:{}", not_a_database.display())], "text.db"),
        (
            &["--database", "sqlite:/nowhere/signup.db"],
            "/nowhere/signup.db: the folder /nowhere does not exist",
        ),
        (&["token", "create", "--organization", "nobody", "--name", "n"], "nobody"),
        (&["organization", "create", "--name", "n", "--plan", "gold"], "free, calendar, starter, pro"),
        (
            &["token", "create", "--organization", "x", "--name", "n", "--scopes", "events:delete"],
            "events:delete",
        ),
        (&["question", "list", "--event", "nothing"], "nothing"),
    ];
    for (arguments, says) in cases {
        // Another program may use the default port.
        let mut before = vec!["--listen", "127.0.0.1:0"];
        if !arguments.contains(&"--database") {
            before.extend(["--database", "memory:"]);
        }
        assert_fails(&run(&[&before, arguments].concat()), 1, says);
    }
}
