//! The page of one webhook, with its deliveries.

use askama::Template;
use signup_core::{
    Delivery, DeliveryId, DeliveryQuery, DeliveryState, DisabledReason, Input, Page, Scope, TypeFilter,
    Webhook, WebhookDescription, WebhookId, WebhookPatch,
};
use warp::http::StatusCode;
use warp::reply::Response;

use super::moment;
use super::webhooks::{FIELDS, types};
use crate::console::{ConsoleRefusal, Form, Frame, MemberCall, PageResult, show};
use crate::page::Head;

#[derive(Debug, Template)]
#[template(path = "console/settings/webhook.html")]
struct WebhookTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    form: &'a Form,
    /// The path of this page below the organization.
    path: String,
    url: &'a str,
    is_enabled: bool,
    state: String,
    last_success: Option<String>,
    deliveries: Vec<DeliveryView<'a>>,
    newer: Option<String>,
    older: Option<String>,
    types: Vec<(String, String, &'static str)>,
}

/// The page that shows the secret of a webhook once.
#[derive(Template)]
#[template(path = "console/settings/secret.html")]
struct SecretTemplate<'a> {
    head: Head,
    frame: &'a Frame,
    webhook: WebhookId,
    url: &'a str,
    secret: &'a str,
}

/// A delivery, as the page shows it.
#[derive(Debug)]
struct DeliveryView<'a> {
    id: DeliveryId,
    kind: &'a str,
    created: String,
    state: String,
    is_pending: bool,
}

/// `GET /console/{slug}/settings/webhooks/{id}`: shows a secret that was just made once, or the webhook and its deliveries.
pub(crate) async fn show_webhook(call: MemberCall) -> PageResult {
    call.session.require(Scope::WebhooksRead)?;
    let webhook = call.session.webhook(call.path.webhook()).await?;
    if let Some((id, secret)) = call.what_was_made::<WebhookId, String>()
        && id == webhook.id
    {
        return Ok(call.show_made(&SecretTemplate {
            head: call.frame.head("The secret of the webhook"),
            frame: &call.frame,
            webhook: id,
            url: webhook.url.as_str(),
            secret: &secret,
        }));
    }
    let form = filled(Form::new(call.now()), &webhook);
    page(&call, StatusCode::OK, &webhook, &form).await
}

/// `POST /console/{slug}/settings/webhooks/{id}`: changes, tests or deletes a webhook, or delivers again.
pub(crate) async fn change_webhook(mut call: MemberCall) -> PageResult {
    call.session.require(Scope::WebhooksWrite)?;
    let webhook = call.session.webhook(call.path.webhook()).await?;
    let form = call.form().await?;
    let (session, id) = (&call.session, webhook.id);
    match form.action() {
        "update" => {
            match form.checked(FIELDS, |input| WebhookPatch::from_input(input, session.webhook_networks())) {
                Ok(patch) => drop(session.patch_webhook(id, patch).await?),
                Err(faults) => {
                    let form = form.refused(&faults);
                    return page(&call, StatusCode::UNPROCESSABLE_ENTITY, &webhook, &form).await;
                }
            }
        }
        "enable" => drop(session.patch_webhook(id, WebhookPatch::new().enabled(true)).await?),
        "disable" => drop(session.patch_webhook(id, WebhookPatch::new().enabled(false)).await?),
        "test" => drop(form.write(session.test_webhook(id)).await?),
        "rotate" => return Ok(made(&call, &form.write(session.rotate_secret(id)).await?.value)),
        "delete" => {
            session.delete_webhook(id).await?;
            return Ok(call.see_other("/settings/webhooks"));
        }
        "redeliver" => {
            let delivery = form.value("delivery_id").parse().unwrap_or(DeliveryId::NONE);
            session.redeliver(delivery).await?;
        }
        _ => return Err(ConsoleRefusal::UnknownAction),
    }
    Ok(call.see_other(&path_of(id)))
}

/// Returns 303 to the page of a webhook that was created, or whose secret was rotated.
pub(super) fn made(call: &MemberCall, webhook: &Webhook) -> Response {
    let path = path_of(webhook.id);
    match &webhook.secret {
        Some(secret) => call.made(webhook.id, &secret.reveal(), &path),
        None => call.see_other(&path),
    }
}

async fn page(call: &MemberCall, status: StatusCode, webhook: &Webhook, form: &Form) -> PageResult {
    let parameters = call.query();
    let query = Input::from_texts([("cursor", parameters.value("cursor"))]);
    let query = DeliveryQuery::from_input(query)?;
    let deliveries = call.session.deliveries(webhook.id, query).await?;
    let (frame, path) = (&call.frame, path_of(webhook.id));
    let Page { items, previous, next, .. } = &deliveries;
    let at = |cursor: String| format!("{}?cursor={cursor}", frame.path(&path));
    let chosen: Vec<_> = webhook.types.iter().map(TypeFilter::as_str).collect();
    let page = WebhookTemplate {
        head: frame.head_of("Webhook", form),
        frame,
        form,
        url: webhook.url.as_str(),
        is_enabled: webhook.is_enabled(),
        state: state_of(webhook),
        last_success: webhook.last_success_at.map(moment),
        deliveries: items.iter().map(view).collect(),
        newer: previous.as_ref().map(|position| at(position.to_string())),
        older: next.as_ref().map(|position| at(position.to_string())),
        types: types(&chosen),
        path,
    };
    Ok(show(status, &page))
}

fn path_of(id: WebhookId) -> String {
    format!("/settings/webhooks/{id}")
}

fn filled(form: Form, webhook: &Webhook) -> Form {
    let description = webhook.description.as_ref().map_or("", WebhookDescription::as_str);
    let form = form.with("url", webhook.url.as_str()).with("description", description);
    webhook.types.iter().fold(form, |form, filter| form.with("types", filter.as_str()))
}

/// Returns whether a webhook is enabled, and why not, in words.
fn state_of(webhook: &Webhook) -> String {
    let Some(disabled) = webhook.disabled else { return "Enabled".to_owned() };
    let at = moment(disabled.at);
    match disabled.reason {
        Some(DisabledReason::Gone) => {
            format!("Disabled since {at}, because the web address answered that it is gone")
        }
        Some(DisabledReason::Failing) => {
            format!("Disabled since {at}, because nothing could be delivered for 5 days")
        }
        _ => format!("Disabled since {at}"),
    }
}

fn view(delivery: &Delivery) -> DeliveryView<'_> {
    let attempts = match delivery.attempts {
        1 => "1 attempt".to_owned(),
        attempts => format!("{attempts} attempts"),
    };
    let error = delivery.last_error.as_ref().map(|error| format!(": {error}")).unwrap_or_default();
    let state = match delivery.state {
        DeliveryState::Delivered { at } => format!("Delivered on {} after {attempts}", moment(at)),
        DeliveryState::Failed { at } => format!("Failed on {} after {attempts}{error}", moment(at)),
        DeliveryState::Pending { .. } if delivery.attempts == 0 => "Waiting to be sent".to_owned(),
        DeliveryState::Pending { due_at, .. } => {
            format!("Waiting, next attempt on {}, after {attempts}{error}", moment(due_at))
        }
    };
    DeliveryView {
        id: delivery.id,
        kind: delivery.activity.kind.as_str(),
        created: moment(delivery.created_at),
        state,
        is_pending: matches!(delivery.state, DeliveryState::Pending { .. }),
    }
}
