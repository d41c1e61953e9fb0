//! The page of the activity, in words.

use askama::Template;
use signup_core::{ActivityQuery, Input, Scope};
use warp::http::StatusCode;

use super::activity_words::Names;
use super::moment;
use super::webhooks::types;
use crate::console::{Form, Frame, MemberCall, PageResult, show};
use crate::page::Head;

#[derive(Debug, Template)]
#[template(path = "console/settings/activity.html")]
struct ActivityTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    form: &'a Form,
    types: Vec<(String, String)>,
    rows: Vec<Row>,
    newer: Option<String>,
    older: Option<String>,
}

/// An activity, as the page shows it.
#[derive(Debug)]
struct Row {
    at: String,
    iso: String,
    sentence: String,
}

/// `GET /console/{slug}/settings/activity`: lists what happened, latest first. The query parameter `type` selects a type or a group
/// of types.
pub(crate) async fn list_activity(call: MemberCall) -> PageResult {
    call.session.require(Scope::ActivityRead)?;
    let form = call.query();
    let typed = ["type", "cursor"].map(|name| (name, form.value(name)));
    let query = match ActivityQuery::from_input(Input::from_texts(typed)) {
        Ok(query) => query,
        Err(faults) => return page(&call, &form.clone().refused(&faults), vec![], [None, None]),
    };
    let found = call.session.activity(query).await?;
    let names = Names::read(&call.session, &found.items).await?;
    let rows = found.items.iter().map(|activity| Row {
        at: moment(activity.created_at),
        iso: activity.created_at.to_string(),
        sentence: names.sentence(activity),
    });
    let [newer, older] = [&found.previous, &found.next].map(|position| position.map(|at| at.to_string()));
    page(&call, &form, rows.collect(), [newer, older])
}

fn page(call: &MemberCall, form: &Form, rows: Vec<Row>, cursors: [Option<String>; 2]) -> PageResult {
    let frame = &call.frame;
    let link = |cursor: Option<String>| {
        let query = [("type", form.value("type").to_owned()), ("cursor", cursor?)];
        // Never fails: pairs of texts have a query string.
        let query = serde_urlencoded::to_string(query).ok()?;
        Some(format!("{}?{query}", frame.path("/settings/activity")))
    };
    let [newer, older] = cursors.map(link);
    let page = ActivityTemplate {
        head: frame.head_of("Activity", form),
        frame,
        form,
        types: types(&[]).into_iter().map(|(filter, words, _)| (filter, words)).collect(),
        rows,
        newer,
        older,
    };
    let status = if form.is_refused() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    Ok(show(status, &page))
}
