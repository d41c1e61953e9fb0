//! Handlers of webhooks, and of the deliveries to them.

use signup_core::{
    DeliveryId, DeliveryQuery, NewWebhook, OperationKind, Scope, Session, WebhookId, WebhookPatch,
};
use warp::http::StatusCode;

use super::{ApiResult, AuthorizedWrite, Context, answer, authorize_read};
use crate::reply::json;
use crate::request::{Request, no_fields};
use crate::wire::{Data, Deletion, Delivery, Webhook, delivery_page};

/// `GET /v1/webhooks`: lists the webhooks of the organization.
pub(crate) async fn list_webhooks(session: Session, request: Request) -> ApiResult {
    authorize_read(&session, Scope::WebhooksRead, &request)?;
    let webhooks = session.webhooks().await?;
    let data: Vec<_> = webhooks.iter().map(Webhook::new).collect();
    Ok(json(StatusCode::OK, &Data { data }))
}

/// `POST /v1/webhooks`: creates a webhook. The answer has its secret.
pub(crate) async fn create_webhook(session: Session, mut request: Request) -> ApiResult {
    let write = AuthorizedWrite::authorize(session, OperationKind::CreateWebhook, &request)?;
    let new =
        request.input(Webhook::FIELDS, |input| NewWebhook::from_input(input, write.webhook_networks())).await;
    let webhook = write.call(new, Session::create_webhook).await?;
    Ok(answer(StatusCode::CREATED, &webhook, Webhook::with_secret(&webhook.value)))
}

/// `GET /v1/webhooks/{id}`: returns a webhook.
pub(crate) async fn show_webhook(session: Session, id: WebhookId, request: Request) -> ApiResult {
    authorize_read(&session, Scope::WebhooksRead, &request)?;
    let webhook = session.webhook(id).await?;
    Ok(json(StatusCode::OK, &Data { data: Webhook::new(&webhook) }))
}

/// `PATCH /v1/webhooks/{id}`: changes a webhook.
pub(crate) async fn patch_webhook(session: Session, id: WebhookId, mut request: Request) -> ApiResult {
    let write = AuthorizedWrite::authorize(session, OperationKind::PatchWebhook.on(id), &request)?;
    let patch = request
        .input(Webhook::FIELDS, |input| WebhookPatch::from_input(input, write.webhook_networks()))
        .await;
    let webhook = write.call(patch, |session, patch| session.patch_webhook(id, patch)).await?;
    Ok(answer(StatusCode::OK, &webhook, Webhook::new(&webhook.value)))
}

/// `DELETE /v1/webhooks/{id}`: deletes a webhook with its deliveries.
pub(crate) async fn delete_webhook(session: Session, id: WebhookId, mut request: Request) -> ApiResult {
    let write = AuthorizedWrite::authorize(session, OperationKind::DeleteWebhook.on(id), &request)?;
    let input = request.deletion(no_fields).await;
    let deleted = write.call(input, |session, ()| session.delete_webhook(id)).await?;
    Ok(answer(StatusCode::OK, &deleted, Deletion::new(id.uuid())))
}

/// `POST /v1/webhooks/{id}/rotate_secret`: replaces the secret of a webhook. The answer has the new one.
pub(crate) async fn rotate_secret(session: Session, id: WebhookId, mut request: Request) -> ApiResult {
    let write = AuthorizedWrite::authorize(session, OperationKind::RotateSecret.on(id), &request)?;
    let input = request.optional_input(Webhook::FIELDS, no_fields).await;
    let webhook = write.call(input, |session, ()| session.rotate_secret(id)).await?;
    Ok(answer(StatusCode::OK, &webhook, Webhook::with_secret(&webhook.value)))
}

/// `POST /v1/webhooks/{id}/test`: makes a delivery that tests a webhook.
pub(crate) async fn test_webhook(session: Session, id: WebhookId, mut request: Request) -> ApiResult {
    let write = AuthorizedWrite::authorize(session, OperationKind::TestWebhook.on(id), &request)?;
    let input = request.optional_input(Webhook::FIELDS, no_fields).await;
    let delivery = write.call(input, |session, ()| session.test_webhook(id)).await?;
    Ok(answer(StatusCode::CREATED, &delivery, Delivery::new(&delivery.value)))
}

/// `GET /v1/webhooks/{id}/deliveries`: lists one page of the deliveries to a webhook.
pub(crate) async fn list_deliveries(
    context: Context,
    session: Session,
    id: WebhookId,
    request: Request,
) -> ApiResult {
    session.require(Scope::WebhooksRead)?;
    let query = request.query(DeliveryQuery::from_input)?;
    let page = session.deliveries(id, query.clone()).await?;
    let path = format!("{}/v1/webhooks/{id}/deliveries", context.base_url);
    Ok(json(StatusCode::OK, &delivery_page(&query, &page, path)))
}

/// `POST /v1/deliveries/{id}/redeliver`: makes a delivery again.
pub(crate) async fn redeliver(session: Session, id: DeliveryId, mut request: Request) -> ApiResult {
    let write = AuthorizedWrite::authorize(session, OperationKind::Redeliver.on(id), &request)?;
    let input = request.optional_input(Delivery::FIELDS, no_fields).await;
    let delivery = write.call(input, |session, ()| session.redeliver(id)).await?;
    Ok(answer(StatusCode::OK, &delivery, Delivery::new(&delivery.value)))
}
