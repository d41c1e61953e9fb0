//! The official Python client of the Model Context Protocol, as an agent with several tokens.
//!
//! The conversation is in `tests/clients/agent.py`.

use std::process::Command;

use crate::clients::copy_conversation;
use crate::harness::{Server, generous_plans};
use crate::packages::{python, run};
use crate::pages::{Page, published};

/// The program connects with three versions of the protocol, lists the tools by scope, calls every tool, corrects arguments,
/// repeats writes, and reaches the rate limit.
#[tokio::test]
async fn an_agent_with_the_python_client_uses_every_tool() {
    let Some(python) = python() else { return };
    let server = Server::start_on_sqlite();
    let page = Page::create(&server, &published()).await;
    for (slot, email) in
        [("Early", "ada@example.org"), ("Early", "bob@example.org"), ("Late", "cy@example.org")]
    {
        page.signed_up(&server, &page.slot(slot), "Ada", email).await;
    }
    let folder = tempfile::tempdir().unwrap();
    // The rate of all plans of the other server is 4 requests a minute.
    let plans = generous_plans(folder.path());
    let small = std::fs::read_to_string(&plans).unwrap().replace("1000000", "4");
    std::fs::write(&plans, small).unwrap();
    let limited = Server::start_exactly(&["--database", "memory:", "--plans", plans.to_str().unwrap()]);

    copy_conversation(&["agent.py"], folder.path());
    let command = |arguments: &[&str]| {
        let mut command = Command::new(&python);
        command.current_dir(&folder).args(arguments);
        command
    };
    run(&mut command(&["-m", "mypy", "--strict", "agent.py"]));
    run(command(&["agent.py"]).envs([
        ("SIGNUP_URL", &server.url),
        ("SIGNUP_TOKEN", &server.token),
        ("SIGNUP_EVENTS_TOKEN", &server.token_with("events:read")),
        ("SIGNUP_OTHER_TOKEN", &server.token_with("activity:read")),
        ("SIGNUP_LIMITED_URL", &limited.url),
        ("SIGNUP_LIMITED_TOKEN", &limited.token),
    ]));
}
