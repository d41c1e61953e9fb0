//! The commands for people, and the link of the first owner.

use crate::command_line::{assert_fails, text};
use crate::harness::{Server, run};

#[test]
fn only_the_first_start_prints_the_link_of_the_first_owner() {
    let server = Server::start_on_sqlite();
    let secret = server.console.strip_prefix(&format!("{}/invitations/", server.url)).unwrap();
    assert_eq!(secret.len(), 43);
    let another = server.restart_with(&[]);
    assert_eq!(another.console, "", "the store has an organization");
}

#[test]
fn the_link_of_the_first_owner_begins_with_the_base_url() {
    let server = Server::start(&["--base-url", "https://signup.example.org/base"]);
    let link = &server.console;
    assert!(link.starts_with("https://signup.example.org/base/invitations/"), "{link}");
}

#[test]
fn a_person_who_is_no_member_is_neither_removed_nor_signed_out() {
    let server = Server::start_on_sqlite();
    let invite = ["person", "invite", "--organization", "starter", "--name", "Ada", "--role", "owner"];
    let invited = server.manage(&[&invite[..], &["--email", "ada@example.org"]].concat());
    assert_eq!(invited["role"], "owner");
    let on = |arguments: &[&str]| run(&[&["--database", &server.database()], arguments].concat());
    let list = on(&["person", "list", "--organization", "starter"]);
    assert_eq!((list.status.code(), text(&list.stdout)), (Some(0), String::new()), "an invitation is open");
    let remove = ["person", "remove", "--organization", "starter", "--email", "ada@example.org"];
    assert_fails(&on(&remove), 1, "to see the members, run \"person list\"");
    let sign_out = ["person", "sign-out", "--email", "ada@example.org"];
    assert_fails(&on(&sign_out), 1, "nobody has the address ada@example.org");
}

#[test]
fn a_role_that_does_not_exist_is_a_wrong_value() {
    let invite = ["person", "invite", "--organization", "a", "--email", "a@example.org", "--name", "A"];
    let output = run(&[&["--database", "memory:"], &invite[..], &["--role", "boss"]].concat());
    assert_fails(&output, 2, "must be one of organizer, admin, owner");
}
