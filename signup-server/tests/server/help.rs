//! The texts of `--help`, and output into a pipe without a reader.

use std::process::{Command, Stdio};

use insta::assert_snapshot;

use crate::harness::{PROGRAM, Server, run, sqlite};

/// Returns the text of `--help` of a command.
fn help(command: &[&str]) -> String {
    let output = run(&[command, &["--help"]].concat());
    assert!(output.status.success(), "{command:?}");
    assert!(output.stderr.is_empty(), "{command:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the commands that the help of `command` lists, without `help` itself.
fn subcommands(command: &[&str]) -> Vec<String> {
    let help = help(command);
    let list = help.split("\nCommands:\n").nth(1).unwrap_or_default();
    let lines = list.lines().take_while(|line| line.starts_with("  "));
    let names =
        lines.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// Returns every command that manages something: a group and a command in it.
fn management_commands() -> Vec<[String; 2]> {
    let groups = subcommands(&[]).into_iter().filter(|group| group != "serve");
    let commands = groups.flat_map(|group| {
        let commands = subcommands(&[&group]);
        commands.into_iter().map(move |command| [group.clone(), command])
    });
    commands.collect()
}

/// The help of a management command lists its own options, and the server's only by their heading.
#[test]
fn each_command_has_a_help() {
    let mut text = help(&[]).split("Server options:").next().unwrap().to_owned();
    for [group, command] in management_commands() {
        text += &format!("\n$ {group} {command} --help\n{}", help(&[&group, &command]));
    }
    assert_snapshot!(text);
    assert!(help(&["serve"]).contains("SIGNUP_LISTEN"), "the server's options");
}

#[test]
fn the_database_stands_before_or_after_the_command() {
    let (_folder, database) = sqlite();
    let flag = ["--database", &database];
    let create = ["organization", "create", "--name", "A"];
    for (count, arguments) in (1..).zip([
        [&flag[..], &create].concat(),
        [&create[..1], &flag, &create[1..]].concat(),
        [&create[..], &flag].concat(),
    ]) {
        assert!(run(&arguments).status.success(), "{arguments:?}");
        let listed = run(&["organization", "list", "--database", &database]).stdout;
        assert_eq!(String::from_utf8(listed).unwrap().lines().count(), count, "{arguments:?}");
    }
}

/// The reader of the pipe is closed before the command prints.
#[test]
fn a_closed_pipe_ends_a_command_silently() {
    let server = Server::start_on_sqlite();
    let database = server.database();
    for arguments in [&["--help"][..], &["--version"], &["organization", "list", "--database", &database]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let child =
            Command::new(PROGRAM).args(arguments).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), error.as_str()), (Some(0), ""), "{arguments:?}");
    }
}
