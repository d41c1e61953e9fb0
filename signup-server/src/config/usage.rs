//! A mistake on the command line, as one line for the user.
//!
//! clap describes the mistake. The line leaves out the usage that clap adds, and hides what may be secret.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::output::shown;

/// The options whose value may contain a password.
const SECRET_OPTIONS: [&str; 2] = ["--database", "--smtp"];

/// Formats an error of the command line as one line that says what is wrong and where to read more.
pub(crate) fn usage_line(mut error: clap::Error) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "error: the command is not complete: say what to do, such as list (try --help)".to_owned();
    }
    let help = help_of(&error);
    let option = text(&error, ContextKind::InvalidArg).unwrap_or_default();
    let is_secret = option.split(' ').next().is_some_and(|name| SECRET_OPTIONS.contains(&name));
    for kind in [ContextKind::InvalidArg, ContextKind::InvalidValue, ContextKind::InvalidSubcommand] {
        let value = match error.get(kind) {
            Some(ContextValue::String(value)) if value.is_empty() => continue,
            Some(ContextValue::String(_)) if is_secret && kind == ContextKind::InvalidValue => "…".to_owned(),
            Some(ContextValue::String(value)) => shown(value),
            _ => continue,
        };
        let _replaced = error.insert(kind, ContextValue::String(value));
    }
    // A blank line stands between the mistake and the hints of clap.
    let rendered = error.to_string();
    let lines = rendered.lines().map(str::trim).take_while(|line| !line.is_empty());
    let mistake = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(missing)) if error.kind() == ErrorKind::MissingRequiredArgument => {
            format!(
                "error: give {}",
                missing.iter().map(|option| choices(option)).collect::<Vec<_>>().join(" and ")
            )
        }
        _ => lines.collect::<Vec<_>>().join(" "),
    };
    let hint = match error.kind() {
        ErrorKind::UnknownArgument if !option.starts_with('-') => {
            ": a value with spaces needs quotation marks".to_owned()
        }
        _ => suggestion(&error).map(|word| format!(": did you mean {word}?")).unwrap_or_default(),
    };
    format!("{mistake}{hint} (try {help})")
}

/// Returns the text of a part of the error.
fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.first().cloned(),
        _ => None,
    }
}

/// Formats a missing option, or the options of which one is missing: `<--id <ID>|--failed>` in the form of clap.
fn choices(option: &str) -> String {
    option.replace(['<', '>'], "").replace('|', " or ")
}

/// Returns the option, command or value that the user may have meant.
fn suggestion(error: &clap::Error) -> Option<String> {
    [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue]
        .into_iter()
        .find_map(|kind| text(error, kind))
}

/// Returns the call that prints the help of the command, if the error names the command. The command's usage begins with its
/// name.
fn help_of(error: &clap::Error) -> String {
    let usage = error.get(ContextKind::Usage).map(ToString::to_string).unwrap_or_default();
    let usage = usage.trim_start().strip_prefix("Usage:").unwrap_or_default();
    let is_name = |word: &&str| word.starts_with(|first: char| first.is_alphanumeric());
    let names = usage.split_whitespace().take_while(is_name);
    names.chain(["--help"]).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use crate::config::Cli;

    use super::*;

    fn line(arguments: &[&str]) -> String {
        usage_line(Cli::read([&["signup-server"], arguments].concat()).unwrap_err())
    }

    #[test]
    fn only_the_value_of_an_option_that_can_hold_a_secret_is_hidden() {
        for option in ["--database", "--smtp"] {
            let named = format!("{option} <{}>", option[2..].to_uppercase());
            for bad in ["", "e", "1", "smtp://a:hidden@"] {
                let line = line(&[option, bad]);
                let value = if bad.is_empty() { "" } else { "…" };
                assert!(
                    line.starts_with(&format!("error: invalid value '{value}' for '{named}': use ")),
                    "{line}"
                );
                assert!(!line.contains("hidden") && line.matches('…').count() <= value.len(), "{line}");
            }
            let missing =
                format!("error: a value is required for '{named}' but none was supplied (try --help)");
            assert_eq!(line(&[option]), missing);
        }
        assert_eq!(
            line(&["--database-connections", "0"]),
            "error: invalid value '0' for '--database-connections <DATABASE_CONNECTIONS>': must be from 1 to 1000 \
             (try --help)"
        );
    }

    #[test]
    fn a_number_is_told_its_range_or_that_it_has_to_be_whole() {
        for (days, says) in [
            ("0", "must be from 1 to 365"),
            ("-1", "must be from 1 to 365"),
            ("366", "must be from 1 to 365"),
            ("99999999999999999999", "must be from 1 to 365"),
            ("1.5", "must be a whole number"),
            ("-1.5", "must be a whole number"),
            ("ten", "must be a whole number"),
            ("", "must be a whole number"),
        ] {
            let create = ["token", "create", "--organization", "x", "--name", "n", "--expires-in-days", days];
            let line = line(&create);
            assert!(
                line.contains(&format!("'{days}' for '--expires-in-days <DAYS>': {says} (try")),
                "{line}"
            );
        }
    }

    #[test]
    fn a_line_says_what_may_have_been_meant_and_names_the_help_of_the_command() {
        for (arguments, says) in [
            (
                &["organization", "create", "--name", "Riverside", "Food", "Bank"][..],
                "error: unexpected argument 'Food' found: a value with spaces needs quotation marks \
                 (try signup-server organization create --help)",
            ),
            (
                &["organization", "create", "--privcy-url", "x"],
                "error: unexpected argument '--privcy-url' found: did you mean --privacy-url? \
                 (try signup-server organization create --help)",
            ),
            (
                &["organisation"],
                "error: unrecognized subcommand 'organisation': did you mean organization? (try signup-server --help)",
            ),
            (
                &["--log-format", "jsn"],
                "error: invalid value 'jsn' for '--log-format <LOG_FORMAT>' [possible values: text, json]: \
                 did you mean json? (try --help)",
            ),
            (
                &["--listen", "localhost"],
                "error: invalid value 'localhost' for '--listen <LISTEN>': use an IP address and a port, such as \
                 127.0.0.1:8080 (try --help)",
            ),
            (&["notice", "retry"], "error: give --id ID or --failed (try signup-server notice retry --help)"),
        ] {
            assert_eq!(line(arguments), says);
        }
    }

    #[test]
    fn an_echoed_value_is_shortened_and_is_no_token() {
        let long = line(&["--listen", &"x".repeat(61)]);
        assert!(long.contains(&format!("'{}…'", "x".repeat(59))), "{long}");
        let token = "signup_0123456789012345678901234567890123456789012";
        for arguments in [&["token", "revoke", token][..], &[token], &["--listen", token]] {
            let line = line(arguments);
            assert!(line.contains("'signup_…'") && !line.contains("0123"), "{line}");
        }
    }
}
