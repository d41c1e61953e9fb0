//! Texts for snapshots: without what differs in each run.
//!
//! Records in a snapshot are of the 2090s, so an earlier date is one of the present.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::Value;

use crate::harness::Answer;

/// What differs in each run, each kind as a group of its name. A group `before_…` is kept.
static CHANGING: LazyLock<Regex> = LazyLock::new(|| {
    let kinds = [
        "(?<server>http://127[.]0[.]0[.]1:[0-9]+)",
        "(?<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
        "(?<token>signup_[A-Za-z0-9_-]{43})",
        "(?<secret>whsec_[A-Za-z0-9+/]{43}=)",
        "(?<before_link>/signups/|/invitations/)[A-Za-z0-9_-]{43}",
        r#"(?<before_slug>(?:/events/|--event |the event |"slug": ?")[a-z0-9-]*[a-z]-)[a-z0-9]{8}\b"#,
        r#"(?<before_cursor>cursor(?:=|": ?"))[A-Za-z0-9_.-]+"#,
        "(?<time>20[2-8][0-9]-[0-9]{2}-[0-9]{2}T[0-9:]{8}(?:Z|[+]00:00))",
        "(?<date>20[2-8][0-9]-[0-9]{2}-[0-9]{2}|[0-9]{1,2} [A-Z][a-z]+ 20[2-8][0-9](?:, [0-9]{2}:[0-9]{2})?)",
    ];
    Regex::new(&kinds.join("|")).unwrap()
});

/// Returns the text with a word in braces for what differs in each run. Ids are numbered in the order of the text.
pub(crate) fn stable(text: &str) -> String {
    let mut ids: Vec<String> = vec![];
    let stand_in = |found: &Captures<'_>| {
        let group = |name: &&str| found.name(name).is_some();
        if let Some(id) = found.name("id") {
            let number = ids.iter().position(|known| known == id.as_str()).unwrap_or(ids.len());
            if number == ids.len() {
                ids.push(id.as_str().to_owned());
            }
            return format!("{{id {}}}", number + 1);
        }
        if let Some(before) = ["before_link", "before_slug", "before_cursor"].into_iter().find(group) {
            return format!("{}{{{}}}", &found[before], before.trim_start_matches("before_"));
        }
        let kind = ["server", "token", "secret", "time", "date"].into_iter().find(group).unwrap();
        format!("{{{kind}}}")
    };
    CHANGING.replace_all(text, stand_in).into_owned()
}

/// Returns a request with its answer: the status, what an answer does not always have, and the body.
pub(crate) fn exchange(method: &str, path: &str, body: &Value, answer: &Answer) -> String {
    let mut text = format!("{method} {path}\n");
    if body.as_object().is_some_and(|body| !body.is_empty()) {
        text += &format!("{body}\n");
    }
    text += &answer.status.to_string();
    for name in ["cache-control", "location", "retry-after", "token-expires"] {
        if let Some(value) = answer.header(name) {
            text += &format!(" {name}: {value}");
        }
    }
    format!("{text}\n{:#}\n\n", answer.json())
}
