//! The page of the webhooks.

use askama::Template;
use signup_core::{ActivityType, NewWebhook, Scope, WebhookDescription, WebhookId};
use warp::http::StatusCode;

use super::webhook;
use crate::console::{As, ConsoleRefusal, DoneBefore, Form, Frame, MemberCall, PageResult, show};
use crate::page::Head;

#[derive(Debug, Template)]
#[template(path = "console/settings/webhooks.html")]
struct WebhooksTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    form: &'a Form,
    webhooks: Vec<WebhookView<'a>>,
    types: Vec<(String, String, &'static str)>,
}

/// A webhook, as the list shows it.
#[derive(Debug)]
struct WebhookView<'a> {
    id: WebhookId,
    url: &'a str,
    description: Option<&'a str>,
    is_enabled: bool,
}

pub(super) const FIELDS: &[(&str, As)] = &[("url", As::Text), ("description", As::Text), ("types", As::List)];

/// `GET /console/{slug}/settings/webhooks`: lists the webhooks.
pub(crate) async fn list_webhooks(call: MemberCall) -> PageResult {
    call.session.require(Scope::WebhooksRead)?;
    let form = call.new_form()?.with("types", "*");
    page(&call, StatusCode::OK, &form).await
}

/// `POST /console/{slug}/settings/webhooks`: creates a webhook.
pub(crate) async fn create_webhook(mut call: MemberCall) -> PageResult {
    call.session.require(Scope::WebhooksWrite)?;
    let form = call.form().await?;
    if !matches!(form.action(), "create" | "") {
        return Err(ConsoleRefusal::UnknownAction);
    }
    match form.checked(FIELDS, |input| NewWebhook::from_input(input, call.session.webhook_networks())) {
        Ok(new) => {
            let reply = form.write(call.session.create_webhook(new)).await?;
            let created = &reply.value;
            let edit = call.frame.path(&format!("/settings/webhooks/{}", created.id));
            let done = (format!("It created the webhook {}.", created.url), ("edit that webhook", edit));
            let list = ("see all webhooks", call.frame.path("/settings/webhooks"));
            let gone = ("It has been deleted since.", list);
            match DoneBefore::of(&reply, call.session.webhook(created.id), done, gone).await? {
                Some(before) => page(&call, StatusCode::CONFLICT, &form.done_before(before)).await,
                None => Ok(webhook::made(&call, created)),
            }
        }
        Err(faults) => page(&call, StatusCode::UNPROCESSABLE_ENTITY, &form.refused(&faults)).await,
    }
}

async fn page(call: &MemberCall, status: StatusCode, form: &Form) -> PageResult {
    let webhooks = call.session.webhooks().await?;
    let frame = &call.frame;
    let page = WebhooksTemplate {
        head: frame.head_of("Webhooks", form),
        frame,
        form,
        webhooks: webhooks
            .iter()
            .map(|webhook| WebhookView {
                id: webhook.id,
                url: webhook.url.as_str(),
                description: webhook.description.as_ref().map(WebhookDescription::as_str),
                is_enabled: webhook.is_enabled(),
            })
            .collect(),
        types: types(&[]),
    };
    Ok(show(status, &page))
}

/// Returns what a webhook can receive: everything, each group of types, and the types in `chosen` besides.
pub(super) fn types(chosen: &[&str]) -> Vec<(String, String, &'static str)> {
    let mut types = vec![("*".to_owned(), "Everything".to_owned(), "")];
    let groups = ActivityType::ALL.iter().filter_map(|kind| kind.as_str().split_once('.'));
    for (group, _) in groups {
        let filter = format!("{group}.*");
        if !types.iter().any(|(found, ..)| *found == filter) {
            types.push((filter, group_in_words(group).to_owned(), ""));
        }
    }
    for filter in chosen {
        if !types.iter().any(|(found, ..)| found == filter) {
            types.push(((*filter).to_owned(), (*filter).to_owned(), ""));
        }
    }
    types
}

/// Returns the words for a group of types of activity.
pub(super) fn group_in_words(group: &str) -> &str {
    match group {
        "event" => "Events",
        "slot" => "Shifts",
        "question" => "Questions",
        "signup" => "Sign-ups",
        "token" => "API tokens",
        "webhook" => "Webhooks",
        "organization" => "The organization",
        "member" => "Members",
        "message" => "Messages",
        group => group,
    }
}
