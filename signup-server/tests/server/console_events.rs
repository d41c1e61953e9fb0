//! The console's forms of an event and its shifts: what was typed is kept, and so is what others changed in between.

use insta::assert_snapshot;
use serde_json::json;

use crate::console::Organizer;
use crate::harness::{Answer, Server, event};
use crate::lives::{path, question};
use crate::pages::Page;
use crate::snapshots::{readable, stable};

/// The path of the pages of the organization.
pub(crate) const ROOT: &str = "/console/riverside";

/// The fields of the form in the main part of a page, with the values that a browser would send. Buttons are left out.
#[derive(Debug, Clone)]
pub(crate) struct Fields(pub(crate) Vec<(String, String)>);

impl Fields {
    pub(crate) fn of(page: &Answer) -> Self {
        Self::of_html(page.text.split_once("<main").unwrap().1)
    }

    /// Returns the fields of all forms in a part of a page.
    pub(crate) fn of_html(html: &str) -> Self {
        let mut fields = vec![];
        for tag in html.split("<input ").skip(1) {
            let (tag, _) = tag.split_once('>').unwrap();
            let is_box = ["checkbox", "radio"].contains(&attribute(tag, "type").unwrap());
            // Outside the quotation marks.
            let is_checked = tag.split('"').step_by(2).any(|part| part.contains(" checked"));
            if !is_box || is_checked {
                fields.push((attribute(tag, "name").unwrap(), attribute(tag, "value").unwrap_or("")));
            }
        }
        for tag in html.split("<textarea ").skip(1) {
            let (tag, rest) = tag.split_once(">\n").unwrap();
            fields.push((attribute(tag, "name").unwrap(), rest.split_once("</textarea>").unwrap().0));
        }
        for tag in html.split("<select ").skip(1) {
            let (tag, rest) = tag.split_once('>').unwrap();
            let (options, _) = rest.split_once("</select>").unwrap();
            let mut options = options.split("<option ").skip(1);
            let chosen = options.find(|option| option.contains(" selected"));
            let value = chosen.map_or("", |option| attribute(option, "value").unwrap());
            fields.push((attribute(tag, "name").unwrap(), value));
        }
        Self(fields.into_iter().map(|(name, value)| (name.to_owned(), decoded(value))).collect())
    }

    /// Types a value into a field.
    pub(crate) fn with(self, name: &str, value: &str) -> Self {
        let mut typed = self.without(name);
        typed.0.push((name.to_owned(), value.to_owned()));
        typed
    }

    /// Leaves a field out.
    pub(crate) fn without(mut self, name: &str) -> Self {
        self.0.retain(|(found, _)| found != name);
        self
    }

    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(found, _)| found == name).map_or("", |(_, value)| value)
    }

    pub(crate) async fn post(&self, browser: &Organizer<'_>, path: &str) -> Answer {
        let fields: Vec<_> = self.0.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        browser.post(path, &fields).await
    }
}

/// Returns the text of a value. The templates write the special characters as numbers, and the reference writes them by name, too.
pub(crate) fn decoded(value: &str) -> String {
    let decode = |text: String, (number, name, character): (u32, &str, &str)| {
        text.replace(&format!("&#{number};"), character).replace(&format!("&{name};"), character)
    };
    let characters =
        [(60, "lt", "<"), (62, "gt", ">"), (34, "quot", "\""), (39, "apos", "'"), (38, "amp", "&")];
    characters.into_iter().fold(value.to_owned(), decode)
}

/// Returns the value of an attribute, as it stands in the tag.
pub(crate) fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let start = format!("{name}=\"");
    let rest = tag.strip_prefix(&start).or_else(|| Some(tag.split_once(&format!(" {start}"))?.1))?;
    rest.split_once('"').map(|(value, _)| value)
}

/// Returns the fields that the summary of faults links to, each with its sentence.
pub(crate) fn mistakes(page: &Answer) -> Vec<(&str, &str)> {
    let links = page.text.split("<li><a href=\"#").skip(1);
    links.filter_map(|link| link.split_once("</a>")?.0.split_once("\">")).collect()
}

/// Returns the path that an answer redirects to.
pub(crate) fn location(answer: &Answer) -> &str {
    assert_eq!(answer.status, 303, "{}", answer.text);
    answer.header("location").unwrap()
}

/// The other person changes one field, and Ada another one. Then she changes the field of the other person.
#[tokio::test]
async fn edits_by_two_people_are_merged_by_field_or_conflict() {
    let server = Server::start_on_sqlite();
    let ada = Organizer::first_owner(&server).await;
    let page = Page::create(&server, &event()).await;
    let (of_event, shift) = (path(&page.event), format!("/v1/slots/{}", page.slot("Early")));
    let question = question(&server, &page.event).await;
    let form = |api: &str, kind: &str| format!("{ROOT}/{kind}s/{}/edit", api.rsplit('/').next().unwrap());
    let mut text = String::new();
    for (edit, api, name, [mine, value]) in [
        (form(&of_event, "event"), of_event.clone(), "title", ["badge_label", "New"]),
        (form(&shift, "shift"), shift, "title", ["location", "Dock 9"]),
        (form(&question, "question"), question, "label", ["type", "checkbox"]),
        (format!("{ROOT}/settings"), String::new(), "name", ["sport", "Rowing"]),
    ] {
        let loaded = Fields::of(&ada.get(&edit).await);
        if api.is_empty() {
            server.command("organization update --organization riverside --name Theirs");
        } else {
            assert_eq!(server.patch(&api, &json!({ name: "Theirs" })).await.status, 200);
        }
        assert_eq!(loaded.clone().with(mine, value).post(&ada, &edit).await.status, 303, "{edit}");
        let both = Fields::of(&ada.get(&edit).await);
        assert_eq!((both.get(name), both.get(mine)), ("Theirs", value), "{edit}");

        let conflict = loaded.with(name, "Mine").post(&ada, &edit).await;
        text += &format!("{}\n\n", readable(&conflict).split("<form").next().unwrap());
        let again = Fields::of(&conflict);
        assert_eq!((again.get(name), again.get(mine)), ("Mine", value));
        assert_eq!(again.post(&ada, &edit).await.status, 303, "{edit}");
        assert_eq!(Fields::of(&ada.get(&edit).await).get(name), "Mine");
    }
    assert_snapshot!(stable(&text));
}
