//! Texts for snapshots: without what differs in each run, and a page as a person reads it.
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
        "(?<date>20[2-8][0-9]-[0-9]{2}-[0-9]{2}|(?:[A-Z][a-z]+day )?[0-9]{1,2} [A-Z][a-z]+ 20[2-8][0-9](?:, [0-9]{2}:[0-9]{2}(?: [A-Z]{3,4})?)?)",
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
/// The elements of a page that begin a line, each with its mark.
const LINES: [(&str, &str); 16] = [
    ("h1", "# "),
    ("h2", "## "),
    ("h3", "### "),
    ("li", "- "),
    ("p", ""),
    ("div", ""),
    ("section", ""),
    ("dt", ""),
    ("dd", "  "),
    ("tr", "| "),
    ("legend", ""),
    ("summary", "> "),
    ("label", ""),
    ("caption", ""),
    ("br", ""),
    ("pre", ""),
];

/// Returns a page as a person reads it: a line for each paragraph, with the targets of links and forms, and the
/// names, values and choices of the fields. Of an answer without a page, returns where it leads.
pub(crate) fn readable(page: &Answer) -> String {
    let Some((head, main)) = page.text.split_once("<body") else {
        return format!("{} {}", page.status, page.header("location").unwrap());
    };
    let (_, body) = main.split_once('>').unwrap();
    let title = head.split_once("<title>").unwrap().1.split_once("</title>").unwrap().0;
    format!("{} {title}\n{}", page.status, readable_part(body.split_once("</body>").unwrap().0))
}

/// Returns a part of a page as [`readable`] does.
pub(crate) fn readable_part(html: &str) -> String {
    let mut text = String::new();
    for part in html.split('<') {
        let (tag, words) = part.split_once('>').unwrap_or(("", part));
        let name = tag.split([' ', '\n', '/']).next().unwrap();
        let attribute =
            |name: &str| Some(tag.split_once(&format!(" {name}=\""))?.1.split('"').next().unwrap());
        let shown = |names: &[&str]| -> String {
            let found = names.iter().filter_map(|name| Some((name, attribute(name)?)));
            found.map(|(name, value)| format!(" {name}={value}")).collect()
        };
        // A page has all zones, of which only the chosen one is shown.
        let is_option = name == "option" && !tag.contains(" selected");
        match name {
            "a" => text += &format!("[{}] ", attribute("href").unwrap_or_default()),
            "form" => text += &format!("\n<form{}>", shown(&["method", "action"])),
            "input" if attribute("name") == Some("idempotency_key") => text += "\n<idempotency_key>",
            "input" | "textarea" | "select" | "button" => {
                let checked = if tag.contains(" checked") { " checked" } else { "" };
                text += &format!("\n<{name}{}{checked}> ", shown(&["type", "name", "value"]));
            }
            "option" if !is_option => text += "selected: ",
            "td" | "th" => text += " | ",
            "/li" | "/p" | "/form" | "/h1" | "/h2" | "/h3" | "/div" | "/summary" => text.push('\n'),
            name => {
                if let Some((_, mark)) = LINES.iter().find(|(line, _)| *line == name) {
                    text += &format!("\n{mark}");
                }
            }
        }
        if !is_option {
            text += words;
        }
    }
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    let lines: Vec<_> = lines.filter(|line| !line.is_empty() && line != "-").collect();
    lines.join("\n")
}
