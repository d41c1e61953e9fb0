//! Words of a POSIX shell.

/// Quotes a text for the shell, if necessary.
pub(super) fn word(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._/:%@+,=".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn the_shell_passes_every_text_unchanged() {
        for text in ["", "a-b", "It's $HOME `x` \\\\\n{\"a\": 1}", "a&b|c;d", "*", "~", "#"] {
            let script = format!("printf '%s' {}", word(text));
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), text, "{script}");
        }
    }
}
