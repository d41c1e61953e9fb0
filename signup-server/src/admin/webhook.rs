//! `webhook`: list, disable and enable webhooks.

use signup_core::{Admin, Error, WebhookId};

use super::{describe, find_organization, print};
use crate::config::WebhookCommand;
use crate::output::{Failure, shown};
use crate::wire;

pub(super) async fn run(admin: &Admin, command: WebhookCommand) -> Result<(), Failure> {
    match command {
        WebhookCommand::List { organization } => {
            let organization = find_organization(admin, &organization).await?;
            let webhooks = admin.webhooks(organization.id).await.map_err(describe)?;
            webhooks.iter().try_for_each(|webhook| print(&wire::Webhook::new(webhook)))
        }
        WebhookCommand::Disable { webhook_id } => set_enabled(admin, &webhook_id, false).await,
        WebhookCommand::Enable { webhook_id } => set_enabled(admin, &webhook_id, true).await,
    }
}

async fn set_enabled(admin: &Admin, id: &str, is_enabled: bool) -> Result<(), Failure> {
    match admin.set_webhook_enabled(id.parse().unwrap_or(WebhookId::NONE), is_enabled).await {
        Ok(webhook) => print(&wire::Webhook::new(&webhook)),
        Err(Error::NotFound) => {
            let id = shown(id);
            Err(format!("there is no webhook with the id {id}: to see the ids, run \"webhook list\"").into())
        }
        Err(error) => Err(describe(error).into()),
    }
}
