//! A `curl` command for an operation, to paste into a POSIX shell.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters that RFC 3986 reserves for no purpose stay as they are.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A request for which a command is written.
#[derive(Debug, Default)]
pub(super) struct CurlRequest<'a> {
    pub(super) method: &'a str,
    pub(super) base_url: &'a str,
    /// The path template, such as `/v1/slots/{id}`.
    pub(super) path: &'a str,
    /// The values of parameters, by name. The shell variable `$NAME` stands for a missing value.
    pub(super) path_values: Vec<(&'a str, Option<String>)>,
    pub(super) query_values: Vec<(&'a str, Option<String>)>,
    pub(super) header_values: Vec<(&'a str, Option<String>)>,
    /// The scheme of the header `Authorization`. The shell variable `$SIGNUP_TOKEN` has the credentials.
    pub(super) authorization: Option<&'a str>,
    /// The media type and the text of the body.
    pub(super) body: Option<(&'a str, String)>,
}

impl CurlRequest<'_> {
    /// Returns the command. Long commands have several lines.
    pub(super) fn command(&self) -> String {
        let mut command = "curl".to_owned();
        match self.method {
            "GET" => {}
            "HEAD" => command.push_str(" --head"),
            method => command.push_str(&format!(" -X {method}")),
        }
        command.push(' ');
        command.push_str(&self.url());
        let mut argument = |flag: &str, word: &str| command.push_str(&format!(" \\\n  {flag} {word}"));
        if let Some(scheme) = self.authorization {
            argument("-H", &format!("\"Authorization: {scheme} $SIGNUP_TOKEN\""));
        }
        for (name, value) in &self.header_values {
            let value = value.as_deref().map_or_else(|| variable(name), quoted);
            argument("-H", &format!("{}{value}", quoted(&format!("{name}: "))));
        }
        if let Some((media_type, text)) = &self.body {
            argument("-H", &quoted(&format!("Content-Type: {media_type}")));
            argument("-d", &quoted(text));
        }
        command
    }

    fn url(&self) -> String {
        let word = |name: &str, value: &Option<String>| match value {
            Some(value) => utf8_percent_encode(value, ENCODED).to_string(),
            None => variable(name),
        };
        let mut url = quoted(self.base_url);
        for part in self.path.split_inclusive('}') {
            let Some((literal, name)) = part.strip_suffix('}').and_then(|part| part.split_once('{')) else {
                url.push_str(&quoted(part));
                continue;
            };
            let value = self.path_values.iter().find(|(found, _)| *found == name);
            url.push_str(&quoted(literal));
            url.push_str(&word(name, value.map_or(&None, |(_, value)| value)));
        }
        for (at, (name, value)) in self.query_values.iter().enumerate() {
            let name_text = utf8_percent_encode(name, ENCODED);
            url.push_str(&quoted(if at == 0 { "?" } else { "&" }));
            url.push_str(&format!("{name_text}={}", word(name, value)));
        }
        url
    }
}

/// Returns a shell variable, in double quotes, for the value of a parameter.
fn variable(name: &str) -> String {
    let letter = |character: char| if character.is_ascii_alphanumeric() { character } else { '_' };
    let name: String = name.chars().map(letter).collect();
    format!("\"${}\"", name.to_ascii_uppercase())
}

/// Quotes a text for the shell, if necessary.
fn quoted(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/:%@+,=".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn request() -> CurlRequest<'static> {
        CurlRequest {
            method: "GET",
            base_url: "http://a.example",
            path: "/v1/team",
            ..CurlRequest::default()
        }
    }

    /// Runs the command with a function in the place of curl that prints its arguments.
    fn arguments(request: &CurlRequest<'_>) -> Vec<String> {
        let script = format!("curl() {{ printf '%s\\0' \"$@\"; }}\n{}", request.command());
        let output = Command::new("sh")
            .args(["-c", &script])
            .env("SIGNUP_TOKEN", "a b")
            .env("EVENT_ID", "7")
            .output()
            .unwrap();
        assert!(output.status.success(), "{script}");
        let text = String::from_utf8(output.stdout).unwrap();
        text.split_terminator('\0').map(str::to_owned).collect()
    }

    #[test]
    fn a_simple_read_has_one_line() {
        assert_eq!(request().command(), "curl http://a.example/v1/team");
    }

    #[test]
    fn the_shell_passes_every_value_unchanged() {
        let body = "{\n  \"title\": \"It's $HOME `x` \\\\\"\n}";
        let request = CurlRequest {
            method: "POST",
            path: "/v1/events/{event_id}/slots/{id}.ics",
            path_values: vec![("event_id", None), ("id", Some("a/b c".to_owned()))],
            query_values: vec![("x[]", Some("1&2".to_owned())), ("y", Some(String::new()))],
            header_values: vec![("X-Name", Some("it's".to_owned())), ("Event-Id", None)],
            authorization: Some("Bearer"),
            body: Some(("application/json", body.to_owned())),
            ..request()
        };
        let expected = [
            "-X",
            "POST",
            "http://a.example/v1/events/7/slots/a%2Fb%20c.ics?x%5B%5D=1%262&y=",
            "-H",
            "Authorization: Bearer a b",
            "-H",
            "X-Name: it's",
            "-H",
            "Event-Id: 7",
            "-H",
            "Content-Type: application/json",
            "-d",
            body,
        ];
        assert_eq!(arguments(&request), expected, "{}", request.command());
    }
}
