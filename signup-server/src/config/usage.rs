//! A mistake on the command line, in the words of clap.

use clap::error::{ContextKind, ContextValue};

use crate::output::shown;

/// The options whose value may contain a password.
const SECRET_OPTIONS: [&str; 2] = ["--database", "--smtp"];

/// Returns clap's description of a mistake, to be printed on one line: without the usage, and without what may be secret.
///
/// clap repeats what was typed. A token is shortened, and a value that may contain a password is left out.
pub(crate) fn usage_line(mut error: clap::Error) -> String {
    let is_secret = matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::String(option))
        if option.split(' ').next().is_some_and(|name| SECRET_OPTIONS.contains(&name)));
    for kind in [ContextKind::InvalidArg, ContextKind::InvalidValue, ContextKind::InvalidSubcommand] {
        let Some(ContextValue::String(typed)) = error.get(kind) else { continue };
        let is_password =
            is_secret && kind == ContextKind::InvalidValue || typed.contains("://") && typed.contains('@');
        let repeated = if is_password && !typed.is_empty() { "…".to_owned() } else { shown(typed) };
        let _replaced = error.insert(kind, ContextValue::String(repeated));
    }
    // This hint, which says how a value that looks like an option is passed, repeats the value, too.
    let _removed = error.remove(ContextKind::Suggested);
    let rendered = error.to_string();
    rendered.split("\n\n").filter(|part| !part.starts_with("Usage:")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use crate::config::Cli;

    use super::*;

    fn line(arguments: &[&str]) -> String {
        usage_line(Cli::read([&["signup-server"], arguments].concat()).unwrap_err())
    }

    #[test]
    fn no_password_is_repeated() {
        for option in ["--database", "--smtp"] {
            for bad in ["", "e", "1", "smtp://a:hidden@", "postgres://a:hidden@b:port/c"] {
                let line = line(&[option, bad]);
                let value = if bad.is_empty() { "" } else { "…" };
                assert!(
                    line.starts_with(&format!("error: invalid value '{value}' for '{option} <")),
                    "{line}"
                );
                assert!(!line.contains("hidden"), "{line}");
            }
        }
        for wrong in [
            &["postgres://a:hidden@b/c"][..],
            &["organization", "smtp://a:hidden@b"],
            &["--listen", "x://a:hidden@b"],
        ] {
            assert!(!line(wrong).contains("hidden"), "{}", line(wrong));
        }
        let connections = line(&["--database-connections", "0"]);
        assert!(connections.contains("'0' for '--database-connections <"), "{connections}");
    }

    #[test]
    fn no_token_is_repeated_and_a_long_value_is_shortened() {
        let token = "signup_0123456789012345678901234567890123456789012";
        let option = format!("--{token}");
        for arguments in [
            &["token", "revoke", token][..],
            &[token],
            &["token", token],
            &["--listen", token],
            &[&option],
            &["token", "revoke", &option],
            &["token", "revoke", "--token-id", &option],
            &["token", "create", "--organization", "x", "--name", "n", "--expires-in-days", token],
        ] {
            let line = line(arguments);
            assert!(!line.contains("0123"), "{line}");
        }
        let long = line(&["--listen", &"x".repeat(61)]);
        assert!(long.contains(&format!("'{}…'", "x".repeat(59))), "{long}");
    }

    #[test]
    fn the_words_are_those_of_clap() {
        let privacy = line(&["organization", "create", "--privcy-url", "x"]);
        assert_eq!(
            privacy,
            "error: unexpected argument '--privcy-url' found   tip: a similar argument exists: '--privacy-url' \
             For more information, try '--help'.\n"
        );
    }
}
