//! The texts of `--help`, and output into a pipe without a reader.

use std::process::{Command, Stdio};

use crate::harness::{PROGRAM, Server, run};

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

#[test]
fn the_help_of_a_command_has_a_sentence_for_each_own_option_and_only_the_heading_of_the_servers() {
    let commands = management_commands();
    assert!(commands.contains(&["notice", "retry"].map(str::to_owned)), "{commands:?}");
    for [group, command] in &commands {
        let help = help(&[group, command]);
        let (own, server) = help.split_once("Server options:").unwrap_or_else(|| panic!("{help}"));
        let mut lines = own.lines().skip_while(|line| *line != "Options:").skip(1).peekable();
        while let Some(line) = lines.next() {
            if !line.trim_start().starts_with('-') {
                continue;
            }
            // A long flag stands on a line of its own, before its sentence.
            let sentence = line.split("  ").filter(|part| !part.trim().is_empty()).nth(1);
            let sentence = sentence.or_else(|| lines.peek().copied()).unwrap_or_default().trim();
            assert!(sentence.len() > 8 && !sentence.starts_with('-'), "{line}\n{help}");
        }
        assert!(!help.contains("--listen") && !help.contains("SIGNUP_"), "{help}");
        assert!(server.contains("signup-server --help"), "{help}");
    }
}

#[test]
fn the_help_of_the_server_lists_the_commands_before_the_servers_options() {
    for command in [&[][..], &["serve"]] {
        let help = help(command);
        let (_, options) = help.split_once("Server options:").unwrap();
        for option in ["--database", "--listen", "--smtp", "SIGNUP_LISTEN"] {
            assert!(options.contains(option), "{option}\n{help}");
        }
        assert!(
            command.contains(&"serve") || help.find("Commands:") < help.find("Server options:"),
            "{help}"
        );
    }
}

#[test]
fn the_database_stands_before_or_after_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite:{}", folder.path().join("signup.db").display());
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
